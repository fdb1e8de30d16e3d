// Key ceremonies end to end: what the owner of a log types, what lies on disk afterwards, and what anybody who pinned the root proves.
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { createFsStore } from "../../src/adapters/store-fs.js"
import { ToolsumError } from "../../src/core/errors.js"
import { parseNote, signNote } from "../../src/core/note.js"
import { parseSigningKey } from "../../src/core/vkey.js"
import { checkDraft, finishDraft, parseDraft } from "../../src/features/ceremony/draft.js"
import { openLog } from "../../src/writer/log.js"
import {
  AT_ONCE,
  checkpointOf,
  grow,
  keyFiles,
  keyFolder,
  keyringsOf,
  logKeyIds,
  makeCeremonyWorld,
  newestKeyring,
  publicFolder,
  rotateOnce,
  signatureCount,
} from "../fakes/ceremony-world.js"
import { type CliWorld, expectOneLine, report, snapshot } from "../fakes/cli-world.js"

let world: CliWorld
beforeEach(async () => {
  world = await makeCeremonyWorld()
})

test("with the root key elsewhere: a draft, a signature, a publication", async () => {
  const { stdout } = await world.expect(0, "log", "rotate")
  expect(stdout).toContain("is new: it signs from size 3")
  expect(stdout).toContain("toolsum log keyring sign keyring-2.json --root-key FILE")
  expect(keyringsOf(world)).toHaveLength(1)
  const [fresh = ""] = keyFiles(world).filter((name) => /\.log-[0-9a-f]{8}\.key$/.test(name))
  expect(statSync(join(keyFolder(world), fresh)).mode & 0o777).toBe(0o600)

  // Another account, without log and without network: the draft alone says what is signed, and for which root.
  const log = world.home
  world.env.TOOLSUM_HOME = `${world.home}-offline`
  const shown = await world.expect(0, "log", "keyring", "sign", "keyring-2.json", "--dry-run")
  expect(shown.stdout).toContain("compare that root with the one you know")
  expect(shown.stdout).toContain("signed by nobody yet (0 of 1)")
  world.ask = () => "yes"
  const signed = await world.expect(0, "log", "keyring", "sign", "keyring-2.json", "--root-key", "../root.key")
  expect(world.questions).toEqual([expect.stringContaining("Sign keyring 2 with ")])
  expect(signed.stdout).toContain("It has all its signatures.")
  expect(signed.stdout).toContain("Sign no other keyring 2 of this log, ever")

  world.env.TOOLSUM_HOME = log
  const published = await world.expect(0, "log", "keyring", "publish", "keyring-2.json")
  expect(published.stdout).toContain("keyring 2 is published as leaf 1; the log has 2 entries")
  expect(published.stdout).toContain("toolsum log rotate --finish")
  expect(keyringsOf(world)).toHaveLength(2)
  const again = await world.expect(0, "log", "keyring", "publish", "keyring-2.json")
  expect(again.stdout).toContain("keyring 2 was published before; the log has 2 entries")
})

test("the new key signs from its size on, both during the change, one after it", async () => {
  const [old = ""] = logKeyIds(world)
  await world.expect(0, "log", "rotate", "--from", "+3", ...AT_ONCE)
  expect(signatureCount(world)).toBe(1)
  await grow(world)
  expect(signatureCount(world)).toBe(1)
  await grow(world)
  expect(signatureCount(world)).toBe(2)
  const { stdout } = await world.expect(0, "log", "rotate", "--finish", ...AT_ONCE)
  expect(stdout).toContain(`log key ${old} is closed at size 4`)
  expect(stdout).toMatch(/The closed key signs nothing any more\. Its file can be deleted: \S+\.log\.key\n/)
  await grow(world)
  expect(signatureCount(world)).toBe(1)
  rmSync(join(keyFolder(world), keyFiles(world).find((name) => name.endsWith(".log.key")) ?? ""))
  await grow(world)
  await world.expect(0, "log", "keyring")
  expect(newestKeyring(world).logs.find(({ closing }) => closing !== null)?.closing?.size).toBe(4n)
})

test("a ceremony that was cut off before its keyring was signed takes up the key that it made", async () => {
  await world.expect(0, "log", "rotate", "--out", "one.json")
  const files = keyFiles(world)
  const { stdout } = await world.expect(0, "log", "rotate", ...AT_ONCE)
  expect(stdout).toContain("which no keyring has yet")
  expect(keyFiles(world)).toEqual(files)
  const other = await world.expect(2, "log", "keyring", "publish", "one.json")
  expectOneLine(other, "wants 1 more signature")
  expectOneLine(
    await world.expect(2, "log", "rotate", ...AT_ONCE),
    "a change of keys is under way",
    "toolsum log rotate --finish",
  )
})

