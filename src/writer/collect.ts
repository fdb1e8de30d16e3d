// Collecting partial tiles (brief 5.6): with one entry per commit they outweigh the log. A partial tile or bundle may go once its full
// one is published; those of the newest few checkpoints stay, because readers may be at work on them. On demand only. What is not named
// as a log names its files is somebody else's and stays.
import { formatBundlePath, formatTilePath, TILE_HEIGHT, TILE_WIDTH } from "../core/tile.js"
import type { TileStore } from "../ports.js"
import { parseHead, readCommit, type SignedCommit } from "./history.js"

/** Partial tiles of this many newest checkpoints are kept. */
const KEPT_CHECKPOINTS = 8

const WIDTH = BigInt(TILE_WIDTH)
const LEVEL = /^(?:entries|0|[1-9][0-9]?)$/
const GROUP = /^x[0-9]{3}$/
const PARTIALS = /^[0-9]{3}\.p$/
const PARTIAL_WIDTH = /^[1-9][0-9]{0,2}$/

/** Remove the partial tiles and bundles that the published tree of `newest` makes superfluous; returns how many. Throws IO_FAILED. */
export async function collectPartials(store: TileStore, newest: SignedCommit): Promise<number> {
  const kept = await partialsInUse(store, newest)
  let removed = 0
  for (const folder of (await store.list("public/tile")).filter((name) => LEVEL.test(name))) {
    const level = folder === "entries" ? 0 : Number(folder)
    const complete = newest.head.size >> BigInt(TILE_HEIGHT * (level + 1))
    for await (const path of listPartials(store, `tile/${folder}`, complete)) {
      if (kept.has(path)) continue
      await store.remove(`public/${path}`)
      removed++
    }
  }
  return removed
}

/** Paths of the partial tiles and bundles of the newest checkpoints. */
async function partialsInUse(store: TileStore, newest: SignedCommit): Promise<ReadonlySet<string>> {
  const sizes = [newest.head.size]
  for (let seq = newest.seq - 1n; seq >= 0n && sizes.length < KEPT_CHECKPOINTS; seq--) {
    const commit = await readCommit(store, seq)
    if (commit !== null) sizes.push(parseHead(commit.checkpoint).size)
  }
  return new Set(sizes.flatMap(partialPaths))
}

/** Paths of the partial tiles and the partial bundle of a tree. */
function partialPaths(size: bigint): readonly string[] {
  const paths: string[] = []
  for (let level = 0, count = size; count > 0n; level++, count /= WIDTH) {
    const ref = { level, index: count / WIDTH, width: Number(count % WIDTH) }
    if (ref.width === 0) continue
    paths.push(formatTilePath(ref))
    if (level === 0) paths.push(formatBundlePath(ref))
  }
  return paths
}

/** Partial tiles below `folder` whose full tile is one of the first `complete`. */
async function* listPartials(store: TileStore, folder: string, complete: bigint): AsyncGenerator<string> {
  for (const name of await store.list(`public/${folder}`)) {
    if (GROUP.test(name)) yield* listPartials(store, `${folder}/${name}`, complete)
    else if (PARTIALS.test(name) && indexOf(`${folder}/${name}`) < complete) {
      const widths = await store.list(`public/${folder}/${name}`)
      for (const width of widths) if (PARTIAL_WIDTH.test(width)) yield `${folder}/${name}/${width}`
    }
  }
}

/** Index in the path of a folder of partial tiles: the digits of its groups of three. */
const indexOf = (path: string): bigint =>
  BigInt(path.replace(/\.p$/, "").split("/").slice(2).join("").replaceAll("x", ""))
