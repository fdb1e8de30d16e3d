import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import { EMPTY_ROOT, sha256 } from "../../src/core/hash.js"
import { fingerprintOf, MAX_KEYRING_BYTES, MAX_KEYRINGS, parseKeyring, verifyKeyring } from "../../src/core/keyring.js"
import { formatKeyringText, type Keyring, type LogKey, parseKeyringText } from "../../src/core/keyring-text.js"
import { parseNote, signNote } from "../../src/core/note.js"
import { parsePolicy } from "../../src/core/policy.js"
import type { KeyringFloor } from "../../src/core/root.js"
import { computeSigningKey, type SigningKey } from "../../src/core/vkey.js"
import { describeShared, readShared } from "../shared.js"
import {
  arbDecimal,
  arbHash,
  bytesOf,
  flip,
  keyring,
  keyringNote,
  logKey,
  nextKeyring,
  ORIGIN,
  rootOf,
  signer,
  verifier,
  witness,
} from "./log-fixtures.js"

const [a, b, c] = [signer("root-a"), signer("root-b"), signer("root-c")] as const
const log = signer(ORIGIN)
const next = signer(ORIGIN, "second log key")
const ONE = keyringNote(keyring())
const textOf = (note: string) => ({ version: parseKeyring(note).version, text: parseNote(note).text })
const code = (expected: string) => expect.objectContaining({ code: expected })

/** Keyring 2: root set a, b, c with two needed, a second log key from size 20. */
const two = nextKeyring(textOf(ONE), {
  rootThreshold: 2,
  roots: [a, b, c].map((key) => verifier(key)),
  logs: [logKey(log), logKey(next, { from: 20n })],
})
const TWO = keyringNote(two, [a, b])

describe("making and walking a chain", () => {
  test("keyring 1 is made, signed and verified", () => {
    const verified = verifyKeyring({ notes: [ONE], origin: ORIGIN })
    expect(verified).toMatchObject({ origin: ORIGIN, fingerprint: fingerprintOf(ONE), warnings: [] })
    expect(verified.newest).toMatchObject(keyring())
    expect(verified.digest).toEqual(sha256(bytesOf(parseNote(ONE).text)))
    expect(verifyKeyring({ notes: [bytesOf(ONE)], root: fingerprintOf(ONE) }).fingerprint).toBe(verified.fingerprint)
  })

  test("the fingerprint stays while every key rotates", () => {
    const three = nextKeyring(textOf(TWO), { roots: [verifier(c)], logs: [logKey(next)] })
    const notes = [ONE, TWO, keyringNote(three, [b, c])]
    const verified = verifyKeyring({ notes, origin: ORIGIN, root: fingerprintOf(ONE) })
    expect(verified.newest).toMatchObject({ version: 3n, rootThreshold: 1 })
    expect(verifyKeyring({ notes: notes.slice(0, 2) }).newest.version).toBe(2n)
  })

  test("a signature counts for a public key, whatever its name in the two sets", () => {
    const renamed = signer("new-name", "root-a")
    const note = keyringNote(nextKeyring(textOf(ONE), { roots: [verifier(renamed)] }), [renamed])
    expect(verifyKeyring({ notes: [ONE, note] }).newest.version).toBe(2n)
  })

  test("a policy is inside, and its log keys are those of the keyring", () => {
    const w = signer("w.example")
    const policy = (key: SigningKey) =>
      parsePolicy(`log ${verifier(key).vkey}\nwitness w ${witness(w).vkey}\nquorum w\n`)
    const note = keyringNote(keyring({ policy: policy(log) }))
    expect(verifyKeyring({ notes: [note] }).newest.policy?.quorum).toBe("w")
    expect(() => verifyKeyring({ notes: [keyringNote(keyring({ policy: policy(next) }))] })).toThrow(
      code("KEYRING_INVALID"),
    )
  })

  test("expiry is a warning, and only the newest keyring's", () => {
    const early = keyringNote(keyring({ expires: 1796000100n }))
    const later = keyringNote(nextKeyring(textOf(early), {}))
    const warnings = (notes: string[], nowSec: bigint) => verifyKeyring({ notes, nowSec }).warnings
    expect(warnings([early], 1796000099n)).toEqual([])
    expect(warnings([early], 1796000100n)).toEqual(["keyring_expired"])
    expect(warnings([early, later], 1796000100n)).toEqual([])
    expect(verifyKeyring({ notes: [early] }).warnings).toEqual([])
  })

  test("a floor holds the chain to a keyring it once reached", () => {
    const digest = verifyKeyring({ notes: [ONE, TWO] }).digest
    const check = (notes: string[], floor: KeyringFloor | null) => verifyKeyring({ notes, floor }).newest.version
    expect(check([ONE, TWO], { version: 2n, digest })).toBe(2n)
    expect(check([ONE, TWO], null)).toBe(2n)
    expect(() => check([ONE], { version: 2n, digest })).toThrow(code("KEYRING_INVALID"))
    expect(() => check([ONE, TWO], { version: 1n, digest })).toThrow(code("KEYRING_INVALID"))
    // The digest is that of the text: another set of good signatures does not change it.
    expect(check([ONE, keyringNote(two, [a, c])], { version: 2n, digest })).toBe(2n)
    const verified = verifyKeyring({ notes: [ONE] })
    expect(() => verified.requireFloor({ version: 2n, digest })).toThrow(code("KEYRING_INVALID"))
    verified.requireFloor(null)
  })

  test("1024 keyrings are walked, 1025 are not", () => {
    const notes = [ONE]
    while (notes.length < MAX_KEYRINGS) notes.push(keyringNote(nextKeyring(textOf(notes.at(-1) ?? ""), {})))
    expect(verifyKeyring({ notes }).newest.version).toBe(BigInt(MAX_KEYRINGS))
    expect(() => verifyKeyring({ notes: [...notes, ONE] })).toThrow(code("KEYRING_MALFORMED"))
  })
})

