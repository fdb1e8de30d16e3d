// Go accepts our logs: x/mod note and tlog, transparency-dev/merkle, Tessera's fsck and torchwood read every bundle and tile, recompute the
// root, and check inclusion, and consistency from each checkpoint that was kept.
import { join } from "node:path"
import { expect, test } from "vitest"
import { createDirLog } from "../../src/adapters/log-dir.js"
import { createFsStore } from "../../src/adapters/store-fs.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { sha256 } from "../../src/core/hash.js"
import { formatKeyringText, parseKeyringText } from "../../src/core/keyring-text.js"
import { parseNote, signNote } from "../../src/core/note.js"
import { parsePolicy } from "../../src/core/policy.js"
import { computeSigningKey, computeVerifierKey, ED25519_COSIGNATURE } from "../../src/core/vkey.js"
import { createLog } from "../../src/writer/create.js"
import { verifiersOf } from "../../src/writer/follow.js"
import { type LogWriter, openLog } from "../../src/writer/log.js"
import { makeTempFolder } from "../fakes/temp-folder.js"
import {
  LOG_KEY,
  newLog,
  newLogOptions,
  ORIGIN,
  OTHER_KEY,
  ROOT_KEY,
  rawEntry,
  reopen,
  submission,
} from "../fakes/writer-fixtures.js"
import { describeShared } from "../shared.js"
import { expectWhole, makeFolderLog, writeFile } from "./logs.js"
import { runTool } from "./tools.js"

