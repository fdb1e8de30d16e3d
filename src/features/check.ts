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
import { type ErrorCode, ToolsumError } from "../core/errors.js"
import type { Pin } from "../core/lockfile.js"
import { type Observation, streamKey } from "../core/record.js"
import type { Surface } from "../core/section.js"
import type { ServerVerdict, UnknownReason, Verdict } from "../core/verdict.js"
import type { ServerReading } from "../ports.js"
import { compareLive, type LiveComparison } from "./compare-live.js"
import { observationOf } from "./pins.js"

/** The log of a pin: open, or why it is not. LOG_UNAVAILABLE and TIMEOUT: nothing came from it, and no more than that. */
export type LogState = LogClient | ToolsumError

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

/** Check one pin. Errors of its own log or server become its verdict; only faults of ours are thrown. */
export async function checkPin(input: CheckInput): Promise<ServerVerdict> {
  if (input.offline.verdict === "REJECTED" || input.offline.pin === null) return input.offline
  const observed = observationOf(input.pin)
  const log = await lookIntoLog(input, observed)
  if (log.kind === "refuted")
    return { ...input.offline, verdict: "REJECTED", reason: log.error.code, detail: log.error.message }
  const live = await lookAtServer(input, observed)
  const found = log.kind === "read" ? log.newest : null
  return {
    ...input.offline,
    ...conclude(input, observed, log, live),
    compared: [
      "lock",
      ...(log.kind === "read" ? ["log" as const] : []),
      ...(live.kind === "read" ? ["live" as const] : []),
    ],
    record: found ? { index: found.index, observedSec: found.record.observed } : input.offline.record,
    newest: log.kind === "read" ? log.how : null,
    changes: live.kind === "read" ? live.comparison.changes : [],
    warnings: [...input.offline.warnings, ...(log.kind === "read" ? log.warnings : [])],
  }
}

type LogAnswer =
  | { readonly kind: "none" }
  | { readonly kind: "unreachable"; readonly detail: string }
  | { readonly kind: "unknown"; readonly reason: UnknownReason; readonly detail: string }
  | { readonly kind: "refuted"; readonly error: ToolsumError }
  | {
      readonly kind: "read"
      readonly newest: FoundRecord | null
      readonly how: "scanned" | "hint"
      readonly warnings: readonly string[]
    }

async function lookIntoLog({ log, pin, exhaustive }: CheckInput, observed: Observation): Promise<LogAnswer> {
  if (log === null) return { kind: "none" }
  try {
    if (log instanceof ToolsumError) throw log
    const { subject } = observed
    const since = pin.index ?? 0n
    const records = await findSubjectRecords(log, { subject, stream: streamKey(observed), since, exhaustive })
    if (records.newerFormat.length > 0) {
      return {
        kind: "unknown",
        reason: "newer_format",
        detail: `leaf ${records.newerFormat.at(-1)} has a newer record format`,
      }
    }
    const { found, newest } = newestOfStream(records, streamKey(observed))
    if (exhaustive && found !== null) await requireWholeStream(log, found, since)
    const warnings = [...log.warnings, ...records.warnings, ...otherVersions(records, observed)]
    return { kind: "read", newest: found, how: newest, warnings }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    if (error.kind === "rejected") return { kind: "refuted", error }
    if (UNREACHABLE.includes(error.code)) return { kind: "unreachable", detail: error.message }
    return { kind: "unknown", reason: reasonOfLogError(error), detail: error.message }
  }
}

/** Every record between the newest and the pin's must be there, each naming the one before it. Throws RECORD_INVALID. */
async function requireWholeStream(log: LogClient, newest: FoundRecord, since: bigint): Promise<void> {
  for await (const record of walkStream(log.tree, newest, since)) if (record.index <= since) return
}

/** Notes: later records of the same server in another version, read under the same conditions. */
function otherVersions(records: SubjectRecords, observed: Observation): readonly string[] {
  const here = (o: Observation) => streamKey({ ...o, version: "-" })
  return [...newestOfStreams(records).values()]
    .filter(({ record }) => record.version !== observed.version && here(record) === here(observed))
    .map(({ record, index }) => `other_version:${record.version} is in the log as leaf ${index}`)
}

/** Nothing came from the log: what the pin proves and the server says can still be an answer. Whatever did come must be in order. */
const UNREACHABLE: readonly ErrorCode[] = ["LOG_UNAVAILABLE", "TIMEOUT"]

const LOG_REASONS: Readonly<Partial<Record<ErrorCode, UnknownReason>>> = {
  LOG_BEHIND: "log_behind",
  // Bytes are missing that would prove or refute what the log serves (DESIGN 8).
  HEAD_UNPROVEN: "incomplete",
  RESOURCE_MISSING: "incomplete",
  ROOT_NOT_PINNED: "root_not_pinned",
  TARGET_NOT_ACCEPTED: "target_not_accepted",
}

const reasonOfLogError = ({ code, kind }: ToolsumError): UnknownReason =>
  LOG_REASONS[code] ?? (kind === "malformed" ? "malformed" : "log_unreachable")

