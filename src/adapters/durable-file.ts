// Files of the user and of the project: bounded reading of regular files, and replacing that survives a crash (temp file,
// fsync, rename, fsync of the folder; brief 5.2). Every failure is a ToolsumError. Who may write when is process-lock.ts's.
import { randomBytes } from "node:crypto"
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { type ErrorCode, quote, ToolsumError } from "../core/errors.js"

/** Mode of folders that hold the user's own data. */
const PRIVATE_DIRECTORY_MODE = 0o700
/** Mode of files with keys, trust, consent and state. */
export const PRIVATE_FILE_MODE = 0o600

const PATH_CHARS = 400

/** A path for a message. */
export const quotePath = (path: string): string => quote(path, PATH_CHARS)

/** The errno name of a failed call such as "ENOENT", or null. */
export function errnoOf(error: unknown): string | null {
  const code: unknown = error instanceof Error && "code" in error ? error.code : null
  return typeof code === "string" ? code : null
}

const failed = (what: string, path: string, cause: unknown) =>
  new ToolsumError("IO_FAILED", `could not ${what} ${quotePath(path)}: ${errnoOf(cause) ?? String(cause)}`, { cause })

/** How much of a file to take in, and the code of its refusal. */
export interface ReadLimits {
  readonly maxBytes: number
  readonly code: ErrorCode
}

/** All bytes of the regular file at `path`, or null where nothing is. A folder, a device or more than `maxBytes` is refused with
 *  `code`, without reading it; a failed call is IO_FAILED. */
export async function readRegularFile(path: string, limits: ReadLimits): Promise<Uint8Array | null> {
  const file = await open(path, OPEN_FLAGS).catch((error: unknown) => nullIfMissing(path, error))
  if (file === null) return null
  try {
    const status = await file.stat()
    let buffer = roomFor(path, status, limits)
    for (let length = 0; ; ) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
      length += bytesRead
      if (bytesRead === 0 || length === status.size) return buffer.slice(0, length)
      if (length === buffer.length) buffer = enlarge(path, buffer, limits)
    }
  } catch (error) {
    throw error instanceof ToolsumError ? error : failed("read", path, error)
  } finally {
    await file.close()
  }
}

/** The same without leaving the thread: ten times cheaper for a thousand small files, for commands that do nothing else meanwhile. */
export function readRegularFileSync(path: string, limits: ReadLimits): Uint8Array | null {
  const file = openForReading(path)
  if (file === null) return null
  try {
    const status = fstatSync(file)
    let buffer = roomFor(path, status, limits)
    for (let length = 0; ; ) {
      const bytesRead = readSync(file, buffer, length, buffer.length - length, length)
      length += bytesRead
      if (bytesRead === 0 || length === status.size) return buffer.slice(0, length)
      if (length === buffer.length) buffer = enlarge(path, buffer, limits)
    }
  } catch (error) {
    throw error instanceof ToolsumError ? error : failed("read", path, error)
  } finally {
    closeSync(file)
  }
}

// Without O_NONBLOCK opening a named pipe waits for a writer for ever.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

function openForReading(path: string): number | null {
  try {
    return openSync(path, OPEN_FLAGS)
  } catch (error) {
    return nullIfMissing(path, error)
  }
}

function nullIfMissing(path: string, error: unknown): null {
  const code = errnoOf(error)
  if (code === "ENOENT" || code === "ENOTDIR") return null
  throw failed("open", path, error)
}

const refused = (path: string, what: string, { code }: ReadLimits) =>
  new ToolsumError(code, `expected ${what}, at ${quotePath(path)}`)

/** A buffer for the file, one byte larger, so that its end shows. */
function roomFor(path: string, status: Stats, limits: ReadLimits): Uint8Array {
  if (!status.isFile())
    throw refused(path, `a file, got ${status.isDirectory() ? "a folder" : "something else"}`, limits)
  if (status.size > limits.maxBytes) throw refused(path, `at most ${limits.maxBytes} bytes, got ${status.size}`, limits)
  return new Uint8Array(status.size + 1)
}

/** More room: the file grew while it was read. */
function enlarge(path: string, full: Uint8Array, limits: ReadLimits): Uint8Array {
  if (full.length > limits.maxBytes) throw refused(path, `at most ${limits.maxBytes} bytes, got more`, limits)
  const larger = new Uint8Array(Math.min(2 * full.length, limits.maxBytes + 1))
  larger.set(full)
  return larger
}

/** How to write a file. */
export interface WriteOptions {
  /** Permission bits of a new file, before the umask. */
  readonly mode?: number
  /** Path of the temporary file, for a writer that is alone by a lock; else a random name beside the file. */
  readonly tempPath?: string
}

/** Put `bytes` in the place of `path`, durably: a reader, and whoever comes after a crash, sees the old or the new bytes. A link at
 *  `path` is replaced, not followed. Throws IO_FAILED, and then the old bytes are still there. */
export async function replaceFile(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<void> {
  const folder = dirname(path)
  const temp = options.tempPath ?? join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`)
  try {
    await withFolder(folder, async () => {
      await createFile(temp, bytes, options.mode ?? 0o666)
      await renameOver(temp, path)
    })
  } catch (error) {
    await rm(temp, { force: true }).catch(() => undefined)
    throw failed("write", path, error)
  }
}

/** Write a new file and fsync it. What lies at `path` is removed first, so that nothing planted there is followed. */
async function createFile(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  await rm(path, { force: true })
  const file = await open(path, "wx", mode)
  try {
    await file.writeFile(bytes)
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

/** Make a folder and its parents for the user alone. Throws IO_FAILED. */
export async function makePrivateDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
  } catch (error) {
    throw failed("make the folder", path, error)
  }
}

/** Remove a file; no error where nothing is. Throws IO_FAILED. */
export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true })
  } catch (error) {
    throw failed("remove", path, error)
  }
}
