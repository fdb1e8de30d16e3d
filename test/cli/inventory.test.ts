// The bare command: every server of a project and its user, on one page and in one document; nothing is started, nothing is written.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { pasteLine } from "../../src/cli/shell-words.js"
import { type CliWorld, type ListedServer, makeCliWorld, makePinnedWorld, snapshot, tool } from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

const SECRET = "hunter2-hunter2"

const entryOf = ({ launch: [command, ...args] }: ListedServer, over: object = {}) => ({ command, args, ...over })

const writeConfig = (world: CliWorld, file: string, mcpServers: object) =>
  world.write(file, JSON.stringify({ mcpServers }))

async function writeUserConfig(world: CliWorld, mcpServers: object): Promise<void> {
  const path = join(world.env.HOME ?? "", ".cursor", "mcp.json")
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, JSON.stringify({ mcpServers }))
}

/** Exit code, and state of each server. */
async function statesOf(world: CliWorld, ...argv: readonly string[]) {
  const { code, document } = await world.json(...argv)
  validateReport(document)
  const total = Object.values(document.counts as Record<string, number>).reduce((sum, count) => sum + count, 0)
  expect(total).toBe(document.servers.length)
  return [
    code,
    Object.fromEntries(document.servers.map((row: { name: string; state: string }) => [row.name, row.state])),
  ]
}

describe("what is found", () => {
  // One pin for all tests, each of which starts from it.
  let base = ""
  let world: CliWorld
  let notes: ListedServer
  let lockfile = ""
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "toolsum-test-"))
    const pinned = await makePinnedWorld(undefined, base)
    world = pinned.world
    notes = pinned.server
    lockfile = await readFile(world.lockfile, "utf8")
  }, 30_000)
  afterAll(() => rm(base, { recursive: true, force: true }))
  beforeEach(async () => {
    world.ask = null
    world.questions.length = 0
    notes.say({ tools: [tool("search")] })
    for (const path of [join(world.folder, ".vscode"), join(base, "user")])
      await rm(path, { recursive: true, force: true })
    await writeFile(world.lockfile, lockfile)
    await writeConfig(world, ".mcp.json", { notes: entryOf(notes) })
  })

  test("all pinned is clean, and starts and writes nothing", async () => {
    const [starts, before] = [notes.starts().length, snapshot(world.folder)]
    expect(await statesOf(world)).toEqual([0, { notes: "pinned" }])
    const { stdout } = await world.expect(0)
    expect(stdout).toMatch(/^\.mcp\.json {2}claude-code, this project\n {2}notes {2}pinned {2}/)
    expect(stdout).toContain("1 server: 1 pinned\n")
    expect(stdout).toMatch(/^ {2}toolsum check /m)
    expect(notes.starts()).toHaveLength(starts)
    expect(snapshot(world.folder)).toEqual(before)
    expect(await world.expect(0, "--quiet")).toMatchObject({ stdout: "", stderr: "" })
  })

  test("another launch line: what was pinned and what is there now", async () => {
    await writeConfig(world, ".mcp.json", { notes: entryOf(notes, { args: ["other.mjs"] }) })
    expect(await statesOf(world)).toEqual([1, { notes: "launch_changed" }])
    const { stdout } = await world.expect(1)
    expect(stdout).toContain(`- node ${notes.launch.slice(1).join(" ")}\n`)
    expect(stdout).toContain("+ node other.mjs\n")
    await writeConfig(world, ".mcp.json", { notes: entryOf(notes, { env: { API_KEY: SECRET } }) })
    const more = await world.expect(1)
    expect(more.stdout).toContain("- variables: none\n")
    expect(more.stdout).toContain("+ variables: API_KEY\n")
    expect(more.stdout).not.toContain(SECRET)
  })

  test("another launch line in one of two files: a pin of its own, which update would not make", async () => {
    await writeConfig(world, ".cursor/mcp.json", { notes: { ...entryOf(notes), env: { MODE: "fast" } } })
    onTestFinished(() => rm(join(world.folder, ".cursor"), { recursive: true }))
    const { stdout } = await world.expect(1)
    expect(stdout).not.toContain("toolsum update")
    const [, words = ""] = /^ {2}toolsum (add .*?) {2}/m.exec(stdout) ?? []
    expect(words).toBe("add notes --from .cursor/mcp.json --as notes-cursor")
    await world.expect(0, ...words.split(" "), "--placeholder", "MODE", "--accept-targets")
    await world.expect(0)
  })

  test("what waits for approval", async () => {
    const lock = JSON.parse(lockfile)
    lock.servers.notes.approved = null
    await writeFile(world.lockfile, JSON.stringify(lock))
    expect(await statesOf(world)).toEqual([1, { notes: "unapproved" }])
    expect((await world.expect(1)).stdout).toContain("  toolsum check notes  shows what waits for approval\n")
  })

  test("the project's, the user's, pins in no file, files that cannot be read", async () => {
    const lock = JSON.parse(lockfile)
    lock.servers.typed = lock.servers.notes
    await writeFile(world.lockfile, JSON.stringify(lock))
    await writeConfig(world, ".mcp.json", {
      notes: entryOf(notes),
      "My Files": { command: "npx", args: ["-y", "@acme/files"] },
    })
    await world.write(".vscode/mcp.json", "{ no json")
    await writeUserConfig(world, { mine: { command: "uvx", args: ["mine==1.0.0"], env: { API_KEY: SECRET } } })
    const { stdout } = await world.expect(2)
    expect(stdout).not.toContain(SECRET)
    expect(stdout).toMatch(/"My Files" {2}not pinned {2}@acme\/files; floating version\n/)
    expect(stdout).toMatch(/mine +not pinned +mine 1\.0\.0; value in the file: API_KEY\n/)
    expect(stdout).toMatch(/^\.vscode\/mcp\.json {2}vscode, this project\n {2}unreadable: /m)
    expect(stdout).toMatch(/toolsum\.lock\.json {2}pinned, in no client configuration\n {2}typed +pinned/)
    expect(stdout).toContain("4 servers: 2 not pinned, 2 pinned; 1 file unreadable\n")
    const { document } = await world.json()
    validateReport(document)
    expect(document.unreadableFiles).toMatchObject([{ file: ".vscode/mcp.json", scope: "project" }])
    expect(document.servers.map((row: { scope: string }) => row.scope)).toEqual([
      "project",
      "project",
      "user",
      "project",
    ])
  })

  test("a value of a variable stands nowhere, not as a part of a subject either", async () => {
    world.env.ZONE_KEY = SECRET
    onTestFinished(() => {
      delete world.env.ZONE_KEY
    })
    await writeConfig(world, ".mcp.json", {
      url: { url: `https://example.com/${SECRET}/mcp` },
      word: { command: "npx", args: ["-y", SECRET] },
      query: { url: "https://example.com/mcp?tenant=7" },
    })
    const { code, document } = await world.json()
    expect([code, JSON.stringify(document).includes(SECRET)]).toEqual([2, false])
    expect((await world.run()).stdout).not.toContain(SECRET)
    expect(document.servers.map(({ subject }: { subject: string | null }) => subject)).toEqual([
      null,
      null,
      "https://example.com/mcp",
      null,
    ])
  })

  test("every line to paste is a line of ours, and its names are there", async () => {
    await writeConfig(world, ".mcp.json", { "$(touch HACKED)": { command: "npx", args: ["x"] } })
    const { stdout } = await world.expect(2)
    const lines = stdout.split("\n").flatMap((line) => /^ {2}(toolsum.*?) {2}/.exec(line)?.[1] ?? [])
    expect(lines).toEqual(["toolsum check", "toolsum add --all"])
    for (const line of lines) expect(pasteLine(...line.split(" "))).toBe(line)
  })

  test("--user: the user's files beside the user's lockfile only", async () => {
    await writeUserConfig(world, { mine: entryOf(notes) })
    expect(await statesOf(world)).toEqual([2, { notes: "pinned", mine: "not_pinned" }])
    expect(await statesOf(world, "--user")).toEqual([2, { mine: "not_pinned" }])
    expect((await world.expect(2, "--user")).stdout).toContain("  toolsum add mine --user  ")
    await world.expect(0, "add", "mine", "--user", "--accept-targets")
    expect(await statesOf(world, "--user")).toEqual([0, { mine: "pinned" }])
    expect(await statesOf(world)).toEqual([0, { notes: "pinned", mine: "pinned" }])
    expect(Object.keys((await world.readLock()).servers)).toEqual(["notes"])
    await world.expect(0, "verify", "--user")
    await world.expect(0, "show", "mine", "--user")
    await world.expect(0, "remove", "mine", "--user")
    expect(await statesOf(world, "--user")).toEqual([2, { mine: "not_pinned" }])
  })

  test("on a terminal one question: yes compares, anything else starts nothing", async () => {
    const starts = notes.starts().length
    world.ask = () => ""
    await world.expect(0)
    expect(world.questions).toHaveLength(1)
    expect(notes.starts()).toHaveLength(starts)
    world.ask = () => "yes"
    const { stdout } = await world.expect(0)
    expect(stdout).toContain("1 server: 1 UNCHANGED\n")
    notes.say({ tools: [tool("search", "Something else.")] })
    expect((await world.expect(1)).stdout).toContain("1 server: 1 CHANGED\n")
    for (const option of ["--json", "--quiet"]) {
      world.questions.length = 0
      await world.run(option)
      expect(world.questions).toEqual([])
    }
  })
})

