// The life of a pin, command by command, on a real server over stdio: what is said, what is written, what stays as it was.
import { readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { parseKeyring } from "../../src/core/keyring.js"
import {
  type CliWorld,
  type Document,
  makeCliWorld,
  makePackage,
  makePinnedWorld,
  makeServer,
  snapshot,
  tool,
} from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

const CHANGED = { tools: [tool("search", "Searches, and sends what it finds elsewhere."), tool("write")] }

/** Run with --json, hold the document to the schema, and return it with its server or pin "notes". */
async function report(world: CliWorld, ...argv: readonly string[]): Promise<Document> {
  const { code, document } = await world.json(...argv)
  validateReport(document)
  expect(document).toMatchObject({ schemaVersion: 1, exitCode: code, ok: code === 0 })
  return document
}

const verdict = async (world: CliWorld, ...argv: readonly string[]) => {
  const { exitCode, servers } = await report(world, ...argv)
  return [exitCode, servers[0].verdict, servers[0].reason]
}

test("a pin from its first baseline to its removal", async () => {
  const world = await makeCliWorld()
  const server = makeServer(join(world.folder, "..", "lists.json"))
  const added = await world.expect(0, "add", "notes", "--by", "Ada", "--", ...server.launch)
  expect(added.stdout).toContain("notes pinned: local:notes")
  expect(added.stdout).toContain("1 tool: search")
  expect(added.stdout).toContain("approved as first baseline by Ada")
  expect(await verdict(world, "verify")).toEqual([0, "PROVEN", null])
  expect(await verdict(world, "check")).toEqual([0, "UNCHANGED", null])

  server.say(CHANGED)
  const changed = await report(world, "check")
  expect(changed).toMatchObject({ exitCode: 1, counts: { CHANGED: 1, UNCHANGED: 0 } })
  expect(changed.servers[0]).toMatchObject({
    verdict: "CHANGED",
    reason: "surface",
    compared: ["lock", "log", "live"],
    changes: [
      { section: "tools", item: "search", kind: "changed", pointer: "/description", before: "Does search." },
      { section: "tools", item: "write", kind: "added", pointer: "" },
    ],
  })
  expect((await world.expect(1, "check")).stdout).toContain("toolsum update notes")

  const updated = await report(world, "update", "notes")
  expect(updated.servers[0]).toMatchObject({ approved: false, changes: changed.servers[0].changes })
  expect(await verdict(world, "verify")).toEqual([1, "CHANGED", "unapproved"])
  expect(await verdict(world, "check")).toEqual([1, "CHANGED", "unapproved"])

  const [, to = ""] = /toolsum (approve notes --to sha256:[0-9a-f]{64})/.exec((await world.run("check")).stdout) ?? []
  const approved = await report(world, ...to.split(" "), "--reason", "read", "--by", "Grace")
  expect(approved).toMatchObject({ name: "notes", pin: updated.servers[0].pin, changed: true })
  expect((await report(world, ...to.split(" "))).changed).toBe(false)
  expect(await verdict(world, "verify")).toEqual([0, "PROVEN", null])
  expect(await verdict(world, "check")).toEqual([0, "UNCHANGED", null])

  const shown = await report(world, "show")
  expect(shown.servers[0]).toMatchObject({ name: "notes", tools: ["search", "write"], index: "2", prompts: [] })
  expect(shown.servers[0].approved).toMatchObject({
    by: "Grace",
    reason: "read",
    from: expect.stringMatching(/^sha256:/),
  })

  expect(await report(world, "remove", "notes", "--by", "Ada", "--reason", "gone")).toMatchObject({ name: "notes" })
  expect((await world.readLock()).removed.notes).toEqual({ at: "2026-12-01T00:00:00Z", by: "Ada", reason: "gone" })
  expect(snapshot(join(world.folder, ".mcp-tools"))).toEqual({})
  expect((await report(world, "verify")).error).toMatchObject({ code: "NO_PINS", kind: "usage" })
  await world.expect(0, "add", "notes", "--", ...server.launch)
  expect((await world.readLock()).removed).toEqual({})
})

test("a change of mind by the server: three records, the old approval does not come back by itself", async () => {
  const { world, server } = await makePinnedWorld()
  const before = (await report(world, "show")).servers[0]
  server.say(CHANGED)
  await world.expect(1, "update", "notes")
  server.say({ tools: [tool("search")] })
  expect(await verdict(world, "check")).toEqual([1, "CHANGED", "surface"])
  await world.expect(0, "update", "notes")
  const after = (await report(world, "show")).servers[0]
  expect([after.index, after.pin]).toEqual(["3", before.pin])
  expect(after.approved).toEqual(before.approved)
})

test("the log has a newer list than the pin", async () => {
  const { world, server } = await makePinnedWorld()
  server.say(CHANGED)
  const copy = await readFile(world.lockfile)
  await world.expect(1, "update", "notes", "--no-definitions")
  await writeFile(world.lockfile, copy)
  await world.expect(0, "verify")
  const { exitCode, servers } = await report(world, "check", "--log-only")
  expect([exitCode, servers[0].verdict, servers[0].reason]).toEqual([1, "CHANGED", "surface"])
  expect(servers[0].detail).toContain("the log has a newer list: signed 2026-12-01, leaf 2")
})

describe("what stays as it was", () => {
  test("nothing changed: byte for byte, and the file is not even touched", async () => {
    const { world, server } = await makePinnedWorld()
    const [text, { mtimeMs }] = [await readFile(world.lockfile), await stat(world.lockfile)]
    world.nowSec += 1000
    await world.expect(0, "update", "notes")
    await world.expect(0, "update")
    await world.expect(0, "check")
    await world.expect(0, "verify")
    await world.expect(2, "add", "notes", "--", ...server.launch)
    expect(await readFile(world.lockfile)).toEqual(text)
    expect((await stat(world.lockfile)).mtimeMs).toBe(mtimeMs)
  })

  test("read-only commands write nothing in the project", async () => {
    const { world, server } = await makePinnedWorld()
    server.say(CHANGED)
    const before = snapshot(world.folder)
    for (const argv of [["verify"], ["check"], ["check", "--log-only"], ["show"], ["diff", "notes", "leaf:1"]])
      await world.run(...argv)
    expect(snapshot(world.folder)).toEqual(before)
  })

  test("--dry-run writes nothing anywhere", async () => {
    const world = await makeCliWorld()
    const server = makeServer(join(world.folder, "..", "lists.json"))
    const outcome = await world.expect(0, "add", "notes", "--dry-run", "--", ...server.launch)
    expect(outcome.stdout).toContain("read, nothing written")
    expect([snapshot(world.folder), snapshot(world.home)]).toEqual([{}, {}])
    expect(await report(world, "add", "notes", "--dry-run", "--", ...server.launch)).toMatchObject({
      pin: null,
      index: null,
    })

    await world.expect(0, "add", "notes", "--", ...server.launch)
    server.say(CHANGED)
    const before = [snapshot(world.folder), snapshot(world.home)]
    expect((await world.expect(1, "update", "notes", "--dry-run")).stdout).toContain("nothing written")
    expect((await report(world, "update", "notes", "--dry-run")).servers[0]).toMatchObject({
      pin: null,
      approved: false,
    })
    await world.expect(1, "update", "notes", "--dry-run", "--", "node", ...server.launch.slice(1), "--other")
    expect([snapshot(world.folder), snapshot(world.home)]).toEqual(before)
  })

  test("add names the files that it wrote, and no others", async () => {
    const { world, server } = await makePinnedWorld()
    const written = async (...argv: readonly string[]) =>
      / {2}written: (.*)\n/.exec((await world.expect(0, "add", ...argv, "--", ...server.launch)).stdout)?.[1]
    expect(await written("a")).toBe("toolsum.lock.json, .mcp-tools/a.json")
    expect(await written("b", "--no-definitions")).toBe("toolsum.lock.json")
    expect(await written("c", "--lock", "../x.json")).toBe("../x.json, ../.mcp-tools/c.json")
    expect(Object.keys(snapshot(join(world.folder, ".mcp-tools")))).toEqual(["a.json", "notes.json"])
    expect(Object.keys(snapshot(join(world.folder, "..", ".mcp-tools")))).toEqual(["c.json"])
  })

  test("--quiet says nothing when all is well", async () => {
    const { world, server } = await makePinnedWorld()
    for (const argv of [["verify"], ["check"], ["update", "notes"], ["init"], ["diff", "notes", "notes"]]) {
      expect(await world.run(...argv, "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" })
    }
    const { stdout } = await world.run("add", "other", "--quiet", "--", ...server.launch)
    expect(stdout).toBe("")
    server.say(CHANGED)
    const { code, stdout: found } = await world.run("check", "notes", "--quiet")
    expect(code).toBe(1)
    expect(found).toContain("CHANGED")
  })
})

describe("colour", () => {
  test("only where the terminal has it, and never with --no-color", async () => {
    const { world, server } = await makePinnedWorld()
    server.say(CHANGED)
    const run = async (colour: boolean, ...argv: readonly string[]) => {
      const { io, out } = world.io({ colour })
      await (await import("../../src/cli/main.js")).main(argv, io)
      return out.stdout.includes("\u001b[")
    }
    expect(await run(true, "check")).toBe(true)
    expect(await run(true, "verify")).toBe(true)
    expect(await run(true, "check", "--no-color")).toBe(false)
    expect(await run(true, "check", "--json")).toBe(false)
    expect(await run(false, "check")).toBe(false)
  })
})

describe("a person at the terminal", () => {
  test("is shown the change and may approve it at once", async () => {
    const { world, server } = await makePinnedWorld()
    server.say(CHANGED)
    world.ask = () => "no"
    expect((await world.expect(1, "update", "notes")).stdout).toContain("not approved yet")
    expect(await verdict(world, "verify")).toEqual([1, "CHANGED", "unapproved"])
    world.ask = () => "yes"
    await world.expect(0, "update", "notes", "--by", "Ada")
    expect(world.questions.at(-1)).toMatch(/^Approve notes at sha256:\w+ now\? /)
    expect((await world.readLock()).servers.notes.approved).toMatchObject({ by: "Ada", reason: "approved at update" })
  })

  test("is not asked to approve when --json is read by a program", async () => {
    const { world, server } = await makePinnedWorld()
    server.say(CHANGED)
    world.ask = () => "yes"
    await report(world, "update", "notes")
    expect(world.questions).toEqual([])
  })
})

test("rename keeps record and approval, and takes the definitions along", async () => {
  const world = await makeCliWorld()
  const { launch } = await makePackage(world)
  await world.expect(0, "add", "notes", "--", ...launch)
  const before = await world.readLock()
  const definitions = await readFile(join(world.folder, ".mcp-tools", "notes.json"))
  expect(await report(world, "rename", "notes", "other")).toMatchObject({ from: "notes", name: "other" })
  const after = await world.readLock()
  expect(after).toEqual({ ...before, servers: { other: before.servers.notes } })
  expect(Object.keys(snapshot(join(world.folder, ".mcp-tools")))).toEqual(["other.json"])
  expect(await readFile(join(world.folder, ".mcp-tools", "other.json"))).toEqual(definitions)
  expect(await verdict(world, "verify")).toEqual([0, "PROVEN", null])
  expect((await report(world, "verify")).servers[0]).toMatchObject({
    name: "other",
    subject: "pkg:npm/%40acme/notes",
    version: "1.2.3",
  })
  expect(await verdict(world, "check")).toEqual([0, "UNCHANGED", null])
})

test("another version of a package is another stream, and another pin to approve", async () => {
  const world = await makeCliWorld()
  const { launch } = await makePackage(world)
  await world.expect(0, "add", "notes", "--", ...launch)
  const [before] = (await report(world, "show")).servers
  await world.expect(1, "update", "notes", "--", "npx", "-y", "@acme/notes@1.3.0")
  const [after] = (await report(world, "show")).servers
  expect(after).toMatchObject({ version: "1.3.0", index: "2" })
  expect(after.pin).not.toBe(before.pin)
  expect(await verdict(world, "check")).toEqual([1, "CHANGED", "unapproved"])
  expect((await world.run("log", "cat", "2")).stdout).toContain("\n  seq 0\n  prev -\n")
})

test("a local pin carries its name in its record: rename refuses it", async () => {
  const { world } = await makePinnedWorld()
  const { stderr } = await world.expect(2, "rename", "notes", "other")
  expect(stderr).toContain("carries that name")
})

describe("diff", () => {
  test("of a pin compares only what the pin covers", async () => {
    const resources = [{ uri: "file:///a", name: "a" }]
    const { world } = await makePinnedWorld({ tools: [tool("search")], resources })
    const { servers } = await report(world, "verify")
    expect(servers[0].notCovered).toEqual(["resources"])
    const surface = { instructions: null, serverInfo: { name: "listed" }, tools: [tool("search")] }
    await world.write("surface.json", JSON.stringify({ ...surface, resources }))
    expect((await report(world, "diff", "notes", "surface.json")).changes).toEqual([])
    expect((await report(world, "diff", "leaf:1", "surface.json")).changes).toEqual([])
    await world.write("resources.json", JSON.stringify({ resources }))
    expect((await report(world, "diff", "notes", "resources.json")).error).toMatchObject({ code: "USAGE" })
  })

  test("of a pin, a file and a leaf", async () => {
    const { world, server } = await makePinnedWorld()
    server.say(CHANGED)
    await world.run("update", "notes")
    await world.write("surface.json", JSON.stringify(CHANGED))
    await world.write("tools.json", JSON.stringify([tool("search")]))
    await world.write("answer.json", JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: [tool("search")] } }))
    expect((await report(world, "diff", "tools.json", "answer.json")).changes).toEqual([])
    expect((await report(world, "diff", "notes", "surface.json")).exitCode).toBe(0)
    const byLeaf = await report(world, "diff", "leaf:1", "leaf:2")
    const byFile = await report(world, "diff", "tools.json", "surface.json")
    expect(byLeaf.changes).toEqual(byFile.changes)
    expect(byLeaf.exitCode).toBe(1)
    expect(byLeaf.changes).toHaveLength(2)
    const { stdout } = await world.expect(1, "diff", "tools.json", "notes")
    expect(stdout).toContain("search")
    expect((await world.expect(0, "diff", "notes", "notes")).stdout).toBe("no difference\n")
  })

  test("shows numbers exactly", async () => {
    const { world } = await makePinnedWorld()
    const list = (maximum: string) => `[{"name":"a","inputSchema":{"type":"object","maximum":${maximum}}}]`
    await world.write("a.json", list("9223372036854775807"))
    await world.write("b.json", list("9223372036854775806"))
    const { stdout } = await world.expect(1, "diff", "a.json", "b.json", "--json")
    expect(stdout).toContain('"before": 9223372036854775807')
    expect(stdout).toContain('"after": 9223372036854775806')
  })

  test("escapes what a server wrote", async () => {
    const { world } = await makePinnedWorld()
    await world.write("a.json", JSON.stringify([tool("a", "x")]))
    await world.write("b.json", JSON.stringify([tool("a", "x\u001b]0;owned\u0007\u202e"), tool("b\u001b[2J")]))
    for (const options of [[], ["--json"]]) {
      const { stdout } = await world.expect(1, "diff", "a.json", "b.json", ...options)
      expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/)
    }
  })
})

