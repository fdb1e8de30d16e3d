import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatCosignature } from "../../src/core/cosignature.js"
import { ToolsumError } from "../../src/core/errors.js"
import { addSignatures, openNote, parseNote, signNote } from "../../src/core/note.js"
import {
  computeQuorumTime,
  evaluatePolicy,
  MAX_POLICY_BYTES,
  type Policy,
  parsePolicy,
  quorumTolerance,
} from "../../src/core/policy.js"
import { computeKeyId, ED25519_COSIGNATURE, formatKeyId, formatVkey, ML_DSA_COSIGNATURE } from "../../src/core/vkey.js"
import { describeShared, readShared, sharedPath } from "../shared.js"
import { bytesOf, signer, verifier, witness } from "./log-fixtures.js"
import { isWanted } from "./open-choices.js"

const malformed = expect.objectContaining({ code: "POLICY_MALFORMED" })
const log = signer("log.example")
const w = Array.from({ length: 17 }, (_, i) => signer(`w${i}.example`))
const LOG = `log ${verifier(log).vkey}\n`
const W = w.map((key, i) => `witness w${i} ${witness(key).vkey}\n`)
const THREE = `${LOG}${W.slice(0, 3).join("")}`

test("a policy with nested groups, comments, tabs and URLs", () => {
  const policy = parsePolicy(
    [
      "# first\n\n\t ",
      `${LOG}${W[0]}${W[1]?.replace("\n", " https://w1.example/ \n")}${W[2]}`,
      "group a 2 w0 w1 \tw2\ngroup b all a\n \t# a comment\nquorum b\n",
    ].join(""),
  )
  expect(policy.quorum).toBe("b")
  expect(policy.logs).toEqual([{ key: verifier(log), url: null }])
  expect(policy.witnesses.get("w1")).toMatchObject({ name: "w1", url: "https://w1.example/" })
  expect(policy.groups.get("a")).toEqual({ name: "a", threshold: 2, members: ["w0", "w1", "w2"] })
  expect(policy.groups.get("b")?.threshold).toBe(1)
})

test("# begins a comment at the start of a line only", () => {
  const named = parsePolicy(`${W[0]?.replace("w0 ", "w#0 ")}\t# quorum none\nquorum w#0\n`)
  expect([named.quorum, [...named.witnesses.keys()]]).toEqual(["w#0", ["w#0"]])
})

