// The evidence file `toolsum-evidence/v1`: what one server said at one time, and the signed records that it was compared with, in one JSON
// file that proves itself (FORMAT.md, section 17). The reader refuses what it does not know; what a hash, a signature or a rule refutes is
// verify-server-evidence.ts's. Evidence of a log's fork is another file.
import { encodeUtf8, formatBase64 } from "./bytes.js"
import { computeJsonDigest } from "./canonical.js"
import { ToolsumError } from "./errors.js"
import type { Digest } from "./hash.js"
import { type JsonObject, MAX_JSON_BYTES, parseJson } from "./json.js"
import { checkMembers, malformed, readDigest, readList, readObject } from "./lockfile-reader.js"
import { joinHashes } from "./merkle.js"
import { formatPrettyJson } from "./pretty-json.js"
import {
  type EvidenceLog,
  MAX_EVIDENCE_RECORDS,
  readLog,
  readReading,
  readUnread,
  readVerdict,
  type ServerEvidence,
} from "./server-evidence-reader.js"
import { formatTarget } from "./target.js"

export type {
  EvidenceLog,
  EvidenceReading,
  EvidenceRecord,
  ServerEvidence,
  UnreadLog,
} from "./server-evidence-reader.js"

/** The `format` of an evidence file. */
export const SERVER_EVIDENCE_FORMAT = "toolsum-evidence/v1"
/** Most logs in one file. */
export const MAX_EVIDENCE_LOGS = 16

const MEMBERS = { required: ["format", "logs", "reading", "sum", "unread", "verdict"] }

/** Read an evidence file; any order and white space. Throws EVIDENCE_MALFORMED, naming the place, and HASH_MISMATCH where `sum` is not that of
 *  the rest. */
export function parseServerEvidence(input: Uint8Array | string): ServerEvidence {
  try {
    return readEvidence(readObject(parseJson(input), ""))
  } catch (error) {
    if (!(error instanceof ToolsumError) || error.kind !== "malformed") throw error
    throw new ToolsumError("EVIDENCE_MALFORMED", error.message, { cause: error })
  }
}

/** Write an evidence file in its one written form; `parseServerEvidence` gives the same evidence back. Throws EVIDENCE_MALFORMED for one that
 *  would be more than a reader takes. */
export function formatServerEvidence(evidence: ServerEvidence): string {
  const bad = (why: string) => new ToolsumError("EVIDENCE_MALFORMED", why)
  if (evidence.logs.length + evidence.unread.length > MAX_EVIDENCE_LOGS)
    throw bad(`expected at most ${MAX_EVIDENCE_LOGS} logs`)
  if (evidence.logs.some(({ records }) => records.length > MAX_EVIDENCE_RECORDS))
    throw bad(`expected at most ${MAX_EVIDENCE_RECORDS} records of a log`)
  const document = documentOf(evidence)
  const text = `${formatPrettyJson({ ...document, sum: computeJsonDigest(document) })}\n`
  const { length } = encodeUtf8(text)
  if (length > MAX_JSON_BYTES) throw bad(`expected at most ${MAX_JSON_BYTES} bytes, got ${length}`)
  return text
}

/** What an evidence file is called by: the digest of all that it says. */
export const computeEvidenceSum = (evidence: ServerEvidence): Digest => computeJsonDigest(documentOf(evidence))

function readEvidence(document: JsonObject): ServerEvidence {
  if (document.format !== SERVER_EVIDENCE_FORMAT)
    throw malformed("format", `expected "${SERVER_EVIDENCE_FORMAT}": another or newer format than this version reads`)
  checkMembers(document, "", MEMBERS)
  requireSum(document)
  const logs = readList(document.logs, "logs")
  const unread = readList(document.unread, "unread")
  if (logs.length + unread.length > MAX_EVIDENCE_LOGS) throw malformed("logs", `expected at most ${MAX_EVIDENCE_LOGS}`)
  return {
    reading: readReading(document.reading),
    logs: logs.map((log, i) => readLog(log, `logs[${i}]`)),
    unread: unread.map((log, i) => readUnread(log, `unread[${i}]`)),
    verdict: readVerdict(document.verdict),
  }
}

/** Before anything else is read: whatever bit flipped, the file is not what was written. */
function requireSum(document: JsonObject): void {
  const { sum: _sum, ...rest } = document
  if (readDigest(document, "sum", "") === computeJsonDigest(rest)) return
  throw new ToolsumError("HASH_MISMATCH", "the evidence file is not what was written: its sum is that of another one")
}

function documentOf({ reading, logs, unread, verdict }: ServerEvidence): JsonObject {
  const { isPrivate, target, incomplete, failure, ...rest } = reading
  return {
    format: SERVER_EVIDENCE_FORMAT,
    logs: logs.map(logMember),
    reading: {
      ...rest,
      target: formatTarget(target),
      private: isPrivate,
      incomplete: { ...incomplete },
      failure: failure && { ...failure },
      surface: rest.surface && { ...rest.surface },
    },
    unread: unread.map((log) => ({ ...log })),
    verdict: { ...verdict },
  }
}

const logMember = ({ keyring, checkpoint, newest, records }: EvidenceLog): JsonObject => ({
  keyring,
  checkpoint,
  newest,
  records: records.map(({ index, entry, proof, lists, surface }) => ({
    index: `${index}`,
    entry,
    proof: formatBase64(joinHashes(proof)),
    lists: { ...lists },
    surface: surface && { ...surface },
  })),
})
