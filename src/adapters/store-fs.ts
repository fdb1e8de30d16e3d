// The writer's storage in a folder (TileStore): create-if-absent by link(2) of a synced temporary file, replacing by rename, fsync of
// every file and folder before an answer (brief 5.2). Any failed write is IO_FAILED and the last one: after a failed fsync the page
// cache may claim what the disk does not hold, so nothing is tried again. Not for NFS or buckets that are mounted as folders.
import { randomBytes } from "node:crypto"
import * as fs from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { quote, ToolsumError } from "../core/errors.js"
import type { TileStore } from "../ports.js"
import { errnoOf, quotePath, readRegularFile } from "./durable-file.js"
import { createDurableFolders, type DurableFolders, type FileOps } from "./durable-folder.js"

/** Largest file that is read unless the caller says otherwise. */
export const MAX_STORED_BYTES = 256 * 1024 * 1024

/** Folder of temporary files below the root. A crash can leave some there; old ones are removed when the store is next written. */
const TEMP_FOLDER = "private/tmp"
const TEMP_MAX_AGE_MS = 3600 * 1000

const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/

/** A TileStore in the folder `root`, which need not exist. `ops`: calls that stand in for node:fs/promises in tests. */
export function createFsStore(root: string, options: { ops?: FileOps } = {}): TileStore {
  const base = resolve(root)
  const ops = options.ops ?? fs
  const writer = createFileWriter(base, ops, createDurableFolders(base, ops))
  const pathOf = (key: string): string => join(base, ...checkKey(key).split("/"))
  const rename = async (temp: string, path: string): Promise<true> => {
    await ops.rename(temp, path)
    return true
  }
  return {
    read: async (key, maxBytes = MAX_STORED_BYTES) => readRegularFile(pathOf(key), { maxBytes, code: "IO_FAILED" }),
    create: async (key, bytes) => writer.put(pathOf(key), bytes, (temp, path) => linkNew(ops, temp, path)),
    replace: async (key, bytes) => void (await writer.put(pathOf(key), bytes, rename)),
    remove: async (key) => writer.remove(pathOf(key)),
    list: async (prefix) => listNames(pathOf(prefix)),
  }
}

function checkKey(key: string): string {
  if (!KEY.test(key)) throw new ToolsumError("USAGE", `expected a storage key, got ${quote(key)}`)
  return key
}

interface FileWriter {
  put(path: string, bytes: Uint8Array, place: (temp: string, path: string) => Promise<boolean>): Promise<boolean>
  remove(path: string): Promise<void>
}

function createFileWriter(base: string, ops: FileOps, folders: DurableFolders): FileWriter {
  let broken: ToolsumError | null = null
  let ready: Promise<void> | null = null
  const tempFolder = join(base, ...TEMP_FOLDER.split("/"))
  const prepare = async (): Promise<void> => {
    await folders.ensure(tempFolder)
    await removeOldTemps(tempFolder)
  }
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
  const putFile: FileWriter["put"] = async (path, bytes, place) => {
    ready ??= prepare()
    await ready
    const folder = dirname(path)
    await folders.ensure(folder)
    const temp = join(tempFolder, `.${randomBytes(9).toString("hex")}`)
    // Also when the name exists: its maker may not have synced the folder yet, and the answer says that it is there.
    return folders.change(folder, async () => {
      try {
        await writeSynced(ops, temp, bytes)
        return await place(temp, path)
      } finally {
        await ops.unlink(temp).catch(() => undefined)
      }
    })
  }
  return {
    put: (path, bytes, place) => attempt("write", path, () => putFile(path, bytes, place)),
    remove: (path) =>
      attempt("remove", path, async () => {
        await ops.unlink(path).catch((error) => {
          if (errnoOf(error) !== "ENOENT") throw error
        })
        if (dirname(path).endsWith(".p")) await folders.prune(dirname(path))
      }),
  }
}

/** Link `temp` to `path`; false when `path` exists. */
async function linkNew(ops: FileOps, temp: string, path: string): Promise<boolean> {
  try {
    await ops.link(temp, path)
    return true
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false
    throw error
  }
}

/** Write a new file in full and fsync it. */
async function writeSynced(ops: FileOps, path: string, bytes: Uint8Array): Promise<void> {
  const file = await ops.open(path, "wx", 0o644)
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done)
      if (bytesWritten <= 0) throw new Error("no byte was written")
      done += bytesWritten
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

async function removeOldTemps(folder: string): Promise<void> {
  for (const name of await fs.readdir(folder)) {
    const path = join(folder, name)
    const status = await fs.stat(path).catch(() => null) // another process removed it
    // A young one may belong to a process that is writing now.
    if (status !== null && Date.now() - status.mtimeMs > TEMP_MAX_AGE_MS) await fs.rm(path, { force: true })
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
