// One writer at a time over a file, among processes (DESIGN 7, Writes): a lock file that is created if absent, names its process, and
// is taken over when that process is gone. Node has no flock. Taking over is itself done under a lock named after the dead
// lock's content, so that two who see the same dead lock cannot both remove it, nor remove a newer one.
import { createHash, randomBytes } from "node:crypto"
import { link, rm, stat, writeFile } from "node:fs/promises"
import { decodeUtf8, encodeUtf8, equalBytes } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import {
  describeOwnProcess,
  formatIdentity,
  isProcessGone,
  type ProcessIdentity,
  parseIdentity,
} from "./process-identity.js"
import { errnoOf, quotePath, readRegularFile } from "./regular-file.js"

/** How long to wait for another process. Writes take milliseconds. */
export const LOCK_TIMEOUT_MS = 30_000
/** A lock of another machine or container cannot be judged by its process; past this age nobody is thought to hold it. */
const FOREIGN_LOCK_MS = 10 * 60_000
/** A lock without readable content this old is the rest of a crash. */
const UNREADABLE_LOCK_MS = 10_000
const MAX_LOCK_BYTES = 4096
const MAX_TAKEOVER_DEPTH = 3

/** A held lock. */
export interface HeldLock {
  /** Throws TIMEOUT when somebody else took the lock, which they do when this process looked dead to them. */
  assertHeld(): Promise<void>
}

/** How to wait. */
export interface LockOptions {
  readonly timeoutMs?: number
}

/** Run `work` while holding the lock file `path`, whose folder exists. Throws TIMEOUT when another process keeps the lock, IO_FAILED
 *  when the file cannot be made, and whatever `work` throws. */
export async function withProcessLock<T>(
  path: string,
  work: (lock: HeldLock) => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const deadlineMs = performance.now() + (options.timeoutMs ?? LOCK_TIMEOUT_MS)
  const own = await acquire(path, deadlineMs, 0)
  try {
    return await work({ assertHeld: () => assertHeld(path, own) })
  } finally {
    await removeIfStill(path, own).catch(() => undefined)
  }
}

async function assertHeld(path: string, own: Uint8Array): Promise<void> {
  const now = await readLock(path)
  if (now !== null && equalBytes(now, own)) return
  throw new ToolsumError("TIMEOUT", `lost the lock ${quotePath(path)} to another process; nothing was written`)
}

async function acquire(path: string, deadlineMs: number, depth: number): Promise<Uint8Array> {
  const own = encodeUtf8(formatIdentity(describeOwnProcess()))
  for (let attempt = 0; ; attempt++) {
    const holder = await readLock(path)
    if (holder === null && (await createLock(path, own))) return own
    if (holder !== null && (await isAbandoned(path, holder))) await removeAbandoned(path, holder, deadlineMs, depth)
    else if (performance.now() >= deadlineMs) throw busy(path, holder)
    else await pause(attempt)
  }
}

const readLock = (path: string) => readRegularFile(path, { maxBytes: MAX_LOCK_BYTES, code: "IO_FAILED" })

const pause = (attempt: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.min(2 * 2 ** attempt, 50) * (0.5 + Math.random())))

function busy(path: string, holder: Uint8Array | null): ToolsumError {
  const writer = holder === null ? null : identityOf(holder)
  const who = writer === null ? "another process" : `process ${writer.pid} on ${quote(writer.place)}`
  return new ToolsumError("TIMEOUT", `${who} is still writing; if it is gone, remove ${quotePath(path)}`)
}

function identityOf(lock: Uint8Array): ProcessIdentity | null {
  try {
    return parseIdentity(decodeUtf8(lock, (why) => new ToolsumError("IO_FAILED", why)))
  } catch {
    return null
  }
}

async function isAbandoned(path: string, lock: Uint8Array): Promise<boolean> {
  const writer = identityOf(lock)
  if (writer?.place === describeOwnProcess().place) return isProcessGone(writer)
  const status = await stat(path).catch(() => null)
  const ageMs = status === null ? 0 : Date.now() - status.mtimeMs
  return ageMs > (writer === null ? UNREADABLE_LOCK_MS : FOREIGN_LOCK_MS)
}

/** Remove a dead lock if it is still the one that was judged. */
async function removeAbandoned(path: string, dead: Uint8Array, deadlineMs: number, depth: number): Promise<void> {
  if (depth === MAX_TAKEOVER_DEPTH) throw busy(path, dead)
  const takeover = `${path}.${createHash("sha256").update(dead).digest("hex").slice(0, 16)}`
  const own = await acquire(takeover, deadlineMs, depth + 1)
  try {
    await removeIfStill(path, dead)
  } finally {
    await removeIfStill(takeover, own).catch(() => undefined)
  }
}

async function removeIfStill(path: string, content: Uint8Array): Promise<void> {
  const now = await readLock(path)
  if (now !== null && equalBytes(now, content)) await rm(path, { force: true })
}

/** Create the lock with its content in one step; false when it exists. */
async function createLock(path: string, content: Uint8Array): Promise<boolean> {
  const temp = `${path}.${randomBytes(6).toString("hex")}.tmp`
  try {
    await writeFile(temp, content, { flag: "wx" })
    await link(temp, path)
    return true
  } catch (error) {
    const code = errnoOf(error) ?? String(error)
    if (code === "EEXIST") return false
    if (NO_LINKS.includes(code)) return createLockInPlace(path, content)
    throw new ToolsumError("IO_FAILED", `could not make ${quotePath(path)}: ${code}`, { cause: error })
  } finally {
    await rm(temp, { force: true }).catch(() => undefined)
  }
}

/** What link(2) says on file systems that have no hard links. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]

/** Without hard links: a reader may see the file before its content, hence UNREADABLE_LOCK_MS. */
async function createLockInPlace(path: string, content: Uint8Array): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: "wx" })
    return true
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false
    throw new ToolsumError("IO_FAILED", `could not make ${quotePath(path)}: ${errnoOf(error)}`, { cause: error })
  }
}
