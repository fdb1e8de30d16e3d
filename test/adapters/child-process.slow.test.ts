// Children that have to be killed: each takes as long as the grace it gets.
import { spawn } from "node:child_process"
import { expect, test } from "vitest"
import { alive, pidFile, pids, startTree, TREE, until } from "./child-trees.js"

test.each([
  { name: "a child that stays", flags: ["stays"], count: 1 },
  { name: "a child that ignores SIGTERM", flags: ["stays", "ignores-term", "helper"], count: 2 },
  { name: "a helper that ignores SIGTERM", flags: ["ignoring-helper"], count: 2 },
])("nothing is left of $name", async ({ flags, count }) => {
  const { child } = await startTree(...flags)
  expect(pids()).toHaveLength(count)
  await child.stop()
  expect(alive()).toEqual([])
})

test("a child does not outlive our own exit", async () => {
  const script = `
    const { startChild } = await import(${JSON.stringify(new URL("../../dist/adapters/child-process.js", import.meta.url).href)})
    await startChild({ command: process.execPath, args: [${JSON.stringify(TREE)}, ${JSON.stringify(pidFile)}, "stays", "ignores-term", "helper"],
      cwd: ".", env: {}, onStdout: () => process.exit(7), onStderr: () => {}, onEnd: () => {} })`
  const code = await new Promise((resolve) =>
    spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" }).once("exit", resolve),
  )
  expect(code).toBe(7)
  await until(() => alive().length === 0)
})
