import { describe, expect, test } from "vitest"
import { headKey, parseCheckpoint } from "../../src/core/checkpoint.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import type { ToolsumError } from "../../src/core/errors.js"
import type { Hash } from "../../src/core/hash.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import type { Keyring } from "../../src/core/keyring-text.js"
import { addSignatures, formatNote, parseNote, signNote } from "../../src/core/note.js"
import { type Policy, parsePolicy } from "../../src/core/policy.js"
import { formatProofFile, verifyProofFile } from "../../src/core/proof-file.js"
import { computeHeadAge, verifyHead, verifyHeads } from "../../src/core/tree-heads.js"
import { describeShared, readShared } from "../shared.js"
import {
  base64,
  bytesOf,
  consistency,
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
  witness,
} from "./log-fixtures.js"

const [old, now, stolen] = [signer(ORIGIN, "old"), signer(ORIGIN, "now"), signer(ORIGIN, "stolen")] as const
const closing = { size: 25n, rootHash: rootOf(25) }
/** `old` closed at 25, `now` signs from 20, `stolen` is revoked. */
const LOGS = [logKey(old, { closing }), logKey(now, { from: 20n }), logKey(stolen, { revoked: true })]
const under = (rest: Partial<Keyring> = {}) =>
  verifyKeyring({ notes: [keyringNote(keyring({ logs: LOGS, ...rest }))], origin: ORIGIN })

const RING = under()

const keyOf = (note: string) => headKey(parseCheckpoint(parseNote(note).text))
const named = (notes: readonly string[]) => Object.fromEntries(notes.map((note) => [keyOf(note), note]))
const linked = (...pairs: (readonly [number, number])[]) =>
  Object.fromEntries(pairs.map(([m, n]) => [`${m}-${n}`, consistency(m, n)]))
const check = (notes: readonly string[], links: Readonly<Record<string, Uint8Array>> = {}, of = RING) => {
  const { heads, warnings } = verifyHeads({ keyring: of, heads: named(notes), links })
  return { states: notes.map((note) => heads.get(keyOf(note))?.state), warnings }
}
const code = (expected: string) => expect.objectContaining({ code: expected })
const other: Hash = rootOf(24)

const liveAt = (size: number) => head(ORIGIN, size, [now])
const oldAt = (size: number) => head(ORIGIN, size, [old])
const stolenAt = (size: number) => head(ORIGIN, size, [stolen])

describe("who may sign which size", () => {
  test.each([
    { name: "a key in use", note: head(ORIGIN, 30, [now]), state: "live" },
    { name: "a key at its first size", note: head(ORIGIN, 20, [now]), state: "live" },
    { name: "both keys during the change-over", note: head(ORIGIN, 22, [old, now]), state: "live" },
    { name: "a retired key beside a key in use", note: head(ORIGIN, 30, [old, now]), state: "live" },
    { name: "a revoked key beside a key in use", note: head(ORIGIN, 30, [stolen, now]), state: "live" },
    { name: "an unknown key beside", note: head(ORIGIN, 30, [signer("x"), now]), state: "live" },
    { name: "a retired key at its closing tree", note: head(ORIGIN, 25, [old]), state: "retired" },
    { name: "a retired key below it", note: head(ORIGIN, 10, [old]), state: "unproven" },
    { name: "the empty tree of a retired key", note: head(ORIGIN, 0, [old]), state: "retired" },
  ])("$name: $state", ({ note, state }) => {
    expect(check([note]).states).toEqual([state])
    expect(verifyHead({ keyring: RING, note }).state).toBe(state)
    expect(verifyHead({ keyring: RING, note: bytesOf(note) })).toMatchObject({
      key: keyOf(note),
      origin: ORIGIN,
      cosigners: 0,
    })
  })

  test.each([
    { name: "a key before its first size", note: head(ORIGIN, 19, [now]), code: "KEY_NOT_VALID_AT_SIZE" },
    { name: "a retired key beyond its closing tree", note: head(ORIGIN, 26, [old]), code: "KEY_NOT_VALID_AT_SIZE" },
    { name: "a revoked key", note: head(ORIGIN, 10, [stolen]), code: "KEY_NOT_VALID_AT_SIZE" },
    { name: "a root key", note: head(ORIGIN, 30, [signer("root-a")]), code: "SIGNATURE_INVALID" },
    { name: "an unknown key", note: head(ORIGIN, 30, [signer(ORIGIN, "x")]), code: "SIGNATURE_INVALID" },
    { name: "another origin", note: head("log.example/b", 30, [now]), code: "ORIGIN_MISMATCH" },
    { name: "another closing tree", note: head(ORIGIN, 25, [old], other), code: "LOG_INCONSISTENT" },
    {
      name: "another tree at the closing size, by a key in use",
      note: head(ORIGIN, 25, [now], other),
      code: "LOG_INCONSISTENT",
    },
    { name: "a changed text", note: head(ORIGIN, 30, [now]).replace("\n30\n", "\n31\n"), code: "SIGNATURE_INVALID" },
    {
      name: "a bad line beside a good one",
      note: `${liveAt(30)}${oldAt(24).split("\n")[4]}\n`,
      code: "SIGNATURE_INVALID",
    },
  ])("$name is rejected", ({ note, code: expected }) => {
    expect(() => check([note])).toThrow(expect.objectContaining({ code: expected, kind: "rejected" }))
    expect(() => verifyHead({ keyring: RING, note })).toThrow(code(expected))
  })
})

