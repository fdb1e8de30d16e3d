// `check` of pins whose records a LEGION log signed, in LEGION's lockfile or in ours: history rewritten, fork, rollback, then the lists, of pin,
// log and live server (DESIGN 9). The pins were judged offline before. Nothing is written here.
import { type LegionClient, noRecord, type ServedBundle } from "../client/legion-log.js"
import { attempt, ToolsumError } from "../core/errors.js"
import type { ProvenDefinitions } from "../core/legion/archive.js"
import { checkLatest, compareLists, type ListComparison, listNeeds, type ProvenRecord } from "../core/legion/check.js"
import { coverageOfLegion } from "../core/legion/judge-log.js"
import { type LegionKeyring, verifyLegionKeyring } from "../core/legion/keyring.js"
import type { ServerVerdict } from "../core/verdict.js"
import type { ServerReading } from "../ports.js"
import { type Conclusion, concludeCheck, type LiveFact } from "./check-verdict.js"
import { runInLanes, SERVERS_AT_ONCE } from "./lanes.js"
import { changesOfLists } from "./legion-changes.js"
import { findBackdating } from "./legion-freshness.js"
import { compareLegionLive, type LegionLiveComparison, type LegionLiveList, liveListOf } from "./legion-live.js"
import { isNewest } from "./legion-newest.js"
import { answerLive, type LiveAnswer } from "./live-answer.js"
import { answerLog, describeSigned, type LogAnswer } from "./log-answer.js"

/** A LEGION log: open, or why it is not. */
export type LegionState = LegionClient | ToolsumError

/** One pin to check. */
export interface LegionPinToCheck {
  /** What the lockfile proves by itself. */
  readonly offline: ServerVerdict
  /** Proves its evidence under the keyring that the log serves now. Throws as `verifyBundle`. */
  readonly prove: (keyring: LegionKeyring) => ProvenRecord
  /** Reads the server; null when it is not asked. */
  readonly readLive: (() => Promise<ServerReading>) | null
}

/** What a check of several pins of one log needs. */
export interface LegionCheckInput {
  readonly pins: readonly LegionPinToCheck[]
  /** The keyring that the lockfile has: the served one must extend it. */
  readonly storedKeyring: string | null
  readonly log: LegionState
  /** True when observations that no signed head covers yet leave the answer unknown (`--strict`). */
  readonly strict: boolean
  /** True to read every entry of the log after the served record (`--exhaustive`). */
  readonly exhaustive?: boolean
  /** True when an unreachable log leaves the answer unknown: where no server is asked. */
  readonly needsLog: boolean
  /** POSIX seconds. */
  readonly nowSec: number
}

/** The answers, in the order of the pins; and what shows that the log lies, which leaves none. */
export interface LegionChecked {
  readonly servers: readonly ServerVerdict[]
  readonly refuted: ToolsumError | null
}

/** Check pins of one log. Errors of the log or of a server become verdicts; only faults of ours are thrown. */
export async function checkLegionPins(input: LegionCheckInput): Promise<LegionChecked> {
  const { pins } = input
  const log = prepareLog(input)
  const laneOf = ({ offline }: LegionPinToCheck) => offline.name
  const checked = await runInLanes(pins, { atOnce: SERVERS_AT_ONCE, laneOf }, (pin) => checkOne(pin, log, input))
  const refuted = checked.find(({ refuted }) => refuted !== null && isAboutLog(refuted))?.refuted ?? null
  const rejected = refuted && { verdict: "REJECTED" as const, reason: refuted.code, detail: refuted.message }
  const servers = checked.map(({ server }) => (rejected ? { ...server, ...rejected, changes: [] } : server))
  return { servers, refuted }
}

/** What speaks against the log as a whole, and not against one record that it serves. */
const isAboutLog = ({ code }: ToolsumError): boolean =>
  /^(?:LOG|KEYRING|ROOT)_/.test(code) || code === "CONSISTENCY_INVALID" || code === "KEY_LOW_ORDER"

/** Hold the log to what the lockfile has of it, before anything that it says counts. */
function prepareLog({ log, pins, storedKeyring }: LegionCheckInput): LegionState {
  if (log instanceof ToolsumError) return log
  const fault = attempt(() => {
    // A keyring that the lockfile does not have, or not in order, makes its pins unproven; see their offline verdicts.
    const stored = storedKeyring === null ? null : attempt(() => verifyLegionKeyring({ text: storedKeyring }))
    if (stored !== null && !(stored instanceof ToolsumError)) log.expectKeyring(stored)
    for (const { prove } of pins) {
      const pinned = attempt(() => prove(log.keyring))
      if (!(pinned instanceof ToolsumError)) log.expect(pinned.head)
    }
  })
  return fault instanceof ToolsumError ? fault : log
}

