// Hashes of many entries and roots of many tiles at once, over joined hashes (RFC 9162 §2.1.1): what reading a whole log costs.
// The same values as `hashLeaf` and `computeTreeHash` give one by one.
import { ToolsumError } from "./errors.js"
import { HASH_BYTES, type Hash, writeLeafHash } from "./hash.js"
import { choosePairHasher, type PairHasher, ROW_HASHES } from "./pair-hash.js"
import { MAX_TILE_BYTES, TILE_WIDTH } from "./tile.js"

/** Write the leaf hashes of `entries`, one after another, to the start of `out`. Throws USAGE when `out` is too short. */
export function hashEntries(entries: readonly Uint8Array[], out: Uint8Array): void {
  const bytes = entries.length * HASH_BYTES
  if (out.length < bytes) throw new ToolsumError("USAGE", `expected room for ${bytes} bytes, got ${out.length}`)
  let at = 0
  for (const entry of entries) {
    writeLeafHash(entry, out, at)
    at += HASH_BYTES
  }
}

/** Root hash of 1 to 256 joined hashes, by the recursive definition of RFC 9162 §2.1.1. Throws USAGE for any other length. */
export function computeTileRoot(hashes: Uint8Array): Hash {
  const width = hashes.length / HASH_BYTES
  if (!Number.isInteger(width) || width < 1 || width > TILE_WIDTH) {
    throw new ToolsumError("USAGE", `expected 1 to ${TILE_WIDTH} joined hashes, got ${hashes.length} bytes`)
  }
  const hasher = choosePairHasher(width - 1)
  hasher.row.set(hashes)
  for (let count = width; count > 1; count = joinRow(hasher, count));
  return hasher.row.slice(0, HASH_BYTES)
}

/** Roots of consecutive full tiles, 8192 bytes each: joined, in their order. Throws USAGE for another length. */
export function computeTileRoots(tiles: Uint8Array): Uint8Array {
  const count = tiles.length / MAX_TILE_BYTES
  if (!Number.isInteger(count)) {
    throw new ToolsumError("USAGE", `expected full tiles of ${MAX_TILE_BYTES} bytes each, got ${tiles.length} bytes`)
  }
  const hasher = choosePairHasher(count * (TILE_WIDTH - 1))
  const roots = new Uint8Array(count * HASH_BYTES)
  for (let from = 0; from < count; from += ROW_TILES) {
    const to = Math.min(from + ROW_TILES, count)
    hasher.row.set(tiles.subarray(from * MAX_TILE_BYTES, to * MAX_TILE_BYTES))
    for (let width = (to - from) * TILE_WIDTH; width > to - from; width = joinRow(hasher, width));
    roots.set(hasher.row.subarray(0, (to - from) * HASH_BYTES), from * HASH_BYTES)
  }
  return roots
}

const ROW_TILES = ROW_HASHES / TILE_WIDTH

/** Replace `count` hashes of the row by their parents and give the number of these. An odd last one has no sibling and rises as it is. */
function joinRow({ row, hashPairs }: PairHasher, count: number): number {
  const pairs = count >> 1
  const odd = count % 2 === 1 ? row.slice((count - 1) * HASH_BYTES, count * HASH_BYTES) : null
  hashPairs(pairs)
  if (odd) row.set(odd, pairs * HASH_BYTES)
  return pairs + (odd ? 1 : 0)
}
