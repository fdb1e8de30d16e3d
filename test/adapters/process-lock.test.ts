import { spawnSync } from "node:child_process"
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import {
  describeOwnProcess,
  formatIdentity,
  isProcessGone,
  parseIdentity,
} from "../../src/adapters/process-identity.js"
import { withProcessLock } from "../../src/adapters/process-lock.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const own = describeOwnProcess()
const deadPid = () => spawnSync(process.execPath, ["-e", ""]).pid
const done = async () => "done"

test("an identity reads back", () => expect(parseIdentity(formatIdentity(own))).toEqual(own))

test.each(["", "toolsum-writing/v1\n", `${formatIdentity(own)}x`, "\0".repeat(100)])("%j is no identity", (text) =>
  expect(parseIdentity(text)).toBeNull(),
)

test("this process is there; its twin with another start, or from before the machine started, is gone", () => {
  expect(isProcessGone(own)).toBe(false)
  expect(isProcessGone({ ...own, pid: deadPid() })).toBe(true)
  expect(isProcessGone({ ...own, startSec: 1 })).toBe(true)
  expect(isProcessGone({ ...own, ticks: "1" })).toBe(true)
})

test("holders follow one another and leave nothing behind", async () => {
  const folder = await makeTempFolder()
  const path = join(folder, "lock")
  let inside = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++inside)
    await new Promise((resolve) => setTimeout(resolve, 2))
    inside--
  }
  await Promise.all(Array.from({ length: 8 }, () => withProcessLock(path, work)))
  expect(most).toBe(1)
  expect(await readdir(folder)).toEqual([])
})

test("the lock is released when the work throws", async () => {
  const folder = await makeTempFolder()
  const fail = async () => {
    throw new RangeError("no")
  }
  await expect(withProcessLock(join(folder, "lock"), fail)).rejects.toThrow(RangeError)
  expect(await readdir(folder)).toEqual([])
})

const old = new Date(Date.now() - 3600_000)
test.each([
  { name: "of a process that is gone", text: () => formatIdentity({ ...own, pid: deadPid() }) },
  { name: "of an earlier process with this pid", text: () => formatIdentity({ ...own, ticks: "1" }) },
  { name: "of another machine, an hour old", text: () => formatIdentity({ ...own, place: "elsewhere" }), at: old },
  { name: "without content, an hour old", text: () => "", at: old },
])("a lock $name is taken over by exactly one at a time", async ({ text, at }) => {
  const folder = await makeTempFolder()
  const path = join(folder, "lock")
  await writeFile(path, text())
  if (at) await utimes(path, at, at)
  let inside = 0
  const work = async () => {
    expect(++inside).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 1))
    inside--
  }
  await Promise.all(Array.from({ length: 5 }, () => withProcessLock(path, work)))
  expect(await readdir(folder)).toEqual([])
})

test("a takeover that itself was interrupted is finished by the next one", async () => {
  const folder = await makeTempFolder()
  const path = join(folder, "lock")
  const dead = formatIdentity({ ...own, pid: deadPid() })
  await writeFile(path, dead)
  const { createHash } = await import("node:crypto")
  const name = createHash("sha256").update(dead).digest("hex").slice(0, 16)
  await writeFile(`${path}.${name}`, formatIdentity({ ...own, pid: deadPid() }))
  expect(await withProcessLock(path, done)).toBe("done")
  expect(await readdir(folder)).toEqual([])
})

test.each([
  { name: "of a running process", text: formatIdentity(own) },
  { name: "of another machine, fresh", text: formatIdentity({ ...own, place: "elsewhere" }) },
  { name: "without content, fresh", text: "" },
])("a lock $name is waited for, then named in the error", async ({ text }) => {
  const path = join(await makeTempFolder(), "lock")
  await writeFile(path, text)
  const attempt = withProcessLock(path, done, { timeoutMs: 60 })
  await expect(attempt).rejects.toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("lock") })
  expect(await readFile(path, "utf8")).toBe(text)
})

test("a dangling link in the place of the lock ends in an error, a folder too", async () => {
  const folder = await makeTempFolder()
  await symlink(join(folder, "nowhere"), join(folder, "link"))
  await mkdir(join(folder, "folder"))
  await expect(withProcessLock(join(folder, "link"), done, { timeoutMs: 60 })).rejects.toMatchObject({
    code: "TIMEOUT",
  })
  await expect(withProcessLock(join(folder, "folder"), done)).rejects.toMatchObject({ code: "IO_FAILED" })
})

test("a holder notices that the lock was taken from it", async () => {
  const path = join(await makeTempFolder(), "lock")
  const attempt = withProcessLock(path, async (lock) => {
    await writeFile(path, formatIdentity(own))
    await lock.assertHeld()
  })
  await expect(attempt).rejects.toMatchObject({ code: "TIMEOUT" })
  expect(parseIdentity(await readFile(path, "utf8"))).toEqual(own) // and the other's lock is not removed
})
