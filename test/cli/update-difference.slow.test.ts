// `update` and `check` show what waits for approval from what was approved, wherever those texts are found.
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { makeCliWorld, makePackage, makePinnedWorld, makeServer, report, saying } from "../fakes/cli-world.js"
import { commitAll } from "../fakes/git.js"

describe("the difference is the one to what was approved", () => {
  const ONE_TO_THREE = [{ item: "search", pointer: "/description", before: "one", after: "three" }]

  test("however often the pin was updated since, and check shows the same", async () => {
    const { world, server } = await makePinnedWorld(saying("one"))
    const was = (await world.readLock()).servers.notes.approved.pin
    server.say(saying("two"))
    await world.expect(1, "update", "notes")
    server.say(saying("three"))
    await world.expect(1, "update", "notes")
    const again = await report(world, "update", "notes")
    expect(again.servers[0]).toMatchObject({ comparedWith: "approved", wasApproved: was, changes: ONE_TO_THREE })
    const { stdout } = await world.expect(1, "update", "notes")
    expect(stdout).toContain(`"one" → "three"`)
    expect(stdout).toContain(`was approved: ${was}\n  not approved yet. Approve exactly this with:\n`)
    expect(stdout).not.toMatch(/same list|nothing changed/)
    expect((await world.expect(1, "update", "notes", "--dry-run")).stdout).toContain(`"one" → "three"`)
    const checked = await report(world, "check")
    expect(checked.servers[0]).toMatchObject({ reason: "unapproved", changes: ONE_TO_THREE })
    expect((await world.expect(1, "check")).stdout).toContain(`"one" → "three"`)
  })

  test("a live list that is not the pinned one is compared with that", async () => {
    const { world, server } = await makePinnedWorld(saying("one"))
    server.say(saying("two"))
    await world.expect(1, "update", "notes")
    server.say(saying("three"))
    const checked = await report(world, "check")
    expect(checked.servers[0]).toMatchObject({ reason: "surface", changes: [{ before: "two", after: "three" }] })
  })

  test.each([
    { name: "another version", first: [], next: ["--", "npx", "-y", "@acme/notes@1.3.0"] },
    {
      name: "another version back",
      first: ["--", "npx", "-y", "@acme/notes@1.3.0"],
      next: ["--", "npx", "-y", "@acme/notes@1.2.0"],
    },
    { name: "a variable more", first: [], next: ["--env", "API_KEY"] },
    { name: "another folder", first: [], next: ["--cwd", "sub"] },
    { name: "resources too", first: [], next: ["--resources"] },
  ])("after $name", async ({ first, next }) => {
    const world = await makeCliWorld()
    Object.assign(world.env, { API_KEY: "first-value", OTHER: "other-value" })
    await mkdir(join(world.folder, "sub"))
    const server = await makePackage(world, saying("one"))
    const words = first[0] === "--" ? first : [...first, "--", ...server.launch]
    await world.expect(0, "add", "notes", ...words)
    server.say(saying("two"))
    await world.expect(1, "update", "notes", ...next)
    server.say(saying("three"))
    const again = await report(world, "update", "notes")
    expect(again.servers[0]).toMatchObject({ comparedWith: "approved", changes: ONE_TO_THREE })
  })

  test.each([
    { name: "a variable, whose texts no log keeps", first: ["--placeholder", "OTHER"], next: ["--env", "OTHER"] },
    { name: "another launch line", first: [], next: null },
  ])("after $name, from what was committed", async ({ first, next }) => {
    const world = await makeCliWorld()
    world.env.OTHER = "other-value"
    const server = makeServer(join(world.folder, "..", "lists.json"), saying("one"))
    const other = makeServer(join(world.folder, "..", "other.json"), saying("two"))
    await world.expect(0, "add", "notes", ...first, "--", ...server.launch)
    await commitAll(world.folder)
    server.say(saying("two"))
    await world.expect(1, "update", "notes", ...(next ?? ["--", ...other.launch]))
    for (const one of [server, other]) one.say(saying("three"))
    const again = await report(world, "update", "notes")
    expect(again.servers[0]).toMatchObject({ comparedWith: "approved", changes: ONE_TO_THREE })
    expect((await report(world, "check")).servers[0]).toMatchObject({ changes: ONE_TO_THREE })
  })

  test("when what was approved is not at hand, that is said, and nothing is called the same", async () => {
    const { world } = await makePinnedWorld(saying("one"))
    const other = makeServer(join(world.folder, "..", "other.json"), saying("two"))
    const { stdout: first } = await world.expect(1, "update", "notes", "--", ...other.launch)
    expect(first).toContain(`"one" → "two"`)
    const { stdout } = await world.expect(1, "update", "notes")
    expect(stdout).toMatch(
      /approved texts are not at hand: [^\n]+\n {2}nothing new since the last pin, which nobody approved\n/,
    )
    expect(stdout).not.toMatch(/same list|nothing changed/)
    other.say(saying("three"))
    const { stdout: third } = await world.expect(1, "update", "notes")
    expect(third).toMatch(/approved texts are not at hand: [^\n]+\n {2}from the last pin, which nobody approved:\n/)
    expect(third).toContain(`"two" → "three"`)
    expect((await report(world, "update", "notes")).servers[0]).toMatchObject({ comparedWith: "last", changes: [] })
    expect((await world.expect(1, "check")).stdout).toContain("the approved texts are not at hand")
  })

  test("without the log's archive and the definitions there is nothing to compare with, and nothing is called the same", async () => {
    const { world } = await makePinnedWorld(saying("one"))
    await rm(join(world.folder, ".mcp-tools"), { recursive: true })
    await rm(join(world.home, "data", "log", "public", "objects"), { recursive: true })
    const other = makeServer(join(world.folder, "..", "other.json"), saying("two"))
    const { stdout } = await world.expect(1, "update", "notes", "--", ...other.launch)
    expect(stdout).toContain("the texts of before are not at hand")
  })

  test("where nothing was ever approved, everything waits for approval", async () => {
    const { world } = await makePinnedWorld(saying("one"))
    const lock = await world.readLock()
    lock.servers.notes.approved = null
    await world.write("toolsum.lock.json", JSON.stringify(lock))
    const { stdout } = await world.expect(1, "update", "notes")
    expect(stdout).toContain("+ search")
    expect(stdout).toContain("nothing was approved before")
    expect((await world.expect(1, "check")).stdout).toContain("+ search")
  })

  test("another launch line with the same list says so", async () => {
    const world = await makeCliWorld()
    await world.expect(0, "add", "notes", "--", ...(await makePackage(world)).launch)
    const { stdout } = await world.expect(1, "update", "notes", "--", "npx", "-y", "@acme/notes@1.3.0")
    expect(stdout).toContain("the same list, another launch line, version or way of reading it")
  })
})
