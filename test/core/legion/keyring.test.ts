// Keyrings of the LEGION dialect: every case of the shared vectors, one bad keyring per check, flipped bits, and what signatures count where.
import { describe, expect, test } from "vitest"
import { formatBase64 } from "../../../src/core/bytes.js"
import type { JsonValue } from "../../../src/core/json.js"
import {
  MAX_LEGION_KEYRING_BYTES,
  MAX_LEGION_KEYRING_ENTRIES,
  requireKeyringExtends,
  requireLogSignature,
  type SignedPlace,
  verifyLegionKeyring,
} from "../../../src/core/legion/keyring.js"
import {
  BADGE_KEY,
  type EntryPlan,
  formatLegionKeyring,
  KEYRING,
  type LegionTestKey,
  LOG_KEY,
  makeLegionKey,
  ROOT,
  register,
  revoke,
  signJson,
} from "../../fakes/legion-log.js"
import { describeShared } from "../../shared.js"
import { everyNth, flipped } from "../flips.js"
import { expectRefusal, legionCases } from "./vectors.js"

interface Expected {
  readonly expect_keys?: readonly [string, number | null][]
}

const keysOf = (text: string, rootPin = ROOT.pin) =>
  [...verifyLegionKeyring({ text, rootPin }).keys.values()]
    .map(({ pin, limit }) => [pin, limit === null ? null : Number(limit)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))

describeShared("LEGION keyring vectors", () => {
  test.each(legionCases<{ keyring: string }, Expected>("keyring"))("$id: $desc", (one) => {
    const { input, root_pin: rootPin } = one
    if (one.expect === "accept") expect(keysOf(input.keyring, rootPin)).toEqual(one.expect_keys)
    else expectRefusal(() => keysOf(input.keyring, rootPin), one)
  })
})

const TEXT = formatLegionKeyring(KEYRING)
const refuse = (text: string, code: string) =>
  expect(() => verifyLegionKeyring({ text, rootPin: ROOT.pin })).toThrow(expect.objectContaining({ code }))

const edited = (
  number: number,
  edit: (entry: Record<string, JsonValue>) => void,
  plans: readonly EntryPlan[] = KEYRING,
) =>
  formatLegionKeyring(plans, (entry, at) => {
    if (at === number) edit(entry)
  })

const OTHER = makeLegionKey("other")

