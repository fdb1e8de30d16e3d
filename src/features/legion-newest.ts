// Whether the record that a LEGION log serves as the newest of a server is that: every later entry of its tree is read (`--exhaustive`). They need
// no proof of their own: with the served record they make up the tree, whose head is proven.
import type { LegionClient, ServedBundle } from "../client/legion-log.js"
import { equalBytes } from "../core/bytes.js"
import { canonicalize } from "../core/canonical.js"
import { quote, ToolsumError } from "../core/errors.js"
import { type Hash, hashLeaf } from "../core/hash.js"
import type { JsonObject } from "../core/json.js"
import { parseRecordAnswer } from "../core/legion/answers.js"
import { encodeSigned } from "../core/legion/json.js"
import { RECORD_SCHEMA } from "../core/legion/record.js"
import { computeTreeHash } from "../core/merkle-tree.js"
import { runInLanes, SERVERS_AT_ONCE } from "./lanes.js"

/** Later entries that are read at most: the log limits questions to about one a second. */
export const MAX_LEGION_ENTRIES_READ = 1000

/** True when every later entry was read and none is a record of the same server; false when there are too many. Throws LOG_ROLLBACK for a later
 *  record, HASH_MISMATCH for entries that are not those of the tree, RESOURCE_MISSING, and what asking throws. */
export async function isNewest(log: LegionClient, served: ServedBundle): Promise<boolean> {
  const { record, head, bundle } = served
  const first = record.leafIndex + 1n
  if (head.size - first > MAX_LEGION_ENTRIES_READ) return false
  const leaves = Array.from({ length: Number(head.size - first) }, (_, i) => first + BigInt(i))
  const lanes = { atOnce: SERVERS_AT_ONCE, laneOf: String }
  const entries = await runInLanes(leaves, lanes, (leaf) => fetchEntry(log, leaf))
  const hashes = entries.map((entry) => hashLeaf(encodeSigned(entry)))
  requireRightSide({ index: record.leafIndex, size: head.size, path: bundle.inclusion.path, hashes })
  const at = entries.findIndex((entry) => entry.schema === RECORD_SCHEMA && entry.server_id === record.serverId)
  const newer = entries[at]
  if (newer === undefined) return true
  const why = `the log serves leaf ${record.leafIndex} as the newest record of ${quote(record.serverId)}, and leaf ${first + BigInt(at)} is newer`
  const evidence = { newest: canonicalize(record.document), newer: canonicalize(newer) }
  throw new ToolsumError("LOG_ROLLBACK", why, { evidence })
}

async function fetchEntry({ source }: LegionClient, leaf: bigint): Promise<JsonObject> {
  const answer = await source.record(leaf)
  if (answer !== null) return parseRecordAnswer(answer)
  throw new ToolsumError("RESOURCE_MISSING", `the log does not give leaf ${leaf} of its tree`)
}

/** Check leaf hashes from `index` + 1 to the end against a proof of leaf `index` that holds: its siblings on the right are made of them. */
function requireRightSide(p: { index: bigint; size: bigint; path: readonly Hash[]; hashes: readonly Hash[] }): void {
  const { index, size, path, hashes } = p
  let [low, high] = [0n, size]
  for (const sibling of [...path].reverse()) {
    const middle = low + largestPowerBelow(high - low)
    if (index >= middle) {
      low = middle
      continue
    }
    const right = hashes.slice(Number(middle - index - 1n), Number(high - index - 1n))
    if (!equalBytes(computeTreeHash(right), sibling))
      throw new ToolsumError("HASH_MISMATCH", `the log gives other entries from leaf ${middle} on than its tree has`)
    high = middle
  }
}

/** The largest power of two below `n`, which is 2 or more: where RFC 6962 §2.1 splits a tree. */
function largestPowerBelow(n: bigint): bigint {
  let power = 1n
  while (power * 2n < n) power *= 2n
  return power
}
