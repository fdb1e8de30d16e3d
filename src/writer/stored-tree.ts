// Reading one tree of the log back from its storage: entries, inclusion proofs, roots of smaller trees. What is returned as proven was
// checked against the head; stored bytes that do not fit are STATE_CORRUPT, never called a fork.
import { equalBytes } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { EMPTY_ROOT, type Hash, hashLeaf, hashNode } from "../core/hash.js"
import { type TreeHead, verifyConsistency, verifyInclusion } from "../core/merkle.js"
import {
  buildConsistencyProof,
  buildInclusionProof,
  computeRoot,
  type NodeReader,
  type NodeRef,
  nodesForConsistency,
  nodesForInclusion,
  nodesForRoot,
} from "../core/merkle-tree.js"
import {
  formatBundlePath,
  formatTilePath,
  MAX_BUNDLE_BYTES,
  MAX_TILE_BYTES,
  parseBundle,
  parseTile,
  parseTilePath,
  TILE_HEIGHT,
  TILE_WIDTH,
  tileForNode,
} from "../core/tile.js"
import type { ReadFile } from "./edge.js"

const WIDTH = BigInt(TILE_WIDTH)
const MAX_CACHED = 64
const MAX_COMPUTED = 100_000

/** An entry that is proven to be in the tree. */
export interface ProvenEntry {
  readonly index: bigint
  readonly entry: Uint8Array
  readonly leafHash: Hash
  /** Sibling hashes, leaf side first. */
  readonly proof: readonly Hash[]
}

/** One tree of the log. */
export interface StoredTree {
  readonly head: TreeHead
  /** Entries `from` up to, not including, `to`, as stored. Throws STATE_CORRUPT. */
  entries(from: bigint, to: bigint): AsyncGenerator<{ readonly index: bigint; readonly entry: Uint8Array }>
  /** Entry `index` with its proof, checked against the head. Throws STATE_CORRUPT, USAGE for an index that is not in the tree. */
  prove(index: bigint): Promise<ProvenEntry>
  /** Root hash of the first `size` entries, proven by consistency with the head. Throws STATE_CORRUPT when the stored tiles do not
   *  hash to the head. */
  rootAt(size: bigint): Promise<Hash>
  /** Consistency proof from the first `size` entries (1 to the tree's size) to the head. Throws as `rootAt`. */
  proveFrom(size: bigint): Promise<readonly Hash[]>
}

/** The tree `head` in the files that `read` returns. Keeps some of what it has read, so make one per head. */
export function createStoredTree(read: ReadFile, head: TreeHead): StoredTree {
  const readTile = cached((path) => loadTile(read, path))
  const readBundle = cached((key) => loadBundle(read, head.size, BigInt(key)))
  const computed = new Map<string, Hash>()

  const readNodes = async (needed: readonly NodeRef[]): Promise<NodeReader> => {
    const paths = [...new Set(needed.map((node) => formatTilePath(tileForNode(node, head.size).ref)))]
    const tiles = await Promise.all(paths.map(async (path) => [path, await readTile(path)] as const))
    if (computed.size > MAX_COMPUTED) computed.clear()
    return createNodeReader(new Map(tiles), head.size, computed)
  }
  const entryAt = async (index: bigint): Promise<Uint8Array> => {
    const bundle = await readBundle(`${index / WIDTH}`)
    const entry = bundle[Number(index % WIDTH)]
    if (entry === undefined) throw corrupt(`entry ${index} is missing`)
    return entry
  }
  const prefixOf = async (size: bigint): Promise<{ older: TreeHead; proof: readonly Hash[] }> => {
    const nodes = await readNodes([...nodesForRoot(size), ...nodesForConsistency(size, head.size)])
    const older = { size, rootHash: computeRoot(size, nodes) }
    const proof = buildConsistencyProof(size, head.size, nodes)
    verifyStoredPrefix({ older, newer: head, proof })
    return { older, proof }
  }
  return {
    head,
    async *entries(from, to) {
      for (let index = from; index < to; index++) yield { index, entry: await entryAt(index) }
    },
    async prove(index) {
      if (index < 0n || index >= head.size) {
        throw new ToolsumError("USAGE", `expected an index below ${head.size}, got ${index}`)
      }
      const entry = await entryAt(index)
      const leafHash = hashLeaf(entry)
      const proof = buildInclusionProof(index, head.size, await readNodes(nodesForInclusion(index, head.size)))
      verifyStored({ leafHash, index, proof, head })
      return { index, entry, leafHash, proof }
    },
    async rootAt(size) {
      if (size === 0n) return EMPTY_ROOT
      if (size === head.size) return head.rootHash
      return (await prefixOf(size)).older.rootHash
    },
    proveFrom: async (size) => (size === head.size ? [] : (await prefixOf(size)).proof),
  }
}

