// The commit record: the one file whose creation decides the next state of the log (brief 5.2). Numbered without gaps, chained by
// SHA-256, never changed: together they are the history of everything that was ever published. Line-based text, one spelling:
//
//   toolsum-commit/v1 / seq N / prev <64 hex>|- / staging sha256:<hex> / (empty line) / the signed checkpoint, verbatim
import { decodeUtf8, encodeUtf8, formatHex, parseDecimal, parseHex } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { type Digest, HASH_BYTES, type Hash, parseDigest, sha256 } from "../core/hash.js"

/** Largest commit record: a checkpoint with its signatures and a few short lines. */
export const MAX_COMMIT_BYTES = 64 * 1024

const COMMIT_TYPE = "toolsum-commit/v1"
const COMMIT_FOLDER = "private/commits"
const SEQ_DIGITS = 20

/** One step of the log. `checkpoint`: the signed note. Nothing in it is checked yet but its form. */
export interface Commit {
  /** 0 for the creation of the log, then without gaps. */
  readonly seq: bigint
  /** SHA-256 of the record before; null for seq 0. */
  readonly prev: Hash | null
  /** SHA-256 of the staging file, which is named by it. */
  readonly staging: Digest
  readonly checkpoint: string
}

const bad = (why: string): ToolsumError => new ToolsumError("COMMIT_MALFORMED", why)

/** Storage key of commit record `seq`. */
export const commitKey = (seq: bigint): string => `${COMMIT_FOLDER}/${seq.toString().padStart(SEQ_DIGITS, "0")}`

/** Write a commit record; the exact inverse of `parseCommit`. */
export function formatCommit(commit: Commit): Uint8Array {
  const prev = commit.prev === null ? "-" : formatHex(commit.prev)
  return encodeUtf8(
    `${COMMIT_TYPE}\nseq ${commit.seq}\nprev ${prev}\nstaging ${commit.staging}\n\n${commit.checkpoint}`,
  )
}

/** Read a commit record. Throws COMMIT_MALFORMED. */
export function parseCommit(bytes: Uint8Array): Commit {
  if (bytes.length > MAX_COMMIT_BYTES) throw bad(`expected at most ${MAX_COMMIT_BYTES} bytes`)
  const [type, seqLine, prevLine, stagingLine, empty, ...checkpoint] = decodeUtf8(bytes, bad).split("\n")
  if (type !== COMMIT_TYPE) throw bad(`expected the first line ${COMMIT_TYPE}, got ${quote(type ?? "")}`)
  const seq = parseDecimal(fieldOf("seq", seqLine), bad)
  const prevText = fieldOf("prev", prevLine)
  const prev = prevText === "-" ? null : parseHex(prevText, bad)
  if (prev !== null && prev.length !== HASH_BYTES) throw bad("expected 64 hex digits after prev")
  if ((seq === 0n) !== (prev === null)) throw bad("expected prev - exactly when seq is 0")
  const staging = parseDigest(fieldOf("staging", stagingLine), bad)
  if (empty !== "" || checkpoint.length < 2) throw bad("expected an empty line and a checkpoint")
  return { seq, prev, staging, checkpoint: checkpoint.join("\n") }
}

/** SHA-256 of a commit record, which the next one names. */
export const hashCommit = (commit: Commit): Hash => sha256(formatCommit(commit))

function fieldOf(label: string, line: string | undefined): string {
  if (line === undefined || !line.startsWith(`${label} `)) throw bad(`expected line ${label}, got ${quote(line ?? "")}`)
  return line.slice(label.length + 1)
}
