// The file system calls of the writer's storage. All but fsync are the synchronous ones: they take microseconds on a local disk, while
// handing each to a thread and back costs a tenth of a millisecond; a batch makes about a hundred. fsync waits for the disk, so it
// runs in a thread, and several at once share a write of the journal.
import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs"
import { promisify } from "node:util"
import { errnoOf } from "./regular-file.js"

/** The calls that writing needs; tests put failing ones in their place. They fail as those of node:fs do. */
export interface FileOps {
  open(path: string, flags: string | number, mode?: number): Promise<OpenFile>
  link(from: string, to: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  mkdir(path: string): Promise<void>
  rmdir(path: string): Promise<void>
}

/** An open file or folder. A write may take fewer bytes than it was given. */
export interface OpenFile {
  write(bytes: Uint8Array, offset: number, length: number): Promise<{ readonly bytesWritten: number }>
  sync(): Promise<void>
  close(): Promise<void>
}

const syncDescriptor = promisify(fsync)

/** The file system. */
export const nodeFileOps: FileOps = {
  open: async (path, flags, mode) => createOpenFile(openSync(path, flags, mode)),
  link: async (from, to) => linkSync(from, to),
  rename: async (from, to) => renameSync(from, to),
  unlink: async (path) => unlinkSync(path),
  mkdir: async (path) => void mkdirSync(path),
  rmdir: async (path) => rmdirSync(path),
}

const createOpenFile = (descriptor: number): OpenFile => ({
  write: async (bytes, offset, length) => ({ bytesWritten: writeSync(descriptor, bytes, offset, length) }),
  sync: () => syncDescriptor(descriptor),
  close: async () => closeSync(descriptor),
})

/** All bytes of the regular file at `path`, or null where nothing is. Throws an Error for a folder, a device or more than `maxBytes`,
 *  and as node:fs does. */
export function readWholeFile(path: string, maxBytes: number): Uint8Array | null {
  const descriptor = openForReading(path)
  if (descriptor === null) return null
  try {
    const status = fstatSync(descriptor)
    if (!status.isFile()) throw new Error("not a file")
    if (status.size > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
    return readBytes(descriptor, status.size)
  } finally {
    closeSync(descriptor)
  }
}

function openForReading(path: string): number | null {
  try {
    // What is asked for most in vain is the next commit record: an exception would cost more than a look.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return null
    // Without O_NONBLOCK opening a named pipe waits for a writer for ever.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error) ?? "")) return null
    throw error
  }
}

/** The first `size` bytes: files here are written whole before they get their name. */
function readBytes(descriptor: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let done = 0; done < size; ) {
    const read = readSync(descriptor, bytes, done, size - done, done)
    if (read === 0) throw new Error("a file that shrinks")
    done += read
  }
  return bytes
}
