// `check`: pin, log and live server, three ways, ending in a sentence (DESIGN 9). The pin was judged offline before; here the newest
// record of its stream and the server itself are held beside it. What fails to answer never makes a change unseen.
import { walkStream } from "../client/history.js"
import type { LogClient } from "../client/open-log.js"
import {
  type FoundRecord,
  findSubjectRecords,
  newestOfStream,
  newestOfStreams,
  type SubjectRecords,
} from "../client/streams.js"
import type { Pin } from "../core/lockfile.js"
import { type Observation, streamKey } from "../core/record.js"
import { computeSurface, computeSurfaceDigest, type Surface, sectionsOf } from "../core/section.js"
import type { ServerVerdict } from "../core/verdict.js"
import type { ServerReading } from "../ports.js"
import { type CheckFacts, type Conclusion, concludeCheck, type LiveFact, type LogFact } from "./check-verdict.js"
import { compareLive, type LiveComparison } from "./compare-live.js"
import { answerLive, findRefusal, type LiveAnswer, listCircumstances } from "./live-answer.js"
import { answerLog, describeSigned, isPersonalLog, type LogAnswer, type LogState, signedAt } from "./log-answer.js"
import { observationOf } from "./pins.js"
import type { Compared } from "./review.js"

export type { LogState } from "./log-answer.js"

/** What a check of one pin needs. A part that is null is not compared. */
export interface CheckInput {
  readonly name: string
  readonly pin: Pin
  /** What the lockfile proves by itself. */
  readonly offline: ServerVerdict
  readonly log: LogState | null
  /** True when an unreachable log leaves the answer unknown (`--log-only`). */
  readonly needsLog: boolean
  readonly exhaustive: boolean
  /** Reads the server; null when it is not asked. */
  readonly readLive: (() => Promise<ServerReading>) | null
  /** The approved texts, for a diff in words. */
  readonly approved: () => Promise<Surface | null>
}

/** True for a pin that is checked at all: what is refuted, or cannot be read, is not started. */
export const isCheckable = ({ verdict, pin }: ServerVerdict): boolean => verdict !== "REJECTED" && pin !== null

/** The answer for one pin. `difference`: what its changes come from; null where not all texts of both sides are at hand, or a list was not
 *  read to its end and may hold more. */
export interface CheckedPin extends ServerVerdict {
  readonly difference: Compared | null
}

/** Check one pin. Errors of its own log or server become its verdict; only faults of ours are thrown. */
export async function checkPin(input: CheckInput): Promise<CheckedPin> {
  if (!isCheckable(input.offline)) return { ...input.offline, difference: null }
  const observed = observationOf(input.pin)
  const log = input.log && (await lookIntoLog(input.log, input, observed))
  if (log?.kind === "refuted")
    return { ...input.offline, ...REFUTED, reason: log.error.code, detail: log.error.message }
  const live = input.readLive && (await lookAtServer(input.readLive, input, observed))
  const [inLog, read] = [log?.kind === "read" ? log.value : null, live?.kind === "read" ? live.value : null]
  const found = inLog?.newest ?? null
  return {
    ...input.offline,
    ...conclude({ input, observed, log, live }),
    compared: ["lock", ...(inLog ? ["log" as const] : []), ...(read ? ["live" as const] : [])],
    record: found ? { index: found.index, observedSec: found.record.observed } : input.offline.record,
    newest: inLog?.how ?? null,
    ...(inLog ? { searched: inLog.searched } : {}),
    changes: read?.comparison.changes ?? [],
    difference: read === null || read.comparison.incomplete.length > 0 ? null : read.comparison.compared,
    warnings: [...input.offline.warnings, ...(inLog?.warnings ?? [])],
  }
}

const REFUTED = { verdict: "REJECTED", difference: null } as const

/** What the log has of the pin's stream, and of the same server in other versions. */
interface LogFindings {
  readonly newest: FoundRecord | null
  readonly how: "scanned" | "hint"
  readonly searched: NonNullable<ServerVerdict["searched"]>
  /** Newest records of other versions, read under the same conditions. */
  readonly otherVersions: readonly FoundRecord[]
  readonly warnings: readonly string[]
}