/** Publish the signed draft keyring-2.json and die once that is committed, before anything of it is public. */
async function publishCutOff(): Promise<void> {
  const draft = checkDraft(parseDraft(readFileSync(join(world.folder, "keyring-2.json"))))
  const store = createFsStore(join(world.home, "data", "log"))
  const cutOff: typeof store = {
    ...store,
    create: async (key, bytes) => {
      if (key.startsWith("public/")) throw new ToolsumError("IO_FAILED", "cut off")
      return store.create(key, bytes)
    },
  }
  const signers = keyFiles(world).map((name) =>
    parseSigningKey(readFileSync(join(keyFolder(world), name), "utf8").trimEnd()),
  )
  const log = await openLog({ store: cutOff, signers, waitMs: 0 })
  await expect(log.appendKeyring(finishDraft(draft))).rejects.toMatchObject({ code: "IO_FAILED" })
  expect(keyringsOf(world)).toHaveLength(1)
}

describe("a publication that was cut off after its commit", () => {
  const FINISHED = "note: finished what was cut off before: keyring 2, 2 entries"
  beforeEach(async () => {
    await world.expect(0, "log", "rotate")
    await world.expect(0, "log", "keyring", "sign", "keyring-2.json", "--root-key", "../root.key", "--yes")
    await publishCutOff()
  })

  test("is finished by running it again", async () => {
    const { stdout, stderr } = await world.expect(0, "log", "keyring", "publish", "keyring-2.json")
    expect(stderr).toContain(FINISHED)
    expect(stdout).toContain("keyring 2 was published before; the log has 2 entries")
    expect(keyringsOf(world)).toHaveLength(2)
    await world.expect(0, "log", "cat", "1")
  })

  test("is finished before another ceremony plans: nothing is taken for a second keyring of that version", async () => {
    const dry = await world.expect(0, "log", "rotate", "--dry-run")
    expect(dry.stderr).toBe("")
    expect(keyringsOf(world)).toHaveLength(1)
    const again = await world.expect(2, "log", "rotate", ...AT_ONCE)
    expect(again.stderr).toContain(FINISHED)
    expect(again.stderr).toContain("a change of keys is under way")
    expect(keyringsOf(world)).toHaveLength(2)
    const { stdout } = await world.expect(0, "log", "rotate", "--finish", ...AT_ONCE)
    expect(stdout).toContain("keyring 3 is published as leaf 2")
  })

  test("does not keep a draft from being made where it cannot be finished", async () => {
    for (const name of keyFiles(world)) renameSync(join(keyFolder(world), name), join(world.folder, name))
    const { stdout } = await world.expect(0, "log", "rotate", "--lost", "--out", "lost.json")
    expect(stdout).toContain("is closed at size 1")
    expect(keyringsOf(world)).toHaveLength(1)
  })
})

test("a draft that came too late is refused: two keyrings of one version would show as a fork", async () => {
  await world.expect(0, "log", "rotate")
  await world.expect(0, "log", "keyring", "sign", "keyring-2.json", "--root-key", "../root.key", "--yes")
  await world.expect(0, "log", "keyring", "edit", "--expires", "2030-01-01", ...AT_ONCE)
  const before = keyringsOf(world)
  expectOneLine(await world.expect(2, "log", "keyring", "publish", "keyring-2.json"), "another keyring 2 is published")
  expect(keyringsOf(world)).toEqual(before)
})

test("a signed draft is not written over", async () => {
  await world.expect(0, "log", "rotate")
  await world.expect(0, "log", "rotate")
  await world.expect(0, "log", "keyring", "sign", "keyring-2.json", "--root-key", "../root.key", "--yes")
  const signed = readFileSync(join(world.folder, "keyring-2.json"), "utf8")
  expectOneLine(await world.expect(2, "log", "rotate"), "FILE_EXISTS")
  expect(readFileSync(join(world.folder, "keyring-2.json"), "utf8")).toBe(signed)
  const again = await world.expect(0, "log", "keyring", "sign", "keyring-2.json", "--root-key", "../root.key", "--yes")
  expect(again.stdout).toContain("that key has signed before")
  expect(readFileSync(join(world.folder, "keyring-2.json"), "utf8")).toBe(signed)
})

