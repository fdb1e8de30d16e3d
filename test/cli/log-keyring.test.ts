// Root keys, witnesses, stolen keys, and root keys that misbehave: every rule of the keyring chain as a command meets it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { formatCheckpoint, headKey, parseCheckpoint } from "../../src/core/checkpoint.js"
import { sha256 } from "../../src/core/hash.js"
import { parseKeyring } from "../../src/core/keyring.js"
import { formatKeyringText, type Keyring } from "../../src/core/keyring-text.js"
import { parseNote, signNote } from "../../src/core/note.js"
import { formatKeyId, parseSigningKey, type SigningKey } from "../../src/core/vkey.js"
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
} from "../fakes/ceremony-world.js"
import { type CliWorld, expectOneLine } from "../fakes/cli-world.js"

let world: CliWorld
beforeEach(async () => {
  world = await makeCeremonyWorld()
})

const readKey = (path: string): SigningKey => parseSigningKey(readFileSync(path, "utf8").trimEnd())
const rootKey = (): SigningKey => readKey(join(world.folder, "..", "root.key"))
const serve = (path: string, text: string) => writeFileSync(join(publicFolder(world), path), text)

/** Another root key in `../<name>.key`; its vkey. */
async function newRoot(name: string): Promise<string> {
  const { stdout } = await world.expect(0, "log", "keyring", "new-root", `tools/${name}`, `../${name}.key`, "--quiet")
  return stdout.trimEnd()
}

describe("root keys", () => {
  test("from one to two of three: the old set and the new one both sign, each on its own machine", async () => {
    const [b, c] = [await newRoot("b"), await newRoot("c")]
    const edit = ["log", "keyring", "edit", "--add-root", b, "--add-root", c, "--threshold", "2"]
    expectOneLine(await world.expect(2, ...edit, ...AT_ONCE), "wants 1 more signature by root keys of keyring 2")
    const { stdout } = await world.expect(0, ...edit)
    expect(stdout).toContain("2 of 3 root keys must sign each keyring, before: 1 of 1 root key")
    const sign = (key: string) =>
      world.expect(0, "log", "keyring", "sign", "keyring-2.json", "--root-key", `../${key}.key`, "--yes")
    const first = await sign("c")
    expect(first.stdout).toContain("for the root keys of keyring 1: signed by nobody yet (0 of 1)")
    expect(first.stdout).toContain("Pass keyring-2.json on to the next signer")
    expectOneLine(await world.expect(2, "log", "keyring", "publish", "keyring-2.json"), "wants 1 more signature")
    expect((await sign("root")).stdout).toContain("It has all its signatures")
    await world.expect(0, "log", "keyring", "publish", "keyring-2.json")
    const { roots, rootThreshold } = newestKeyring(world)
    expect([roots.length, rootThreshold]).toEqual([3, 2])

    // From now on the old key alone is not enough, and two of the others are.
    expectOneLine(await world.expect(2, "log", "rotate", ...AT_ONCE), "wants 1 more signature")
    await world.expect(0, "log", "rotate", "--root-key", "../b.key", "--root-key", "../c.key", "--yes")
    const before = (await world.json("trust", "list")).document.roots[0].root
    expect(before).toContain((await world.json("log", "keyring")).document.logs[0].root)
  })

  test("one goes by its key ID; what cannot be is refused", async () => {
    const b = await newRoot("b")
    await world.expect(0, "log", "keyring", "edit", "--add-root", b, ...AT_ONCE)
    const id = formatKeyId(rootKey().id)
    await world.expect(0, "log", "keyring", "edit", "--remove-root", id, ...AT_ONCE, "--root-key", "../b.key")
    expect(newestKeyring(world).roots.map(({ vkey }) => vkey)).toEqual([b])
    const edit = (...argv: string[]) => world.expect(2, "log", "keyring", "edit", ...argv)
    expectOneLine(await edit(), "nothing would change: give --add-root")
    expectOneLine(await edit("--add-root", b), "is a root key already")
    expectOneLine(await edit("--remove-root", "00000000"), "expected the vkey or key ID of one of")
    expectOneLine(await edit("--threshold", "2"), "1 root keys are left, and 2 must sign")
    expectOneLine(await edit("--threshold", "0"), "USAGE")
    expectOneLine(await edit("--expires", "2030-02-30"), "expected YYYY-MM-DD or never")
    expectOneLine(await edit("--expires", "2020-01-01"), "would have expired already")
  })

  test("an expiry is a warning to readers from that day on", async () => {
    await world.expect(0, "log", "keyring", "edit", "--expires", "2027-01-01", ...AT_ONCE)
    expect((await world.expect(0, "log", "keyring")).stdout).not.toContain("warning")
    world.nowSec = Date.parse("2027-01-01T00:00:00Z") / 1000
    expect((await world.expect(0, "log", "keyring")).stdout).toContain("warning: the log's keyring has expired")
    expectOneLine(await world.expect(2, "log", "rotate"), "give --expires")
    await world.expect(0, "log", "rotate", "--expires", "never", ...AT_ONCE)
  })
})