/** What the log has beside one pin. */
interface LogFindings {
  readonly served: ServedBundle
  readonly lists: ListComparison
  /** What its archive has of the pinned list and of the served one, where they differ. */
  readonly definitions: { readonly pinned: ProvenDefinitions | null; readonly served: ProvenDefinitions | null }
  /** Why the time of the served head cannot be true. */
  readonly backdated: string | null
  /** Whether every later entry of the log was read; null: that was not asked. */
  readonly isNewest: boolean | null
}

interface CheckedOne {
  readonly server: ServerVerdict
  readonly refuted: ToolsumError | null
}

/** A pin whose evidence was proven, and what became of asking about it. */
interface Asked {
  readonly pin: LegionPinToCheck
  readonly pinned: ProvenRecord
  readonly log: Exclude<LogAnswer<LogFindings>, { kind: "refuted" }>
  readonly live: LiveAnswer<LegionLiveFindings> | null
}

async function checkOne(pin: LegionPinToCheck, state: LegionState, input: LegionCheckInput): Promise<CheckedOne> {
  const { offline } = pin
  if (offline.verdict === "REJECTED" || offline.record === null) return { server: offline, refuted: null }
  const pinned = attempt(() => pin.prove(keyringOf(state, input)))
  if (pinned instanceof ToolsumError) return { server: failedPin(offline, pinned), refuted: null }
  const log = await answerLog(state, (client) => lookIntoLog(client, pinned, input))
  if (log.kind === "refuted") return refute(offline, log.error)
  const live = pin.readLive && (await lookAtServer(pin.readLive, { pinned, log, state }))
  if (live?.kind === "read" && live.value.refuted) return refute(offline, live.value.refuted)
  return { server: judge({ pin, pinned, log, live }, input), refuted: null }
}

const refute = (offline: ServerVerdict, error: ToolsumError): CheckedOne => ({
  server: { ...offline, verdict: "REJECTED", reason: error.code, detail: error.message },
  refuted: error,
})

/** What was proven offline may be signed by a key that was revoked since. */
function failedPin(offline: ServerVerdict, { kind, code, message }: ToolsumError): ServerVerdict {
  return kind === "rejected"
    ? { ...offline, verdict: "REJECTED", reason: code, detail: message }
    : { ...offline, verdict: "UNKNOWN", reason: "malformed", detail: message }
}

/** The keyring that the log serves, or else the lockfile's. Throws as `verifyLegionKeyring`. */
const keyringOf = (state: LegionState, { storedKeyring }: LegionCheckInput): LegionKeyring =>
  state instanceof ToolsumError ? verifyLegionKeyring({ text: storedKeyring ?? "" }) : state.keyring

async function lookIntoLog(
  log: LegionClient,
  pinned: ProvenRecord,
  { exhaustive = false }: LegionCheckInput,
): Promise<LogFindings> {
  const { serverId } = pinned.record
  const served = await log.latest(serverId)
  if (served === null) throw noRecord(log.origin, serverId)
  const proof = await log.growth(pinned.head.size, served.head.size)
  checkLatest({ pinned, latest: served.bundle, keyring: log.keyring, proof })
  const scanned = exhaustive ? await isNewest(log, served) : null
  const { archives } = listNeeds(pinned, served.bundle)
  const fetchOf = async ({ record: { fingerprint } }: ProvenRecord) =>
    archives.includes(fingerprint.sha256) ? log.definitions(fingerprint) : null
  const definitions = { pinned: await fetchOf(pinned), served: await fetchOf(served) }
  const [before, after] = [pinned.record.fingerprint, served.record.fingerprint]
  const lists = compareLists({ pinned: before, served: after, definitions: bothOf(definitions) })
  return { served, lists, definitions, backdated: findBackdating(served, pinned.head), isNewest: scanned }
}

const bothOf = ({ pinned, served }: LogFindings["definitions"]) => pinned && served && { pinned, served }

/** What the server said beside the pin. `refuted`: its log's archive has another list under the pinned fingerprint. */
interface LegionLiveFindings extends LegionLiveComparison {
  readonly live: LegionLiveList
  readonly refuted: ToolsumError | null
}

function lookAtServer(
  read: () => Promise<ServerReading>,
  { pinned, log, state }: { pinned: ProvenRecord; log: Asked["log"]; state: LegionState },
): Promise<LiveAnswer<LegionLiveFindings>> {
  return answerLive(async () => {
    const live = liveListOf(await read())
    const signed = pinned.record.fingerprint
    const known = log.kind === "read" ? log.value.definitions.pinned : null
    const found = compareLegionLive(live, { signed, definitions: known })
    if (found.is !== "other" || known !== null) return { ...found, live, refuted: null }
    const archived = await answerLog(state, (client) => client.definitions(signed))
    if (archived.kind === "refuted") return { ...found, live, refuted: archived.error }
    const definitions = archived.kind === "read" ? archived.value : null
    return { ...compareLegionLive(live, { signed, definitions }), live, refuted: null }
  })
}

