// `update`: one failure stops nobody else, words are names, typed options count; what it shows is update-difference.slow.test.ts's.
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  type CliWorld,
  makeCliWorld,
  makePinnedWorld,
  makeServer,
  report,
  saying,
  snapshot,
  tool,
} from "../fakes/cli-world.js"

const profileOf = async (world: CliWorld): Promise<string> =>
  /\nprofile (.*)\n/.exec((await world.readLock()).servers.notes.record)?.[1] ?? ""

describe("several pins", () => {
  async function makeThree() {
    const { world, server } = await makePinnedWorld(saying("one"))
    const bad = makeServer(join(world.folder, "..", "bad.json"))
    const other = makeServer(join(world.folder, "..", "other.json"), saying("one"))
    await world.expect(0, "add", "broken", "--", ...bad.launch)
    await world.expect(0, "add", "zulu", "--", ...other.launch)
    bad.say({ fail: true, tools: [] })
    return { world, server, other }
  }

  test("one that fails does not stop the others; the worst exit code counts", async () => {
    const { world, other } = await makeThree()
    const { stdout, stderr } = await world.expect(2, "update")
    expect(stdout).toMatch(/^notes: local:notes\n {2}approved, nothing changed\nzulu: local:zulu\n/)
    expect(stderr).toMatch(/^broken: .*\(SERVER_UNREACHABLE\)\n$/)
    other.say(saying("two"))
    const { stdout: changed } = await world.expect(1, "update", "broken", "zulu")
    expect(changed).toContain("toolsum approve zulu --to sha256:")
    const document = await report(world, "update")
    expect(document).toMatchObject({
      exitCode: 1,
      servers: [
        { name: "broken", ok: false, error: { code: "SERVER_UNREACHABLE", kind: "unavailable" } },
        { name: "notes", ok: true, approved: true },
        { name: "zulu", ok: true, approved: false },
      ],
    })
  })

  test("a pin that was asked for alone fails as a whole", async () => {
    const { world } = await makeThree()
    expect((await world.expect(2, "update", "broken")).stderr).toMatch(/^toolsum: .*\(SERVER_UNREACHABLE\)\n$/)
    expect((await report(world, "update", "broken")).error.code).toBe("SERVER_UNREACHABLE")
  })
})

describe("words are names of pins", () => {
  test.each([
    { words: ["notes", "touch", "mark"] },
    { words: ["notes", "notse"] },
    { words: ["notse"] },
    { words: ["notes", "./server"] },
  ])("$words: nothing is started", async ({ words }) => {
    const { world, server } = await makePinnedWorld()
    const before = snapshot(world.folder)
    const { stderr } = await world.expect(2, "update", ...words)
    expect(stderr).toContain("NOT_PINNED")
    if (words.length > 1) expect(stderr).toContain("a new command for a pin goes after --")
    expect(snapshot(world.folder)).toEqual(before)
    expect(server.starts()).toHaveLength(2)
  })

  test.each([
    { words: ["--", "node", "x.mjs"] },
    { words: ["notes", "other", "--", "node", "x.mjs"] },
    { words: ["--env", "A"] },
    { words: ["notes", "other", "--placeholder", "A"] },
    { words: ["notes", "other", "--cwd", "sub"] },
    { words: ["--resources"] },
  ])("$words: what changes one pin needs its name", async ({ words }) => {
    const { world, server } = await makePinnedWorld()
    expect((await world.expect(2, "update", ...words)).stderr).toContain("expected the name of one pin")
    expect(server.starts()).toHaveLength(2)
  })
})

