// The lockfile on disk (DESIGN 7): finding it, reading it within bounds, and changing it, with the definitions beside it, so that
// writers at the same time lose nothing: lock, read again, change, temp file, fsync, rename. Its format is core/lockfile.ts's.
import { accessSync, constants, lstatSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { encodeUtf8 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { formatLockfile, type Lockfile, parseLockfile } from "../core/lockfile.js"
import type { LockfileChange } from "../ports.js"
import {
  findChangedDefinitions,
  removeDefinitions,
  requireDefinitionsPlace,
  writeDefinitions,
} from "./definitions-fs.js"
import { ioFailed, quotePath, readRegularFile } from "./regular-file.js"

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

/** Refuse at once a place where `updateLockfile` could not write the lockfile and the definitions of `pins`. Throws IO_FAILED, and as
 *  `requireDefinitionsPlace`. */
export function requireWritable(path: string, pins: readonly string[]): void {
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw ioFailed("write to the folder", dirname(path), error)
  }
  requireDefinitionsPlace(path, pins)
}

/** What an update left behind. */
export interface UpdatedLockfile {
  readonly lockfile: Lockfile
  /** False when nothing changed; then no file was touched. */
  readonly written: boolean
}

/** Change the lockfile at `path` and the definitions beside it while no other process can: `change` gets what is there now (null: no
 *  file) and returns what shall be. Durable when it returns. A process that dies between two steps leaves a lockfile, the old or the new
 *  one, and definitions that are missing, never those of the other. Throws what `change` throws, TIMEOUT when another process keeps
 *  writing, as `readLockfile`, and as `requireDefinitionsPlace` before anything is written. */
export async function updateLockfile(
  path: string,
  change: (current: Lockfile | null) => LockfileChange | Promise<LockfileChange>,
): Promise<UpdatedLockfile> {
  // What writes is loaded only now: most runs only read.
  const [{ withProcessLock }, { replaceFile }] = await Promise.all([
    import("./process-lock.js"),
    import("./durable-file.js"),
  ])
  return withProcessLock(`${path}.writing`, async (lock) => {
    const current = readLockfile(path)
    const { lockfile: next, definitions = {} } = await change(current)
    const text = formatLockfile(next)
    // Another spelling of the same content, by hand or by a checkout, is left as it is.
    const isSame = current !== null && formatLockfile(current) === text
    const changed = Object.entries(findChangedDefinitions(path, definitions))
    if (isSame && changed.length === 0) return { lockfile: current, written: false }
    await lock.assertHeld()
    for (const [name, bytes] of changed) if (!isSame || bytes === null) await removeDefinitions(path, name)
    if (!isSame) await replaceFile(path, encodeUtf8(text), { mode: modeOf(path), tempPath: `${path}.tmp` })
    for (const [name, bytes] of changed) if (bytes !== null) await writeDefinitions(path, name, bytes)
    return { lockfile: isSame ? current : next, written: true }
  })
}

/** Permission bits to keep; of a new file, whatever the umask leaves. */
function modeOf(path: string): number {
  const status = statSync(path, { throwIfNoEntry: false })
  return status === undefined ? 0o666 : status.mode & 0o777
}
