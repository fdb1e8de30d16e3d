// A server whose list moves by itself, from the refusal to the pasted line; texts that say where it was read; masks and profiles of a pin.
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { type CliWorld, type Document, makeCliWorld, makeServer, type Outcome, tool } from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

// What a shell may read something into, and what a terminal may.
const HOSTILE = 'it\'s `id` $(touch x) ${HOME} "q" 100% !x ^&|<> \\ \u202e\u001b[2J'
const MOVING: Document = {
  tools: [tool("search", `As ${HOSTILE} 2026-12-0@START@ ${HOSTILE} says.`)],
  instructions: "Call @START@ now",
}

async function makeWorld(lists: Document) {
  const world = await makeCliWorld()
  const server = makeServer(join(world.folder, "..", "lists.json"), lists)
  return { world, server }
}

/** The line that a report offers, as sh splits it into words. */
async function offeredWords({ stderr }: Outcome): Promise<readonly string[]> {
  const line = stderr.split("\n").find((text) => text.startsWith("  toolsum ")) ?? ""
  expect(line).toMatch(/^[ -~]+$/)
  const { stdout } = await promisify(execFile)("sh", ["-c", `for word in ${line}; do printf '%s\\0' "$word"; done`])
  const [first, ...words] = stdout.slice(0, -1).split("\0")
  expect(first).toBe("toolsum")
  return words
}

const profileIn = async (world: CliWorld): Promise<string> =>
  /\nprofile (.*)\n/.exec((await world.readLock()).servers.notes.record)?.[1] ?? ""

describe("a list that differs from one reading to the next", () => {
  test("is not pinned; the offered line pins it, and check and update find it unchanged", async () => {
    const { world, server } = await makeWorld(MOVING)
    const refused = await world.expect(2, "add", "notes", "--cwd", ".", "--", ...server.launch)
    expect(server.starts()).toHaveLength(2)
    expect(refused.stderr).toContain("notes: two readings, one after the other, differ\n")
    expect(refused.stderr).toContain("its instructions  Call [-1-]{+2+} now\n")
    expect(refused.stderr).toContain("mask: date, at most 40 characters")
    expect(refused.stderr).toMatch(/\ntoolsum: two readings[^\n]*\(READING_UNSTABLE\)\n$/)
    expect(refused.stderr).not.toMatch(/[\u202e\u001b]/)
    await expect(world.readLock()).rejects.toThrow()
    const words = await offeredWords(refused)
    expect(words.slice(0, 4)).toEqual(["add", "notes", "--cwd", "."])
    expect(words.join(" ")).toContain(String.raw`it\u0027s \u0060id\u0060 \u0024(touch x)`)
    const added = await world.expect(0, ...words)
    expect(added.stdout).toContain("notes pinned")
    expect((await world.readLock()).servers.notes.masks).toHaveLength(2)
    const { document } = await world.json("check")
    expect(document.servers[0]).toMatchObject({ verdict: "UNCHANGED", detail: expect.stringContaining("masked") })
    await world.expect(0, "update", "notes")
    expect((await world.readLock()).servers.notes.masks).toHaveLength(2)
  })

  test("is in the document too, and so are the masks, which --masks takes from a file", async () => {
    const { world, server } = await makeWorld(MOVING)
    const { code, document } = await world.json("add", "notes", "--", ...server.launch)
    validateReport(document)
    expect(code).toBe(2)
    const { error } = document
    expect(error).toMatchObject({
      code: "READING_UNSTABLE",
      unstable: [
        { section: "instructions", item: null, pointer: "", first: "Call 1 now", second: "Call 2 now", problem: null },
        { section: "tools", item: "search", pointer: "/description", problem: null },
      ],
      masks: expect.arrayContaining([expect.objectContaining({ class: "date" })]),
    })
    await world.write("masks.json", JSON.stringify(error.masks))
    await world.expect(0, "add", "notes", "--dry-run", "--masks", "masks.json", "--", ...server.launch)
  })

  test("beyond masks says so, and offers nothing", async () => {
    const { world, server } = await makeWorld({ tools: [tool("search@START@"), tool("b", "Call @START@ now")] })
    const { stderr } = await world.expect(2, "observe", "notes", "--out", "x", "--", ...server.launch)
    expect(stderr).toContain('tool "search1" is in the first reading only')
    expect(stderr).toContain("no mask can cover that: the server gives another list each time")
    expect(stderr).toContain("no masks cover all of it")
    expect(stderr).not.toContain("--mask")
    await expect(readFile(join(world.folder, "x"))).rejects.toThrow()
  })

  test("after an update leaves the pin alone; the offered line updates it", async () => {
    const { world, server } = await makeWorld({ tools: [tool("search")] })
    await world.expect(0, "add", "notes", "--", ...server.launch)
    const before = await readFile(world.lockfile, "utf8")
    server.say({ tools: [tool("search", "Call @START@ now")] })
    const refused = await world.expect(2, "update", "notes")
    expect(await readFile(world.lockfile, "utf8")).toBe(before)
    const words = await offeredWords(refused)
    expect(words.slice(0, 3)).toEqual(["update", "notes", "--mask"])
    const updated = await world.expect(1, ...words)
    expect(updated.stdout).toContain("other masks than before: a new stream in the log")
    server.say({ tools: [tool("search", "Call 7 now")] })
    const dropped = await world.expect(1, "update", "notes", "--no-masks")
    expect(dropped.stdout).toContain("no masks any more: a new stream in the log")
    expect((await world.readLock()).servers.notes.masks).toEqual([])
  })
})

