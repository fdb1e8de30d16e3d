// Writing files of the user and of the project so that it survives a crash: temp file, fsync, rename, fsync of the folder (brief 5.2).
// Every failure is a ToolsumError. Reading is regular-file.ts's; who may write when is process-lock.ts's.
import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { errnoOf, ioFailed } from "./regular-file.js"

/** Mode of folders that hold the user's own data. */
const PRIVATE_DIRECTORY_MODE = 0o700
/** Mode of files with keys, trust, consent and state. */
export const PRIVATE_FILE_MODE = 0o600

/** How to write a file. */
export interface WriteOptions {
  /** Permission bits of a new file, before the umask. */
  readonly mode?: number
  /** Path of the temporary file, for a writer that is alone by a lock; else a random name beside the file. */
  readonly tempPath?: string
}

/** Put `bytes`, or parts of them in order, in the place of `path`, durably: a reader, and whoever comes after a crash, sees the old or the new
 *  bytes. A link at `path` is replaced, not followed. Throws IO_FAILED, and then the old bytes are still there. */
export async function replaceFile(
  path: string,
  bytes: Uint8Array | readonly Uint8Array[],
  options: WriteOptions = {},
): Promise<void> {
  const folder = dirname(path)
  const temp = options.tempPath ?? join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`)
  try {
    await withFolder(folder, async () => {
      await createFile(temp, bytes, options.mode ?? 0o666)
      await renameOver(temp, path)
    })
  } catch (error) {
    await rm(temp, { force: true }).catch(() => undefined)
    throw ioFailed("write", path, error)
  }
}

/** Write a new file and fsync it. What lies at `path` is removed first, so that nothing planted there is followed. */
async function createFile(path: string, bytes: Uint8Array | readonly Uint8Array[], mode: number): Promise<void> {
  await rm(path, { force: true })
  const file = await open(path, "wx", mode)
  try {
    // Each goes on where the one before it ended.
    for (const part of bytes instanceof Uint8Array ? [bytes] : bytes) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Run `change` on the entries of a folder and fsync the folder. Its handle stays open meanwhile, so that the same folder is synced.
 *  Windows cannot sync folders and needs it less. */
async function withFolder(folder: string, change: () => Promise<void>): Promise<void> {
  if (process.platform === "win32") return change()
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await change()
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const RENAME_ATTEMPTS = 20
const RENAME_PAUSE_MS = 25

/** Rename; on Windows it fails for as long as somebody reads the old file, so it is tried again for half a second. */
async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to)
    } catch (error) {
      const held = ["EPERM", "EACCES", "EBUSY"].includes(errnoOf(error) ?? "")
      if (process.platform !== "win32" || !held || attempt === RENAME_ATTEMPTS) throw error
      await new Promise((resolve) => setTimeout(resolve, RENAME_PAUSE_MS))
    }
  }
}

/** Make a folder and its parents for the user alone, durably. Throws IO_FAILED. */
export async function makePrivateDirectory(path: string): Promise<void> {
  try {
    const folder = resolve(path)
    const first = await mkdir(folder, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
    if (first === undefined) return
    for (let made = folder; made.length >= first.length; made = dirname(made))
      await withFolder(dirname(made), async () => {})
  } catch (error) {
    throw ioFailed("make the folder", path, error)
  }
}

/** Remove a file, durably; no error where nothing is. Throws IO_FAILED. */
export async function removeFile(path: string): Promise<void> {
  try {
    await withFolder(dirname(path), () => rm(path, { force: true }))
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw ioFailed("remove", path, error)
  }
}
