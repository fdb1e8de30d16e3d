// Reads the tree of one verified head through tiles and entry bundles (C2SP tlog-tiles, brief 1.5). A tile counts only when it hashes up
// to the signed root: partial tiles on the right edge all together, a full tile against its place in the tile above. What has been
// verified is kept in memory for as long as the tree is used. A bundle yields the same hashes as its level-0 tile and stands in for it.
import { equalBytes } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { HASH_BYTES, type Hash, hashLeaf } from "../core/hash.js"
import type { TreeHead } from "../core/merkle.js"
import { computeRoot, computeTreeHash, type NodeReader, type NodeRef } from "../core/merkle-tree.js"
import {
  formatBundlePath,
  formatTilePath,
  MAX_ENTRY_BYTES,
  nodeFromTile,
  parseBundle,
  parseTile,
  TILE_HEIGHT,
  TILE_WIDTH,
  type TileRef,
  tileForNode,
} from "../core/tile.js"
import type { LogSource } from "../ports.js"

/** The tree of a verified head, read as far as it is asked for. Everything that comes out of it hashes to the head's root. Reading throws
 *  RESOURCE_MISSING when the log has no such file, HASH_MISMATCH when bytes do not belong to the tree, TILE_MALFORMED, LOG_UNAVAILABLE. */
export interface VerifiedTree {
  readonly head: TreeHead
  /** Hashes of complete subtrees of the tree, read together. The reader gives those that were asked for. */
  readNodes(nodes: readonly NodeRef[]): Promise<NodeReader>
  /** Entries `256 * bundle` to `256 * bundle + 255`, or to the end of the tree, in order. */
  readEntries(bundle: bigint): Promise<readonly Uint8Array[]>
}

type Hashes = readonly Hash[]

const WIDTH = BigInt(TILE_WIDTH)

/** The tree of `head`, which the caller has verified, in the log `source`. Reads nothing yet. */
export function createVerifiedTree(source: LogSource, head: TreeHead): VerifiedTree {
  const tiles = new TileCache(source, head)
  return {
    head,
    readNodes: async (nodes) => {
      const wanted = new Map(nodes.map((node) => tileForNode(node, head.size).ref).map((ref) => [keyOf(ref), ref]))
      const reading = [...wanted].map(async ([key, { level, index }]) => [key, await tiles.tile(level, index)] as const)
      const known = new Map(await Promise.all(reading))
      return (level, index) => nodeOf(known, { level, index }, head.size)
    },
    readEntries: (bundle) => tiles.entries(bundle),
  }
}

interface Place {
  readonly level: number
  readonly index: bigint
}

const keyOf = ({ level, index }: Place): string => `${level}/${index}`

/** Hash of a complete subtree from the tiles that were read. */
function nodeOf(known: ReadonlyMap<string, Hashes>, node: NodeRef, size: bigint): Hash {
  const place = tileForNode(node, size)
  const hashes = known.get(keyOf(place.ref))
  if (hashes === undefined) throw new RangeError(`subtree ${node.level}/${node.index} was not read`)
  return nodeFromTile(hashes, place)
}

/** What is kept of one tree; older parts are read again. */
const MAX_TILES = 1024
const MAX_BUNDLES = 32

/** Verified tiles and bundles, each read once; what failed is read again. */
class TileCache {
  readonly #source: LogSource
  readonly #head: TreeHead
  readonly #tiles = new Map<string, Promise<Hashes>>()
  readonly #bundles = new Map<bigint, Promise<readonly Uint8Array[]>>()
  #edge: Promise<ReadonlyMap<string, Hashes>> | null = null

  constructor(source: LogSource, head: TreeHead) {
    this.#source = source
    this.#head = head
  }