describe("log", () => {
  test("init, path, cat, append", async () => {
    const world = await makeCliWorld()
    const made = await report(world, "init")
    expect(made).toMatchObject({ created: true, log: join(world.home, "data", "log") })
    expect((await stat(made.rootKey)).mode & 0o777).toBe(0o600)
    expect(await report(world, "init")).toMatchObject({ created: false, root: made.root, rootKey: null })
    expect(await report(world, "log", "path")).toMatchObject({ origin: made.origin, root: made.root })
    expect((await world.expect(0, "log", "path")).stdout).toBe(`${made.log}\n`)
    expect(await report(world, "log", "cat", "0")).toMatchObject({ index: "0", size: "1", origin: made.origin })
    expect((await world.expect(0, "log", "cat", "0")).stdout).toContain("toolsum-keyring/v1\n")

    await world.write("entry", "my-entry/v1\nhello\u001b\n")
    expect((await report(world, "log", "append", "entry", "--raw")).entries).toEqual([{ index: "1", duplicate: false }])
    expect((await world.expect(0, "log", "cat", "1")).stdout).toBe("  my-entry/v1\n  hello\\u001b\n")
    const { data } = await report(world, "log", "cat", "1")
    expect(Buffer.from(data, "base64").toString()).toBe("my-entry/v1\nhello\u001b\n")
  })

  test("create makes a team's log, which add can use", async () => {
    const world = await makeCliWorld()
    const argv = ["--log-dir", "../team", "--origin", "log.example.com/tools", "--root-key", "../root.key"]
    const made = await report(world, "log", "create", ...argv)
    expect(made).toMatchObject({ command: "log create", created: true, origin: "log.example.com/tools" })
    expect(made.rootKey).toBe(join(world.folder, "..", "root.key"))
    const server = makeServer(join(world.folder, "..", "lists.json"))
    await world.expect(0, "add", "notes", "--log-dir", "../team", "--", ...server.launch)
    expect((await world.readLock()).servers.notes.log).toBe("log.example.com/tools")
    expect(await verdict(world, "verify")).toEqual([0, "PROVEN", null])
    expect(await verdict(world, "check", "--log-dir", "../team")).toEqual([0, "UNCHANGED", null])
  })

  test("observe takes the names that pins can have", async () => {
    const { world, server } = await makePinnedWorld()
    for (const name of ["bad name", "../x", "Notes", ""]) {
      const { stderr } = await world.expect(2, "observe", name, "--out", "seen.json", "--", ...server.launch)
      expect(stderr).toContain("expected a name such as my-server")
    }
    expect(server.starts()).toHaveLength(2)
  })

  test("observe reads, append records, and knows what it has", async () => {
    const { world, server } = await makePinnedWorld()
    const seen = await report(world, "observe", "notes", "--out", "seen.json", "--", ...server.launch)
    expect(seen).toMatchObject({ name: "notes", subject: "local:notes", file: "seen.json" })
    expect((await report(world, "log", "append", "seen.json")).entries).toEqual([{ index: "1", duplicate: true }])
    server.say(CHANGED)
    await world.expect(0, "observe", "notes", "--out", "seen.json", "--", ...server.launch)
    expect((await world.expect(0, "log", "append", "seen.json")).stdout).toBe("leaf 2\n")
    expect((await report(world, "check", "--log-only")).servers[0]).toMatchObject({
      verdict: "CHANGED",
      record: { index: "2" },
    })
    const text = await readFile(join(world.folder, "seen.json"), "utf8")
    await world.write("seen.json", text.replace("tools 2", "tools 3"))
    expect((await world.expect(2, "log", "append", "seen.json")).stderr).toContain("RECORD_MALFORMED")
    expect((await report(world, "log", "path")).exitCode).toBe(0)
  })
})

