// Records of the LEGION dialect with their proofs: every bundle of the shared vectors, one bad bundle per check, flipped bits.
import { describe, expect, test } from "vitest"
import type { JsonObject, JsonValue } from "../../../src/core/json.js"
import { MAX_LEGION_ANSWER_BYTES, MAX_LEGION_PROOF_HASHES, parseBundle } from "../../../src/core/legion/bundle.js"
import { verifyLegionKeyring } from "../../../src/core/legion/keyring.js"
import { parseTime } from "../../../src/core/legion/time.js"
import { verifyBundle, verifySignedEntry } from "../../../src/core/legion/verify-bundle.js"
import {
  BADGE_KEY,
  type LegionTestLog,
  LOG_KEY,
  makeLegionKey,
  makeLegionLog,
  makeRecord,
  ROOT,
  signJson,
  toolOf,
} from "../../fakes/legion-log.js"
import { describeShared } from "../../shared.js"
import { everyNth, flipped } from "../flips.js"
import { expectRefusal, legionCases } from "./vectors.js"

interface Input {
  readonly bundle?: string
  readonly bundle_b64?: string
  readonly keyring: string
  readonly server_id: string
}

describeShared("LEGION bundle vectors", () => {
  test.each(legionCases<Input>("bundle"))("$id: $desc", (one) => {
    const { bundle, bundle_b64, keyring, server_id: serverId } = one.input
    const bytes = new Uint8Array(Buffer.from(bundle_b64 ?? "", "base64"))
    const verify = () =>
      verifyBundle({
        keyring: verifyLegionKeyring({ text: keyring, rootPin: one.root_pin }),
        bundle: parseBundle(bundle ?? bytes),
        serverId,
      })
    if (one.expect === "accept") expect(verify().entry.serverId).toBe(serverId)
    else expectRefusal(verify, one)
  })
})

const TOOLS = [toolOf("b"), toolOf("a")]
const ID = "io.test/one"
const plan = { serverId: ID, tools: TOOLS }

/** A log whose second record, of six, is made by `edit` before it is signed. */
const logOf = (edit: (record: Record<string, JsonValue>) => void = () => {}): LegionTestLog =>
  makeLegionLog([
    { serverId: "io.test/zero", tools: [] },
    { ...plan, edit },
    ...[2, 3, 4, 5].map((n) => ({ serverId: `io.test/${n}`, tools: [toolOf(`t${n}`)] })),
  ])

const LOG = logOf()
const KEYRING = verifyLegionKeyring({ text: LOG.keyring, rootPin: ROOT.pin })
const prove = (bundle: JsonObject, serverId = ID) =>
  verifyBundle({ bundle: parseBundle(JSON.stringify(bundle)), keyring: KEYRING, serverId })
const refuse = (bundle: JsonObject, code: string, serverId = ID) =>
  expect(() => prove(bundle, serverId)).toThrow(expect.objectContaining({ code }))

const GOOD = LOG.bundle(1)
const part = (name: string) => GOOD[name] as JsonObject // an object in each bundle

