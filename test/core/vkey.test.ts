import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  computeKeyId,
  computeSigningKey,
  computeVerifierKey,
  countPublicKeys,
  ED25519_COSIGNATURE,
  ED25519_NOTE,
  formatSigningKey,
  formatVkey,
  isKeyName,
  MAX_VKEY_CHARS,
  ML_DSA_COSIGNATURE,
  parseSigningKey,
  parseVkey,
} from "../../src/core/vkey.js"
import { describeShared, readShared } from "../shared.js"
import { arbHash, arbKeyName, signer, verifier, witness } from "./log-fixtures.js"
import { isWanted } from "./open-choices.js"

const FOO = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
const malformed = expect.objectContaining({ code: "KEY_MALFORMED" })

test.each([FOO, "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"])("parseVkey reads %s", (vkey) => {
  const key = parseVkey(vkey)
  expect(key).toMatchObject({ vkey, type: ED25519_NOTE, id: Number.parseInt(vkey.split("+")[1] ?? "", 16) })
  expect(formatVkey(key)).toBe(vkey)
  expect(computeKeyId(key)).toBe(key.id)
})

test.each([
  { name: "an upper-case ID", vkey: FOO.replace("530d903a", "530D903A") },
  { name: "a newline at the end", vkey: `${FOO}\n` },
  { name: "another ID", vkey: FOO.replace("530d903a", "530d903b") },
  { name: "another name", vkey: FOO.replace("foo", "fop") },
  { name: "no name", vkey: FOO.replace("example.com/foo", "") },
  { name: "a short ID", vkey: FOO.replace("530d903a", "530d903") },
  { name: "no type byte", vkey: "example.com/foo+530d903a+6TJ5GubnqECkYWTJBHhkJtXngh3YspoA1hyucq/dTaQ=" },
  { name: "an empty key", vkey: "example.com/foo+530d903a+" },
  { name: "base64 without padding", vkey: FOO.replace("2k", "2") },
  { name: "too long", vkey: `${"x".repeat(MAX_VKEY_CHARS)}${FOO}` },
])("parseVkey refuses $name", ({ vkey }) => {
  expect(() => parseVkey(vkey)).toThrow(malformed)
})

test.each([0x00, 0x02, 0x03, 0x05, 0xff])("parseVkey refuses keys of type %i", (type) => {
  expect(() => computeVerifierKey({ name: "a", type, publicKey: signer("a").publicKey })).toThrow(malformed)
})

test("an ML-DSA cosigner key is read", () => {
  const vkey = formatVkey({ name: "w.example", type: ML_DSA_COSIGNATURE, publicKey: new Uint8Array(1312).fill(7) })
  expect(parseVkey(vkey)).toMatchObject({ vkey, type: ML_DSA_COSIGNATURE })
})

// White_Space of Unicode; `\s` of JavaScript lacks U+0085 and adds U+FEFF.
const SPACES = [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]
for (let code = 0x2000; code <= 0x200a; code++) SPACES.push(code)
test("key names have no Unicode white space, plus, control character or lone surrogate", () => {
  for (const code of [...SPACES, 0x2b, 0x00, 0x1f, 0xd800]) {
    expect(isKeyName(`a${String.fromCharCode(code)}b`), code.toString(16)).toBe(false)
  }
  for (const name of ["a\ufeffb", "a\u200bb", "a\u0080b", "\u{1f600}", "ä/…"]) expect(isKeyName(name), name).toBe(true)
  expect(isKeyName("")).toBe(false)
})

const LOW_ORDER = ["00".repeat(32), `01${"00".repeat(31)}`, `ec${"ff".repeat(30)}7f`, `01${"00".repeat(30)}80`]
test.each(LOW_ORDER)("the low-order key %s is refused at import", (hex) => {
  const publicKey = new Uint8Array(Buffer.from(hex, "hex"))
  for (const type of [ED25519_NOTE, ED25519_COSIGNATURE]) {
    const id = computeKeyId({ name: "evil", type, publicKey }).toString(16).padStart(8, "0")
    const vkey = `evil+${id}+${Buffer.from([type, ...publicKey]).toString("base64")}`
    expect(() => parseVkey(vkey)).toThrow(expect.objectContaining({ code: "KEY_LOW_ORDER", kind: "rejected" }))
  }
})

