// `toolsum check`: every pin against the log and the live server, and a word diff of what changed.
import { quote, ToolsumError } from "../../core/errors.js"
import type { Lockfile, Pin } from "../../core/lockfile.js"
import { MAX_NOTE_BYTES } from "../../core/note.js"
import { sectionsOf } from "../../core/section.js"
import { exitCodeOfVerdicts, type ServerVerdict } from "../../core/verdict.js"
import type { LockfileReport } from "../../core/verify-lockfile.js"
import { diffUnapproved, loadPinned, type PinTexts } from "../../features/approved-surface.js"
import { checkPin, type LogState } from "../../features/check.js"
import { listGivenValues, redactChanges } from "../../features/echoed-values.js"
import { placeholdersOf } from "../../features/observe.js"
import { findPin, observationOf, requirePin } from "../../features/pins.js"
import type { LockfileStore, LogSource, ServerReading } from "../../ports.js"
import type { CommandSpec } from "../commands.js"
import type { Io } from "../io.js"
import {
  approveStep,
  findParts,
  type LockfilePart,
  type ProjectReport,
  pinCommand,
  projectMembers,
  reportOn,
  showFaults,
} from "../lockfile-reports.js"
import { findLogSource, LOG_OPTIONS, openLogForReading } from "../logs.js"
import type { CommandLine, Options } from "../options.js"
import { loadPaint } from "../paint.js"
import { showProgress } from "../progress.js"
import { findProjectLockfiles, LOCKFILES_OPTIONS, ROOT_OPTIONS } from "../project.js"
import { proveOffline } from "../prove-offline.js"
import { renderServers } from "../render.js"
import { renderDiff } from "../render-diff.js"
import { printDocument } from "../report-json.js"
import { CONSENT_OPTIONS, type Gate, notAccepted, openGate, openServer } from "../servers.js"
import { showWord } from "../shell-words.js"
import { READ_OPTIONS, readLimits } from "../typed-target.js"
import { describeWarning } from "../warnings.js"

export const checkCommand: CommandSpec = {
  usage: "check [name…]",
  words: [0, 1000],
  options: [
    ...READ_OPTIONS,
    ["--log-only", "Compare with the log only, start no server"],
    ["--exhaustive", "Look at every entry since the pin instead of believing the log's index"],
    ["--explain", "Show heads, leaves and roots"],
    ...CONSENT_OPTIONS,
    ...LOG_OPTIONS,
    ...LOCKFILES_OPTIONS,
    ...ROOT_OPTIONS,
  ],
  examples: ["toolsum check", "toolsum check memory --json", "toolsum check --log-only"],
  run: async (line, io) => {
    const { options, words } = line
    const stores = findProjectLockfiles(options, io)
    if (stores.length > 1) await requireNames(stores, words)
    const report = await reportOn(stores, io, (store) => checkLockfile(store, line, io))
    if (io.signal.aborted) throw interrupted()
    await showReport(report, options, io)
    return report.exitCode
  },
}

const interrupted = () => new ToolsumError("READING_INCOMPLETE", "interrupted")

/** Each name must be one of a pin in at least one lockfile. Throws NOT_PINNED. */
async function requireNames(stores: readonly LockfileStore[], names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const lockfiles = await Promise.allSettled(stores.map(({ read }) => read())) // what cannot be read is reported later
  for (const name of names)
    if (!lockfiles.some((read) => read.status === "fulfilled" && findPin(read.value, name)))
      throw new ToolsumError("NOT_PINNED", `no pin is called ${quote(name)} in any of these lockfiles`)
}

/** Check the pins that are named, or all, of one lockfile. Of several lockfiles, not each has every name. */
async function checkLockfile(store: LockfileStore, { words, options }: CommandLine, io: Io): Promise<LockfileReport> {
  const isOnly = options.values("lock").length < 2
  const own = isOnly
    ? options
    : { ...options, value: (name: string) => (name === "lock" ? store.path : options.value(name)) }
  const { lockfile, offline } = await proveOffline(store, own, io)
  if (isOnly) for (const name of words) requirePin(lockfile, name)
  const named = [...new Set(words)].filter((name) => findPin(lockfile, name))
  const names = words.length > 0 ? named : Object.keys(lockfile.servers)
  const logs = new Map<string, OpenLog>()
  const servers = await checkAll({ lockfile, store, offline, names, options: own, io, logs })
  const refuted = [...offline.refuted, ...findRefuted(logs, offline)]
  // A lockfile with a log that is refuted is no good, whichever pins were asked for.
  const exitCode = refuted.length > 0 ? 3 : exitCodeOfVerdicts(servers.map((server) => server.verdict))
  return { servers, roots: offline.roots, refuted, warnings: [], exitCode }
}

