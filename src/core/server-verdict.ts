// What can be said of a server without a pin (DESIGN 4 and 9): what it said now beside the newest records of its streams in some logs. One
// judgement and one table, which `verify-server` makes live and a saved evidence file makes again offline. Pure.
import { findDifferences, type SurfaceMember } from "./compare-record.js"
import type { Digest } from "./hash.js"
import { streamKey, type ToolRecord } from "./record.js"
import {
  type ComputedSurface,
  computeSurface,
  computeSurfaceDigest,
  type SectionName,
  type Surface,
} from "./section.js"
import type { UnknownReason, Verdict } from "./verdict.js"

/** Under which conditions a server was read: with an observer, what makes a stream. `subject`: null where the target has none. */
export interface ReadStream {
  readonly subject: string | null
  /** Exact or resolved version; `-` for none. */
  readonly version: string
  readonly profile: string
  readonly how: Digest
}

/** Why there is no list. `reason` as AUTH and UNKNOWN have it. */
export type ReadFailure =
  | { readonly verdict: "AUTH"; readonly reason: string; readonly detail: string }
  | { readonly verdict: "UNKNOWN"; readonly reason: UnknownReason; readonly detail: string }

/** What came of a reading. */
export interface ReadResult {
  /** The lists that were asked for. */
  readonly sections: readonly SectionName[]
  /** Lists that were not read to their end. */
  readonly incomplete: readonly SectionName[]
  /** Null where nothing was read. */
  readonly surface: Surface | null
}

/** A record that is proven to be in a log, with what of its texts is at hand. */
export interface SignedRecord {
  readonly index: bigint
  readonly record: ToolRecord
  /** Section texts; each hashes to the record's line. */
  readonly lists: Readonly<Partial<Record<SectionName, string>>>
  /** The recorded surface, when all of it is at hand. */
  readonly surface: Surface | null
}

/** What one log has to say: its records that matter, ascending; or why it says nothing. */
export type LogTestimony =
  | { readonly origin: string; readonly records: readonly SignedRecord[] }
  | { readonly origin: string; readonly failure: { readonly reason: UnknownReason; readonly detail: string } }

/** A newest record of a stream that may be compared, and the parts in which the live list differs from it. */
export interface Comparison {
  readonly signed: SignedRecord
  readonly differences: readonly SurfaceMember[]
}

/** What a log says of what was read. `absent`: records of the subject, none that may be compared; `never`: none of the subject; `ambiguous`:
 *  the target names no subject, and several have this list. */
export const LOG_FACTS = ["none", "failed", "ambiguous", "never", "absent", "equal", "different"] as const
/** One of them; `none`: no log was asked. */
export type LogFact = (typeof LOG_FACTS)[number]

/** What the server said. `partial`: some list was not read to its end. */
export const LIVE_FACTS = ["auth", "unknown", "whole", "partial"] as const
/** One of them. */
export type LiveFact = (typeof LIVE_FACTS)[number]

/** One log, judged. */
export interface JudgedLog {
  readonly origin: string
  readonly fact: LogFact
  /** Newest records of the streams that may be compared: those that differ from the reading in their observer only. */
  readonly compared: readonly Comparison[]
  /** Newest records with a list that may not be compared. */
  readonly others: readonly SignedRecord[]
}

/** The answer, and what it rests on. */
export interface ServerJudgement {
  readonly verdict: Verdict
  readonly reason: string | null
  /** Digests of what was read; null where nothing was. */
  readonly read: Pick<ComputedSurface, "lines" | "sections"> | null
  /** Digest of the whole surface; null unless every list was read to its end. */
  readonly surface: Digest | null
  readonly logs: readonly JudgedLog[]
}

/** Judge what was read by what the logs have. Records must be proven by the caller. Throws SURFACE_MALFORMED, JSON_MALFORMED. */
export function judgeServer(p: {
  stream: ReadStream
  result: ReadResult
  failure: ReadFailure | null
  logs: readonly LogTestimony[]
}): ServerJudgement {
  const { stream, result, failure } = p
  const read = result.surface && computeSurface(result.surface, result.sections)
  const surface = read && result.incomplete.length === 0 ? computeSurfaceDigest("listed", read.lines) : null
  const own = { stream, result, read, surface }
  const logs = p.logs.map((log) => judgeLog(log, own))
  const failed = p.logs.flatMap((log) => ("failure" in log ? [log.failure.reason] : []))
  const live = failure?.verdict === "AUTH" ? "auth" : failure ? "unknown" : surface === null ? "partial" : "whole"
  const conclusion = concludeServer({ live, log: combine(logs) }, { live: failure?.reason, log: failed[0] })
  return { ...conclusion, read, surface, logs }
}

