// `add NAME` and `add --all` take launch lines from client configurations: nobody typed them, so somebody is asked once, and every outcome
// is told of.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  type CliWorld,
  expectOneLine,
  type ListedServer,
  makeCliWorld,
  makeServer,
  snapshot,
  tool,
} from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

const SECRET = "hunter2-hunter2"

const entryOf = ({ launch: [command, ...args] }: ListedServer, over: object = {}) => ({ command, args, ...over })

const writeConfig = (world: CliWorld, file: string, mcpServers: object) =>
  world.write(file, JSON.stringify({ mcpServers }))

/** A project whose .mcp.json starts these servers. */
async function makeProject(...names: readonly string[]) {
  const world = await makeCliWorld()
  const servers = names.map((name, i) => makeServer(join(world.folder, "..", `${i}.json`), { tools: [tool(name)] }))
  const entries = Object.fromEntries(names.map((name, i) => [name, entryOf(servers[i] as ListedServer)])) // one for each name
  await writeConfig(world, ".mcp.json", entries)
  return { world, servers, starts: () => servers.map((server) => server.starts().length) }
}

const pinsOf = async (world: CliWorld) => (await world.readLock()).servers

describe("add NAME", () => {
  test("asks once, shows the line, pins it with where it is from; verify finds it there", async () => {
    const { world, servers } = await makeProject("notes")
    world.ask = () => "yes"
    const { stdout } = await world.expect(0, "add", "notes")
    expect(stdout).toMatch(/^notes pinned: local:notes\n/)
    expect(world.questions).toHaveLength(1)
    expect(world.questions[0]).toContain(`Start notes? "${servers[0]?.launch.join(" ")}" in `)
    expect((await pinsOf(world)).notes.from).toEqual([{ file: ".mcp.json", name: "notes" }])
    world.ask = null
    await world.expect(0, "verify")
    await world.expect(0, "check") // accepted for later, too
    await writeConfig(world, ".mcp.json", {})
    expect((await world.expect(0, "verify")).stdout).toContain(".mcp.json does not start it any more")
  })

  test("the question leaves out nothing that a yes is for", async () => {
    const { world } = await makeProject()
    const names = Array.from({ length: 6 }, (_, i) => `X-${i}-${"long".repeat(20)}`)
    const headers = Object.fromEntries(names.map((name, i) => [name, `\${VARIABLE_${i}}`]))
    await writeConfig(world, ".mcp.json", { docs: { url: "https://docs.example.com/mcp", headers } })
    world.ask = () => "no"
    await world.expect(2, "add", "docs")
    expect(names.filter((name, i) => !world.questions[0]?.includes(`${name}: \${VARIABLE_${i}}`))).toEqual([])
  })

  test.each([
    { name: "no terminal", ask: null },
    { name: "another answer", ask: () => "" },
  ])("$name: nothing is started, nothing is written", async ({ ask }) => {
    const { world, starts } = await makeProject("notes")
    world.ask = ask
    const before = snapshot(world.folder)
    expectOneLine(await world.expect(2, "add", "notes"), "TARGET_NOT_ACCEPTED", "--accept-targets")
    expect(starts()).toEqual([0])
    expect(snapshot(world.folder)).toEqual(before)
    expect(snapshot(world.home)).toEqual({})
  })

  test("--accept-targets asks nobody, and for this run only", async () => {
    const { world } = await makeProject("notes")
    await world.expect(0, "add", "notes", "--accept-targets")
    expect((await world.json("check")).document.servers[0].reason).toBe("target_not_accepted")
  })

  test("--dry-run reads after a yes, and writes nothing: no pin, no log, no consent", async () => {
    const { world, starts } = await makeProject("notes")
    world.ask = () => "yes"
    const before = snapshot(world.folder)
    expect((await world.expect(0, "add", "notes", "--dry-run")).stdout).toContain("read, nothing written")
    expect(world.questions[0]).toMatch(/Answer yes to start it now: $/)
    expect(starts()).not.toEqual([0])
    expect(snapshot(world.folder)).toEqual(before)
    expect(snapshot(world.home)).toEqual({})
  })

  test("several different ones need --from; the user's are second", async () => {
    const { world, servers } = await makeProject("notes")
    const [first, second] = [servers[0] as ListedServer, makeServer(join(world.folder, "..", "other.json"))]
    await writeConfig(world, ".cursor/mcp.json", { notes: entryOf(second) })
    expectOneLine(
      await world.expect(2, "add", "notes", "--accept-targets"),
      "USAGE",
      ".mcp.json",
      ".cursor/mcp.json",
      "--from",
    )
    expectOneLine(await world.expect(2, "add", "notes", "--from", "x.json"), "USAGE", "--from")
    await world.expect(0, "add", "notes", "--from", ".cursor/mcp.json", "--accept-targets")
    expect((await pinsOf(world)).notes.from).toEqual([{ file: ".cursor/mcp.json", name: "notes" }])
    expect([first.starts().length, second.starts().length > 0]).toEqual([0, true])
  })

  test("a name that no pin can have", async () => {
    const { world } = await makeProject("My Notes", "日本")
    await world.expect(0, "add", "My Notes", "--accept-targets")
    expect((await pinsOf(world))["my-notes"].from).toEqual([{ file: ".mcp.json", name: "My Notes" }])
    expectOneLine(await world.expect(2, "add", "日本", "--accept-targets"), "USAGE", "--as")
    await world.expect(0, "add", "日本", "--as", "nihon", "--accept-targets")
    expect(Object.keys(await pinsOf(world))).toEqual(["my-notes", "nihon"])
    await world.expect(0, "verify")
  })

  test("values in the file are not taken, and never repeated", async () => {
    const { world, servers } = await makeProject("notes")
    await writeConfig(world, ".mcp.json", { notes: entryOf(servers[0] as ListedServer, { env: { API_KEY: SECRET } }) })
    const missing = await world.expect(2, "add", "notes", "--accept-targets")
    expect(missing.stderr).toContain("note: notes: the value of API_KEY stands in .mcp.json")
    expect(missing.stderr).toContain("missing: API_KEY; set API_KEY, or give --placeholder API_KEY")
    expect(missing.stderr).toContain("(SERVER_AUTH)")
    world.ask = () => "yes"
    const added = await world.expect(0, "add", "notes", "--placeholder", "API_KEY")
    expect((await pinsOf(world)).notes.target.env).toEqual(["API_KEY"])
    const written = await readFile(world.lockfile, "utf8")
    for (const text of [missing.stderr, added.stdout, added.stderr, world.questions.join(""), written])
      expect(text).not.toContain(SECRET)
    await world.expect(0, "verify")
  })

  test("what it cannot take", async () => {
    const { world } = await makeProject("notes")
    world.env.MY_TOKEN = SECRET
    await writeConfig(world, ".mcp.json", {
      notes: { command: "node", args: ["x.mjs"] },
      leaky: { command: "node", args: ["x.mjs", SECRET] },
      broken: { argz: [] },
    })
    const leaky = await world.expect(2, "add", "leaky", "--accept-targets")
    expectOneLine(leaky, "USAGE", "MY_TOKEN")
    expect(leaky.stderr).not.toContain(SECRET)
    expectOneLine(await world.expect(2, "add", "broken"), "CONFIG_INVALID", ".mcp.json")
    expectOneLine(await world.expect(2, "add", "other"), "USAGE", "other", "command")
    expectOneLine(await world.expect(2, "add", "notes", "--env", "API_KEY"), "USAGE", "API_KEY")
    expectOneLine(await world.expect(2, "add", "notes", "--cwd", "x"), "USAGE", "--cwd")
    expectOneLine(await world.expect(2, "add", "new", "--from", ".mcp.json", "--", "node", "x"), "USAGE", "--from")
    expectOneLine(await world.expect(2, "add"), "USAGE", "too few words")
    await world.write(".mcp.json", "{ no json")
    expectOneLine(await world.expect(2, "add", "notes"), "USAGE", "not readable", ".mcp.json")
  })
})

