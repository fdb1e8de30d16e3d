// Writing files so that they survive a crash (brief 5.2), several at a time: all are written, then all synced, then all get their names,
// then their folders are synced. Whoever writes while a group is under way is in the next one. Two waits for the disk per group,
// however many files; and no file is made while another is being synced, which would wait for the journal each time.
import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { dirname, join, sep } from "node:path"
import type { FileOps, OpenFile } from "./file-ops.js"
import { errnoOf } from "./regular-file.js"

/** A file to write. `path`: absolute, below the root. */
export interface FileToWrite {
  readonly path: string
  readonly bytes: Uint8Array
  /** Take the place of an existing file; else the file is only made where none is. */
  readonly replace: boolean
}

/** Writes files in groups. */
export interface GroupWriter {
  /** Write a file durably. False when it exists and is not to be replaced; that it exists is then durable too. Throws what a call of
   *  the file system throws, also for another file of the group. */
  write(file: FileToWrite): Promise<boolean>
  /** Somebody removed `folder`: it has to be made again. */
  forget(folder: string): void
}

/** Most files of a group: each holds a descriptor, and so does its folder. */
const MAX_GROUP = 128

interface Waiting extends FileToWrite {
  readonly resolve: (written: boolean) => void
  readonly reject: (error: unknown) => void
}

/** A writer below `root`, which is made with its parents when it is first used. `tempFolder`, below it, holds the temporary files. */
export function createGroupWriter(root: string, tempFolder: string, ops: FileOps): GroupWriter {
  const folders = createFolders(root, ops)
  const queue: Waiting[] = []
  let running = false

  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      const group = queue.splice(0, MAX_GROUP)
      try {
        const written = await writeGroup({ folders, tempFolder, ops }, group)
        for (const [i, { resolve }] of group.entries()) resolve(written[i] ?? false)
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    running = false
  }
  return {
    write: (file) =>
      new Promise((resolve, reject) => {
        queue.push({ ...file, resolve, reject })
        if (running) return
        running = true
        queueMicrotask(() => void run()) // after all who write in this turn
      }),
    forget: folders.forget,
  }
}

async function writeGroup(
  context: { readonly folders: Folders; readonly tempFolder: string; readonly ops: FileOps },
  group: readonly FileToWrite[],
): Promise<readonly boolean[]> {
  const { folders, tempFolder, ops } = context
  const touched = new Set<string>()
  for (const folder of [tempFolder, ...group.map(({ path }) => dirname(path))]) await folders.ensure(folder, touched)
  for (const { path } of group) touched.add(dirname(path))
  const temps = group.map(() => join(tempFolder, `.${randomBytes(9).toString("hex")}`))
  // Opened before the changes, so that a failed write-back is reported to these handles.
  const handles = await openFolders(ops, touched)
  const written: boolean[] = []
  try {
    await writeTemps(ops, temps, group)
    for (const [i, file] of group.entries()) written.push(await placeFile(ops, temps[i] ?? "", file))
    await syncAll(handles)
    return written
  } finally {
    // Those that replaced a file are gone, unless something failed.
    for (const [i, temp] of temps.entries())
      if (!written[i] || !group[i]?.replace) await ops.unlink(temp).catch(() => undefined)
    await closeAll(handles)
  }
}

/** Write every temporary file in full, then sync them all. */
async function writeTemps(ops: FileOps, temps: readonly string[], group: readonly FileToWrite[]): Promise<void> {
  const files: OpenFile[] = []
  try {
    for (const [i, { bytes }] of group.entries()) {
      const file = await ops.open(temps[i] ?? "", "wx", 0o644)
      files.push(file)
      await writeAll(file, bytes)
    }
    await syncAll(files)
  } finally {
    await closeAll(files)
  }
}

async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done)
    if (bytesWritten <= 0) throw new Error("no byte was written")
    done += bytesWritten
  }
}

/** Give a temporary file its name. link(2) fails where the name exists, rename(2) replaces what has it. */
async function placeFile(ops: FileOps, temp: string, { path, replace }: FileToWrite): Promise<boolean> {
  if (replace) await ops.rename(temp, path)
  else {
    try {
      await ops.link(temp, path)
    } catch (error) {
      if (errnoOf(error) === "EEXIST") return false
      throw error
    }
  }
  return true
}

async function openFolders(ops: FileOps, folders: ReadonlySet<string>): Promise<readonly OpenFile[]> {
  if (process.platform === "win32") return [] // cannot sync folders
  const handles: OpenFile[] = []
  try {
    for (const folder of folders) handles.push(await ops.open(folder, constants.O_RDONLY))
    return handles
  } catch (error) {
    await closeAll(handles)
    throw error
  }
}

/** Sync all at the same time. All have ended before a failure is told: a file must not be closed while it is being synced. */
async function syncAll(files: readonly OpenFile[]): Promise<void> {
  const done = await Promise.allSettled(files.map((file) => file.sync()))
  for (const result of done) if (result.status === "rejected") throw result.reason
}

async function closeAll(files: readonly OpenFile[]): Promise<void> {
  for (const file of files) await file.close()
}

interface Folders {
  /** Make `folder` and its parents where they are missing; adds to `touched` the folders that must be synced for that to last. */
  ensure(folder: string, touched: Set<string>): Promise<void>
  /** Somebody removed `folder`: it has to be made again. */
  forget(folder: string): void
}

function createFolders(root: string, ops: FileOps): Folders {
  const known = new Set<string>()
  const ensure = async (folder: string, touched: Set<string>): Promise<void> => {
    if (known.has(folder)) return
    const parent = dirname(folder)
    const below = folder.startsWith(`${root}${sep}`)
    if (below) await ensure(parent, touched)
    const made = await makeFolder(ops, folder)
    if (made === null) {
      await ensure(parent, touched)
      return ensure(folder, touched)
    }
    // Also when it exists: it may have been made by a process that died before it synced the parent. Folders above the root may be
    // somebody else's, so only new ones count there.
    if (below || made) touched.add(parent)
    known.add(folder)
  }
  return { ensure, forget: (folder) => void known.delete(folder) }
}

/** True when the folder is new, false when it exists, null when its parent is missing. */
async function makeFolder(ops: FileOps, folder: string): Promise<boolean | null> {
  try {
    await ops.mkdir(folder)
    return true
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false
    if (errnoOf(error) === "ENOENT" && dirname(folder) !== folder) return null
    throw error
  }
}
