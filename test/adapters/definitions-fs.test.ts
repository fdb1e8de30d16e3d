import { mkdir, readdir, readFile, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  DEFINITIONS_FOLDER,
  definitionsPath,
  findChangedDefinitions,
  readDefinitions,
  removeDefinitions,
  requireDefinitionsPlace,
  writeDefinitions,
} from "../../src/adapters/definitions-fs.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const makeLockfilePath = async () => join(await makeTempFolder(), "toolsum.lock.json")
const wrong = (code: string) => expect.objectContaining({ code })

test("definitions lie beside the lockfile, one file a pin; the same again is no change", async () => {
  const lockfile = await makeLockfilePath()
  expect(await readDefinitions(lockfile, ["memory"])).toEqual({ memory: null })
  const bytes = encodeUtf8("{}\n")
  expect(findChangedDefinitions(lockfile, { memory: bytes })).toEqual({ memory: bytes })
  await writeDefinitions(lockfile, "memory", bytes)
  const path = join(lockfile, "..", DEFINITIONS_FOLDER, "memory.json")
  expect(definitionsPath(lockfile, "memory")).toBe(path)
  expect(findChangedDefinitions(lockfile, { memory: bytes, x: null })).toEqual({})
  const other = { memory: encodeUtf8("{ }\n") }
  expect(findChangedDefinitions(lockfile, other)).toEqual(other)
  expect(findChangedDefinitions(lockfile, { memory: null })).toEqual({ memory: null })
  await writeDefinitions(lockfile, "memory", other.memory)
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
  await expect(writeDefinitions(lockfile, name, new Uint8Array(0))).rejects.toMatchObject({ code: "USAGE" })
  expect(() => requireDefinitionsPlace(lockfile, [name])).toThrow(wrong("USAGE"))
})

describe("refused before anything is written is", () => {
  test.each<{ name: string; make: (folder: string) => Promise<unknown> }>([
    { name: "a link in place of the folder", make: (folder) => symlink(join(folder, "..", "victim"), folder) },
    { name: "a link to nothing", make: (folder) => symlink(join(folder, "..", "nowhere"), folder) },
    { name: "a file in place of the folder", make: (folder) => writeFile(folder, "") },
    {
      name: "a folder in place of a file",
      make: (folder) => mkdir(join(folder, "memory.json"), { recursive: true }),
    },
  ])("$name", async ({ make }) => {
    const lockfile = await makeLockfilePath()
    const victim = join(lockfile, "..", "victim")
    await mkdir(victim)
    await writeFile(join(victim, "memory.json"), "mine")
    await make(join(lockfile, "..", DEFINITIONS_FOLDER))
    const bytes = encodeUtf8("{}")
    expect(() => requireDefinitionsPlace(lockfile, ["memory"])).toThrow(wrong("CONFIG_INVALID"))
    expect(() => findChangedDefinitions(lockfile, { memory: bytes })).toThrow(wrong("CONFIG_INVALID"))
    await expect(writeDefinitions(lockfile, "memory", bytes)).rejects.toThrow(ToolsumError)
    await expect(removeDefinitions(lockfile, "memory")).rejects.toThrow(ToolsumError)
    expect(await readFile(join(victim, "memory.json"), "utf8")).toBe("mine")
  })
})
