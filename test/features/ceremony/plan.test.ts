import { describe, expect, test } from "vitest"
import { formatCheckpoint } from "../../../src/core/checkpoint.js"
import { computeKeyringDigest, parseKeyring, requireNext } from "../../../src/core/keyring.js"
import type { Keyring, LogKey } from "../../../src/core/keyring-text.js"
import { signNote } from "../../../src/core/note.js"
import { parsePolicy } from "../../../src/core/policy.js"
import { computeVerifierKey, formatKeyId, type VerifierKey } from "../../../src/core/vkey.js"
import { findAffectedHeads } from "../../../src/features/ceremony/affected.js"
import {
  type CeremonyLog,
  findKey,
  findNewestKey,
  planEdit,
  planFinish,
  planPolicy,
  planReplacement,
  planRevocation,
  planRotation,
} from "../../../src/features/ceremony/plan.js"
import { keyring, keyringNote, logKey, ORIGIN, rootOf, signer, verifier } from "../../core/log-fixtures.js"

const NOW = 1_796_500_000n
const HEAD = { size: 10n, rootHash: rootOf(10) }
const [first, second] = [signer(ORIGIN), signer(ORIGIN, "second")]
const usage = expect.objectContaining({ code: "USAGE" })

/** A log of 10 entries under a first keyring with these changes. */
const logWith = (changes: Partial<Keyring> = {}, expires?: bigint | null): CeremonyLog => ({
  keyring: parseKeyring(keyringNote(keyring(changes))),
  head: HEAD,
  nowSec: NOW,
  expires,
})
const CHANGING = { logs: [logKey(first), logKey(second, { from: 8n })] }
const keysOf = (next: Keyring) =>
  next.logs.map(({ key, from, closing, revoked }: LogKey) => ({
    id: key.id,
    from,
    until: closing?.size ?? null,
    revoked,
  }))

/** Every plan must be one that a chain accepts. */
function accepted(log: CeremonyLog, next: Keyring): Keyring {
  requireNext(next, log.keyring, ORIGIN)
  expect(next).toMatchObject({ version: 2n, issued: NOW, prev: computeKeyringDigest(log.keyring) })
  return next
}

describe("a new log key", () => {
  test("stands beside the old one, from a size that the log has not reached", () => {
    const log = logWith()
    const next = accepted(log, planRotation(log, { key: verifier(second), from: 12n }))
    expect(keysOf(next)).toEqual([
      { id: first.id, from: 0n, until: null, revoked: false },
      { id: second.id, from: 12n, until: null, revoked: false },
    ])
    expect(findNewestKey(next)?.key.id).toBe(second.id)
  })

  test.each([0n, 9n, 10n])("not from size %s, which the log has", (from) => {
    expect(() => planRotation(logWith(), { key: verifier(second), from })).toThrow(usage)
  })

  test("not while another change is under way", () => {
    expect(() => planRotation(logWith(CHANGING), { key: verifier(signer(ORIGIN, "third")), from: 12n })).toThrow(usage)
  })

  test("a ninth takes the place of the one that is longest out of use", () => {
    const old = Array.from({ length: 7 }, (_, i) =>
      logKey(signer(ORIGIN, `old ${i}`), {
        from: BigInt(i),
        closing: { size: BigInt(i + 1), rootHash: rootOf(i + 1) },
      }),
    )
    const log = logWith({ logs: [...old, logKey(first, { from: 7n })] })
    const next = accepted(log, planRotation(log, { key: verifier(second), from: 11n }))
    expect(next.logs).toHaveLength(8)
    expect(next.logs.some(({ key }) => key.vkey === old[0]?.key.vkey)).toBe(false)
  })
})

describe("the end of a change", () => {
  test("closes the old key at the tree as it is", () => {
    const log = logWith(CHANGING)
    const next = accepted(log, planFinish(log))
    expect(keysOf(next)).toEqual([
      { id: first.id, from: 0n, until: 10n, revoked: false },
      { id: second.id, from: 8n, until: null, revoked: false },
    ])
    expect(next.logs.find(({ closing }) => closing)?.closing?.rootHash).toEqual(HEAD.rootHash)
  })

  test.each([
    { name: "one key only", changes: {} },
    { name: "a new key that signs later", changes: { logs: [logKey(first), logKey(second, { from: 12n })] } },
  ])("not with $name", ({ changes }) => {
    expect(() => planFinish(logWith(changes))).toThrow(usage)
  })

  test("at the next size the new key may already sign", () => {
    const log = logWith({ logs: [logKey(first), logKey(second, { from: 11n })] })
    accepted(log, planFinish(log))
  })
})