describe("verifyBundle", () => {
  test("proves every record of every tree", () => {
    for (let size = 1; size <= 6; size++)
      for (let leaf = 0; leaf < size; leaf++) {
        const { entry, head } = prove(LOG.bundle(leaf, size), String(LOG.records[leaf]?.server_id))
        expect([entry.leafIndex, head.size]).toEqual([BigInt(leaf), BigInt(size)])
      }
  })

  test("reads what the record says", () => {
    const { entry } = prove(GOOD)
    expect(entry).toMatchObject({ kind: "record", serverId: ID, observedSec: parseTime("2026-03-01T00:00:01Z") })
    expect(entry.kind === "record" && [...entry.fingerprint.tools.keys()]).toEqual(["a", "b"])
  })

  test("takes a number with a fraction of zero for the integer that it is", () => {
    const text = JSON.stringify(GOOD).replaceAll('"leaf_index":1', '"leaf_index":1.0')
    expect(verifyBundle({ bundle: parseBundle(text), keyring: KEYRING, serverId: ID }).entry.leafIndex).toBe(1n)
  })

  const other = makeLegionLog([{ serverId: "io.test/x", tools: [] }, plan, ...Array(4).fill(plan)])

  test.each<{ name: string; bundle: JsonObject; code: string }>([
    {
      name: "an edited record",
      bundle: { ...GOOD, record: { ...part("record"), observed_at: "2026-03-02T00:00:01Z" } },
      code: "SIGNATURE_INVALID",
    },
    {
      name: "a record without signature",
      bundle: { ...GOOD, record: { ...part("record"), signature_ed25519: null } },
      code: "SIGNATURE_INVALID",
    },
    {
      name: "a record without leaf index",
      bundle: { ...GOOD, record: { ...part("record"), leaf_index: true } },
      code: "PROOF_MALFORMED",
    },
    { name: "a head of another log", bundle: { ...GOOD, sth: other.head(6) }, code: "INCLUSION_INVALID" },
    {
      name: "a head by a key for badges",
      bundle: { ...GOOD, sth: LOG.head(6, { key: BADGE_KEY }) },
      code: "KEY_NOT_VALID_AT_SIZE",
    },
    {
      name: "a head by a strange key",
      bundle: { ...GOOD, sth: LOG.head(6, { key: makeLegionKey("x") }) },
      code: "SIGNATURE_INVALID",
    },
    {
      name: "an edited head",
      bundle: { ...GOOD, sth: { ...LOG.head(6), tree_head: LOG.head(5).tree_head ?? null } },
      code: "SIGNATURE_INVALID",
    },
    {
      name: "a head of another schema",
      bundle: {
        ...GOOD,
        sth: LOG.head(6, {
          edit: (h) => {
            h.schema = "x"
          },
        }),
      },
      code: "CHECKPOINT_MALFORMED",
    },
    {
      name: "a head with a short root",
      bundle: {
        ...GOOD,
        sth: LOG.head(6, {
          edit: (h) => {
            h.root_sha256 = "00"
          },
        }),
      },
      code: "CHECKPOINT_MALFORMED",
    },
    { name: "no head", bundle: { ...GOOD, sth: null }, code: "CHECKPOINT_MALFORMED" },
    {
      name: "a proof for another size",
      bundle: { ...GOOD, inclusion: { ...part("inclusion"), tree_size: 5 } },
      code: "INCLUSION_INVALID",
    },
    {
      name: "a proof for another leaf",
      bundle: { ...GOOD, inclusion: { ...part("inclusion"), leaf_index: 0 } },
      code: "INCLUSION_INVALID",
    },
    {
      name: "another leaf's proof",
      bundle: { ...GOOD, inclusion: { ...(LOG.bundle(2).inclusion as JsonObject), leaf_index: 1 } },
      code: "INCLUSION_INVALID",
    },
    {
      name: "a proof hash in upper case",
      bundle: { ...GOOD, inclusion: { ...part("inclusion"), audit_path: ["AB".repeat(32)] } },
      code: "PROOF_MALFORMED",
    },
    {
      name: "too many hashes",
      bundle: {
        ...GOOD,
        inclusion: { ...part("inclusion"), audit_path: Array(MAX_LEGION_PROOF_HASHES + 1).fill("00".repeat(32)) },
      },
      code: "PROOF_MALFORMED",
    },
    { name: "no proof", bundle: { ...GOOD, inclusion: null }, code: "PROOF_MALFORMED" },
    { name: "a record that is text", bundle: { ...GOOD, record: "x" }, code: "PROOF_MALFORMED" },
    { name: "a count that is no count", bundle: { ...GOOD, newer_uncovered_records: true }, code: "PROOF_MALFORMED" },
    {
      name: "an integer beyond 2^53 in what is signed",
      bundle: JSON.parse(JSON.stringify(GOOD).replace('"tool_count":2', '"tool_count":2,"n":9007199254740994')),
      code: "JSON_MALFORMED",
    },
  ])("refuses $name", ({ bundle, code }) => refuse(bundle, code))

  test("refuses another server's record, whatever case it is asked for in", () => {
    refuse(GOOD, "RECORD_INVALID", "io.test/zero")
    refuse(GOOD, "RECORD_INVALID", "IO.test/one")
  })

  test("refuses an answer beyond the limit", () => {
    const code = "JSON_MALFORMED"
    expect(() => parseBundle(" ".repeat(MAX_LEGION_ANSWER_BYTES + 1))).toThrow(expect.objectContaining({ code }))
  })

  test("refuses a flipped bit, or answers the same", () => {
    const bytes = new TextEncoder().encode(JSON.stringify(GOOD))
    const good = prove(GOOD)
    for (const flip of everyNth(bytes, 5)) {
      try {
        const proven = verifyBundle({ bundle: parseBundle(flipped(bytes, flip)), keyring: KEYRING, serverId: ID })
        expect(proven, `bit ${flip.bit} of byte ${flip.at}`).toEqual(good)
      } catch (error) {
        expect(error, `bit ${flip.bit} of byte ${flip.at}`).toMatchObject({ name: "ToolsumError" })
      }
    }
  })
})

