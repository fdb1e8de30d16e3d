// What differs between a lockfile under test and the revision that it is held to, as `--base` says it (FORMAT.md, "A base"). Data only: which
// differences there are is decided in features/base-gate.ts.
import type { Digest } from "./hash.js"

/** Kinds of differences of one pin, whose name they bear. */
export const PIN_KINDS = ["target", "mask", "definitions", "order", "chain", "evidence", "unapproved"] as const

/** What may differ. `evidence`, `unapproved` and what passes by itself (`pin`) cannot be accepted. */
const BASE_KINDS = [
  "lockfile",
  "settings",
  "root",
  "log",
  "keyring",
  "required",
  "removed",
  ...PIN_KINDS,
  "pin",
] as const
/** One of them. */
export type BaseKind = (typeof BASE_KINDS)[number]

/** One difference. */
export interface BaseFinding {
  readonly kind: BaseKind
  /** A pin, the origin of a log, a member of the settings, a root. */
  readonly name: string
  /** `open`: exit code 1; `accepted`: by `--accept`; `passed`: nothing to accept. */
  readonly status: "open" | "accepted" | "passed"
  /** One phrase: what differs. */
  readonly detail: string
  /** Who says in the lockfile that they approved or removed it: nothing proves that. */
  readonly claimedBy: string | null
  /** What `--accept` takes; null where only something else helps. */
  readonly accept: Digest | null
}

/** A lockfile beside its base. */
export interface BaseReport {
  /** The lockfile, from the top of the repository. */
  readonly lockfile: string
  /** As it was typed. */
  readonly ref: string
  /** The commit of `ref`: what counts for roots and settings. */
  readonly commit: string
  /** The commit that pins and logs are compared with. */
  readonly mergeBase: string
  readonly findings: readonly BaseFinding[]
}

/** The exit code of the differences alone. */
export const exitCodeOfBase = ({ findings }: BaseReport): 0 | 1 =>
  findings.some(({ status }) => status === "open") ? 1 : 0
