// Which partial tiles and bundles a log's folder has: what no web host tells. A name that is none of a log's is passed over.
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { ToolsumError } from "../core/errors.js"
import { parseBundlePath, parseTilePath, TILE_WIDTH } from "../core/tile.js"
import { findPublic } from "./log-dir.js"
import { errnoOf, ioFailed } from "./regular-file.js"

/** A partial tile, or a partial bundle (`level` "entries"). `width`: 1 to 255. */
export interface ListedPartial {
  readonly level: number | "entries"
  readonly index: number
  readonly width: number
}

const LEVEL = /^(?:entries|0|[1-9][0-9]?)$/
const FOLDER = /^(?:x[0-9]{3}|[0-9]{3}\.p)$/

/** The partial files below `folder`, in any order. Throws IO_FAILED. */
export async function* listPartials(folder: string): AsyncGenerator<ListedPartial> {
  const root = findPublic(folder)
  for (const level of await listFolder(join(root, "tile")))
    if (LEVEL.test(level)) yield* listBelow(root, `tile/${level}`)
}

async function* listBelow(root: string, path: string): AsyncGenerator<ListedPartial> {
  for (const name of await listFolder(join(root, path))) {
    if (path.endsWith(".p")) {
      const file = readPath(`${path}/${name}`)
      if (file !== null) yield file
    } else if (FOLDER.test(name)) yield* listBelow(root, `${path}/${name}`)
  }
}

function readPath(path: string): ListedPartial | null {
  try {
    const isBundle = path.startsWith("tile/entries/")
    const { index, width } = isBundle ? parseBundlePath(path) : parseTilePath(path)
    const level = isBundle ? "entries" : parseTilePath(path).level
    return width < TILE_WIDTH && index <= BigInt(Number.MAX_SAFE_INTEGER)
      ? { level, index: Number(index), width }
      : null
  } catch (error) {
    if (error instanceof ToolsumError) return null
    throw error
  }
}

async function listFolder(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return []
    throw ioFailed("list", path, error)
  }
}