test.each([
  { name: "threshold 0", text: `${THREE}group g 0 w0 w1\nquorum g\n` },
  { name: "a threshold above the members", text: `${THREE}group g 3 w0 w1\nquorum g\n` },
  { name: "a threshold with a leading zero", text: `${THREE}group g 01 w0 w1\nquorum g\n` },
  { name: "a threshold with a plus", text: `${THREE}group g +1 w0 w1\nquorum g\n` },
  { name: "a threshold of 2^32+1", text: `${THREE}group g 4294967297 w0 w1\nquorum g\n` },
  { name: "ANY", text: `${THREE}group g ANY w0 w1\nquorum g\n` },
  { name: "all of nobody", text: `${THREE}group g all\nquorum g\n` },
  { name: "any of nobody", text: `${THREE}group g any\nquorum g\n` },
  { name: "two quorum lines", text: `${THREE}quorum w0\nquorum none\n` },
  { name: "two equal quorum lines", text: `${THREE}quorum w0\nquorum w0\n` },
  { name: "no quorum line", text: THREE },
  { name: "nothing", text: "" },
  { name: "a comment after quorum", text: `${THREE}quorum none # w0\n` },
  { name: "a comment after members", text: `${THREE}group g 1 w0 #w1\nquorum g\n` },
  { name: "a member twice", text: `${THREE}group g 2 w0 w0\nquorum g\n` },
  { name: "a member of two groups", text: `${THREE}group a any w0\ngroup b any w0\ngroup g all a b\nquorum g\n` },
  { name: "one witness key under two names", text: `${LOG}${W[0]}${W[0]?.replace("w0 ", "x ")}quorum w0\n` },
  { name: "one log key twice", text: `${LOG}${LOG}quorum none\n` },
  { name: "the log's key as witness", text: `${LOG}witness w ${witness(log).vkey}\nquorum w\n` },
  { name: "a name twice", text: `${LOG}${W[0]}${W[1]?.replace("w1 ", "w0 ")}quorum w0\n` },
  { name: "a group named like a witness", text: `${THREE}group w0 any w1\nquorum w0\n` },
  { name: "none as a member", text: `${THREE}group g any none w0\nquorum g\n` },
  { name: "none as a name", text: `${LOG}${W[0]?.replace("w0 ", "none ")}quorum none\n` },
  { name: "a member defined later", text: `${LOG}group g any w0\n${W[0]}quorum g\n` },
  { name: "a group of itself", text: `${LOG}group g any g\nquorum g\n` },
  { name: "a quorum defined later", text: `quorum w0\n${W[0]}` },
  { name: "two names in quorum", text: `${THREE}quorum w0 w1\n` },
  { name: "an unknown line", text: `${THREE}mirror w0\nquorum w0\n` },
  { name: "an upper-case keyword", text: `${THREE}Quorum w0\n` },
  { name: "CR LF", text: `${LOG}quorum none\n`.replaceAll("\n", "\r\n") },
  { name: "a NUL", text: `${LOG}#\0\nquorum none\n` },
  { name: "a DEL", text: `${LOG}#\x7f\nquorum none\n` },
  { name: "a vertical tab", text: `${LOG}\vquorum none\n` },
  { name: "a no-break space as separator", text: `${LOG}quorum\u00a0none\n` },
  { name: "a BOM", text: `\ufeff${LOG}quorum none\n` },
  { name: "no final newline", text: `${LOG}quorum none` },
  { name: "a cosigner key as log", text: `log ${witness(log).vkey}\nquorum none\n` },
  { name: "a note key as witness", text: `${LOG}witness w ${verifier(w[0] ?? log).vkey}\nquorum w\n` },
  { name: "a wrong key ID", text: `${LOG}${W[0]?.replace(/\+[0-9a-f]{8}\+/, "+00000000+")}quorum w0\n` },
  { name: "a witness without key", text: `${LOG}witness w0\nquorum none\n` },
  { name: "a witness with a fourth field", text: `${LOG}${W[0]?.replace("\n", " url x\n")}quorum w0\n` },
  { name: "a log without key", text: "log\nquorum none\n" },
  { name: "more than 64 KiB", text: `#${"x".repeat(MAX_POLICY_BYTES)}\nquorum none\n` },
  {
    name: "more than 256 groups",
    text: `${W[0]}group g0 any w0\n${Array.from({ length: 256 }, (_, i) => `group g${i + 1} any g${i}\n`).join("")}quorum none\n`,
  },
])("parsePolicy refuses $name", ({ text }) => {
  expect(() => parsePolicy(text)).toThrow(malformed)
  expect(() => parsePolicy(bytesOf(text))).toThrow(malformed)
})

test("a low-order key signs anything, so it is refused", () => {
  const publicKey = new Uint8Array(32)
  const type = ED25519_COSIGNATURE
  const id = formatKeyId(computeKeyId({ name: "evil", type, publicKey }))
  const vkey = `evil+${id}+${Buffer.from([type, ...publicKey]).toString("base64")}`
  expect(() => parsePolicy(`${LOG}witness w ${vkey}\nquorum w\n`)).toThrow(
    expect.objectContaining({ code: "KEY_LOW_ORDER" }),
  )
})

test("names are octets: different ones stay different, UTF-8 or not", () => {
  const octets = (name: number[]) => [...bytesOf("witness "), ...name, ...bytesOf((W[0] ?? "").slice(10))]
  const other = (name: number[]) => [...bytesOf("witness "), ...name, ...bytesOf((W[1] ?? "").slice(10))]
  const policy = parsePolicy(new Uint8Array([...octets([0xe9]), ...other([0xc3, 0xa9]), ...bytesOf("quorum none\n")]))
  expect(policy.witnesses.size).toBe(2)
  expect(parsePolicy(`${W[0]?.replace("w0 ", "é ")}quorum é\n`).quorum).toBe("é")
})

