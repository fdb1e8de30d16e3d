// Answers of a LEGION log's API that are no bundle and no archive: heads, records, proofs, history. Form only, members that are not known are
// ignored. What is asked for where: FORMAT.md, "LEGION dialect".
import { type Bad, ToolsumError } from "../errors.js"
import type { Hash } from "../hash.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../json.js"
import {
  type LegionBundle,
  type LegionInclusion,
  MAX_LEGION_ANSWER_BYTES,
  readBundle,
  readHashes,
  readInclusion,
} from "./bundle.js"
import { MAX_LEGION_HISTORY } from "./evidence.js"
import { parseLegionJson } from "./json.js"
import { parseSignedTreeHead, type SignedTreeHead } from "./tree-head.js"

const malformed: Bad = (why) => new ToolsumError("PROOF_MALFORMED", why)

function readAnswer(input: Uint8Array | string): JsonObject {
  const value = parseLegionJson(input, MAX_LEGION_ANSWER_BYTES)
  if (!isObject(value)) throw malformed("expected an object")
  return value
}

/** `/head` and `/head/{size}`: `{sth: {...}}` or the head itself. Throws JSON_MALFORMED, PROOF_MALFORMED, CHECKPOINT_MALFORMED. */
export function parseHeadAnswer(input: Uint8Array | string): SignedTreeHead {
  const answer = readAnswer(input)
  return parseSignedTreeHead(answer.sth ?? answer)
}

/** `/records/{leaf}`: `{record: {...}}` or the record itself, not read yet. Throws JSON_MALFORMED, PROOF_MALFORMED. */
export function parseRecordAnswer(input: Uint8Array | string): JsonObject {
  const answer = readAnswer(input)
  const record = answer.record ?? answer
  if (!isObject(record)) throw malformed("expected a record")
  return record
}

/** `/proof/inclusion`. Throws JSON_MALFORMED, PROOF_MALFORMED. */
export const parseInclusionAnswer = (input: Uint8Array | string): LegionInclusion => readInclusion(readAnswer(input))

/** A bundle of three answers, as its own answer would have it. Throws as their readers. */
export const joinBundle = (answers: {
  record: Uint8Array | string
  inclusion: Uint8Array | string
  head: Uint8Array | string
}): LegionBundle =>
  readBundle({
    record: parseRecordAnswer(answers.record),
    inclusion: readAnswer(answers.inclusion),
    sth: parseHeadAnswer(answers.head).document,
  })

/** `/proof/consistency`: `{proof: [...]}`. Throws JSON_MALFORMED, PROOF_MALFORMED. */
export const parseConsistencyAnswer = (input: Uint8Array | string): readonly Hash[] =>
  readHashes(readAnswer(input).proof)

/** History of a server, `{records: [...]}`: entries in any order, not read yet. Throws JSON_MALFORMED, PROOF_MALFORMED. */
export function parseHistoryAnswer(input: Uint8Array | string): readonly JsonObject[] {
  return readObjects(readAnswer(input).records, "records")
}

/** `/lookup/tools/{sha256}`, `{matches: [{server_id}]}`: ids of servers that are said to have had this list, unsigned. Throws JSON_MALFORMED,
 *  PROOF_MALFORMED. */
export const parseLookupAnswer = (input: Uint8Array | string): readonly string[] =>
  readObjects(readAnswer(input).matches, "matches").map(({ server_id: id }) => {
    if (typeof id !== "string") throw malformed("expected the id of a server")
    return id
  })

function readObjects(value: JsonValue | undefined, name: string): readonly JsonObject[] {
  if (!isArray(value) || !value.every(isObject)) throw malformed(`expected a list of objects as ${name}`)
  if (value.length > MAX_LEGION_HISTORY) throw malformed(`expected at most ${MAX_LEGION_HISTORY} ${name}`)
  return value
}
