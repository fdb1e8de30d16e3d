// `toolsum audit` of a LEGION log: keyring, heads and anchors; entries are not read, and that is said.
import { beforeEach, expect, test } from "vitest"
import { type CliWorld, expectOneLine, makeCliWorld } from "../fakes/cli-world.js"
import { ROOT, toolOf } from "../fakes/legion-log.js"
import { type LegionServer, serveLegion } from "../fakes/legion-server.js"
import { validateReport } from "../fakes/report-schema.js"

let world: CliWorld
let server: LegionServer

beforeEach(async () => {
  world = await makeCliWorld()
  world.env.TOOLSUM_ROOT = ROOT.pin
  server = await serveLegion(["a", "b", "c"].map((name) => ({ serverId: `io.example/${name}`, tools: [toolOf(name)] })))
  server.serve({ size: 3 })
})

test("says what was checked, and what it does not read", async () => {
  const { stdout } = await world.expect(0, "audit", "--log", server.url)
  expect(stdout).toMatch(/^log {3}\S+, at http.*\nhead {2}size 3, root [0-9a-f]{16}…, by its own clock 20/)
  expect(stdout).toMatch(/\nnot covered: entries: this log serves them one by one; .*\n$/)
  const { document } = await world.json("audit", "--log", server.url)
  validateReport(document)
  expect(document).toMatchObject({ head: { size: "3" }, findings: [], anchors: [] })
})

test("a head that went back is caught, with evidence", async () => {
  await world.expect(0, "audit", "--log", server.url)
  server.serve({ size: 2 })
  expect((await world.expect(3, "audit", "--log", server.url)).stderr).toMatch(/LOG_ROLLBACK|evidence: /)
})

test("an anchor of another head fails", async () => {
  await world.write("head.ots", "no proof at all")
  const { stdout } = await world.expect(3, "audit", "--log", server.url, "--anchors", "head.ots")
  expect(stdout).toMatch(/^ {4}head\.ots: failed: /m)
  const { document } = await world.json("audit", "--log", server.url, "--anchors", "head.ots")
  validateReport(document)
  expect(document.anchors).toMatchObject([{ file: "head.ots", status: "failed" }])
})

test("options of the other dialect are refused, both ways", async () => {
  expectOneLine(await world.expect(2, "audit", "--log", server.url, "--since", "5"), "USAGE")
  await world.expect(0, "init")
  expectOneLine(await world.expect(2, "audit", "--anchors", "head.ots"), "USAGE")
})