describe("evaluatePolicy", () => {
  const text = "log.example\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
  const opened = (...by: number[]) => {
    const lines = by.map((i) => formatCosignature({ text, key: w[i] ?? log, timestamp: BigInt(i + 1) }))
    return openNote(addSignatures(parseNote(signNote(text, [log])), lines), [verifier(log), ...w.map(witness)])
  }
  const nested = parsePolicy(
    `${W.slice(0, 5).join("")}group a 2 w0 w1 w2\ngroup b any w3 w4\ngroup both all a b\nquorum both\n`,
  )

  test.each([
    { by: [], satisfied: false, counted: [] },
    { by: [0, 1], satisfied: false, counted: ["w0", "w1"] },
    { by: [3, 4, 0], satisfied: false, counted: ["w0", "w3", "w4"] },
    { by: [4, 2, 1], satisfied: true, counted: ["w1", "w2", "w4"] },
    { by: [0, 0, 4], satisfied: false, counted: ["w0", "w4"] },
    { by: [0, 9, 4], satisfied: false, counted: ["w0", "w4"] },
  ])("cosigned by $by: $satisfied", ({ by, satisfied, counted }) => {
    expect(evaluatePolicy(nested, opened(...by))).toEqual({ satisfied, counted, early: [] })
  })

  test("what lies in the future is named, not counted", () => {
    const at = (nowSec: bigint) => evaluatePolicy(nested, opened(0, 1, 4), { nowSec, skewSec: 0n })
    expect(at(4n)).toEqual({ satisfied: false, counted: ["w0", "w1"], early: ["w4"] })
    expect(at(5n)).toEqual({ satisfied: true, counted: ["w0", "w1", "w4"], early: [] })
  })

  test("quorum none needs nobody; an ML-DSA witness never counts", () => {
    expect(evaluatePolicy(parsePolicy(`${LOG}quorum none\n`), opened()).satisfied).toBe(true)
    const key = formatVkey({ name: "pq", type: ML_DSA_COSIGNATURE, publicKey: new Uint8Array(1312) })
    const policy = parsePolicy(`witness pq ${key}\nquorum pq\n`)
    expect(evaluatePolicy(policy, opened(0)).satisfied).toBe(false)
    expect(quorumTolerance(policy)).toEqual({ witnesses: 0, dishonest: null, down: null })
  })

  test("it agrees with a plain count for any k of n", () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.subarray([0, 1, 2, 3, 4]), (k, by) => {
        const policy = parsePolicy(`${W.slice(0, 5).join("")}group g ${k} w0 w1 w2 w3 w4\nquorum g\n`)
        expect(evaluatePolicy(policy, opened(...by)).satisfied).toBe(by.length >= k)
      }),
      { numRuns: 30 },
    ))
})

describe("quorumTolerance", () => {
  const kOfN = (k: number, n: number) =>
    parsePolicy(
      `${W.slice(0, n).join("")}group g ${k} ${w
        .slice(0, n)
        .map((_, i) => `w${i}`)
        .join(" ")}\nquorum g\n`,
    )

  test.each([
    { n: 1, k: 1, dishonest: 0, down: 0 },
    { n: 3, k: 2, dishonest: 0, down: 1 },
    { n: 3, k: 3, dishonest: 2, down: 0 },
    { n: 4, k: 3, dishonest: 1, down: 1 },
    { n: 5, k: 4, dishonest: 2, down: 1 },
    { n: 5, k: 3, dishonest: 0, down: 2 },
    { n: 7, k: 5, dishonest: 2, down: 2 },
    { n: 4, k: 2, dishonest: null, down: 2 },
    { n: 5, k: 1, dishonest: null, down: 4 },
    { n: 16, k: 11, dishonest: 5, down: 5 },
  ])("$k of $n tolerates $dishonest dishonest and $down absent witnesses", ({ n, k, dishonest, down }) => {
    expect(quorumTolerance(kOfN(k, n))).toEqual({ witnesses: n, dishonest, down })
  })

  test("nested groups, nobody, and too many to try", () => {
    const nested = `${W.slice(0, 5).join("")}group a 2 w0 w1 w2\ngroup b any w3 w4\ngroup both all a b\nquorum both\n`
    expect(quorumTolerance(parsePolicy(nested))).toEqual({ witnesses: 5, dishonest: 0, down: 1 })
    expect(quorumTolerance(parsePolicy("quorum none\n"))).toEqual({ witnesses: 0, dishonest: null, down: 0 })
    expect(quorumTolerance(kOfN(9, 17))).toBeNull()
  })

  test("a witness outside the quorum does not matter", () => {
    expect(quorumTolerance(parsePolicy(`${THREE}quorum w1\n`))).toEqual({ witnesses: 1, dishonest: 0, down: 0 })
  })
})

