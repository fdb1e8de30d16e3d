// One pin in a lockfile (DESIGN 7, formats 32 to 38): target, evidence, item digests, masks, circumstances, approval. Only what is
// visible without hashing or a signature is checked here; record and proof stay as they are, and verify-pin.ts judges them.
import { formatBase64, parseBase64, parseDecimal } from "./bytes.js"
import { ToolsumError } from "./errors.js"
import { type Digest, HASH_BYTES, type Hash, isDigest } from "./hash.js"
import { isObject, type JsonObject, type JsonValue } from "./json.js"
import type { LockedLog } from "./lockfile-log.js"
import {
  checkMembers,
  describe,
  malformed,
  malformedAt,
  memberPlace,
  readDigest,
  readInstant,
  readList,
  readObject,
  readText,
  readTextOrNull,
} from "./lockfile-reader.js"
import { formatMasks, type Mask, parseMasks } from "./mask.js"
import { joinHashes } from "./merkle.js"
import { parseObservation } from "./record.js"
import { checkTemplates, formatTarget, parseTarget, type Target } from "./target.js"

/** Item digests of one section by key, after masks. */
export type ItemDigests = Readonly<Record<string, Digest>>

/** Who accepted which pin digest. `from`: the pin digest approved before. `at`: `YYYY-MM-DDTHH:MM:SSZ`. `only` is reserved. */
export interface Approval {
  readonly pin: Digest
  readonly from: Digest | null
  readonly at: string
  readonly by: string
  readonly reason: string | null
  readonly only: null
}

/** A place in a client configuration that a pin was taken from. */
export interface PinOrigin {
  readonly file: string
  readonly name: string
}

/** A pin as a lockfile has it; nothing of it is proven.
 *  A logged pin has `record`, `index`, `head` and `proof`; one that is not logged yet has `observation` in their place; one of a log of
 *  dialect legion has `evidence`, verbatim JSON text. The others are null then, `evidence` is absent.
 *  `target` is null only in a pin of dialect legion whose record came without one: that dialect names servers by an id.
 *  `proof`: sibling hashes, leaf side first; a proof whose bytes are no whole number of hashes ends with a shorter one, which
 *  `verifyInclusion` refuses. `resources` is absent when they were not recorded. `read`: under which circumstances the list was read. */
export interface Pin {
  readonly from: readonly PinOrigin[]
  readonly target: Target | null
  readonly log: string
  readonly record: string | null
  readonly index: bigint | null
  readonly head: string | null
  readonly proof: readonly Hash[] | null
  readonly observation: string | null
  readonly evidence?: string
  readonly tools: ItemDigests
  readonly prompts: ItemDigests
  readonly templates: ItemDigests
  readonly resources?: ItemDigests
  readonly masks: readonly Mask[]
  readonly read: Readonly<Record<string, string | JsonObject>>
  readonly approved: Approval | null
}

const COMMON = ["from", "target", "log", "tools", "prompts", "templates", "masks", "read", "approved"]
const LOGGED = { required: [...COMMON, "record", "index", "head", "proof"], optional: ["observation", "resources"] }
const LEGION = { required: [...COMMON, "evidence"], optional: ["resources"] }
const APPROVAL = { required: ["pin", "from", "at", "by", "reason", "only"] }
const ORIGIN = { required: ["file", "name"] }

/** Read a pin at the place `at`; its log and head must be among `logs`. Throws LOCKFILE_MALFORMED. */
export function parsePin(value: JsonValue | undefined, logs: Readonly<Record<string, LockedLog>>, at: string): Pin {
  const object = readObject(value, at)
  const log = readText(object, "log", at)
  const locked = logs[log]
  if (locked === undefined) throw malformed(`${at}.log`, `expected the origin of a log, got ${describe(log)}`)
  checkMembers(object, at, locked.dialect === "legion" ? LEGION : LOGGED)
  const isLegion = locked.dialect === "legion"
  const { record, index, head, proof, observation } = isLegion ? NOT_LOGGED : parseEvidence(object, locked, at)
  const pin = {
    from: parseOrigins(object.from, `${at}.from`),
    target: isLegion && object.target === null ? null : within(`${at}.target`, object.target, parsePinnedTarget),
    log,
    record,
    index,
    head,
    proof,
    observation,
    tools: parseDigests(object.tools, `${at}.tools`),
    prompts: parseDigests(object.prompts, `${at}.prompts`),
    templates: parseDigests(object.templates, `${at}.templates`),
    masks: within(`${at}.masks`, object.masks, parseMasks),
    read: parseRead(object.read, `${at}.read`),
    approved: object.approved === null ? null : parseApproval(object.approved, `${at}.approved`),
  }
  if (!isLegion && object.resources === undefined) return pin
  return {
    ...pin,
    ...(isLegion ? { evidence: readText(object, "evidence", at) } : {}),
    ...(object.resources === undefined ? {} : { resources: parseDigests(object.resources, `${at}.resources`) }),
  }
}

