import { execFileSync } from "node:child_process"
import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { readRegularFile, readRegularFileSync, replaceFile } from "../../src/adapters/durable-file.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const LIMITS = { maxBytes: 10, code: "LOCKFILE_MALFORMED" } as const

const READERS = {
  readRegularFile,
  readRegularFileSync: async (...p: Parameters<typeof readRegularFileSync>) => readRegularFileSync(...p),
}

describe.each(Object.entries(READERS))("%s", (_, read) => {
  test("gives the bytes of a file and null where nothing is", async () => {
    const folder = await makeTempFolder()
    await writeFile(join(folder, "a"), "0123456789")
    expect(await read(join(folder, "a"), LIMITS)).toEqual(encodeUtf8("0123456789"))
    expect(await read(join(folder, "b"), LIMITS)).toBeNull()
    expect(await read(join(folder, "a", "b"), LIMITS)).toBeNull()
  })

  test.each([
    { name: "a folder", make: (path: string) => mkdir(path) },
    { name: "one byte too many", make: (path: string) => writeFile(path, "01234567890") },
    { name: "a sparse gigabyte", make: (path: string) => writeFile(path, "").then(() => truncate(path, 2 ** 30)) },
    { name: "a device", make: (path: string) => symlink("/dev/zero", path) },
    { name: "a named pipe", make: async (path: string) => void execFileSync("mkfifo", [path]) },
  ])("refuses $name without reading it", async ({ make }) => {
    const path = join(await makeTempFolder(), "file")
    await make(path)
    const startMs = performance.now()
    await expect(read(path, LIMITS)).rejects.toMatchObject({ code: "LOCKFILE_MALFORMED" })
    expect(performance.now() - startMs).toBeLessThan(1000)
  })

  test.runIf(process.platform === "linux")("takes in a file of another size than its status says", async () => {
    const bytes = await read("/proc/self/status", { ...LIMITS, maxBytes: 100_000 })
    expect(bytes?.length ?? 0).toBeGreaterThan(100)
    await expect(read("/proc/self/status", LIMITS)).rejects.toMatchObject({ code: "LOCKFILE_MALFORMED" })
  })
})

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

test.skipIf(process.getuid?.() === 0)("an unreadable file is IO_FAILED, not missing", async () => {
  const path = join(await makeTempFolder(), "file")
  await writeFile(path, "x")
  await chmod(path, 0o000)
  await expect(readRegularFile(path, LIMITS)).rejects.toMatchObject({ code: "IO_FAILED" })
})
