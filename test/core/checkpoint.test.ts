import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatCheckpoint, headKey, isOrigin, parseCheckpoint, verifyCheckpoint } from "../../src/core/checkpoint.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { ToolsumError } from "../../src/core/errors.js"
import { EMPTY_ROOT } from "../../src/core/hash.js"
import { addSignatures, formatNote, parseNote, signNote } from "../../src/core/note.js"
import { parsePolicy } from "../../src/core/policy.js"
import { describeShared, readShared } from "../shared.js"
import { arbDecimal, arbHash, bytesOf, flip, head, ORIGIN, rootOf, signer, verifier, witness } from "./log-fixtures.js"

const GOOD = "log.example/a\n42\nSKSXZNq4eCmJGTiCDrV0htPCky/g7CDUWmf85BilBjE=\n"
const malformed = expect.objectContaining({ code: "CHECKPOINT_MALFORMED" })

test("a checkpoint has origin, size and root; extension lines are kept and mean nothing", () => {
  expect(parseCheckpoint(GOOD)).toMatchObject({ origin: ORIGIN, size: 42n, extensions: [] })
  expect(headKey(parseCheckpoint(GOOD))).toBe("42-48a49764dab87829")
  expect(parseCheckpoint(`${GOOD}ext 1\next 2\n`).extensions).toEqual(["ext 1", "ext 2"])
})

test.each([
  { name: "leading zero in size", edit: (t: string) => t.replace("\n42\n", "\n042\n") },
  { name: "plus before size", edit: (t: string) => t.replace("\n42\n", "\n+42\n") },
  { name: "hexadecimal size", edit: (t: string) => t.replace("\n42\n", "\n0x2a\n") },
  { name: "spaces around size", edit: (t: string) => t.replace("\n42\n", "\n 42 \n") },
  { name: "empty size", edit: (t: string) => t.replace("\n42\n", "\n\n") },
  { name: "size above 2^63-1", edit: (t: string) => t.replace("\n42\n", "\n9223372036854775808\n") },
  { name: "no final newline", edit: (t: string) => t.slice(0, -1) },
  { name: "no root", edit: (t: string) => t.split("\n").slice(0, 2).join("\n").concat("\n") },
  { name: "short root", edit: (t: string) => t.replace(/\n[^\n]+\n$/, "\nAAAA\n") },
  { name: "root without padding", edit: (t: string) => t.replace("=\n", "\n") },
  { name: "root with stray bits", edit: (t: string) => t.replace("jE=", "jF=") },
  { name: "empty extension line", edit: (t: string) => `${t}\nx\n` },
  { name: "empty origin", edit: (t: string) => t.replace(ORIGIN, "") },
  { name: "origin of 256 bytes", edit: (t: string) => t.replace(ORIGIN, "é".repeat(128)) },
  { name: "carriage returns", edit: (t: string) => t.replaceAll("\n", "\r\n") },
  { name: "tab in an extension line", edit: (t: string) => `${t}a\tb\n` },
  { name: "swapped lines", edit: (t: string) => t.replace(/\n(42)\n(.*)\n/, "\n$2\n$1\n") },
])("parseCheckpoint refuses $name", ({ edit }) => {
  expect(() => parseCheckpoint(edit(GOOD))).toThrow(malformed)
})

test("an origin has 1 to 255 bytes; spaces are legal, as in the Go database", () => {
  expect(isOrigin("go.sum database tree")).toBe(true)
  expect(isOrigin("x".repeat(255))).toBe(true)
  for (const line of ["", "x".repeat(256), "é".repeat(128), "a\nb", "a\tb", "a\x7f"]) expect(isOrigin(line)).toBe(false)
})

