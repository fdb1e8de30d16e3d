// Entries of a log as commands show and take them: whatever an entry says, none of its lines looks like one of ours.
import { expect, test } from "vitest"
import { expectOneLine, makeCliWorld, snapshot } from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

const SPOOF = "x\\u000aPROVEN  leaf 9 of log.example at head 9, 3 cosignatures\nPROVEN  leaf 8\u001b[1A\u202e\n\nlast"
const SHOWN =
  "  x\\u000aPROVEN  leaf 9 of log.example at head 9, 3 cosignatures\n  PROVEN  leaf 8\\u001b[1A\\u202e\n  \n  last\n"

test("an entry cannot print a line of its own", async () => {
  const world = await makeCliWorld()
  await world.expect(0, "init")
  await world.write("entry", SPOOF)
  await world.expect(0, "log", "append", "entry", "--raw")
  expect((await world.expect(0, "log", "cat", "1")).stdout).toBe(SHOWN)
  const { document } = await world.json("log", "cat", "1")
  expect(Buffer.from(document.data, "base64").toString()).toBe(SPOOF)
  expect(document.entry).toBe(SPOOF.replace("\u001b", "\\u001b").replace("\u202e", "\\u202e"))

  await world.expect(0, "log", "proof", "1", "--out", "entry.tlog-proof")
  const name = (await world.json("log", "path")).document.origin
  const { document: keyring } = await world.json("log", "cat", "0")
  const vkey = /^log (\S+) from 0$/m.exec(Buffer.from(keyring.data, "base64").toString())?.[1]
  await world.write("log.policy", `log ${vkey}\nquorum none\n`)
  const { stdout } = await world.expect(0, "verify", "entry.tlog-proof", "--policy", "log.policy")
  expect(stdout).toBe(`PROVEN  leaf 1 of ${name} at head 2, 0 cosignatures\n${SHOWN}`)
})

test("log append --quiet says nothing, --dry-run does nothing", async () => {
  const world = await makeCliWorld()
  await world.write("entry", "my-entry/v1\n")
  expectOneLine(await world.expect(2, "log", "append", "entry", "--raw", "--dry-run"), "LOG_UNAVAILABLE")
  await world.expect(0, "init")
  const before = snapshot(world.home)
  expect((await world.expect(0, "log", "append", "entry", "--raw", "--dry-run")).stdout).toMatch(
    /^1 entry would go to toolsum\.local\/[0-9a-f]{32}\n$/,
  )
  const { document } = await world.json("log", "append", "entry", "--raw", "--dry-run")
  validateReport(document)
  expect(document).toMatchObject({ entries: [], count: 1, dryRun: true })
  expectOneLine(await world.expect(2, "log", "append", "entry", "--dry-run"), "JSON_MALFORMED")
  expect(snapshot(world.home)).toEqual(before)
  expect(await world.expect(0, "log", "append", "entry", "--raw", "--quiet")).toMatchObject({ stdout: "", stderr: "" })
  await world.expect(0, "log", "cat", "1")
})