describe("signing keys", () => {
  test("parse and format are inverses", () =>
    fc.assert(
      fc.property(arbKeyName, arbHash, (name, seed) => {
        const key = computeSigningKey({ name, seed })
        const read = parseSigningKey(formatSigningKey(key))
        expect(read).toEqual(key)
        expect(read.seed).toEqual(seed)
      }),
    ))

  test("the seed stays out of JSON and of enumeration", () => {
    const key = signer("a")
    expect(Object.keys(key)).not.toContain("seed")
    expect(Object.keys(JSON.parse(JSON.stringify(key)))).not.toContain("seed")
  })

  const good = formatSigningKey(signer("a.example/log"))
  test.each([
    { name: "a verifier key", text: FOO },
    { name: "another ID", text: good.replace(/\+[0-9a-f]{8}\+/, "+00000000+") },
    { name: "another name", text: good.replace("a.example", "b.example") },
    { name: "a space in the name", text: good.replace("a.example", "a example") },
    { name: "a cosigner's type byte", text: good.replace(/\+A([^+]*)$/, "+B$1") },
    { name: "a cut seed", text: good.slice(0, -4) },
  ])("$name is refused, and the seed is not in the message", ({ text }) => {
    try {
      parseSigningKey(text)
      expect.unreachable()
    } catch (error) {
      expect(error).toEqual(malformed)
      expect(String(error)).not.toContain(good.split("+").at(-1))
    }
  })
})

test("vkeys: parse and format are inverses", () =>
  fc.assert(
    fc.property(arbKeyName, arbHash, fc.constantFrom(ED25519_NOTE, ED25519_COSIGNATURE), (name, seed, type) => {
      const key = verifier(computeSigningKey({ name, seed }), type)
      expect(parseVkey(key.vkey)).toEqual(key)
    }),
  ))

test("one flipped bit of a vkey is refused", () => {
  const bytes = new TextEncoder().encode(FOO)
  for (let i = 0; i < bytes.length * 8; i++) {
    const changed = bytes.slice()
    changed[i >> 3] = (changed[i >> 3] ?? 0) ^ (1 << (i & 7))
    expect(() => parseVkey(new TextDecoder().decode(changed)), `bit ${i}`).toThrow(malformed)
  }
})

test("a threshold counts public keys, not names, IDs or types", () => {
  const a = signer("a")
  expect(countPublicKeys([verifier(a), witness(a), verifier(signer("b", "a")), verifier(signer("c"))])).toBe(2)
})

describeShared("interop vectors", () => {
  const cases: { vkey: string; want: string }[] = JSON.parse(readShared("interop/vectors/notes/vkeys.json"))
  const nameOf = (vkey: string) => (vkey.endsWith("\n") ? "vkey-final-newline" : "vkey-upper-case-id")
  test.each(cases)("$vkey: $want", ({ vkey, want }) => {
    if (isWanted({ name: nameOf(vkey), want })) expect(parseVkey(vkey).vkey).toBe(vkey)
    else expect(() => parseVkey(vkey)).toThrow(malformed)
  })

  test("keys.json", () => {
    const keys = JSON.parse(readShared("interop/vectors/keys.json"))
    for (const { name, vkey, skey, public: publicKey } of [keys.log, keys.other_log, ...keys.witnesses]) {
      const secret = parseSigningKey(skey)
      expect(formatSigningKey(secret)).toBe(skey)
      const type = name.startsWith("witness") ? ED25519_COSIGNATURE : ED25519_NOTE
      expect(formatVkey({ ...secret, type })).toBe(vkey)
      expect(Buffer.from(secret.publicKey).toString("base64")).toBe(publicKey)
    }
  })
})
