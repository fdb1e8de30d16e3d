import { readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type CliWorld, expectOneLine, makeCliWorld, makePinnedWorld, snapshot } from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

/** Let the log of a world have more entries. */
async function grow(world: CliWorld, count: number): Promise<void> {
  await world.write("../entry", "my-entry/v1\n")
  for (let i = 0; i < count; i++) await world.expect(0, "log", "append", "../entry", "--raw")
}

const bytes = (world: CliWorld) => readFile(world.lockfile, "utf8")

test("pins are proven under the newest head; no server is started, nothing that is pinned changes", async () => {
  const { world, server } = await makePinnedWorld()
  const [before, starts] = [await world.readLock(), server.starts().length]
  await grow(world, 3)
  const { stdout } = await world.expect(0, "update", "--proofs")
  expect(stdout).toMatch(/^toolsum\.local\/\S+: notes proven under its head of size 5\n$/)
  const after = await world.readLock()
  const { head, proof, ...pin } = after.servers.notes
  expect(head).toMatch(/^5-/)
  expect({ ...pin, head: before.servers.notes.head, proof: before.servers.notes.proof }).toEqual(before.servers.notes)
  expect(server.starts()).toHaveLength(starts)
  await world.expect(0, "verify")

  const written = await bytes(world)
  expect((await world.expect(0, "update", "notes", "--proofs")).stdout).toContain("nothing newer than size 5")
  expect(await world.expect(0, "update", "--proofs", "--quiet")).toMatchObject({ stdout: "", stderr: "" })
  expect(await bytes(world)).toBe(written)
})

test("the document has a row for each log", async () => {
  const { world } = await makePinnedWorld()
  await grow(world, 1)
  const before = snapshot(world.folder)
  const dry = await world.json("update", "--proofs", "--dry-run")
  expect(dry.document).toMatchObject({ exitCode: 0, servers: [], logs: [{ ok: true, pins: ["notes"], changed: true }] })
  expect(snapshot(world.folder)).toEqual(before)
  const { document } = await world.json("update", "--proofs")
  expect(document).toMatchObject({ command: "update", logs: [{ ok: true, pins: ["notes"], size: "3", changed: true }] })
  validateReport(document)
})

test("a log that cannot be read leaves its pins as they are", async () => {
  const { world } = await makePinnedWorld()
  await rename(join(world.home, "data", "log"), join(world.home, "data", "elsewhere"))
  const before = snapshot(world.folder)
  const { code, document, stderr } = await world.json("update", "--proofs")
  expect({ code, stderr }).toEqual({ code: 2, stderr: "" })
  expect(document.logs).toMatchObject([{ ok: false, pins: ["notes"], error: { code: expect.any(String) } }])
  validateReport(document)
  const outcome = await world.expect(2, "update", "--proofs")
  expect(outcome).toMatchObject({ stdout: "", stderr: expect.stringMatching(/^toolsum\.local\/\S+: [^\n]+\n$/) })
  expect(snapshot(world.folder)).toEqual(before)
})

test("without the log's key it works: reading is enough", async () => {
  const { world } = await makePinnedWorld()
  await grow(world, 1)
  await rm(join(world.home, "config", "keys"), { recursive: true })
  await world.expect(0, "update", "--proofs")
  expect((await world.readLock()).servers.notes.head).toMatch(/^3-/)
  await world.expect(0, "verify")
})

test("what makes no sense is refused in one line", async () => {
  expectOneLine(await (await makeCliWorld()).expect(2, "update", "--proofs"), "NO_PINS")
  const { world, server } = await makePinnedWorld()
  expectOneLine(await world.expect(2, "update", "notes", "--proofs", "--", ...server.launch), "USAGE")
  expectOneLine(await world.expect(2, "update", "nobody", "--proofs"), "NOT_PINNED", "nobody")
})
