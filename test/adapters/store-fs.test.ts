import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type FileOps, nodeFileOps, type OpenFile } from "../../src/adapters/file-ops.js"
import { createFsStore, isInsideGitWorkTree } from "../../src/adapters/store-fs.js"
import { describeTileStore } from "../fakes/tile-store-suite.js"

const bytes = (text: string) => new TextEncoder().encode(text)
const code = (expected: string) => expect.objectContaining({ code: expected })

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolsum-store-"))
})
afterEach(() => rm(root, { recursive: true, force: true }))

describeTileStore("a folder", () => createFsStore(join(root, "some", "log")))

/** The file system with some calls replaced. */
const opsWith = (changes: Partial<FileOps>): FileOps => ({ ...nodeFileOps, ...changes })

/** Ops whose files and folders behave as `change` says. */
const openWith = (change: (file: OpenFile, path: string) => Partial<OpenFile>): FileOps =>
  opsWith({
    open: async (path, flags, mode) => {
      const file: OpenFile = await nodeFileOps.open(path, flags, mode)
      const own: OpenFile = {
        write: (b, offset, length) => file.write(b, offset, length),
        sync: () => file.sync(),
        close: () => file.close(),
      }
      return { ...own, ...change(own, path) }
    },
  })

const errno = (name: string) => Object.assign(new Error(name), { code: name })
const tempFiles = () => readdir(join(root, "private", "tmp"))

test("a short write is continued until every byte is out", async () => {
  const calls: number[] = []
  const ops = openWith((file) => ({
    write: (b, offset, length) => {
      calls.push(length)
      return file.write(b, offset, Math.min(3, length))
    },
  }))
  await createFsStore(root, { ops }).create("public/checkpoint", bytes("0123456789"))
  expect(await readFile(join(root, "public/checkpoint"), "utf8")).toBe("0123456789")
  expect(calls).toEqual([10, 7, 4, 1])
})

test("a write that takes nothing is an error, not a loop", async () => {
  const store = createFsStore(root, { ops: openWith(() => ({ write: async () => ({ bytesWritten: 0 }) })) })
  await expect(store.create("a", bytes("x"))).rejects.toEqual(code("IO_FAILED"))
})

describe.each([
  { name: "ENOSPC while writing", ops: openWith(() => ({ write: () => Promise.reject(errno("ENOSPC")) })) },
  { name: "EIO of fsync", ops: openWith(() => ({ sync: () => Promise.reject(errno("EIO")) })) },
  {
    name: "EIO of a folder's fsync",
    ops: openWith((_, path) => (path.endsWith("public") ? { sync: () => Promise.reject(errno("EIO")) } : {})),
  },
  { name: "a failed link", ops: opsWith({ link: () => Promise.reject(errno("EPERM")) }) },
  { name: "a failed rename", ops: opsWith({ rename: () => Promise.reject(errno("EIO")) }) },
])("$name", ({ name, ops }) => {
  test("is IO_FAILED, leaves no temporary file, and nothing is tried again", async () => {
    let opened = 0
    const open: FileOps["open"] = (...args) => {
      opened++
      return ops.open(...args)
    }
    const counting: FileOps = { ...ops, open }
    const store = createFsStore(root, { ops: counting })
    const write = () =>
      name.includes("rename") ? store.replace("public/a", bytes("x")) : store.create("public/a", bytes("x"))
    await expect(write()).rejects.toEqual(code("IO_FAILED"))
    const before = opened
    await expect(store.create("public/b", bytes("y"))).rejects.toEqual(code("IO_FAILED"))
    await expect(store.replace("public/b", bytes("y"))).rejects.toEqual(code("IO_FAILED"))
    await expect(store.remove("public/b")).rejects.toEqual(code("IO_FAILED"))
    expect(opened).toBe(before)
    expect(await store.read("public/b")).toBeNull()
    await expect(tempFiles().catch(() => [])).resolves.toEqual([])
  })
})