interface Checking {
  readonly lockfile: Lockfile
  readonly store: LockfileStore
  readonly offline: LockfileReport
  readonly names: readonly string[]
  readonly options: Options
  readonly io: Io
  /** By origin; each is opened once. */
  readonly logs: Map<string, OpenLog>
}

async function checkAll(checking: Checking): Promise<readonly ServerVerdict[]> {
  const { lockfile, store, offline, names, options, io, logs } = checking
  const servers: ServerVerdict[] = []
  const gate = options.flag("log-only") ? null : await openGate({ lockfilePath: store.path, options, io })
  for (const name of names) {
    const { pin } = requirePin(lockfile, name)
    const verdict = offline.servers.find((server) => server.name === name)
    if (verdict === undefined) continue
    if (io.signal.aborted) throw interrupted()
    const log = logs.get(pin.log) ?? (await openLog(pin.log, checking))
    logs.set(pin.log, log)
    const work = checkPin({
      name,
      pin,
      offline: verdict,
      log: log.state,
      needsLog: gate === null,
      exhaustive: options.flag("exhaustive"),
      readLive: gate && (async () => readLive(name, pin, gate, checking)),
      approved: () => loadPinned({ store, name, pin, log: log.source }),
    })
    const checked = await showProgress(io, `checking ${name}`, work)
    const isWaiting = checked.reason === "unapproved"
    servers.push(isWaiting ? await showUnapproved(checked, { store, name, pin, log }) : hideGiven(checked, pin, io))
    if (io.signal.aborted) throw interrupted()
  }
  return servers
}

/** A server may repeat the values that it was given: a report of its list has their names. */
function hideGiven(verdict: ServerVerdict, pin: Pin, { env: environment }: Io): ServerVerdict {
  if (verdict.changes.length === 0) return verdict
  const placeholders = placeholdersOf(observationOf(pin).profile)
  const given = listGivenValues({ target: pin.target, placeholders, environment })
  return { ...verdict, changes: redactChanges(verdict.changes, given) }
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

async function openLog(origin: string, { lockfile, options, io }: Checking): Promise<OpenLog> {
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

async function readLive(name: string, pin: Pin, gate: Gate, { store, options, io }: Checking): Promise<ServerReading> {
  if (!(await gate.mayStart(name, pin.target))) throw notAccepted(pin.target)
  const observed = observationOf(pin)
  const source = await openServer({
    target: pin.target,
    placeholders: placeholdersOf(observed.profile),
    reach: await gate.reachOf(pin.target),
    lockfilePath: store.path,
    options,
    io,
  })
  return source.read({ sections: sectionsOf(observed.lines), limits: readLimits(options), signal: io.signal })
}

/** Logs that are caught lying only now. */
const findRefuted = (logs: ReadonlyMap<string, OpenLog>, offline: LockfileReport): LockfileReport["refuted"] =>
  [...logs].flatMap(([origin, { refuted }]) =>
    refuted === null || offline.refuted.some((log) => log.origin === origin) ? [] : [{ origin, error: refuted }],
  )

async function showReport(report: ProjectReport, options: Options, io: Io): Promise<void> {
  const { exitCode, servers } = report
  const json = options.flag("json")
  if (json) printDocument(io, { command: "check", exitCode, ...projectMembers(report) })
  else if (servers.length > 0 && (!options.flag("quiet") || exitCode !== 0)) {
    const paint = await loadPaint(io.colour)
    const partOf = findParts(report)
    const below = (server: ServerVerdict): readonly string[] => [
      ...renderDiff({ changes: server.changes, unchanged: {} }, { paint }),
      ...nextSteps(server, partOf(server)),
    ]
    io.stdout(renderServers(servers, { paint, explain: options.flag("explain"), below }))
    for (const { name, warnings } of servers)
      for (const one of warnings) io.stderr(`warning: ${showWord(name)}: ${describeWarning(one)}\n`)
  }
  showFaults(report, json, io)
}

function nextSteps(server: ServerVerdict, part: LockfilePart | null): readonly string[] {
  if (part === null) return []
  if (server.verdict === "CHANGED" && server.reason === "surface") {
    const line = pinCommand(server, part, "update")
    return line ? [`take it in: ${line}`] : []
  }
  if (server.reason === "unapproved") return approveStep(server, part)
  return server.reason === "target_not_accepted"
    ? ["start servers of a lockfile that you trust with: toolsum check --accept-targets"]
    : []
}
