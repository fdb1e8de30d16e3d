// Tiles and entry bundles (C2SP tlog-tiles, brief 1.5): their paths, which tile holds a node, and their bytes. A path is parsed, written
// again and compared, so that each resource has one spelling. Nothing here is verified: bytes are as served.
import { MAX_DECIMAL } from "./bytes.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import { HASH_BYTES, type Hash } from "./hash.js"
import { splitHashes } from "./merkle.js"
import { computeTreeHash, type NodeRef } from "./merkle-tree.js"

/** Hashes of a full tile, entries of a full bundle. */
export const TILE_WIDTH = 256
/** Levels of the tree that one tile level spans. */
export const TILE_HEIGHT = 8
/** Highest tile level. */
export const MAX_TILE_LEVEL = 63
/** Bytes of a full tile. */
export const MAX_TILE_BYTES = TILE_WIDTH * HASH_BYTES
/** Longest entry: its length has two bytes. */
export const MAX_ENTRY_BYTES = 65535
/** Bytes of the largest bundle. */
export const MAX_BUNDLE_BYTES = TILE_WIDTH * (2 + MAX_ENTRY_BYTES)

/** A hash tile: `width` 256 is the full one, 1 to 255 a partial one. */
export interface TileRef {
  readonly level: number
  readonly index: bigint
  readonly width: number
}

/** An entry bundle; `width` as for tiles. */
export interface BundleRef {
  readonly index: bigint
  readonly width: number
}

/** Where a complete subtree lies in a tile: its root is the tree hash of `count` hashes (a power of two) starting at `from`. */
export interface TilePlace {
  readonly ref: TileRef
  readonly from: number
  readonly count: number
}

const bad: Bad = (why) => new ToolsumError("TILE_MALFORMED", why)
const WIDTH = BigInt(TILE_WIDTH)

/** Path of a tile under the log's prefix: `tile/<L>/<N>[.p/<W>]`. Throws TILE_MALFORMED for a level, index or width out of range. */
export function formatTilePath({ level, index, width }: TileRef): string {
  if (!Number.isInteger(level) || level < 0 || level > MAX_TILE_LEVEL) {
    throw bad(`expected a tile level from 0 to ${MAX_TILE_LEVEL}, got ${level}`)
  }
  return `tile/${level}/${formatIndex(index, width)}`
}

/** Path of an entry bundle: `tile/entries/<N>[.p/<W>]`. Throws TILE_MALFORMED for an index or width out of range. */
export const formatBundlePath = ({ index, width }: BundleRef): string => `tile/entries/${formatIndex(index, width)}`

// Groups of three digits, all but the last with an `x` in front: 1234067 is x001/x234/067.
function formatIndex(index: bigint, width: number): string {
  if (index < 0n || index > MAX_DECIMAL) throw bad(`expected a tile index below 2^63, got ${index}`)
  requireWidth(width)
  const digits = index.toString()
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, "0")
  const groups = padded.slice(0, -3).replace(/.{3}/g, "x$&/")
  return `${groups}${padded.slice(-3)}${width === TILE_WIDTH ? "" : `.p/${width}`}`
}

function requireWidth(width: number): void {
  if (!Number.isInteger(width) || width < 1 || width > TILE_WIDTH) {
    throw bad(`expected a tile width from 1 to ${TILE_WIDTH}, got ${width}`)
  }
}

const PATH = /^tile\/([0-9]{1,2}|entries)\/((?:x[0-9]{3}\/){0,6}[0-9]{3})(?:\.p\/([0-9]{1,3}))?$/

/** Read a tile path. Throws TILE_MALFORMED for any other spelling. */
export function parseTilePath(path: string): TileRef {
  const { kind, index, width } = parsePath(path)
  if (kind === "entries") throw bad(`expected a tile path, got ${quote(path)}`)
  const ref = { level: Number(kind), index, width }
  if (formatTilePath(ref) !== path) throw bad(`expected ${formatTilePath(ref)}, got ${quote(path)}`)
  return ref
}

/** Read a bundle path. Throws TILE_MALFORMED for any other spelling. */
export function parseBundlePath(path: string): BundleRef {
  const { kind, index, width } = parsePath(path)
  if (kind !== "entries") throw bad(`expected a bundle path, got ${quote(path)}`)
  const ref = { index, width }
  if (formatBundlePath(ref) !== path) throw bad(`expected ${formatBundlePath(ref)}, got ${quote(path)}`)
  return ref
}

