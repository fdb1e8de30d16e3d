// What can be said of one server, and how many of them add up to one exit code (DESIGN 9). Data only: nothing is decided here.
import type { Digest } from "./hash.js"
import type { JsonValue } from "./json.js"
import type { SectionName } from "./section.js"
import type { AllowReason } from "./settings.js"
import type { Severity } from "./severity.js"

/** The answers. PROVEN is offline only and says nothing about now; REJECTED is evidence that fails, never a verdict on a server. */
export const VERDICTS = ["PROVEN", "UNCHANGED", "CHANGED", "UNKNOWN", "AUTH", "REJECTED"] as const
/** One answer. */
export type Verdict = (typeof VERDICTS)[number]

/** Why there is no answer, when UNKNOWN. */
export const UNKNOWN_REASONS = [
  "not_in_log",
  "not_pinned",
  "not_logged",
  "never_signed",
  "root_not_pinned",
  "target_not_accepted",
  "server_unreachable",
  "log_unreachable",
  "log_behind",
  "timeout",
  "malformed",
  "incomplete",
  "unstable",
  "redirected",
  "profile_mismatch",
  "ambiguous_subject",
  "newer_format",
  "private",
] as const
/** One of them. */
export type UnknownReason = (typeof UNKNOWN_REASONS)[number]

/** One difference, located by a JSON Pointer in its item. DESIGN 9, `changes`. */
export interface Change {
  readonly section: SectionName | "instructions" | "server"
  /** Name of the item; null for a nameless one and for instructions and server. */
  readonly item: string | null
  readonly kind: "added" | "removed" | "renamed" | "changed"
  /** Earlier name of a renamed item. */
  readonly from: string | null
  /** RFC 6901 pointer inside the item; "" is the whole item. */
  readonly pointer: string
  /** Value before; absent when there was none. */
  readonly before?: JsonValue
  /** Value now; absent when there is none. */
  readonly after?: JsonValue
  /** "order": an array with the same elements in another order. "list": the list itself appeared or is no longer declared
   *  (item null, pointer "", value []); its items have entries of their own. */
  readonly note?: "order" | "list"
  /** Digest of the earlier item, after masks, where `item` does not name one item of the earlier list. */
  readonly digest?: Digest
  /** How grave it is and the rule that says so; absent where not all texts of both sides are at hand. */
  readonly severity?: Severity
  readonly rule?: string
}

/** A finding that a gate let pass: every change is less grave than `failOn`. DESIGN 9. */
export interface Lowered {
  readonly failOn: Severity
  /** The gravest of the changes. */
  readonly gravest: Severity
  readonly source: "--fail-on" | "toolsum.json"
}

/** An answer that counts as none by `allow`: nobody answered, and that was expected. */
export interface Allowed {
  readonly reason: AllowReason
  readonly source: "toolsum.json"
}

/** Which sections a comparison covered. */
export interface Coverage {
  readonly section: SectionName | "instructions" | "server"
  readonly fields: "all" | readonly string[]
}

/** The answer for one server. `reason` is null for PROVEN and UNCHANGED. */
export interface ServerVerdict {
  readonly name: string
  readonly subject: string | null
  /** Version of the package in the record; null where there is none. */
  readonly version: string | null
  readonly verdict: Verdict
  readonly reason: string | null
  /** One sentence for a person. */
  readonly detail: string | null
  readonly compared: readonly ("lock" | "log" | "live" | "base")[]
  readonly covered: readonly Coverage[]
  readonly notCovered: readonly string[]
  readonly head: {
    readonly origin: string
    readonly size: bigint
    readonly cosigners: number
    readonly ageSec: number | null
  } | null
  readonly record: { readonly index: bigint; readonly observedSec: bigint } | null
  readonly newest: "scanned" | "hint" | null
  /** Where a log was searched: every entry from `from` up to its head of that size was looked at. */
  readonly searched?: { readonly from: bigint; readonly size: bigint }
  readonly pin: Digest | null
  /** How many items of each list are pinned. */
  readonly items: Readonly<Partial<Record<SectionName, number>>>
  readonly changes: readonly Change[]
  readonly warnings: readonly string[]
  /** Set where a gate let the changes pass: then the exit code is 0. */
  readonly lowered?: Lowered
  /** Set where `allow` has the reason: then the exit code is 0. */
  readonly allowed?: Allowed
}

const EXIT_BY_VERDICT: Readonly<Record<Verdict, 0 | 1 | 2 | 3>> = {
  PROVEN: 0,
  UNCHANGED: 0,
  CHANGED: 1,
  UNKNOWN: 2,
  AUTH: 2,
  REJECTED: 3,
}

/** The exit code of one answer. */
export const exitCodeOfVerdict = (verdict: Verdict): 0 | 1 | 2 | 3 => EXIT_BY_VERDICT[verdict]

/** The exit code of one server, as the gate and `allow` have it. */
export const exitCodeOfServer = ({ verdict, lowered, allowed }: ServerVerdict): 0 | 1 | 2 | 3 =>
  lowered === undefined && allowed === undefined ? exitCodeOfVerdict(verdict) : 0

/** The exit code of many: 3 beats 1 beats 2 beats 0. DESIGN 9. */
export const exitCodeOfVerdicts = (verdicts: readonly Verdict[]): 0 | 1 | 2 | 3 =>
  worstExitCode(verdicts.map(exitCodeOfVerdict))

/** What several parts that ended with these codes end with together: 3 beats 1 beats 2 beats 0. DESIGN 9. */
export const worstExitCode = (codes: readonly (0 | 1 | 2 | 3)[]): 0 | 1 | 2 | 3 =>
  ([3, 1, 2] as const).find((code) => codes.includes(code)) ?? 0

/** How many servers got each answer; every answer is listed. */
export function countVerdicts(verdicts: readonly Verdict[]): Readonly<Record<Verdict, number>> {
  const counts: Record<Verdict, number> = { PROVEN: 0, UNCHANGED: 0, CHANGED: 0, UNKNOWN: 0, AUTH: 0, REJECTED: 0 }
  for (const verdict of verdicts) counts[verdict] += 1
  return counts
}
