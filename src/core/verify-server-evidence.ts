// Proves an evidence file again with nothing but its own bytes and the roots that somebody trusts: every digest, signature and proof, and the
// verdict (FORMAT.md, section 17). What it cannot prove is in print there: that the server said this, and that no newer record exists.
import { decodeUtf8, encodeUtf8, equalBytes } from "./bytes.js"
import { attempt, ToolsumError } from "./errors.js"
import { computeTextDigest, type Hash, hashLeaf } from "./hash.js"
import { verifyKeyring } from "./keyring.js"
import { verifyInclusion } from "./merkle.js"
import type { Policy } from "./policy.js"
import { parseRecord, streamKey, type ToolRecord } from "./record.js"
import { matchRoot, type PinnedRoot } from "./root.js"
import { computeSurface, SECTION_NAMES, sectionsOf } from "./section.js"
import type { EvidenceLog, EvidenceReading, EvidenceRecord, ServerEvidence } from "./server-evidence.js"
import {
  judgeServer,
  type LogTestimony,
  type ReadStream,
  type ServerJudgement,
  type SignedRecord,
} from "./server-verdict.js"
import { computeHow, deriveSubject } from "./subject.js"
import { computeHeadAge, type VerifiedHead, verifyHead } from "./tree-heads.js"
import { isFiledByRegistryId, profileFits } from "./verify-pin.js"

/** A log whose keyring, checkpoint and records hold together. */
export interface ProvenLog {
  readonly origin: string
  readonly fingerprint: string
  /** The pinned root that it stands under; null where none is pinned for it: then nothing of it is proven. */
  readonly root: PinnedRoot | null
  readonly head: VerifiedHead
  /** Seconds since the newest cosignature; null without one. */
  readonly ageSec: number | null
  readonly newest: "scanned" | "hint"
  /** Ascending. */
  readonly records: readonly SignedRecord[]
  /** `keyring_expired`. */
  readonly warnings: readonly string[]
}

/** What an evidence file proves under some roots. */
export interface VerifiedEvidence {
  /** The verdict that was made, made again; a log without a pinned root counts as one that said nothing. */
  readonly judgement: ServerJudgement
  readonly logs: readonly ProvenLog[]
}

const contradicts = (why: string, cause?: unknown) => new ToolsumError("EVIDENCE_INVALID", why, { cause })

/** Prove an evidence file. `nowSec`: POSIX seconds, for warnings and ages only; `witnessPolicy`: what every checkpoint must meet too. Throws EVIDENCE_INVALID where reading, records and verdict do
 *  not fit together, RECORD_INVALID, HASH_MISMATCH, INCLUSION_INVALID, ROOT_MISMATCH, HEAD_UNPROVEN, and what `verifyKeyring` and
 *  `verifyHead` throw. */
export function verifyServerEvidence(p: {
  evidence: ServerEvidence
  roots: readonly PinnedRoot[]
  nowSec: bigint
  witnessPolicy?: Policy | null
}): VerifiedEvidence {
  const { evidence } = p
  const logs = evidence.logs.map((log) => proveLog(log, p))
  const origins = new Set(logs.map(({ origin }) => origin))
  if (origins.size < logs.length) throw contradicts("the same log is there twice")
  const stream = streamOf(evidence.reading)
  const claimed = judge(evidence, stream, logs.map(testify))
  if (claimed.verdict !== evidence.verdict.verdict || claimed.reason !== evidence.verdict.reason)
    throw contradicts(`the file says ${describe(evidence.verdict)}, its own contents say ${describe(claimed)}`)
  return { judgement: judge(evidence, stream, logs.map(testifyUnderRoot)), logs }
}

const describe = ({ verdict, reason }: ServerEvidence["verdict"]): string =>
  reason === null ? verdict : `${verdict}(${reason})`

function judge(
  { reading, unread }: ServerEvidence,
  stream: ReadStream,
  logs: readonly LogTestimony[],
): ServerJudgement {
  const { sections, surface, failure } = reading
  const incomplete = SECTION_NAMES.filter((section) => reading.incomplete[section] !== undefined)
  const failed = unread.map(({ log, reason, detail }) => ({ origin: log, failure: { reason, detail } }))
  return judgeServer({ stream, result: { sections, incomplete, surface }, failure, logs: [...logs, ...failed] })
}

const testify = ({ origin, records }: ProvenLog): LogTestimony => ({ origin, records })

const testifyUnderRoot = (log: ProvenLog): LogTestimony =>
  log.root === null
    ? { origin: log.origin, failure: { reason: "root_not_pinned", detail: `its root is ${log.fingerprint}` } }
    : testify(log)