describeShared("checklog accepts", () => {
  test.each([
    [1, []],
    [2, [1]],
    [255, [1, 2, 3, 100, 254]],
    [256, [128, 255]],
    [257, [255, 256]],
    [300, [2, 3, 5, 255, 256, 257, 299]],
    [1000, [255, 256, 257, 511, 512, 513, 768, 999]],
  ])("a log of %i entries, consistent with earlier checkpoints", async (size, sizes) => {
    const { folder, kept } = await makeFolderLog(size, sizes)
    expect(await expectWhole(folder, { old: kept })).toBe(size)
  })

  test("a log of 70000 entries with three levels of tiles", async () => {
    const { folder, kept } = await makeFolderLog(70_000, [1, 300, 65_535, 65_536, 65_537])
    expect(await expectWhole(folder, { old: kept, sample: 300 })).toBe(70_000)
  })

  test("a log that grew one by one, before and after its partial tiles were collected", async () => {
    const { folder, kept } = await makeFolderLog(
      290,
      Array.from({ length: 289 }, (_, i) => i + 1),
    )
    const old = kept.filter((_, i) => i % 40 === 0 || i > 250)
    await expectWhole(folder, { old })
    const log = await reopen(createFsStore(folder))
    expect(await log.collect()).toBeGreaterThan(400)
    await expectWhole(folder, { old })
    await log.appendEntries([rawEntry(1)])
    expect(await expectWhole(folder, { old })).toBe(291)
  })

  test("empty entries, entries of 65535 bytes, records and objects", async () => {
    const folder = await makeTempFolder()
    const log = await newLog(createFsStore(folder))
    await log.appendEntries([
      new Uint8Array(0),
      new Uint8Array(65_535).fill(255),
      Uint8Array.of(1, ...new Uint8Array(64)),
    ])
    await log.append([submission(["a"]), submission(["b"]), submission(["a"])])
    expect(await expectWhole(folder)).toBe(7)
  })

  test("a log through a change of its keys: each key for the checkpoints that it signed", async () => {
    const folder = await makeTempFolder()
    const store = createFsStore(folder)
    const keep = (name: string, log: LogWriter) => writeFile(join(folder, "kept", name), log.head().checkpoint)
    const [oldVkey = "", newVkey = ""] = verifiersOf([LOG_KEY, OTHER_KEY]).map(({ vkey }) => vkey)
    const first = await newLog(store)
    await first.appendEntries([rawEntry(1), rawEntry(2)])
    const before = keep("before", first)
    const closing = { size: first.head().size, rootHash: first.head().rootHash }
    const keyring = await nextKeyring(folder, closing)
    await first.close()

    const both = await openLog({ store, signers: [LOG_KEY, OTHER_KEY], waitMs: 0 })
    await both.appendKeyring(keyring)
    const during = keep("during", both)
    await expectWhole(folder, { vkey: oldVkey, old: [before] })
    await expectWhole(folder, { vkey: newVkey })
    await both.close()

    const after = await openLog({ store, signers: [OTHER_KEY], waitMs: 0 })
    await after.appendEntries([rawEntry(3)])
    expect(await expectWhole(folder, { vkey: newVkey, old: [during] })).toBe(5)
    expect(runTool("checklog", ["--log", join(folder, "public"), "--vkey", oldVkey]).code).toBe(1)
  })

  test("a cosigned log under its policy", async () => {
    const folder = await makeTempFolder()
    const witnesses = ["a", "b"].map((name) =>
      computeSigningKey({ name: `w-${name}.example`, seed: sha256(encodeUtf8(name)) }),
    )
    const cosign = async ({ checkpoint }: { checkpoint: string }) => {
      const { text } = parseNote(checkpoint)
      return { lines: witnesses.map((key) => formatCosignature({ text, key, timestamp: 1_796_083_200n })), absent: [] }
    }
    const log = await createLog({ ...newLogOptions(createFsStore(folder)), cosign })
    await log.appendEntries([rawEntry(1)])
    const vkeys = witnesses.map(
      ({ name, publicKey }) => computeVerifierKey({ name, publicKey, type: ED25519_COSIGNATURE }).vkey,
    )
    const [vkey = ""] = verifiersOf([LOG_KEY]).map((key) => key.vkey)
    const policy = `log ${vkey}\n${vkeys.map((key, i) => `witness w${i} ${key}\n`).join("")}group both all w0 w1\nquorum both\n`
    expect(parsePolicy(policy).witnesses.size).toBe(2)
    const file = writeFile(join(folder, "policy"), policy)
    expect(runTool("checklog", ["--log", join(folder, "public"), "--vkey", vkey, "--policy", file]).code).toBe(0)
    const third = `${policy.replace(/^group.*\nquorum.*\n/m, "")}witness w2 ${OTHER_WITNESS}\ngroup all-three all w0 w1 w2\nquorum all-three\n`
    const strict = writeFile(join(folder, "strict"), third)
    expect(runTool("checklog", ["--log", join(folder, "public"), "--vkey", vkey, "--policy", strict]).code).toBe(1)
  })

  test("not what was changed: a flipped bit in a tile, a bundle, a checkpoint", async () => {
    for (const path of ["tile/0/000.p/3", "tile/entries/000.p/3", "checkpoint"]) {
      const { folder } = await makeFolderLog(3)
      const bytes = (await createDirLog(folder).read(path, 65_536)) ?? new Uint8Array()
      bytes[60] = (bytes[60] ?? 0) ^ 1
      writeFile(join(folder, "public", path), bytes)
      expect(
        runTool("checklog", ["--log", join(folder, "public"), "--vkey", verifiersOf([LOG_KEY])[0]?.vkey ?? ""]).code,
      ).toBe(1)
    }
  })
})

const OTHER_WITNESS = computeVerifierKey({
  name: "w-c.example",
  publicKey: OTHER_KEY.publicKey,
  type: ED25519_COSIGNATURE,
}).vkey

/** Keyring 2: the old key closes with the tree `closing`, the other one goes on. */
async function nextKeyring(folder: string, closing: { size: bigint; rootHash: Uint8Array }): Promise<string> {
  const { text } = parseNote((await createDirLog(folder).read("keyring/1", 16_384)) ?? "")
  const first = parseKeyringText(text)
  const logs = [
    ...first.logs.map((log) => ({ ...log, closing })),
    ...verifiersOf([OTHER_KEY]).map((key) => ({ key, from: closing.size, closing: null, revoked: false })),
  ]
  expect(first.origin).toBe(ORIGIN)
  return signNote(formatKeyringText({ ...first, version: 2n, prev: sha256(encodeUtf8(text)), logs }), [ROOT_KEY])
}
