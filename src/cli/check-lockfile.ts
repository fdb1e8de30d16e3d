// What `check` does to one lockfile: opens its logs, asks whom it must before anything starts, reads the servers side by side, and answers
// for every pin in the order of the lockfile. One bad server or log never hides another.
import type { AddressRule } from "../adapters/network-address.js"
import { readProjectSettings } from "../adapters/settings-fs.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { Pin } from "../core/lockfile.js"
import { requireTarget } from "../core/lockfile-pin.js"
import { exitCodeOfReport, type LockfileReport } from "../core/lockfile-report.js"
import type { Settings } from "../core/settings.js"
import type { ServerVerdict } from "../core/verdict.js"
import { compareUnapproved, loadPinned, type PinTexts } from "../features/approved-surface.js"
import { checkPin, isCheckable } from "../features/check.js"
import { applyAllow, failOnFrom, liveRefusal, refusalOfLog } from "../features/check-settings.js"
import { listGivenValues } from "../features/echoed-values.js"
import { applyGate, type ReviewedServer } from "../features/gate.js"
import { runInLanes, SERVERS_AT_ONCE } from "../features/lanes.js"
import { findPin, observationOf, requirePin } from "../features/pins.js"
import { placeholdersOf } from "../features/profile.js"
import { type Compared, type ReviewContext, reviewChanges, reviewCompared } from "../features/review.js"
import { packageOf } from "../features/targets.js"
import type { LockfileStore, ServerReading } from "../ports.js"
import type { OtherServer } from "../surface/options.js"
import { createNeighbours, overridesToday } from "./analysis-context.js"
import { admit, type Checking, interrupted } from "./checking.js"
import { readFailOn } from "./fail-on.js"
import type { Io } from "./io.js"
import { findLogSource } from "./logs.js"
import { type OpenedLog, tryToOpenLog } from "./open-log.js"
import type { CommandLine } from "./options.js"
import { type Progress, startProgress } from "./progress.js"
import { proveOffline } from "./prove-offline.js"
import { readPinned } from "./read-pinned.js"
import { type Gate, openGate } from "./servers.js"

/** Check the pins that are named, or all, of one lockfile; of several lockfiles, not each has every name. Throws NOT_PINNED for a name that
 *  the only lockfile does not have, READING_INCOMPLETE when interrupted, and as `proveOffline`. */
export async function checkLockfile(
  store: LockfileStore,
  { words, options }: CommandLine,
  io: Io,
): Promise<LockfileReport<ReviewedServer>> {
  const gate = readFailOn(options)
  const { lockfile, offline, base } = await proveOffline(store, options, io)
  const settings = base?.settings ?? readProjectSettings(store.path).settings
  if (options.values("lock").length < 2) for (const name of words) requirePin(lockfile, name)
  const typed = [...new Set(words)].flatMap((word) => offline.servers.filter(({ name }) => name === word))
  const named = words.length === 0 ? offline.servers : typed
  const neighboursOf = createNeighbours(store, lockfile)
  const checking = { lockfile, store, options, io, settings, neighboursOf }
  const isLegion = ({ name }: ServerVerdict) => requirePin(lockfile, name).pin.evidence !== undefined
  const own = named.filter((server) => !isLegion(server))
  const logs = await openLogs(own, checking)
  const theirs = named.filter(isLegion)
  const consent = options.flag("log-only") ? null : await openGate({ lockfilePath: store.path, options, io })
  const pins = await admitAll(own, logs, consent, checking)
  const legion = theirs.length === 0 ? null : await checkTheirs(theirs, consent, { ...checking, offline })
  const answers = [...(await checkAll(pins, checking)), ...(legion?.servers ?? [])]
  const answered = named.flatMap(({ name }) => answers.filter((answer) => answer.name === name))
  const servers = answered.map((server) => {
    const gated = applyGate(server, gate ?? failOnFrom(settings, server.name))
    return applyAllow(gated, settings, requirePin(lockfile, server.name).pin)
  })
  const refuted = [...offline.refuted, ...findRefuted(logs, offline), ...(legion?.refuted ?? [])]
  // A lockfile with a log that is refuted is no good, whichever pins were asked for.
  const ofBase = offline.base === undefined ? {} : { base: offline.base }
  const report = { servers, roots: offline.roots, refuted, warnings: [], ...ofBase }
  return { ...report, exitCode: exitCodeOfReport(report) }
}

/** Pins whose records a LEGION log signed: its part loads only where there are some. */
const checkTheirs = async (
  servers: readonly ServerVerdict[],
  gate: Gate | null,
  checking: Checking & { offline: LockfileReport },
) => (await import("./check-legion.js")).checkLegionPinsOf(servers, gate, checking)

/** The same with the settings that count. */
type SettledChecking = Checking & {
  readonly settings: Settings
  /** The other pins beside one of them; their texts are read once, when something changed. */
  readonly neighboursOf: (name: string) => Promise<readonly OtherServer[]>
}

type OpenLogs = ReadonlyMap<string, OpenedLog>

/** The logs of these pins by origin, each opened once. */
async function openLogs(servers: readonly ServerVerdict[], checking: SettledChecking): Promise<OpenLogs> {
  const { lockfile, options, io, settings } = checking
  const asked = servers.flatMap(({ name, subject }) => {
    const { log: origin } = requirePin(lockfile, name).pin
    return refusalOfLog(settings, { origin, subject }) === null ? [origin] : []
  })
  const origins = new Set(asked)
  const opened = [...origins].map(async (origin) => {
    const find = () => findLogSource(origin, lockfile, options, io)
    return [origin, await tryToOpenLog(origin, find, { lockfile, options, io })] as const
  })
  return new Map(await Promise.all(opened))
}

