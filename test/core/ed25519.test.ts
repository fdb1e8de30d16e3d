import fc from "fast-check"
import { expect, test } from "vitest"
import { formatHex, parseHex } from "../../src/core/bytes.js"
import * as native from "../../src/core/crypto-native.js"
import * as noble from "../../src/core/crypto-noble.js"
import {
  computePublicKey,
  isLowOrderPoint,
  signEd25519,
  verifyEd25519,
  verifyEd25519With,
} from "../../src/core/ed25519.js"
import { ToolsumError } from "../../src/core/errors.js"
import { describeShared, hasShared, readShared } from "../shared.js"

const hex = (text: string): Uint8Array => parseHex(text, (why) => new ToolsumError("KEY_MALFORMED", why))
const utf8 = new TextEncoder()

/** The verdict of the rule on both implementations, which must agree. */
function verdict(p: { publicKey: Uint8Array; message: Uint8Array; signature: Uint8Array }): boolean {
  const result = verifyEd25519(p)
  expect(verifyEd25519With(noble.ed25519Verify, p)).toBe(result)
  return result
}

interface CctvCase {
  readonly number: number
  readonly key: string
  readonly sig: string
  readonly msg: string
  readonly flags: readonly string[] | null
}

describeShared("CCTV", () => {
  const cases: readonly CctvCase[] = hasShared ? JSON.parse(readShared("vectors/cctv-ed25519/ed25519vectors.json")) : []
  // Points with a low-order part are fine: only where that part decides (the residue) do verifiers differ.
  const harmless = new Set(["low_order_component_A", "low_order_component_R"])

  test("exactly the cases of the strict rule are accepted, native and portable alike", () => {
    const accepted = cases.filter(({ key, sig, msg }) =>
      verdict({ publicKey: hex(key), message: utf8.encode(msg), signature: hex(sig) }),
    )
    const expected = cases.filter(({ flags }) => (flags ?? []).every((flag) => harmless.has(flag)))
    expect(accepted.map(({ number }) => number)).toEqual(expected.map(({ number }) => number))
    expect([cases.length, accepted.length]).toEqual([914, 43])
  })

  test("the low-order encodings are those of the keys and R that carry the flag", () => {
    for (const { key, sig, flags } of cases) {
      expect(isLowOrderPoint(hex(key))).toBe(flags?.includes("low_order_A") ?? false)
      expect(isLowOrderPoint(hex(sig).subarray(0, 32))).toBe(flags?.includes("low_order_R") ?? false)
    }
    const encodings = new Set(cases.filter(({ flags }) => flags?.includes("low_order_A")).map(({ key }) => key))
    expect(encodings.size).toBe(14)
  })
})

interface WycheproofGroup {
  readonly publicKey: { readonly pk: string }
  readonly tests: readonly {
    readonly tcId: number
    readonly comment: string
    readonly msg: string
    readonly sig: string
    readonly result: string
  }[]
}

describeShared("Wycheproof", () => {
  const groups: readonly WycheproofGroup[] = hasShared
    ? JSON.parse(readShared("vectors/wycheproof-ed25519/ed25519_test.json")).testGroups
    : []
  const cases = groups.flatMap(({ publicKey, tests }) => tests.map((t) => ({ ...t, pk: publicKey.pk })))

  test.each(cases)("$tcId $comment: $result", ({ pk, msg, sig, result }) => {
    expect(verdict({ publicKey: hex(pk), message: hex(msg), signature: hex(sig) })).toBe(result === "valid")
  })

  test("all are there", () => {
    expect([cases.length, cases.filter(({ result }) => result === "valid").length]).toEqual([77, 45])
  })
})

// RFC 8032 §7.1, tests 1 to 3.
const RFC8032 = [
  {
    seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    message: "",
    signature:
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  },
  {
    seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    message: "72",
    signature:
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  },
  {
    seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
    publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    message: "af82",
    signature:
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  },
]

test.each(RFC8032)("RFC 8032: seed $seed", ({ seed, publicKey, message, signature }) => {
  expect(formatHex(computePublicKey(hex(seed)))).toBe(publicKey)
  expect(formatHex(signEd25519({ seed: hex(seed), message: hex(message) }))).toBe(signature)
  expect(formatHex(noble.ed25519PublicKey(hex(seed)))).toBe(publicKey)
  expect(formatHex(noble.ed25519Sign(hex(message), hex(seed)))).toBe(signature)
  expect(verdict({ publicKey: hex(publicKey), message: hex(message), signature: hex(signature) })).toBe(true)
})

const seed = new Uint8Array(32).fill(7)
const message = utf8.encode("a message")
const signed = { publicKey: computePublicKey(seed), message, signature: signEd25519({ seed, message }) }

test.each([
  { name: "a shorter signature", edit: { signature: signed.signature.subarray(0, 63) } },
  { name: "a longer signature", edit: { signature: Uint8Array.of(...signed.signature, 0) } },
  { name: "an empty signature", edit: { signature: new Uint8Array(0) } },
  { name: "a shorter key", edit: { publicKey: signed.publicKey.subarray(0, 31) } },
  { name: "a longer key", edit: { publicKey: Uint8Array.of(...signed.publicKey, 0) } },
  { name: "another message", edit: { message: utf8.encode("another message") } },
  { name: "a key that is no point", edit: { publicKey: Uint8Array.of(2, ...new Uint8Array(31)) } },
])("verifyEd25519 refuses $name", ({ edit }) => {
  expect(verdict(signed)).toBe(true)
  expect(verdict({ ...signed, ...edit })).toBe(false)
})

test("the identity as key and R signs every message without the rule, none with it", () => {
  const identity = Uint8Array.of(1, ...new Uint8Array(31))
  const forged = { publicKey: identity, message, signature: Uint8Array.of(...identity, ...new Uint8Array(32)) }
  expect(native.ed25519Verify(forged.signature, forged.message, forged.publicKey)).toBe(true)
  expect(verdict(forged)).toBe(false)
})

test("a flipped bit of a signature or key is refused", () => {
  fc.assert(
    fc.property(fc.nat(96 * 8 - 1), (bit) => {
      const all = Uint8Array.of(...signed.signature, ...signed.publicKey)
      all[bit >> 3] = (all[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(verdict({ message, signature: all.subarray(0, 64), publicKey: all.subarray(64) })).toBe(false)
    }),
  )
})

test("sign and verify, on both implementations", () => {
  const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
  fc.assert(
    fc.property(bytes32, fc.uint8Array({ maxLength: 300 }), (seed, message) => {
      const [publicKey, signature] = [computePublicKey(seed), signEd25519({ seed, message })]
      expect(noble.ed25519PublicKey(seed)).toEqual(publicKey)
      expect(noble.ed25519Sign(message, seed)).toEqual(signature)
      expect(verdict({ publicKey, message, signature })).toBe(true)
    }),
    { numRuns: 30 },
  )
})

test.each([0, 31, 33, 64])("a seed of %i bytes is refused", (length) => {
  const seed = new Uint8Array(length)
  const malformed = expect.objectContaining({ code: "KEY_MALFORMED" })
  expect(() => signEd25519({ seed, message })).toThrow(malformed)
  expect(() => computePublicKey(seed)).toThrow(malformed)
})