describe("a stolen log key", () => {
  test("the only one: another takes over with the same keyring, and what only the stolen one signed is told", async () => {
    const [id = ""] = logKeyIds(world)
    await grow(world)
    await world.expect(0, "log", "cat", "0")
    const { stdout } = await world.expect(0, "log", "revoke", id, ...AT_ONCE)
    expect(stdout).toContain("it was the only key in use: the new one takes over at once")
    expect(stdout).toContain("size 2, this account's memory: part of this log")
    const floor = /toolsum trust add (\S+@2:[0-9a-f]{64})\n/.exec(stdout)?.[1] ?? ""
    await grow(world)
    await world.expect(0, "log", "cat", "3")

    // The thief goes on with the keyring that everybody knew; the floor refuses it.
    await world.expect(0, "trust", "add", floor)
    await world.expect(0, "log", "cat", "3")
    expectOneLine(await world.expect(2, "log", "revoke", id, ...AT_ONCE), "is revoked already")
  })

  test("its replacement is no key that lay beside it; one that stays in use is told of", async () => {
    const [id = ""] = logKeyIds(world)
    await world.expect(0, "log", "rotate", "--out", "waiting.json")
    const beside = keyFiles(world)
    const { stdout } = await world.expect(0, "log", "revoke", id, ...AT_ONCE)
    expect(stdout).toContain("the new key goes to")
    const fresh = keyFiles(world).filter((name) => !beside.includes(name))
    expect(fresh.map((name) => name.slice(-12, -4))).toEqual(logKeyIds(world).slice(-1))

    await world.expect(0, "log", "rotate", ...AT_ONCE)
    await grow(world)
    const [, second = "", third = ""] = logKeyIds(world)
    const changing = await world.expect(0, "log", "revoke", second, "--dry-run")
    expect(changing.stdout).toContain(`log key ${third} stays in use: if it lay beside the stolen one, revoke it too`)
  })

  test("a head that it signs later is refused; one that the log never had is told of", async () => {
    const [id = ""] = logKeyIds(world)
    const thief = readKey(join(keyFolder(world), keyFiles(world)[0] ?? ""))
    await grow(world)
    const { origin } = newestKeyring(world)
    const forged = { origin, size: 2n, rootHash: sha256(encodeUtf8("forged")), extensions: [] }
    const heads = { [headKey(forged)]: signNote(formatCheckpoint(forged), [thief]) }
    const logs = { [origin]: { dialect: "tlog-tiles", url: null, keyring: keyringsOf(world), heads, links: {} } }
    await world.write("forged.json", JSON.stringify({ format: "toolsum-lock/v1", logs, servers: {}, removed: {} }))
    const dry = await world.expect(0, "log", "revoke", id, "--dry-run", "--lock", "forged.json")
    expect(dry.stdout).toContain("size 2, forged.json: NOT a tree of this log")

    await world.expect(0, "log", "revoke", id, ...AT_ONCE)
    await grow(world)
    const { text } = parseNote(checkpointOf(world))
    serve("checkpoint", signNote(text, [thief]))
    expectOneLine(await world.expect(3, "log", "cat", "0"), "KEY_NOT_VALID_AT_SIZE", "revoked key")
  })

  test("a key that the keyring has not is not revoked", async () => {
    expectOneLine(await world.expect(2, "log", "revoke", "00000000"), "expected the vkey or key ID of one of")
  })
})

