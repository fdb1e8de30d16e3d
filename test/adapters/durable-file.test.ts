import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { replaceFile } from "../../src/adapters/durable-file.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

test("replaceFile leaves one file with the new bytes and the mode asked for", async () => {
  const folder = await makeTempFolder()
  const path = join(folder, "file")
  for (const text of ["old", "new"]) await replaceFile(path, encodeUtf8(text), { mode: 0o600 })
  expect(await readFile(path, "utf8")).toBe("new")
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(["file"])
})

test("replaceFile follows neither a link at the path nor one planted at the temporary path", async () => {
  const folder = await makeTempFolder()
  const [path, tempPath, victim] = [join(folder, "file"), join(folder, "file.tmp"), join(folder, "victim")]
  await writeFile(victim, "mine")
  await symlink(victim, path)
  await symlink(victim, tempPath)
  await replaceFile(path, encodeUtf8("new"), { tempPath })
  expect(await readFile(victim, "utf8")).toBe("mine")
  expect(await readFile(path, "utf8")).toBe("new")
})

test("replaceFile that fails says so and leaves the old bytes and no temporary file", async () => {
  const folder = await makeTempFolder()
  const path = join(folder, "inner")
  await mkdir(join(path, "occupied"), { recursive: true })
  await expect(replaceFile(path, encodeUtf8("new"))).rejects.toMatchObject({ code: "IO_FAILED" })
  expect(await readdir(folder)).toEqual(["inner"])
})
