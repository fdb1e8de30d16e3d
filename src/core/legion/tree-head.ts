// Signed tree heads of a LEGION log (`legion-mcp-tlog-sth/0.1`), and what several of them say of one another: one root per size, and later
// trees that begin with earlier ones. RFC 9162 §2.1.4.2. FORMAT.md, "LEGION dialect".
import { equalBytes, formatHex, parseHex } from "../bytes.js"
import { canonicalize } from "../canonical.js"
import { type Bad, ToolsumError } from "../errors.js"
import { HASH_BYTES, type Hash } from "../hash.js"
import { isObject, type JsonObject, type JsonValue } from "../json.js"
import { type TreeHead, verifyConsistency } from "../merkle.js"
import { encodeSigned, readCount } from "./json.js"
import { type LegionKeyring, requireLogSignature } from "./keyring.js"

/** Schema of a signed tree head. */
export const HEAD_SCHEMA = "legion-mcp-tlog-sth/0.1"

/** A head as served; nothing of it is checked but its form. `timestamp`: the log's own claim. `document`: with members unknown here. */
export interface SignedTreeHead extends TreeHead {
  readonly timestamp: string
  readonly issuerPin: string
  readonly signature: string
  readonly document: JsonObject
}

/** A head that a key of the log signed. */
export interface VerifiedTreeHead extends SignedTreeHead {
  /** The bytes that were signed, which are also what is anchored elsewhere. */
  readonly signed: Uint8Array
}

const malformed: Bad = (why) => new ToolsumError("CHECKPOINT_MALFORMED", why)

/** Read a signed tree head. Throws CHECKPOINT_MALFORMED. */
export function parseSignedTreeHead(value: JsonValue | undefined): SignedTreeHead {
  const head = isObject(value) ? value.tree_head : undefined
  if (!isObject(value) || !isObject(head)) throw malformed("expected a signed tree head")
  const { schema, tree_size, root_sha256: root, timestamp, issuer_pin_sha256: issuerPin } = head
  if (schema !== HEAD_SCHEMA) throw malformed(`expected a tree head of schema ${HEAD_SCHEMA}`)
  const size = readCount(tree_size)
  if (size === null) throw malformed("expected the size of a tree")
  if (typeof root !== "string" || typeof timestamp !== "string" || typeof issuerPin !== "string")
    throw malformed("expected root hash, time and issuer as text")
  if (typeof value.signature_ed25519 !== "string") throw malformed("expected a signature")
  const rootHash = parseHash(root, malformed)
  return { size, rootHash, timestamp, issuerPin, signature: value.signature_ed25519, document: value }
}

/** 32 bytes of lower-case hex. */
export function parseHash(text: string, bad: Bad): Hash {
  const hash = parseHex(text, bad)
  if (hash.length !== HASH_BYTES) throw bad(`expected 64 hex digits, got ${text.length}`)
  return hash
}

/** Check that a key of the log which may sign this size signed the head. Throws SIGNATURE_INVALID, KEY_NOT_VALID_AT_SIZE, JSON_MALFORMED. */
export function verifyTreeHead(keyring: LegionKeyring, head: SignedTreeHead): VerifiedTreeHead {
  const text = canonicalize(head.document)
  const known = verified.get(keyring)?.get(text)
  if (known) return known
  const signed = encodeSigned(head.document.tree_head as JsonObject) // parseSignedTreeHead saw an object
  const place = { kind: "head", at: head.size } as const
  requireLogSignature(keyring, { keyPin: head.issuerPin, message: signed, signature: head.signature, place })
  const proven = { ...head, signed }
  remember(keyring, text, proven)
  return proven
}

// Many pins share one head; its signature costs more than all else about a pin.
const verified = new WeakMap<LegionKeyring, Map<string, VerifiedTreeHead>>()
const MAX_VERIFIED = 4096

function remember(keyring: LegionKeyring, text: string, head: VerifiedTreeHead): void {
  const heads = verified.get(keyring) ?? new Map<string, VerifiedTreeHead>()
  if (heads.size >= MAX_VERIFIED) heads.clear()
  verified.set(keyring, heads.set(text, head))
}

/** Heads of one log, of pins or of answers in one run: two roots of one size are a fork. Throws LOG_INCONSISTENT with both heads as
 *  evidence. */
export function requireOneRootPerSize(heads: readonly VerifiedTreeHead[]): void {
  const bySize = new Map<bigint, VerifiedTreeHead>()
  for (const head of heads) {
    const known = bySize.get(head.size)
    if (known && !equalBytes(known.rootHash, head.rootHash)) throw fork(known, head)
    bySize.set(head.size, head)
  }
}

/** Check that the log only grew from `older` to `newer`. `proof`: the consistency proof between the two sizes; unused where they are equal.
 *  Throws LOG_ROLLBACK for a smaller head, LOG_INCONSISTENT for two roots of one size, CONSISTENCY_INVALID for a rewritten history; each
 *  has both heads as evidence. */
export function verifyAppendOnly(p: {
  older: VerifiedTreeHead
  newer: VerifiedTreeHead
  proof: readonly Hash[]
}): void {
  const { older, newer, proof } = p
  const evidence = evidenceOf(older, newer)
  if (older.size > newer.size) {
    const why = `rollback: the log serves a head of size ${newer.size}, it was at ${older.size}`
    throw new ToolsumError("LOG_ROLLBACK", why, { evidence })
  }
  requireOneRootPerSize([older, newer])
  if (older.size === newer.size) return
  try {
    verifyConsistency({ older, newer, proof })
  } catch (cause) {
    if (!(cause instanceof ToolsumError)) throw cause
    const why = `rewritten: the tree of size ${newer.size} does not begin with that of size ${older.size}`
    throw new ToolsumError("CONSISTENCY_INVALID", why, { cause, evidence })
  }
}

function fork(a: VerifiedTreeHead, b: VerifiedTreeHead): ToolsumError {
  const roots = `${formatHex(a.rootHash)} and ${formatHex(b.rootHash)}`
  return new ToolsumError("LOG_INCONSISTENT", `fork: two roots of size ${a.size}: ${roots}`, {
    evidence: evidenceOf(a, b),
  })
}

const evidenceOf = (a: SignedTreeHead, b: SignedTreeHead) => ({
  a: canonicalize(a.document),
  b: canonicalize(b.document),
})
