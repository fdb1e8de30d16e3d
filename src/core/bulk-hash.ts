// Hashes of many entries and roots of many tiles at once, over joined hashes (RFC 9162 §2.1.1): what reading a whole log costs.
// The same values as `hashLeaf` and `computeTreeHash` give one by one.
import { sha256Into } from "#crypto"
import { ToolsumError } from "./errors.js"
import { HASH_BYTES, type Hash, hashLeaf } from "./hash.js"
import { MAX_TILE_BYTES, TILE_WIDTH } from "./tile.js"

/** Write the leaf hashes of `entries`, one after another, to the start of `out`. Throws USAGE when `out` is too short. */
export function hashEntries(entries: readonly Uint8Array[], out: Uint8Array): void {
  requireRoom(out, entries.length * HASH_BYTES)
  for (const [i, entry] of entries.entries()) out.set(hashLeaf(entry), i * HASH_BYTES)
}

/** Root hash of 1 to 256 joined hashes, by the recursive definition of RFC 9162 §2.1.1. Throws USAGE for any other length. */
export function computeTileRoot(hashes: Uint8Array): Hash {
  const width = hashes.length / HASH_BYTES
  if (!Number.isInteger(width) || width < 1 || width > TILE_WIDTH) {
    throw new ToolsumError("USAGE", `expected 1 to ${TILE_WIDTH} joined hashes, got ${hashes.length} bytes`)
  }
  const row = new Uint8Array(hashes)
  for (let count = width; count > 1; count = joinRow(row, count));
  return row.slice(0, HASH_BYTES)
}

/** Roots of consecutive full tiles, 8192 bytes each: joined, in their order. Throws USAGE for another length. */
export function computeTileRoots(tiles: Uint8Array): Uint8Array {
  if (tiles.length % MAX_TILE_BYTES !== 0) {
    throw new ToolsumError("USAGE", `expected full tiles of ${MAX_TILE_BYTES} bytes each, got ${tiles.length} bytes`)
  }
  const row = new Uint8Array(tiles)
  for (let count = tiles.length / HASH_BYTES; count > tiles.length / MAX_TILE_BYTES; count = joinRow(row, count));
  return row.slice(0, tiles.length / TILE_WIDTH)
}

function requireRoom(out: Uint8Array, bytes: number): void {
  if (out.length < bytes) throw new ToolsumError("USAGE", `expected room for ${bytes} bytes, got ${out.length}`)
}

const pair = new Uint8Array(1 + 2 * HASH_BYTES)
pair[0] = 1

/** Replace `count` joined hashes by their parents and give the number of these. An odd last one has no sibling and rises as it is. */
function joinRow(row: Uint8Array, count: number): number {
  for (let i = 0; i + 1 < count; i += 2) {
    pair.set(row.subarray(i * HASH_BYTES, (i + 2) * HASH_BYTES), 1)
    sha256Into(pair, row, (i / 2) * HASH_BYTES)
  }
  if (count % 2 === 1) row.copyWithin((count >> 1) * HASH_BYTES, (count - 1) * HASH_BYTES, count * HASH_BYTES)
  return (count + 1) >> 1
}
