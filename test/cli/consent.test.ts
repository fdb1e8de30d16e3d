// A lockfile from somebody else starts nothing, contacts nobody and gets no variable until this user accepts its target: one test for each
// row of the consent rule (DESIGN 8).
import { existsSync } from "node:fs"
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  type CliWorld,
  type ListedServer,
  makeCliWorld,
  makePackage,
  makePinnedWorld,
  makeServer,
  snapshot,
  tool,
} from "../fakes/cli-world.js"
import { commitAll } from "../fakes/git.js"

const SECRET = "hunter2-hunter2"

/** A checkout of somebody else's project, and its server: the root is trusted, nothing was ever accepted by this user. */
async function makeVictim(
  ...options: readonly string[]
): Promise<{ world: CliWorld; server: ListedServer; starts: number }> {
  const world = await makeCliWorld()
  world.env.API_KEY = SECRET
  const server = makeServer(join(world.folder, "..", "lists.json"))
  await world.expect(0, "add", "notes", ...options, "--", ...server.launch)
  await trustAsStranger(world)
  return { world, server, starts: server.starts().length }
}

/** From now on another user, who trusts the root of the project's log and has accepted nothing. */
async function trustAsStranger(world: CliWorld): Promise<void> {
  const { roots } = (await world.json("verify")).document
  world.env.TOOLSUM_HOME = join(world.home, "..", "stranger")
  world.env.TOOLSUM_ROOT = `${roots[0].log}=${roots[0].fingerprint}`
}

const answerOf = async (world: CliWorld, ...argv: readonly string[]) => {
  const { code, document } = await world.json("check", ...argv)
  return { code, verdict: document.servers[0].verdict, reason: document.servers[0].reason }
}

const REFUSED = { code: 2, verdict: "UNKNOWN", reason: "target_not_accepted" }
const STARTED = { code: 0, verdict: "UNCHANGED", reason: null }