describe("add --all", () => {
  test("one question lists all lines; each outcome is one line, one failure hides no other", async () => {
    const { world } = await makeProject("alpha", "Beta Server")
    const entries = JSON.parse(await readFile(join(world.folder, ".mcp.json"), "utf8")).mcpServers
    await writeConfig(world, ".mcp.json", { ...entries, broken: { command: "no-such-command-here" }, bad: {} })
    world.ask = () => "yes"
    const { stdout, stderr } = await world.expect(2, "add", "--all")
    expect(world.questions).toHaveLength(1)
    expect(world.questions[0]).toMatch(
      /^Start or contact these 3 servers\?\n {2}alpha: .*\n {2}beta-server: .*\n {2}broken: .*\nAnswer yes/,
    )
    expect(stdout).toMatch(/^alpha pinned: local:alpha, 1 tool$/m)
    expect(stdout).toMatch(/^beta-server pinned: local:beta-server, 1 tool$/m)
    expect(stdout).toMatch(/^2 pinned, 2 failed$/m)
    expect(stderr).toMatch(/^broken: .*\(SERVER_UNREACHABLE\)$/m)
    expect(stderr).toMatch(/^bad: .*\(CONFIG_INVALID\)$/m)
    expect(Object.keys(await pinsOf(world))).toEqual(["alpha", "beta-server"])
    await writeConfig(world, ".mcp.json", entries)
    await world.expect(0, "verify")
    expect((await world.expect(0, "add", "--all")).stdout).toBe("nothing to add: 2 pinned before\n")
    expect(world.questions).toHaveLength(1)
  })

  test("the document: every server once, and the exit code of the worst", async () => {
    const { world } = await makeProject("alpha", "beta")
    const refused = await world.json("add", "--all")
    validateReport(refused.document)
    expect([refused.code, refused.document.servers.map((row: { error: { code: string } }) => row.error.code)]).toEqual([
      2,
      ["TARGET_NOT_ACCEPTED", "TARGET_NOT_ACCEPTED"],
    ])
    expect(snapshot(world.home)).toEqual({})
    const { code, document } = await world.json("add", "--all", "--accept-targets")
    validateReport(document)
    expect([code, document.servers.map((row: { name: string; ok: boolean }) => [row.name, row.ok])]).toEqual([
      0,
      [
        ["alpha", true],
        ["beta", true],
      ],
    ])
  })

  test("--dry-run writes nothing", async () => {
    const { world } = await makeProject("alpha")
    const before = snapshot(world.folder)
    const { code, document } = await world.json("add", "--all", "--accept-targets", "--dry-run")
    validateReport(document)
    expect([code, document.dryRun, document.servers[0].pin]).toEqual([0, true, null])
    expect(snapshot(world.folder)).toEqual(before)
    expect(snapshot(world.home)).toEqual({})
  })

  test("nothing configured is a failure, and options of one server are refused", async () => {
    const world = await makeCliWorld()
    expectOneLine(await world.expect(2, "add", "--all"), "FILE_MISSING", ".mcp.json")
    for (const argv of [["notes"], ["--env", "A"], ["--cwd", "x"], ["--as", "x"], ["--", "node", "x"]])
      expectOneLine(await world.expect(2, "add", "--all", ...argv), "USAGE", "--all")
  })
})

