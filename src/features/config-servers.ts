// Servers as client configurations start them, against the pins of a lockfile: a changed line is CHANGED(target), a server that
// nobody pinned is UNKNOWN(not_pinned), one that cannot be read UNKNOWN(malformed) (DESIGN 10, formats 44). Each configured server ends in
// exactly one place: under its pin, as an answer of its own, or, switched off and not pinned, in a warning. Nothing is started.
import { canonicalize } from "../core/canonical.js"
import { quote } from "../core/errors.js"
import type { Lockfile, Pin } from "../core/lockfile.js"
import { exitCodeOfReport, type LockfileReport } from "../core/lockfile-report.js"
import { formatTarget, isCommandTarget, listVariables, type Target } from "../core/target.js"
import type { ServerVerdict } from "../core/verdict.js"
import type { ClientConfig, ConfiguredServer } from "../ports.js"

/** A server and the file it stands in. */
type Configured = ConfiguredServer & Pick<ClientConfig, "file">

/** The report with what the configurations add. `scope`: whose configurations were looked at; pins taken from the other's are not missed
 *  there. A file with a `problem` has no servers here: its caller tells of it. */
export function compareWithConfigs(
  report: LockfileReport,
  lockfile: Lockfile,
  configs: readonly ClientConfig[],
  scope: ClientConfig["scope"] = "project",
): LockfileReport {
  const configured = configs.flatMap(({ file, servers }) => servers.map((server) => ({ ...server, file })))
  const ofPin = groupBy(configured, (server) => findPinOf(lockfile, server)?.name ?? null)
  const isGone = findGone(configs, scope)
  const pinned = report.servers.map((answer) => {
    const gone = (lockfile.servers[answer.name]?.from ?? []).filter(isGone).map(({ file }) => file)
    return judgePinned(answer, { pin: lockfile.servers[answer.name], servers: ofPin.get(answer.name) ?? [], gone })
  })
  const others = ofPin.get(null) ?? []
  const servers = [...pinned, ...groupAlike(others.filter(({ isDisabled }) => !isDisabled)).map(notPinned)]
  const off = others.filter(({ isDisabled }) => isDisabled).map(({ name, file }) => `switched_off:${name} in ${file}`)
  const compared = { ...report, servers, warnings: [...report.warnings, ...off] }
  return { ...compared, exitCode: exitCodeOfReport(compared) }
}

/** Values by key, keys and values in their order. */
function groupBy<K>(
  servers: readonly Configured[],
  keyOf: (server: Configured) => K,
): ReadonlyMap<K, readonly Configured[]> {
  const groups = new Map<K, Configured[]>()
  for (const server of servers) {
    const key = keyOf(server)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [server])
    else group.push(server)
  }
  return groups
}

/** The pin of a configured server: the one that its guard names; else the one that was taken from there, else the one of its name. */
export function findPinOf(lockfile: Lockfile, server: Configured): { name: string; pin: Pin } | null {
  const pins = Object.entries(lockfile.servers)
  const named = (wanted: string) => pins.find(([name]) => name === wanted)
  const taken = () =>
    pins.find(([, pin]) => pin.from.some(({ file, name }) => file === server.file && name === server.name))
  const [name, pin] = (server.pin === undefined ? (taken() ?? named(server.name)) : named(server.pin)) ?? []
  return name === undefined || pin === undefined ? null : { name, pin }
}

/** Tells of a place that a pin was taken from whether it was looked at and is not there any more (formats 44). */
function findGone(
  configs: readonly ClientConfig[],
  scope: ClientConfig["scope"],
): (place: Pin["from"][number]) => boolean {
  const there = new Set(configs.flatMap(({ file, servers }) => servers.map(({ name }) => `${file}\n${name}`)))
  const unread = new Set(configs.filter(({ problem }) => problem !== null).map(({ file }) => file))
  return ({ file, name }) => scopeOf(file) === scope && !unread.has(file) && !there.has(`${file}\n${name}`)
}