function parsePath(path: string): { kind: string; index: bigint; width: number } {
  const [, kind, groups, width] = PATH.exec(path) ?? []
  if (kind === undefined || groups === undefined) {
    throw bad(`expected tile/<L>/<N> or tile/entries/<N>, got ${quote(path)}`)
  }
  return { kind, index: BigInt(groups.replace(/[x/]/g, "")), width: width === undefined ? TILE_WIDTH : Number(width) }
}

// Width of tile `index` where its level has `count` hashes.
function widthAt(count: bigint, index: bigint): number {
  const left = count - index * WIDTH
  return left < WIDTH ? Number(left) : TILE_WIDTH
}

/**
 * Where a complete subtree lies in the tiles of a tree of `size`: the tile as wide as that tree has it, and the hashes in it.
 * Throws USAGE when the tree has no such complete subtree.
 */
export function tileForNode(node: NodeRef, size: bigint): TilePlace {
  if (node.index < 0n || (node.index + 1n) << BigInt(node.level) > size) {
    throw new ToolsumError("USAGE", `no complete subtree ${node.level}/${node.index} in a tree of size ${size}`)
  }
  const level = Math.floor(node.level / TILE_HEIGHT)
  const count = 2 ** (node.level % TILE_HEIGHT)
  const first = node.index * BigInt(count)
  const index = first / WIDTH
  const width = widthAt(size >> BigInt(TILE_HEIGHT * level), index)
  return { ref: { level, index, width }, from: Number(first % WIDTH), count }
}

/** Root hash of the subtree at `place` from the hashes of its tile, or of a wider one. Throws TILE_MALFORMED if there are too few. */
export function nodeFromTile(hashes: readonly Hash[], { from, count }: Omit<TilePlace, "ref">): Hash {
  if (hashes.length < from + count) throw bad(`expected a tile of ${from + count} hashes or more, got ${hashes.length}`)
  return computeTreeHash(hashes.slice(from, from + count))
}

/** Hashes of a tile, copied. Throws TILE_MALFORMED unless there are exactly `width`. */
export function parseTile(bytes: Uint8Array, { width }: { readonly width: number }): readonly Hash[] {
  if (bytes.length !== width * HASH_BYTES) throw bad(`expected a tile of ${width} hashes, got ${bytes.length} bytes`)
  return splitHashes(bytes, bad)
}

/** Entries of a bundle, copied. Throws TILE_MALFORMED unless there are exactly `width` and nothing is left over. */
export function parseBundle(bytes: Uint8Array, width: number): readonly Uint8Array[] {
  const own = new Uint8Array(bytes) // one copy, shared by the entries; `slice` of a Node Buffer would not copy
  const entries: Uint8Array[] = []
  let at = 0
  while (entries.length < width) {
    const [high, low] = [own[at], own[at + 1]]
    if (high === undefined || low === undefined) throw bad(`expected ${width} entries, got ${entries.length}`)
    const end = at + 2 + high * 256 + low
    if (end > own.length) throw bad(`entry ${entries.length} of a bundle is cut off`)
    entries.push(own.subarray(at + 2, end))
    at = end
  }
  if (at !== own.length) throw bad(`expected nothing after ${width} entries, got ${own.length - at} bytes`)
  return entries
}

/** Bytes of a bundle of 1 to 256 entries. Throws TILE_MALFORMED for another number, or an entry over 65535 bytes. */
export function formatBundle(entries: readonly Uint8Array[]): Uint8Array {
  requireWidth(entries.length)
  const bytes = new Uint8Array(entries.reduce((sum, entry) => sum + 2 + entry.length, 0))
  let at = 0
  for (const entry of entries) {
    if (entry.length > MAX_ENTRY_BYTES) {
      throw bad(`expected entries of at most ${MAX_ENTRY_BYTES} bytes, got ${entry.length}`)
    }
    bytes.set([entry.length >> 8, entry.length & 255], at)
    bytes.set(entry, at + 2)
    at += 2 + entry.length
  }
  return bytes
}
