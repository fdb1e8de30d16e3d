// The lockfile on disk (DESIGN 7): finding it, reading it within bounds, and changing it so that writers at the same time lose
// nothing: lock, read again, change, temp file, fsync, rename. Its format is core/lockfile.ts's.
import { lstatSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { encodeUtf8 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { formatLockfile, type Lockfile, parseLockfile } from "../core/lockfile.js"
import { quotePath, readRegularFile } from "./regular-file.js"

/** Name of the lockfile in a project. */
export const LOCKFILE_NAME = "toolsum.lock.json"

/** Where a project's lockfile is, and where its git work tree starts. */
export interface FoundProject {
  /** Path of the nearest lockfile, or null. */
  readonly lockfile: string | null
  /** Folder that holds `.git`, or null outside git. */
  readonly gitRoot: string | null
}

/** Look for the nearest lockfile from `folder` upwards to the git root. Outside git only `folder` itself counts: a file in a
 *  shared folder may be anybody's. */
export function findLockfile(folder: string): FoundProject {
  const upwards = foldersUpwards(resolve(folder))
  const gitRoot = upwards.find((at) => exists(join(at, ".git"))) ?? null
  const searched = gitRoot === null ? upwards.slice(0, 1) : upwards.slice(0, upwards.indexOf(gitRoot) + 1)
  const at = searched.find((at) => exists(join(at, LOCKFILE_NAME)))
  return { lockfile: at === undefined ? null : join(at, LOCKFILE_NAME), gitRoot }
}

function foldersUpwards(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersUpwards(parent)]
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** Bytes of the lockfile at `path`, or null where nothing is. Throws LOCKFILE_MALFORMED for a folder, a device and anything over 16 MiB,
 *  unread; IO_FAILED when it cannot be read. */
export const readLockfileBytes = (path: string): Uint8Array | null =>
  readRegularFile(path, { maxBytes: MAX_JSON_BYTES, code: "LOCKFILE_MALFORMED" })

/** The lockfile at `path`, or null where nothing is. Throws LOCKFILE_MALFORMED for what is no lockfile, IO_FAILED. */
export function readLockfile(path: string): Lockfile | null {
  const bytes = readLockfileBytes(path)
  return bytes === null ? null : parseNamed(bytes, path)
}

/** Parse, and name the file in the error. */
function parseNamed(bytes: Uint8Array, path: string): Lockfile {
  try {
    return parseLockfile(bytes)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    throw new ToolsumError(error.code, `${quotePath(path)}: ${error.message}`, { cause: error })
  }
}

/** What an update left behind. */
export interface UpdatedLockfile {
  readonly lockfile: Lockfile
  /** False when nothing changed; then the file was not touched. */
  readonly written: boolean
}

/** Change the lockfile at `path` while no other process can: `change` gets what is there now (null: no file) and returns what shall be.
 *  Durable when it returns. Throws what `change` throws, TIMEOUT when another process keeps writing, and as `readLockfile`. */
export async function updateLockfile(
  path: string,
  change: (current: Lockfile | null) => Lockfile | Promise<Lockfile>,
): Promise<UpdatedLockfile> {
  // What writes is loaded only now: most runs only read.
  const [{ withProcessLock }, { replaceFile }] = await Promise.all([
    import("./process-lock.js"),
    import("./durable-file.js"),
  ])
  return withProcessLock(`${path}.writing`, async (lock) => {
    const current = readLockfile(path)
    const next = await change(current)
    const text = formatLockfile(next)
    // Another spelling of the same content, by hand or by a checkout, is left as it is.
    if (current !== null && formatLockfile(current) === text) return { lockfile: current, written: false }
    await lock.assertHeld()
    await replaceFile(path, encodeUtf8(text), { mode: modeOf(path), tempPath: `${path}.tmp` })
    return { lockfile: next, written: true }
  })
}

/** Permission bits to keep; of a new file, whatever the umask leaves. */
function modeOf(path: string): number {
  const status = statSync(path, { throwIfNoEntry: false })
  return status === undefined ? 0o666 : status.mode & 0o777
}
