import { execFileSync } from "node:child_process"
import { chmod, mkdir, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { readRegularFile } from "../../src/adapters/regular-file.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const LIMITS = { maxBytes: 10, code: "LOCKFILE_MALFORMED" } as const

test("gives the bytes of a file and null where nothing is", async () => {
  const folder = await makeTempFolder()
  await writeFile(join(folder, "a"), "0123456789")
  expect(readRegularFile(join(folder, "a"), LIMITS)).toEqual(encodeUtf8("0123456789"))
  expect(readRegularFile(join(folder, "b"), LIMITS)).toBeNull()
  expect(readRegularFile(join(folder, "a", "b"), LIMITS)).toBeNull()
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
  expect(() => readRegularFile(path, LIMITS)).toThrow(expect.objectContaining({ code: "LOCKFILE_MALFORMED" }))
  expect(performance.now() - startMs).toBeLessThan(1000)
})

test.runIf(process.platform === "linux")("takes in a file of another size than its status says", async () => {
  const bytes = readRegularFile("/proc/self/status", { ...LIMITS, maxBytes: 100_000 })
  expect(bytes?.length ?? 0).toBeGreaterThan(100)
  expect(() => readRegularFile("/proc/self/status", LIMITS)).toThrow(
    expect.objectContaining({ code: "LOCKFILE_MALFORMED" }),
  )
})

test.skipIf(process.getuid?.() === 0)("an unreadable file is IO_FAILED, not missing", async () => {
  const path = join(await makeTempFolder(), "file")
  await writeFile(path, "x")
  await chmod(path, 0o000)
  expect(() => readRegularFile(path, LIMITS)).toThrow(expect.objectContaining({ code: "IO_FAILED" }))
})