describe("links", () => {
  test("a retired head is proven by its closing tree or by a live head, over any path", () => {
    expect(check([oldAt(10)], linked([10, 25])).states).toEqual(["retired"])
    expect(check([oldAt(10), liveAt(30)], linked([10, 30]))).toEqual({ states: ["retired", "live"], warnings: [] })
    expect(check([oldAt(10), oldAt(15)], linked([10, 15], [15, 25])).states).toEqual(["retired", "retired"])
    expect(check([oldAt(10), oldAt(15)], linked([10, 15])).states).toEqual(["unproven", "unproven"])
  })

  test("a revoked key's head counts only inside a live head's tree", () => {
    expect(check([stolenAt(10), liveAt(30)], linked([10, 30])).states).toEqual(["retired", "live"])
    expect(check([stolenAt(10), oldAt(15), liveAt(30)], linked([10, 15], [15, 30])).states[0]).toBe("retired")
    const refused = code("KEY_NOT_VALID_AT_SIZE")
    expect(() => check([stolenAt(10), liveAt(30)])).toThrow(refused)
    expect(() => check([stolenAt(10)], linked([10, 25]))).toThrow(refused)
    expect(() => check([head(ORIGIN, 30, [stolen], other), liveAt(30)])).toThrow(refused)
  })

  test("neighbours without a path of links are named", () => {
    const heads = [liveAt(21), liveAt(30), liveAt(40)]
    expect(check(heads).warnings).toEqual(["unlinked:21-30", "unlinked:30-40"])
    expect(check(heads, linked([21, 30], [30, 40])).warnings).toEqual([])
    // One older tree in two newer ones does not order the newer two.
    expect(check(heads, linked([21, 30], [21, 40])).warnings).toEqual(["unlinked:30-40"])
    // Over the closing tree, which is no head.
    expect(check(heads, linked([21, 25], [25, 30], [30, 40])).warnings).toEqual([])
    expect(check([head(ORIGIN, 0, [old]), liveAt(30)]).warnings).toEqual([])
    expect(check([liveAt(30)]).warnings).toEqual([])
  })

  const heads = [oldAt(10), liveAt(30)]
  const proof = consistency(10, 30)
  test.each([
    { name: "a flipped bit", links: { "10-30": flip(proof, 40, 3) } },
    { name: "a hash less", links: { "10-30": proof.slice(32) } },
    { name: "a hash more", links: { "10-30": new Uint8Array([...proof, ...other]) } },
    { name: "nothing", links: { "10-30": new Uint8Array() } },
    { name: "the proof of other sizes", links: { "10-30": consistency(10, 25) } },
  ])("a link with $name is rejected", ({ links }) => {
    expect(() => check(heads, links)).toThrow(
      expect.objectContaining({ code: "CONSISTENCY_INVALID", kind: "rejected" }),
    )
  })

  test.each([
    { name: "of half a hash", links: { "10-30": proof.slice(16) } },
    { name: "to a size that is no head", links: { "10-31": consistency(10, 31) } },
    { name: "from size 0", links: { "0-30": new Uint8Array() } },
    { name: "backwards", links: { "30-10": proof } },
    { name: "to itself", links: { "30-30": new Uint8Array() } },
    { name: "with a leading zero", links: { "010-30": proof } },
    { name: "of one size", links: { "30": proof } },
  ])("a link $name is malformed", ({ links }) => {
    expect(() => check([...heads, head(ORIGIN, 0, [old])], links)).toThrow(
      expect.objectContaining({ code: "PROOF_MALFORMED", kind: "malformed" }),
    )
  })

  test("every bit of a link counts", () => {
    for (let i = 0; i < proof.length * 8; i++) {
      expect(() => check(heads, { "10-30": flip(proof, i >> 3, i & 7) })).toThrow(code("CONSISTENCY_INVALID"))
    }
  })
})

