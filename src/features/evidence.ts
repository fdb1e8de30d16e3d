// Evidence of a log's misbehaviour as a file that anybody with the log's keys can check offline (DESIGN 8, State): JSON with the code, the
// log's origin and the signed notes and proofs that the client found, verbatim. Nothing is judged here.
import { parseCheckpoint } from "../core/checkpoint.js"
import { type ErrorCode, ToolsumError } from "../core/errors.js"
import { computeTextDigest } from "../core/hash.js"
import { parseKeyring } from "../core/keyring.js"
import { parseLegionJson } from "../core/legion/json.js"
import { parseSignedTreeHead } from "../core/legion/tree-head.js"
import { parseNote } from "../core/note.js"

/** `format` of an evidence file. */
export const EVIDENCE_FORMAT = "toolsum-fork/v1"

/** What an error shows to others, if it does. */
export interface EvidenceFile {
  /** `<16 hex of the origin's SHA-256>-<size>-<size>.tlog-fork`; of keyrings `k<version>` in place of a size. */
  readonly name: string
  readonly text: string
}

const KEPT: readonly ErrorCode[] = ["LOG_INCONSISTENT", "LOG_ROLLBACK", "CONSISTENCY_INVALID"]

/** The evidence file of an error, or null: only a fork, rollback or rewritten history that carries both signed heads has one. */
export function formatEvidence(error: ToolsumError, origin: string): EvidenceFile | null {
  const { a, b } = error.evidence ?? {}
  if (!KEPT.includes(error.code) || a === undefined || b === undefined) return null
  const id = computeTextDigest(origin).slice("sha256:".length, "sha256:".length + 16)
  const document = { format: EVIDENCE_FORMAT, code: error.code, origin, why: error.message, ...error.evidence }
  return { name: `${id}-${placeOf(a)}-${placeOf(b)}.tlog-fork`, text: `${JSON.stringify(document, null, 2)}\n` }
}

/** Tree size of a checkpoint or of a LEGION head, `k` and version of a keyring; all were verified before they became evidence. */
function placeOf(note: string): string {
  if (note.startsWith("{")) return String(parseSignedTreeHead(parseLegionJson(note)).size)
  try {
    return String(parseCheckpoint(parseNote(note).text).size)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    return `k${parseKeyring(note).version}`
  }
}
