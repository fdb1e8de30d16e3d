// Real processes on a real folder: killed (SIGKILL) at every file system call of a step, killed at any time, and several at once.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createFsStore } from "../../src/adapters/store-fs.js"
import { logExists } from "../../src/writer/create.js"
import { checkPublic, newLog, rawEntry, reopen, submission } from "../fakes/writer-fixtures.js"

const CHILD = fileURLToPath(new URL("../fakes/writer-child.mjs", import.meta.url))

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolsum-process-"))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** What a child told before it ended. A line that was cut off was not told. */
function acknowledgedIn(output: string): Map<number, string> {
  const lines = output.split("\n").slice(0, -1)
  const told = lines.map((line): { index?: string; entry?: string } => JSON.parse(line))
  return new Map(told.flatMap(({ index, entry }) => (index && entry ? [[Number(index), entry] as const] : [])))
}

async function checkFolder(folder: string, acknowledged: ReadonlyMap<number, string>): Promise<void> {
  const store = createFsStore(folder)
  const log = await reopen(store)
  const { head, entries } = await checkPublic(store)
  expect(head.size).toBe(log.head().size)
  for (const [index, entry] of acknowledged) {
    expect(Buffer.from(entries[index] ?? []).toString("base64"), `entry ${index}`).toBe(entry)
  }
  await log.append([submission([`after ${head.size}`])])
  expect((await checkPublic(store)).head.size).toBe(head.size + 1n)
}

const run = (folder: string, mode: string, killAt: number) =>
  spawnSync(process.execPath, [CHILD, folder, mode, "child", `${killAt}`], { encoding: "utf8" })

test("killed at every file system call of two steps over a tile's end", async () => {
  const base = join(root, "base")
  const log = await newLog(createFsStore(base))
  await log.append([submission(["a"])])
  await log.appendEntries(Array.from({ length: 252 }, (_, i) => rawEntry(i)))
  let killed = true
  let at = 0
  for (; killed; at++) {
    const folder = join(root, `at-${at}`)
    await cp(base, folder, { recursive: true })
    const child = run(folder, "short", at)
    killed = child.signal === "SIGKILL"
    if (!killed) expect(child.stderr).toBe("")
    await checkFolder(folder, acknowledgedIn(child.stdout))
    await rm(folder, { recursive: true })
  }
  expect(at).toBeGreaterThan(100)
})

test("killed at every file system call of making a log", async () => {
  let killed = true
  let at = 0
  for (; killed; at++) {
    const folder = join(root, `at-${at}`)
    const child = run(folder, "create", at)
    killed = child.signal === "SIGKILL"
    if (!killed) expect(child.stderr).toBe("")
    // Made or not made, never something in between.
    if (!(await logExists(createFsStore(folder)))) await newLog(createFsStore(folder))
    await checkFolder(folder, acknowledgedIn(child.stdout))
    await rm(folder, { recursive: true })
  }
  expect(at).toBeGreaterThan(60)
})

/** A child that appends until it is killed. */
function startEndless(folder: string, name: string): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [CHILD, folder, "endless", name], { stdio: ["ignore", "pipe", "inherit"] })
  let output = ""
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text
  })
  return { child, output: () => output }
}

const ended = (child: ChildProcess) => new Promise((resolve) => child.once("close", resolve))

test("killed at any time, again and again", async () => {
  const folder = join(root, "log")
  await newLog(createFsStore(folder))
  const acknowledged = new Map<number, string>()
  for (let round = 0; round < 12; round++) {
    const { child, output } = startEndless(folder, `round ${round}`)
    const end = ended(child)
    while (output() === "") await sleep(10)
    await sleep((round * 37) % 200)
    child.kill("SIGKILL")
    await end
    for (const [index, entry] of acknowledgedIn(output())) acknowledged.set(index, entry)
    await checkFolder(folder, acknowledged)
  }
  // At least what each child told before it was killed; how much more depends on the machine.
  expect(acknowledged.size).toBeGreaterThanOrEqual(12)
})

test("three processes at once", async () => {
  const folder = join(root, "log")
  await newLog(createFsStore(folder))
  const children = ["x", "y", "z"].map((name) => {
    const child = spawn(process.execPath, [CHILD, folder, "many", name], { stdio: ["ignore", "pipe", "inherit"] })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text
    })
    return ended(child).then((status) => ({ status, output }))
  })
  const acknowledged = new Map<number, string>()
  for (const { status, output } of await Promise.all(children)) {
    expect(status).toBe(0)
    for (const [index, entry] of acknowledgedIn(output)) acknowledged.set(index, entry)
  }
  expect(acknowledged.size).toBe(1 + 3 * 49)
  await checkFolder(folder, acknowledged)
})
