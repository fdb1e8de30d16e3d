// Servers as client configurations start them, against the pins of a lockfile: a changed line is CHANGED(target), a server that
// nobody pinned is UNKNOWN(not_pinned) (DESIGN 10, formats 44). Nothing is started, no value of a variable is looked at.
import { canonicalize } from "../core/canonical.js"
import type { Lockfile, Pin } from "../core/lockfile.js"
import { formatTarget, isCommandTarget, type Target } from "../core/target.js"
import { exitCodeOfVerdicts, type ServerVerdict } from "../core/verdict.js"
import type { LockfileReport } from "../core/verify-lockfile.js"
import type { ClientConfig, ConfiguredServer } from "../ports.js"

/** A server and the file it stands in. */
type Configured = ConfiguredServer & Pick<ClientConfig, "file">

/** The report with what the configurations add. */
export function compareWithConfigs(
  report: LockfileReport,
  lockfile: Lockfile,
  configs: readonly ClientConfig[],
): LockfileReport {
  const configured = configs.flatMap(({ file, servers }) => servers.map((server) => ({ ...server, file })))
  const changed = new Map<string, Configured>()
  const extra: ServerVerdict[] = []
  for (const server of configured) {
    const found = findPinOf(lockfile, server)
    if (found === null) extra.push(notPinned(server))
    else if (server.target !== null && !sameTarget(found.pin.target, server.target)) changed.set(found.name, server)
  }
  const pinned = report.servers.map((server) => {
    const gone = goneFrom(lockfile.servers[server.name], configured)
    return withChange(gone === null ? server : withNote(server, gone), changed.get(server.name))
  })
  const servers = [...pinned, ...extra]
  const exitCode = report.exitCode === 3 ? 3 : exitCodeOfVerdicts(servers.map((server) => server.verdict))
  return { ...report, servers, exitCode }
}

/** The pin of a configured server: the one that was taken from there, else the one of that name. */
export function findPinOf(lockfile: Lockfile, server: Configured): { name: string; pin: Pin } | null {
  const pins = Object.entries(lockfile.servers)
  const byOrigin = pins.find(([, pin]) =>
    pin.from.some((from) => from.file === server.file && from.name === server.name),
  )
  const [name, pin] = byOrigin ?? pins.find(([pinName]) => pinName === server.name) ?? []
  return name === undefined || pin === undefined ? null : { name, pin }
}

/** The file that a pin was taken from and that does not have it any more: said, but no finding (formats 44). */
function goneFrom(pin: Pin | undefined, configured: readonly Configured[]): string | null {
  const isThere = pin?.from.some(({ file, name }) => configured.some((one) => one.file === file && one.name === name))
  return isThere ? null : (pin?.from[0]?.file ?? null)
}

const withNote = (server: ServerVerdict, file: string): ServerVerdict =>
  server.detail === null ? { ...server, detail: `pinned, but ${file} does not start it any more` } : server

/** Equal launch lines. A literal header value in a client's file matches any template of that name. */
export function sameTarget(pinned: Target, configured: Target): boolean {
  return (
    canonicalize(formatTarget(comparable(pinned, configured))) ===
    canonicalize(formatTarget(comparable(configured, pinned)))
  )
}

function comparable(target: Target, other: Target): Target {
  if (isCommandTarget(target) || isCommandTarget(other)) return target
  const entries = Object.entries(target.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const literal = (name: string) =>
    [target, other].some((t) =>
      Object.entries(t.headers).some(([key, value]) => key.toLowerCase() === name && !value.includes("${")),
    )
  return {
    url: target.url,
    headers: Object.fromEntries(entries.map(([name, value]) => [name, literal(name) ? "" : value])),
  }
}

function withChange(server: ServerVerdict, config: Configured | undefined): ServerVerdict {
  if (!config || server.verdict === "REJECTED" || server.verdict === "CHANGED") return server
  const detail = `its launch line in ${config.file} is not the pinned one`
  return { ...server, verdict: "CHANGED", reason: "target", detail }
}

const notPinned = (server: Configured): ServerVerdict => ({
  name: server.name,
  subject: null,
  version: null,
  verdict: "UNKNOWN",
  reason: "not_pinned",
  detail: `${server.file} starts it, but no pin covers it`,
  compared: [],
  covered: [],
  notCovered: [],
  head: null,
  record: null,
  newest: null,
  pin: null,
  items: {},
  changes: [],
  warnings: [],
})
