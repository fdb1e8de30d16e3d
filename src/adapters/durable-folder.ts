// Folders whose changes survive a crash (brief 5.2): made with their parents' entries synced, and one fsync shared by all changes
// that wait for it. The handle is opened before the change, so that a failed write-back is reported to it.
import { constants } from "node:fs"
import { dirname } from "node:path"
import { errnoOf } from "./durable-file.js"

/** The calls that writing needs, as in node:fs/promises; tests put failing ones in their place. */
export interface FileOps {
  open(path: string, flags: string | number, mode?: number): Promise<OpenFile>
  link(from: string, to: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  mkdir(path: string): Promise<unknown>
  rmdir(path: string): Promise<void>
}

/** An open file or folder. A write may take fewer bytes than it was given. */
export interface OpenFile {
  write(bytes: Uint8Array, offset: number, length: number): Promise<{ readonly bytesWritten: number }>
  sync(): Promise<void>
  close(): Promise<void>
}

/** Folders below one root. */
export interface DurableFolders {
  /** Make `folder` (absolute, at or below the root) and its parents, durably. */
  ensure(folder: string): Promise<void>
  /** Run `change` on the entries of `folder`; returns when they are durable. */
  change<T>(folder: string, change: () => Promise<T>): Promise<T>
  /** Remove `folder` if it is empty. Need not be durable. */
  prune(folder: string): Promise<void>
}

/** Durable folders below `root` (absolute), which is made with its parents when it is first used. */
export function createDurableFolders(root: string, ops: FileOps): DurableFolders {
  const known = new Map<string, Promise<void>>()
  const { change } = createFolderSync(ops)
  const ensure = (folder: string): Promise<void> => {
    const made = known.get(folder) ?? makeBelow(folder)
    known.set(folder, made)
    return made
  }
  const makeBelow = async (folder: string): Promise<void> => {
    if (folder === root) return makeRoot(folder)
    await ensure(dirname(folder))
    await makeFolder(ops, folder)
    // Also when it exists: it may have been made by a process that died before it synced the parent.
    await change(dirname(folder), async () => undefined)
  }
  const makeRoot = async (folder: string): Promise<void> => {
    const parent = dirname(folder)
    if (await makeFolder(ops, folder).catch(ignoreMissing)) {
      if (parent !== folder) await change(parent, async () => undefined).catch(ignoreUnreadable)
    } else {
      await makeRoot(parent)
      await makeRoot(folder)
    }
  }
  const prune = async (folder: string): Promise<void> => {
    known.delete(folder)
    await ops.rmdir(folder).catch(() => undefined) // not empty, or gone: both are fine
  }
  return { ensure, change, prune }
}

/** Make a folder in an existing one; true, also when it exists. */
async function makeFolder(ops: FileOps, folder: string): Promise<boolean> {
  try {
    await ops.mkdir(folder)
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error
  }
  return true
}

function ignoreMissing(error: unknown): false {
  if (errnoOf(error) !== "ENOENT") throw error
  return false
}

/** The folder above the root may belong to somebody else; then it is not ours to sync. */
function ignoreUnreadable(error: unknown): void {
  if (!["EACCES", "EPERM"].includes(errnoOf(error) ?? "")) throw error
}

interface SharedFolder {
  users: number
  readonly opened: Promise<OpenFile>
  sync(): Promise<void>
}

/** `change` of DurableFolders: one handle and one fsync for all who change a folder at the same time. */
function createFolderSync(ops: FileOps): Pick<DurableFolders, "change"> {
  const open = new Map<string, SharedFolder>()
  const acquire = (folder: string): SharedFolder => {
    const shared = open.get(folder) ?? createSharedFolder(ops.open(folder, constants.O_RDONLY))
    open.set(folder, shared)
    shared.users++
    return shared
  }
  const release = async (folder: string, shared: SharedFolder): Promise<void> => {
    if (--shared.users > 0) return
    open.delete(folder)
    await (await shared.opened.catch(() => null))?.close()
  }
  return {
    async change(folder, edit) {
      if (process.platform === "win32") return edit() // cannot sync folders
      const shared = acquire(folder)
      try {
        await shared.opened
        const result = await edit()
        await shared.sync()
        return result
      } finally {
        await release(folder, shared)
      }
    },
  }
}

/** A sync that is under way may have begun before a change, so whoever comes then waits for the next one, together with all others. */
function createSharedFolder(opened: Promise<OpenFile>): SharedFolder {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const run = (): Promise<void> => {
    const sync = opened
      .then((handle) => handle.sync())
      .finally(() => {
        if (running === sync) running = null
      })
    running = sync
    return sync
  }
  const sync = (): Promise<void> => {
    if (running === null) return run()
    next ??= running.then(() => {
      next = null
      return run()
    })
    return next
  }
  return { users: 0, opened, sync }
}
