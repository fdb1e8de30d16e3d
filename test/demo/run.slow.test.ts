// demo/run.sh, run for real: the same steps, answers, differences and exit codes as in the committed transcript, and nothing left behind.
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { beforeAll, expect, test } from "vitest"
import { makeTempFolder } from "../fakes/temp-folder.js"
import { normalise, parseRun, readTranscript } from "./transcript.js"

const ROOT = fileURLToPath(new URL("../../", import.meta.url))
const DEMO = join(ROOT, "demo")
const exec = promisify(execFile)

interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Start a demo with what is installed: it must not replace node_modules or dist under running tests. */
const startDemo = (script: string, folder: string): ChildProcess =>
  spawn("sh", [script], {
    env: { ...process.env, CI: "1", TMPDIR: folder, SKIP_INSTALL: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })

async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const out = { stdout: "", stderr: "" }
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    out.stdout += chunk
  })
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    out.stderr += chunk
  })
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve))
  return { status, ...out }
}

/** Command lines of servers of the demo that are running. */
async function running(): Promise<readonly string[]> {
  const { stdout } = await exec("ps", ["-eo", "args"])
  return stdout
    .split("\n")
    .filter((line) => ["old", "new"].some((name) => line.includes(join(DEMO, name, "node_modules"))))
}

beforeAll(async () => {
  for (const cwd of [join(DEMO, "old"), join(DEMO, "new")])
    if (!existsSync(join(cwd, "node_modules/.package-lock.json")))
      await exec("npm", ["ci", "--ignore-scripts"], { cwd })
}, 600_000)

test("a fresh run says what the transcript says", async () => {
  const folder = await makeTempFolder()
  const { status, stdout, stderr } = await outcomeOf(startDemo(join(DEMO, "run.sh"), folder))
  expect(stderr).toBe("")
  const fresh = parseRun(normalise(stdout))
  const { parts, end } = parseRun(normalise(readTranscript()))
  expect(fresh.parts).toEqual(parts.filter(({ title }) => !title.startsWith("Install")))
  expect(fresh.end.slice(-2)).toEqual(end.slice(-2))
  expect(status).toBe(0)
  expect(readdirSync(folder)).toEqual([])
  expect(await running()).toEqual([])
})

test("an interrupted run leaves no server and no file", async () => {
  const folder = await makeTempFolder()
  const child = startDemo(join(DEMO, "run.sh"), folder)
  const ended = outcomeOf(child)
  await new Promise<void>((resolve) =>
    child.stdout?.on("data", (chunk: string) => void (chunk.includes("toolsum add playwright") && resolve())),
  )
  process.kill(-(child.pid ?? 0), "SIGINT")
  expect((await ended).status).toBe(130)
  expect(readdirSync(folder)).toEqual([])
  expect(await running()).toEqual([])
})

test("a step that ends otherwise than it must ends the demo with exit 1", async () => {
  const folder = await makeTempFolder()
  const [copy, temporary] = [join(folder, "copy/demo"), join(folder, "tmp")]
  for (const path of [join(copy, "old/node_modules"), join(copy, "new/node_modules"), temporary])
    await mkdir(path, { recursive: true })
  await symlink(join(ROOT, "dist"), join(folder, "copy/dist"))
  const script = await readFile(join(DEMO, "run.sh"), "utf8")
  await writeFile(join(copy, "run.sh"), script.replace("step 0 old 'toolsum init", "step 3 old 'toolsum init"))
  const { status, stderr } = await outcomeOf(startDemo(join(copy, "run.sh"), temporary))
  expect(stderr).toBe("\ndemo: expected exit 3, got 0\n")
  expect(status).toBe(1)
  expect(readdirSync(temporary)).toEqual([])
})
