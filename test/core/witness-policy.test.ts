// The reader's own policy beside the keyring's: both must be met, whatever each says alone.
import { describe, expect, test } from "vitest"
import { headKey, parseCheckpoint } from "../../src/core/checkpoint.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { addSignatures, formatNote, parseNote } from "../../src/core/note.js"
import { type Policy, parsePolicy } from "../../src/core/policy.js"
import { formatProofFile, verifyProofFile } from "../../src/core/proof-file.js"
import { computeHeadAge, verifyHead, verifyHeads } from "../../src/core/tree-heads.js"
import { judgeLog } from "../../src/core/verify-log.js"
import { refuseWithoutWitnesses } from "../../src/core/witness-policy.js"
import {
  entry,
  head,
  inclusion,
  keyring,
  keyringNote,
  logKey,
  ORIGIN,
  signer,
  verifier,
  witness,
} from "./log-fixtures.js"

const log = signer(ORIGIN, "now")
const w = [1, 2, 3].map((i) => signer(`w${i}.example`))
const NOW = 1_000_000n

const lineOf = (i: number) => `witness w${i} ${witness(w[i] ?? log).vkey}\n`
const demand = (k: number | "none", ...of: number[]) =>
  parsePolicy(
    `${of.map(lineOf).join("")}${k === "none" ? "quorum none\n" : `group g ${k} ${of.map((i) => `w${i}`).join(" ")}\nquorum g\n`}`,
  )
const withLogs = (policy: Policy, ...vkeys: string[]) =>
  parsePolicy(`${vkeys.map((vkey) => `log ${vkey}\n`).join("")}${new TextDecoder().decode(policy.source)}`)

const ring = (policy: Policy | null) =>
  verifyKeyring({ notes: [keyringNote(keyring({ logs: [logKey(log)], policy }))] })

/** The head of size 30, cosigned by these witnesses at these times. */
function cosigned(...by: (readonly [number, bigint])[]): string {
  const note = parseNote(head(ORIGIN, 30, [log]))
  const lines = by.map(([i, timestamp]) => formatCosignature({ text: note.text, key: w[i] ?? log, timestamp }))
  return formatNote(addSignatures(note, lines))
}

const open = (own: Policy | null, witnessPolicy: Policy | null, note: string, nowSec?: bigint) =>
  verifyHead({ keyring: ring(own), witnessPolicy, note, ...(nowSec === undefined ? {} : { nowSec }) })
const code = (expected: string) => expect.objectContaining({ code: expected })

describe("both policies must be met", () => {
  const [none, w0, w1, both] = [null, demand(1, 0), demand(1, 1), demand(2, 0, 1)]

  test.each([
    { own: none, reader: none, by: [], cosigners: 0 },
    { own: none, reader: w0, by: [0], cosigners: 1 },
    { own: none, reader: w0, by: [], cosigners: null },
    { own: none, reader: w0, by: [1], cosigners: null },
    { own: w0, reader: w1, by: [0, 1], cosigners: 2 },
    { own: w0, reader: w1, by: [0], cosigners: null },
    { own: w0, reader: w1, by: [1], cosigners: null },
    { own: w0, reader: both, by: [0, 1], cosigners: 2 }, // one key in both counts once
    { own: both, reader: w0, by: [0, 1], cosigners: 2 },
    { own: both, reader: demand("none", 2), by: [0, 1, 2], cosigners: 3 },
  ])("$#: cosigned by $by", ({ own, reader, by, cosigners }) => {
    const note = cosigned(...by.map((i) => [i, 9n] as const))
    if (cosigners === null) expect(() => open(own, reader, note)).toThrow(code("QUORUM_NOT_MET"))
    else expect(open(own, reader, note).cosigners).toBe(cosigners)
  })

  test("a policy that demands nothing makes the keyring's no looser", () => {
    expect(() => open(w0, demand("none", 0), cosigned())).toThrow(code("QUORUM_NOT_MET"))
  })

  test("a bad line by one of its witnesses refuses the head, even where nobody need cosign", () => {
    const note = cosigned([0, 9n]).replace(
      /(w1\.example \S{20})(.)/,
      (_, start, c) => `${start}${c === "A" ? "B" : "A"}`,
    )
    expect(open(none, none, note).cosigners).toBe(0)
    expect(() => open(none, demand("none", 0), note)).toThrow(code("SIGNATURE_INVALID"))
  })

  test("with a time, cosignatures from the future do not count", () => {
    const note = cosigned([0, NOW + 301n])
    expect(open(none, w0, note).cosigners).toBe(1)
    expect(open(none, w0, note, NOW + 1n).cosigners).toBe(1)
    expect(() => open(none, w0, note, NOW)).toThrow(code("QUORUM_NOT_MET"))
  })

  test("the age of a head is that of the policy that was met longest ago", () => {
    const note = cosigned([0, NOW - 10n], [1, NOW - 70n])
    expect(computeHeadAge(open(w0, none, note), NOW)).toBe(10)
    expect(computeHeadAge(open(w0, w1, note), NOW)).toBe(70)
    expect(computeHeadAge(open(w1, w0, note), NOW)).toBe(70)
    expect(computeHeadAge(open(none, demand("none", 0, 1), note), NOW)).toBe(10)
  })
})