describe("forks", () => {
  test("two roots of one size are a fork, with both notes as evidence", () => {
    const [a, b] = [liveAt(30), head(ORIGIN, 30, [now], other)]
    try {
      check([a, b])
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ code: "LOG_INCONSISTENT", evidence: { a, b } })
    }
  })

  test("against the closing tree the evidence is the keyring that names it", () => {
    const b = head(ORIGIN, 25, [now], other)
    try {
      check([b])
      expect.unreachable()
    } catch (error) {
      const a = formatNote(RING.newest.note)
      expect((error as ToolsumError).evidence).toEqual({ a, b, keyrings: JSON.stringify([a]) })
    }
  })

  test("even where nothing links them", () => {
    expect(() => check([liveAt(30), liveAt(40), head(ORIGIN, 40, [now], other)])).toThrow(code("LOG_INCONSISTENT"))
  })
})

describe("names and unreadable heads", () => {
  const good = liveAt(30)
  test.each([
    { name: "another root", key: "30-0000000000000000" },
    { name: "another size", key: keyOf(good).replace("30-", "31-") },
    { name: "another spelling", key: keyOf(good).toUpperCase().concat("0") },
  ])("a head filed under $name is rejected", ({ key }) => {
    expect(() => verifyHeads({ keyring: RING, heads: { [key]: good }, links: {} })).toThrow(code("HASH_MISMATCH"))
  })

  test.each([
    { name: "no note", note: "x", code: "NOTE_MALFORMED" },
    { name: "CR LF", note: good.replaceAll("\n", "\r\n"), code: "NOTE_MALFORMED" },
    { name: "no checkpoint", note: signNote("x\n", [now]), code: "CHECKPOINT_MALFORMED" },
    {
      name: "a size with a leading zero",
      note: signNote(parseNote(good).text.replace("30", "030"), [now]),
      code: "CHECKPOINT_MALFORMED",
    },
    { name: "the same, not even signed", note: good.replace("\n30\n", "\n030\n"), code: "CHECKPOINT_MALFORMED" },
  ])("a head with $name is malformed, unless something else is refuted", ({ note, code: expected }) => {
    const heads = { ...named([good]), "31-0000000000000000": note }
    expect(() => verifyHeads({ keyring: RING, heads, links: {} })).toThrow(code(expected))
    const refuted = { ...heads, ...named([head(ORIGIN, 30, [now], other)]) }
    expect(() => verifyHeads({ keyring: RING, heads: refuted, links: {} })).toThrow(code("LOG_INCONSISTENT"))
  })
})