/** One pin on its way to a verdict. */
interface Checked {
  readonly name: string
  readonly pin: Pin
  readonly offline: ServerVerdict
  readonly log: OpenedLog
  /** Reads its server; null when that is not asked. */
  readonly readLive: (() => Promise<ServerReading>) | null
}

async function checkAll(pins: readonly Checked[], checking: SettledChecking): Promise<readonly ReviewedServer[]> {
  const { io } = checking
  const progress = startProgress(io, "checking", pins.length)
  try {
    const laneOf = ({ name, pin }: Checked) => (pin.target && packageOf(pin.target)) ?? `pin ${name}`
    return await runInLanes(pins, { atOnce: SERVERS_AT_ONCE, laneOf }, (pin) => checkOne(pin, progress, checking))
  } finally {
    progress.end()
  }
}

/** Find out what may be started, one question at a time, before anything is. */
async function admitAll(
  servers: readonly ServerVerdict[],
  logs: OpenLogs,
  gate: Gate | null,
  checking: SettledChecking,
): Promise<readonly Checked[]> {
  const pins: Checked[] = []
  for (const server of servers) {
    const { name } = server
    const { pin } = requirePin(checking.lockfile, name)
    const log = logFor(server, logs, pin, checking)
    const refusal = isCheckable(server) ? liveRefusal(checking.settings, name, pin, checking.io.env) : null
    const offline = refusal === null ? server : { ...server, warnings: [...server.warnings, refusal] }
    const isAsked = gate !== null && isCheckable(server) && log.refuted === null && refusal === null
    const read = (reach: AddressRule) => readPinned(pin, reach, checking)
    pins.push({ name, pin, offline, log, readLive: isAsked ? await admit({ name, pin, gate, read }) : null })
    if (checking.io.signal.aborted) throw interrupted()
  }
  return pins
}

/** The log of a pin: open, or why it is not. The settings may keep this pin from a log that others are looked up in. */
function logFor({ subject }: ServerVerdict, logs: OpenLogs, pin: Pin, { settings }: SettledChecking): OpenedLog {
  const refusal = refusalOfLog(settings, { origin: pin.log, subject })
  const closed = { state: refusal === "unnamed" ? null : refusal, source: null, refuted: null }
  return refusal === null ? (logs.get(pin.log) ?? closed) : closed
}

async function checkOne(
  checked: Checked,
  progress: Progress,
  { store, options, io, settings, neighboursOf }: SettledChecking,
): Promise<ReviewedServer> {
  const { name, pin, log } = checked
  if (io.signal.aborted) throw interrupted()
  progress.begin(name)
  const { difference, ...verdict } = await checkPin({
    ...checked,
    log: log.state,
    needsLog: options.flag("log-only"),
    exhaustive: options.flag("exhaustive"),
    approved: () => loadPinned({ store, name, pin, log: log.source }),
  })
  const context = async (): Promise<ReviewContext> => ({
    given: givenTo(pin, io),
    others: await neighboursOf(name),
    ...overridesToday(settings, name, io),
  })
  const isWaiting = verdict.reason === "unapproved"
  const shown = isWaiting
    ? await reviewUnapproved(verdict, { store, name, pin, log, io }, context)
    : await reviewLive(verdict, difference, context)
  progress.finish(name)
  if (io.signal.aborted) throw interrupted()
  return shown
}

type ContextOf = () => Promise<ReviewContext>

/** A server may repeat the values that it was given: a report of its list has their names. */
const givenTo = (pin: Pin, { env: environment }: Io) =>
  listGivenValues({
    target: requireTarget(pin),
    placeholders: placeholdersOf(observationOf(pin).profile),
    environment,
  })

/** The verdict with what its changes mean. */
async function reviewLive(
  verdict: ServerVerdict,
  difference: Compared | null,
  context: ContextOf,
): Promise<ReviewedServer> {
  if (verdict.changes.length === 0) return verdict
  return { ...verdict, ...(await reviewChanges(verdict.changes, difference, await context())) }
}

/** The verdict on a pin that waits for approval, with what differs from what was approved. */
async function reviewUnapproved(
  verdict: ServerVerdict,
  { log, io, ...p }: Omit<PinTexts, "log"> & { log: OpenedLog; io: Io },
  context: ContextOf,
): Promise<ReviewedServer> {
  const records = async () => (log.state instanceof ToolsumError ? null : log.state)
  const committed = async () => (await import("./committed.js")).readCommitted(p.store.path, p.name, io)
  const difference = await compareUnapproved({ ...p, log: log.source, records, committed })
  if (difference !== null) {
    const { changes, analysis, tokens } = await reviewCompared(difference, await context())
    return { ...verdict, changes, analysis, tokens }
  }
  return { ...verdict, detail: `${verdict.detail}; the approved texts are not at hand` }
}

/** Logs that are caught lying only now. */
const findRefuted = (logs: OpenLogs, offline: LockfileReport): LockfileReport["refuted"] =>
  [...logs].flatMap(([origin, { refuted }]) =>
    refuted === null || offline.refuted.some((log) => log.origin === origin) ? [] : [{ origin, error: refuted }],
  )

/** Refuse a name that no lockfile has. Throws NOT_PINNED. */
export async function requireNames(stores: readonly LockfileStore[], names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const lockfiles = await Promise.allSettled(stores.map(({ read }) => read())) // what cannot be read is reported later
  const isKnown = (name: string) =>
    lockfiles.some((read) => read.status === "fulfilled" && findPin(read.value, name) !== null)
  const unknown = names.find((name) => !isKnown(name))
  if (unknown !== undefined)
    throw new ToolsumError("NOT_PINNED", `no pin is called ${quote(unknown)} in any of these lockfiles`)
}