test("--dry-run writes nothing, and no answer but yes signs", async () => {
  await world.expect(0, "log", "keyring") // now the log is remembered
  const before = [snapshot(world.home), snapshot(world.folder)]
  for (const argv of [["rotate"], ["rotate", "--lost"], ["keyring", "edit", "--expires", "never"]])
    await world.run("log", ...argv, "--dry-run")
  await world.expect(0, "log", "rotate", "--dry-run", ...AT_ONCE)
  expectOneLine(await world.expect(2, "log", "rotate", "--root-key", "../root.key"), "give --yes")
  world.ask = () => "y"
  expectOneLine(await world.expect(2, "log", "rotate", "--root-key", "../root.key"), "not signed, nothing was written")
  expect([snapshot(world.home), snapshot(world.folder)]).toEqual(before)
})

test("a key that is no root key of the log signs nothing", async () => {
  await world.expect(0, "log", "rotate")
  await world.expect(0, "log", "keyring", "new-root", "somebody/else", "../else.key")
  const outcome = await world.expect(
    2,
    "log",
    "keyring",
    "sign",
    "keyring-2.json",
    "--root-key",
    "../else.key",
    "--yes",
  )
  expectOneLine(outcome, "is a root key neither of keyring 1 nor of keyring 2")
})

describe("a lost log key", () => {
  beforeEach(() => {
    renameSync(join(keyFolder(world), keyFiles(world)[0] ?? ""), join(world.folder, "gone"))
  })

  test("is said, with what puts another in its place", async () => {
    expectOneLine(await world.expect(2, "log", "rotate", ...AT_ONCE), "FILE_MISSING", "toolsum log rotate --lost")
  })

  test("is closed at the tree as it is; a new key goes on", async () => {
    const { stdout } = await world.expect(0, "log", "rotate", "--lost", ...AT_ONCE)
    expect(stdout).toContain("is closed at size 1")
    expect(
      newestKeyring(world)
        .logs.map(({ from, closing }) => [from, closing?.size])
        .sort(),
    ).toEqual([
      [0n, 1n],
      [2n, undefined],
    ])
    await grow(world)
    await world.expect(0, "log", "cat", "2")
    expect(signatureCount(world)).toBe(1)
  })

  test("is not taken for lost while it is here", async () => {
    renameSync(join(world.folder, "gone"), join(keyFolder(world), keyFiles(world)[0] ?? "x.log.key"))
    const here = await makeCeremonyWorld()
    expectOneLine(await here.expect(2, "log", "rotate", "--lost", ...AT_ONCE), "nothing is lost")
  })
})

test("what a closed key signs later is refused", async () => {
  const [first = ""] = keyFiles(world)
  const stolen = parseSigningKey(readFileSync(join(keyFolder(world), first), "utf8").trimEnd())
  await rotateOnce(world)
  await grow(world)
  const { text } = parseNote(checkpointOf(world))
  writeFileSync(join(publicFolder(world), "checkpoint"), signNote(text, [stolen]))
  expectOneLine(await world.expect(3, "log", "cat", "0"), "KEY_NOT_VALID_AT_SIZE")
})

test("each step has its document", async () => {
  const dry = await report(world, "log", "rotate", "--dry-run")
  expect(dry).toMatchObject({ keyring: "2", draft: null, published: null, dryRun: true })
  expect(await report(world, "log", "rotate")).toMatchObject({ draft: "keyring-2.json", published: null })
  const signed = await report(world, "log", "keyring", "sign", "keyring-2.json", "--root-key", "../root.key", "--yes")
  expect(signed).toMatchObject({ complete: true, signatures: [{ keyring: "1" }, { keyring: "2" }] })
  const published = await report(world, "log", "keyring", "publish", "keyring-2.json")
  expect(published).toMatchObject({ keyring: "2", published: { index: "1", size: "2", before: false } })
  const shown = await report(world, "log", "keyring")
  expect(shown.logs[0].keyrings.map((one: { keyring: string }) => one.keyring)).toEqual(["2", "1"])
  await report(world, "log", "rotate", "--finish", ...AT_ONCE)
  await report(world, "log", "keyring", "new-root", "a/root", "../another.key")
  expect((await report(world, "log", "keyring", "1")).logs[0].keyrings).toHaveLength(1)
})
