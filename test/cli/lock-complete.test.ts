import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { formatObservation, parseRecord } from "../../src/core/record.js"
import {
  type CliWorld,
  type Document,
  expectOneLine,
  makeCliWorld,
  makePinnedWorld,
  snapshot,
} from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

/** A world whose only pin waits for its log, as somebody without the key would have written it. */
async function makeWaitingWorld(): Promise<{ world: CliWorld; record: string }> {
  const { world } = await makePinnedWorld()
  const lock: Document = await world.readLock()
  const pin = lock.servers.notes
  const { record } = pin
  Object.assign(pin, { record: null, index: null, head: null, proof: null })
  pin.observation = formatObservation(parseRecord(record))
  await writeFile(world.lockfile, JSON.stringify(lock))
  return { world, record }
}

test("a waiting pin is completed with the record of its log, and is proven", async () => {
  const { world, record } = await makeWaitingWorld()
  expect((await world.expect(2, "verify")).stdout).toContain("not_logged")
  expect(await world.expect(0, "lock", "complete")).toMatchObject({
    stdout: "notes: was in the log, leaf 1\n",
    stderr: "",
  })
  expect((await world.readLock()).servers.notes).toMatchObject({ record, index: "1" })
  await world.expect(0, "verify")
  const before = snapshot(world.folder)
  expect((await world.expect(0, "lock", "complete")).stdout).toBe("no pin waits for its log\n")
  expect(snapshot(world.folder)).toEqual(before)
})

test("--dry-run says what would be logged, and refuses what would be refused", async () => {
  const { world } = await makeWaitingWorld()
  const before = [snapshot(world.folder), snapshot(join(world.home, "data"))]
  expect(await world.expect(0, "lock", "complete", "--dry-run")).toMatchObject({ stdout: "notes: would be logged\n" })
  const { document } = await world.json("lock", "complete", "--dry-run")
  validateReport(document)
  expect(document).toMatchObject({ dryRun: true, pins: [{ name: "notes", ok: true, index: null }] })
  expect([snapshot(world.folder), snapshot(join(world.home, "data"))]).toEqual(before)
  const lock = await world.readLock()
  lock.servers.notes.tools = {}
  await writeFile(world.lockfile, JSON.stringify(lock))
  expect((await world.expect(3, "lock", "complete", "--dry-run")).stderr).toContain("RECORD_INVALID")
})

test("the document has a row for each pin", async () => {
  const { world } = await makeWaitingWorld()
  const { code, document } = await world.json("lock", "complete", "notes")
  const row = { name: "notes", ok: true, index: "1", appended: false, pin: expect.stringMatching(/^sha256:/) }
  expect({ code, document }).toMatchObject({ code: 0, document: { command: "lock complete", pins: [row] } })
  validateReport(document)
})

test("without the key nothing is written, and the pin is named", async () => {
  const { world } = await makeWaitingWorld()
  await rm(join(world.home, "config", "keys"), { recursive: true })
  const before = snapshot(world.folder)
  const outcome = await world.expect(2, "lock", "complete")
  expect(outcome).toMatchObject({ stdout: "", stderr: expect.stringMatching(/^notes: .*\(LOG_UNAVAILABLE\)\n$/) })
  const { document } = await world.json("lock", "complete")
  expect(document.pins).toMatchObject([{ name: "notes", ok: false, error: { code: "LOG_UNAVAILABLE" } }])
  validateReport(document)
  expect(snapshot(world.folder)).toEqual(before)
})

test("a pin that contradicts its observation is refused with exit code 3", async () => {
  const { world } = await makeWaitingWorld()
  const lock = await world.readLock()
  lock.servers.notes.tools = {}
  await writeFile(world.lockfile, JSON.stringify(lock))
  expect((await world.expect(3, "lock", "complete")).stderr).toContain("RECORD_INVALID")
})

test("without a lockfile, and for an unknown name, one line says so", async () => {
  expectOneLine(await (await makeCliWorld()).expect(2, "lock", "complete"), "FILE_MISSING")
  const { world } = await makeWaitingWorld()
  expectOneLine(await world.expect(2, "lock", "complete", "nobody"), "nobody", "NOT_PINNED")
})