describe("a record that the log signed", () => {
  type Edit = (record: Record<string, JsonValue>) => void
  const print = (record: Record<string, JsonValue>) => record.tools_fingerprint as Record<string, JsonValue> // makeRecord's own

  test.each<{ name: string; edit: Edit; code: string }>([
    {
      name: "a count of other tools",
      edit: (r) => {
        print(r).tool_count = 3
      },
      code: "RECORD_INVALID",
    },
    {
      name: "a count that is true",
      edit: (r) => {
        print(r).tool_count = true
      },
      code: "RECORD_INVALID",
    },
    {
      name: "names out of order",
      edit: (r) => {
        print(r).per_tool_sha256 = [...(print(r).per_tool_sha256 as JsonValue[])].reverse()
      },
      code: "RECORD_INVALID",
    },
    {
      name: "a name twice",
      edit: (r) => {
        print(r).per_tool_sha256 = [
          ["a", "0".repeat(64)],
          ["a", "0".repeat(64)],
        ]
      },
      code: "RECORD_INVALID",
    },
    {
      name: "a hash that is none",
      edit: (r) => {
        print(r).per_tool_sha256 = [
          ["a", "0".repeat(64)],
          ["b", "x"],
        ]
      },
      code: "RECORD_INVALID",
    },
    {
      name: "a fingerprint that is none",
      edit: (r) => {
        print(r).sha256 = "x"
      },
      code: "RECORD_INVALID",
    },
    {
      name: "no table",
      edit: (r) => {
        print(r).per_tool_sha256 = null
      },
      code: "RECORD_INVALID",
    },
    {
      name: "no fingerprint",
      edit: (r) => {
        r.tools_fingerprint = null
      },
      code: "RECORD_INVALID",
    },
    {
      name: "no time",
      edit: (r) => {
        r.observed_at = "yesterday"
      },
      code: "RECORD_INVALID",
    },
    {
      name: "no server",
      edit: (r) => {
        r.server_id = 1
      },
      code: "RECORD_INVALID",
    },
    {
      name: "an unknown fingerprint",
      edit: (r) => {
        print(r).algo = "sha256(canon(x))/v1"
      },
      code: "RECORD_MALFORMED",
    },
    {
      name: "an unknown schema",
      edit: (r) => {
        r.schema = "legion-mcp-tlog-record/0.2"
      },
      code: "RECORD_MALFORMED",
    },
  ])("refuses $name", ({ edit, code }) => refuse(logOf(edit).bundle(1), code))

  const correct =
    (more: JsonObject): Edit =>
    (record) => {
      delete record.tools_fingerprint
      Object.assign(record, { schema: "legion-mcp-tlog-correction/0.1", kind: "canonicalization_artifact" }, more)
    }

  test("may be a correction", () => {
    const edit = correct({ corrects_leaf_index: 0, artifact: "array_order" })
    const { entry } = prove(logOf(edit).bundle(1))
    expect(entry).toMatchObject({ kind: "correction", correctsLeafIndex: 0n, artifact: "array_order" })
  })

  test.each<{ name: string; more: JsonObject }>([
    { name: "of a later leaf", more: { corrects_leaf_index: 1, artifact: "array_order" } },
    { name: "of no leaf", more: { artifact: "array_order" } },
    { name: "of an unknown artifact", more: { corrects_leaf_index: 0, artifact: "x" } },
    { name: "of an unknown kind", more: { corrects_leaf_index: 0, artifact: "array_order", kind: "x" } },
  ])("refuses a correction $name", ({ more }) => refuse(logOf(correct(more)).bundle(1), "RECORD_INVALID"))
})

describe("verifySignedEntry", () => {
  const verify = (record: JsonObject, serverId = ID) => verifySignedEntry({ record, keyring: KEYRING, serverId })

  test("reads a record of the history", () => {
    expect(verify(makeRecord(plan, 7)).leafIndex).toBe(7n)
  })

  test("refuses another server's, and one that is not signed", () => {
    const code = "SIGNATURE_INVALID"
    expect(() => verify(makeRecord(plan, 7), "io.test/x")).toThrow(expect.objectContaining({ code: "RECORD_INVALID" }))
    const forged = { ...makeRecord(plan, 7), signature_ed25519: signJson(LOG_KEY, {}) }
    expect(() => verify(forged)).toThrow(expect.objectContaining({ code }))
  })
})

test.each([
  ["2026-03-01T00:00:00Z", 1772323200n],
  ["2026-03-01T01:00:00.999999+01:00", 1772323200n],
  ["2026-02-28T23:30:00-00:30", 1772323200n],
  ["2024-02-29T00:00:00Z", 1709164800n],
  ["2026-02-29T00:00:00Z", null],
  ["2026-13-01T00:00:00Z", null],
  ["2026-03-01T24:00:00Z", null],
  ["2026-03-01 00:00:00Z", null],
  ["2026-03-01T00:00:00", null],
])("parseTime %s", (text, seconds) => expect(parseTime(text)).toBe(seconds))
