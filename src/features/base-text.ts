// What a difference from a base is called, in one phrase, for every kind of report. Names, details and claims are those of the tree under test:
// whoever shows the phrase escapes it.
import type { BaseFinding } from "../core/base-report.js"
import { quote } from "../core/errors.js"

/** What to do where nothing can be accepted. */
const ADVICE: Readonly<Partial<Record<BaseFinding["kind"], string>>> = {
  unapproved: "review it, then toolsum approve",
  evidence: "see its verdict",
}

/** What differs, who claims to have approved it, and what became of it or can be done. `showName` writes a name. */
export function describeBaseFinding(finding: BaseFinding, showName: (name: string) => string): string {
  const { kind, name, status, detail, claimedBy, accept } = finding
  const what = `${name === "" ? "" : `${showName(name)} `}${kind}: ${detail}`
  const claim = claimedBy === null ? "" : `; claimed by ${quote(claimedBy)}`
  const advice = status !== "open" ? status : accept === null ? ADVICE[kind] : `--accept ${accept}`
  return `${what}${claim}${advice === undefined ? "" : `; ${advice}`}`
}

const COMMIT_CHARS = 12

/** What was held to what. */
export function describeBase(
  { lockfile, ref, commit, mergeBase }: { lockfile: string; ref: string; commit: string; mergeBase: string },
  showName: (name: string) => string,
): string {
  const beside = mergeBase === commit ? "" : `, compared with their merge base ${mergeBase.slice(0, COMMIT_CHARS)}`
  return `${showName(lockfile)} held to ${showName(ref)} (${commit.slice(0, COMMIT_CHARS)})${beside}`
}
