// A log in a folder (LogSource): the writer's own folder with public/ in it, or a plain web root. A path is checked against the grammar
// of what a log serves before the file system sees it, and nothing is read through links (brief 5.7). Bytes are as stored: unverified.
// Without leaving the thread, as in regular-file.ts: whoever reads a whole log asks for thousands of small files.
import { realpathSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { quote, ToolsumError } from "../core/errors.js"
import { formatBundlePath, formatTilePath, parseBundlePath, parseTilePath } from "../core/tile.js"
import type { LogSource } from "../ports.js"
import { errnoOf, mayExist, quotePath, readRegularFile } from "./regular-file.js"

/** The log in `folder`, which need not exist yet. Reads `folder`/public where there is such a folder, else `folder` itself.
 *  `read` throws USAGE for what no log serves, and LOG_UNAVAILABLE for links, folders and devices, and too many bytes. */
export function createDirLog(folder: string): LogSource {
  const root = resolve(folder)
  return {
    location: root,
    local: true,
    async read(path, maxBytes) {
      const file = join(findPublic(root), ...checkLogPath(path).split("/"))
      if (isThroughLink(root, file)) {
        throw new ToolsumError("LOG_UNAVAILABLE", `expected no link at or above ${quotePath(file)}`)
      }
      return readPublicFile(file, maxBytes)
    },
  }
}

/** Where the files are that a log in `root` serves: `root`/public where there is such a folder, else `root` itself. */
export function findPublic(root: string): string {
  const own = join(root, "public")
  try {
    return statSync(own, { throwIfNoEntry: false })?.isDirectory() ? own : root
  } catch {
    return root // reading there will say what is wrong
  }
}

const OTHER_PATHS: readonly RegExp[] = [
  /^checkpoint$/,
  /^keyring\/[1-9][0-9]{0,18}$/,
  /^objects\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/,
  /^subjects\/[0-9a-f]{2}$/,
]

/** The path of something that a log serves, in its one spelling. Throws USAGE. */
function checkLogPath(path: string): string {
  if (OTHER_PATHS.some((form) => form.test(path)) || isTilePath(path)) return path
  throw new ToolsumError("USAGE", `expected a path below public/, got ${quote(path)}`)
}

function isTilePath(path: string): boolean {
  try {
    const again = path.startsWith("tile/entries/")
      ? formatBundlePath(parseBundlePath(path))
      : formatTilePath(parseTilePath(path))
    return again === path
  } catch (error) {
    if (error instanceof ToolsumError && error.code === "TILE_MALFORMED") return false
    throw error
  }
}

/** True when `file` is, or lies below, a link that lies below `root`. False also where nothing is. */
function isThroughLink(root: string, file: string): boolean {
  if (!mayExist(file)) return false
  try {
    return realpathSync.native(file) !== join(realpathSync.native(root), file.slice(root.length))
  } catch (error) {
    const code = errnoOf(error)
    if (code === "ENOENT" || code === "ENOTDIR") return false
    throw unavailable(file, error)
  }
}

function readPublicFile(file: string, maxBytes: number): Uint8Array | null {
  try {
    return readRegularFile(file, { maxBytes, code: "LOG_UNAVAILABLE" })
  } catch (error) {
    throw error instanceof ToolsumError && error.code === "LOG_UNAVAILABLE" ? error : unavailable(file, error)
  }
}

const unavailable = (file: string, cause: unknown) =>
  new ToolsumError("LOG_UNAVAILABLE", `could not read ${quotePath(file)}: ${errnoOf(cause) ?? cause}`, { cause })