describe("the keyring's policy", () => {
  const [w1, w2] = [signer("w1.example"), signer("w2.example")] as const
  const policy = parsePolicy(
    `witness a ${witness(w1).vkey}\nwitness b ${witness(w2).vkey}\ngroup g all a b\nquorum g\n`,
  )
  const cosignAt = (...times: (readonly [typeof w1, bigint])[]) => {
    const note = parseNote(liveAt(30))
    return formatNote(
      addSignatures(
        note,
        times.map(([key, timestamp]) => formatCosignature({ text: note.text, key, timestamp })),
      ),
    )
  }
  const cosign = (...keys: (typeof w1)[]) => cosignAt(...keys.map((key) => [key, 9n] as const))

  test("every head must meet its quorum", () => {
    const { heads } = verifyHeads({ keyring: under({ policy }), heads: named([cosign(w1, w2)]), links: {} })
    expect([...heads.values()]).toMatchObject([{ state: "live", cosigners: 2 }])
    for (const note of [cosign(), cosign(w1), cosign(w1, w1)]) {
      expect(() => check([note], {}, under({ policy }))).toThrow(code("QUORUM_NOT_MET"))
    }
  })

  const YEAR_9999 = 253_370_764_800n
  const NOW = 1_000_000n

  test("cosignatures from the future count without a time, and never for the age", () => {
    const ring = under({ policy })
    const note = cosignAt([w1, NOW], [w2, YEAR_9999])
    const { heads } = verifyHeads({ keyring: ring, heads: named([note]), links: {} })
    expect([...heads.values()]).toMatchObject([{ cosigners: 2 }])
    for (const nowSec of [NOW, undefined, NOW, YEAR_9999, NOW]) {
      // Whatever was found at another time before.
      const verify = () => verifyHead({ keyring: ring, note, ...(nowSec === undefined ? {} : { nowSec }) })
      if (nowSec === NOW) expect(verify).toThrow(code("QUORUM_NOT_MET"))
      else expect(verify().cosigners).toBe(2)
    }
    const head = verifyHead({ keyring: ring, note })
    expect(computeHeadAge(head, NOW + 7n)).toBe(null) // of the two that it takes, only one is in time
    expect(computeHeadAge(head, YEAR_9999 - 300n)).toBe(Number(YEAR_9999 - 300n - NOW)) // a clock may be a little behind
    expect(computeHeadAge(head, YEAR_9999 - 301n)).toBe(null)
    expect(computeHeadAge(head, YEAR_9999 + 1n)).toBe(Number(YEAR_9999 + 1n - NOW))
  })

  test("the age of a head is that of its quorum, and of any witness where nobody need cosign", () => {
    const note = cosignAt([w1, NOW - 50n], [w1, NOW - 5n], [w2, NOW - 70n])
    const age = (given: Policy | null) => computeHeadAge(verifyHead({ keyring: under({ policy: given }), note }), NOW)
    expect(age(policy)).toBe(70)
    const nobody = new TextDecoder().decode(policy.source).replace("quorum g", "quorum none")
    expect(age(parsePolicy(nobody))).toBe(5)
    expect(age(null)).toBe(null)
  })

  test("a witness with a timely cosignature counts, whatever else it signed", () => {
    const note = cosignAt([w1, YEAR_9999], [w1, 9n], [w2, NOW + 300n])
    expect(verifyHead({ keyring: under({ policy }), note, nowSec: NOW }).cosigners).toBe(2)
    expect(() => verifyHead({ keyring: under({ policy }), note, nowSec: NOW - 1n })).toThrow(code("QUORUM_NOT_MET"))
  })

  test("a proof file at a time is judged by it", () => {
    const file = formatProofFile({
      extra: entry(3),
      index: 3n,
      proof: inclusion(3, 30),
      checkpoint: cosignAt([w1, YEAR_9999], [w2, NOW]),
    })
    const trusts = [{ keyring: under({ policy }) }, { origin: ORIGIN, keys: [verifier(now)], policy }]
    for (const trust of trusts) {
      expect(verifyProofFile({ file, ...trust }).cosignatures).toHaveLength(2)
      expect(() => verifyProofFile({ file, ...trust, nowSec: NOW })).toThrow(code("QUORUM_NOT_MET"))
    }
  })

  test("what was opened under one keyring is opened again under another", () => {
    expect(check([cosign()]).states).toEqual(["live"])
    expect(check([cosign()]).states).toEqual(["live"])
    expect(() => check([cosign()], {}, under({ policy }))).toThrow(code("QUORUM_NOT_MET"))
    expect(() => check([cosign()], {}, under({ logs: [logKey(old)] }))).toThrow(code("SIGNATURE_INVALID"))
    expect(check([oldAt(10)], {}, under({ logs: [logKey(old)] })).states).toEqual(["live"])
  })

  test("a cosignature by a key of the log is none", () => {
    const note = parseNote(liveAt(30))
    const line = formatCosignature({ text: note.text, key: now, timestamp: 9n })
    const own = formatNote(addSignatures({ ...note, signatures: [] }, [line]))
    expect(verifier(now).id).not.toBe(witness(now).id)
    expect(() => check([own])).toThrow(code("SIGNATURE_INVALID"))
  })
})

test("one flipped bit of a head is rejected or unreadable", () => {
  const bytes = bytesOf(liveAt(30))
  for (let i = 0; i < bytes.length * 8; i++) {
    expect(() => verifyHead({ keyring: RING, note: flip(bytes, i >> 3, i & 7) }), `bit ${i}`).toThrow(
      expect.objectContaining({ kind: expect.stringMatching(/^(rejected|malformed)$/) }),
    )
  }
})

describeShared("roots.json", () => {
  interface Head {
    desc: string
    origin: string
    keyrings: string[]
    checkpoint: string
    live?: string
    links?: Record<string, string>
    expect: "accept" | "reject" | "malformed"
    state?: string
  }
  const { heads }: { heads: Head[] } = JSON.parse(readShared("vectors/toolsum/roots.json"))
  test.each(heads)("$desc: $expect", ({ origin, keyrings, checkpoint, live, links = {}, ...want }) => {
    const verify = () => {
      const proofs = Object.entries(links).map(([key, proof]) => [key, base64(proof)])
      const of = verifyKeyring({ notes: keyrings, origin })
      const notes = named(live === undefined ? [checkpoint] : [checkpoint, live])
      return verifyHeads({ keyring: of, heads: notes, links: Object.fromEntries(proofs) })
    }
    if (want.expect === "accept") return void expect(verify().heads.get(keyOf(checkpoint))?.state).toBe(want.state)
    const kind = want.expect === "reject" ? "rejected" : "malformed"
    expect(verify).toThrow(expect.objectContaining({ kind }))
  })
})