describe("proof files", () => {
  test("proven under the lockfile's keyring, and under a policy", async () => {
    const { world } = await makePinnedWorld()
    const written = await report(world, "log", "proof", "1", "--out", "notes.tlog-proof")
    expect(written.proof).toBe(await readFile(join(world.folder, "notes.tlog-proof"), "utf8"))
    expect((await world.expect(0, "log", "proof", "1")).stdout).toBe(written.proof)
    const lock = await world.readLock()
    const proven = await report(world, "verify", "notes.tlog-proof")
    expect(proven).toMatchObject({ verdict: "PROVEN", index: "1", size: "2", entry: lock.servers.notes.record })
    expect((await world.expect(0, "verify", "notes.tlog-proof")).stdout).toContain("PROVEN  leaf 1 of ")

    const [origin = "", log] = Object.entries(lock.logs as Record<string, { keyring: string[] }>)[0] ?? []
    const vkey = parseKeyring(log?.keyring[0] ?? "").logs[0]?.key.vkey
    await world.write("log.policy", `log ${vkey}\nquorum none\n`)
    world.env.TOOLSUM_HOME = join(world.home, "..", "stranger")
    const { stderr } = await world.expect(2, "verify", "notes.tlog-proof")
    expect(stderr).toContain("ROOT_NOT_PINNED")
    expect((await report(world, "verify", "notes.tlog-proof", "--policy", "log.policy")).origin).toBe(origin)
    await world.expect(2, "verify", "notes.tlog-proof", "--lock", "nowhere.json")
  })

  test("one changed character is refused", async () => {
    const { world } = await makePinnedWorld()
    await world.expect(0, "log", "proof", "1", "--out", "notes.tlog-proof")
    const text = await readFile(join(world.folder, "notes.tlog-proof"), "utf8")
    const lines = text.split("\n")
    const proof = lines.findIndex((line) => line.startsWith("index ")) + 1
    lines[proof] = (lines[proof] ?? "").replace(/^./, (c) => (c === "A" ? "B" : "A"))
    await world.write("bad.tlog-proof", lines.join("\n"))
    expect((await world.expect(3, "verify", "bad.tlog-proof")).stderr).toContain("INCLUSION_INVALID")
    await world.write("cut.tlog-proof", text.slice(0, 40))
    expect((await world.expect(2, "verify", "cut.tlog-proof")).stderr).toContain("PROOF_MALFORMED")
  })
})

