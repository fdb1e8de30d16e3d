// The walk over all entries of a tree, from its start or from where an earlier audit stood: leaf hashes and the tree above them, tiles beside
// them, the roots at the sizes of earlier heads, and every entry to those who look into it. A bundle that cannot be read is passed over by
// its tile, or by the hash of that in the tile above, so that the root can still be computed.
import { computeTileRoots, hashEntries } from "../../core/bulk-hash.js"
import { attempt, ToolsumError } from "../../core/errors.js"
import { HASH_BYTES, type Hash } from "../../core/hash.js"
import { MAX_TILE_BYTES, parseBundle, TILE_WIDTH } from "../../core/tile.js"
import type { LogSource } from "../../ports.js"
import type { EntryAudit } from "./entries.js"
import type { Findings } from "./findings.js"
import { cutTile, type ReadBundle, readBundles, readWide, tileFile } from "./read-bundles.js"
import type { TileAudit } from "./tiles.js"
import type { TreeHasher } from "./tree-hasher.js"
import type { UnreadEntries } from "./unread.js"

/** A log that serves none of so many bundles in a row is not read further. */
const MAX_GAP = 16

/** What a walk works with. */
export interface Walk {
  readonly source: LogSource
  readonly size: number
  /** Where to start, a multiple of 256. */
  readonly position: number
  readonly tree: TreeHasher
  readonly tiles: TileAudit
  readonly entries: EntryAudit
  readonly unread: UnreadEntries
  readonly findings: Findings
  /** Sizes of earlier heads, ascending. */
  readonly sizes: readonly number[]
  /** Called before a wave of bundles is taken: everything before `position` has been. A throw ends the walk. */
  readonly onPosition: (position: number) => Promise<void>
}

/** Where a walk ended. */
export interface Walked {
  /** Root of the whole tree from its entries; null when the walk did not get there. */
  readonly root: Hash | null
  /** Roots at those of `sizes` that were passed. */
  readonly roots: ReadonlyMap<number, Hash>
  /** Take the entries of the last, partial bundle: whoever keeps a position does so before. */
  readonly takeLast: () => void
}

/** A bundle with its leaf hashes. `entries` null: they could not be read, and `leaves` are those of the tile. */
interface Leaves {
  readonly read: ReadBundle
  readonly entries: readonly Uint8Array[] | null
  readonly leaves: Uint8Array
}

/** Walk. Throws what `onPosition` throws. */
export async function walkEntries(walk: Walk): Promise<Walked> {
  const { source, size, position, tree, tiles } = walk
  const roots = new Map<number, Hash>()
  let last: Leaves | null = null
  let gap = 0
  for await (const wave of readBundles(source, position / TILE_WIDTH, size)) {
    await walk.onPosition((wave[0]?.index ?? 0) * TILE_WIDTH)
    const hashed = hashWave(walk, wave)
    const full = rootsOf(hashed)
    for (const [i, one] of hashed.entries()) {
      gap = one.entries === null ? gap + 1 : 0
      const root = one.leaves.length > 0 ? (full[i] ?? null) : await rootFromAbove(walk, one.read)
      if (gap > MAX_GAP || (root === null && one.leaves.length !== one.read.width * HASH_BYTES))
        return stop(walk, one.read.index * TILE_WIDTH, roots)
      noteRoots(walk, one, roots)
      compareLeaves(walk, one)
      if (root === null) {
        last = one
        continue
      }
      if (one.leaves.length === 0) tiles.skipLeaves(root)
      for (const tile of tree.push(root)) await tiles.compareTile(tile)
      takeEntries(walk, one)
    }
  }
  const leaves = last?.leaves ?? new Uint8Array(0)
  for (const tile of tree.partials(leaves)) if (tile.level > 0) await tiles.compareTile(tile)
  const root = tree.root(leaves)
  if (walk.sizes.includes(size)) roots.set(size, root)
  const partial = last
  return { root, roots, takeLast: () => (partial === null ? undefined : takeEntries(walk, partial)) }
}

function stop({ findings, unread, size }: Walk, from: number, roots: ReadonlyMap<number, Hash>): Walked {
  findings.add("rest_unread", `entry ${from}`, `from here to the head's ${size} entries the log could not be read`)
  unread.add(from, size)
  return { root: null, roots, takeLast: () => undefined }
}