describe("log lines", () => {
  const note = cosigned([0, 9n])
  const own = verifier(log).vkey
  const [stranger, other] = [verifier(signer(ORIGIN, "other")).vkey, verifier(signer("other.example")).vkey]

  test("that name the log's key accept it, beside others", () => {
    expect(open(null, withLogs(demand(1, 0), other, own), note).cosigners).toBe(1)
  })

  test("that name another key of that origin refuse what it did not sign", () => {
    expect(() => open(null, withLogs(demand(1, 0), stranger), note)).toThrow(code("SIGNATURE_INVALID"))
  })

  test("that name other logs only say nothing of this one", () => {
    expect(() => open(null, withLogs(demand(1, 0), other), note)).toThrow(code("HEAD_UNPROVEN"))
    expect(() => refuseWithoutWitnesses(withLogs(demand("none", 0), other), ORIGIN)).toThrow(code("HEAD_UNPROVEN"))
  })
})

test("a log that nobody can cosign meets only a policy that demands nothing", () => {
  expect(() => refuseWithoutWitnesses(demand(1, 0), ORIGIN)).toThrow(code("QUORUM_NOT_MET"))
  expect(() => refuseWithoutWitnesses(demand("none", 0), ORIGIN)).not.toThrow()
})

describe("wherever heads are verified", () => {
  const [bare, good] = [cosigned(), cosigned([0, 9n])]
  const reader = demand(1, 0)

  test("all heads of a lockfile", () => {
    const judge = (note: string, witnessPolicy: Policy | null) =>
      verifyHeads({
        keyring: ring(null),
        heads: { [headKey(parseCheckpoint(parseNote(note).text))]: note },
        links: {},
        witnessPolicy,
      }).heads.size
    expect(judge(bare, null)).toBe(1)
    expect(judge(good, reader)).toBe(1)
    expect(() => judge(bare, reader)).toThrow(code("QUORUM_NOT_MET"))
  })

  test("a proof file under a keyring", () => {
    const file = (checkpoint: string) =>
      formatProofFile({ extra: entry(3), index: 3n, proof: inclusion(3, 30), checkpoint })
    const verify = (note: string) => verifyProofFile({ file: file(note), keyring: ring(null), witnessPolicy: reader })
    expect(verify(good).cosignatures).toHaveLength(1)
    expect(() => verify(bare)).toThrow(code("QUORUM_NOT_MET"))
  })

  test("a log of dialect legion, whatever else is wrong with it", () => {
    const legion = { dialect: "legion", url: null, keyring: ["no keyring"], heads: {}, links: {} } as const
    const fault = (witnessPolicy: Policy | null) =>
      judgeLog({ origin: ORIGIN, log: legion, roots: [], nowSec: 0n, witnessPolicy }).fault?.code
    expect(fault(null)).toBe("KEYRING_MALFORMED")
    expect(fault(demand("none", 0))).toBe("KEYRING_MALFORMED")
    expect(fault(reader)).toBe("QUORUM_NOT_MET")
  })
})
