// Bounded reading of regular files, the only way in which files of the user and of the project are read. Writing is durable-file.ts's,
// which `verify` never loads. Every failure is a ToolsumError.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs"
import { type ErrorCode, quote, ToolsumError } from "../core/errors.js"

const PATH_CHARS = 400

/** A path for a message. */
export const quotePath = (path: string): string => quote(path, PATH_CHARS)

/** The errno name of a failed call such as "ENOENT", or null. */
export function errnoOf(error: unknown): string | null {
  const code: unknown = error instanceof Error && "code" in error ? error.code : null
  return typeof code === "string" ? code : null
}

/** The error of a failed call: what was tried, where, and the errno name. */
export const ioFailed = (what: string, path: string, cause: unknown) =>
  new ToolsumError("IO_FAILED", `could not ${what} ${quotePath(path)}: ${errnoOf(cause) ?? String(cause)}`, { cause })

/** How much of a file to take in, and the code of its refusal. */
export interface ReadLimits {
  readonly maxBytes: number
  readonly code: ErrorCode
}

/** All bytes of the regular file at `path`, or null where nothing is. A folder, a device or more than `maxBytes` is refused with
 *  `code`, without reading it; a failed call is IO_FAILED. Without leaving the thread: what is read here is small, and a reading through
 *  Node's thread pool costs ten times as much, and the pool's start once. */
export function readRegularFile(path: string, limits: ReadLimits): Uint8Array | null {
  const file = openForReading(path)
  if (file === null) return null
  try {
    const status = fstatSync(file)
    let buffer = roomFor(path, status, limits)
    for (let length = 0; ; ) {
      const bytesRead = readSync(file, buffer, length, buffer.length - length, length)
      length += bytesRead
      if (bytesRead === 0 || length === status.size) return buffer.subarray(0, length)
      if (length === buffer.length) buffer = enlarge(path, buffer, limits)
    }
  } catch (error) {
    throw error instanceof ToolsumError ? error : ioFailed("read", path, error)
  } finally {
    closeSync(file)
  }
}

// Without O_NONBLOCK opening a named pipe waits for a writer for ever.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** False where nothing is at `path`. Most places that are looked at are empty, and a call that fails makes an error with its stack, which
 *  costs ten times as much as this one. */
export function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true // opening it will say what is wrong
  }
}

function openForReading(path: string): number | null {
  if (!mayExist(path)) return null
  try {
    return openSync(path, OPEN_FLAGS)
  } catch (error) {
    return nullIfMissing(path, error)
  }
}

function nullIfMissing(path: string, error: unknown): null {
  const code = errnoOf(error)
  if (code === "ENOENT" || code === "ENOTDIR") return null
  throw ioFailed("open", path, error)
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