/** Leaf hashes of a wave, in one buffer. */
function hashWave({ findings }: Walk, wave: readonly ReadBundle[]): readonly Leaves[] {
  const buffer = new Uint8Array(wave.length * MAX_TILE_BYTES)
  return wave.map((read, i) => {
    const entries = entriesOf(read, findings)
    const leaves = buffer.subarray(i * MAX_TILE_BYTES, i * MAX_TILE_BYTES + read.width * HASH_BYTES)
    if (entries !== null) hashEntries(entries, leaves)
    else if (read.tile instanceof Uint8Array && read.tile.length === leaves.length) leaves.set(read.tile)
    else return { read, entries, leaves: new Uint8Array(0) }
    return { read, entries, leaves }
  })
}

function entriesOf(
  { bundle, bundlePath, bundleWidth, width }: ReadBundle,
  findings: Findings,
): readonly Uint8Array[] | null {
  if (bundle === null || bundle instanceof ToolsumError) {
    findings.add("bundle_missing", bundlePath, bundle === null ? "the log does not have this bundle" : bundle.message)
    return null
  }
  const entries = attempt(() => parseBundle(bundle, bundleWidth))
  if (!(entries instanceof ToolsumError)) return entries.slice(0, width)
  findings.add("bundle_malformed", bundlePath, entries.message)
  return null
}

/** Roots of the full bundles of a wave; null for a partial one, and where there are no leaf hashes. */
function rootsOf(wave: readonly Leaves[]): readonly (Hash | null)[] {
  const full = wave.filter(({ leaves }) => leaves.length === MAX_TILE_BYTES)
  const [first] = full
  const isJoined = full.length === wave.filter(({ read }) => read.width === TILE_WIDTH).length && first === wave[0]
  const joined =
    isJoined && first !== undefined
      ? new Uint8Array(first.leaves.buffer, 0, full.length * MAX_TILE_BYTES)
      : joinLeaves(full.map(({ leaves }) => leaves))
  const roots = computeTileRoots(joined)
  let at = 0
  return wave.map(({ leaves }) =>
    leaves.length === MAX_TILE_BYTES ? roots.subarray(HASH_BYTES * at, HASH_BYTES * ++at) : null,
  )
}

function joinLeaves(leaves: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(leaves.length * MAX_TILE_BYTES)
  for (const [i, one] of leaves.entries()) joined.set(one, i * MAX_TILE_BYTES)
  return joined
}

/** The hash that the tile above has for a full bundle of which nothing else is there. */
async function rootFromAbove({ source, size }: Walk, { index, width }: ReadBundle): Promise<Hash | null> {
  if (width < TILE_WIDTH) return null
  const parent = Math.floor(index / TILE_WIDTH)
  const parentWidth = Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH) - parent * TILE_WIDTH)
  const { result, width: read } = await readWide(source, parentWidth, tileFile(1, parent))
  const tile = cutTile(result, parentWidth, read)
  if (!(tile instanceof Uint8Array) || tile.length !== parentWidth * HASH_BYTES) return null
  const at = (index % TILE_WIDTH) * HASH_BYTES
  return tile.slice(at, at + HASH_BYTES)
}

/** Note the root at each size inside a bundle, or at its start. */
function noteRoots({ sizes, tree }: Walk, { read, leaves }: Leaves, roots: Map<number, Hash>): void {
  const start = read.index * TILE_WIDTH
  for (const size of sizes) {
    const inside = size - start
    if (inside >= 0 && inside < TILE_WIDTH && inside * HASH_BYTES <= leaves.length)
      roots.set(size, tree.root(leaves.subarray(0, inside * HASH_BYTES)))
  }
}

function compareLeaves({ tree, tiles }: Walk, { read, entries, leaves }: Leaves): void {
  if (leaves.length === 0) return
  // Leaf hashes that are the tile's own say nothing of it, but are told of where it is malformed or missing.
  const tile = entries === null ? leaves : read.tile
  tiles.compareLeaves({ index: read.index, path: read.tilePath, tile, leaves, tree })
}

function takeEntries({ entries: audit, unread }: Walk, { read, entries, leaves }: Leaves): void {
  const start = read.index * TILE_WIDTH
  if (entries === null) unread.add(start, start + read.width)
  for (let i = 0; entries !== null && i < entries.length; i++) {
    audit.take(start + i, entries[i] as Uint8Array, { leaves, number: i }) // below length
  }
}