type LiveAnswer =
  | { readonly kind: "none" }
  | { readonly kind: "auth"; readonly detail: string }
  | { readonly kind: "unknown"; readonly reason: UnknownReason; readonly detail: string }
  | { readonly kind: "read"; readonly comparison: LiveComparison; readonly circumstances: string }

async function lookAtServer({ readLive, pin, approved }: CheckInput, observed: Observation): Promise<LiveAnswer> {
  if (readLive === null) return { kind: "none" }
  try {
    const reading = await readLive()
    const comparison = compareLive({ pin, observed, reading, approved: await approved() })
    return { kind: "read", comparison, circumstances: describeCircumstances(pin, reading) }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    if (error.code === "SERVER_AUTH") return { kind: "auth", detail: error.message }
    return { kind: "unknown", reason: reasonOfServerError(error), detail: error.message }
  }
}

/** What else is not as it was when the pin was read: `; node 22.1.0 instead of 20.20.2`. */
function describeCircumstances(pin: Pin, reading: ServerReading): string {
  const moved = ["platform", "node", "protocol", "dependencies", "integrity"].filter((name) => {
    return pin.read[name] !== undefined && reading.read[name] !== undefined && pin.read[name] !== reading.read[name]
  })
  const short = (value: unknown) => (typeof value === "string" && !/^sha\d+[:-]/.test(value) ? value : null)
  const parts = moved.map((name) => {
    const [now, before] = [short(reading.read[name]), short(pin.read[name])]
    return now === null || before === null ? `other ${name}` : `${name} ${now} instead of ${before}`
  })
  return parts.length === 0 ? "" : `; what else differs here: ${parts.join(", ")}`
}

const SERVER_REASONS: Readonly<Partial<Record<ErrorCode, UnknownReason>>> = {
  TARGET_NOT_ACCEPTED: "target_not_accepted",
  TIMEOUT: "timeout",
  PROTOCOL_MALFORMED: "malformed",
  JSON_MALFORMED: "malformed",
  SURFACE_MALFORMED: "malformed",
  READING_INCOMPLETE: "incomplete",
  READING_UNSTABLE: "unstable",
  SERVER_REDIRECTED: "redirected",
  // Our own consent store; the message names it.
  STATE_CORRUPT: "malformed",
}

const reasonOfServerError = (error: ToolsumError): UnknownReason => SERVER_REASONS[error.code] ?? "server_unreachable"

type Conclusion = Pick<ServerVerdict, "verdict" | "reason" | "detail">
const answer = (verdict: Verdict, reason: string | null, detail: string | null): Conclusion => ({
  verdict,
  reason,
  detail,
})

function conclude(input: CheckInput, observed: Observation, log: LogAnswer, live: LiveAnswer): Conclusion {
  const newest = log.kind === "read" ? log.newest : null
  const logDiffers = newest !== null && newest.record.surface !== observed.surface
  if (live.kind === "read" && live.comparison.differs)
    return answer("CHANGED", "surface", sentence(log, logDiffers ? newest : null) + live.circumstances)
  if (logDiffers)
    return answer(
      "CHANGED",
      "surface",
      `the log has a newer list: ${signedAt(newest)}${live.kind === "read" ? "; this server still gives the pinned one" : ""}`,
    )
  if (input.offline.verdict === "CHANGED") return answer("CHANGED", input.offline.reason, input.offline.detail)
  if (input.offline.verdict === "UNKNOWN") return answer("UNKNOWN", input.offline.reason, input.offline.detail)
  if (live.kind === "auth") return answer("AUTH", live.detail, "the server wants credentials")
  if (live.kind === "unknown") return answer("UNKNOWN", live.reason, live.detail)
  if (live.kind === "read" && live.comparison.incomplete.length > 0) {
    return answer("UNKNOWN", "incomplete", `${live.comparison.incomplete.join(", ")} could not be read to the end`)
  }
  if (log.kind === "unknown") return answer("UNKNOWN", log.reason, log.detail)
  if (log.kind === "unreachable" && input.needsLog) return answer("UNKNOWN", "log_unreachable", log.detail)
  if (live.kind === "none" && log.kind !== "read")
    return answer("UNKNOWN", "log_unreachable", "neither the log nor the server was compared")
  return answer("UNCHANGED", null, unchangedNote(input, log))
}

/** What a changed live list means, by what the log knows. */
function sentence(log: LogAnswer, newer: FoundRecord | null): string {
  if (newer) return `upstream changed: ${signedAt(newer)}`
  return log.kind === "read" ? "the log has not seen this list yet" : "the live list is not the pinned one"
}

const signedAt = ({ record, index }: FoundRecord): string => {
  const date = new Date(Number(record.observed) * 1000)
  return `signed ${Number.isNaN(date.getTime()) ? "at an unreadable time" : date.toISOString().slice(0, 10)}, leaf ${index}`
}

function unchangedNote(input: CheckInput, log: LogAnswer): string | null {
  const masked = input.pin.masks.length > 0 ? "masked" : null
  const head = input.offline.head
  const unreachable =
    log.kind === "unreachable" || input.log === null
      ? `log not reachable from here; proven at head ${head?.size ?? "?"}`
      : null
  return [masked, unreachable].filter((part) => part !== null).join(", ") || null
}