describe("verifyLegionKeyring", () => {
  test("knows each key, its limit and what it is for", () => {
    const { keys, revoked, rootPin } = verifyLegionKeyring({
      text: formatLegionKeyring([
        ...KEYRING,
        register(OTHER, "mcp-tlog"),
        revoke(LOG_KEY.id, { valid_until_tree_size: 20 }),
        revoke(OTHER.id, { valid_until_tree_size: null }),
      ]),
    })
    expect(rootPin).toBe(ROOT.pin)
    expect(keys.get(ROOT.pin)).toMatchObject({ limit: null, signsLog: true })
    expect(keys.get(LOG_KEY.pin)).toMatchObject({ limit: 20n, signsLog: true })
    expect(keys.get(BADGE_KEY.pin)).toMatchObject({ limit: null, signsLog: false })
    expect(keys.has(OTHER.pin)).toBe(false)
    expect([...revoked]).toEqual([OTHER.id])
  })

  test("takes a first entry without hash and proof of possession", () => {
    const text = edited(1, (entry) => {
      delete entry.hash
      delete entry.self_sig
    })
    expect(verifyLegionKeyring({ text, rootPin: ROOT.pin }).keys.size).toBe(3)
  })

  test("takes lines that end in a carriage return, and no final newline", () => {
    expect(verifyLegionKeyring({ text: TEXT.trimEnd().replaceAll("\n", "\r\n\r\n") }).keys.size).toBe(3)
  })

  test.each<{ name: string; text: string; code: string }>([
    {
      name: "another root than the pinned one",
      text: formatLegionKeyring([register(OTHER, "root")]),
      code: "ROOT_MISMATCH",
    },
    {
      name: "a first entry that is a revocation",
      text: formatLegionKeyring([revoke(ROOT.id)]),
      code: "KEYRING_INVALID",
    },
    { name: "nothing", text: "\n", code: "KEYRING_INVALID" },
    {
      name: "a wrong hash of the first entry",
      text: edited(1, (e) => {
        e.hash = "0".repeat(64)
      }),
      code: "KEYRING_INVALID",
    },
    {
      name: "a wrong proof of possession of the root",
      text: edited(1, (e) => {
        e.self_sig = signJson(OTHER, {})
      }),
      code: "KEYRING_INVALID",
    },
    {
      name: "a wrong hash",
      text: edited(2, (e) => {
        e.hash = "0".repeat(64)
      }),
      code: "KEYRING_INVALID",
    },
    { name: "a missing entry", text: TEXT.split("\n").toSpliced(1, 1).join("\n"), code: "KEYRING_INVALID" },
    {
      name: "no endorsement",
      text: edited(2, (e) => {
        delete e.endorsement_sig
      }),
      code: "KEYRING_INVALID",
    },
    {
      name: "an endorsement by another key",
      text: edited(2, (e) => {
        e.endorsement_sig = signJson(LOG_KEY, { a: 1 })
      }),
      code: "KEYRING_INVALID",
    },
    {
      name: "no proof of possession",
      text: edited(2, (e) => {
        delete e.self_sig
      }),
      code: "KEYRING_INVALID",
    },
    {
      name: "an id of another key",
      text: formatLegionKeyring([register(ROOT, "root"), register(LOG_KEY, "mcp-tlog", { key_id: ROOT.id })]),
      code: "KEYRING_INVALID",
    },
    {
      name: "a low-order key",
      text: formatLegionKeyring([register(ROOT, "root"), weak(new Uint8Array(32))]),
      code: "KEY_LOW_ORDER",
    },
    {
      name: "a key in its second spelling",
      text: formatLegionKeyring([register(ROOT, "root"), weak(UNREDUCED)]),
      code: "KEY_LOW_ORDER",
    },
    {
      name: "a key of 31 bytes",
      text: formatLegionKeyring([register(ROOT, "root"), weak(new Uint8Array(31))]),
      code: "KEYRING_MALFORMED",
    },
    {
      name: "another algorithm",
      text: formatLegionKeyring([register(ROOT, "root"), register(LOG_KEY, "mcp-tlog", { alg: "RSA" })]),
      code: "KEYRING_MALFORMED",
    },
    {
      name: "an unknown type",
      text: formatLegionKeyring([register(ROOT, "root"), { body: { type: "key_rename" } }]),
      code: "KEYRING_MALFORMED",
    },
    {
      name: "a revocation of no key",
      text: formatLegionKeyring([register(ROOT, "root"), { body: { type: "key_revoke" } }]),
      code: "KEYRING_MALFORMED",
    },
    {
      name: "a limit that is no tree size",
      text: formatLegionKeyring([...KEYRING, revoke(LOG_KEY.id, { valid_until_tree_size: -1 })]),
      code: "KEYRING_MALFORMED",
    },
    { name: "a line that is no object", text: `${TEXT}[]`, code: "KEYRING_MALFORMED" },
    { name: "a member twice", text: TEXT.replace("{", '{"type":"x",'), code: "KEYRING_MALFORMED" },
    { name: "too many bytes", text: " ".repeat(MAX_LEGION_KEYRING_BYTES + 1), code: "KEYRING_MALFORMED" },
    { name: "too many entries", text: "{}\n".repeat(MAX_LEGION_KEYRING_ENTRIES + 1), code: "KEYRING_MALFORMED" },
  ])("refuses $name", ({ text, code }) => refuse(text, code))

  test("refuses a flipped bit, wherever it is", () => {
    const bytes = new TextEncoder().encode(TEXT)
    for (const flip of everyNth(bytes, 7)) {
      const text = new TextDecoder().decode(flipped(bytes, flip))
      expect(() => verifyLegionKeyring({ text, rootPin: ROOT.pin }), `bit ${flip.bit} of byte ${flip.at}`).toThrow()
    }
  })
})