async function lookIntoLog(log: LogState, input: CheckInput, observed: Observation): Promise<LogAnswer<LogFindings>> {
  const answer = await answerLog(log, async (client) => {
    const { exhaustive, pin } = input
    const { subject } = observed
    const since = pin.index ?? 0n
    const known = input.offline.verdict === "UNKNOWN" || pin.index === null ? {} : { known: pin.index }
    const search = { subject, stream: streamKey(observed), since, exhaustive, ...known }
    const records = await findSubjectRecords(client, search)
    const { found, newest } = newestOfStream(records, streamKey(observed))
    if (exhaustive && found !== null) await requireWholeStream(client, found, since)
    return { records, findings: findingsOf(client, records, observed, { newest: found, how: newest }) }
  })
  if (answer.kind !== "read") return answer
  const { records, findings } = answer.value
  if (records.newerFormat.length === 0) return { kind: "read", value: findings }
  return {
    kind: "unknown",
    reason: "newer_format",
    detail: `leaf ${records.newerFormat.at(-1)} has a newer record format`,
  }
}

function findingsOf(
  log: LogClient,
  records: SubjectRecords,
  observed: Observation,
  found: Pick<LogFindings, "newest" | "how">,
): LogFindings {
  const otherVersions = findOtherVersions(records, observed)
  const notes = otherVersions.map(
    ({ record, index }) => `other_version:${record.version} is in the log as leaf ${index}`,
  )
  const searched = { from: records.scannedFrom, size: log.head.size }
  return { ...found, searched, otherVersions, warnings: [...log.warnings, ...records.warnings, ...notes] }
}

/** Every record between the newest and the pin's must be there, each naming the one before it. Throws RECORD_INVALID. */
async function requireWholeStream(log: LogClient, newest: FoundRecord, since: bigint): Promise<void> {
  for await (const record of walkStream(log.tree, newest, since)) if (record.index <= since) return
}

/** Later records of the same server in another version, read under the same conditions. */
function findOtherVersions(records: SubjectRecords, observed: Observation): readonly FoundRecord[] {
  const here = (o: Observation) => streamKey({ ...o, version: "-" })
  return [...newestOfStreams(records).values()].filter(
    ({ record }) => record.version !== observed.version && here(record) === here(observed),
  )
}

/** What the server said beside the pin. */
interface LiveFindings {
  readonly reading: ServerReading
  readonly comparison: LiveComparison
}

const lookAtServer = (
  read: () => Promise<ServerReading>,
  { pin, approved }: CheckInput,
  observed: Observation,
): Promise<LiveAnswer<LiveFindings>> =>
  answerLive(async () => {
    const reading = await read()
    const comparison = compareLive({ pin, observed, reading, approved: await approved() })
    const refusal = findRefusal(reading, comparison.incomplete)
    if (refusal && !comparison.differs) throw refusal
    return { reading, comparison }
  })

/** All that was found out about one pin. */
interface Checked {
  readonly input: CheckInput
  readonly observed: Observation
  readonly log: Exclude<LogAnswer<LogFindings>, { kind: "refuted" }> | null
  readonly live: LiveAnswer<LiveFindings> | null
}

