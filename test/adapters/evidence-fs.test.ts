import { mkdir, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { saveEvidence } from "../../src/adapters/evidence-fs.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const NAME = "0123456789abcdef-5-7.tlog-fork"

test("kept in a folder that is made, for the user alone", async () => {
  const folder = join(await makeTempFolder(), "state", "evidence")
  const path = await saveEvidence(folder, { name: NAME, text: "one\n" })
  expect(path).toBe(join(folder, NAME))
  expect(await readFile(path, "utf8")).toBe("one\n")
  expect((await stat(path)).mode & 0o077).toBe(0)
})

test("the same evidence is kept once, other evidence beside it; nothing is overwritten", async () => {
  const folder = await makeTempFolder()
  const first = await saveEvidence(folder, { name: NAME, text: "one\n" })
  expect(await saveEvidence(folder, { name: NAME, text: "one\n" })).toBe(first)
  const second = await saveEvidence(folder, { name: NAME, text: "two\n" })
  expect(second).toMatch(/0123456789abcdef-5-7-[0-9a-f]{16}\.tlog-fork$/)
  expect(await saveEvidence(folder, { name: NAME, text: "two\n" })).toBe(second)
  expect([await readFile(first, "utf8"), await readFile(second, "utf8")]).toEqual(["one\n", "two\n"])
  expect(await readdir(folder)).toHaveLength(2)
})

test("a folder in its place is no success", async () => {
  const folder = await makeTempFolder()
  await mkdir(join(folder, NAME))
  await expect(saveEvidence(folder, { name: NAME, text: "one\n" })).rejects.toMatchObject({ code: "IO_FAILED" })
})