/** A registration that no private key belongs to: its signatures are whatever they are. */
function weak(publicKey: Uint8Array): EntryPlan {
  return register(LOG_KEY, "mcp-tlog", { public_key_b64: formatBase64(publicKey) })
}

// y = p + 3, the second spelling of a point that is not of low order.
const UNREDUCED = new Uint8Array(32).fill(0xff).with(0, 0xf0).with(31, 0x7f)

describe("requireLogSignature", () => {
  const plans = [
    ...KEYRING,
    register(OTHER, "mcp-tlog"),
    revoke(LOG_KEY.id, { valid_until_tree_size: 12 }),
    revoke(OTHER.id),
  ]
  const keyring = verifyLegionKeyring({ text: formatLegionKeyring(plans) })
  const check =
    (key: LegionTestKey, place: SignedPlace, signature = signJson(key, { a: 1 })) =>
    () =>
      requireLogSignature(keyring, { keyPin: key.pin, message: new TextEncoder().encode('{"a":1}'), signature, place })

  test.each<{ name: string; key: LegionTestKey; place: SignedPlace }>([
    { name: "a record below a retired key's limit", key: LOG_KEY, place: { kind: "record", at: 11n } },
    { name: "a head at a retired key's limit", key: LOG_KEY, place: { kind: "head", at: 12n } },
    { name: "anything by the root", key: ROOT, place: { kind: "record", at: 99n } },
  ])("takes $name", ({ key, place }) => check(key, place)())

  test.each<{ name: string; key: LegionTestKey; place: SignedPlace; code: string }>([
    {
      name: "a record at a retired key's limit",
      key: LOG_KEY,
      place: { kind: "record", at: 12n },
      code: "KEY_NOT_VALID_AT_SIZE",
    },
    {
      name: "a head above a retired key's limit",
      key: LOG_KEY,
      place: { kind: "head", at: 13n },
      code: "KEY_NOT_VALID_AT_SIZE",
    },
    { name: "a key for badges", key: BADGE_KEY, place: { kind: "record", at: 0n }, code: "KEY_NOT_VALID_AT_SIZE" },
    { name: "a revoked key", key: OTHER, place: { kind: "record", at: 0n }, code: "KEY_NOT_VALID_AT_SIZE" },
    {
      name: "a key that is not in the keyring",
      key: makeLegionKey("x"),
      place: { kind: "head", at: 1n },
      code: "SIGNATURE_INVALID",
    },
  ])("refuses $name", ({ key, place, code }) => expect(check(key, place)).toThrow(expect.objectContaining({ code })))

  test("refuses another message, and a signature that is no base64", () => {
    const place = { kind: "record", at: 0n } as const
    const code = "SIGNATURE_INVALID"
    expect(check(LOG_KEY, place, signJson(LOG_KEY, { a: 2 }))).toThrow(expect.objectContaining({ code }))
    expect(check(LOG_KEY, place, "AA")).toThrow(expect.objectContaining({ code }))
  })
})

describe("requireKeyringExtends", () => {
  const open = (plans: readonly EntryPlan[]) => verifyLegionKeyring({ text: formatLegionKeyring(plans) })
  const stored = open(KEYRING)

  test("takes the same and a longer one", () => {
    requireKeyringExtends({ stored, served: stored })
    requireKeyringExtends({ stored, served: open([...KEYRING, revoke(LOG_KEY.id)]) })
  })

  test.each<{ name: string; plans: readonly EntryPlan[]; code: string }>([
    { name: "a shorter one", plans: KEYRING.slice(0, 2), code: "LOG_ROLLBACK" },
    { name: "another history", plans: [...KEYRING.slice(0, 2), revoke(LOG_KEY.id)], code: "LOG_INCONSISTENT" },
  ])("refuses $name", ({ plans, code }) =>
    expect(() => requireKeyringExtends({ stored, served: open(plans) })).toThrow(expect.objectContaining({ code })),
  )

  test("refuses one of another root", () => {
    const served = { ...stored, rootPin: OTHER.pin }
    expect(() => requireKeyringExtends({ stored, served })).toThrow(expect.objectContaining({ code: "ROOT_MISMATCH" }))
  })
})