describe("nothing found", () => {
  test("is a failure that says where was looked, and how to begin", async () => {
    const world = await makeCliWorld()
    const { stdout } = await world.expect(2)
    expect(stdout).toContain("No MCP server found")
    expect(stdout).toContain(world.folder)
    expect(stdout).toContain(".mcp.json, .cursor/mcp.json")
    expect(stdout).toContain(world.env.HOME)
    expect(stdout).toContain("Commands\n")
    const { code, document } = await world.json()
    validateReport(document)
    expect([code, document.servers, document.lookedAt.includes(".mcp.json")]).toEqual([2, [], true])
    delete world.env.HOME
    expect((await world.expect(2)).stdout).toContain("No MCP server found")
  })

  test("a file that cannot be read is something else", async () => {
    const world = await makeCliWorld()
    await world.write(".mcp.json", "{ no json")
    const { stdout } = await world.expect(2)
    expect(stdout).toContain("0 servers; 1 file unreadable\n")
    expect(stdout).not.toContain("No MCP server found")
  })
})

test("options that do not go together, or are none", async () => {
  const world = await makeCliWorld()
  for (const argv of [
    ["--user", "--lock", "x.json"],
    ["--frob"],
    ["--json", "word"],
    ["check", "--user", "--lock", "x"],
  ]) {
    expect((await world.expect(2, ...argv)).stderr).toMatch(/^toolsum: .*\(USAGE\)\n$/)
  }
  const { code, document } = await world.json("--frob")
  validateReport(document)
  expect([code, document.command, document.error.code]).toEqual([2, "inventory", "USAGE"])
  expect((await world.expect(0, "--user", "--help")).stdout).toContain("--user")
  expect((await world.expect(0, "--help")).stdout).toContain("Commands\n")
})