// Five witnesses in up to two inner groups and one outer one, with any thresholds that are legal.
const arbNested: fc.Arbitrary<Policy> = fc
  .record({ split: fc.integer({ min: 1, max: 4 }), ks: fc.tuple(fc.nat(3), fc.nat(3), fc.nat(1)), flat: fc.boolean() })
  .map(({ split, ks: [a, b, outer], flat }) => {
    const names = ["w0", "w1", "w2", "w3", "w4"]
    const group = (name: string, k: number, members: readonly string[]) =>
      `group ${name} ${(k % members.length) + 1} ${members.join(" ")}\n`
    const inner = group("a", a, names.slice(0, split))
    const rest = flat ? names.slice(split) : ["b"]
    const second = flat ? "" : group("b", b, names.slice(split))
    return parsePolicy(`${W.slice(0, 5).join("")}${inner}${second}${group("q", outer, ["a", ...rest])}quorum q\n`)
  })

const subsets = (n: number): readonly (readonly number[])[] =>
  Array.from({ length: 2 ** n }, (_, set) => Array.from({ length: n }, (_, i) => i).filter((i) => set & (1 << i)))

const cosignedBy = (by: readonly { i: number; timestamp: bigint }[]) => ({
  cosignatures: by.map(({ i, timestamp }) => ({ key: witness(w[i] ?? log), timestamp })),
})

const meets = (policy: Policy, by: readonly number[]): boolean =>
  evaluatePolicy(policy, cosignedBy(by.map((i) => ({ i, timestamp: 1n })))).satisfied

test("quorumTolerance agrees with trying every pair of quorums and every outage", () =>
  fc.assert(
    fc.property(arbNested, (policy) => {
      const all = subsets(5)
      const quorums = all.filter((set) => meets(policy, set))
      const shared = quorums.flatMap((a) => quorums.map((b) => a.filter((i) => b.includes(i)).length))
      const outages = all.filter(
        (down) =>
          !meets(
            policy,
            [0, 1, 2, 3, 4].filter((i) => !down.includes(i)),
          ),
      )
      const least = Math.min(...shared)
      expect(quorumTolerance(policy)).toEqual({
        witnesses: 5,
        dishonest: least === 0 ? null : least - 1,
        down: Math.min(...outages.map((down) => down.length)) - 1,
      })
    }),
    { numRuns: 60 },
  ))

describe("computeQuorumTime", () => {
  const times = fc.array(fc.record({ i: fc.nat(4), timestamp: fc.bigInt({ min: 1n, max: 12n }) }), { maxLength: 9 })

  test("is the newest time from which on the quorum stands, whatever the groups", () =>
    fc.assert(
      fc.property(arbNested, times, fc.bigInt({ min: 0n, max: 12n }), (policy, by, latest) => {
        const timely = by.filter(({ timestamp }) => timestamp <= latest)
        const standing = Array.from({ length: 13 }, (_, t) => BigInt(t)).filter(
          (t) => evaluatePolicy(policy, cosignedBy(timely.filter(({ timestamp }) => timestamp >= t))).satisfied,
        )
        expect(computeQuorumTime(policy, cosignedBy(by), latest)).toBe(standing.at(-1) ?? null)
      }),
      { numRuns: 300 },
    ))

  test("is the k-th newest of k of n, each witness by its newest line", () => {
    const policy = parsePolicy(`${W.slice(0, 3).join("")}group g 2 w0 w1 w2\nquorum g\n`)
    const by = [
      { i: 0, timestamp: 5n },
      { i: 0, timestamp: 90n },
      { i: 1, timestamp: 70n },
      { i: 2, timestamp: 60n },
    ]
    expect(computeQuorumTime(policy, cosignedBy(by), 100n)).toBe(70n)
    expect(computeQuorumTime(policy, cosignedBy(by), 89n)).toBe(60n)
    expect(computeQuorumTime(policy, cosignedBy(by.slice(0, 2)), 100n)).toBeNull()
    expect(computeQuorumTime(parsePolicy("quorum none\n"), cosignedBy(by), 100n)).toBeNull()
  })
})

test("any text is a policy or a ToolsumError", () =>
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (noise) => {
      try {
        parsePolicy(new Uint8Array([...bytesOf(THREE), ...noise]))
      } catch (error) {
        expect(error).toBeInstanceOf(ToolsumError)
      }
    }),
  ))

describeShared("interop vectors", () => {
  const cases: { name: string; file: string; want: string }[] = JSON.parse(
    readShared("interop/vectors/policies/cases.json"),
  )
  test.each(cases)("$name: $want", ({ file, ...c }) => {
    const bytes = new Uint8Array(readFileSync(sharedPath(`interop/vectors/${file}`)))
    if (isWanted(c)) expect(parsePolicy(bytes).source).toEqual(bytes)
    else expect(() => parsePolicy(bytes)).toThrow(ToolsumError)
  })
})
