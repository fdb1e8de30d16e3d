// What an audit finds, by stable codes (FORMAT.md, Audits). A violation is evidence that says no; an irregularity breaks a rule of the formats
// that no signature promises; what is unread says nothing either way; a note is worth knowing. Data only: nothing is decided here.
import type { ToolsumError } from "../../core/errors.js"
import { worstExitCode } from "../../core/verdict.js"

/** How much a finding weighs. */
export type FindingKind = "violation" | "irregular" | "unread" | "note"

/** Every code and its kind. A code is a promise: it is never renamed and never changes its kind. */
export const AUDIT_CODES = {
  root_mismatch: "violation",
  keyring_invalid: "violation",
  head_invalid: "violation",
  quorum_not_met: "violation",
  fork: "violation",
  rollback: "violation",
  root_differs: "violation",
  entry_differs: "violation",
  tile_differs: "violation",
  partial_differs: "violation",
  bundle_malformed: "violation",
  chain_broken: "violation",
  keyring_order: "violation",
  keyring_unserved: "violation",
  keyring_not_logged: "violation",
  record_malformed: "irregular",
  record_version: "irregular",
  record_repeated: "irregular",
  time_backwards: "irregular",
  time_future: "irregular",
  subject_lookalike: "irregular",
  keyring_repeated: "irregular",
  object_differs: "irregular",
  section_differs: "irregular",
  index_malformed: "irregular",
  index_ahead: "irregular",
  index_behind: "irregular",
  index_false: "irregular",
  index_omits: "irregular",
  keyring_unreadable: "unread",
  bundle_missing: "unread",
  tile_missing: "unread",
  rest_unread: "unread",
  object_unread: "unread",
  index_unread: "unread",
  head_unproven: "unread",
  log_behind: "unread",
  keyring_pending: "unread",
  older_head_unread: "unread",
  state_corrupt: "unread",
  other_entries: "note",
  objects_missing: "note",
  partials_collected: "note",
  index_not_compared: "note",
  keyring_expired: "note",
  head_old: "note",
  no_witnesses: "note",
  state_unavailable: "note",
} as const satisfies Record<string, FindingKind>

/** A stable code. */
export type AuditCode = keyof typeof AUDIT_CODES

/** One finding. */
export interface AuditFinding {
  readonly code: AuditCode
  readonly kind: FindingKind
  /** The entry (`entry 17`), the file (`tile/0/003`), the head (`size 42`), or what else it is about. */
  readonly where: string
  /** For people; untrusted text in it is quoted. */
  readonly message: string
  /** Set where the finding can be proven to others: an error with both signed notes, as `formatEvidence` takes it. */
  readonly evidence?: ToolsumError
}

/** Codes of what is found in entries and their objects, which an audit that goes on later does not see again. */
export const ENTRY_CODES: readonly AuditCode[] = [
  ...(["bundle_malformed", "chain_broken", "keyring_order", "keyring_unserved", "keyring_repeated"] as const),
  ...(["record_malformed", "record_version", "record_repeated", "time_backwards", "time_future"] as const),
  ...(["subject_lookalike", "object_differs", "section_differs", "objects_missing", "tile_differs"] as const),
]

/** Findings of each code that are kept; further ones are only counted. */
export const MAX_KEPT_FINDINGS = 20

/** Findings so far. */
export interface Findings {
  add(code: AuditCode, where: string, message: string, evidence?: ToolsumError): void
  /** Take over `count` findings of a code, of which `kept` are told. */
  restore(kept: readonly AuditFinding[], counts: FindingCounts): void
  /** True when one of these codes was found. */
  has(...codes: readonly AuditCode[]): boolean
  /** Those that are kept, the gravest first, else in the order in which they were found. */
  list(): readonly AuditFinding[]
  counts(): FindingCounts
}

/** How many of each code, those that were not kept included. */
export type FindingCounts = Readonly<Partial<Record<AuditCode, number>>>

const ORDER: readonly FindingKind[] = ["violation", "irregular", "unread", "note"]

/** An empty list of findings. */
export function createFindings(): Findings {
  const kept = new Map<AuditCode, AuditFinding[]>()
  const counts = new Map<AuditCode, number>()
  return {
    add(code, where, message, evidence) {
      const own = kept.get(code) ?? []
      kept.set(code, own)
      counts.set(code, (counts.get(code) ?? 0) + 1)
      if (own.length >= MAX_KEPT_FINDINGS) return
      own.push({ code, kind: AUDIT_CODES[code], where, message, ...(evidence ? { evidence } : {}) })
    },
    restore(findings, earlier) {
      for (const finding of findings) kept.set(finding.code, [...(kept.get(finding.code) ?? []), finding])
      for (const [code, count] of Object.entries(earlier))
        counts.set(code as AuditCode, (counts.get(code as AuditCode) ?? 0) + count) // keys of FindingCounts
    },
    has: (...codes) => codes.some((code) => counts.has(code)),
    list: () =>
      ORDER.flatMap((kind) => [...kept].filter(([code]) => AUDIT_CODES[code] === kind).flatMap(([, own]) => own)),
    counts: () => Object.fromEntries(counts),
  }
}

const EXIT_BY_KIND: Readonly<Record<FindingKind, 0 | 1 | 2 | 3>> = { violation: 3, irregular: 1, unread: 2, note: 0 }

/** What an audit with these findings ends with: 3 beats 1 beats 2 beats 0. DESIGN 9. */
export const exitCodeOfFindings = (findings: readonly AuditFinding[]): 0 | 1 | 2 | 3 =>
  worstExitCode(findings.map(({ kind }) => EXIT_BY_KIND[kind]))
