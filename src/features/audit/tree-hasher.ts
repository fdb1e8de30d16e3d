// The tree of a log from the leaf hashes of its bundles alone, as they stream by: of each tile level only the tile that is not full yet is
// kept. This is the second way to the root: no tile of the log has a part in it. RFC 9162 §2.1.1; C2SP tlog-tiles.
import { computeTileRoot } from "../../core/bulk-hash.js"
import { EMPTY_ROOT, HASH_BYTES, type Hash, hashNode } from "../../core/hash.js"
import { MAX_TILE_BYTES, TILE_WIDTH } from "../../core/tile.js"

/** A tile that has just been filled, or the unfinished one of a level. `hashes` is valid until the next call. */
export interface HashedTile {
  readonly level: number
  readonly index: number
  readonly hashes: Uint8Array
}

interface Level {
  /** Full tiles before this one. */
  index: number
  count: number
  readonly hashes: Uint8Array
}

/** Hashes of the full tiles so far. */
export class TreeHasher {
  readonly #levels: Level[] = []

  /** A hasher that goes on from the edge of another; see `edge`. */
  static from(edge: readonly Uint8Array[]): TreeHasher {
    const hasher = new TreeHasher()
    let above = 0
    for (let level = edge.length; level > 0; level--) {
      const own = edge[level - 1] ?? new Uint8Array(0)
      hasher.#levelAt(level).hashes.set(own)
      hasher.#levelAt(level).count = own.length / HASH_BYTES
      hasher.#levelAt(level).index = above
      above = above * TILE_WIDTH + own.length / HASH_BYTES
    }
    return hasher
  }

  /** The unfinished tiles of level 1 and up, each cut to its hashes: all that is to be kept to go on later. */
  edge(): readonly Uint8Array[] {
    return this.#levels.slice(1).map(({ hashes, count }) => hashes.slice(0, count * HASH_BYTES))
  }

  /** Take the root of the next full level-0 tile; returns the tiles above that are full now, lowest first. */
  push(root: Uint8Array): readonly HashedTile[] {
    const filled: HashedTile[] = []
    let hash = root
    for (let level = 1; ; level++) {
      const own = this.#levelAt(level)
      own.hashes.set(hash, own.count * HASH_BYTES)
      own.count++
      if (own.count < TILE_WIDTH) return filled
      const hashes = own.hashes.slice()
      filled.push({ level, index: own.index, hashes })
      own.count = 0
      own.index++
      hash = computeTileRoot(hashes)
    }
  }

  /** The unfinished tiles, `leaves` (joined hashes of less than a tile) at level 0. */
  partials(leaves: Uint8Array): readonly HashedTile[] {
    const above = this.#levels.slice(1).map(({ index, count, hashes }, i) => ({
      ...{ level: i + 1, index },
      hashes: hashes.slice(0, count * HASH_BYTES),
    }))
    return [{ level: 0, index: this.#fullTiles(), hashes: leaves }, ...above].filter(({ hashes }) => hashes.length > 0)
  }

  /** Root of the tree of all full tiles and `leaves` after them. */
  root(leaves: Uint8Array): Hash {
    let root: Hash | null = null
    for (const { hashes } of this.partials(leaves)) root = joinLeft(hashes, root)
    return root ?? EMPTY_ROOT
  }

  #fullTiles(): number {
    const level = this.#levels[1]
    return level === undefined ? 0 : level.index * TILE_WIDTH + level.count
  }

  #levelAt(level: number): Level {
    while (this.#levels.length <= level) {
      this.#levels.push({ index: 0, count: 0, hashes: new Uint8Array(MAX_TILE_BYTES) })
    }
    return this.#levels[level] as Level // made above
  }
}

/** Join the complete subtrees of a tile, from the right, to the left of `right`. */
function joinLeft(hashes: Uint8Array, right: Hash | null): Hash | null {
  let root = right
  let end = hashes.length / HASH_BYTES
  for (let width = 1; end > 0; width *= 2) {
    if ((end & width) === 0) continue
    const left = computeTileRoot(hashes.subarray((end - width) * HASH_BYTES, end * HASH_BYTES))
    root = root === null ? left : hashNode(left, root)
    end -= width
  }
  return root
}