function verifyStored(p: { leafHash: Hash; index: bigint; proof: readonly Hash[]; head: TreeHead }): void {
  try {
    verifyInclusion(p)
  } catch (cause) {
    throw new ToolsumError("STATE_CORRUPT", `the stored entry ${p.index} is not in the tree`, { cause })
  }
}

function verifyStoredPrefix(p: { older: TreeHead; newer: TreeHead; proof: readonly Hash[] }): void {
  try {
    verifyConsistency(p)
  } catch (cause) {
    throw new ToolsumError("STATE_CORRUPT", `the stored tiles up to entry ${p.older.size} are not of the tree`, {
      cause,
    })
  }
}

/** True when the tree begins with the tree `older`, or is that; false when it is proven to begin with another one. Throws STATE_CORRUPT
 *  when the stored tiles prove neither. */
export const beginsWith = async (tree: StoredTree, older: TreeHead): Promise<boolean> =>
  older.size <= tree.head.size && equalBytes(await tree.rootAt(older.size), older.rootHash)

const corrupt = (why: string) => new ToolsumError("STATE_CORRUPT", why)

/** Hashes of a tile. A partial one may have been collected since a larger tree filled it. */
async function loadTile(read: ReadFile, path: string): Promise<readonly Hash[]> {
  const ref = parseTilePath(path)
  const own = await read(`public/${path}`, MAX_TILE_BYTES)
  if (own !== null) return parseTile(own, ref)
  const full = { ...ref, width: TILE_WIDTH }
  const larger = ref.width < TILE_WIDTH ? await read(`public/${formatTilePath(full)}`, MAX_TILE_BYTES) : null
  if (larger === null) throw corrupt(`${path} is missing`)
  return parseTile(larger, full).slice(0, ref.width)
}

/** Entries of bundle `index` as far as a tree of `size` fills it. */
async function loadBundle(read: ReadFile, size: bigint, index: bigint): Promise<readonly Uint8Array[]> {
  const left = size - index * WIDTH
  const width = left < WIDTH ? Number(left) : TILE_WIDTH
  const own = await read(`public/${formatBundlePath({ index, width })}`, MAX_BUNDLE_BYTES)
  if (own !== null) return parseBundle(own, width)
  const full = formatBundlePath({ index, width: TILE_WIDTH })
  const larger = width < TILE_WIDTH ? await read(`public/${full}`, MAX_BUNDLE_BYTES) : null
  if (larger === null) throw corrupt(`${formatBundlePath({ index, width })} is missing`)
  return parseBundle(larger, TILE_WIDTH).slice(0, width)
}

/** `load` with a memory of what it returned. Many who ask for one key at the same time share a load. */
function cached<T>(load: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const values = new Map<string, Promise<T>>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined) return known
    if (values.size >= MAX_CACHED) values.clear()
    const value = load(key)
    values.set(key, value)
    // A failure is not remembered: the next one to ask may be luckier.
    value.catch(() => values.delete(key))
    return value
  }
}

/** Hash of a complete subtree: stored at the lowest level of its tile, computed once above it. */
function createNodeReader(
  tiles: ReadonlyMap<string, readonly Hash[]>,
  size: bigint,
  computed: Map<string, Hash>,
): NodeReader {
  const stored = (node: NodeRef): Hash => {
    const { ref, from } = tileForNode(node, size)
    const hash = tiles.get(formatTilePath(ref))?.[from]
    if (hash === undefined) throw corrupt("expected a hash in a tile")
    return hash
  }
  const read = (level: number, index: bigint): Hash => {
    if (level % TILE_HEIGHT === 0) return stored({ level, index })
    const key = `${level}/${index}`
    const known = computed.get(key)
    if (known !== undefined) return known
    const hash = hashNode(read(level - 1, 2n * index), read(level - 1, 2n * index + 1n))
    computed.set(key, hash)
    return hash
  }
  return read
}
