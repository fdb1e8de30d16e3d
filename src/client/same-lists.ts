// Who else has a list: records of a log with the same surface digest, whatever their subject. The index goes by subject, so this looks at
// the entries themselves, the newest first and not without end.

import type { Digest } from "../core/hash.js"
import { hashLeaf } from "../core/hash.js"
import { TILE_WIDTH } from "../core/tile.js"
import type { FoundRecord } from "./streams.js"
import { parseIfRecord } from "./streams.js"
import type { VerifiedTree } from "./tiles.js"

const WIDTH = BigInt(TILE_WIDTH)
/** Most bundles that are looked at, from the newest on: 65536 entries. */
const MAX_BUNDLES = 256n
const READS_AT_ONCE = 8
/** Subjects that are told of. */
const MAX_SUBJECTS = 16

/** Records with one surface, and whether every entry of the log was looked at for them. */
export interface SameLists {
  readonly records: readonly FoundRecord[]
  readonly complete: boolean
}

/** The newest record with that surface of each subject, ascending. `personal`: whether names that one account gave (`local:`) mean anything
 *  in this log. Throws what reading throws. */
export async function findSameLists(
  tree: VerifiedTree,
  surface: Digest,
  { personal }: { personal: boolean },
): Promise<SameLists> {
  const { size } = tree.head
  if (size === 0n) return { records: [], complete: true }
  const found = new Map<string, FoundRecord>()
  const last = (size - 1n) / WIDTH
  const end = last >= MAX_BUNDLES ? last - MAX_BUNDLES : -1n
  for (let top = last; top > end && found.size < MAX_SUBJECTS; top -= BigInt(READS_AT_ONCE)) {
    const numbers = Array.from({ length: READS_AT_ONCE }, (_, i) => top - BigInt(i)).filter((number) => number > end)
    const bundles = await Promise.all(numbers.map((number) => tree.readEntries(number)))
    bundles.forEach((entries, i) => {
      takeSame(entries, (numbers[i] ?? 0n) * WIDTH, { surface, personal, found })
    })
  }
  const records = [...found.values()].slice(0, MAX_SUBJECTS).sort((a, b) => (a.index < b.index ? -1 : 1))
  return { records, complete: end < 0n && found.size < MAX_SUBJECTS }
}

/** Keep the newest of each subject: bundles come newest first, and so are their entries taken. */
function takeSame(
  entries: readonly Uint8Array[],
  start: bigint,
  p: { surface: Digest; personal: boolean; found: Map<string, FoundRecord> },
): void {
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i]
    const record = entry && parseIfRecord(entry)
    if (!entry || !record || record.surface !== p.surface || record.state !== "listed") continue
    if (p.found.has(record.subject) || (record.subject.startsWith("local:") && !p.personal)) continue
    p.found.set(record.subject, { index: start + BigInt(i), record, leafHash: hashLeaf(entry) })
  }
}
