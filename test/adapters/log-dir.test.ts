import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createDirLog } from "../../src/adapters/log-dir.js"
import { createFsStore } from "../../src/adapters/store-fs.js"
import { newLog, rawEntry, submission } from "../fakes/writer-fixtures.js"

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolsum-dir-"))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const code = (expected: string) => expect.objectContaining({ code: expected })
const HEX = "ab".repeat(32)

async function put(path: string, text = path) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

test.each([
  "checkpoint",
  "tile/0/000",
  "tile/1/x001/x234/067.p/8",
  "tile/entries/255",
  "tile/entries/x001/000.p/255",
  "keyring/12",
  `objects/ab/${HEX}`,
  "subjects/0f",
])("reads %s from public/ or a web root", async (path) => {
  const log = createDirLog(root)
  expect(await log.read(path, 1000)).toBeNull()
  await put(path)
  expect(new TextDecoder().decode((await log.read(path, 1000)) ?? undefined)).toBe(path)
  await put(`public/${path}`, "other")
  expect(new TextDecoder().decode((await log.read(path, 1000)) ?? undefined)).toBe("other")
})

test.each([
  "",
  "/checkpoint",
  "./checkpoint",
  "checkpoint/",
  "Checkpoint",
  "../private/log",
  "private/log",
  "tile/0/../0/000",
  "tile/0/0",
  "tile/00/000",
  "tile/0/x000/001",
  "tile/0/000.p/0",
  "tile/0/000.p/256",
  "tile/64/000",
  "tile/entries/x00/000",
  "keyring/0",
  "keyring/01",
  "keyring/-1",
  `objects/ab/${"cd".repeat(32)}`,
  `objects/ab/${HEX}0`,
  `objects/AB/${HEX.toUpperCase()}`,
  "subjects/0F",
  "subjects/..",
  "checkpoint\0",
  "checkpoint\n",
])("refuses the path %j before the file system sees it", async (path) => {
  await put("private/log")
  await put("checkpoint")
  await expect(createDirLog(root).read(path, 1000)).rejects.toEqual(code("USAGE"))
})

test("links are not followed, wherever they are; the folder itself may be reached through one", async () => {
  await put("elsewhere/000")
  await put("log/public/checkpoint")
  await symlink(join(root, "log/public/checkpoint"), join(root, "log/public/keyring"))
  await mkdir(join(root, "log/public/tile"))
  await symlink(join(root, "elsewhere"), join(root, "log/public/tile/0"))
  await mkdir(join(root, "log/public/subjects"))
  await symlink("/etc/hostname", join(root, "log/public/subjects/00"))
  const log = createDirLog(join(root, "log"))
  await expect(log.read("tile/0/000", 1000)).rejects.toEqual(code("LOG_UNAVAILABLE"))
  await expect(log.read("subjects/00", 1000)).rejects.toEqual(code("LOG_UNAVAILABLE"))
  await symlink(join(root, "log"), join(root, "link"))
  expect(await createDirLog(join(root, "link")).read("checkpoint", 1000)).not.toBeNull()
})

test("a linked public/ is not followed either", async () => {
  await put("elsewhere/checkpoint")
  await mkdir(join(root, "log"))
  await symlink(join(root, "elsewhere"), join(root, "log/public"))
  await expect(createDirLog(join(root, "log")).read("checkpoint", 1000)).rejects.toEqual(code("LOG_UNAVAILABLE"))
})

test("too many bytes, folders and pipes are unavailable", async () => {
  const log = createDirLog(root)
  await put("checkpoint", "0123456789")
  await expect(log.read("checkpoint", 9)).rejects.toEqual(code("LOG_UNAVAILABLE"))
  expect(await log.read("checkpoint", 10)).toHaveLength(10)
  await mkdir(join(root, "subjects/00"), { recursive: true })
  await expect(log.read("subjects/00", 10)).rejects.toEqual(code("LOG_UNAVAILABLE"))
  if (process.platform === "win32") return
  execFileSync("mkfifo", [join(root, "subjects/01")])
  await expect(log.read("subjects/01", 10)).rejects.toEqual(code("LOG_UNAVAILABLE"))
})

test("says where it is, and that it is local", () => {
  expect(createDirLog(root)).toMatchObject({ location: root, local: true })
})

test("serves all that a writer makes", async () => {
  const store = createFsStore(root)
  const writer = await newLog(store)
  await writer.append([submission(["a"])])
  await writer.appendEntries(Array.from({ length: 1100 }, (_, i) => rawEntry(i)))
  const found = await readdir(join(root, "public"), { recursive: true, withFileTypes: true })
  const files = found.filter((item) => item.isFile()).map((item) => join(item.parentPath, item.name))
  const paths = files.map((file) => relative(join(root, "public"), file).replaceAll("\\", "/"))
  expect(paths.length).toBeGreaterThan(256)
  const log = createDirLog(root)
  for (const path of paths) expect(await log.read(path, 1 << 24), path).not.toBeNull()
})
