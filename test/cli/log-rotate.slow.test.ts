// Many changes of keys, as a log has them over the years.
import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import {
  AT_ONCE,
  keyringsOf,
  logKeyIds,
  makeCeremonyWorld,
  newestKeyring,
  rotateOnce,
} from "../fakes/ceremony-world.js"
import { expectOneLine, makeServer } from "../fakes/cli-world.js"

test("nine changes of keys later, everything is proven under the root that was pinned at keyring 1", async () => {
  const world = await makeCeremonyWorld({ pinned: true })
  const root = (await world.json("trust", "list")).document.roots[0].root
  copyFileSync(world.lockfile, join(world.folder, "old.json"))
  for (let i = 0; i < 9; i++) await rotateOnce(world)
  expect(keyringsOf(world)).toHaveLength(19)
  expect(newestKeyring(world).logs).toHaveLength(8)
  expect((await world.expect(0, "verify", "--root", root)).stdout).toContain("notes  PROVEN")

  // The lockfile's head is signed by a key that no keyring has room for any more: said, and renewed.
  const server = makeServer(join(world.folder, "..", "more.json"))
  const early = await world.expect(2, "add", "more", "--", ...server.launch)
  expectOneLine(early, "HEAD_UNPROVEN", "toolsum update --proofs")
  expect((await world.expect(0, "update", "--proofs")).stdout).toContain("notes proven under its head of size 21")
  await world.expect(0, "add", "more", "--", ...server.launch)

  // Somebody else, who knows nothing but the root of keyring 1.
  world.env.TOOLSUM_HOME = `${world.home}-elsewhere`
  for (const lock of ["toolsum.lock.json", "old.json"]) {
    const { stdout } = await world.expect(0, "verify", "--lock", lock, "--root", root, "--no-config")
    expect(stdout).toContain("PROVEN")
  }
  const { document } = await world.json("log", "keyring", "--log", join(world.home, "data", "log"), "--root", root)
  expect(document.logs[0]).toMatchObject({ root: root.split("=").slice(1).join("="), pinned: "flag" })
  expect(document.logs[0].keyrings).toHaveLength(19)
}, 120_000)

test("a lockfile from before a revocation proves what it proved, and more once it has the new keyring", async () => {
  const world = await makeCeremonyWorld({ pinned: true })
  const [id = ""] = logKeyIds(world)
  await world.expect(0, "log", "revoke", id, ...AT_ONCE)
  await world.expect(0, "verify")
  await world.expect(0, "update", "--proofs")
  await world.expect(0, "verify")
  const [log] = Object.values((await world.readLock()).logs) as { keyring: string[] }[]
  expect(log?.keyring).toHaveLength(2)
}, 60_000)

test("a root key behind a passphrase signs, and neither of the two is ever printed", async () => {
  const world = await makeCeremonyWorld()
  world.env.ROOT_PASSPHRASE = "correct horse"
  const made = await world.expect(
    0,
    "log",
    "keyring",
    "new-root",
    "a/b",
    "../b.key",
    "--passphrase-env",
    "ROOT_PASSPHRASE",
  )
  const file = readFileSync(join(world.folder, "..", "b.key"), "utf8")
  await world.expect(0, "log", "keyring", "edit", "--add-root", made.stdout.split("\n")[0] ?? "")
  const sign = ["log", "keyring", "sign", "keyring-2.json", "--root-key", "../b.key", "--yes"]
  const without = await world.expect(2, ...sign)
  expectOneLine(without, "expected a passphrase")
  world.env.WRONG = "wrong horse"
  expectOneLine(await world.expect(2, ...sign, "--passphrase-env", "WRONG"), "does not open this key")
  const signed = await world.expect(0, ...sign, "--passphrase-env", "ROOT_PASSPHRASE")
  expect(signed.stdout).toContain("Pass keyring-2.json on to the next signer")
  const said = [made, without, signed].map(({ stdout, stderr }) => stdout + stderr).join("")
  for (const secret of ["horse", "PRIVATE+KEY", file]) expect(said).not.toContain(secret)
  expect(file).not.toContain("PRIVATE+KEY")
  expectOneLine(await world.expect(2, "log", "keyring", "new-root", "a/b", "../b.key"), "FILE_EXISTS")
}, 60_000)