describe("a key that is lost or stolen", () => {
  test("lost: closed, with the new one at once; one that has not signed yet is revoked", () => {
    const log = logWith({ logs: [logKey(first), logKey(second, { from: 12n })] })
    const third = signer(ORIGIN, "third")
    expect(keysOf(accepted(log, planReplacement(log, verifier(third))))).toEqual([
      { id: first.id, from: 0n, until: 10n, revoked: false },
      { id: second.id, from: 12n, until: null, revoked: true },
      { id: third.id, from: 11n, until: null, revoked: false },
    ])
  })

  test("stolen: revoked; without another key in use only with a new one", () => {
    const log = logWith()
    const [revoked] = log.keyring.logs
    if (revoked === undefined) throw new Error("no key")
    expect(() => planRevocation(log, { revoked, replacement: null })).toThrow(usage)
    const next = accepted(log, planRevocation(log, { revoked, replacement: verifier(second) }))
    expect(keysOf(next).map((key) => key.revoked)).toEqual([true, false])
    const again = logWith({ logs: next.logs })
    const [gone] = again.keyring.logs.filter((key) => key.revoked)
    expect(() => planRevocation(again, { revoked: gone ?? revoked, replacement: null })).toThrow(usage)
  })

  test("heads that rest on it alone are found, and whose they are", async () => {
    const log = logWith(CHANGING)
    const revoked = findKey(log.keyring.logs, formatKeyId(first.id), ({ key }) => key)
    const next = planRevocation(log, { revoked, replacement: null })
    const note = (size: number, keys = [first], rootHash = rootOf(size)) =>
      signNote(formatCheckpoint({ origin: ORIGIN, size: BigInt(size), rootHash, extensions: [] }), keys)
    const heads = [
      { from: "old", note: note(5) },
      { from: "both", note: note(9, [first, second]) },
      { from: "both too early", note: note(7, [first, second]) },
      { from: "forged", note: note(6, [first], rootOf(5)) },
      { from: "larger", note: note(11) },
      { from: "stranger", note: note(5, [signer("other")]) },
      { from: "no note", note: "x" },
    ]
    const rootAt = async (size: bigint) => (size > 10n ? null : rootOf(Number(size)))
    const found = await findAffectedHeads({ heads, next, rootAt })
    expect(found.map(({ from, isOurs }) => [from, isOurs])).toEqual([
      ["old", true],
      ["both too early", true],
      ["forged", false],
      ["larger", null],
    ])
  })
})

describe("root keys, witnesses, expiry", () => {
  const [a, b] = [verifier(signer("root-a")), verifier(signer("root-b"))]
  const edit = { added: [], removed: [], threshold: null }
  const renamed = ({ type, publicKey }: VerifierKey) => computeVerifierKey({ name: "another-name", type, publicKey })

  test("a second root key and a threshold of two", () => {
    const log = logWith()
    const next = accepted(log, planEdit(log, { ...edit, added: [b], threshold: 2 }))
    expect([next.roots.length, next.rootThreshold]).toEqual([2, 2])
  })

  test.each([
    { name: "nothing", change: edit },
    { name: "a key that is there", change: { ...edit, added: [a] } },
    { name: "a key that is there, under another name", change: { ...edit, added: [renamed(a)] } },
    { name: "a key given twice", change: { ...edit, added: [b, b], threshold: 2 } },
    { name: "a key given under two names", change: { ...edit, added: [b, renamed(b)], threshold: 2 } },
    { name: "a log key", change: { ...edit, added: [renamed(verifier(first))] } },
    { name: "more signatures than keys", change: { ...edit, threshold: 2 } },
  ])("$name is no change", ({ change }) => {
    expect(() => planEdit(logWith(), change)).toThrow(usage)
  })

  test("the expiry stays unless another is given; one that has passed must be replaced", () => {
    const log = logWith({ expires: NOW + 5n })
    const policy = parsePolicy("quorum none\n")
    expect(accepted(log, planPolicy(log, policy)).expires).toBe(NOW + 5n)
    const past = { expires: NOW - 1n }
    expect(() => planPolicy(logWith(past), policy)).toThrow("would have expired already")
    expect(accepted(logWith(past), planPolicy(logWith(past, null), null)).expires).toBeNull()
    expect(planEdit(logWith({}, NOW + 9n), edit).expires).toBe(NOW + 9n)
  })

  test("other witnesses", () => {
    const log = logWith()
    const next = accepted(log, planPolicy(log, parsePolicy("quorum none\n")))
    expect(next.policy?.quorum).toBeNull()
    expect(() => planPolicy(log, null)).toThrow(usage)
    expect(() => planPolicy(logWith({ policy: next.policy }), parsePolicy("quorum none\n"))).toThrow(usage)
    expect(
      accepted(logWith({ policy: next.policy }), planPolicy(logWith({ policy: next.policy }), null)).policy,
    ).toBeNull()
  })

  test("a key is found by ID or vkey, and never by half", () => {
    const { roots } = keyring()
    expect(findKey(roots, formatKeyId(a.id), (key) => key)).toEqual(a)
    expect(findKey(roots, a.vkey, (key) => key)).toEqual(a)
    for (const text of ["", a.name, formatKeyId(a.id).slice(1), "00000000"])
      expect(() => findKey(roots, text, (key) => key)).toThrow(usage)
  })
})