describe("check", () => {
  test("starts nothing that this user has not accepted", async () => {
    const { world, server, starts } = await makeVictim("--env", "API_KEY")
    expect(await answerOf(world)).toEqual(REFUSED)
    expect(server.starts()).toHaveLength(starts)
    const { stdout } = await world.expect(2, "check")
    expect(stdout).toContain("API_KEY")
    expect(stdout).not.toContain(SECRET)
    expect(snapshot(join(world.home, "..", "stranger", "config"))).toEqual({})
  })

  test("starts what this user added, with the small environment and the named variables only", async () => {
    const world = await makeCliWorld()
    Object.assign(world.env, { API_KEY: SECRET, OTHER_SECRET: "another secret", LANG: "C" })
    const server = makeServer(join(world.folder, "..", "lists.json"))
    await world.expect(0, "add", "notes", "--env", "API_KEY", "--", ...server.launch)
    expect(await answerOf(world)).toEqual(STARTED)
    for (const { env } of server.starts()) {
      expect(env).toContain("API_KEY")
      expect(env.filter((name) => /SECRET|TOOLSUM/.test(name))).toEqual([])
    }
  })

  /** The same lockfile in another folder starts nothing there, and writes nothing. */
  async function expectRefusedInCopy(world: CliWorld, change: (copy: string) => Promise<void> = async () => {}) {
    const copy = join(world.folder, "..", "copy")
    await cp(world.folder, copy, { recursive: true })
    await change(copy)
    const before = snapshot(copy)
    const { code, stdout } = await world.runIn(copy, "check", "--json")
    expect([code, JSON.parse(stdout).servers[0].reason]).toEqual([2, "target_not_accepted"])
    expect(snapshot(copy)).toEqual(before)
  }

  test("what a user accepted in one folder is not accepted in another: a file there", async () => {
    const world = await makeCliWorld()
    const server = makeServer(join(world.folder, "lists.json"))
    await cp(server.launch[1] ?? "", join(world.folder, "server.mjs"))
    await world.expect(0, "add", "notes", "--", "node", "server.mjs", "lists.json")
    expect(await answerOf(world)).toEqual(STARTED)
    await expectRefusedInCopy(world)
  })

  test("what a user accepted in one folder is not accepted in another: a package at a version", async () => {
    const world = await makeCliWorld()
    const server = await makePackage(world)
    await world.expect(0, "add", "notes", "--", ...server.launch)
    expect(await answerOf(world)).toEqual(STARTED)
    const starts = server.starts().length
    await expectRefusedInCopy(world)
    expect(server.starts()).toHaveLength(starts)
  })

  test("the copy of a package in a hostile node_modules is not started by npx", async () => {
    const world = await makeCliWorld()
    const server = makeServer(join(world.folder, "..", "lists.json"))
    const install = async (folder: string, file: string) => {
      const at = join(folder, "node_modules", "toolsum-test-notes")
      await mkdir(at, { recursive: true })
      const manifest = { name: "toolsum-test-notes", version: "1.0.0", bin: "server.mjs" }
      await writeFile(join(at, "package.json"), JSON.stringify(manifest))
      await writeFile(join(at, "server.mjs"), `#!/usr/bin/env node\n${file}\n`, { mode: 0o755 })
      await mkdir(join(folder, "node_modules", ".bin"), { recursive: true })
      await rm(join(folder, "node_modules", ".bin", "toolsum-test-notes"), { force: true })
      await symlink("../toolsum-test-notes/server.mjs", join(folder, "node_modules", ".bin", "toolsum-test-notes"))
    }
    world.env.npm_config_offline = "true"
    await install(world.folder, await readFile(server.launch[1] ?? "", "utf8"))
    await world.expect(0, "add", "notes", "--", "npx", "-y", "toolsum-test-notes@1.0.0", server.launch[2] ?? "")
    expect(await answerOf(world)).toEqual(STARTED)
    const mark = join(world.folder, "..", "mark")
    await expectRefusedInCopy(world, (copy) =>
      install(copy, `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(mark)}, "")`),
    )
    expect(existsSync(mark)).toBe(false)
    await world.runIn(join(world.folder, "..", "copy"), "check", "--accept-targets")
    expect(existsSync(mark)).toBe(true) // it would have been started
  })

  test("a command starts in the lockfile's folder from every subfolder, and in the working folder with --lock", async () => {
    const world = await makeCliWorld()
    await mkdir(join(world.folder, ".git"))
    const server = makeServer(join(world.folder, "lists.json"))
    await world.expect(0, "add", "notes", "--", server.launch[0] ?? "", server.launch[1] ?? "", "lists.json")
    const sub = join(world.folder, "sub")
    await mkdir(sub)
    const fromSub = JSON.parse((await world.runIn(sub, "check", "--json")).stdout)
    expect(fromSub.servers[0].verdict).toBe("UNCHANGED")
    expect(new Set(server.starts().map(({ cwd }) => cwd))).toEqual(new Set([world.folder]))
    const named = ["check", "--json", "--lock", world.lockfile]
    const elsewhere = JSON.parse((await world.runIn(sub, ...named)).stdout)
    expect(elsewhere.servers[0].reason).toBe("target_not_accepted")
    expect(JSON.parse((await world.runIn(world.folder, ...named)).stdout).servers[0].verdict).toBe("UNCHANGED")
  })

  test("a relative working folder belongs to the lockfile's folder", async () => {
    const world = await makeCliWorld()
    await mkdir(join(world.folder, "server"))
    const server = makeServer(join(world.folder, "server", "lists.json"))
    await world.expect(0, "add", "notes", "--cwd", "server", "--", "node", server.launch[1] ?? "", "lists.json")
    expect(server.starts()[0]?.cwd).toBe(join(world.folder, "server"))
    expect(await answerOf(world)).toEqual(STARTED)
    const copy = join(world.folder, "..", "copy")
    await cp(world.folder, copy, { recursive: true })
    const { stdout } = await world.runIn(copy, "check", "--json")
    expect(JSON.parse(stdout).servers[0]).toMatchObject({ reason: "target_not_accepted" })
  })

  test("a target that somebody changed after it was accepted is not started", async () => {
    const { world, server } = await makePinnedWorld()
    const starts = server.starts().length
    const lock = await world.readLock()
    lock.servers.notes.target.args.push("--evil")
    await writeFile(world.lockfile, JSON.stringify(lock))
    expect(await answerOf(world)).toMatchObject({ code: 3, verdict: "REJECTED" })
    expect(server.starts()).toHaveLength(starts)
  })

  test("another variable is another target", async () => {
    const { world, server } = await makeVictim("--env", "API_KEY")
    // The same words without the variable are accepted; with it they are not.
    await world.expect(0, "add", "mine", "--lock", "mine.json", "--", ...server.launch)
    const starts = server.starts().length
    expect(await answerOf(world)).toEqual(REFUSED)
    expect(server.starts()).toHaveLength(starts)
  })

  test("--accept-targets takes all, for this run", async () => {
    const { world, server, starts } = await makeVictim("--env", "API_KEY")
    expect(await answerOf(world, "--accept-targets")).toEqual(STARTED)
    expect(server.starts()).toHaveLength(starts + 1)
    expect(await answerOf(world)).toEqual(REFUSED)
  })

  test("--accept-targets-from takes what the lockfile had at that revision", async () => {
    const { world, server, starts } = await makeVictim()
    await commitAll(world.folder)
    expect(await answerOf(world, "--accept-targets-from", "HEAD")).toEqual(STARTED)
    expect(server.starts()).toHaveLength(starts + 1)
    expect(await answerOf(world)).toEqual(REFUSED)
  })

  test("--accept-targets-from refuses another target than the one at that revision", async () => {
    const { world } = await makePinnedWorld()
    await commitAll(world.folder)
    const evil = makeServer(join(world.folder, "..", "evil.json"))
    await world.expect(1, "update", "notes", "--", ...evil.launch)
    await trustAsStranger(world)
    const starts = evil.starts().length
    const { code, document } = await world.json("check", "--accept-targets-from", "HEAD")
    expect(code).toBe(1) // unapproved: that beats what could not be read
    expect(document.servers[0]).toMatchObject({ verdict: "CHANGED", reason: "unapproved", compared: ["lock"] })
    expect(evil.starts()).toHaveLength(starts)
  })

  test.each(["HEAD~1", "nowhere"])("--accept-targets-from %s without a lockfile there is a mistake", async (ref) => {
    const { world, server, starts } = await makeVictim()
    await writeFile(join(world.folder, "..", "empty"), "")
    await commitAll(world.folder)
    const { stderr } = await world.expect(2, "check", "--accept-targets-from", ref)
    expect(stderr).toContain("USAGE")
    expect(server.starts()).toHaveLength(starts)
  })

  test("a person at a terminal is asked once, and a no starts nothing", async () => {
    const { world, server, starts } = await makeVictim("--env", "API_KEY")
    world.ask = () => "no"
    expect(await answerOf(world)).toEqual(REFUSED)
    expect(server.starts()).toHaveLength(starts)
    expect(world.questions).toHaveLength(1)
    expect(world.questions[0]).toMatch(
      /^Start notes\? ".*listed\.mjs.*" in ".*\/project", with the variables API_KEY\n/,
    )
    world.ask = () => " Yes\n"
    expect(await answerOf(world)).toEqual(STARTED)
    expect(await answerOf(world)).toEqual(STARTED)
    expect(world.questions).toHaveLength(2)
    world.ask = null
    expect(await answerOf(world)).toEqual(STARTED)
  })

  test("the question shows no raw text of the lockfile", async () => {
    const world = await makeCliWorld()
    const server = makeServer(join(world.folder, "..", "lists.json"))
    await world.expect(0, "add", "notes", "--", ...server.launch, "\u001b[2K\u202e harmless")
    await trustAsStranger(world)
    world.ask = () => ""
    await answerOf(world)
    expect(world.questions[0]).toContain("\\u001b[2K\\u202e harmless")
  })

  test("--log-only starts nothing and asks nobody", async () => {
    const { world, server, starts } = await makeVictim()
    world.ask = () => "yes"
    await world.run("check", "--log-only")
    expect(server.starts()).toHaveLength(starts)
    expect(world.questions).toEqual([])
  })
})

