import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { parsePolicy } from "../../src/core/policy.js"
import {
  formatProofFile,
  MAX_EXTRA_BYTES,
  MAX_PROOF_FILE_BYTES,
  MAX_PROOF_HASHES,
  parseProofFile,
  verifyProofFile,
} from "../../src/core/proof-file.js"
import { describeShared, readShared, sharedPath } from "../shared.js"
import {
  arbDecimal,
  arbHash,
  base64,
  bytesOf,
  entry,
  flip,
  head,
  inclusion,
  keyring,
  keyringNote,
  logKey,
  ORIGIN,
  rootOf,
  signer,
  verifier,
} from "./log-fixtures.js"
import { isWanted } from "./open-choices.js"

const log = signer(ORIGIN)
const malformed = expect.objectContaining({ code: "PROOF_MALFORMED" })
const GOOD = formatProofFile({ extra: null, index: 3n, proof: inclusion(3, 7), checkpoint: head(ORIGIN, 7, [log]) })
const WITH_EXTRA = GOOD.replace("index", `extra ${btoa("leaf 3")}\nindex`)
const keys = [verifier(log)]

describe("parseProofFile", () => {
  test("reads extra, index, hashes and the checkpoint verbatim", () => {
    expect(parseProofFile(GOOD)).toEqual({
      extra: null,
      index: 3n,
      proof: inclusion(3, 7),
      checkpoint: head(ORIGIN, 7, [log]),
    })
    expect(parseProofFile(bytesOf(WITH_EXTRA)).extra).toEqual(bytesOf("leaf 3"))
  })

  const hash = btoa("x".repeat(32))
  test.each([
    { name: "another version", edit: (t: string) => t.replace("@v1", "@v2") },
    { name: "a BOM", edit: (t: string) => `\ufeff${t}` },
    { name: "a space after the header", edit: (t: string) => t.replace("@v1", "@v1 ") },
    { name: "a leading newline", edit: (t: string) => `\n${t}` },
    { name: "CR LF", edit: (t: string) => t.replaceAll("\n", "\r\n") },
    { name: "no index", edit: (t: string) => t.replace("index 3\n", "") },
    { name: "two indexes", edit: (t: string) => t.replace("index 3\n", "index 3\nindex 3\n") },
    { name: "an empty index", edit: (t: string) => t.replace("index 3", "index ") },
    { name: "a leading zero", edit: (t: string) => t.replace("index 3", "index 03") },
    { name: "a plus", edit: (t: string) => t.replace("index 3", "index +3") },
    { name: "two spaces", edit: (t: string) => t.replace("index 3", "index  3") },
    { name: "an index above 2^63-1", edit: (t: string) => t.replace("index 3", "index 9223372036854775808") },
    { name: "extra after index", edit: (t: string) => t.replace("index 3\n", "index 3\nextra AAAA\n") },
    { name: "extra twice", edit: (t: string) => t.replace("index 3", "extra AAAA\nextra AAAA\nindex 3") },
    { name: "empty extra", edit: (t: string) => t.replace("index 3", "extra \nindex 3") },
    { name: "extra without padding", edit: (t: string) => t.replace("index 3", "extra AA\nindex 3") },
    { name: "extra that is not canonical", edit: (t: string) => t.replace("index 3", "extra AB==\nindex 3") },
    { name: "extra of the URL alphabet", edit: (t: string) => t.replace("index 3", "extra _-__\nindex 3") },
    { name: "a short hash", edit: (t: string) => t.replace("index 3\n", "index 3\nAAAA\n") },
    { name: "a hash in hex", edit: (t: string) => t.replace("index 3\n", `index 3\n${"00".repeat(32)}\n`) },
    { name: "no empty line", edit: (t: string) => t.replaceAll("\n\n", "\n") },
    {
      name: "64 hashes",
      edit: () => `c2sp.org/tlog-proof@v1\nindex 0\n${`${hash}\n`.repeat(MAX_PROOF_HASHES + 1)}\nx`,
    },
    { name: "too much", edit: (t: string) => t + "x".repeat(MAX_PROOF_FILE_BYTES) },
    { name: "nothing", edit: () => "" },
  ])("refuses $name", ({ edit }) => {
    expect(() => parseProofFile(edit(GOOD))).toThrow(malformed)
    expect(() => verifyProofFile({ file: edit(GOOD), entry: entry(3), origin: ORIGIN, keys })).toThrow(malformed)
  })

  test("format and parse are inverses", () => {
    const arbFile = fc.record({
      extra: fc.option(fc.uint8Array({ minLength: 1, maxLength: 100 })),
      index: arbDecimal,
      proof: fc.array(arbHash, { maxLength: MAX_PROOF_HASHES }),
      checkpoint: fc.string(),
    })
    fc.assert(
      fc.property(arbFile, (file) => {
        const text = formatProofFile(file)
        expect(parseProofFile(text)).toEqual(file)
        expect(formatProofFile(parseProofFile(text))).toBe(text)
      }),
    )
  })

  test("format refuses what has no spelling", () => {
    const file = parseProofFile(GOOD)
    for (const extra of [new Uint8Array(), new Uint8Array(MAX_EXTRA_BYTES + 1)]) {
      expect(() => formatProofFile({ ...file, extra })).toThrow(malformed)
    }
    expect(() => formatProofFile({ ...file, proof: new Array(64).fill(rootOf(1)) })).toThrow(malformed)
  })
})