/** What was looked for, which must be what the target is. Throws EVIDENCE_INVALID. */
function streamOf({ target, subject, version, profile, sections }: EvidenceReading): ReadStream {
  const derived = deriveSubject(target)
  const isLocal = derived.subject === null && (subject === null || subject.startsWith("local:"))
  const isOwn = derived.subject !== null && subject === derived.subject
  if (!isLocal && !isOwn && !(subject !== null && isFiledByRegistryId(target, subject)))
    throw contradicts(`the reading is of ${subject}, the target is ${derived.subject ?? "local"}`)
  if (!derived.floating && version !== (derived.version ?? "-"))
    throw contradicts(`the reading is of version ${version}, the target asks for ${derived.version ?? "none"}`)
  if (!profileFits(profile, target)) throw contradicts(`the profile ${profile} names nothing of the target`)
  return { subject, version, profile, how: computeHow(target, { sections }, derived).digest }
}

interface EvidenceTrust {
  readonly roots: readonly PinnedRoot[]
  readonly nowSec: bigint
  readonly witnessPolicy?: Policy | null
}

function proveLog(log: EvidenceLog, { roots, nowSec, witnessPolicy = null }: EvidenceTrust): ProvenLog {
  const keyring = verifyKeyring({ notes: log.keyring, nowSec })
  const head = verifyHead({ keyring, note: log.checkpoint, witnessPolicy })
  if (head.state === "unproven")
    throw new ToolsumError("HEAD_UNPROVEN", `the checkpoint of size ${head.size} is signed by a retired key only`)
  const records = log.records.map((record) => proveRecord(record, head))
  requireChained(records)
  const root = attempt(() => matchRoot(keyring, roots))
  if (root instanceof ToolsumError && root.code !== "ROOT_NOT_PINNED") throw root
  const { origin, fingerprint, warnings } = keyring
  return {
    origin,
    fingerprint,
    root: root instanceof ToolsumError ? null : root,
    head,
    ageSec: computeHeadAge(head, nowSec),
    newest: log.newest,
    records: records.map(({ leafHash: _leafHash, ...signed }) => signed),
    warnings,
  }
}

interface ProvenRecord extends SignedRecord {
  readonly leafHash: Hash
}

/** Inclusion comes before the record is parsed; then its texts must be what it has digests of. */
function proveRecord({ index, entry, proof, lists, surface }: EvidenceRecord, head: VerifiedHead): ProvenRecord {
  const bytes = encodeUtf8(entry)
  const leafHash = hashLeaf(bytes)
  verifyInclusion({ leafHash, index, proof, head })
  const record = parseProven(bytes, index)
  for (const section of SECTION_NAMES) {
    const text = lists[section]
    if (text !== undefined && !record.lines[section].endsWith(` ${computeTextDigest(text)}`))
      throw new ToolsumError("HASH_MISMATCH", `record ${index}: the list of ${section} is not the recorded one`)
  }
  if (surface !== null) requireSurface(record, { index, surface })
  return { index, record, lists, surface, leafHash }
}

function parseProven(bytes: Uint8Array, index: bigint): ToolRecord {
  const record = attempt(() => parseRecord(decodeUtf8(bytes, contradicts)))
  if (!(record instanceof ToolsumError)) return record
  throw new ToolsumError("RECORD_INVALID", `leaf ${index} is no record: ${record.message}`, { cause: record })
}

function requireSurface(
  { lines, mask }: ToolRecord,
  { index, surface }: { index: bigint; surface: NonNullable<EvidenceRecord["surface"]> },
): void {
  if (mask !== "-") throw contradicts(`record ${index} is masked, its texts cannot be what was hashed`)
  const computed = computeSurface(surface, sectionsOf(lines)).lines
  const names = [...SECTION_NAMES, "instructions", "server"] as const
  const other = names.find((name) => computed[name] !== lines[name])
  if (other !== undefined)
    throw new ToolsumError("HASH_MISMATCH", `record ${index}: ${other} in its texts is not the recorded one`)
}

/** The records of each stream follow one another without a gap, up to the newest. Throws RECORD_INVALID. */
function requireChained(records: readonly ProvenRecord[]): void {
  const before = new Map<string, ProvenRecord>()
  for (const one of records) {
    const stream = streamKey(one.record)
    const last = before.get(stream)
    const { prev, seq } = one.record
    const follows =
      last === undefined ||
      (prev?.index === last.index && seq === last.record.seq + 1n && equalBytes(prev.leafHash, last.leafHash))
    if (!follows)
      throw new ToolsumError(
        "RECORD_INVALID",
        `record ${one.index} does not follow record ${last?.index} of its stream`,
      )
    before.set(stream, one)
  }
}