/** A pin as JSON; the inverse of `parsePin`. Masks are written sorted. */
export function formatPin(pin: Pin): JsonObject {
  const { from, log, tools, prompts, templates, resources, masks, read, approved } = pin
  return {
    from: from.map(({ file, name }) => ({ file, name })),
    target: pin.target && formatTarget(pin.target),
    log,
    ...formatEvidence(pin),
    tools,
    prompts,
    templates,
    ...(resources === undefined ? {} : { resources }),
    masks: formatMasks(masks),
    read,
    approved: approved === null ? null : formatApproval(approved),
  }
}

/** How the server of a pin is reached. Throws USAGE where the pin does not say. */
export function requireTarget({ target }: Pick<Pin, "target">): Target {
  if (target !== null) return target
  throw new ToolsumError("USAGE", "this pin has no launch line and no URL: only its log can be asked")
}

function parsePinnedTarget(value: JsonValue): Target {
  const target = parseTarget(value)
  checkTemplates(target)
  return target
}

type Evidence = Pick<Pin, "record" | "index" | "head" | "proof" | "observation">

const NOT_LOGGED: Evidence = { record: null, index: null, head: null, proof: null, observation: null }

/** The record with its place in the log and its proof, or the observation in their place (formats 38). */
function parseEvidence(object: JsonObject, log: LockedLog, at: string): Evidence {
  const { record, index, head, proof } = object
  if (record === null && index === null && head === null && proof === null) {
    const observation = readText(object, "observation", at)
    within(`${at}.observation`, observation, parseObservation)
    return { ...NOT_LOGGED, observation }
  }
  if (object.observation !== undefined)
    throw malformed(`${at}.observation`, "expected it exactly when record, index, head and proof are null")
  return {
    record: readText(object, "record", at),
    index: parseDecimal(readText(object, "index", at), malformedAt(`${at}.index`)),
    head: parseHeadName(object, log, at),
    proof: cutHashes(parseBase64(readText(object, "proof", at), malformedAt(`${at}.proof`))),
    observation: null,
  }
}

function formatEvidence({ record, index, head, proof, observation, evidence }: Pin): JsonObject {
  if (evidence !== undefined) return { evidence }
  if (observation !== null) return { record: null, index: null, head: null, proof: null, observation }
  return {
    record,
    index: index === null ? null : String(index),
    head,
    proof: proof === null ? null : formatBase64(joinHashes(proof)),
  }
}

function parseHeadName(object: JsonObject, log: LockedLog, at: string): string {
  const head = readText(object, "head", at)
  if (log.heads[head] === undefined)
    throw malformed(`${at}.head`, `expected the key of a head of its log, got ${describe(head)}`)
  return head
}

/** Pieces of 32 bytes; the last one is what is left. */
function cutHashes(bytes: Uint8Array): readonly Hash[] {
  const hashes: Hash[] = []
  for (let at = 0; at < bytes.length; at += HASH_BYTES) hashes.push(bytes.subarray(at, at + HASH_BYTES))
  return hashes
}

function parseOrigins(value: JsonValue | undefined, at: string): readonly PinOrigin[] {
  return readList(value, at).map((item, i) => {
    const place = `${at}[${i}]`
    const object = readObject(item, place)
    checkMembers(object, place, ORIGIN)
    return { file: readText(object, "file", place), name: readText(object, "name", place) }
  })
}

function parseDigests(value: JsonValue | undefined, at: string): ItemDigests {
  const object = readObject(value, at)
  for (const key in object) {
    const digest = object[key]
    if (typeof digest !== "string" || !isDigest(digest))
      throw malformed(memberPlace(at, key), `expected sha256: and 64 hex digits, got ${describe(digest)}`)
  }
  return object as ItemDigests // every member was checked just now
}

/** Any member is text, but `capabilities` an object (formats 28). */
function parseRead(value: JsonValue | undefined, at: string): Pin["read"] {
  const object = readObject(value, at)
  for (const name in object) {
    const wanted = name === "capabilities" ? isObject(object[name]) : typeof object[name] === "string"
    const kind = name === "capabilities" ? "an object" : "text"
    if (!wanted) throw malformed(memberPlace(at, name), `expected ${kind}, got ${describe(object[name])}`)
  }
  return object as Pin["read"] // every member was checked just now
}

function parseApproval(value: JsonValue | undefined, at: string): Approval {
  const object = readObject(value, at)
  checkMembers(object, at, APPROVAL)
  if (object.only !== null) throw malformed(`${at}.only`, `expected null, got ${describe(object.only)}`)
  return {
    pin: readDigest(object, "pin", at),
    from: object.from === null ? null : readDigest(object, "from", at),
    at: readInstant(object, "at", at),
    by: readText(object, "by", at),
    reason: readTextOrNull(object, "reason", at),
    only: null,
  }
}

const formatApproval = ({ pin, from, at, by, reason, only }: Approval): JsonObject => ({
  pin,
  from,
  at,
  by,
  reason,
  only,
})

/** The value of another format's parser; its refusal names the place in the lockfile. */
function within<V, T>(at: string, value: V | undefined, parse: (value: V) => T): T {
  if (value === undefined) throw malformed(at, "expected something, got nothing")
  try {
    return parse(value)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    throw new ToolsumError("LOCKFILE_MALFORMED", `${at}: ${error.message}`, { cause: error })
  }
}
