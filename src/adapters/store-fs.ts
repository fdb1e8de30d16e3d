// The writer's storage in a folder (TileStore): create-if-absent by link(2) of a synced temporary file, replacing by rename, fsync of
// every file and folder before an answer (brief 5.2; durable-group.ts). Any failed write is IO_FAILED and the last one: after a failed
// fsync the page cache may claim what the disk does not hold, so nothing is tried again. Not for NFS or buckets mounted as folders.
import { readdirSync, rmSync, statSync } from "node:fs"
import * as fs from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { quote, ToolsumError } from "../core/errors.js"
import type { TileStore } from "../ports.js"
import { createGroupWriter, type FileToWrite } from "./durable-group.js"
import { type FileOps, nodeFileOps, readWholeFile } from "./file-ops.js"
import { errnoOf, quotePath } from "./regular-file.js"

/** Largest file that is read unless the caller says otherwise. */
export const MAX_STORED_BYTES = 256 * 1024 * 1024

/** Folder of temporary files below the root. A crash can leave some there; old ones are removed when the store is next written. */
const TEMP_FOLDER = "private/tmp"
const TEMP_MAX_AGE_MS = 3600 * 1000

const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/

/** A TileStore in the folder `root`, which need not exist. `ops`: calls that stand in for the file system's in tests. */
export function createFsStore(root: string, options: { ops?: FileOps } = {}): TileStore {
  const base = resolve(root)
  const writer = createFileWriter(base, options.ops ?? nodeFileOps)
  const pathOf = (key: string): string => join(base, ...checkKey(key).split("/"))
  return {
    read: async (key, maxBytes = MAX_STORED_BYTES) => readFile(pathOf(key), maxBytes),
    create: async (key, bytes) => writer.write({ path: pathOf(key), bytes, replace: false }),
    replace: async (key, bytes) => void (await writer.write({ path: pathOf(key), bytes, replace: true })),
    remove: async (key) => writer.remove(pathOf(key)),
    list: async (prefix) => listNames(pathOf(prefix)),
  }
}

function checkKey(key: string): string {
  if (!KEY.test(key)) throw new ToolsumError("USAGE", `expected a storage key, got ${quote(key)}`)
  return key
}

function readFile(path: string, maxBytes: number): Uint8Array | null {
  try {
    return readWholeFile(path, maxBytes)
  } catch (cause) {
    const why = errnoOf(cause) ?? (cause instanceof Error ? cause.message : String(cause))
    throw new ToolsumError("IO_FAILED", `could not read ${quotePath(path)}: ${why}`, { cause })
  }
}

interface FileWriter {
  write(file: FileToWrite): Promise<boolean>
  remove(path: string): Promise<void>
}

/** Writes until the first failure. */
function createFileWriter(base: string, ops: FileOps): FileWriter {
  const tempFolder = join(base, ...TEMP_FOLDER.split("/"))
  const group = createGroupWriter(base, tempFolder, ops)
  let broken: ToolsumError | null = null
  let cleaned = false
  const attempt = async <T>(what: string, path: string, work: () => Promise<T>): Promise<T> => {
    if (broken !== null) throw new ToolsumError("IO_FAILED", "the storage failed before", { cause: broken })
    try {
      return await work()
    } catch (cause) {
      broken = new ToolsumError("IO_FAILED", `could not ${what} ${quotePath(path)}: ${errnoOf(cause) ?? cause}`, {
        cause,
      })
      throw broken
    }
  }
  const removeFile = async (path: string): Promise<void> => {
    await ops.unlink(path).catch((error) => {
      if (errnoOf(error) !== "ENOENT") throw error
    })
    const folder = dirname(path)
    if (!folder.endsWith(".p")) return
    group.forget(folder)
    await ops.rmdir(folder).catch(() => undefined) // other partial tiles are in it
  }
  return {
    write: (file) => {
      if (!cleaned) removeOldTemps(tempFolder)
      cleaned = true
      return attempt("write", file.path, () => group.write(file))
    },
    remove: (path) => attempt("remove", path, () => removeFile(path)),
  }
}

/** Remove what died writers left. What fails is tried again by the next process. */
function removeOldTemps(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      // A young one may belong to a process that is writing now.
      if (Date.now() - statSync(path).mtimeMs > TEMP_MAX_AGE_MS) rmSync(path)
    }
  } catch {
    // No such folder yet, or another process was faster.
  }
}

async function listNames(path: string): Promise<readonly string[]> {
  try {
    return (await fs.readdir(path)).filter((name) => !name.startsWith(".")).sort()
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return []
    throw new ToolsumError("IO_FAILED", `could not list ${quotePath(path)}: ${errnoOf(cause) ?? cause}`, { cause })
  }
}

/** True when `path`, which need not exist, lies in a git work tree: branches and merges there would fork a log (DESIGN 6). */
export async function isInsideGitWorkTree(path: string): Promise<boolean> {
  for (let folder = await realAncestor(resolve(path)); ; folder = dirname(folder)) {
    if ((await fs.lstat(join(folder, ".git")).catch(() => null)) !== null) return true
    if (dirname(folder) === folder) return false
  }
}

/** The nearest existing folder at or above `path`, without links. */
async function realAncestor(path: string): Promise<string> {
  const real = await fs.realpath(path).catch(() => null)
  return real ?? (dirname(path) === path ? path : realAncestor(dirname(path)))
}
