// A log that goes back or tells another story than before, as seen by the commands: REJECTED, exit 3, and the evidence is kept in a file
// that anybody with the root can check. The logs are real ones, whose folder or key was copied.
import { cp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import { type CliWorld, type Document, type ListedServer, makePinnedWorld, snapshot, tool } from "../fakes/cli-world.js"
import { verifyForkEvidence } from "../fakes/client-world.js"
import { validateReport } from "../fakes/report-schema.js"

const logOf = (world: CliWorld) => join(world.home, "data", "log")
const stateOf = (world: CliWorld) => join(world.home, "state")
const aside = (world: CliWorld, name: string) => join(world.home, "..", name)
const list = (description: string) => ({ tools: [tool("search", description)] })

async function replaceFolder(to: string, from: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await cp(from, to, { recursive: true, preserveTimestamps: true })
}

/** A log of size 3 that this user has seen, and its folder as it was at size 2, beside it. */
async function makeGrownLog(): Promise<{ world: CliWorld; server: ListedServer }> {
  const { world, server } = await makePinnedWorld()
  await cp(logOf(world), aside(world, "at-2"), { recursive: true })
  server.say(list("second"))
  await world.expect(1, "update", "notes")
  await world.expect(1, "check", "--log-only")
  return { world, server }
}

/** The same, and the key's owner has gone on from size 2 differently: a log with another third entry is in place of the first. */
async function makeForkedLog(sizes: 3 | 4): Promise<{ world: CliWorld; server: ListedServer }> {
  const { world, server } = await makeGrownLog()
  await rename(logOf(world), aside(world, "honest"))
  await rename(stateOf(world), aside(world, "state"))
  await replaceFolder(logOf(world), aside(world, "at-2"))
  const lock = "../fork.lock.json"
  server.say(list("another story"))
  await world.expect(0, "add", "notes", "--lock", lock, "--", ...server.launch)
  if (sizes === 4) {
    server.say(list("and more"))
    await world.expect(1, "update", "notes", "--lock", lock)
  }
  await rm(stateOf(world), { recursive: true })
  await rename(aside(world, "state"), stateOf(world))
  server.say(list("second"))
  return { world, server }
}

async function expectRejected(world: CliWorld, code: string): Promise<Document> {
  const before = snapshot(world.folder)
  const { code: exit, document } = await world.json("check", "--log-only")
  validateReport(document)
  expect(exit).toBe(3)
  expect(document.servers[0]).toMatchObject({ verdict: "REJECTED", reason: code })
  expect(snapshot(world.folder)).toEqual(before)
  return document
}

/** The one evidence file; the report names it. */
async function readEvidence(world: CliWorld, document: Document): Promise<Document> {
  const folder = join(stateOf(world), "evidence")
  const names = await readdir(folder)
  expect(names).toHaveLength(1)
  expect(JSON.stringify(document)).toContain(join(folder, names[0] ?? ""))
  return JSON.parse(await readFile(join(folder, names[0] ?? ""), "utf8"))
}

test("a log that went back", async () => {
  const { world } = await makeGrownLog()
  await replaceFolder(logOf(world), aside(world, "at-2"))
  const evidence = await readEvidence(world, await expectRejected(world, "LOG_ROLLBACK"))
  expect(evidence).toMatchObject({ format: "toolsum-fork/v1", code: "LOG_ROLLBACK" })
  expect([evidence.a.split("\n")[1], evidence.b.split("\n")[1]]).toEqual(["2", "3"])
  expect((await world.expect(3, "check")).stdout).toContain("evidence: ")
  const { stderr } = await world.expect(3, "log", "cat", "1")
  expect(stderr).toMatch(/^toolsum: rollback: .*evidence: .*\.tlog-fork \(LOG_ROLLBACK\)\n$/)
})

test.each([3, 4] as const)("a log that went on differently, to size %d", async (size) => {
  const { world } = await makeForkedLog(size)
  const evidence = await readEvidence(world, await expectRejected(world, "LOG_INCONSISTENT"))
  expect(evidence.code).toBe("LOG_INCONSISTENT")
  const { format: _, code, origin, why, ...rest } = evidence
  expect(rest.a.split("\n")[0]).toBe(origin)
  expect([rest.a, rest.b].map((note) => note.split("\n")[1])).toEqual(["3", `${size}`])
  expect(rest.a).not.toBe(rest.b)
  if (size === 4) verifyForkEvidence(new ToolsumError(code, why, { evidence: rest }))
  else expect(JSON.parse(rest.keyrings)).toHaveLength(1)
})

test("somebody who never saw the log holds it to the lockfile", async () => {
  const { world } = await makeForkedLog(4)
  await rm(stateOf(world), { recursive: true })
  await readEvidence(world, await expectRejected(world, "LOG_INCONSISTENT"))
})

test("and so for a log that went back behind the lockfile, where the lockfile knows the smaller head too", async () => {
  const { world, server } = await makePinnedWorld()
  await cp(logOf(world), aside(world, "at-2"), { recursive: true })
  await world.expect(0, "add", "other", "--", ...server.launch)
  await replaceFolder(logOf(world), aside(world, "at-2"))
  await rm(stateOf(world), { recursive: true })
  await readEvidence(world, await expectRejected(world, "LOG_ROLLBACK"))
})

test("a smaller head that nothing here proves to be a prefix is no rollback, and no good answer either", async () => {
  const { world } = await makeGrownLog()
  const { servers } = (await world.json("show")).document
  await world.expect(0, "approve", "notes", "--to", servers[0].pin)
  await replaceFolder(logOf(world), aside(world, "at-2"))
  await rm(stateOf(world), { recursive: true })
  const { code, document } = await world.json("check", "--log-only")
  expect([code, document.servers[0].verdict]).toEqual([2, "UNKNOWN"])
  expect(document.servers[0].detail).toContain("size 2, and 3 was seen before")
})

describe("a log that is there and not in order never counts as out of reach", () => {
  test.each([
    { name: "a garbage checkpoint", file: "checkpoint", content: "garbage", reason: "malformed" },
    { name: "an empty checkpoint", file: "checkpoint", content: "", reason: "malformed" },
    { name: "a garbage keyring", file: "keyring/1", content: "garbage", reason: "malformed" },
    { name: "no keyring", file: "keyring/1", content: null, reason: "incomplete" },
    { name: "no entries", file: "tile/entries/000.p/2", content: null, reason: "incomplete" },
  ])("$name", async ({ file, content, reason }) => {
    const { world } = await makePinnedWorld()
    const { roots } = (await world.json("verify")).document
    // The log lies where the user said it does, and the server still says what is pinned.
    await rename(logOf(world), aside(world, "log"))
    await world.expect(0, "trust", "add", `${roots[0].log}=${roots[0].fingerprint}`, "--log", aside(world, "log"))
    await rm(stateOf(world), { recursive: true })
    const path = join(aside(world, "log"), "public", file)
    if (content === null) await rm(path)
    else await writeFile(path, content)
    const { code, document } = await world.json("check")
    expect([code, document.servers[0].verdict, document.servers[0].reason]).toEqual([2, "UNKNOWN", reason])
  })

  test("while a place without a log does", async () => {
    const { world } = await makePinnedWorld()
    await rm(logOf(world), { recursive: true })
    const { code, document } = await world.json("check")
    expect([code, document.servers[0].verdict]).toEqual([0, "UNCHANGED"])
    expect(document.servers[0].detail).toContain("log not reachable from here")
  })
})

test("evidence is kept once, and other evidence beside it", async () => {
  const { world } = await makeForkedLog(3)
  const folder = join(stateOf(world), "evidence")
  await expectRejected(world, "LOG_INCONSISTENT")
  const kept = snapshot(folder)
  await expectRejected(world, "LOG_INCONSISTENT")
  expect(snapshot(folder)).toEqual(kept)
  await replaceFolder(logOf(world), aside(world, "at-2"))
  await expectRejected(world, "LOG_ROLLBACK")
  expect(Object.keys(snapshot(folder))).toHaveLength(2)
  expect(snapshot(folder)).toMatchObject(kept)
})

test("nothing is written to a log that went back or forked, and no pin is made", async () => {
  for (const make of [() => makeForkedLog(4), makeGrownLog]) {
    const { world, server } = await make()
    if (make === makeGrownLog) await replaceFolder(logOf(world), aside(world, "at-2"))
    const before = [snapshot(world.folder), snapshot(logOf(world))]
    server.say(list("news"))
    for (const argv of [
      ["update", "notes"],
      ["add", "other", "--", ...server.launch],
    ]) {
      const { code, stderr } = await world.run(...argv)
      expect([2, 3]).toContain(code)
      expect(stderr).toMatch(/\((?:LOG_REFUSED|LOG_INCONSISTENT|LOG_ROLLBACK)\)/)
    }
    expect([snapshot(world.folder), snapshot(logOf(world))]).toEqual(before)
  }
})

test("offline nothing of this matters: the lockfile is proven as it is", async () => {
  const { world } = await makeForkedLog(4)
  await world.expect(1, "verify") // unapproved
  const { servers } = (await world.json("show")).document
  await world.expect(0, "approve", "notes", "--to", servers[0].pin)
  await world.expect(0, "verify")
})