const closing = { size: 25n, rootHash: rootOf(25) }
const TWO_ROOTS = { roots: [verifier(a), verifier(b)] }
test.each<{ name: string; text: Partial<Keyring>; by?: readonly SigningKey[] }>([
  { name: "no known signature", text: {}, by: [b] },
  { name: "threshold 0", text: { rootThreshold: 0 } },
  { name: "a threshold above the number of keys", text: { rootThreshold: 2 } },
  { name: "too few signatures", text: { ...TWO_ROOTS, rootThreshold: 2 } },
  { name: "version 0", text: { version: 0n } },
  { name: "version 2 at the start", text: { version: 2n, prev: EMPTY_ROOT } },
  { name: "prev in version 1", text: { prev: EMPTY_ROOT } },
  { name: "expiry at issue", text: { expires: 1796000000n } },
  { name: "a log key of another name", text: { logs: [logKey(signer("log.example/b"))] } },
  { name: "one public key under two root names", text: { roots: [verifier(a), verifier(signer("x", "root-a"))] } },
  { name: "a root key as log key", text: { roots: [verifier(log)] }, by: [log] },
  {
    name: "a root key as witness",
    text: { policy: parsePolicy(`witness w ${witness(signer("w", "root-a")).vkey}\nquorum w\n`) },
  },
  {
    name: "a log key as witness",
    text: { policy: parsePolicy(`witness w ${witness(signer("w", ORIGIN)).vkey}\nquorum w\n`) },
  },
  {
    name: "a log key in two windows",
    text: { logs: [logKey(log, { closing }), logKey(log, { from: 30n })] },
  },
  {
    name: "a closing tree of size 0 with a root",
    text: { logs: [logKey(log, { closing: { ...closing, size: 0n } })] },
  },
])("keyring 1 with $name is rejected", ({ text, by = [a] }) => {
  const note = keyringNote(keyring(text), by)
  try {
    verifyKeyring({ notes: [note] })
    expect.unreachable()
  } catch (error) {
    expect(error).toMatchObject({ kind: "rejected" })
    expect((error as ToolsumError).code).toMatch(/^(KEYRING_INVALID|SIGNATURE_INVALID)$/)
  }
})

