// Partial tiles and bundles of earlier heads: those that are still there must begin the full ones, or whatever the present head has in their
// place. They are known by the sizes of heads that somebody has seen, and in a folder on this machine by looking.
import { formatBundlePath, formatTilePath, TILE_WIDTH } from "../../core/tile.js"
import type { LogSource } from "../../ports.js"
import type { Findings } from "./findings.js"
import { bundleFile, readFile, readWide, tileFile } from "./read-bundles.js"

/** A partial tile, or a partial bundle (`level` "entries"). `width`: 1 to 255. */
export interface PartialFile {
  readonly level: number | "entries"
  readonly index: number
  readonly width: number
}

/** Partial files of a tree of `size`. */
export function partialsOfSize(size: number): readonly PartialFile[] {
  const files: PartialFile[] = []
  for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / TILE_WIDTH)) {
    const place = { index: Math.floor(count / TILE_WIDTH), width: count % TILE_WIDTH }
    if (place.width === 0) continue
    files.push({ level, ...place })
    if (level === 0) files.push({ level: "entries", ...place })
  }
  return files
}

/** Compare each of `files` with what a tree of `size` has there; wider ones belong to a later head and are left out, as are those of entries
 *  before `from` alone. Returns how many there were and how many of them the log still has. */
export async function checkPartials(
  files: AsyncIterable<PartialFile> | Iterable<PartialFile>,
  { source, size, from, findings }: { source: LogSource; size: number; from: number; findings: Findings },
): Promise<{ readonly asked: number; readonly found: number }> {
  let asked = 0
  let found = 0
  for await (const file of files) {
    const level = file.level === "entries" ? 0 : file.level
    const count = Math.floor(size / TILE_WIDTH ** level) - file.index * TILE_WIDTH
    const end = (file.index + 1) * TILE_WIDTH ** (level + 1)
    if (count <= file.width || end <= from) continue // the present one is compared with the entries themselves
    asked++
    if (await checkPartial(file, Math.min(count, TILE_WIDTH), source, findings)) found++
  }
  return { asked, found }
}

/** Compare a partial file with the `width` wide one; false where it is gone. */
async function checkPartial(
  { level, index, width: own }: PartialFile,
  width: number,
  source: LogSource,
  findings: Findings,
): Promise<boolean> {
  const fileOf = level === "entries" ? bundleFile(index) : tileFile(level, index)
  const partial = await readFile(source, fileOf(own).path, fileOf(own).maxBytes)
  if (!(partial instanceof Uint8Array)) return false
  const whole = await readWide(source, width, fileOf)
  if (!(whole.result instanceof Uint8Array)) return true // told of where it is read
  const path =
    level === "entries"
      ? formatBundlePath({ index: BigInt(index), width: own })
      : formatTilePath({ level, index: BigInt(index), width: own })
  const begins = partial.every((byte, i) => byte === (whole.result as Uint8Array)[i]) // is one: checked above
  if (!begins) findings.add("partial_differs", path, `does not begin ${whole.path}`)
  return true
}
