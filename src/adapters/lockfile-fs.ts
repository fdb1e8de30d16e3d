// The lockfile on disk (DESIGN 7): finding it, reading it within bounds, and changing it so that writers at the same time lose
// nothing: lock, read again, change, temp file, fsync, rename. Its format is core/lockfile.ts's.
import { lstat, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { encodeUtf8 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { formatLockfile, type Lockfile, parseLockfile } from "../core/lockfile.js"
import { quotePath, readRegularFile, replaceFile } from "./durable-file.js"
import { withProcessLock } from "./process-lock.js"

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
export async function findLockfile(folder: string): Promise<FoundProject> {
  const upwards = foldersUpwards(resolve(folder))
  const gitAt = await firstThat(upwards, (at) => exists(join(at, ".git")))
  const searched = gitAt === null ? upwards.slice(0, 1) : upwards.slice(0, upwards.indexOf(gitAt) + 1)
  const at = await firstThat(searched, (at) => exists(join(at, LOCKFILE_NAME)))
  return { lockfile: at === null ? null : join(at, LOCKFILE_NAME), gitRoot: gitAt }
}

function foldersUpwards(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersUpwards(parent)]
}

async function firstThat(
  folders: readonly string[],
  test: (folder: string) => Promise<boolean>,
): Promise<string | null> {
  for (const folder of folders) if (await test(folder)) return folder
  return null
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Bytes of the lockfile at `path`, or null where nothing is. Throws LOCKFILE_MALFORMED for a folder, a device and anything over 16 MiB,
 *  unread; IO_FAILED when it cannot be read. */
export const readLockfileBytes = (path: string): Promise<Uint8Array | null> =>
  readRegularFile(path, { maxBytes: MAX_JSON_BYTES, code: "LOCKFILE_MALFORMED" })

/** The lockfile at `path`. Throws FILE_MISSING where nothing is, LOCKFILE_MALFORMED for what is no lockfile, IO_FAILED. */
export async function readLockfile(path: string): Promise<Lockfile> {
  const bytes = await readLockfileBytes(path)
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${quotePath(path)}, got nothing`)
  return parseNamed(bytes, path)
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
  return withProcessLock(`${path}.writing`, async (lock) => {
    const bytes = await readLockfileBytes(path)
    const current = bytes === null ? null : parseNamed(bytes, path)
    const next = await change(current)
    const text = formatLockfile(next)
    // Another spelling of the same content, by hand or by a checkout, is left as it is.
    if (current !== null && formatLockfile(current) === text) return { lockfile: current, written: false }
    await lock.assertHeld()
    await replaceFile(path, encodeUtf8(text), { mode: await modeOf(path), tempPath: `${path}.tmp` })
    return { lockfile: next, written: true }
  })
}

/** Permission bits to keep; of a new file, whatever the umask leaves. */
const modeOf = (path: string): Promise<number> =>
  stat(path).then(
    (status) => status.mode & 0o777,
    () => 0o666,
  )
