// Checkpoints (C2SP tlog-checkpoint, brief 1.3): origin, tree size, root hash, then extension lines that nothing is read from.
// `verifyCheckpoint` checks the log's signature and the witnesses' quorum. Size windows of a keyring's log keys: tree-heads.ts.
import { encodeUtf8, equalBytes, formatBase64, formatHex, parseBase64, parseDecimal } from "./bytes.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import { EMPTY_ROOT, HASH_BYTES, type Hash } from "./hash.js"
import type { TreeHead } from "./merkle.js"
import { MAX_NOTE_BYTES, type Note, type OpenedNote, openNote, parseNote } from "./note.js"
import { evaluatePolicy, type Policy } from "./policy.js"
import type { VerifierKey } from "./vkey.js"

/** Longest origin, in bytes of UTF-8: what ML-DSA cosignatures can sign. */
export const MAX_ORIGIN_BYTES = 255

/** The text of a checkpoint; how far it is trusted depends on the note it comes from. */
export interface Checkpoint extends TreeHead {
  readonly origin: string
  /** Non-empty lines after the root hash. Opaque: tolerated, signed, never interpreted. */
  readonly extensions: readonly string[]
}

/** A checkpoint signed by its log and cosigned as the policy wants. */
export interface VerifiedCheckpoint {
  readonly checkpoint: Checkpoint
  readonly note: OpenedNote
  /** The log keys with a good signature; at least one. */
  readonly logKeys: readonly VerifierKey[]
  /** Names in its policy, or policies, of the witnesses that counted, each key once. */
  readonly counted: readonly string[]
}

const malformed: Bad = (why) => new ToolsumError("CHECKPOINT_MALFORMED", why)
const CONTROL = /[\0-\x09\x0b-\x1f\ud800-\udfff]/u

/** Read a checkpoint from the text of a note. Throws CHECKPOINT_MALFORMED; HASH_MISMATCH for size 0 with another root hash than
 *  that of the empty tree. */
export function parseCheckpoint(text: string): Checkpoint {
  if (text.length > MAX_NOTE_BYTES || CONTROL.test(text)) throw malformed("too long or with a control character")
  if (!text.endsWith("\n")) throw malformed("expected a final newline")
  const [origin, size, root, ...extensions] = text.slice(0, -1).split("\n")
  if (!origin || !size || !root || extensions.includes("")) throw malformed("expected three or more non-empty lines")
  if (!isOrigin(origin)) throw malformed(`expected an origin of 1 to ${MAX_ORIGIN_BYTES} bytes, none 0x7F`)
  const checkpoint = { origin, size: parseDecimal(size, malformed), rootHash: parseHash(root, malformed), extensions }
  if (checkpoint.size === 0n && !equalBytes(checkpoint.rootHash, EMPTY_ROOT)) {
    throw new ToolsumError("HASH_MISMATCH", "a tree of size 0 with a root hash that is not the empty tree's")
  }
  return checkpoint
}

/** Exact inverse of `parseCheckpoint`; throws as it does for what is no checkpoint. */
export function formatCheckpoint({ origin, size, rootHash, extensions }: Checkpoint): string {
  const lines = [origin, `${size}`, formatBase64(rootHash), ...extensions]
  if (lines.some((line) => line.includes("\n"))) throw malformed("a line with a newline in it")
  const text = `${lines.join("\n")}\n`
  parseCheckpoint(text)
  return text
}

/** True for a line that can name a log: 1 to 255 bytes without control characters (below 0x20, 0x7F). */
export const isOrigin = (line: string): boolean =>
  line !== "" && !/[\0-\x1f\x7f\ud800-\udfff]/u.test(line) && encodeUtf8(line).length <= MAX_ORIGIN_BYTES

/** Read the base64 of one hash. Throws `bad`. */
export function parseHash(text: string, bad: Bad): Hash {
  const hash = parseBase64(text, bad)
  if (hash.length !== HASH_BYTES) throw bad(`expected a hash of ${HASH_BYTES} bytes, got ${hash.length}`)
  return hash
}

/** The name of a head in a lockfile: size, dash, the first 8 bytes of the root hash in hex. Formats 30. */
export const headKey = ({ size, rootHash }: TreeHead): string => `${size}-${formatHex(rootHash.subarray(0, 8))}`

/** Check a signed checkpoint of the log `origin`, which the caller chose: signed by one of `keys` (when not given: the policy's log
 *  keys of that name), no bad line by any known key, quorum met. With `nowSec` (POSIX seconds) cosignatures from further in the
 *  future than `skewSec` do not count. What does not parse is malformed whatever its signatures (formats 29), and nothing is
 *  returned before the signatures hold. Throws NOTE_MALFORMED, CHECKPOINT_MALFORMED, HASH_MISMATCH, ORIGIN_MISMATCH,
 *  SIGNATURE_INVALID, QUORUM_NOT_MET, CONFIG_INVALID (no key for the origin, or two with one name and ID). */
export function verifyCheckpoint(p: {
  note: Note | string | Uint8Array
  origin: string
  keys?: readonly VerifierKey[]
  policy?: Policy | null
  nowSec?: bigint
  skewSec?: bigint
}): VerifiedCheckpoint {
  const { origin, policy = null } = p
  const parsed = typeof p.note === "string" || p.note instanceof Uint8Array ? parseNote(p.note) : p.note
  const checkpoint = parseCheckpoint(parsed.text)
  if (checkpoint.origin !== origin) {
    throw new ToolsumError("ORIGIN_MISMATCH", `expected origin ${quote(origin)}, got ${quote(checkpoint.origin)}`)
  }
  const keys = p.keys ?? policy?.logs.map(({ key }) => key).filter(({ name }) => name === origin) ?? []
  if (keys.length === 0) throw new ToolsumError("CONFIG_INVALID", `no log key for origin ${quote(origin)}`)
  const witnesses = [...(policy?.witnesses.values() ?? [])].map(({ key }) => key)
  const note = openNote(parsed, [...keys, ...witnesses])
  const logKeys = note.verified.filter((key) => keys.includes(key))
  if (logKeys.length === 0) throw new ToolsumError("SIGNATURE_INVALID", "no signature by a key of the log")
  return { checkpoint, note, logKeys, counted: policy ? requireQuorum(policy, note, p) : [] }
}

/** Names of the witnesses that count for the quorum of `policy`; a note below it throws QUORUM_NOT_MET. Times as `verifyCheckpoint`. */
export function requireQuorum(
  policy: Policy,
  note: OpenedNote,
  times: { nowSec?: bigint; skewSec?: bigint },
): readonly string[] {
  const { satisfied, counted, early } = evaluatePolicy(policy, note, times)
  if (satisfied) return counted
  const late = early.length > 0 ? `; from the future: ${quote(early.join(" "))}` : ""
  const of = `${counted.length} of ${policy.witnesses.size} witnesses`
  throw new ToolsumError("QUORUM_NOT_MET", `quorum not met: cosigned by ${of}${late}`)
}
