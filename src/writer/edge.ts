// The right edge of the tree, which new entries join, and the incremental way to the next tree: new entry bundles, tiles and root
// (C2SP tlog-tiles, brief 1.5). Pure. second-root.ts checks the result in another way before it is signed.
import { equalBytes } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { EMPTY_ROOT, type Hash, hashLeaf, hashNode } from "../core/hash.js"
import { joinHashes, type TreeHead } from "../core/merkle.js"
import {
  formatBundle,
  formatBundlePath,
  formatTilePath,
  MAX_BUNDLE_BYTES,
  MAX_TILE_BYTES,
  parseBundle,
  parseTile,
  TILE_WIDTH,
} from "../core/tile.js"
import type { TileStore } from "../ports.js"
import type { StagedFile } from "./staging.js"

const WIDTH = BigInt(TILE_WIDTH)

/** Reads a file below public/ or private/, null where nothing is. */
export type ReadFile = (key: string, maxBytes: number) => Promise<Uint8Array | null>

/** Reading from a store. */
export const readerOf =
  (store: Pick<TileStore, "read">): ReadFile =>
  (key, maxBytes) =>
    store.read(key, maxBytes)

/** A tree, as far as adding to it needs it. `entries`: those of the last, incomplete bundle (0 to 255). `tiles`: per level the hashes
 *  of the last, incomplete tile (0 to 255). */
export interface Edge {
  readonly head: TreeHead
  readonly entries: readonly Uint8Array[]
  readonly tiles: readonly (readonly Hash[])[]
}

/** The edge of the empty tree. */
export const EMPTY_EDGE: Edge = { head: { size: 0n, rootHash: EMPTY_ROOT }, entries: [], tiles: [] }

/** Add entries (at least one). Returns the new edge and every bundle and tile that the new size has and the old one had not. */
export function extendEdge(edge: Edge, entries: readonly Uint8Array[]): { edge: Edge; files: readonly StagedFile[] } {
  const oldSize = edge.head.size
  const size = oldSize + BigInt(entries.length)
  const bundled = [...edge.entries, ...entries]
  const files = cut(bundled).map((chunk, i) => bundleFile(oldSize / WIDTH + BigInt(i), chunk))
  const tiles: (readonly Hash[])[] = []
  let added: readonly Hash[] = entries.map(hashLeaf)
  let first = oldSize / WIDTH // index of the first tile of this level that changes
  for (let level = 0; added.length > 0 || level < edge.tiles.length; level++) {
    const before = edge.tiles[level] ?? []
    const rows = added.length > 0 ? cut([...before, ...added]) : []
    for (const [i, row] of rows.entries()) files.push(tileFile(level, first + BigInt(i), row))
    tiles.push(rows.length > 0 ? (rows.find((row) => row.length < TILE_WIDTH) ?? []) : before)
    added = rows.filter((row) => row.length === TILE_WIDTH).map(hashFullTree)
    first /= WIDTH
  }
  const kept = bundled.slice(bundled.length - Number(size % WIDTH))
  return { edge: { head: { size, rootHash: hashEdge(tiles) }, entries: kept, tiles }, files }
}

/** Load the edge of the tree `head` from its stored files, and check that they hash to its root and the last bundle to its tile.
 *  Throws STATE_CORRUPT when they do not or when one is missing. */
export async function loadEdge(read: ReadFile, head: TreeHead): Promise<Edge> {
  const tiles: (readonly Hash[])[] = []
  let count = head.size
  for (let level = 0; count > 0n; level++) {
    const ref = { level, index: count / WIDTH, width: Number(count % WIDTH) }
    tiles.push(ref.width === 0 ? [] : parseTile(await need(read, formatTilePath(ref), MAX_TILE_BYTES), ref))
    count /= WIDTH
  }
  const last = { index: head.size / WIDTH, width: Number(head.size % WIDTH) }
  const entries =
    last.width === 0 ? [] : parseBundle(await need(read, formatBundlePath(last), MAX_BUNDLE_BYTES), last.width)
  if (!equalBytes(hashEdge(tiles), head.rootHash))
    throw corrupt("the stored right edge does not hash to the signed root")
  if (!equalBytes(joinHashes(entries.map(hashLeaf)), joinHashes(tiles[0] ?? []))) {
    throw corrupt("the last entry bundle does not hash to its tile")
  }
  return { head, entries, tiles }
}

const corrupt = (why: string) => new ToolsumError("STATE_CORRUPT", why)

async function need(read: ReadFile, path: string, maxBytes: number): Promise<Uint8Array> {
  const bytes = await read(`public/${path}`, maxBytes)
  if (bytes === null) throw corrupt(`${path} is missing`)
  return bytes
}

function bundleFile(index: bigint, entries: readonly Uint8Array[]): StagedFile {
  return { key: `public/${formatBundlePath({ index, width: entries.length })}`, bytes: formatBundle(entries) }
}

function tileFile(level: number, index: bigint, hashes: readonly Hash[]): StagedFile {
  return { key: `public/${formatTilePath({ level, index, width: hashes.length })}`, bytes: joinHashes(hashes) }
}

/** In rows of a tile's width; the last may be shorter. */
function cut<T>(all: readonly T[]): (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / TILE_WIDTH) }, (_, i) =>
    all.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH),
  )
}

/** Root of a complete subtree: its hashes, a power of two of them, paired until one is left. */
function hashFullTree(hashes: readonly Hash[]): Hash {
  let row = hashes
  while (row.length > 1) row = pairUp(row)
  return row[0] ?? EMPTY_ROOT
}

function pairUp(row: readonly Hash[]): readonly Hash[] {
  const parents: Hash[] = []
  for (let i = 1; i < row.length; i += 2) parents.push(hashNode(row[i - 1] ?? EMPTY_ROOT, row[i] ?? EMPTY_ROOT))
  return parents
}

/** Root of the whole tree: from the right, each complete subtree joins what lies to its right. */
function hashEdge(tiles: readonly (readonly Hash[])[]): Hash {
  let root: Hash | null = null
  for (const hashes of tiles) {
    let end = hashes.length
    for (let width = 1; end > 0; width *= 2) {
      if ((hashes.length & width) === 0) continue
      const left = hashFullTree(hashes.slice(end - width, end))
      root = root === null ? left : hashNode(left, root)
      end -= width
    }
  }
  return root ?? EMPTY_ROOT
}