test("file and folder are synced before the answer, the file before it gets its name", async () => {
  const events: string[] = []
  const record = openWith((file, path) => ({
    sync: async () => {
      await file.sync()
      events.push(`sync ${path.startsWith(join(root, "private/tmp/")) ? "file" : path.slice(root.length)}`)
    },
  }))
  const link: FileOps["link"] = async (from, to) => {
    await nodeFileOps.link(from, to)
    events.push("link")
  }
  const ops: FileOps = { ...record, link }
  const store = createFsStore(root, { ops })
  await store.create("public/tile/a", bytes("x"))
  expect(events.slice(0, 2)).toEqual(["sync file", "link"])
  // The folder, and those that hold the names of new folders.
  expect(events.slice(2).sort()).toEqual(["sync ", "sync /private", "sync /public", "sync /public/tile"])
})

test("that a file exists is told after its folder was synced, by another process too", async () => {
  await createFsStore(root).create("private/commits/1", bytes("x"))
  const synced: string[] = []
  const ops = openWith((file, path) => ({
    sync: async () => {
      await file.sync()
      synced.push(path.slice(root.length))
    },
  }))
  expect(await createFsStore(root, { ops }).create("private/commits/1", bytes("x"))).toBe(false)
  expect(synced).toContain("/private/commits")
  expect(synced).toContain("/private")
  expect(await readFile(join(root, "private/commits/1"), "utf8")).toBe("x")
})

test("many files in one folder share its fsync", async () => {
  let syncs = 0
  const ops = openWith((file, path) => ({
    sync: async () => {
      if (path.endsWith("public")) syncs++
      await file.sync()
    },
  }))
  const store = createFsStore(root, { ops })
  await store.create("public/first", bytes("x"))
  syncs = 0
  await Promise.all(Array.from({ length: 64 }, (_, i) => store.create(`public/n${i}`, bytes("x"))))
  expect(syncs).toBeLessThan(64)
  expect((await store.list("public")).length).toBe(65)
})

test("temporary files of a writer that died are removed after an hour", async () => {
  await mkdir(join(root, "private/tmp"), { recursive: true })
  for (const name of [".old", ".young"]) await writeFile(join(root, "private/tmp", name), "x")
  const longAgo = Date.now() / 1000 - 7200
  await utimes(join(root, "private/tmp/.old"), longAgo, longAgo)
  await createFsStore(root).create("a", bytes("x"))
  expect(await tempFiles()).toEqual([".young"])
})

test.each(["", "/a", "a//b", "a/", "../a", "a/../b", "a/.b", ".a", "a\\b", "a\0", "a b"])(
  "key %j is refused",
  async (key) => {
    const store = createFsStore(root)
    await expect(store.read(key)).rejects.toEqual(code("USAGE"))
    await expect(store.create(key, bytes("x"))).rejects.toEqual(code("USAGE"))
  },
)

test("the last partial tile takes its folder with it", async () => {
  const store = createFsStore(root)
  await store.create("public/tile/0/000.p/1", bytes("x"))
  await store.create("public/tile/0/000.p/2", bytes("x"))
  await store.remove("public/tile/0/000.p/1")
  expect(await store.list("public/tile/0")).toEqual(["000.p"])
  await store.remove("public/tile/0/000.p/2")
  expect(await store.list("public/tile/0")).toEqual([])
  expect(await store.create("public/tile/0/000.p/3", bytes("x"))).toBe(true)
})

test("a git work tree is seen from below, through links, and before the folder exists", async () => {
  await mkdir(join(root, "repo/.git"), { recursive: true })
  await mkdir(join(root, "repo/sub"))
  await mkdir(join(root, "worktree"))
  await writeFile(join(root, "worktree/.git"), "gitdir: elsewhere")
  await symlink(join(root, "repo/sub"), join(root, "link"))
  expect(await isInsideGitWorkTree(join(root, "repo/sub"))).toBe(true)
  expect(await isInsideGitWorkTree(join(root, "repo/not/yet"))).toBe(true)
  expect(await isInsideGitWorkTree(join(root, "link/log"))).toBe(true)
  expect(await isInsideGitWorkTree(join(root, "worktree"))).toBe(true)
  expect(await isInsideGitWorkTree(join(root, "plain"))).toBe(false)
})
