// The user's roots: added, shown, removed, and found again where only the trust store was lost.
import { cp, mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  type CliWorld,
  type Document,
  expectOneLine,
  makeCliWorld,
  makePinnedWorld,
  snapshot,
} from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

const FINGERPRINT = `SHA256:${"A".repeat(43)}`
const OTHER = `SHA256:${"B".repeat(42)}A`

const rootsOf = async (world: CliWorld): Promise<Document[]> => (await world.json("trust", "list")).document.roots

test("adding a root again keeps its place and its floor", async () => {
  const world = await makeCliWorld()
  await world.expect(
    0,
    "trust",
    "add",
    `log.example=${FINGERPRINT}@2:${"0f".repeat(32)}`,
    "--log",
    "https://log.example/",
  )
  expect((await world.expect(0, "trust", "add", `log.example=${FINGERPRINT}`)).stdout).toContain("was trusted before")
  expect(await rootsOf(world)).toMatchObject([
    { root: `log.example=${FINGERPRINT}@2:${"0f".repeat(32)}`, log: "https://log.example/" },
  ])
})

test("roots are removed by name, by fingerprint or by both", async () => {
  const world = await makeCliWorld()
  for (const root of [`a.example=${FINGERPRINT}`, `b.example=${FINGERPRINT}`, `c.example=${OTHER}`, OTHER])
    await world.expect(0, "trust", "add", root)
  const { document } = await world.json("trust", "remove", "c.example")
  validateReport(document)
  expect(document.roots).toMatchObject([{ root: `c.example=${OTHER}` }])
  expectOneLine(await world.expect(2, "trust", "remove", "c.example"), "USAGE")
  expectOneLine(await world.expect(2, "trust", "remove", `c.example=${FINGERPRINT}`), "USAGE")
  await world.expect(0, "trust", "remove", `b.example=${FINGERPRINT}`)
  await world.expect(0, "trust", "remove", OTHER)
  const left = await rootsOf(world)
  expect(left).toMatchObject([{ root: `a.example=${FINGERPRINT}` }])
  expect((await world.expect(0, "trust", "remove", FINGERPRINT)).stdout).toBe(
    `a.example=${FINGERPRINT} is not trusted any more\n`,
  )
  expect(await rootsOf(world)).toEqual([])
})

describe("init with a log and without its root in the trust store", () => {
  test("trusts it again and says so", async () => {
    const { world } = await makePinnedWorld()
    const before = await rootsOf(world)
    await rm(join(world.home, "config", "trust.json"))
    await world.expect(2, "verify")
    const { document } = await world.json("init", "--dry-run")
    validateReport(document)
    expect(document).toMatchObject({ created: false, trusted: true, dryRun: true })
    expect(await rootsOf(world)).toEqual([])
    expect((await world.expect(0, "init")).stdout).toContain("is trusted again")
    expect(await rootsOf(world)).toMatchObject([{ root: before[0].root, log: before[0].log }])
    await world.expect(0, "verify")
    expect((await world.json("init")).document).toMatchObject({ created: false, trusted: false })
  })

  test("not where the key is not here, and not where it is another log's", async () => {
    const { world } = await makePinnedWorld()
    const log = join(world.home, "data", "log")
    await cp(log, join(world.folder, "..", "copy"), { recursive: true })
    const stranger = await makeCliWorld()
    const [root] = await rootsOf(world)
    const name = root.root.split("=")[0]
    expect((await stranger.json("init", "--log-dir", log)).document.trusted).toBe(false)
    // Somebody makes another log of that name; this user's key does not sign for it.
    await stranger.expect(0, "init", "--log-dir", "../team", "--origin", name)
    await rm(join(world.home, "config", "trust.json"))
    const other = join(stranger.folder, "..", "team")
    expect((await world.json("init", "--log-dir", other)).document.trusted).toBe(false)
    expect(await rootsOf(world)).toEqual([])
  })
})

describe("--dry-run writes nothing and says what would be done", () => {
  /** Run with --dry-run and hold it to a disk as it was. */
  async function dryRun(world: CliWorld, ...argv: readonly string[]): Promise<{ stdout: string; document: Document }> {
    const before = [snapshot(world.folder), snapshot(world.home)]
    const { stdout } = await world.expect(0, ...argv, "--dry-run")
    const { code, document } = await world.json(...argv, "--dry-run")
    validateReport(document)
    expect([code, document.dryRun]).toEqual([0, true])
    expect([snapshot(world.folder), snapshot(world.home)]).toEqual(before)
    return { stdout, document }
  }

  test("trust add and trust remove", async () => {
    const world = await makeCliWorld()
    expect((await dryRun(world, "trust", "add", FINGERPRINT)).document.added).toBe(true)
    await world.expect(0, "trust", "add", FINGERPRINT)
    expect((await dryRun(world, "trust", "add", FINGERPRINT)).document.added).toBe(false)
    expect((await dryRun(world, "trust", "remove", FINGERPRINT)).stdout).toContain("would not be trusted")
  })

  test("init, by any name and place", async () => {
    const world = await makeCliWorld()
    expect((await dryRun(world, "init")).stdout).toContain("Would create a log in")
    const { document } = await dryRun(world, "log", "create", "--origin", "log.example", "--log-dir", "../team")
    expect(document).toMatchObject({ created: true, origin: "log.example", root: null })
    expectOneLine(await world.expect(2, "init", "--origin", "a b", "--dry-run"), "KEY_MALFORMED")
    world.env.CI = "1"
    expectOneLine(await world.expect(2, "init", "--dry-run"), "CI is set")
  })

  test("approve, remove, rename", async () => {
    const { world } = await makePinnedWorld()
    const now = (await world.json("show")).document.servers[0].pin
    const unapproved = await world.readLock()
    unapproved.servers.notes.approved = null
    await writeFile(world.lockfile, JSON.stringify(unapproved))
    const other = `sha256:${"0".repeat(64)}`
    expectOneLine(await world.expect(2, "approve", "notes", "--to", other, "--dry-run"), "USAGE")
    const { stdout, document } = await dryRun(world, "approve", "notes", "--to", now)
    expect([stdout, document.changed]).toEqual([`notes would be approved at ${now}\n`, true])
    expect((await dryRun(world, "remove", "notes")).stdout).toBe("notes would be removed\n")
    expectOneLine(await world.expect(2, "remove", "other", "--dry-run"), "NOT_PINNED")
    expectOneLine(await world.expect(2, "rename", "notes", "Bad Name", "--dry-run"), "USAGE")
    const lock = await world.readLock()
    Object.assign(lock.servers, { again: lock.servers.notes })
    await mkdir(join(world.folder, "sub"))
    await writeFile(join(world.folder, "sub", "lock.json"), JSON.stringify(lock))
    const renamed = await dryRun(world, "rename", "again", "third", "--lock", "sub/lock.json")
    expect(renamed.stdout).toBe("again would be third\n")
  })
})
