// A log that cannot go on, and the one that takes its place.
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parseSuccession } from "../../src/features/ceremony/succession.js"
import { keyFiles, keyFolder, makeCeremonyWorld } from "../fakes/ceremony-world.js"
import { type CliWorld, expectOneLine, report, snapshot } from "../fakes/cli-world.js"

/** A pinned world whose root key is somewhere else, and whose log key too. */
async function makeLostWorld(): Promise<CliWorld> {
  const world = await makeCeremonyWorld({ pinned: true })
  for (const name of keyFiles(world)) renameSync(join(keyFolder(world), name), join(world.folder, "..", "lost.key"))
  copyFileSync(world.lockfile, join(world.folder, "old.json"))
  return world
}

test("a log is not given up while a key can save it", async () => {
  const world = await makeCeremonyWorld({ pinned: true })
  expectOneLine(await world.expect(2, "log", "succeed", "--yes"), "nothing to succeed", "toolsum log rotate")
  const [logKey = ""] = keyFiles(world)
  renameSync(join(keyFolder(world), logKey), join(world.folder, "..", "lost.key"))
  const root = join(keyFolder(world), logKey.replace(".log.", ".root."))
  copyFileSync(join(world.folder, "..", "root.key"), root)
  expectOneLine(await world.expect(2, "log", "succeed", "--yes"), "toolsum log rotate --lost")
  rmSync(root)
  const before = [snapshot(world.home), snapshot(world.folder)]
  const { stdout } = await world.expect(0, "log", "succeed", "--dry-run")
  expect(stdout).toContain("If you have its root key, stop here: toolsum log rotate --lost")
  expectOneLine(await world.expect(2, "log", "succeed"), "give --yes")
  expect(before).toEqual([snapshot(world.home), snapshot(world.folder)])
})

test("pins go over; the old lockfile proves what it proved; an approval goes only where somebody says so", async () => {
  const world = await makeLostWorld()
  const old = (await world.readLock()).servers.notes
  const document = await report(world, "log", "succeed", "--yes")
  expect(document).toMatchObject({ exitCode: 0, pins: [{ name: "notes", ok: true, index: "2", approved: false }] })
  expect((await world.expect(1, "verify")).stdout).toContain("unapproved")
  expect((await world.expect(0, "verify", "--lock", "old.json")).stdout).toContain("PROVEN")

  const lock = await world.readLock()
  expect(Object.keys(lock.logs)).toEqual([document.log.log])
  const [was, is] = [old.record, lock.servers.notes.record].map((text: string) =>
    text.split("\n").filter((line) => !/^(seq|prev) /.test(line)),
  )
  expect(is).toEqual(was)

  // The same again for another lockfile, with the approvals: the successor is there.
  const again = await world.json("log", "succeed", "--lock", "old.json", "--approve", "--reason", "key lost", "--yes")
  expect(again.document).toMatchObject({ log: document.log.rootKey && { log: document.log.log, rootKey: null } })
  expect(again.document.pins).toMatchObject([{ name: "notes", index: "2", approved: true }])
  const moved = JSON.parse(readFileSync(join(world.folder, "old.json"), "utf8")).servers.notes
  expect(moved.approved).toMatchObject({ from: old.approved.pin, reason: "key lost" })
  await world.expect(0, "verify", "--lock", "old.json")
})

test("the new log says where the old one ended, and what is cut off is gone on with", async () => {
  const world = await makeLostWorld()
  const { document } = await world.json("log", "succeed", "--yes")
  const { document: entry } = await world.json("log", "cat", "1")
  const said = parseSuccession(Buffer.from(entry.data, "base64"))
  expect(said).toMatchObject({ root: document.before.root, head: { origin: document.before.log, size: 2n } })
  expect(existsSync(join(document.before.folder, "public", "checkpoint"))).toBe(true)

  // Cut off before the lockfile was written: run again, it finds all of it done but that.
  copyFileSync(join(world.folder, "old.json"), world.lockfile)
  const again = await world.json("log", "succeed", "--approve", "--yes")
  expect(again.document).toMatchObject({ exitCode: 0, log: { log: document.log.log }, pins: [{ approved: true }] })
  await world.expect(0, "verify")
})

test("a pin that does not prove what it says stays, and so does all of a log that is refuted or not pinned", async () => {
  const world = await makeLostWorld()
  const lock = await world.readLock()
  lock.servers.bad = {
    ...lock.servers.notes,
    record: lock.servers.notes.record.replace("observer local", "observer l0cal"),
  }
  await world.write("toolsum.lock.json", JSON.stringify(lock))
  const { code, document } = await world.json("log", "succeed", "--yes")
  expect(code).toBe(3)
  expect(document.pins).toMatchObject([
    { name: "bad", ok: false },
    { name: "notes", ok: true },
  ])
  expect(Object.keys((await world.readLock()).logs)).toHaveLength(2)
  const stranger = {
    ...lock,
    logs: Object.fromEntries(
      Object.entries(lock.logs).map(([name, log]) => [name, { ...(log as object), keyring: [] }]),
    ),
  }
  await world.write("stranger.json", JSON.stringify(stranger))
  expect((await world.run("log", "succeed", "--lock", "stranger.json", "--yes")).code).toBe(2)
  expectOneLine(await world.expect(2, "log", "succeed", "--lock", "nothing.json", "--yes"), "NO_PINS")
})
