// The command as a process whose output, working folder or account is broken: never Node's own exit code 1, which would say "changed".
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildCli } from "../fakes/built-cli.js"
import { type CliWorld, expectOneLine, type Outcome, sharePinnedWorld } from "../fakes/cli-world.js"

let folder = ""
let bin = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolsum-built-"))
  await chmod(folder, 0o755)
  bin = await buildCli(folder)
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Run a shell line in which `toolsum` is the command. */
function shell(world: CliWorld, line: string): Promise<Outcome> {
  const env = Object.fromEntries(Object.entries(world.env).filter(([, value]) => value !== undefined))
  const script = `toolsum() { '${process.execPath}' '${bin}' "$@"; }; ${line}`
  return outcomeOf(spawn("sh", ["-c", script], { cwd: world.folder, env, stdio: ["ignore", "pipe", "pipe"] }))
}

function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const out = { stdout: "", stderr: "" }
  child.stdout?.on("data", (chunk) => {
    out.stdout += chunk
  })
  child.stderr?.on("data", (chunk) => {
    out.stderr += chunk
  })
  return new Promise((resolve) => child.on("close", (code) => resolve({ code: code ?? -1, ...out })))
}

describe.skipIf(process.platform === "win32")("as a process", () => {
  const shared = sharePinnedWorld()

  test.skipIf(!existsSync("/dev/full")).each(["verify", "verify --json", "show", "--help"])(
    "%s onto a full disk",
    async (argv) => {
      const outcome = await shell(shared(), `toolsum ${argv} >/dev/full`)
      expect(outcome.code).toBe(2)
      expectOneLine(outcome, "ENOSPC", "IO_FAILED")
    },
  )

  test.skipIf(!existsSync("/dev/full"))("errors onto a full disk", async () => {
    expect((await shell(shared(), "toolsum frobnicate 2>/dev/full")).code).toBe(2)
    expect((await shell(shared(), "toolsum verify --frob --json >/dev/full 2>&1")).code).toBe(2)
    expect((await shell(shared(), "toolsum verify 2>/dev/full")).code).toBe(0)
  })

  test("errors for a reader that is gone, and closed descriptors", async () => {
    const line = "toolsum frobnicate 2>&1 >/dev/null"
    expect((await shell(shared(), `{ ${line}; echo $? >../code; } | true; cat ../code`)).stdout).toBe("2\n")
    expect((await shell(shared(), "toolsum frobnicate 2>&-")).code).toBe(2)
    expect((await shell(shared(), "toolsum verify >&- 2>&-")).code).toBe(0)
  })

  test("in a folder that was removed", async () => {
    const world = shared()
    await mkdir(join(world.folder, "gone"))
    const outcome = await shell(world, "cd gone && rmdir ../gone && toolsum verify")
    expect(outcome.code).toBe(2)
    expectOneLine(outcome, "CONFIG_INVALID", "working folder")
    await mkdir(join(world.folder, "gone"))
    expect((await shell(world, "cd gone && rmdir ../gone && toolsum --version")).code).toBe(0)
  })
})