describe("masks that were typed", () => {
  const mask = (over: object = {}) =>
    JSON.stringify({
      section: "tools",
      item: "search",
      pointer: "/description",
      prefix: "Does ",
      suffix: ".",
      class: "hex",
      max: 9,
      ...over,
    })

  test.each([
    { name: "no JSON", argv: ["--mask", "tools"], code: "MASK_MALFORMED" },
    { name: "no mask", argv: ["--mask", "{}"], code: "MASK_MALFORMED" },
    { name: "a whole description", argv: ["--mask", mask({ prefix: "", suffix: "" })], code: "MASK_MALFORMED" },
    { name: "one twice", argv: ["--mask", mask(), "--mask", mask()], code: "MASK_MALFORMED" },
    { name: "no file", argv: ["--masks", "none.json"], code: "FILE_MISSING" },
    { name: "a file that is no list", argv: ["--masks", "one.json"], code: "MASK_MALFORMED" },
  ])("$name: nothing is started", async ({ argv, code }) => {
    const { world, server } = await makeWorld({ tools: [tool("search")] })
    await world.write("one.json", mask())
    expect((await world.expect(2, "add", "notes", ...argv, "--", ...server.launch)).stderr).toContain(`(${code})`)
    expect(server.starts()).toEqual([])
  })

  test("that match nothing are a slip", async () => {
    const { world, server } = await makeWorld({ tools: [tool("search")] })
    const { stderr } = await world.expect(2, "add", "notes", "--mask", mask(), "--", ...server.launch)
    expect(stderr).toContain('a mask matches nothing: the one on tool "search" "/description" between "Does " and "."')
  })
})

describe("a text that says where the server was read", () => {
  test("is told of, with a mask under which a colleague's list is the same", async () => {
    const { world, server } = await makeWorld({ tools: [tool("save", "Images go to @CWD@/images, as PNG.")] })
    const { document } = await world.json("add", "notes", "--dry-run", "--", ...server.launch)
    validateReport(document)
    expect(document.localTexts).toMatchObject([
      { item: "save", pointer: "/description", kind: "folder", problem: null },
    ])
    const { stdout } = await world.expect(0, "add", "notes", "--", ...server.launch)
    expect(stdout).toContain(
      `note: tool "save" "/description" has the folder's path in it, a colleague's list will differ: --mask '{`,
    )
    const masks = JSON.stringify(document.localTexts[0].masks[0])
    const updated = await world.expect(1, "update", "notes", "--mask", masks)
    expect(updated.stdout).not.toContain("colleague")
    server.say({ tools: [tool("save", "Images go to /Users/grace/elsewhere/images, as PNG.")] })
    expect((await world.json("check")).document.servers[0].reason).toBe("unapproved")
    await world.expect(0, "approve", "notes", "--to", /--to (\S+)/.exec(updated.stdout)?.[1] ?? "", "--reason", "read")
    await world.expect(0, "check")
  })
})

describe("profiles", () => {
  test("a placeholder stays one where the variable is set; taking its value is a new stream", async () => {
    const { world, server } = await makeWorld({ tools: [tool("search")] })
    await world.expect(0, "add", "notes", "--placeholder", "API_KEY", "--", ...server.launch)
    world.env.API_KEY = "geheim-9f8e7d6c5b4a"
    server.say({ tools: [tool("search", "Key is @API_KEY@")] })
    const { document } = await world.json("check")
    expect(document.servers[0]).toMatchObject({ verdict: "CHANGED" })
    expect(JSON.stringify(document)).not.toContain("geheim")
    server.say({ tools: [tool("search")] })
    await world.expect(0, "check")
    const updated = await world.expect(1, "update", "notes", "--env", "API_KEY")
    expect(updated.stdout).toContain("read as env:API_KEY, before as placeholder:API_KEY: a new stream in the log")
    expect(await profileIn(world)).toBe("env:API_KEY")
    delete world.env.API_KEY
    const starts = server.starts().length
    const checked = await world.json("check")
    expect(checked.document.servers[0].reason).toBe("unapproved")
    await world.expect(0, "approve", "notes", "--to", /--to (\S+)/.exec(updated.stdout)?.[1] ?? "", "--reason", "read")
    expect((await world.json("check")).document.servers[0]).toMatchObject({
      verdict: "AUTH",
      reason: "missing: API_KEY",
    })
    expect(server.starts()).toHaveLength(starts)
  })

  test("a chosen name is kept by update, until it is dropped", async () => {
    const { world, server } = await makeWorld({ tools: [tool("search")] })
    world.env.API_KEY = "geheim-9f8e7d6c5b4a"
    await world.expect(0, "add", "notes", "--env", "API_KEY", "--profile", "work", "--", ...server.launch)
    expect(await profileIn(world)).toBe("work")
    await world.expect(0, "verify")
    await world.expect(0, "check")
    await world.expect(0, "update", "notes")
    expect(await profileIn(world)).toBe("work")
    await world.expect(2, "update", "notes", "--placeholder", "OTHER")
    await world.expect(2, "update", "notes", "--profile", "anonymous")
    await world.expect(1, "update", "notes", "--no-profile")
    expect(await profileIn(world)).toBe("env:API_KEY")
  })
})
