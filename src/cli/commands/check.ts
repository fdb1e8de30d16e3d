// `toolsum check`: every pin against the log and the live server, and a word diff of what changed.
import { readDefinitions } from "../../adapters/definitions-fs.js"
import { ToolsumError } from "../../core/errors.js"
import type { Lockfile, Pin } from "../../core/lockfile.js"
import { MAX_NOTE_BYTES } from "../../core/note.js"
import { sectionsOf } from "../../core/section.js"
import { exitCodeOfVerdicts, type ServerVerdict } from "../../core/verdict.js"
import { type LockfileReport, verifyLockfile } from "../../core/verify-lockfile.js"
import { diffUnapproved, loadPinned, type PinTexts } from "../../features/approved-surface.js"
import { checkPin, type LogState } from "../../features/check.js"
import { placeholdersOf } from "../../features/observe.js"
import { observationOf, requirePin } from "../../features/pins.js"
import { DEFAULT_READ_LIMITS, type LockfileStore, type LogSource, type ServerReading } from "../../ports.js"
import type { CommandSpec } from "../commands.js"
import type { ExitCode } from "../exit-codes.js"
import type { Io } from "../io.js"
import { findLogSource, LOG_OPTIONS, openLogForReading } from "../logs.js"
import type { CommandLine, Options } from "../options.js"
import { loadPaint } from "../paint.js"
import { showProgress } from "../progress.js"
import { collectRoots, findProjectLockfile, LOCKFILE_OPTIONS, ROOT_OPTIONS } from "../project.js"
import { renderServers } from "../render.js"
import { renderDiff } from "../render-diff.js"
import { type RefutedLog, refutedMember, renderRefuted } from "../render-refuted.js"
import { printDocument, reportMembers } from "../report-json.js"
import { CONSENT_OPTIONS, type Gate, notAccepted, openGate, openServer } from "../servers.js"
import { describeWarning } from "../warnings.js"

