// Reads a log from one end to the other: entry bundles and the level-0 tiles beside them, a few at the same time and a few ahead of whoever
// takes them, in order. What cannot be read is an answer of its own, so that reading goes on. Nothing is checked here.
import { attemptAsync, type ToolsumError } from "../../core/errors.js"
import { HASH_BYTES } from "../../core/hash.js"
import { formatBundlePath, formatTilePath, MAX_ENTRY_BYTES, TILE_WIDTH } from "../../core/tile.js"
import type { LogSource } from "../../ports.js"

/** What came of reading a file: its bytes, null where nothing is, or the error. */
export type ReadResult = Uint8Array | null | ToolsumError

/** A bundle of `width` entries and the tile beside it, each from the full file where the partial one is gone. */
export interface ReadBundle {
  readonly index: number
  readonly width: number
  readonly bundlePath: string
  readonly bundle: ReadResult
  /** Entries in `bundle`: more than `width` when the full bundle stands in. */
  readonly bundleWidth: number
  readonly tilePath: string
  readonly tile: ReadResult
}

/** Bundles read at the same time; as many are read ahead. */
const WAVE = 8
/** A wave of more bytes makes the following ones one bundle each, so that memory is bounded by bytes too. */
const MAX_WAVE_BYTES = 16 * 1024 * 1024

/** Read a file. Only faults of ours are thrown. */
export const readFile = (source: LogSource, path: string, maxBytes: number): Promise<ReadResult> =>
  attemptAsync(() => source.read(path, maxBytes))

/** Read a file of that width; where a partial one is gone, the full one, which begins with it. */
export async function readWide(
  source: LogSource,
  width: number,
  fileOf: (width: number) => { readonly path: string; readonly maxBytes: number },
): Promise<{ readonly path: string; readonly width: number; readonly result: ReadResult }> {
  const { path, maxBytes } = fileOf(width)
  const result = await readFile(source, path, maxBytes)
  if (result !== null || width === TILE_WIDTH) return { path, width, result }
  const full = fileOf(TILE_WIDTH)
  const wide = await readFile(source, full.path, full.maxBytes)
  return wide === null ? { path, width, result } : { path: full.path, width: TILE_WIDTH, result: wide }
}

/** File of a tile, by its width. */
export const tileFile = (level: number, index: number) => (width: number) => ({
  path: formatTilePath({ level, index: BigInt(index), width }),
  maxBytes: width * HASH_BYTES,
})

/** File of a bundle, by its width. */
export const bundleFile = (index: number) => (width: number) => ({
  path: formatBundlePath({ index: BigInt(index), width }),
  maxBytes: width * (2 + MAX_ENTRY_BYTES),
})

/** The bundles of a tree of `size` from bundle `first` on, in waves. */
export async function* readBundles(
  source: LogSource,
  first: number,
  size: number,
): AsyncGenerator<readonly ReadBundle[]> {
  const end = Math.ceil(size / TILE_WIDTH)
  let most = WAVE
  const start = (from: number) => {
    const count = Math.min(most, end - from)
    const reading = Promise.all(Array.from({ length: count }, (_, i) => readBundle(source, from + i, size)))
    reading.catch(() => undefined) // it may fail before anybody waits for it
    return { reading, next: from + count }
  }
  if (first >= end) return
  let ahead = start(first)
  for (;;) {
    const wave = await ahead.reading
    most = bytesOf(wave) > MAX_WAVE_BYTES ? 1 : WAVE
    const isLast = ahead.next >= end
    if (!isLast) ahead = start(ahead.next)
    yield wave
    if (isLast) return
  }
}

const bytesOf = (wave: readonly ReadBundle[]): number =>
  wave.reduce((sum, { bundle }) => sum + (bundle instanceof Uint8Array ? bundle.length : 0), 0)

async function readBundle(source: LogSource, index: number, size: number): Promise<ReadBundle> {
  const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH)
  const [bundle, tile] = await Promise.all([
    readWide(source, width, bundleFile(index)),
    readWide(source, width, tileFile(0, index)),
  ])
  return {
    ...{ index, width },
    ...{ bundlePath: bundle.path, bundle: bundle.result, bundleWidth: bundle.width },
    ...{ tilePath: tile.path, tile: cutTile(tile.result, width, tile.width) },
  }
}

/** The first `width` hashes of a full tile; any other answer as it is. */
export const cutTile = (tile: ReadResult, width: number, read: number): ReadResult =>
  tile instanceof Uint8Array && tile.length === read * HASH_BYTES ? tile.subarray(0, width * HASH_BYTES) : tile
