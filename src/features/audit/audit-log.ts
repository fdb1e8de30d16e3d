// Audits a whole log that nobody has to believe (DESIGN 10): every entry, tile, record, object and index bucket against the signed head and the
// formats, every head seen before against the entries. What does not hold is a finding, with evidence where others can check it; reading goes
// on wherever it can. Memory is bounded by the number of streams, not of entries; an audit goes on where the one before it stood.
import { fetchText } from "../../client/open-log.js"
import { attempt, attemptAsync, ToolsumError } from "../../core/errors.js"
import type { Hash } from "../../core/hash.js"
import { MAX_NOTE_BYTES } from "../../core/note.js"
import type { AuditState, Clock, LogSource, State } from "../../ports.js"
import { EntryAudit, type EntryCounts } from "./entries.js"
import { type AuditFinding, createFindings, exitCodeOfFindings, type FindingCounts, type Findings } from "./findings.js"
import { ObjectAudit, type ObjectCounts } from "./objects.js"
import { collectOlderHeads, compareOlderHeads, type OlderHead, remember, type SeenNote } from "./older-heads.js"
import { type AuditedHead, type AuditTrust, openAuditedHead } from "./open-head.js"
import { checkPartials, type PartialFile, partialsOfSize } from "./partials.js"
import { createPatientSource } from "./patience.js"
import { createKeeper, interrupted, type StoredAudit, type Takers } from "./position.js"
import { type StartingPoint, startFromHead } from "./since.js"
import { parseAuditState } from "./state.js"
import { StreamLedger } from "./streams.js"
import { IndexAudit } from "./subject-index.js"
import { firstDifference, TileAudit } from "./tiles.js"
import { TreeHasher } from "./tree-hasher.js"
import { UnreadEntries } from "./unread.js"
import { type Walked, walkEntries } from "./walk.js"

export type { AuditCode, AuditFinding, FindingKind } from "./findings.js"
export type { SeenNote } from "./older-heads.js"
export type { AuditTrust } from "./open-head.js"
export type { PartialFile } from "./partials.js"

/** What to audit, and beside what. */
export interface AuditOptions {
  readonly source: LogSource
  readonly trust: AuditTrust
  readonly clock: Clock
  /** 16 random bytes that the log does not know. */
  readonly seed: Uint8Array
  /** The user's memory of heads: what the head must extend, and where it is remembered. */
  readonly state?: State | null
  /** Where earlier audits stood; without it everything is read. */
  readonly auditState?: AuditState | null
  /** Read everything, whatever was audited earlier. */
  readonly full?: boolean
  /** Heads that were seen before: each must be a prefix. */
  readonly olderHeads?: readonly SeenNote[]
  /** A head to start from: entries before it are not read, and nothing is said of them. */
  readonly since?: SeenNote | null
  /** Partial tiles and bundles that are there, where that can be told; else those of known heads are asked for. */
  readonly partials?: (() => AsyncIterable<PartialFile>) | null
  readonly onProgress?: (entries: number, of: number) => void
  readonly signal?: AbortSignal
}

/** What an audit found. */
export interface AuditReport {
  readonly origin: string | null
  readonly location: string
  /** Null where no head could be audited. */
  readonly head: AuditedHead | null
  /** Entries that were hashed now: from here to the head. Before it they were hashed by an earlier audit, or are before `since`. */
  readonly from: number
  /** True when the entries before `from` were audited earlier. */
  readonly isResumed: boolean
  readonly entries: EntryCounts
  readonly streams: number
  readonly objects: ObjectCounts
  /** Earlier heads that were compared, the distinct sizes of them. */
  readonly olderHeads: number
  readonly findings: readonly AuditFinding[]
  /** How many there are of each code; `findings` has at most 20 of each. */
  readonly counts: FindingCounts
  /** What was not looked at, in words. */
  readonly notCovered: readonly string[]
  readonly exitCode: 0 | 1 | 2 | 3
}

/** Heads larger than this are not audited. */
const MAX_SIZE = BigInt(Number.MAX_SAFE_INTEGER)

/** Audit a log. Throws RESOURCE_MISSING and LOG_UNAVAILABLE where no log can be read, ROOT_NOT_PINNED, what is malformed in its head or first
 *  keyring, STATE_CORRUPT for a damaged audit state, USAGE for a `since` that is no prefix of the head, READING_INCOMPLETE when interrupted:
 *  then the next audit goes on from there. */
export const auditLog = (options: AuditOptions): Promise<AuditReport> =>
  auditFrom({ ...options, source: createPatientSource(options.source) })