function judge(asked: Asked, input: LegionCheckInput): ServerVerdict {
  const { pin, pinned, log, live } = asked
  const { offline } = pin
  const [found, read] = [log.kind === "read" ? log.value : null, live?.kind === "read" ? live.value : null]
  const { origin } = offline.head ?? { origin: "" }
  const { head, record } = coverageOfLegion(found?.served ?? pinned, { origin, nowSec: BigInt(input.nowSec) })
  return {
    ...offline,
    ...conclude(asked, input),
    ...{ head, record },
    compared: ["lock", ...(found ? ["log" as const] : []), ...(read ? ["live" as const] : [])],
    newest: found && (found.isNewest ? "scanned" : "hint"),
    ...(found?.isNewest
      ? { searched: { from: found.served.record.leafIndex + 1n, size: found.served.head.size } }
      : {}),
    changes: read?.is === "other" ? read.changes : found ? changesOfLists(found.lists, textsOf(found)) : [],
    warnings: [...offline.warnings, ...warningsOf(found, input)],
  }
}

function textsOf({ lists, definitions }: LogFindings) {
  const { pinned, served } = definitions
  return lists.status === "drift" && pinned && served ? { before: pinned, after: served } : null
}

function warningsOf(found: LogFindings | null, { log }: LegionCheckInput): readonly string[] {
  const uncovered = found?.served.bundle.newerUncovered ?? 0n
  return [
    ...(log instanceof ToolsumError ? [] : log.warnings),
    ...(uncovered > 0n ? [`newer_uncovered:${uncovered}`] : []),
    ...(found?.backdated ? [`head_backdated:${found.backdated}`] : []),
    ...(found?.lists.note === "respelled" ? ["respelled"] : []),
    ...(found?.isNewest === false ? ["records_unread"] : []),
  ]
}

function conclude(asked: Asked, input: LegionCheckInput): Conclusion {
  const { pin, log, live } = asked
  const { offline } = pin
  const found = log.kind === "read" ? log.value : null
  const said = live === null || live.kind === "read" ? { reason: "", detail: "" } : live
  const facts = {
    offline: offline.verdict === "CHANGED" || offline.verdict === "UNKNOWN" ? offline.verdict : ("PROVEN" as const),
    log: log.kind !== "read" ? log.kind : log.value.lists.status === "match" ? ("pinned" as const) : ("newer" as const),
    live: liveFact(asked),
    needsLog: input.needsLog,
  }
  const conclusion = concludeCheck(facts, {
    newest: found ? describeSigned(found.served.record.leafIndex, found.served.record.observedSec) : "",
    isShared: true,
    otherVersion: "",
    offline,
    log: log.kind === "read" ? { reason: "log_unreachable", detail: "" } : { ...unknownOf(log), detail: log.detail },
    live: said,
    partial: "tools could not be read to the end",
    unchanged: found ? null : `log not reachable from here; proven at head ${offline.head?.size ?? "?"}`,
  })
  return conclusion.verdict === "UNCHANGED" ? (doubt(found, input) ?? conclusion) : conclusion
}

const unknownOf = (log: Exclude<Asked["log"], { kind: "read" }>) =>
  log.kind === "unreachable" ? { reason: "log_unreachable" as const } : { reason: log.reason }

/** What keeps an unchanged list from being the newest one. */
function doubt(found: LogFindings | null, { strict }: LegionCheckInput): Conclusion | null {
  const behind = (detail: string): Conclusion => ({ verdict: "UNKNOWN", reason: "log_behind", detail })
  const uncovered = found?.served.bundle.newerUncovered ?? 0n
  if (found?.backdated) return behind(found.backdated)
  return strict && uncovered > 0n
    ? behind(`the log has ${uncovered} newer observations that no signed head covers yet`)
    : null
}

function liveFact({ live, log }: Asked): LiveFact {
  if (live === null) return "none"
  if (live.kind !== "read") return live.kind
  const { is, live: list } = live.value
  if (is !== "other") return is === "same" ? "pinned" : "partial"
  if (log.kind !== "read" || log.value.lists.status === "match") return "other"
  const { served, definitions } = log.value
  const signed = served.record.fingerprint
  return compareLegionLive(list, { signed, definitions: definitions.served }).is === "same" ? "newest" : "other"
}