/** Whose file it is, by its name (ports.ts, ClientConfig). */
const scopeOf = (file: string): ClientConfig["scope"] => (/^(?:~\/|\/|[A-Za-z]:\/)/.test(file) ? "user" : "project")

interface Configuration {
  readonly pin: Pin | undefined
  readonly servers: readonly Configured[]
  readonly gone: readonly string[]
}

function judgePinned(answer: ServerVerdict, { pin, servers, gone }: Configuration): ServerVerdict {
  if (answer.verdict === "REJECTED" || answer.verdict === "CHANGED" || pin === undefined) return answer
  const changed = servers.filter((server) => server.problem === null && !startsAs(pin.target, server))
  if (changed.length > 0) {
    const detail = `its launch line in ${listFiles(changed)} is not the pinned one`
    return { ...answer, verdict: "CHANGED", reason: "target", detail }
  }
  if (answer.verdict === "UNKNOWN") return answer
  const unread = servers.find(({ problem }) => problem !== null)
  if (unread) return { ...answer, verdict: "UNKNOWN", reason: "malformed", detail: describeProblem(unread) }
  if (gone.length === 0 || answer.detail !== null) return answer
  return {
    ...answer,
    detail: `pinned, but ${listWords(gone)} ${gone.length === 1 ? "does" : "do"} not start it any more`,
  }
}

const describeProblem = ({ file, name, problem }: Configured): string => `${file}, server ${quote(name)}: ${problem}`

const listFiles = (servers: readonly Configured[]): string => listWords([...new Set(servers.map(({ file }) => file))])

const listWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

/** Equal launch lines. A header whose value stands in the client's file (`literals`) matches any template of that name. */
export function sameTarget(pinned: Target, target: Target, literals: readonly string[] = []): boolean {
  if (isCommandTarget(target) || isCommandTarget(pinned)) {
    if (!isCommandTarget(target) || !isCommandTarget(pinned) || target.command !== pinned.command) return false
    return canonicalize(formatTarget(pinned)) === canonicalize(formatTarget(target))
  }
  const open = new Set(literals.map((name) => name.toLowerCase()))
  return target.url === pinned.url && describeHeaders(target.headers, open) === describeHeaders(pinned.headers, open)
}

/** True where the configured line is the pinned one. A guard that names its pin takes the line from there, and no variable that the pin does
 *  not have: one such as NODE_OPTIONS would change the guard. */
export const startsAs = (
  pinned: Target | null,
  { target, literals, pin, pinVariables = [] }: ConfiguredServer,
): boolean =>
  pinned === null ||
  (pin === undefined
    ? target !== null && sameTarget(pinned, target, literals)
    : pinVariables.every((name) => listVariables(pinned).includes(name)))

/** Headers in one spelling: names in lower case, sorted, and no value for those in `open`. */
function describeHeaders(headers: Readonly<Record<string, string>>, open: ReadonlySet<string>): string {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return canonicalize(Object.fromEntries(entries.map(([name, value]) => [name, open.has(name) ? "" : value])))
}

/** Servers of one name and one launch line in several files are one. */
const groupAlike = (servers: readonly Configured[]): readonly (readonly Configured[])[] => [
  ...groupBy(servers, ({ name, target, pin, problem, file }) =>
    canonicalize([name, target && formatTarget(target), pin ?? null, problem === null ? null : `${file}: ${problem}`]),
  ).values(),
]

function notPinned(group: readonly Configured[]): ServerVerdict {
  const name = group[0]?.name ?? ""
  const unread = group.find(({ problem }) => problem !== null)
  if (unread) return { ...NO_ANSWER, name, reason: "malformed", detail: describeProblem(unread) }
  const pin = group[0]?.pin
  const start = `${listFiles(group)} ${group.length === 1 ? "starts" : "start"} it`
  const detail =
    pin === undefined ? `${start}, but no pin covers it` : `${start} as pin ${quote(pin)}, which is not there`
  return { ...NO_ANSWER, name, reason: "not_pinned", detail }
}

const NO_ANSWER: Omit<ServerVerdict, "name" | "reason" | "detail"> = {
  subject: null,
  version: null,
  verdict: "UNKNOWN",
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
}
