import { mkdir, readdir, readFile, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import {
  DEFINITIONS_FOLDER,
  definitionsPath,
  readDefinitions,
  removeDefinitions,
  writeDefinitions,
} from "../../src/adapters/definitions-fs.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const makeLockfilePath = async () => join(await makeTempFolder(), "toolsum.lock.json")

test("definitions lie beside the lockfile, one file a pin; the same again is not written", async () => {
  const lockfile = await makeLockfilePath()
  expect(await readDefinitions(lockfile, ["memory"])).toEqual({ memory: null })
  expect(await writeDefinitions(lockfile, "memory", "{}\n")).toBe(true)
  const path = join(lockfile, "..", DEFINITIONS_FOLDER, "memory.json")
  expect(definitionsPath(lockfile, "memory")).toBe(path)
  await utimes(path, 1e9, 1e9)
  expect(await writeDefinitions(lockfile, "memory", "{}\n")).toBe(false)
  expect((await stat(path)).mtimeMs).toBe(1e12)
  expect(await writeDefinitions(lockfile, "memory", "{ }\n")).toBe(true)
  expect(await readDefinitions(lockfile, ["memory", "x"])).toEqual({ memory: encodeUtf8("{ }\n"), x: null })
  await removeDefinitions(lockfile, "memory")
  await removeDefinitions(lockfile, "memory")
  expect(await readdir(join(path, ".."))).toEqual([])
})

test("a folder and a gigabyte read as no bytes: they match nothing", async () => {
  const lockfile = await makeLockfilePath()
  await mkdir(definitionsPath(lockfile, "folder"), { recursive: true })
  await writeFile(definitionsPath(lockfile, "large"), "")
  await truncate(definitionsPath(lockfile, "large"), 2 ** 30)
  expect(await readDefinitions(lockfile, ["folder", "large"])).toEqual({
    folder: new Uint8Array(0),
    large: new Uint8Array(0),
  })
})

test.each(["../x", "a/b", "", "A", ".x"])("%j is no pin name", async (name) => {
  const lockfile = await makeLockfilePath()
  await expect(writeDefinitions(lockfile, name, "")).rejects.toMatchObject({ code: "USAGE" })
})

test("a folder that is a link is not written through", async () => {
  const lockfile = await makeLockfilePath()
  const victim = await makeTempFolder()
  await writeFile(join(victim, "memory.json"), "mine")
  await symlink(victim, join(lockfile, "..", DEFINITIONS_FOLDER))
  await expect(writeDefinitions(lockfile, "memory", "{}")).rejects.toMatchObject({ code: "CONFIG_INVALID" })
  await expect(removeDefinitions(lockfile, "memory")).rejects.toMatchObject({ code: "CONFIG_INVALID" })
  expect(await readFile(join(victim, "memory.json"), "utf8")).toBe("mine")
})
