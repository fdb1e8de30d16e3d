// `toolsum log hostile` as a person uses it: the list, one lie served until it is told to end, and toolsum itself tried against it.
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { main } from "../../src/cli/main.js"
import { expectOneLine, makeCliWorld } from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

test("lists its lies by kind, and one by one in JSON", async () => {
  const world = await makeCliWorld()
  const { stdout } = await world.expect(0, "log", "hostile")
  expect(stdout).toMatch(/^lie\n {2}oversize-checkpoint +a checkpoint/)
  expect(stdout).toContain("damage on the client's side: never a fork\n  state-zeroed")
  const { document } = await world.json("log", "hostile", "--list")
  validateReport(document)
  expect(document.lies.length).toBeGreaterThan(100)
  expect(Object.keys(document.lies[0]).sort()).toEqual(["from", "kind", "name", "says", "step"])
})

test.each([
  { name: "a lie that nobody knows", argv: ["fork-largest"], says: "no lie is called" },
  {
    name: "an address of other machines",
    argv: ["rollback", "--listen", "0.0.0.0:0"],
    says: "an address of this machine",
  },
  { name: "no port", argv: ["rollback", "--listen", "127.0.0.1"], says: "expected an address and a port" },
])("refuses $name", async ({ argv, says }) => {
  const outcome = await (await makeCliWorld()).expect(2, "log", "hostile", ...argv)
  expectOneLine(outcome, says, "(USAGE)")
})

test("serves one lie with all that a client needs to notice it, and ends when it is told to", async () => {
  const world = await makeCliWorld()
  const out = join(world.folder, "kit")
  const ending = new AbortController()
  const { io, out: said } = world.io({ signal: ending.signal })
  const serving = main(["log", "hostile", "fork-larger", "--out", out], io)
  await expect.poll(() => said.stdout, { timeout: 20_000 }).toContain("Ctrl-C ends it.\n")
  expect(said.stdout).toMatch(
    /^fork-larger: a larger tree .*\n {2}kind {4}lie\n {2}step {4}hold the head to everything seen before/,
  )
  expect(said.stdout).toContain("test keys")
  for (const file of ["root.txt", "log.policy", "early.checkpoint", "seen.checkpoint", "keyring-3"])
    expect(existsSync(join(out, file)), file).toBe(true)
  expect(said.stdout).toContain((await readFile(join(out, "root.txt"), "utf8")).split("=")[1])

  const client = { ...world.io().io, env: { ...world.env, TOOLSUM_HOME: join(out, "home") } }
  let report = ""
  const check = ["check", "--log-only", "--json", "--lock", join(out, "toolsum.lock.json")]
  expect(await main(check, { ...client, stdout: (text) => (report += text) })).toBe(3)
  expect(JSON.parse(report).servers[0]).toMatchObject({ verdict: "REJECTED", reason: "LOG_INCONSISTENT" })

  const again = await world.run("log", "hostile", "truth", "--out", out)
  expectOneLine(again, "a new or an empty folder", "(FILE_EXISTS)")
  ending.abort()
  expect(await serving).toBe(0)
})

test("says in JSON what it serves, and where", async () => {
  const ending = new AbortController()
  const { io, out } = (await makeCliWorld()).io({ signal: ending.signal })
  const serving = main(["log", "hostile", "rollback", "--json"], io)
  await expect.poll(() => out.stdout, { timeout: 20_000 }).toContain("}\n")
  const document = JSON.parse(out.stdout)
  validateReport(document)
  expect(document).toMatchObject({ lie: { name: "rollback", kind: "lie", step: "memory" }, out: null })
  expect(document.url).toMatch(/^http:\/\/127\.0\.0\.1:[0-9]+\//)
  ending.abort()
  expect(await serving).toBe(0)
})