test.each<{ name: string; notes: readonly string[]; code: string }>([
  { name: "the old set alone", notes: [ONE, keyringNote(two, [a])], code: "KEYRING_INVALID" },
  { name: "the new set alone", notes: [ONE, keyringNote(two, [b, c])], code: "KEYRING_INVALID" },
  { name: "one signer twice", notes: [ONE, keyringNote(two, [a, a])], code: "KEYRING_INVALID" },
  { name: "a gap", notes: [ONE, keyringNote({ ...two, version: 3n }, [a, b])], code: "KEYRING_INVALID" },
  { name: "the same keyring twice", notes: [ONE, ONE], code: "KEYRING_INVALID" },
  { name: "the wrong order", notes: [TWO, ONE], code: "KEYRING_INVALID" },
  {
    name: "another keyring as prev",
    notes: [ONE, keyringNote({ ...two, prev: EMPTY_ROOT }, [a, b])],
    code: "KEYRING_INVALID",
  },
  { name: "prev missing", notes: [ONE, keyringNote({ ...two, prev: null }, [a, b])], code: "KEYRING_INVALID" },
  {
    name: "another origin",
    notes: [ONE, keyringNote({ ...two, origin: "log.example/b", logs: [logKey(signer("log.example/b"))] }, [a, b])],
    code: "ORIGIN_MISMATCH",
  },
  {
    name: "a bad line of an old root key that the new set does without",
    notes: [
      ONE,
      keyringNote(two, [a, b]),
      badLine(keyringNote(nextKeyring(textOf(TWO), { roots: [verifier(c)] }), [b, c]), a),
    ],
    code: "SIGNATURE_INVALID",
  },
  { name: "a bad line beside enough good ones", notes: [ONE, badLine(TWO, c)], code: "SIGNATURE_INVALID" },
])("a rotation with $name is rejected", ({ notes, code: expected }) => {
  expect(() => verifyKeyring({ notes })).toThrow(expect.objectContaining({ code: expected, kind: "rejected" }))
})

// The note with one line more: a signature by `key` of another text.
function badLine(note: string, key: SigningKey): string {
  return `${note}${signNote("other\n", [key]).split("\n")[2]}\n`
}

test("another root or origin than expected is rejected", () => {
  const other = fingerprintOf(keyringNote(keyring(TWO_ROOTS)))
  expect(() => verifyKeyring({ notes: [ONE], root: other })).toThrow(code("ROOT_MISMATCH"))
  expect(() => verifyKeyring({ notes: [ONE, TWO], root: other })).toThrow(code("ROOT_MISMATCH"))
  expect(() => verifyKeyring({ notes: [ONE], origin: "log.example/b" })).toThrow(code("ORIGIN_MISMATCH"))
})

