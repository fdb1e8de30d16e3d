// Lockfile and definitions stay together, whatever a command is told and wherever it is stopped.
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  type CliWorld,
  expectOneLine,
  makeCliWorld,
  makePackage,
  makePinnedWorld,
  makeServer,
  snapshot,
  tool,
} from "../fakes/cli-world.js"

const CHANGED = { tools: [tool("search", "Searches, and more."), tool("write")] }
const files = (world: CliWorld) => Object.keys(snapshot(join(world.folder, ".mcp-tools")))

describe("without the log's key", () => {
  const withoutKey = async () => {
    const made = await makePinnedWorld()
    await rm(join(made.world.home, "config", "keys"), { recursive: true })
    return made
  }

  test("an update of an unchanged server leaves the proof", async () => {
    const { world } = await withoutKey()
    const before = await readFile(world.lockfile, "utf8")
    world.nowSec += 1000
    expect((await world.expect(0, "update", "notes")).stdout).toContain("approved, nothing changed")
    expect(await readFile(world.lockfile, "utf8")).toBe(before)
    await world.expect(0, "verify")
  })

  test("a changed server waits for its log", async () => {
    const { world, server } = await withoutKey()
    server.say(CHANGED)
    await world.expect(1, "update", "notes")
    expect((await world.readLock()).servers.notes.record).toBeNull()
    await world.expect(1, "verify")
  })
})

test("update --no-definitions removes those of the earlier list", async () => {
  const { world, server } = await makePinnedWorld()
  await world.expect(0, "update", "notes", "--no-definitions")
  expect(files(world)).toEqual(["notes.json"])
  server.say(CHANGED)
  await world.expect(1, "update", "notes", "--no-definitions")
  expect(files(world)).toEqual([])
  const { document } = await world.json("verify")
  expect(document.servers[0]).toMatchObject({ verdict: "CHANGED", reason: "unapproved" })
})

test("missing definitions come back with an update that changes nothing else", async () => {
  const { world } = await makePinnedWorld()
  const [lockfile, path] = [await readFile(world.lockfile), join(world.folder, ".mcp-tools", "notes.json")]
  const definitions = await readFile(path)
  await rm(path)
  await world.expect(0, "update", "notes")
  expect(await readFile(path)).toEqual(definitions)
  expect(await readFile(world.lockfile)).toEqual(lockfile)
})

test.each([
  { name: "with definitions", own: true },
  { name: "without", own: false },
])("rename of a pin $name clears what lies under the new name", async ({ own }) => {
  const world = await makeCliWorld()
  const { launch } = await makePackage(world)
  await world.expect(0, "add", "notes", ...(own ? [] : ["--no-definitions"]), "--", ...launch)
  await world.write(".mcp-tools/other.json", "stale")
  await world.expect(0, "rename", "notes", "other")
  expect(files(world)).toEqual(own ? ["other.json"] : [])
  await world.expect(0, "verify")
})

test("add clears what lies under the name", async () => {
  const world = await makeCliWorld()
  const server = makeServer(join(world.folder, "..", "lists.json"))
  await world.write(".mcp-tools/notes.json", "stale")
  await world.expect(0, "add", "notes", "--no-definitions", "--", ...server.launch)
  expect(files(world)).toEqual([])
  await world.expect(0, "verify")
})

describe("nothing changes on disk, and no server is started, where .mcp-tools is", () => {
  const PLACES: readonly { name: string; make: (folder: string) => Promise<unknown> }[] = [
    { name: "a link to a folder", make: (folder) => symlink(join(folder, "..", ".."), folder) },
    { name: "a link to nothing", make: (folder) => symlink("nowhere", folder) },
    { name: "a file", make: (folder) => writeFile(folder, "mine") },
  ]

  test.each(PLACES)("$name: add", async ({ make }) => {
    const world = await makeCliWorld()
    const server = makeServer(join(world.folder, "..", "lists.json"))
    await make(join(world.folder, ".mcp-tools"))
    const before = [snapshot(world.folder), snapshot(world.home)]
    for (const option of [[], ["--no-definitions"]])
      expectOneLine(await world.expect(2, "add", "notes", ...option, "--", ...server.launch), "CONFIG_INVALID")
    expect([snapshot(world.folder), snapshot(world.home)]).toEqual(before)
    expect(server.starts()).toEqual([])
  })

  test.each(PLACES)("$name: update, rename, remove", async ({ make }) => {
    const world = await makeCliWorld()
    const server = await makePackage(world)
    await world.expect(0, "add", "notes", "--", ...server.launch)
    const folder = join(world.folder, ".mcp-tools")
    await rm(folder, { recursive: true })
    await make(folder)
    const before = [snapshot(world.folder), snapshot(world.home)]
    for (const argv of [
      ["update", "notes"],
      ["update", "notes", "--no-definitions"],
      ["rename", "notes", "b"],
      ["remove", "notes"],
    ])
      expectOneLine(await world.expect(2, ...argv), "CONFIG_INVALID", ".mcp-tools")
    expect([snapshot(world.folder), snapshot(world.home)]).toEqual(before)
  })

  test("a folder with a folder in place of the pin's file: remove", async () => {
    const { world } = await makePinnedWorld()
    const path = join(world.folder, ".mcp-tools", "notes.json")
    await rm(path)
    await mkdir(path)
    const before = snapshot(world.folder)
    expectOneLine(await world.expect(2, "remove", "notes"), "CONFIG_INVALID")
    expect(snapshot(world.folder)).toEqual(before)
  })
})
