// A log as a map from path to bytes: made from entries with our own functions, and read back by recomputing all that it says.
import { concatBytes, equalBytes } from "../../src/core/bytes.js"
import { type Hash, hashLeaf, hashNode } from "../../src/core/hash.js"
import { joinHashes, type TreeHead } from "../../src/core/merkle.js"
import { computeRoot, computeTreeHash, type NodeReader } from "../../src/core/merkle-tree.js"
import {
  formatBundle,
  formatBundlePath,
  formatTilePath,
  nodeFromTile,
  parseBundle,
  parseTile,
  TILE_HEIGHT,
  TILE_WIDTH,
  tileForNode,
} from "../../src/core/tile.js"
import { createRightEdge } from "./right-edge.js"
import { tilesForSize } from "./tiles-for-size.js"

export type Files = ReadonlyMap<string, Uint8Array>

/** Tiles, bundles and root of each size, from the subtrees that a growing right edge completes. */
export function tileLog(
  entries: readonly Uint8Array[],
  sizes: readonly number[],
): { files: Files; roots: Map<number, Hash> } {
  const edge = createRightEdge()
  const nodes: Hash[][] = []
  const files = new Map<string, Uint8Array>()
  const roots = new Map<number, Hash>()
  for (let size = 0; size <= entries.length; size++) {
    if (sizes.includes(size)) {
      roots.set(size, edge.root())
      for (const [path, bytes] of filesAt(size, entries, nodes)) files.set(path, bytes)
    }
    const entry = entries[size]
    if (entry === undefined) break
    for (const [level, hash] of edge.append(hashLeaf(entry)).entries()) {
      nodes[level] ??= []
      nodes[level].push(hash)
    }
  }
  return { files, roots }
}

function* filesAt(size: number, entries: readonly Uint8Array[], nodes: Hash[][]): Generator<[string, Uint8Array]> {
  for (const ref of tilesForSize(BigInt(size))) {
    const from = Number(ref.index) * TILE_WIDTH
    const hashes = nodes[ref.level * TILE_HEIGHT] ?? []
    yield [formatTilePath(ref), joinHashes(hashes.slice(from, from + ref.width))]
    if (ref.level === 0) yield [formatBundlePath(ref), formatBundle(entries.slice(from, from + ref.width))]
  }
}

const need = (files: Files, path: string): Uint8Array => {
  const bytes = files.get(path)
  if (bytes === undefined) throw new Error(`${path} is missing`)
  return bytes
}

/** Entries of a log, from its bundles. */
export const entriesOf = (files: Files, size: bigint): readonly Uint8Array[] =>
  [...tilesForSize(size)]
    .filter(({ level }) => level === 0)
    .flatMap((ref) => parseBundle(need(files, formatBundlePath(ref)), ref.width))

/** Reads nodes from tiles, each from the tile level where it is stored, but none above tile level `top`. */
export function tileReader(files: Files, size: bigint, top = 7): NodeReader {
  const read: NodeReader = (level, index) => {
    if (level > top * TILE_HEIGHT) return hashNode(read(level - 1, index * 2n), read(level - 1, index * 2n + 1n))
    const place = tileForNode({ level, index }, size)
    return nodeFromTile(parseTile(need(files, formatTilePath(place.ref)), place.ref), place)
  }
  return read
}

/** True when the root comes out of the bundles and out of every level of tiles. */
export function isWhole(files: Files, { size, rootHash }: TreeHead): boolean {
  const levels = new Set([...tilesForSize(size)].map(({ level }) => level))
  const roots = [...levels].map((top) => computeRoot(size, tileReader(files, size, top)))
  roots.push(computeTreeHash(entriesOf(files, size).map(hashLeaf)))
  return roots.every((root) => equalBytes(root, rootHash))
}

/** The files with one bit of one of them flipped. */
export function flipBit(files: Files, path: string, bit: number): Files {
  const bytes = concatBytes(need(files, path))
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return new Map([...files, [path, bytes]])
}
