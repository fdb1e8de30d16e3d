// A disk that fails at any file system call, in a real folder: full, broken, broken after the call took effect, short writes before it
// is full. The process lives on, so it must close the log; the next one must find all that was acknowledged.
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type FileOps, nodeFileOps, type OpenFile } from "../../src/adapters/file-ops.js"
import { createFsStore } from "../../src/adapters/store-fs.js"
import { equalBytes } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { checkPublic, newLog, rawEntry, reopen, submission } from "../fakes/writer-fixtures.js"

let root: string
let base: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolsum-disk-"))
  base = join(root, "base")
  const log = await newLog(createFsStore(base))
  await log.append([submission(["a"])])
  await log.appendEntries(Array.from({ length: 252 }, (_, i) => rawEntry(i)))
})
afterAll(() => rm(root, { recursive: true, force: true }))

type Failure = "ENOSPC" | "EIO after the call" | "a short write, then ENOSPC"

/** The file system until call `at`; from then on each call fails. */
function createFailingOps(at: number, failure: Failure): { ops: FileOps; calls: () => number } {
  let calls = 0
  const error = (code: string) => Object.assign(new Error(code), { code })
  const guard =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>, half?: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const own = calls++
      if (own < at) return call(...args)
      if (own === at && failure === "EIO after the call") await call(...args)
      if (own === at && failure === "a short write, then ENOSPC" && half !== undefined) return half(...args)
      throw error(failure === "EIO after the call" ? "EIO" : "ENOSPC")
    }
  const guardFile = (file: OpenFile): OpenFile => ({
    write: guard(file.write, (bytes, offset, length) => file.write(bytes, offset, Math.floor(length / 2))),
    sync: guard(file.sync),
    close: file.close,
  })
  const ops: FileOps = {
    open: guard(async (path, flags, mode) => guardFile(await nodeFileOps.open(path, flags, mode))),
    link: guard(nodeFileOps.link),
    rename: guard(nodeFileOps.rename),
    unlink: guard(nodeFileOps.unlink),
    mkdir: guard(nodeFileOps.mkdir),
    rmdir: guard(nodeFileOps.rmdir),
  }
  return { ops, calls: () => calls }
}

async function failOnce(folder: string, at: number, failure: Failure): Promise<boolean> {
  const { ops, calls } = createFailingOps(at, failure)
  const acknowledged = new Map<bigint, Uint8Array>()
  const live = async () => {
    const log = await reopen(createFsStore(folder, { ops }))
    const work = async () => {
      const [first] = await log.appendEntries([rawEntry(7)])
      if (first) acknowledged.set(first.index, rawEntry(7))
      for (const { index } of await log.appendEntries([rawEntry(8), rawEntry(8)])) acknowledged.set(index, rawEntry(8))
    }
    await work().catch(async (error) => {
      await expect(log.appendEntries([rawEntry(9)])).rejects.toEqual(expect.objectContaining({ code: "LOG_CLOSED" }))
      throw error
    })
  }
  await live().catch((error) => {
    if (!(error instanceof ToolsumError && error.code === "IO_FAILED")) throw error
  })
  const store = createFsStore(folder)
  await reopen(store)
  const { entries } = await checkPublic(store)
  for (const [index, entry] of acknowledged) {
    expect(equalBytes(entries[Number(index)] ?? new Uint8Array(), entry), `entry ${index}`).toBe(true)
  }
  await (await reopen(store)).append([submission(["b"])])
  await checkPublic(store)
  return calls() > at
}

test.each<Failure>(["ENOSPC", "EIO after the call", "a short write, then ENOSPC"])("%s", async (failure) => {
  let failed = true
  let at = 0
  for (; failed; at++) {
    const folder = join(root, `${failure.slice(0, 3)}-${at}`)
    await cp(base, folder, { recursive: true })
    failed = await failOnce(folder, at, failure)
    await rm(folder, { recursive: true })
  }
  expect(at).toBeGreaterThan(60)
})