describe("verifyProofFile", () => {
  const trust = { origin: ORIGIN, keys }

  test("proves the entry that was given, or else the one in extra", () => {
    const proven = {
      origin: ORIGIN,
      entry: entry(3),
      index: 3n,
      head: { size: 7n, rootHash: rootOf(7) },
      cosignatures: [],
    }
    expect(verifyProofFile({ file: GOOD, entry: entry(3), ...trust })).toEqual(proven)
    expect(verifyProofFile({ file: bytesOf(WITH_EXTRA), ...trust })).toEqual(proven)
    expect(
      verifyProofFile({
        file: GOOD,
        entry: entry(3),
        origin: ORIGIN,
        policy: parsePolicy(`log ${verifier(log).vkey}\nquorum none\n`),
      }),
    ).toEqual(proven)
  })

  test("every entry of every size up to 20", () => {
    for (let size = 1; size <= 20; size++) {
      const checkpoint = head(ORIGIN, size, [log])
      for (let i = 0; i < size; i++) {
        const file = formatProofFile({ extra: entry(i), index: BigInt(i), proof: inclusion(i, size), checkpoint })
        expect(verifyProofFile({ file, ...trust }).index).toBe(BigInt(i))
      }
    }
  })

  test.each([
    { name: "another entry", p: { entry: entry(4) }, code: "INCLUSION_INVALID" },
    {
      name: "extra of another entry, none given",
      p: { file: WITH_EXTRA.replace(btoa("leaf 3"), btoa("leaf 4")) },
      code: "INCLUSION_INVALID",
    },
    { name: "no entry at all", p: { file: GOOD }, code: "PROOF_MALFORMED" },
    {
      name: "another index",
      p: { entry: entry(3), file: GOOD.replace("index 3", "index 2") },
      code: "INCLUSION_INVALID",
    },
    {
      name: "an index beyond the tree",
      p: { entry: entry(3), file: GOOD.replace("index 3", "index 11") },
      code: "INCLUSION_INVALID",
    },
    { name: "another origin", p: { entry: entry(3), origin: "log.example/b" }, code: "ORIGIN_MISMATCH" },
    { name: "another key", p: { entry: entry(3), keys: [verifier(signer("x"))] }, code: "SIGNATURE_INVALID" },
    {
      name: "two empty lines",
      p: { entry: entry(3), file: GOOD.replace("\n\n", "\n\n\n") },
      code: "CHECKPOINT_MALFORMED",
    },
    { name: "text after the checkpoint", p: { entry: entry(3), file: `${GOOD}x\n` }, code: "NOTE_MALFORMED" },
  ])("refuses $name", ({ p, code }) => {
    expect(() => verifyProofFile({ file: GOOD, ...trust, ...p })).toThrow(expect.objectContaining({ code }))
  })

  test("under a keyring the key must be allowed to sign that size", () => {
    const old = signer(ORIGIN, "old")
    const closing = { size: 7n, rootHash: rootOf(7) }
    const logs = [logKey(log, { from: 7n }), logKey(old, { closing })]
    const ring = verifyKeyring({ notes: [keyringNote(keyring({ logs }))] })
    const file = (size: number, by: typeof log) =>
      formatProofFile({ extra: entry(3), index: 3n, proof: inclusion(3, size), checkpoint: head(ORIGIN, size, [by]) })
    expect(verifyProofFile({ file: file(7, log), keyring: ring }).head.size).toBe(7n)
    expect(verifyProofFile({ file: file(7, old), keyring: ring }).head.size).toBe(7n)
    const refused = (size: number, by: typeof log, code: string) =>
      expect(() => verifyProofFile({ file: file(size, by), keyring: ring })).toThrow(expect.objectContaining({ code }))
    refused(6, log, "KEY_NOT_VALID_AT_SIZE")
    refused(8, old, "KEY_NOT_VALID_AT_SIZE")
    refused(6, old, "HEAD_UNPROVEN")
  })

  test("one flipped bit is refused", () => {
    const bytes = bytesOf(WITH_EXTRA)
    for (let i = 0; i < bytes.length * 8; i++) {
      const file = flip(bytes, i >> 3, i & 7)
      expect(() => verifyProofFile({ file, ...trust }), `bit ${i}`).toThrow(ToolsumError)
    }
  })

  test("where the entry is given, the extra line proves nothing: it may change as long as it is well formed", () => {
    const bytes = bytesOf(WITH_EXTRA)
    const from = WITH_EXTRA.indexOf("extra ") + 6
    const to = WITH_EXTRA.indexOf("index 3")
    for (let i = 0; i < bytes.length * 8; i++) {
      try {
        const proven = verifyProofFile({ file: flip(bytes, i >> 3, i & 7), entry: entry(3), ...trust })
        expect(i >> 3).toBeGreaterThanOrEqual(from)
        expect(i >> 3).toBeLessThan(to)
        expect(proven.entry).toEqual(entry(3))
      } catch (error) {
        expect(error, `bit ${i}`).toBeInstanceOf(ToolsumError)
      }
    }
  })
})

describeShared("interop vectors", () => {
  const known = JSON.parse(readShared("interop/vectors/keys.json"))
  const cases: { name: string; file: string; entry: string; policy: string; want: string }[] = JSON.parse(
    readShared("interop/vectors/proofs/cases.json"),
  )
  test.each(cases)("$name: $want", ({ file: path, entry: leaf, policy: name, ...c }) => {
    const file = new Uint8Array(readFileSync(sharedPath(`interop/vectors/${path}`)))
    const policy = parsePolicy(readShared(`interop/vectors/policies/${name}.policy`))
    const origin: string = name === "other-log" ? known.other_log.name : known.log.name
    const verify = () => verifyProofFile({ file, entry: base64(leaf), origin, policy })
    if (!isWanted(c)) return void expect(verify).toThrow(ToolsumError)
    expect(verify()).toMatchObject({ origin, entry: base64(leaf) })
    expect(bytesOf(formatProofFile(parseProofFile(file)))).toEqual(file)
  })
})
