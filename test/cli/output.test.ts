// Results through pipes: all of them, in order, whatever the reader does.
import { execFileSync, spawn } from "node:child_process"
import { closeSync, constants, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { bundle } from "../../scripts/bundle.mjs"
import { makeTempFolder } from "../fakes/temp-folder.js"

const LINES = 40_000
const EXPECTED = Array.from({ length: LINES }, (_, i) => `line ${i} é\n`).join("")

/** A program that writes the lines to its stdout, half a megabyte. */
async function makeProgram(): Promise<string> {
  const folder = await makeTempFolder()
  await bundle({ output: "src/cli/output.ts" }, { dir: folder, format: "es", entryFileNames: "[name].mjs" })
  const code = `
    const { createOutput } = await import(${JSON.stringify(join(folder, "output.mjs"))})
    const write = createOutput(1, () => process.stdout)
    for (let i = 0; i < ${LINES}; i++) write("line " + i + " é\\n")`
  return code
}

test("a pipe gets every line in order", async () => {
  const code = await makeProgram()
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", code], { maxBuffer: 2 ** 24 })
  expect(out.toString("utf8")).toBe(EXPECTED)
})

test.skipIf(process.platform === "win32")("a full pipe that does not block gets the rest later", async () => {
  const code = await makeProgram()
  const pipe = join(await makeTempFolder(), "pipe")
  execFileSync("mkfifo", [pipe])
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", fd, "inherit"] })
  const ended = new Promise((resolve) => child.on("close", resolve))
  const parts: Buffer[] = []
  let length = 0
  while (length < Buffer.byteLength(EXPECTED)) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    const part = Buffer.alloc(8192)
    try {
      const count = readSync(fd, part)
      parts.push(part.subarray(0, count))
      length += count
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error
    }
  }
  expect(Buffer.concat(parts).toString("utf8")).toBe(EXPECTED)
  expect(await ended).toBe(0)
  closeSync(fd)
})

test("a reader that goes away is no error", async () => {
  const code = await makeProgram()
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "pipe"] })
  child.stdout.once("data", () => child.stdout.destroy())
  let stderr = ""
  child.stderr.on("data", (chunk) => {
    stderr += chunk
  })
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0)
  expect(stderr).toBe("")
})
