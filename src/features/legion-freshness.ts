// What a LEGION log's own times say against it. Nothing bounds how old a signed head may be; but a head cannot be from before what it covers,
// and a larger tree not from before a smaller one (FORMAT.md, "LEGION dialect").
import type { ProvenRecord } from "../core/legion/check.js"
import { parseTime } from "../core/legion/time.js"
import type { VerifiedTreeHead } from "../core/legion/tree-head.js"

/** Clocks of one operator may differ by this much. */
const SLACK_SEC = 86_400n

/** Why the time of a served head cannot be true, in words; null where nothing speaks against it. `older`: a head that it extends. */
export function findBackdating({ record, head }: ProvenRecord, older: VerifiedTreeHead | null): string | null {
  const dated = parseTime(head.timestamp)
  if (dated === null) return `the head of size ${head.size} has no time`
  const what = `the head of size ${head.size} is dated ${dayOf(head.timestamp)}`
  if (dated + SLACK_SEC < record.observedSec)
    return `${what}, and leaf ${record.leafIndex} under it was observed on ${dayOf(record.observedAt)}`
  const before = older && older.size < head.size ? parseTime(older.timestamp) : null
  if (older && before !== null && dated + SLACK_SEC < before)
    return `${what}, and that of size ${older.size} on ${dayOf(older.timestamp)}`
  return null
}

/** The date of a time that was parsed. */
const dayOf = (time: string): string => time.slice(0, "YYYY-MM-DD".length)