  /** The tile at a place, as wide as the tree has it there. */
  tile(level: number, index: bigint): Promise<Hashes> {
    return remember({ memory: this.#tiles, key: keyOf({ level, index }), most: MAX_TILES }, async () => {
      const ref = refOf({ level, index }, this.#head.size)
      if (ref.width < TILE_WIDTH) return this.#edgeTile(ref, null)
      return this.#verify(ref, fetchTile(this.#source, ref), formatTilePath(ref))
    })
  }

  /** The entries of a bundle. Their hashes stand in for the level-0 tile, or must agree with it. */
  entries(bundle: bigint): Promise<readonly Uint8Array[]> {
    return remember({ memory: this.#bundles, key: bundle, most: MAX_BUNDLES }, async () => {
      const ref = refOf({ level: 0, index: bundle }, this.#head.size)
      const path = formatBundlePath(ref)
      const reading = fetchBundle(this.#source, ref)
      const leaves = reading.then((entries) => entries.map(hashLeaf))
      leaves.catch(() => undefined) // it may fail before anybody waits for it
      const verified = remember({ memory: this.#tiles, key: keyOf(ref), most: MAX_TILES }, async () =>
        ref.width < TILE_WIDTH ? this.#edgeTile(ref, await leaves) : this.#verify(ref, leaves, path),
      )
      if (!isSame(await verified, await leaves)) throw foreign(this.#source, path)
      return reading
    })
  }

  /** Check the hashes of a full tile, or of the bundle that stands in for it, against the tile above. */
  async #verify(ref: TileRef, hashes: Promise<Hashes>, path: string): Promise<Hashes> {
    const [expected, found] = await Promise.all([this.#parentHash(ref), hashes])
    if (!equalBytes(computeTreeHash(found), expected)) throw foreign(this.#source, path)
    return found
  }

  async #parentHash({ level, index }: Place): Promise<Hash> {
    const parent = await this.tile(level + 1, index / WIDTH)
    const hash = parent[Number(index % WIDTH)]
    if (hash === undefined) throw outside(this.#head.size)
    return hash
  }

  /** A tile on the right edge; `leaves`: the level-0 tile there, when the caller has that from the bundle. */
  async #edgeTile(ref: TileRef, leaves: Hashes | null): Promise<Hashes> {
    this.#edge ??= verifyEdge(this.#source, this.#head, leaves)
    const edge = this.#edge
    edge.catch(() => {
      if (this.#edge === edge) this.#edge = null
    })
    const hashes = (await edge).get(keyOf(ref))
    if (hashes === undefined) throw outside(this.#head.size)
    return hashes
  }
}

/** The value in memory, or that of `work`, which is then kept unless it fails. The oldest values make room. */
function remember<K, V>(
  { memory, key, most }: { memory: Map<K, Promise<V>>; key: K; most: number },
  work: () => Promise<V>,
): Promise<V> {
  const known = memory.get(key)
  if (known !== undefined) return known
  const running = work()
  memory.set(key, running)
  running.catch(() => memory.delete(key))
  const [oldest] = memory.keys()
  if (memory.size > most && oldest !== undefined) memory.delete(oldest)
  return running
}

const isSame = (a: Hashes, b: Hashes): boolean =>
  a.length === b.length && a.every((hash, i) => equalBytes(hash, b[i] ?? new Uint8Array(0)))

const foreign = (source: LogSource, what: string) =>
  new ToolsumError("HASH_MISMATCH", `${what} of ${quote(source.location)} does not hash to the signed root`)

const outside = (size: bigint) => new ToolsumError("RESOURCE_MISSING", `nothing is there in a tree of size ${size}`)

/** The tile at a place, as wide as a tree of `size` has it. */
function refOf({ level, index }: Place, size: bigint): TileRef {
  const left = (size >> BigInt(level * TILE_HEIGHT)) - index * WIDTH
  if (index < 0n || left <= 0n) throw outside(size)
  return { level, index, width: left >= WIDTH ? TILE_WIDTH : Number(left) }
}

/** The partial tiles of a tree, one a level at most. */
function edgeRefs(size: bigint): readonly TileRef[] {
  const refs: TileRef[] = []
  for (let level = 0; size >> BigInt(level * TILE_HEIGHT) > 0n; level++) {
    const count = size >> BigInt(level * TILE_HEIGHT)
    if (count % WIDTH > 0n) refs.push({ level, index: count / WIDTH, width: Number(count % WIDTH) })
  }
  return refs
}

/** Read the right edge and check that it hashes to the root: each of its hashes is part of that. */
async function verifyEdge(
  source: LogSource,
  { size, rootHash }: TreeHead,
  leaves: Hashes | null,
): Promise<ReadonlyMap<string, Hashes>> {
  const read = edgeRefs(size).map(async (ref) => {
    const hashes = ref.level === 0 && leaves !== null ? leaves : await fetchTile(source, ref)
    return [keyOf(ref), hashes] as const
  })
  const edge = new Map(await Promise.all(read))
  const root = computeRoot(size, (level, index) => nodeOf(edge, { level, index }, size))
  if (!equalBytes(root, rootHash)) throw foreign(source, `the right edge at size ${size}`)
  return edge
}

async function fetchTile(source: LogSource, ref: TileRef): Promise<Hashes> {
  const { bytes, width } = await fetchWide(source, ref.width, (width) => ({
    path: formatTilePath({ ...ref, width }),
    maxBytes: width * HASH_BYTES,
  }))
  return parseTile(bytes, { ...ref, width }).slice(0, ref.width)
}

async function fetchBundle(source: LogSource, ref: TileRef): Promise<readonly Uint8Array[]> {
  const { bytes, width } = await fetchWide(source, ref.width, (width) => ({
    path: formatBundlePath({ index: ref.index, width }),
    maxBytes: width * (2 + MAX_ENTRY_BYTES),
  }))
  return parseBundle(bytes, width).slice(0, ref.width)
}

/** Read a file of that width; once the log has grown a partial one may be gone, and the full one begins with it. */
async function fetchWide(
  source: LogSource,
  width: number,
  fileOf: (width: number) => { readonly path: string; readonly maxBytes: number },
): Promise<{ readonly bytes: Uint8Array; readonly width: number }> {
  const { path } = fileOf(width)
  for (const wide of width === TILE_WIDTH ? [width] : [width, TILE_WIDTH]) {
    const file = fileOf(wide)
    const bytes = await source.read(file.path, file.maxBytes)
    if (bytes !== null) return { bytes, width: wide }
  }
  throw new ToolsumError("RESOURCE_MISSING", `${quote(source.location)} has no ${path}`)
}