function conclude(checked: Checked): Conclusion {
  const { input, observed, log, live } = checked
  const { pin, offline, needsLog } = input
  const read = live?.kind === "read" ? live.value : null
  const circumstances = read ? listCircumstances({ read: pin.read, version: observed.version }, read.reading) : []
  const found = log?.kind === "read" ? log.value : null
  const same = read && found && findSame(read, checked, found)
  const isShared = !isPersonalLog(pin.log)
  const facts: CheckFacts = {
    offline: offline.verdict === "CHANGED" || offline.verdict === "UNKNOWN" ? offline.verdict : "PROVEN",
    log: logFact(log, observed),
    live: liveFact(live, { same: same?.is ?? null, isElsewhere: isShared && circumstances.length > 0 }),
    needsLog,
  }
  const { verdict, reason, detail } = concludeCheck(facts, {
    newest: found?.newest ? signedAt(found.newest) : "",
    isShared,
    otherVersion: same ? `version ${same.record.record.version}, ${signedAt(same.record)}` : "",
    offline,
    log: log === null || log.kind === "read" ? NOTHING : { reason: reasonOf(log), detail: log.detail },
    live: live === null || live.kind === "read" ? NOTHING : { reason: live.reason, detail: live.detail },
    partial: read ? describePartial(read) : "",
    unchanged: unchangedNote(input, log),
  })
  if (verdict === "AUTH") return { verdict, reason, detail: `${detail}${signedBefore(input, found)}` }
  if (read === null || !read.comparison.differs || circumstances.length === 0) return { verdict, reason, detail }
  return { verdict, reason, detail: `${detail}; what else differs here: ${circumstances.join(", ")}` }
}

/** `tools could not be read to the end: the cursor "2" came again`. */
const describePartial = ({ reading, comparison }: LiveFindings): string =>
  comparison.incomplete
    .map((section) => `${section} could not be read to the end: ${reading.failures[section]?.message ?? ""}`)
    .join("; ")

/** For facts whose words nobody says. */
const NOTHING = { reason: "log_unreachable", detail: "" } as const

const reasonOf = (log: Exclude<Checked["log"], null | { kind: "read" }>) =>
  log.kind === "unreachable" ? "log_unreachable" : log.reason

function logFact(log: Checked["log"], observed: Observation): LogFact {
  if (log === null) return "none"
  if (log.kind !== "read") return log.kind
  const { newest } = log.value
  if (newest === null) return "empty"
  return newest.record.surface === observed.surface ? "pinned" : "newer"
}

function liveFact(
  live: Checked["live"],
  { same, isElsewhere }: { same: "newest" | "otherVersion" | null; isElsewhere: boolean },
): LiveFact {
  if (live === null) return "none"
  if (live.kind !== "read") return live.kind
  const { differs, incomplete } = live.value.comparison
  if (!differs) return incomplete.length > 0 ? "partial" : "pinned"
  return same ?? (isElsewhere ? "otherHere" : "other")
}

/** The record in the log that has the live list, when that is whole: the newest of the stream, or that of another version. */
function findSame(
  { reading, comparison }: LiveFindings,
  { input, observed }: Checked,
  { newest, otherVersions }: LogFindings,
): { readonly is: "newest" | "otherVersion"; readonly record: FoundRecord } | null {
  if (!comparison.differs || comparison.incomplete.length > 0) return null
  const { lines } = computeSurface(reading.surface, sectionsOf(observed.lines), input.pin.masks)
  const surface = computeSurfaceDigest("listed", lines)
  const hasIt = ({ record }: FoundRecord) => record.surface === surface
  if (newest !== null && hasIt(newest)) return { is: "newest", record: newest }
  const { version } = reading.resolved
  const fitting = otherVersions.filter((one) => hasIt(one) && (version === null || one.record.version === version))
  const record = fitting.at(-1)
  return record ? { is: "otherVersion", record } : null
}

/** Where the server wants credentials, what was signed is still there to be looked at. */
function signedBefore({ offline }: CheckInput, found: LogFindings | null): string {
  if (found?.newest) return `; ${signedAt(found.newest)}`
  return offline.record ? `; ${describeSigned(offline.record.index, offline.record.observedSec)}` : ""
}

function unchangedNote({ pin, offline }: CheckInput, log: Checked["log"]): string | null {
  const masked = pin.masks.length > 0 ? "masked" : null
  const isElsewhere = log === null || log.kind === "unreachable"
  const unreachable = isElsewhere ? `log not reachable from here; proven at head ${offline.head?.size ?? "?"}` : null
  return [masked, unreachable].filter((part) => part !== null).join(", ") || null
}