const TEXT = formatKeyringText({ ...keyring(TWO_ROOTS), logs: [logKey(log, { closing }), logKey(next)] })
const rootLines = TEXT.match(/^root .*\n/gm) ?? []
const logLines = TEXT.match(/^log .*\n/gm) ?? []
test.each([
  { name: "another type", edit: (t: string) => t.replace("keyring/v1", "keyring/v2") },
  { name: "no final newline", edit: (t: string) => t.slice(0, -1) },
  { name: "an empty line", edit: (t: string) => `${t}\n` },
  { name: "an unknown line", edit: (t: string) => `${t}note x\n` },
  { name: "a missing line", edit: (t: string) => t.replace(/^expires.*\n/m, "") },
  { name: "two lines swapped", edit: (t: string) => t.replace(/^(issued.*\n)(expires.*\n)/m, "$2$1") },
  { name: "two spaces", edit: (t: string) => t.replace("version 1", "version  1") },
  { name: "a leading zero", edit: (t: string) => t.replace("version 1", "version 01") },
  { name: "two expressions on one line", edit: (t: string) => t.replace("\nexpires", " expires") },
  { name: "CR LF", edit: (t: string) => t.replaceAll("\n", "\r\n") },
  { name: "an origin with a space", edit: (t: string) => t.replace(`origin ${ORIGIN}`, "origin a b") },
  { name: "a short prev", edit: (t: string) => t.replace("prev -", "prev AAAA") },
  { name: "unsorted roots", edit: (t: string) => t.replace(rootLines.join(""), [...rootLines].reverse().join("")) },
  { name: "a root twice", edit: (t: string) => t.replace(rootLines[0] ?? "", `${rootLines[0]}${rootLines[0]}`) },
  { name: "unsorted log keys", edit: (t: string) => t.replace(logLines.join(""), [...logLines].reverse().join("")) },
  { name: "no root", edit: (t: string) => t.replace(rootLines.join(""), "") },
  { name: "no log key", edit: (t: string) => t.replace(logLines.join(""), "") },
  { name: "nine roots", edit: (t: string) => t.replace(rootLines.join(""), nineRoots()) },
  { name: "a cosigner key as root", edit: (t: string) => t.replace(rootLines[0] ?? "", `root ${witness(a).vkey}\n`) },
  { name: "a wrong key ID", edit: (t: string) => t.replace(/\+[0-9a-f]{8}\+/, "+00000000+") },
  { name: "until without root", edit: (t: string) => t.replace(/ root \S+=$/m, "") },
  { name: "until below from", edit: (t: string) => t.replace("from 0 until 25", "from 26 until 25") },
  { name: "revoked before until", edit: (t: string) => t.replace("from 0 until", "from 0 revoked until") },
  { name: "words after revoked", edit: (t: string) => t.replace(/from 0$/m, "from 0 revoked revoked") },
  {
    name: "a threshold beyond 2^53",
    edit: (t: string) => t.replace("root-threshold 1", "root-threshold 9007199254740993"),
  },
  { name: "a policy without padding", edit: (t: string) => t.replace("policy -", "policy cXVvcnVtIG5vbmUKCg") },
  { name: "an empty policy", edit: (t: string) => t.replace("policy -", "policy ") },
  { name: "a policy digest", edit: (t: string) => t.replace("policy -", `policy-sha256 ${"0".repeat(64)}`) },
  {
    name: "a policy that fails open",
    edit: (t: string) => t.replace("policy -", `policy ${btoa("group g all\nquorum g\n")}`),
  },
])("a keyring text with $name is malformed", ({ edit }) => {
  expect(edit(TEXT)).not.toBe(TEXT)
  expect(() => parseKeyringText(edit(TEXT))).toThrow(expect.objectContaining({ kind: "malformed" }))
})

function nineRoots(): string {
  const vkeys = Array.from({ length: 9 }, (_, i) => verifier(signer(`r${i}`)).vkey)
  return vkeys.map((vkey) => `root ${vkey}\n`).join("")
}

test("a keyring of more than 16 KiB, an empty list, and what is no note are malformed", () => {
  const long = `${ONE}\u2014 x ${btoa("x".repeat(13_000))}\n`
  expect(long.length).toBeGreaterThan(MAX_KEYRING_BYTES)
  for (const notes of [[long], [bytesOf(long)], [], ["hello"], [parseNote(ONE).text]]) {
    expect(() => verifyKeyring({ notes })).toThrow(expect.objectContaining({ kind: "malformed" }))
  }
})

