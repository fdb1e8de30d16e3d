// Starts tree.mjs (or any command) as a child for tests, and looks which of its processes still run.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, expect } from "vitest"
import { type Child, type ChildExit, startChild } from "../../src/adapters/child-process.js"

export const TREE = fileURLToPath(new URL("../fixtures/servers/tree.mjs", import.meta.url))
const env = { PATH: process.env.PATH ?? "" }
/** Folder of the running test, and the file tree.mjs writes pids to. */
export let folder: string
export let pidFile: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolsum-child-"))
  pidFile = join(folder, "pids")
})

const running: Child[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => child.stop()))
  rmSync(folder, { recursive: true, force: true })
})

export interface Started {
  readonly child: Child
  readonly exit: Promise<ChildExit>
  readonly output: () => string
}

export async function start(
  args: readonly string[],
  options: { command?: string; cwd?: string } = {},
): Promise<Started> {
  let output = ""
  let end: (exit: ChildExit) => void = () => {}
  const exit = new Promise<ChildExit>((resolve) => {
    end = resolve
  })
  const child = await startChild({
    command: options.command ?? process.execPath,
    args,
    cwd: options.cwd ?? folder,
    env,
    onStdout: (chunk) => {
      output += new TextDecoder().decode(chunk)
    },
    onStderr: () => {},
    onEnd: end,
  })
  running.push(child)
  return { child, exit, output: () => output }
}

export async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 25))
  expect(holds()).toBe(true)
}

/** Starts a tree and waits until each of its processes has begun, and for an orphan until its parent is gone. */
export const startTree = async (...flags: string[]) => {
  const started = await start([TREE, pidFile, ...flags])
  const count = 1 + flags.filter((flag) => flag.endsWith("helper")).length
  await until(() => started.output().split("up").length > count)
  if (flags.includes("orphan")) await started.exit
  return started
}

export const pids = () => readFileSync(pidFile, "utf8").trim().split("\n").map(Number)

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // A zombie waits for its parent, which may be gone: nothing of it runs.
  return !existsSync(`/proc/${pid}/stat`) || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
}

export const alive = () => pids().filter(isAlive)
