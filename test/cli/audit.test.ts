// `toolsum audit` as it is typed: what a person and a program get, exit codes, evidence, what is remembered.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type CliWorld, expectOneLine, makeCliWorld } from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"
import { describeShared, readShared, sharedPath } from "../shared.js"

const logFolder = (world: CliWorld) => join(world.home, "data", "log")

async function withEntries(count: number): Promise<CliWorld> {
  const world = await makeCliWorld()
  await world.expect(0, "init")
  await world.write("entry", "example-note/v1\n")
  for (let i = 0; i < count; i++) await world.expect(0, "log", "append", "entry", "--raw", "--quiet")
  return world
}

test("the personal log: a short report, one document, and nothing with --quiet", async () => {
  const world = await withEntries(2)
  const { stdout } = await world.expect(0, "audit")
  expect(stdout).toMatch(
    /^log {3}toolsum\.local\/[0-9a-f]{32}, at .*\nhead {2}size 3, root [0-9a-f]{16}…, 0 cosignatures\n/,
  )
  expect(stdout).toContain("1 keyring, 2 other entries")
  expect(stdout).toMatch(/every rule that was checked holds\n$/)
  const { document, code } = await world.json("audit")
  validateReport(document)
  expect(code).toBe(0)
  expect(document).toMatchObject({
    command: "audit",
    head: { size: "3" },
    entries: { types: { "example-note/v1": "2" } },
  })
  expect(await world.expect(0, "audit", "--quiet")).toMatchObject({ stdout: "", stderr: "" })
  expect(readdirSync(join(world.home, "state", "audit"))).toEqual([expect.stringMatching(/^[0-9a-f]{40}\.audit$/)])
})

test("by folder, by origin, and by nothing that is a log", async () => {
  const world = await withEntries(1)
  const { origin } = (await world.json("log", "path")).document
  await world.expect(0, "audit", logFolder(world))
  await world.expect(0, "audit", origin)
  expectOneLine(await world.expect(2, "audit", "no-such-log"), "USAGE")
  mkdirSync(join(world.folder, "empty"))
  expectOneLine(await world.expect(2, "audit", "empty"), "RESOURCE_MISSING")
  expectOneLine(await world.expect(2, "audit", "--old", "missing"), "FILE_MISSING")
  expectOneLine(await world.expect(2, "audit", "--since", "7"), "FILE_MISSING")
})

test("a log that was put back is a rollback, and its evidence is kept", async () => {
  const world = await withEntries(1)
  cpSync(logFolder(world), join(world.folder, "backup"), { recursive: true })
  await world.expect(0, "audit")
  await world.expect(0, "log", "append", "entry", "--raw")
  await world.expect(0, "audit")
  const { stdout } = await world.expect(3, "audit", "backup")
  expect(stdout).toMatch(/^VIOLATION {2}size 3: rollback: /m)
  expect(stdout).toMatch(/1 violation\n$/)
  const file = /evidence for others: (.*)$/m.exec(stdout)?.[1] ?? ""
  expect(existsSync(file)).toBe(true)
  const { document } = await world.json("audit", "backup")
  validateReport(document)
  expect(document.findings[0]).toMatchObject({ code: "rollback", kind: "violation", evidence: { file } })
})

test("a changed tile, and a partial one of an earlier head, by their paths", async () => {
  const world = await withEntries(3)
  const tile = join(logFolder(world), "public", "tile", "0", "000.p", "4")
  writeFileSync(tile, readFileSync(tile).fill(0, 0, 32))
  const { stdout } = await world.expect(3, "audit")
  expect(stdout).toContain("VIOLATION  tile/0/000.p/4: hash 0 of level 0 is not that of the entries below it")
  expect(stdout).toContain("VIOLATION  tile/0/000.p/2: does not begin tile/0/000.p/4")
})

test("--old and --since take signed checkpoints, and --old shows a fork", async () => {
  const world = await withEntries(1)
  const checkpoint = () => readFileSync(join(logFolder(world), "public", "checkpoint"))
  await world.write("old", checkpoint())
  await world.expect(0, "log", "append", "entry", "--raw")
  expect((await world.expect(0, "audit", "--old", "old")).stdout).toContain("1 size of earlier heads")
  await world.write("since", checkpoint())
  expect((await world.expect(0, "audit", "--since", "since")).code).toBe(0)
  await world.write("strange", checkpoint().toString().replace("toolsum.local/", "toolsum.local/f"))
  expect((await world.expect(2, "audit", "--old", "strange")).stdout).toContain(
    "NOT READ   strange: no head of this log",
  )
})

describeShared("logs made by Tessera", () => {
  const keys = () => JSON.parse(readShared("interop/vectors/keys.json"))

  test.each(["5", "300", "1000"])("a log of %s entries with its earlier heads", async (size) => {
    const world = await makeCliWorld()
    const folder = sharedPath(`interop/vectors/logs/${size}`)
    const old = readdirSync(join(folder, "checkpoints")).flatMap((name) => ["--old", join(folder, "checkpoints", name)])
    const vkey = keys().log.vkey
    const { document, code } = await world.json("audit", folder, "--vkey", vkey, ...old)
    validateReport(document)
    expect(document.findings.map((finding: { code: string }) => finding.code)).toEqual(["no_witnesses"])
    expect({ code, other: document.entries.other }).toEqual({ code: 0, other: size })
    expect((await world.expect(0, "audit", folder, "--vkey", vkey)).stdout).toContain("not read as one of toolsum")
  })
})

test("a policy beside the keys of a log of another make is never passed over", async () => {
  const world = await withEntries(1)
  const folder = join(logFolder(world), "public")
  const keyOf = (place: string) => / (\S+\+[0-9a-f]{8}\+\S+) from/.exec(readFileSync(place, "utf8"))?.[1] ?? ""
  const own = keyOf(join(folder, "keyring", "1"))
  await world.expect(0, "log", "create", "--log-dir", "other", "--origin", "other.example/tools")
  const other = keyOf(join(world.folder, "other", "public", "keyring", "1"))
  await world.write("own.policy", `log ${own}\nquorum none\n`)
  await world.write("other.policy", `log ${other}\nquorum none\n`)
  for (const option of ["--policy", "--witness-policy"]) {
    await world.expect(0, "audit", folder, "--vkey", own, option, "own.policy")
    const refused = await world.expect(2, "audit", folder, "--vkey", own, option, "other.policy")
    expect(refused.stderr).toContain("HEAD_UNPROVEN")
  }
  const both = ["--policy", "own.policy", "--witness-policy", "other.policy"]
  expect((await world.expect(2, "audit", folder, ...both)).stderr).toContain(
    "expected one of --policy and --witness-policy",
  )
})