test("size 0 has the empty root", () => {
  const empty = { origin: ORIGIN, size: 0n, rootHash: EMPTY_ROOT, extensions: [] }
  expect(parseCheckpoint(formatCheckpoint(empty))).toEqual(empty)
  expect(() => parseCheckpoint(GOOD.replace("42", "0"))).toThrow(
    expect.objectContaining({ code: "HASH_MISMATCH", kind: "rejected" }),
  )
})

test.each([
  { name: "a newline in the origin", edit: { origin: "a\nb" } },
  { name: "a newline in an extension", edit: { extensions: ["a\nb"] } },
  { name: "an empty extension", edit: { extensions: [""] } },
  { name: "a negative size", edit: { size: -1n } },
  { name: "a short root", edit: { rootHash: new Uint8Array(31) } },
])("formatCheckpoint refuses $name", ({ edit }) => {
  expect(() => formatCheckpoint({ ...parseCheckpoint(GOOD), ...edit })).toThrow(malformed)
})

const arbLine = fc.string({ unit: "binary", maxLength: 40 }).map((line) => `x${line.replace(/[\0-\x1f]/g, "")}`)
const arbCheckpoint = fc.record({
  origin: arbLine,
  size: arbDecimal.filter((size) => size > 0n),
  rootHash: arbHash,
  extensions: fc.array(arbLine, { maxLength: 3 }),
})

test("format and parse are inverses", () =>
  fc.assert(
    fc.property(arbCheckpoint, (checkpoint) => {
      const text = formatCheckpoint(checkpoint)
      expect(parseCheckpoint(text)).toEqual(checkpoint)
      expect(formatCheckpoint(parseCheckpoint(text))).toBe(text)
    }),
  ))

describe("verifyCheckpoint", () => {
  const log = signer(ORIGIN)
  const [w1, w2, w3] = [signer("w1.example"), signer("w2.example"), signer("w3.example")] as const
  const witnesses = [w1, w2, w3].map((key, i) => `witness w${i + 1} ${witness(key).vkey}\n`).join("")
  const policy = parsePolicy(`log ${verifier(log).vkey}\n${witnesses}group g 2 w1 w2 w3\nquorum g\n`)
  const note = head(ORIGIN, 5, [log])
  const cosigned = (...by: (readonly [typeof w1, bigint])[]) => {
    const parsed = parseNote(note)
    const lines = by.map(([key, timestamp]) => formatCosignature({ text: parsed.text, key, timestamp }))
    return formatNote(addSignatures(parsed, lines))
  }

  test("under keys alone", () => {
    const verified = verifyCheckpoint({ note, origin: ORIGIN, keys: [verifier(log), verifier(signer(ORIGIN, "next"))] })
    expect(verified).toMatchObject({
      checkpoint: { size: 5n, rootHash: rootOf(5) },
      logKeys: [verifier(log)],
      counted: [],
    })
    expect(verifyCheckpoint({ note: bytesOf(note), origin: ORIGIN, keys: [verifier(log)] }).logKeys).toHaveLength(1)
  })

  test("under a policy, which brings the log's keys", () => {
    expect(verifyCheckpoint({ note: cosigned([w1, 7n], [w3, 9n]), origin: ORIGIN, policy }).counted).toEqual([
      "w1",
      "w3",
    ])
  })

  test.each([
    { name: "another origin", p: { origin: "log.example/b" }, code: "ORIGIN_MISMATCH" },
    { name: "no key for the origin", p: { keys: [] }, code: "CONFIG_INVALID" },
    { name: "another log's key", p: { keys: [verifier(signer("other"))] }, code: "SIGNATURE_INVALID" },
    { name: "a note that is none", p: { note: "x" }, code: "NOTE_MALFORMED" },
    {
      name: "a text that is no checkpoint, whoever signed",
      p: { note: signNote("x\n", [log]) },
      code: "CHECKPOINT_MALFORMED",
    },
    { name: "size 0 with a root", p: { note: signNote(GOOD.replace("42", "0"), [log]) }, code: "HASH_MISMATCH" },
    { name: "no quorum", p: { policy, note: cosigned([w1, 7n]) }, code: "QUORUM_NOT_MET" },
    { name: "one witness twice", p: { policy, note: cosigned([w1, 7n], [w1, 8n]) }, code: "QUORUM_NOT_MET" },
    {
      name: "witnesses only",
      p: { policy, keys: [verifier(signer(ORIGIN, "x"))], note: cosigned([w1, 7n], [w2, 7n]) },
      code: "SIGNATURE_INVALID",
    },
    {
      name: "times in the future",
      p: { policy, note: cosigned([w1, 7n], [w2, 1301n]), nowSec: 1000n },
      code: "QUORUM_NOT_MET",
    },
  ])("refuses $name", ({ p, code }) => {
    expect(() => verifyCheckpoint({ note, origin: ORIGIN, keys: [verifier(log)], ...p })).toThrow(
      expect.objectContaining({ code }),
    )
  })

  test("future times: the limit is the caller's, and without a time there is none", () => {
    const future = cosigned([w1, 7n], [w2, 1301n])
    const open = (times: { nowSec?: bigint; skewSec?: bigint }) =>
      verifyCheckpoint({ note: future, origin: ORIGIN, policy, ...times }).counted
    expect(open({})).toEqual(["w1", "w2"])
    expect(open({ nowSec: 1001n })).toEqual(["w1", "w2"])
    expect(open({ nowSec: 1000n, skewSec: 301n })).toEqual(["w1", "w2"])
  })

  test("one flipped bit is refused, or takes away a cosignature that is not needed", () => {
    const bytes = bytesOf(cosigned([w1, 7n], [w2, 8n], [w3, 9n]))
    const { checkpoint } = verifyCheckpoint({ note: bytes, origin: ORIGIN, policy })
    let harmless = 0
    for (let i = 0; i < bytes.length * 8; i++) {
      try {
        const opened = verifyCheckpoint({ note: flip(bytes, i >> 3, i & 7), origin: ORIGIN, policy })
        expect(opened).toMatchObject({ checkpoint, counted: { length: 2 } })
        harmless++
      } catch (error) {
        expect(error, `bit ${i}`).toBeInstanceOf(ToolsumError)
      }
    }
    // Names and IDs of three cosignature lines: with one changed, that line is of an unknown key.
    expect(harmless).toBeGreaterThan(0)
  })
})