async function auditFrom(options: AuditOptions): Promise<AuditReport> {
  const findings = createFindings()
  const nowSec = BigInt(Math.floor(options.clock()))
  const head = await openAuditedHead({ source: options.source, trust: options.trust, nowSec, findings })
  if (head === null) return reportNothing(options, findings)
  if (head.checkpoint.size > MAX_SIZE)
    throw new ToolsumError("LOG_UNAVAILABLE", `a log of size ${head.checkpoint.size} cannot be audited`)
  const { state = null, olderHeads = [] } = options
  const { stored, known } = await recallAudit(options, head)
  const own = known === "" ? [] : [{ note: known, from: "an earlier audit" }]
  const given = [...olderHeads, ...(options.since ? [options.since] : []), ...own]
  const older = await collectOlderHeads(head, { given, state, findings })
  const first = await runAudit(options, { head, older, nowSec, findings, stored, known })
  if (first !== null && (first.isSound || stored === null)) return first.report
  // What was hashed earlier may be what does not fit: bytes that the log has corrected since, or a state that somebody wrote.
  return auditFrom({ ...options, full: true })
}

interface Run {
  readonly head: AuditedHead
  readonly older: readonly OlderHead[]
  readonly nowSec: bigint
  readonly findings: Findings
  readonly stored: StoredAudit | null
  /** As `AuditPosition.head`. */
  readonly known: string
}

/** What is kept of earlier audits: where to go on from, if anywhere, and the head that the log is held to. */
async function recallAudit(
  { auditState, full, since }: AuditOptions,
  { identity, checkpoint }: AuditedHead,
): Promise<Pick<Run, "stored" | "known">> {
  const bytes = (await auditState?.load(identity)) ?? null
  const isUnused = full || Boolean(since)
  const read = bytes === null ? null : attempt(() => parseAuditState(bytes, identity))
  if (read instanceof ToolsumError && !isUnused) throw read
  if (read === null || read instanceof ToolsumError) return { stored: null, known: "" }
  // A head that went back is told of by the heads that are remembered; here everything is read again.
  const isAhead = BigInt(read.at.position) > checkpoint.size
  return { stored: isUnused || isAhead ? null : read, known: read.at.head }
}

/** Null where the audit cannot go on from what is stored. */
async function runAudit(options: AuditOptions, run: Run): Promise<{ report: AuditReport; isSound: boolean } | null> {
  const { source } = options
  const { head, findings, older, stored, known } = run
  const size = Number(head.checkpoint.size)
  const since = await startFromHead(head, { source, since: options.since ?? null, findings })
  const start = stored?.at.position ?? since.position
  const takers = createTakers(options, run, since)
  await takers.index?.read((later) => isServedLater(source, head, later))
  if (stored !== null && !(await restore(takers, stored, findings))) {
    if (options.signal?.aborted) throw interrupted(start, size)
    return null
  }
  const keeper = createKeeper({ options, head, findings, takers, start, known })
  const walked = await walkEntries({
    ...{ source, size, position: start, ...takers, findings, sizes: sizesOf(older, start, size) },
    onPosition: async (position) => {
      // A source that was interrupted answers nothing any more: what it did not answer is no finding.
      if (options.signal?.aborted) throw await keeper.interrupt(position)
      await takers.objects.flush()
      options.onProgress?.(position, size)
      await keeper.reach(position)
    },
  })
  if (options.signal?.aborted) throw interrupted(start, size)
  await takers.objects.flush()
  takers.tiles.judge({ signed: head.checkpoint.rootHash, computed: walked.root })
  const isSound = walked.root === null || isSame(walked.root, head.checkpoint.rootHash)
  await finishHeads(options, run, walked)
  const isRead = () => walked.root !== null && isSound && takers.unread.count === since.position
  if (isRead() && !findings.has("bundle_missing", "bundle_malformed")) await finishPartials(options, run, start)
  if (walked.root !== null && isSound) await keeper.finish()
  walked.takeLast()
  await takers.objects.flush()
  const isWhole = isRead()
  const isOld = findings.has("fork", "rollback", "log_behind")
  takers.entries.finish(isWhole && since.position === 0 && !isOld, run.nowSec)
  await takers.index?.finish({ isWhole, isOld })
  return { report: buildReport(options, run, { takers, start, since: since.position }), isSound }
}

const isSame = (a: Hash, b: Hash): boolean => firstDifference(a, b) < 0

function createTakers(options: AuditOptions, { head, findings, nowSec, stored }: Run, since: StartingPoint): Takers {
  const { source } = options
  const seed = stored?.at.seed ?? options.seed
  const unread = new UnreadEntries()
  unread.add(0, since.position)
  const streams = new StreamLedger({ findings, unread, nowSec })
  const objects = new ObjectAudit(source, findings)
  const isOurs = head.keyring !== null
  const index = isOurs ? new IndexAudit({ source, findings, head: head.checkpoint, from: since.position, seed }) : null
  const entries = new EntryAudit({
    findings,
    takers: { streams, objects: isOurs ? objects : null, index },
    keyrings: isOurs ? head.keyringNotes : null,
    isStart: since.position === 0,
  })
  const tree = stored === null ? since.tree : TreeHasher.from(stored.at.edge)
  return { tree, tiles: new TileAudit(source, findings), streams, objects, index, entries, unread, seed }
}

