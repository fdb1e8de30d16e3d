// The digest that `--accept` takes: of exactly one change to one lockfile (FORMAT.md, "A base"). Whoever accepts it has seen what was before and
// what is now; any other change, also of the same pin, has another digest.

import type { BaseFinding, BaseKind } from "../core/base-report.js"
import { computeJsonDigest } from "../core/canonical.js"
import type { Digest } from "../core/hash.js"
import type { JsonValue } from "../core/json.js"

/** One change. `before` and `after`: the values that the kind has, null where there is none. */
export interface BaseChange {
  readonly kind: BaseKind
  readonly name: string
  readonly before: JsonValue
  readonly after: JsonValue
}

/** The `format` of a change. */
export const CHANGE_FORMAT = "toolsum-change/v1"

/** Digest of a change: SHA-256 over its canonical form. `lockfile`: its name from the top of the repository. */
export const computeChangeDigest = (lockfile: string, { kind, name, before, after }: BaseChange): Digest =>
  computeJsonDigest({ after, before, format: CHANGE_FORMAT, kind, lockfile, name }) // in canonical order

/** Makes findings of one lockfile. */
export interface FindingMaker {
  /** A change that somebody has to accept. */
  change(change: BaseChange, detail: string, claimedBy?: string | null): BaseFinding
  /** What no accepting helps. */
  fault(kind: "evidence" | "unapproved", name: string, detail: string, claimedBy: string | null): BaseFinding
  /** What is in order, for whoever reads the report. */
  pass(kind: "pin" | "removed", name: string, detail: string, claimedBy: string | null): BaseFinding
}

/** For the lockfile of that name. `accepted`: the digests that were given. */
export function createFindingMaker(lockfile: string, accepted: ReadonlySet<string>): FindingMaker {
  return {
    change: (change, detail, claimedBy = null) => {
      const { kind, name } = change
      const accept = computeChangeDigest(lockfile, change)
      return { kind, name, status: accepted.has(accept) ? "accepted" : "open", detail, claimedBy, accept }
    },
    fault: (kind, name, detail, claimedBy) => ({ kind, name, status: "open", detail, claimedBy, accept: null }),
    pass: (kind, name, detail, claimedBy) => ({ kind, name, status: "passed", detail, claimedBy, accept: null }),
  }
}