test("trust add and list", async () => {
  const { world } = await makePinnedWorld()
  const { roots } = await report(world, "verify")
  const [mine] = (await report(world, "trust", "list")).roots
  expect(mine).toMatchObject({
    root: `${roots[0].log}=${roots[0].fingerprint}`,
    from: "init",
    log: join(world.home, "data", "log"),
  })
  world.env.TOOLSUM_HOME = join(world.home, "..", "other")
  expect((await world.expect(0, "trust", "list")).stdout).toContain("no root is trusted yet")
  expect(await verdict(world, "verify")).toEqual([2, "UNKNOWN", "root_not_pinned"])
  const [, hint = ""] = /toolsum (trust add \S+)/.exec((await world.run("verify")).stdout) ?? []
  expect(await report(world, ...hint.split(" "), "--from", "read aloud")).toMatchObject({ added: true })
  expect(await report(world, ...hint.split(" "))).toMatchObject({ added: false })
  expect(await verdict(world, "verify")).toEqual([0, "PROVEN", null])
  expect((await world.expect(0, "trust", "list")).stdout).toContain("read aloud")
  const other = mine.root.replace(/SHA256:./, (head: string) => (head.endsWith("A") ? "SHA256:B" : "SHA256:A"))
  expect((await report(world, "trust", "add", other)).error.code).toBe("CONFIG_INVALID")
})