/** Go on where an earlier audit stood. False: entries that it read, and that are wanted again, are not what they were. */
async function restore(takers: Takers, { at, tables }: StoredAudit, findings: Findings): Promise<boolean> {
  const { streams, objects, entries, index } = takers
  streams.streams.load(tables.streams)
  streams.lookalikes.bySkeleton.load(tables.subjects)
  streams.lookalikes.told.load(tables.told)
  objects.seen.load(tables.objects)
  objects.restore(at.objects)
  entries.restore(at.entries, at.logged)
  findings.restore(at.findings, at.counts)
  return index === null || (await index.resume(at.sums, at.position))
}

/** True when the log has a head of that size by now. A head that cannot be read, or that no key of the log signed, shows nothing of the sort. */
async function isServedLater(source: LogSource, head: AuditedHead, size: bigint): Promise<boolean> {
  const text = await attemptAsync(() => fetchText(source, "checkpoint", MAX_NOTE_BYTES))
  const later = typeof text === "string" ? attempt(() => head.openNote(text)) : null
  return later !== null && !(later instanceof ToolsumError) && later.size >= size
}

/** Sizes of earlier heads that the walk passes, ascending. */
const sizesOf = (older: readonly OlderHead[], start: number, size: number): readonly number[] =>
  [...new Set(older.map((head) => Number(head.size)))]
    .filter((one) => one >= start && one <= size)
    .sort((a, b) => a - b)

async function finishHeads(options: AuditOptions, run: Run, { roots }: Walked): Promise<void> {
  const { head, older, nowSec, findings } = run
  const comparing = { head, source: options.source, nowSec, roots, findings }
  await compareOlderHeads(older, comparing)
  // What these say would only be said again.
  if (options.state && !findings.has("fork", "rollback", "log_behind", "head_unproven"))
    await remember(head, options.state, comparing)
}

async function finishPartials(options: AuditOptions, { head, older, findings }: Run, from: number): Promise<void> {
  const size = Number(head.checkpoint.size)
  const { source, partials } = options
  if (partials) {
    await checkPartials(partials(), { source, size, from, findings })
    return
  }
  const known = [...new Set(older.map((one) => Number(one.size)))].filter((one) => one < size)
  const { asked, found } = await checkPartials(known.flatMap(partialsOfSize), { source, size, from: 0, findings })
  if (found < asked)
    findings.add(
      "partials_collected",
      "tile/",
      `${asked - found} of ${asked} partial tiles of earlier heads are gone; the full ones hold`,
    )
}

function buildReport(
  options: AuditOptions,
  { head, older, findings, stored }: Run,
  p: { takers: Takers; start: number; since: number },
): AuditReport {
  const list = findings.list()
  return {
    origin: head.identity.origin,
    location: options.source.location,
    head,
    from: p.start,
    isResumed: stored !== null,
    entries: p.takers.entries.counts(),
    streams: p.takers.streams.streams.size,
    objects: p.takers.objects.counts(),
    olderHeads: new Set(older.map(({ size }) => size)).size,
    findings: list,
    counts: findings.counts(),
    notCovered: describeNotCovered(options, head, { ...p, isResumed: stored !== null }),
    exitCode: exitCodeOfFindings(list),
  }
}

function describeNotCovered(
  { partials }: AuditOptions,
  { keyring }: AuditedHead,
  { start, since, isResumed }: { start: number; since: number; isResumed: boolean },
): readonly string[] {
  return [
    ...(since > 0 ? [`entries before ${since}`] : []),
    ...(isResumed && start > 0
      ? [`bundles, tiles and objects of entries before ${start}: an earlier audit read them, --full reads them again`]
      : []),
    ...(keyring === null ? ["keyrings, subject index and objects: this log is not read as one of toolsum"] : []),
    ...(partials ? [] : ["partial tiles of heads that nobody here has seen"]),
  ]
}

function reportNothing({ source }: AuditOptions, findings: Findings): AuditReport {
  const list = findings.list()
  return {
    ...{ origin: null, location: source.location, head: null, from: 0, isResumed: false },
    entries: { records: 0, keyrings: 0, other: 0, types: {} },
    ...{ streams: 0, objects: { read: 0, missing: 0 }, olderHeads: 0, findings: list, counts: findings.counts() },
    notCovered: ["the log itself: no head of it can be audited"],
    exitCode: exitCodeOfFindings(list),
  }
}