describe("update", () => {
  test("reads what the configuration starts now, after one question, and leaves it unapproved", async () => {
    const { world, servers } = await makeProject("notes")
    await world.expect(0, "add", "notes", "--accept-targets")
    const [old] = servers as [ListedServer]
    const next = makeServer(join(world.folder, "..", "next.json"), { tools: [tool("other")] })
    await writeConfig(world, ".mcp.json", { notes: entryOf(next) })
    const starts = old.starts().length
    expectOneLine(await world.expect(2, "update", "notes"), "TARGET_NOT_ACCEPTED", next.launch.at(-1) ?? "")
    world.ask = (question) => (question.startsWith("Start notes?") ? "yes" : "")
    await world.expect(1, "update", "notes")
    expect([old.starts().length, next.starts().length > 0]).toEqual([starts, true])
    const { target, from } = (await pinsOf(world)).notes
    expect([target.args, from]).toEqual([next.launch.slice(1), [{ file: ".mcp.json", name: "notes" }]])
    expect((await world.json()).document.servers[0].state).toBe("unapproved")
  })

  test("reads the pinned line while one file still has it, and refuses to choose between two others", async () => {
    const { world, servers } = await makeProject("notes")
    const [old] = servers as [ListedServer]
    await world.expect(0, "add", "notes", "--accept-targets")
    await writeConfig(world, ".cursor/mcp.json", { notes: entryOf(old, { args: ["a.mjs"] }) })
    await world.expect(0, "update", "notes", "--accept-targets")
    expect((await pinsOf(world)).notes.target.args).toEqual(old.launch.slice(1))
    await writeConfig(world, ".mcp.json", { notes: entryOf(old, { args: ["b.mjs"] }) })
    expectOneLine(
      await world.expect(2, "update", "notes", "--accept-targets"),
      "USAGE",
      ".mcp.json",
      ".cursor/mcp.json",
    )
    await world.expect(0, "update", "notes", "--", ...old.launch)
  })
})