describe("update", () => {
  const refused = async (world: CliWorld, ...argv: readonly string[]) => {
    const before = snapshot(world.folder)
    const { stderr } = await world.expect(2, "update", "notes", ...argv)
    expect(stderr).toContain("TARGET_NOT_ACCEPTED")
    expect(snapshot(world.folder)).toEqual(before)
  }

  test("starts nothing that this user has not accepted", async () => {
    const { world, server, starts } = await makeVictim("--env", "API_KEY")
    await refused(world)
    world.ask = () => "no"
    await refused(world)
    expect(world.questions).toHaveLength(1)
    expect(server.starts()).toHaveLength(starts)
  })

  test("starts what was accepted or typed", async () => {
    const { world, server } = await makePinnedWorld()
    await world.expect(0, "update", "notes")
    const other = makeServer(join(world.folder, "..", "other.json"), { tools: [tool("search"), tool("write")] })
    await world.expect(1, "update", "notes", "--", ...other.launch)
    await world.expect(1, "update", "notes")
    expect([server.starts().length, other.starts().length]).toEqual([4, 4])
  })

  test("a typed launch line gets no variable that only a stranger's lockfile names", async () => {
    const { world, server, starts } = await makeVictim("--env", "API_KEY")
    const other = makeServer(join(world.folder, "..", "other.json"))
    await refused(world, "--", ...other.launch)
    expect([server.starts().length, other.starts().length]).toEqual([starts, 0])
    world.ask = () => "no"
    await refused(world, "--", ...other.launch)
    expect(world.questions[0]).toContain("API_KEY")
    expect(other.starts()).toHaveLength(0)
  })

  test("a typed launch line keeps the variables of a pin that this user accepted", async () => {
    const world = await makeCliWorld()
    world.env.API_KEY = SECRET
    const server = makeServer(join(world.folder, "..", "lists.json"))
    await world.expect(0, "add", "notes", "--env", "API_KEY", "--", ...server.launch)
    const other = makeServer(join(world.folder, "..", "other.json"), { tools: [tool("write")] })
    await world.expect(1, "update", "notes", "--", ...other.launch)
    expect(other.starts()[0]?.env).toContain("API_KEY")
  })

  test("--accept-targets takes the lockfile's word", async () => {
    const { world, server, starts } = await makeVictim()
    const log = join(world.home, "data", "log")
    await world.run("update", "notes", "--accept-targets", "--log-dir", log)
    expect(server.starts()).toHaveLength(starts + 2)
  })
})

test("offline commands start nothing", async () => {
  const { world, server, starts } = await makeVictim()
  const { servers } = (await world.json("show")).document
  await world.expect(0, "verify")
  await world.expect(0, "approve", "notes", "--to", servers[0].pin)
  await world.expect(2, "rename", "notes", "other")
  await world.expect(0, "remove", "notes")
  expect(server.starts()).toHaveLength(starts)
})