describe("options without a launch line", () => {
  async function makeKeyed(...options: readonly string[]) {
    const world = await makeCliWorld()
    Object.assign(world.env, { API_KEY: "a-real-value", OTHER: "other-value" })
    const server = makeServer(join(world.folder, "..", "lists.json"))
    await world.expect(0, "add", "notes", ...options, "--", ...server.launch)
    return { world, server }
  }

  test("--env gives a dummy its real value, --placeholder takes it back", async () => {
    const { world } = await makeKeyed("--placeholder", "API_KEY", "--placeholder", "OTHER")
    await world.expect(1, "update", "notes", "--env", "API_KEY")
    expect(await profileOf(world)).toBe("env:API_KEY+placeholder:OTHER")
    await world.expect(0, "update", "notes", "--placeholder", "API_KEY")
    expect(await profileOf(world)).toBe("placeholder:API_KEY+placeholder:OTHER")
    await world.expect(1, "update", "notes", "--env", "API_KEY", "--env", "OTHER")
    expect(await profileOf(world)).toBe("env:API_KEY+env:OTHER")
  })

  test("a variable cannot be both", async () => {
    const { world, server } = await makeKeyed()
    const both = ["--env", "API_KEY", "--placeholder", "API_KEY"]
    for (const argv of [
      ["update", "notes", ...both],
      ["add", "other", ...both, "--", ...server.launch],
    ])
      expect((await world.expect(2, ...argv)).stderr).toContain("got both")
  })

  test("--env, --placeholder and --cwd change the target, and what is started", async () => {
    const { world, server } = await makeKeyed()
    await mkdir(join(world.folder, "sub"))
    await world.expect(1, "update", "notes", "--env", "OTHER", "--placeholder", "API_KEY", "--cwd", "sub")
    const { target } = (await world.readLock()).servers.notes
    expect(target).toMatchObject({ env: ["API_KEY", "OTHER"], cwd: "sub" })
    expect(server.starts().at(-1)).toMatchObject({
      cwd: join(world.folder, "sub"),
      env: expect.arrayContaining(["API_KEY", "OTHER"]),
    })
    expect((await report(world, "check")).servers[0]).toMatchObject({ reason: "unapproved" }) // and accepted
  })

  test("--resources reads and pins the list of resources from then on", async () => {
    const { world, server } = await makeKeyed()
    server.say({ tools: [tool("search")], resources: [{ uri: "notes://1", name: "one" }] })
    const { servers } = await report(world, "update", "notes", "--resources")
    expect(servers[0].changes).toMatchObject([
      { section: "resources", note: "list" },
      { section: "resources", item: "notes://1" },
    ])
    await world.expect(1, "update", "notes")
    expect(Object.keys((await world.readLock()).servers.notes.resources)).toEqual(["notes://1"])
  })

  test("a new launch line without the old variables gets none of their dummies", async () => {
    const { world, server } = await makeKeyed("--placeholder", "OTHER")
    await world.expect(1, "update", "notes", "--env", "API_KEY", "--", ...server.launch)
    expect(await profileOf(world)).toBe("env:API_KEY")
    expect(server.starts().at(-1)?.env).not.toContain("OTHER")
  })

  test("only for what this user has accepted", async () => {
    const { world, server } = await makeKeyed()
    world.env.TOOLSUM_HOME = join(world.home, "..", "stranger")
    const log = ["--log-dir", join(world.home, "data", "log")]
    const starts = server.starts().length
    expect((await world.expect(2, "update", "notes", "--env", "API_KEY", ...log)).stderr).toContain(
      "TARGET_NOT_ACCEPTED",
    )
    await world.run("update", "notes", "--env", "API_KEY", "--accept-targets", ...log)
    expect(server.starts()).toHaveLength(starts + 2)
    expect(snapshot(join(world.home, "..", "stranger", "config"))).toEqual({}) // for that run
  })
})

describe("the question at the end", () => {
  test("is asked below the difference, which is shown once", async () => {
    const { world, server } = await makePinnedWorld(saying("one"))
    server.say(saying("two"))
    for (const answer of ["no", "yes"]) {
      world.ask = () => answer
      const { stdout } = await world.run("update", "notes")
      expect(stdout.split(`"one" → "two"`)).toHaveLength(2)
      expect(stdout.endsWith("\n  approved\n")).toBe(answer === "yes")
    }
    expect(world.questions[0]).toMatch(/^Approve notes at sha256:[0-9a-f]{64} now\? /)
  })

  test("is all that --quiet shows", async () => {
    const { world, server } = await makePinnedWorld(saying("one"))
    server.say(saying("two"))
    world.ask = () => "no"
    expect(await world.run("update", "notes", "--quiet")).toEqual({ code: 1, stdout: "", stderr: "" })
    world.ask = () => "yes"
    expect(await world.run("update", "notes", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" })
    expect(world.questions).toHaveLength(2)
  })
})
