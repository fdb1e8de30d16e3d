// The command as a process of its own: signals, rivals, and what a test runner cannot be inside one process.
import { type ChildProcess, spawn } from "node:child_process"
import { chmod, chown, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { buildCli } from "../fakes/built-cli.js"
import {
  type CliWorld,
  expectOneLine,
  type ListedServer,
  makeCliWorld,
  makeServer,
  type Outcome,
  tool,
} from "../fakes/cli-world.js"

let folder = ""
let bin = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolsum-built-"))
  await chmod(folder, 0o755)
  bin = await buildCli(folder)
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Running {
  readonly child: ChildProcess
  readonly done: Promise<Outcome & { signal: string | null }>
}

function start(world: CliWorld, argv: readonly string[], options: { uid?: number } = {}): Running {
  const env = Object.fromEntries(Object.entries(world.env).filter(([, value]) => value !== undefined))
  const child = spawn(process.execPath, [bin, ...argv], { cwd: world.folder, env, ...options })
  const out = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk) => {
    out.stdout += chunk
  })
  child.stderr.on("data", (chunk) => {
    out.stderr += chunk
  })
  const done = new Promise<Outcome & { signal: string | null }>((resolve) => {
    child.on("close", (code, signal) => resolve({ code: code ?? -1, signal, ...out }))
  })
  return { child, done }
}

const run = (world: CliWorld, ...argv: readonly string[]) => start(world, argv).done

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; !holds(); i++) {
    if (i > 1000) throw new Error("waited too long")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const filesOf = (world: CliWorld) => readdir(world.folder, { recursive: true })

describe("rivals", () => {
  const servers = (world: CliWorld, count: number): readonly ListedServer[] =>
    Array.from({ length: count }, (_, i) =>
      makeServer(join(world.folder, "..", `${i}.json`), { tools: [tool(`t${i}`)] }),
    )

  test("two processes that add to one lockfile and one log at once: both pins are there, and proven", async () => {
    const world = await makeCliWorld()
    await world.expect(0, "init")
    const two = servers(world, 2)
    const outcomes = await Promise.all(two.map(({ launch }, i) => run(world, "add", `s${i}`, "--", ...launch)))
    expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ""],
      [0, ""],
    ])
    const lock = await world.readLock()
    expect(Object.keys(lock.servers).sort()).toEqual(["s0", "s1"])
    const { code, document } = await world.json("verify")
    expect([code, document.counts.PROVEN, document.warnings]).toEqual([0, 2, []])
    await world.expect(0, "check")
    expect((await filesOf(world)).sort()).toEqual([
      ".mcp-tools",
      ".mcp-tools/s0.json",
      ".mcp-tools/s1.json",
      "toolsum.lock.json",
    ])
  })

  test("two first adds at once make one log, or one of them says clearly why not", async () => {
    const world = await makeCliWorld()
    const two = servers(world, 2)
    const outcomes = await Promise.all(two.map(({ launch }, i) => run(world, "add", `s${i}`, "--", ...launch)))
    const added = outcomes.flatMap(({ code }, i) => (code === 0 ? [`s${i}`] : []))
    for (const outcome of outcomes.filter(({ code }) => code !== 0)) expectOneLine(outcome)
    expect(added.length).toBeGreaterThan(0)
    const lock = await world.readLock()
    expect(Object.keys(lock.servers).sort()).toEqual(added)
    expect(Object.keys(lock.logs)).toHaveLength(1)
    await world.expect(0, "verify")
    for (const [i, { launch }] of two.entries())
      if (!added.includes(`s${i}`)) await world.expect(0, "add", `s${i}`, "--", ...launch)
    await world.expect(0, "verify")
  })
})

