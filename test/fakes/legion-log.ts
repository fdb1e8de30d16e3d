// A small LEGION log in memory: keys, keyring, signed records and heads, proofs, archives. Everything in it can be made wrong one thing at a
// time, so that each check has a case that fails there and nowhere else.
import { formatBase64, formatHex } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { computePublicKey, signEd25519 } from "../../src/core/ed25519.js"
import { hashLeaf, sha256 } from "../../src/core/hash.js"
import type { JsonObject, JsonValue } from "../../src/core/json.js"
import { computeFingerprint, coverTools } from "../../src/core/legion/fingerprint.js"
import { encodeSigned } from "../../src/core/legion/json.js"
import { FINGERPRINT_ALGORITHMS, type FingerprintVersion } from "../../src/core/legion/record.js"
import { buildConsistencyProof, buildInclusionProof, computeTreeHash } from "../../src/core/merkle-tree.js"

/** A key pair from a word. `id` as keyrings name it. */
export interface LegionTestKey {
  readonly seed: Uint8Array
  readonly publicKey: Uint8Array
  readonly pin: string
  readonly id: string
}

const encoder = new TextEncoder()

export function makeLegionKey(word: string): LegionTestKey {
  const seed = sha256(encoder.encode(word))
  const publicKey = computePublicKey(seed)
  const pin = formatHex(sha256(publicKey))
  return { seed, publicKey, pin, id: `k1:${pin.slice(0, 32)}` }
}

export const ROOT = makeLegionKey("root")
export const LOG_KEY = makeLegionKey("log")
export const BADGE_KEY = makeLegionKey("badge")

export const signJson = (key: LegionTestKey, object: JsonObject, without: readonly string[] = []): string =>
  formatBase64(signEd25519({ seed: key.seed, message: encodeSigned(object, without) }))

/** An entry before it is signed and chained. `key`: who registers; absent in revocations. */
export interface EntryPlan {
  readonly body: JsonObject
  readonly key?: LegionTestKey
}

export const register = (key: LegionTestKey, purpose: string, more: JsonObject = {}): EntryPlan => ({
  key,
  body: {
    type: "key_register",
    alg: "Ed25519",
    purpose,
    key_id: key.id,
    public_key_b64: formatBase64(key.publicKey),
    ...more,
  },
})

export const revoke = (id: string, more: JsonObject = {}): EntryPlan => ({
  body: { type: "key_revoke", key_id: id, ...more },
})

/** The text of a keyring: each plan hashed, signed by its own key and endorsed by the root. `edit` changes a finished entry. */
export function formatLegionKeyring(
  plans: readonly EntryPlan[],
  edit: (entry: Record<string, JsonValue>, number: number) => void = () => {},
): string {
  let previous: string | null = null
  const lines = plans.map(({ body, key }, i) => {
    const chained: JsonObject = { ...body, prev_hash: previous }
    const hash = formatHex(sha256(encodeSigned(chained)))
    const entry: Record<string, JsonValue> = { ...chained, hash }
    if (key) entry.self_sig = signJson(key, chained)
    if (i > 0) entry.endorsement_sig = signJson(ROOT, chained)
    edit(entry, i + 1)
    previous = hash
    return JSON.stringify(entry)
  })
  return `${lines.join("\n")}\n`
}

/** One observation to log. */
export interface RecordPlan {
  readonly serverId: string
  readonly tools: readonly JsonValue[]
  readonly version?: FingerprintVersion
  readonly key?: LegionTestKey
  /** Changes the record before it is signed. */
  readonly edit?: (record: Record<string, JsonValue>) => void
}

/** A signed record of a list. */
export function makeRecord(plan: RecordPlan, leafIndex: number): JsonObject {
  const { serverId, tools, version = "v2", key = LOG_KEY, edit } = plan
  const print = computeFingerprint({ tools, version, rule: "observe" })
  const record: Record<string, JsonValue> = {
    schema: "legion-mcp-tlog-record/0.1",
    leaf_index: leafIndex,
    server_id: serverId,
    observed_at: `2026-03-01T00:00:${String(leafIndex % 60).padStart(2, "0")}Z`,
    tools_fingerprint: {
      algo: FINGERPRINT_ALGORITHMS[version],
      sha256: print.sha256,
      tool_count: print.tools.size,
      per_tool_sha256: [...print.tools].map((pair) => [...pair]),
    },
    key_id: key.pin,
  }
  edit?.(record)
  return { ...record, signature_ed25519: signJson(key, record) }
}

/** A log of records under one key. */
export interface LegionTestLog {
  readonly keyring: string
  readonly records: readonly JsonObject[]
  /** Signed head of the first `size` records; `edit` changes it before it is signed. */
  head(size: number, options?: { key?: LegionTestKey; edit?: (head: Record<string, JsonValue>) => void }): JsonObject
  /** Record, inclusion proof and head. */
  bundle(leafIndex: number, size?: number): JsonObject
  consistency(from: number, to: number): readonly string[]
}

export const KEYRING: readonly EntryPlan[] = [
  register(ROOT, "root"),
  register(LOG_KEY, "mcp-tlog"),
  register(BADGE_KEY, "mcp-badge"),
]

export function makeLegionLog(plans: readonly RecordPlan[], keyring: readonly EntryPlan[] = KEYRING): LegionTestLog {
  const records = plans.map(makeRecord)
  const leaves = records.map((record) => hashLeaf(encodeSigned(record)))
  const read = (level: number, index: bigint) => {
    const width = 2 ** level
    return computeTreeHash(leaves.slice(Number(index) * width, (Number(index) + 1) * width))
  }
  const head: LegionTestLog["head"] = (size, { key = LOG_KEY, edit } = {}) => {
    const body: Record<string, JsonValue> = {
      schema: "legion-mcp-tlog-sth/0.1",
      tree_size: size,
      root_sha256: formatHex(computeTreeHash(leaves.slice(0, size))),
      timestamp: "2026-04-01T00:00:00Z",
      issuer_pin_sha256: key.pin,
    }
    edit?.(body)
    return { tree_head: body, signature_ed25519: signJson(key, body) }
  }
  return {
    keyring: formatLegionKeyring(keyring),
    records,
    head,
    bundle: (leafIndex, size = records.length) => ({
      record: records[leafIndex] ?? null,
      inclusion: {
        leaf_index: leafIndex,
        tree_size: size,
        audit_path: buildInclusionProof(BigInt(leafIndex), BigInt(size), read).map(formatHex),
      },
      sth: head(size),
    }),
    consistency: (from, to) => buildConsistencyProof(BigInt(from), BigInt(to), read).map(formatHex),
  }
}

/** The archive's answer for a list in the form in which the log observed it. */
export const formatArchive = (tools: readonly JsonValue[]): string =>
  `{"tools":[${[...coverTools(tools, "observe").values()].map(canonicalize).join(",")}]}`

/** A tool with a schema of one property. */
export const toolOf = (name: string, description = `Does ${name}.`): JsonObject => ({
  name,
  description,
  inputSchema: { type: "object", properties: { x: { type: "string" } } },
})
