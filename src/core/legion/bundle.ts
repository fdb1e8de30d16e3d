// A record of a LEGION log with its inclusion proof and a signed tree head, as the log serves it and as lockfiles and evidence keep it. Form
// only: what it proves is verify-bundle.ts's. FORMAT.md, "LEGION dialect".
import { type Bad, quote, ToolsumError } from "../errors.js"
import type { Hash } from "../hash.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../json.js"
import { parseLegionJson, readCount } from "./json.js"
import { parseHash, parseSignedTreeHead, type SignedTreeHead } from "./tree-head.js"

/** Bytes of a bundle, and of any other answer of the log. */
export const MAX_LEGION_ANSWER_BYTES = 8 * 1024 * 1024
/** Hashes of a proof: more than a tree of 2^63 leaves needs. */
export const MAX_LEGION_PROOF_HASHES = 128

/** An inclusion proof. `path`: sibling hashes, leaf side first. */
export interface LegionInclusion {
  readonly leafIndex: bigint
  readonly treeSize: bigint
  readonly path: readonly Hash[]
}

/** A record, not read yet, with what shall prove it. */
export interface LegionBundle {
  readonly record: JsonObject
  readonly inclusion: LegionInclusion
  readonly head: SignedTreeHead
  /** How many newer observations the log says it has that no signed head covers yet: unsigned. Null where it says nothing. */
  readonly newerUncovered: bigint | null
  /** Members `inclusion`, `record` and `sth` as served. */
  readonly document: JsonObject
}

const malformed: Bad = (why) => new ToolsumError("PROOF_MALFORMED", why)

/** Read a bundle from its text. Throws JSON_MALFORMED, PROOF_MALFORMED, CHECKPOINT_MALFORMED. */
export const parseBundle = (input: Uint8Array | string): LegionBundle =>
  readBundle(parseLegionJson(input, MAX_LEGION_ANSWER_BYTES))

/** Read a bundle from what `parseLegionJson` gave. Members that are not known are ignored. Throws as `parseBundle`. */
export function readBundle(value: JsonValue | undefined): LegionBundle {
  if (!isObject(value)) throw malformed("expected an object with record, inclusion and sth")
  const { record, inclusion, sth, newer_uncovered_records: uncovered } = value
  if (!isObject(record)) throw malformed("expected a record")
  return {
    record,
    inclusion: readInclusion(inclusion),
    head: parseSignedTreeHead(sth),
    newerUncovered: readUncovered(uncovered),
    document: { inclusion: inclusion ?? null, record, sth: sth ?? null },
  }
}

/** Read the count of newer observations; null where there is none. Throws PROOF_MALFORMED. */
export function readUncovered(value: JsonValue | undefined): bigint | null {
  if (value === undefined || value === null) return null
  const count = readCount(value)
  if (count === null) throw malformed("expected a count as newer_uncovered_records")
  return count
}

/** Read an inclusion proof. Throws PROOF_MALFORMED. */
export function readInclusion(value: JsonValue | undefined): LegionInclusion {
  if (!isObject(value)) throw malformed("expected an inclusion proof")
  const leafIndex = readCount(value.leaf_index)
  const treeSize = readCount(value.tree_size)
  if (leafIndex === null || treeSize === null) throw malformed("expected leaf index and tree size of the proof")
  return { leafIndex, treeSize, path: readHashes(value.audit_path) }
}

/** Read the hashes of a proof: 64 lower-case hex digits each. Throws PROOF_MALFORMED. */
export function readHashes(value: JsonValue | undefined): readonly Hash[] {
  if (!isArray(value)) throw malformed("expected a list of hashes")
  if (value.length > MAX_LEGION_PROOF_HASHES) throw malformed(`expected at most ${MAX_LEGION_PROOF_HASHES} hashes`)
  return value.map((hash) => {
    if (typeof hash !== "string") throw malformed("expected a hash as text")
    return parseHash(hash, (why) => malformed(`hash ${quote(hash)}: ${why}`))
  })
}
