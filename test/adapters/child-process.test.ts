import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { killAllChildren } from "../../src/adapters/child-process.js"
import { findTree, type ProcessEntry } from "../../src/adapters/process-tree.js"
import { alive, folder, pids, start, startTree, until } from "./child-trees.js"

test("a child that ends when its input does ends by itself", async () => {
  const { child, exit } = await startTree()
  expect(alive()).toHaveLength(1)
  await child.stop()
  expect(alive()).toEqual([])
  expect(await exit).toEqual({ code: 0, signal: null })
})

test("output and input pass through, and stopping twice is no error", async () => {
  const { child, output } = await start(["-e", "process.stdin.pipe(process.stdout)"])
  await child.write("hello\n")
  await until(() => output() === "hello\n")
  await Promise.all([child.stop(), child.stop()])
  await child.write("late\n")
})

test.each([
  { name: "a helper", flags: ["helper"], count: 2 },
  { name: "a helper in a session of its own", flags: ["session-helper"], count: 2 },
  { name: "a helper whose parent ended before", flags: ["helper", "orphan"], count: 2 },
])("nothing is left of $name", async ({ flags, count }) => {
  const { child } = await startTree(...flags)
  expect(pids()).toHaveLength(count)
  await child.stop()
  expect(alive()).toEqual([])
})

test("a crash is reported with its code, an end by signal with its name", async () => {
  expect(await (await start(["-e", "process.exit(5)"])).exit).toEqual({ code: 5, signal: null })
  expect(await (await start(["-e", "process.kill(process.pid, 'SIGKILL')"])).exit).toEqual({
    code: null,
    signal: "SIGKILL",
  })
})

test.each([
  { name: "a command that is not there", command: "toolsum-no-such-command" },
  { name: "a path that is not there", command: "./no-such-file" },
  { name: "a folder as command", command: tmpdir() },
])("$name is SERVER_UNREACHABLE", async ({ command }) => {
  await expect(start([], { command })).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" })
})

test("a working folder that is not there is named", async () => {
  await expect(start([], { cwd: join(folder, "none") })).rejects.toMatchObject({
    code: "SERVER_UNREACHABLE",
    message: expect.stringContaining("working folder"),
  })
})

test("arguments are passed on as they are, without a shell", async () => {
  const words = ["a b", '"', "$HOME", "`id`", "*", "; exit 1", "%PATH%", ""]
  const { exit, output } = await start(["-e", "console.log(JSON.stringify(process.argv.slice(1)))", ...words])
  await exit
  expect(JSON.parse(output())).toEqual(words)
})

const entry = (pid: number, parent: number, rest: Partial<ProcessEntry> = {}): ProcessEntry => ({
  pid,
  parent,
  group: pid,
  session: 1,
  started: `${pid}`,
  ...rest,
})

test("findTree takes group, session, known processes and descendants, and no later process with the same pid", () => {
  const all = [
    entry(10, 1),
    entry(11, 1, { group: 10 }),
    entry(12, 1, { session: 10 }),
    entry(13, 12),
    entry(14, 13),
    entry(20, 1, { started: "20" }),
    entry(21, 1, { started: "later" }),
    entry(30, 1),
  ]
  const known = [entry(20, 10), entry(21, 10, { started: "before" })]
  const found = findTree({ root: 10, rootStarted: "10", known, all }).map(({ pid }) => pid)
  expect(found.sort()).toEqual([10, 11, 12, 13, 14, 20])
  const reused = findTree({ root: 10, rootStarted: "another", known: [], all }).map(({ pid }) => pid)
  expect(reused).toEqual([])
})

test("children are killed at once by killAllChildren", async () => {
  await startTree("stays", "ignores-term", "ignoring-helper")
  killAllChildren()
  await until(() => alive().length === 0)
})