describe("root keys that misbehave", () => {
  /** A keyring 2 that the root key signs besides the published one. */
  const signOther = (changes: Partial<Keyring> = {}): string => {
    const { note, ...first } = parseKeyring(keyringsOf(world)[0] ?? "")
    const prev = sha256(encodeUtf8(note.text))
    return signNote(formatKeyringText({ ...first, version: 2n, prev, issued: first.issued + 7n, ...changes }), [
      rootKey(),
    ])
  }

  test("two keyrings of one version are a hard stop, with a file that shows both", async () => {
    await world.expect(0, "log", "keyring", "edit", "--expires", "2030-01-01", ...AT_ONCE)
    const other = signOther()
    const published = keyringsOf(world)[1] ?? ""
    serve("keyring/2", other)
    for (const argv of [["cat", "0"], ["keyring"], ["rotate"]]) {
      const outcome = await world.expect(3, "log", ...argv)
      expectOneLine(outcome, "two keyrings of version 2", "evidence")
    }
    const folder = join(world.home, "state", "evidence")
    const [file = ""] = existsSync(folder) ? readdirSync(folder) : []
    expect(file).toMatch(/-k2-k2\.tlog-fork$/)
    expect(JSON.parse(readFileSync(join(folder, file), "utf8"))).toMatchObject({ a: published, b: other })
    expect((await world.run("verify", join(folder, file))).code).toBe(1)
  })

  test.each([
    { name: "a gap", edit: () => signOther({ version: 3n }), code: 3, says: "KEYRING_INVALID" },
    {
      name: "another predecessor",
      edit: () => signOther({ prev: sha256(encodeUtf8("x")) }),
      code: 3,
      says: "KEYRING_INVALID",
    },
    { name: "more than 16 KiB", edit: () => `${signOther()}— x ${btoa("x".repeat(13_000))}\n`, code: 2, says: "" },
    {
      name: "no signature of its root",
      edit: () => signOther().replace(/\n\n[\s\S]*$/, "\n\n— x AAAAAAAA\n"),
      code: 3,
      says: "SIGNATURE_INVALID",
    },
  ])("a served keyring with $name is refused", async ({ edit, code, says }) => {
    serve("keyring/2", edit())
    for (const argv of [["cat", "0"], ["keyring"]]) expectOneLine(await world.expect(code, "log", ...argv), says)
  })
})

describe("witnesses", () => {
  const W = (n: number) => `witness w${n} ${WITNESSES[n - 1]}`
  const WITNESSES = ["witness.example.net+fd34e10c+BBIxkVHpjRp+xtHU4pxjWW9N1oVCnZu6PT2rnLBJRkUG"]

  test("a policy is shown with what its quorum survives", async () => {
    await world.write("one.policy", `${W(1)}\nquorum w1\n`)
    const { stdout } = await world.expect(0, "log", "policy", "one.policy", "--dry-run")
    expect(stdout).toContain("each checkpoint must be cosigned by the witness w1")
    expect(stdout).toContain("tolerates 0 dishonest witnesses")
    expect(stdout).toContain("no URL, so never asked: w1")
    await world.write("bad.policy", "quorum w1\n")
    expectOneLine(await world.expect(2, "log", "policy", "bad.policy"), "POLICY_MALFORMED")
    expectOneLine(await world.expect(2, "log", "policy", "nothing"), "FILE_MISSING")
  })

  test("a keyring whose quorum cannot be met is not published", async () => {
    await world.write("one.policy", `${W(1)}\nquorum w1\n`)
    const before = [keyringsOf(world), checkpointOf(world)]
    const outcome = await world.run("log", "policy", "one.policy", ...AT_ONCE)
    expect(outcome.code).toBe(2)
    expectOneLine(outcome)
    expect([keyringsOf(world), checkpointOf(world)]).toEqual(before)
    await grow(world)
    expect(parseCheckpoint(parseNote(checkpointOf(world)).text).size).toBe(2n)
  })
})
