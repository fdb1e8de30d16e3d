// Every lockfile of a tree of folders, for `verify --all` (DESIGN 7): bounded, through no link, and not where other people's packages lie.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { ToolsumError } from "../core/errors.js"
import { LOCKFILE_NAME } from "./lockfile-fs.js"
import { ioFailed, quotePath } from "./regular-file.js"

const MAX_FOLDERS = 100_000
const MAX_LOCKFILES = 1000
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"])

/** True for a file, named from the top with slashes, that such a search would come by. */
export const isSearched = (name: string): boolean => name.split("/").every((part) => !SKIPPED.has(part))

/** Paths of the lockfiles in `root` and below it, sorted. Throws USAGE for more folders or lockfiles than can
 *  be meant; IO_FAILED for a folder that cannot be read: one in it would be missed. */
export function findLockfilesBelow(root: string): readonly string[] {
  const found: string[] = []
  const folders = [root]
  for (let i = 0; i < folders.length; i++) {
    const folder = folders[i] ?? root
    for (const entry of readFolder(folder)) {
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(join(folder, entry.name))
      else if (entry.name === LOCKFILE_NAME) found.push(join(folder, entry.name))
    }
    if (folders.length > MAX_FOLDERS) throw tooMany(root, `${MAX_FOLDERS} folders`)
    if (found.length > MAX_LOCKFILES) throw tooMany(root, `${MAX_LOCKFILES} lockfiles`)
  }
  return found.sort()
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    throw ioFailed("read the folder", folder, error)
  }
}

const tooMany = (root: string, what: string) =>
  new ToolsumError("USAGE", `more than ${what} below ${quotePath(root)}: name the lockfiles with --lock`)