export const checkCommand: CommandSpec = {
  usage: "check [name…]",
  words: [0, 1000],
  options: [
    ["--log-only", "Compare with the log only, start no server"],
    ["--exhaustive", "Look at every entry since the pin instead of believing the log's index"],
    ["--explain", "Show heads, leaves and roots"],
    ...CONSENT_OPTIONS,
    ...LOG_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...ROOT_OPTIONS,
  ],
  examples: ["toolsum check", "toolsum check memory --json", "toolsum check --log-only"],
  run: async (line, io) => {
    const store = await findProjectLockfile(line.options, io)
    const lockfile = await store.read()
    if (lockfile === null)
      throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${store.path}; toolsum add makes one`)
    for (const name of line.words) requirePin(lockfile, name)
    const offline = await verifyOffline(lockfile, store, line.options, io)
    const names = line.words.length > 0 ? [...new Set(line.words)] : Object.keys(lockfile.servers)
    const logs = new Map<string, OpenLog>()
    const servers = await checkAll({ lockfile, store, offline, names, line, io, logs })
    return report({ servers, offline, refuted: findRefuted(logs) }, line.options, io)
  },
}

async function verifyOffline(
  lockfile: Lockfile,
  store: LockfileStore,
  options: Options,
  io: Io,
): Promise<LockfileReport> {
  const definitions = await readDefinitions(store.path, Object.keys(lockfile.servers))
  return verifyLockfile({ lockfile, roots: await collectRoots(options, io), definitions, nowSec: BigInt(io.nowSec()) })
}

interface Checking {
  readonly lockfile: Lockfile
  readonly store: LockfileStore
  readonly offline: LockfileReport
  readonly names: readonly string[]
  readonly line: CommandLine
  readonly io: Io
  /** By origin; each is opened once. */
  readonly logs: Map<string, OpenLog>
}

async function checkAll(checking: Checking): Promise<readonly ServerVerdict[]> {
  const { lockfile, store, offline, names, line, io, logs } = checking
  const servers: ServerVerdict[] = []
  const gate = line.options.flag("log-only")
    ? null
    : await openGate({ lockfilePath: store.path, options: line.options, io })
  for (const name of names) {
    const { pin } = requirePin(lockfile, name)
    const verdict = offline.servers.find((server) => server.name === name)
    if (verdict === undefined) continue
    const log = logs.get(pin.log) ?? (await openLog(pin.log, checking))
    logs.set(pin.log, log)
    const work = checkPin({
      name,
      pin,
      offline: verdict,
      log: log.state,
      needsLog: gate === null,
      exhaustive: line.options.flag("exhaustive"),
      readLive: gate && (async () => readLive(name, pin, gate, checking)),
      approved: () => loadPinned({ store, name, pin, log: log.source }),
    })
    const checked = await showProgress(io, `checking ${name}`, work)
    servers.push(checked.reason === "unapproved" ? await showUnapproved(checked, { store, name, pin, log }) : checked)
    if (io.signal.aborted) throw new ToolsumError("READING_INCOMPLETE", "interrupted")
  }
  return servers
}

/** The verdict on a pin that waits for approval, with what differs from what was approved. */
async function showUnapproved(
  verdict: ServerVerdict,
  { log, ...p }: Omit<PinTexts, "log"> & { log: OpenLog },
): Promise<ServerVerdict> {
  const records = async () => (log.state instanceof ToolsumError ? null : log.state)
  const committed = async () => (await import("../committed.js")).readCommitted(p.store.path, p.name)
  const changes = await diffUnapproved({ ...p, log: log.source, records, committed })
  if (changes !== null) return { ...verdict, changes }
  return { ...verdict, detail: `${verdict.detail}; the approved texts are not at hand` }
}

interface OpenLog {
  readonly state: LogState | null
  readonly source: LogSource | null
  /** What shows that the log lies. */
  readonly refuted: ToolsumError | null
}

async function openLog(origin: string, { lockfile, line, io }: Checking): Promise<OpenLog> {
  const { options } = line
  let source: LogSource | null = null
  try {
    source = await findLogSource(origin, lockfile, options, io)
    if (source === null) return { state: null, source: null, refuted: null }
    return { state: await openLogForReading({ source, origin, lockfile, options, io }), source, refuted: null }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    const refuted = error.kind === "rejected" ? error : null
    return { state: await withoutLog(withoutPath(error), source), source: null, refuted }
  }
}

/** A place without a checkpoint has no log at all: it is as good as unreachable. Where one is, missing files are another matter. */
async function withoutLog(error: ToolsumError, source: LogSource | null): Promise<ToolsumError> {
  if (error.code !== "RESOURCE_MISSING" || source === null) return error
  try {
    if ((await source.read("checkpoint", MAX_NOTE_BYTES)) !== null) return error
  } catch (again) {
    if (again instanceof ToolsumError) return again
    throw again
  }
  return new ToolsumError("LOG_UNAVAILABLE", error.message, { cause: error })
}

/** An error whose evidence was kept, as it was before: where that is, is said once, not for each pin. */
const withoutPath = (error: ToolsumError): ToolsumError =>
  error.evidence && error.cause instanceof ToolsumError ? error.cause : error

async function readLive(name: string, pin: Pin, gate: Gate, { store, line, io }: Checking): Promise<ServerReading> {
  if (!(await gate.mayStart(name, pin.target))) throw notAccepted(pin.target)
  const observed = observationOf(pin)
  const source = await openServer({
    target: pin.target,
    placeholders: placeholdersOf(observed.profile),
    lockfilePath: store.path,
    options: line.options,
    io,
  })
  return source.read({ sections: sectionsOf(observed.lines), limits: DEFAULT_READ_LIMITS, signal: io.signal })
}

const findRefuted = (logs: ReadonlyMap<string, OpenLog>): readonly RefutedLog[] =>
  [...logs].flatMap(([origin, { refuted }]) => (refuted ? [{ origin, error: refuted }] : []))

interface Checked {
  readonly servers: readonly ServerVerdict[]
  readonly offline: LockfileReport
  readonly refuted: readonly RefutedLog[]
}

async function report({ servers, offline, refuted }: Checked, options: Options, io: Io): Promise<ExitCode> {
  const exitCode = exitCodeOfVerdicts(servers.map((server) => server.verdict))
  if (options.flag("json")) {
    printDocument(io, {
      command: "check",
      exitCode,
      roots: offline.roots.map((root) => ({ ...root })),
      ...reportMembers(servers),
      ...(refuted.length > 0 ? { refutedLogs: refuted.map(refutedMember) } : {}),
    })
    return exitCode
  }
  if (options.flag("quiet") && exitCode === 0) return 0
  const paint = await loadPaint(io.colour)
  const below = (server: ServerVerdict): readonly string[] => [
    ...renderDiff({ changes: server.changes, unchanged: {} }, { paint }),
    ...nextSteps(server),
  ]
  io.stdout(renderServers(servers, { paint, explain: options.flag("explain"), below }))
  for (const log of refuted) io.stdout(renderRefuted(log))
  for (const { name, warnings } of servers)
    for (const one of warnings) io.stderr(`warning: ${name}: ${describeWarning(one)}\n`)
  return exitCode
}

function nextSteps(server: ServerVerdict): readonly string[] {
  if (server.verdict === "CHANGED" && server.reason === "surface") return [`take it in: toolsum update ${server.name}`]
  if (server.reason === "unapproved" && server.pin !== null)
    return [`toolsum approve ${server.name} --to ${server.pin} --reason "…"`]
  return server.reason === "target_not_accepted"
    ? ["start servers of a lockfile that you trust with: toolsum check --accept-targets"]
    : []
}
