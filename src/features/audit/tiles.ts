// The tiles of a log against the hashes that its entries give. Which of the two is wrong is not known before the root is: what differs is kept
// until then, and the served level-0 tiles are hashed up to a root of their own from the first difference on.
import { computeTileRoot } from "../../core/bulk-hash.js"
import { ToolsumError } from "../../core/errors.js"
import { HASH_BYTES, type Hash } from "../../core/hash.js"
import { TILE_WIDTH } from "../../core/tile.js"
import type { LogSource } from "../../ports.js"
import type { Findings } from "./findings.js"
import { cutTile, type ReadResult, readWide, tileFile } from "./read-bundles.js"
import { type HashedTile, TreeHasher } from "./tree-hasher.js"

/** Differences that are kept; a log that has more is bad enough. */
const MAX_DIFFERENCES = 20

interface Difference {
  readonly path: string
  readonly level: number
  /** Number of the first hash that differs, among all of its level. */
  readonly first: number
  readonly isMalformed: boolean
}

/** What the roots say about tiles that differ from the entries. */
export interface TileRoots {
  readonly signed: Hash
  /** From the entries; null when they could not all be read. */
  readonly computed: Hash | null
}

/** The tiles of a log. */
export class TileAudit {
  readonly #source: LogSource
  readonly #findings: Findings
  readonly #differences: Difference[] = []
  /** The tree of the served level-0 tiles, once they differ from the entries. */
  #served: TreeHasher | null = null
  #servedLeaves: Uint8Array = new Uint8Array(0)

  constructor(source: LogSource, findings: Findings) {
    this.#source = source
    this.#findings = findings
  }

  /** True when a tile differed. */
  get differs(): boolean {
    return this.#differences.length > 0
  }

  /** Compare the level-0 tile `index` with the leaf hashes of its entries. `tree`: as it was before them. Full tiles must come in order. */
  compareLeaves(p: { index: number; path: string; tile: ReadResult; leaves: Uint8Array; tree: TreeHasher }): void {
    const { index, path, tile, leaves, tree } = p
    const isSame = this.#compare({ level: 0, index, hashes: leaves }, path, tile)
    if (isSame && this.#served === null) return
    this.#served ??= TreeHasher.from(tree.edge())
    const served = tile instanceof Uint8Array && tile.length === leaves.length ? tile : leaves
    if (leaves.length === TILE_WIDTH * HASH_BYTES) this.#served.push(computeTileRoot(served))
    else this.#servedLeaves = served.slice()
  }

  /** Go on from hashes that stand for a tile that could not be compared. */
  skipLeaves(root: Hash): void {
    this.#served?.push(root)
  }

  /** Read a tile of level 1 or up, as wide as it is computed, and compare it. */
  async compareTile(computed: HashedTile): Promise<void> {
    const width = computed.hashes.length / HASH_BYTES
    const { path, result, width: read } = await readWide(this.#source, width, tileFile(computed.level, computed.index))
    this.#compare(computed, path, cutTile(result, width, read))
  }

  /** True when the tile is as computed. */
  #compare({ level, index, hashes }: HashedTile, path: string, tile: ReadResult): boolean {
    if (tile instanceof ToolsumError || tile === null) {
      this.#findings.add("tile_missing", path, tile === null ? "the log does not have this tile" : tile.message)
      return true
    }
    const isMalformed = tile.length !== hashes.length
    const first = firstDifference(tile, hashes)
    if (first < 0 && !isMalformed) return true
    if (this.#differences.length < MAX_DIFFERENCES)
      this.#differences.push({ path, level, first: index * TILE_WIDTH + Math.max(first, 0), isMalformed })
    return false
  }

  /** Judge what differed: where the entries hash to the signed root the tiles are wrong, and where the tiles do the entries are. */
  judge({ signed, computed }: TileRoots): void {
    const isEntries = computed !== null && firstDifference(signed, computed) < 0
    const isTiles = this.#served !== null && firstDifference(signed, this.#served.root(this.#servedLeaves)) < 0
    for (const difference of this.#differences)
      this.#tell(difference, isEntries ? "tile" : isTiles ? "entry" : "either")
    if (isEntries || computed === null) return
    const why = isTiles
      ? "the level-0 tiles do lead to it"
      : this.#served === null
        ? "and the tiles agree with the entries"
        : "and the tiles lead to a third one"
    this.#findings.add("root_differs", "checkpoint", `the entries hash to another root than the signed one; ${why}`)
  }

  #tell({ path, level, first, isMalformed }: Difference, wrong: "tile" | "entry" | "either"): void {
    if (isMalformed) this.#findings.add("tile_differs", path, "has not as many hashes as it should")
    else if (wrong === "tile" || level > 0) {
      // Entries that are wrong make every tile above them differ as well.
      if (wrong !== "entry")
        this.#findings.add("tile_differs", path, `hash ${first} of level ${level} is not that of the entries below it`)
    } else if (wrong === "entry")
      this.#findings.add(
        "entry_differs",
        `entry ${first}`,
        `is not the entry of the signed tree, whose leaf hash ${path} has`,
      )
    else
      this.#findings.add(
        "tile_differs",
        path,
        `hash ${first} and entry ${first} differ, and neither is known to lead to the signed root`,
      )
  }
}

/** Number of the first hash that differs in two rows of joined hashes; -1 when the shorter one begins the other. */
export function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return Math.floor(i / HASH_BYTES)
  return -1
}
