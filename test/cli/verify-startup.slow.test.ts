// What `verify` of one pin costs beside a Node that does nothing, in CPU time: the median of five rounds in turns, with one repeat. A guard
// against a new import or a slow function, not the goal itself, which `npm run bench` prints.
import { copyFile, mkdir, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { measureProcesses, medianRatio } from "../../bench/processes.mjs"
import { bundleCommand } from "../../scripts/bundle.mjs"
import { SHA256_WASM } from "../../src/core/sha256-wasm.js"
import { makePinnedWorld } from "../fakes/cli-world.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

// Node 20 reads NODE_EXTRA_CA_CERTS before anything else, which takes as long as the rest of its start.
const LIMIT = process.env.NODE_EXTRA_CA_CERTS ? 1.6 : 2.8

test.skipIf(process.platform === "win32")(
  `verify of one pin: at most ${LIMIT} times the CPU of node -e 0`,
  async () => {
    const { world } = await makePinnedWorld()
    const installed = await makeTempFolder()
    await mkdir(join(installed, "dist", "cli"), { recursive: true })
    await bundleCommand(join(installed, "dist", "cli"))
    await copyFile(fileURLToPath(new URL("../../package.json", import.meta.url)), join(installed, "package.json"))
    const verify = [process.execPath, join(installed, "dist", "cli", "bin.js"), "verify", "--lock", world.lockfile]
    const bare = [process.execPath, "-e", "0"]
    const env = { ...process.env, ...world.env }
    const measure = () => {
      const times = measureProcesses({ bare, verify }, { rounds: 5, env })
      return medianRatio(times.verify, times.bare)
    }
    const first = measure()
    const ratio = first <= LIMIT ? first : measure()
    console.log(`verify of one pin / node -e 0: ${ratio.toFixed(2)}`)
    expect(ratio).toBeLessThanOrEqual(LIMIT)
  },
  120_000,
)

test("what `verify` loads is ASCII, and the kernel for hashing in bulk is not in it", async () => {
  const folder = await makeTempFolder()
  await bundleCommand(folder)
  const names = (await readdir(folder)).filter((name) => name.endsWith(".js"))
  const files = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(folder, name), "utf8") })),
  )
  expect(files.filter(({ text }) => /[^\x00-\x7f]/.test(text)).map(({ name }) => name)).toEqual([])
  const holders = files.filter(({ text }) => text.includes(SHA256_WASM)).map(({ name }) => name)
  expect(holders).toHaveLength(1)
  expect(["bin.js", "legion-lockfile.js"]).not.toContain(holders[0])
}, 120_000)