describe("signals", () => {
  const SLOW = { slow: 60_000, tools: [tool("a")] }

  async function startSlow(...argv: readonly string[]) {
    const world = await makeCliWorld()
    await world.expect(0, "init")
    const server = makeServer(join(world.folder, "..", "lists.json"), SLOW)
    const running = start(world, [...argv, "--", ...server.launch])
    await until(() => server.starts().length > 0)
    return { world, server, ...running }
  }

  test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)(
    "%s while a server is slow leaves no child and no half file",
    async (signal) => {
      const { world, server, child, done } = await startSlow("add", "notes")
      child.kill(signal)
      const outcome = await done
      expect([outcome.code, outcome.signal]).toEqual([2, null])
      expectOneLine(outcome, "interrupted")
      expect(server.starts().map(({ pid }) => isRunning(pid))).toEqual([false])
      expect(await filesOf(world)).toEqual([])
      world.nowSec += 1
      server.say({ tools: [tool("a")] })
      await world.expect(0, "add", "notes", "--", ...server.launch)
    },
  )

  test("a second Ctrl-C does not wait, and leaves no child either", async () => {
    const { server, child, done } = await startSlow("add", "notes")
    child.kill("SIGINT")
    await until(() => child.exitCode !== null || child.kill("SIGINT"))
    expect((await done).code).toBe(2)
    await until(() => !server.starts().some(({ pid }) => isRunning(pid)))
  })

  test("a log that does not answer keeps nobody waiting after Ctrl-C", async () => {
    const world = await makeCliWorld()
    const server = makeServer(join(world.folder, "..", "lists.json"))
    await world.expect(0, "add", "notes", "--", ...server.launch)
    const { roots } = (await world.json("verify")).document
    let asked = 0
    const silent = createServer(() => {
      asked++
    })
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    await rm(join(world.home, "data"), { recursive: true })
    const root = `${roots[0].log}=${roots[0].fingerprint}`
    await world.expect(0, "trust", "add", root, "--log", `https://127.0.0.1:${port}/`)
    const { child, done } = start(world, ["check", "--log-only"])
    await until(() => asked > 0)
    const from = Date.now()
    child.kill("SIGINT")
    const outcome = await done
    expect([outcome.code, outcome.signal]).toEqual([2, null])
    expectOneLine(outcome, "interrupted")
    expect(Date.now() - from).toBeLessThan(3000)
  })

  test("check that is interrupted says so, and leaves the lockfile alone", async () => {
    const { world, server } = await (async () => {
      const world = await makeCliWorld()
      const server = makeServer(join(world.folder, "..", "lists.json"))
      await world.expect(0, "add", "notes", "--", ...server.launch)
      return { world, server }
    })()
    const before = await readFile(world.lockfile)
    server.say(SLOW)
    const { child, done } = start(world, ["check", "--json"])
    await until(() => server.starts().length === 3)
    child.kill("SIGINT")
    const outcome = await done
    expect(outcome.code).toBe(2)
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      command: "check",
      ok: false,
      error: { code: "READING_INCOMPLETE" },
    })
    expect(await readFile(world.lockfile)).toEqual(before)
    expect(server.starts().some(({ pid }) => isRunning(pid))).toBe(false)
  })
})

// Whoever runs tests as root may read everything; then the command runs as somebody else.
const isRoot = process.getuid?.() === 0
const NOBODY = 65534

test.skipIf(process.platform === "win32")("a lockfile that may not be read is one clear line", async () => {
  const world = await makeCliWorld()
  await chmod(join(world.folder, ".."), 0o755)
  await writeFile(world.lockfile, "{}")
  await chmod(world.lockfile, 0o000)
  if (isRoot) await chown(world.folder, NOBODY, NOBODY)
  for (const command of ["verify", "check", "show"]) {
    const outcome = await start(world, [command], isRoot ? { uid: NOBODY } : {}).done
    expect(outcome.code).toBe(2)
    expectOneLine(outcome, "IO_FAILED", "EACCES")
  }
})

test("a reader that goes away is no error", async () => {
  const world = await makeCliWorld()
  const { child, done } = start(world, ["--help"])
  child.stdout?.destroy()
  expect([0, 2]).toContain((await done).code)
  expect((await done).stderr).toBe("")
})

test("demo tells its story in one document", async () => {
  const world = await makeCliWorld()
  const { code, stdout } = await run(world, "demo", "--json")
  expect(code).toBe(0)
  const document = JSON.parse(stdout)
  expect(document.scenes.map(({ exitCode }: { exitCode: number }) => exitCode)).toEqual([0, 0, 1, 1, 0, 3])
  const { stdout: story } = await run(world, "demo")
  expect(story).toContain("exit 3")
  expect(await filesOf(world)).toEqual([])
})
