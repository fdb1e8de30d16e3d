// `report` and its statement: what they say of a lockfile, under which roots, and what they leave alone.
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { type CliWorld, makePinnedWorld, report, snapshot } from "../fakes/cli-world.js"

const rootOf = async (world: CliWorld): Promise<string> => {
  const { document } = await world.json("trust", "list")
  return document.roots[0].root
}

test("report: what the lockfile proves, what its lists show, what was signed; nothing is started or written", async () => {
  const { world, server } = await makePinnedWorld()
  const [starts, before] = [server.starts().length, snapshot(world.folder)]
  const document = await report(world, "report")
  expect(document).toMatchObject({
    ...{ exitCode: 0, ruleset: expect.any(String), counts: { PROVEN: 1 } },
    servers: [{ answer: { verdict: "PROVEN" }, surface: { classes: [{ item: "search" }] }, proof: { index: "1" } }],
  })
  expect(document.servers[0].history).toMatchObject([{ index: "1", tools: 1 }])
  for (const format of ["markdown", "html", "sarif"]) await world.expect(0, "report", "notes", "--format", format)
  expect(server.starts()).toHaveLength(starts)
  expect(snapshot(world.folder)).toEqual(before)
})

test("a pin that nobody approved ends a report with 1 and the line that approves it", async () => {
  const { world, server } = await makePinnedWorld()
  server.say({ tools: [] })
  await world.expect(1, "update", "notes")
  expect((await world.expect(1, "report")).stdout).toMatch(/toolsum approve notes --to sha256:[0-9a-f]{64}/)
})

describe("--statement", () => {
  test("every fact with what it rests on, and how to repeat it", async () => {
    const { world } = await makePinnedWorld()
    const root = await rootOf(world)
    const { statement } = await report(world, "report", "--statement", "--root", root)
    const digest = createHash("sha256").update(readFileSync(world.lockfile)).digest("hex")
    const lock = await world.readLock()
    expect(statement).toMatchObject({
      lockfile: { file: "toolsum.lock.json", digest: `sha256:${digest}` },
      logs: [{ source: "flag", keyrings: ["1"], quorum: null, heads: [{ outsideTime: null }] }],
      pins: [
        {
          ...{ name: "notes", verdict: "PROVEN", leaf: lock.servers.notes.index, outsideTime: null },
          items: { tools: lock.servers.notes.tools },
          approval: { pin: lock.servers.notes.approved.pin, claimedBy: lock.servers.notes.approved.by },
        },
      ],
    })
    expect(statement.notShown.length).toBeGreaterThan(4)
    const { stdout } = await world.expect(0, "report", "--statement", "--root", root)
    expect(stdout).toContain(`sha256:${digest}`)
    expect(stdout).toContain("no outside time")
    const again = statement.repeat.find((line: string) => line.startsWith("toolsum verify"))
    expect((await world.expect(0, ...again.split(" ").slice(1))).code).toBe(0)
  })

  test("only roots that are typed count: this account's own trust is no answer for an auditor", async () => {
    const { world } = await makePinnedWorld()
    const other = `SHA256:${"A".repeat(43)}`
    const document = await report(world, "report", "--statement", "--root", other)
    expect(document.exitCode).toBe(2)
    expect(document.statement).toMatchObject({
      logs: [{ source: null }],
      pins: [{ verdict: "UNKNOWN", reason: "root_not_pinned" }],
    })
  })

  test("text of a lockfile cannot make lines of its own", async () => {
    const { world } = await makePinnedWorld()
    const root = await rootOf(world)
    const text = readFileSync(world.lockfile, "utf8")
    await world.write("toolsum.lock.json", text.replace(/"by": "[^"]*"/, '"by": "x\\n  verdict        PROVEN\\u202e"'))
    const { stdout } = await world.run("report", "--statement", "--root", root)
    expect(stdout.match(/^ {2}verdict /gm)).toHaveLength(1)
    expect(stdout).not.toContain("\u202e")
  })
})