interface Own {
  readonly stream: ReadStream
  readonly result: ReadResult
  readonly read: ServerJudgement["read"]
  readonly surface: Digest | null
}

function judgeLog(log: LogTestimony, own: Own): JudgedLog {
  const { origin } = log
  if ("failure" in log) return { origin, fact: "failed", compared: [], others: [] }
  const { stream, read, result } = own
  const newest = newestOfEach(log.records)
  if (stream.subject === null) return { origin, fact: factBySurface(newest, own.surface), compared: [], others: newest }
  const ofSubject = newest.filter(({ record }) => record.subject === stream.subject)
  const peers = ofSubject.filter(({ record }) => isComparable(record, stream))
  const others = newest.filter((signed) => !peers.includes(signed))
  const compared = peers.map((signed) => ({
    signed,
    differences: read
      ? findDifferences({ ...read, incomplete: result.incomplete }, { lines: signed.record.lines, lists: signed.lists })
      : [],
  }))
  return { origin, fact: factOf(ofSubject.length, compared), compared, others }
}

/** Without a subject there is nothing to compare with; who else has this list is all that can be found out. */
function factBySurface(records: readonly SignedRecord[], surface: Digest | null): LogFact {
  const subjects = new Set(
    records.filter(({ record }) => record.surface === surface).map(({ record }) => record.subject),
  )
  return subjects.size > 1 ? "ambiguous" : subjects.size === 1 ? "absent" : "never"
}

function factOf(ofSubject: number, compared: readonly Comparison[]): LogFact {
  if (compared.some(({ differences }) => differences.length > 0)) return "different"
  return compared.length > 0 ? "equal" : ofSubject > 0 ? "absent" : "never"
}

/** The newest record with a list of each stream, ascending. */
function newestOfEach(records: readonly SignedRecord[]): readonly SignedRecord[] {
  const listed = records.filter(({ record }) => record.state === "listed")
  const newest = new Map(listed.map((signed) => [streamKey(signed.record), signed]))
  return listed.filter((signed) => newest.get(streamKey(signed.record)) === signed)
}

/** True for a record whose stream differs from a reading in its observer only. Nothing is masked in a reading without a pin. */
export const isComparable = (record: ToolRecord, { subject, version, profile, how }: ReadStream): boolean =>
  record.subject === subject &&
  record.version === version &&
  record.profile === profile &&
  record.how === how &&
  record.mask === "-"

// Of several logs: what was found different counts most, then what could not be found out.
const STRONGEST: readonly LogFact[] = ["different", "failed", "ambiguous", "equal", "absent", "never"]

const combine = (logs: readonly JudgedLog[]): LogFact =>
  STRONGEST.find((fact) => logs.some((log) => log.fact === fact)) ?? "none"

interface Rule {
  readonly live?: readonly LiveFact[]
  readonly log?: readonly LogFact[]
  readonly answer: Verdict
  /** A reason of its own, or that of the server or log that failed. */
  readonly because: UnknownReason | "surface" | { readonly from: "live" | "log" } | null
}

// First row that fits. A change survives whatever else fails; only a whole reading that was compared is ever UNCHANGED.
const RULES: readonly Rule[] = [
  { live: ["auth"], answer: "AUTH", because: { from: "live" } },
  { live: ["unknown"], answer: "UNKNOWN", because: { from: "live" } },
  { log: ["different"], answer: "CHANGED", because: "surface" },
  { log: ["failed"], answer: "UNKNOWN", because: { from: "log" } },
  { log: ["ambiguous"], answer: "UNKNOWN", because: "ambiguous_subject" },
  { log: ["never"], answer: "UNKNOWN", because: "never_signed" },
  { log: ["none", "absent"], answer: "UNKNOWN", because: "not_in_log" },
  { live: ["partial"], answer: "UNKNOWN", because: "incomplete" },
  { answer: "UNCHANGED", because: null },
]

/** The conclusion from these facts. `reasons`: of the server or the log that failed. */
export function concludeServer(
  facts: { readonly live: LiveFact; readonly log: LogFact },
  reasons: { readonly live?: string | undefined; readonly log?: string | undefined },
): { readonly verdict: Verdict; readonly reason: string | null } {
  const rule = RULES.find(
    ({ live, log }) => (live ?? [facts.live]).includes(facts.live) && (log ?? [facts.log]).includes(facts.log),
  )
  if (rule === undefined) throw new Error("the last rule fits everything")
  const { answer: verdict, because } = rule
  return {
    verdict,
    reason: typeof because === "object" && because !== null ? (reasons[because.from] ?? null) : because,
  }
}
