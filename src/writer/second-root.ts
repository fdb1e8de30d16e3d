// The second way to the next root (brief 5.2 step 3): from the staging file and the right-edge tiles as they lie in the storage, with
// the plain recursive definition of RFC 6962 §2.1 and none of the incremental code. One flipped bit in a staged leaf ended a public
// log (brief 2.4), so every staged tile is rebuilt and compared too. Cost: a few hundred hashes per level, whatever the size.
import { equalBytes } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { EMPTY_ROOT, type Hash, hashLeaf } from "../core/hash.js"
import { joinHashes, type TreeHead } from "../core/merkle.js"
import { computeTreeHash } from "../core/merkle-tree.js"
import { formatBundlePath, formatTilePath, MAX_TILE_BYTES, parseBundle, parseTile, TILE_WIDTH } from "../core/tile.js"
import type { ReadFile } from "./edge.js"
import type { Staging } from "./staging.js"

const WIDTH = BigInt(TILE_WIDTH)

/** Hashes of one level of the tree from index `start`, a multiple of 256, to the right edge. */
interface LevelHashes {
  readonly start: bigint
  readonly hashes: readonly Hash[]
}

/** Rebuild the tree of a staged step. Throws STATE_CORRUPT when the staged bundles and tiles are not exactly those of that tree. */
export async function recomputeHead(read: ReadFile, staging: Staging): Promise<TreeHead> {
  const { oldSize, newSize } = staging
  const staged = new Map(staging.files.map(({ key, bytes }) => [key, bytes]))
  const taken = new Set<string>()
  const take = (path: string): Uint8Array => {
    const bytes = staged.get(`public/${path}`)
    if (bytes === undefined) throw corrupt(`${path} is not staged`)
    taken.add(`public/${path}`)
    return bytes
  }
  const levels = [readLeaves(staging, take)]
  for (let level = 0, old = oldSize, count = newSize; ; level++) {
    const here = levels[level] ?? { start: 0n, hashes: [] }
    if (old < count) compareTiles(level, here, take)
    old /= WIDTH
    count /= WIDTH
    if (count === 0n) break
    levels.push(await climb(read, level + 1, here, old))
  }
  for (const key of staged.keys()) {
    if (key.startsWith("public/tile/") && !taken.has(key)) throw corrupt(`${key} is staged but not part of the tree`)
  }
  return { size: newSize, rootHash: foldLevels(levels) }
}

const corrupt = (why: string) => new ToolsumError("STATE_CORRUPT", `the staged step does not hold: ${why}`)

/** Leaf hashes of the staged bundles, which begin with the bundle that was incomplete. */
function readLeaves({ oldSize, newSize }: Staging, take: (path: string) => Uint8Array): LevelHashes {
  const start = oldSize - (oldSize % WIDTH)
  const hashes: Hash[] = []
  for (let at = start; at < newSize; at += WIDTH) {
    const width = Number(newSize - at < WIDTH ? newSize - at : WIDTH)
    const bundle = take(formatBundlePath({ index: at / WIDTH, width }))
    for (const entry of parseBundle(bundle, width)) hashes.push(hashLeaf(entry))
  }
  return { start, hashes }
}

function compareTiles(level: number, { start, hashes }: LevelHashes, take: (path: string) => Uint8Array): void {
  for (let at = 0; at < hashes.length; at += TILE_WIDTH) {
    const tile = hashes.slice(at, at + TILE_WIDTH)
    const path = formatTilePath({ level, index: start / WIDTH + BigInt(at / TILE_WIDTH), width: tile.length })
    if (!equalBytes(take(path), joinHashes(tile))) throw corrupt(`${path} differs`)
  }
}

/** The next level: what its last tile held before (`oldCount` hashes in all), then the roots of the full tiles of `below`. */
async function climb(read: ReadFile, level: number, below: LevelHashes, oldCount: bigint): Promise<LevelHashes> {
  const start = oldCount - (oldCount % WIDTH)
  const ref = { level, index: start / WIDTH, width: Number(oldCount - start) }
  const hashes: Hash[] = []
  if (ref.width > 0) {
    const bytes = await read(`public/${formatTilePath(ref)}`, MAX_TILE_BYTES)
    if (bytes === null) throw corrupt(`${formatTilePath(ref)} is missing`)
    hashes.push(...parseTile(bytes, ref))
  }
  for (let at = 0; at + TILE_WIDTH <= below.hashes.length; at += TILE_WIDTH) {
    hashes.push(computeTreeHash(below.hashes.slice(at, at + TILE_WIDTH)))
  }
  return { start, hashes }
}

/** Root of the tree: the incomplete tile of each level is a tree whose last leaf is the root of all that lies below and to the right. */
function foldLevels(levels: readonly LevelHashes[]): Hash {
  let rest: Hash | null = null
  for (const { hashes } of levels) {
    const loose = hashes.slice(hashes.length - (hashes.length % TILE_WIDTH))
    const row: readonly Hash[] = rest === null ? loose : [...loose, rest]
    if (row.length > 0) rest = computeTreeHash(row)
  }
  return rest ?? EMPTY_ROOT
}