describeShared("interop vectors", () => {
  const keys = JSON.parse(readShared("interop/vectors/keys.json"))
  const cases: { name: string; note: string; policy: string; want: string; witnesses?: string[] }[] = JSON.parse(
    readShared("interop/vectors/checkpoints/cases.json"),
  )
  // Open cases: every line of a known key must hold; time 0 counts; the future counts when no time is given.
  const chosen: Readonly<Record<string, string>> = {
    "second-bad-line-of-good-witness": "reject",
    "cosignature-time-zero": "accept",
    "cosignature-far-future": "accept",
  }
  test.each(cases)("$name: $want", ({ name, note, policy: file, want, witnesses = [] }) => {
    const policy = parsePolicy(readShared(`interop/vectors/policies/${file}.policy`))
    const open = () => verifyCheckpoint({ note, origin: keys.log.name, policy })
    if ((want === "open" ? chosen[name] : want) === "accept")
      expect([...open().counted].sort()).toEqual(witnesses.sort())
    else expect(open).toThrow(ToolsumError)
  })

  test("a cosignature from the far future does not count against a clock", () => {
    const { note = "" } = cases.find(({ name }) => name === "cosignature-far-future") ?? {}
    const policy = parsePolicy(readShared("interop/vectors/policies/one-witness.policy"))
    expect(() => verifyCheckpoint({ note, origin: keys.log.name, policy, nowSec: 1796083200n })).toThrow(
      expect.objectContaining({ code: "QUORUM_NOT_MET" }),
    )
  })
})