const arbKey = arbHash.map((seed) => verifier(computeSigningKey({ name: ORIGIN, seed })))
const arbLog: fc.Arbitrary<LogKey> = fc
  .record({
    key: arbKey,
    from: arbDecimal,
    more: fc.nat(1000),
    rootHash: arbHash,
    closed: fc.boolean(),
    revoked: fc.boolean(),
  })
  .map(({ key, from, more, rootHash, closed, revoked }) => {
    const until = from + BigInt(more)
    return { key, from, closing: closed && until < 2n ** 63n ? { size: until, rootHash } : null, revoked }
  })
const unique = {
  minLength: 1,
  maxLength: 8,
  selector: (key: { vkey?: string; key?: { vkey: string } }) => key.vkey ?? key.key?.vkey,
}
const arbKeyring: fc.Arbitrary<Keyring> = fc.record({
  origin: fc.constant(ORIGIN),
  version: arbDecimal,
  prev: fc.option(arbHash),
  issued: arbDecimal,
  expires: fc.option(arbDecimal),
  rootThreshold: fc.nat(),
  roots: fc.uniqueArray(arbKey, unique),
  logs: fc.uniqueArray(arbLog, unique),
  policy: fc.option(fc.constant(parsePolicy("# none\nquorum none\n"))),
})

test("format and parse are inverses", () =>
  fc.assert(
    fc.property(arbKeyring, (made) => {
      const text = formatKeyringText(made)
      const read = parseKeyringText(text)
      expect(formatKeyringText(read)).toBe(text)
      const byText = (x: { vkey: string }, y: { vkey: string }) => (x.vkey < y.vkey ? -1 : 1)
      expect({ ...read, logs: read.logs.length }).toEqual({
        ...made,
        roots: [...made.roots].sort(byText),
        logs: made.logs.length,
      })
      for (const own of made.logs) expect(read.logs).toContainEqual(own)
    }),
    { numRuns: 50 },
  ))

test("one flipped bit of a keyring is refused", () => {
  const bytes = bytesOf(ONE)
  for (let i = 0; i < bytes.length * 8; i++) {
    expect(() => verifyKeyring({ notes: [flip(bytes, i >> 3, i & 7)] }), `bit ${i}`).toThrow(ToolsumError)
  }
})

test("one flipped bit of a rotation is refused, or takes away a signature that is not needed", () => {
  const bytes = bytesOf(keyringNote(two, [a, b, c]))
  const spare = bytesOf(parseNote(TWO).text).length
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
      try {
        expect(verifyKeyring({ notes: [ONE, flip(bytes, at, bit)] }).newest).toMatchObject(two)
        expect(at).toBeGreaterThan(spare)
      } catch (error) {
        if (!(error instanceof ToolsumError)) throw error
      }
    }),
    { numRuns: 1000 },
  )
})

describeShared("roots.json", () => {
  interface Chain {
    desc: string
    origin: string
    root: string
    keyrings: string[]
    floor?: [number, string]
    now?: number
    expect: "accept" | "reject" | "malformed"
    version?: number
    warnings?: string[]
  }
  const { chains }: { chains: Chain[] } = JSON.parse(readShared("vectors/toolsum/roots.json"))
  test.each(chains)("$desc: $expect", ({ keyrings: notes, origin, root, floor, now, ...want }) => {
    const verify = () =>
      verifyKeyring({
        notes,
        origin,
        root,
        ...(now === undefined ? {} : { nowSec: BigInt(now) }),
        floor: floor ? { version: BigInt(floor[0]), digest: new Uint8Array(Buffer.from(floor[1], "hex")) } : null,
      })
    if (want.expect !== "accept") {
      const kind = want.expect === "reject" ? "rejected" : "malformed"
      return void expect(verify).toThrow(expect.objectContaining({ kind }))
    }
    expect(verify()).toMatchObject({ newest: { version: BigInt(want.version ?? 0) }, warnings: want.warnings })
    for (const note of notes) {
      const { text } = parseNote(note)
      expect(formatKeyringText(parseKeyringText(text))).toBe(text)
    }
  })
})
