// `verify-server`: one server, no lockfile. Reads it, looks into the logs that were named, and judges (DESIGN 4 and 9); and the evidence
// file of all that. Nothing is written here.
import { walkStream } from "../client/history.js"
import { fetchArchivedSurface, fetchSectionTexts } from "../client/objects.js"
import type { LogClient } from "../client/open-log.js"
import { findSameLists } from "../client/same-lists.js"
import { type FoundRecord, findSubjectRecords, newestOfStreams } from "../client/streams.js"
import { decodeUtf8 } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import { isPinName } from "../core/pin.js"
import { computeSurface, computeSurfaceDigest, SECTION_NAMES, type SectionName } from "../core/section.js"
import type { EvidenceLog, EvidenceReading, ServerEvidence, UnreadLog } from "../core/server-evidence.js"
import { isComparable, judgeServer, type ReadStream, type SignedRecord } from "../core/server-verdict.js"
import { computeHow, deriveSubject, isRegistryId } from "../core/subject.js"
import { isCommandTarget, type Target } from "../core/target.js"
import type { ProvenLog } from "../core/verify-server-evidence.js"
import type { ReadFinding, ServerReading } from "../ports.js"
import { answerLive, findRefusal, type LiveAnswer } from "./live-answer.js"
import { answerLog, isPersonalLog, type LogAnswer, type LogState } from "./log-answer.js"
import { formatInstant } from "./pins.js"
import { buildServerReport, type ServerReport } from "./server-report.js"

/** A log that is asked. `name`: its origin or place, for people. */
export interface AskedLog {
  readonly name: string
  readonly state: LogState
}

/** What to verify and where to look. */
export interface VerifyServerInput {
  readonly target: Target
  /** What its records are filed under, see `chooseSubject`. */
  readonly subject: string | null
  readonly profile: string
  readonly sections: readonly SectionName[]
  readonly nowSec: number
  /** True to look at every entry of the logs instead of believing their index. */
  readonly exhaustive: boolean
  readonly read: () => Promise<ServerReading>
  /** Opened while the server is read. */
  readonly logs: Promise<readonly AskedLog[]>
}

/** The answer; or a log that is caught lying, which leaves none. */
export type VerifiedServer =
  | { readonly kind: "refuted"; readonly log: string; readonly error: ToolsumError }
  | {
      readonly kind: "answered"
      readonly report: ServerReport
      readonly findings: readonly ReadFinding[]
      /** All of it as evidence, with proofs. Throws what proving throws. */
      readonly evidence: () => Promise<ServerEvidence>
    }

/** Records before the newest that are looked at, of each stream. */
export const MAX_HISTORY = 20
/** Records that are not compared but told of, of each log. */
const MAX_OTHERS = 16

/** What the records of a target are filed under: what was given, or its own subject; null where it has none. Throws USAGE for a given one that
 *  contradicts the target (DESIGN 5). */
export function chooseSubject(target: Target, given: string | null): string | null {
  const { subject } = deriveSubject(target)
  if (given === null || given === subject) return subject
  if (subject === null && given.startsWith("local:") && isPinName(given.slice("local:".length))) return given
  if (!isCommandTarget(target) && isRegistryId(given)) return given
  const expected = subject ?? "local:<name>, which is what a target without a package or an https address has"
  throw new ToolsumError("USAGE", `--subject: expected ${expected}, got ${quote(given)}`)
}

/** Read, look, judge. Errors of server and logs become the answer; only faults of ours are thrown. */
export async function verifyServer(input: VerifyServerInput): Promise<VerifiedServer> {
  const [live, named] = await Promise.all([answerLive(() => readWhole(input)), input.logs])
  const logs = dropRepeats(named)
  const verified = await judgeLive(input, live, logs)
  const refusal = live.kind === "read" ? findRefusal(live.value.reading, input.sections) : null
  // What came before a list was refused can show a change; else the refusal is the answer.
  if (refusal === null || verified.kind === "refuted" || verified.report.verdict === "CHANGED") return verified
  return judgeLive(input, await answerLive(() => Promise.reject(refusal)), logs)
}

/** Each open log once, the one that has come furthest: a folder and an origin may name the same. */
function dropRepeats(logs: readonly AskedLog[]): readonly AskedLog[] {
  const furthest = new Map<string, LogClient>()
  for (const { state } of logs) {
    if (state instanceof ToolsumError) continue
    const known = furthest.get(state.origin)
    if (known === undefined || known.head.size < state.head.size) furthest.set(state.origin, state)
  }
  return logs.filter(({ state }, i) => {
    if (state instanceof ToolsumError) return true
    return furthest.get(state.origin) === state && logs.findIndex((other) => other.state === state) === i
  })
}

async function judgeLive(
  input: VerifyServerInput,
  live: LiveAnswer<WholeReading>,
  logs: readonly AskedLog[],
): Promise<VerifiedServer> {
  const value = live.kind === "read" ? live.value : null
  const reading = describeReading(input, live)
  const stream = streamOf(reading)
  const asked = await Promise.all(
    logs.map((log) => askLog(log, { reading, stream, surface: value?.surface ?? null, exhaustive: input.exhaustive })),
  )
  const refuted = asked.find(({ answer }) => answer.kind === "refuted")
  if (refuted?.answer.kind === "refuted") return { kind: "refuted", log: refuted.name, error: refuted.answer.error }
  const read = asked.flatMap(({ answer }) => (answer.kind === "read" ? [answer.value] : []))
  const unread = asked.flatMap(unreadLog)
  const { sections, surface, failure } = reading
  const judgement = judgeServer({
    stream,
    result: { sections, incomplete: SECTION_NAMES.filter((name) => reading.incomplete[name] !== undefined), surface },
    failure,
    logs: [
      ...read.map(({ log }) => log),
      ...unread.map(({ log, reason, detail }) => ({ origin: log, failure: { reason, detail } })),
    ],
  })
  const report = buildServerReport({ reading, logs: read.map(({ log }) => log), unread, judgement })
  const { verdict, reason } = report
  const evidence = async () => ({ reading, logs: await proveAll(read), unread, verdict: { verdict, reason } })
  return { kind: "answered", report, findings: value?.reading.findings ?? [], evidence }
}

/** What was read, once it can be hashed. */
interface WholeReading {
  readonly reading: ServerReading
  /** Digest of the surface; null when a list was not read to its end. */
  readonly surface: Digest | null
}

async function readWhole({ read, sections }: VerifyServerInput): Promise<WholeReading> {
  const reading = await read()
  const { lines } = computeSurface(reading.surface, sections)
  const isWhole = sections.every((section) => reading.failures[section] === undefined)
  return { reading, surface: isWhole ? computeSurfaceDigest("listed", lines) : null }
}

function describeReading(input: VerifyServerInput, live: LiveAnswer<WholeReading>): EvidenceReading {
  const { target, subject, profile, sections, nowSec } = input
  const reading = live.kind === "read" ? live.value.reading : null
  const derived = deriveSubject(target)
  const resolved = derived.floating ? reading?.resolved.version : null
  const failures = sections.flatMap((section) => {
    const failure = reading?.failures[section]
    return failure ? [[section, failure.message] as const] : []
  })
  return {
    at: formatInstant(nowSec),
    target,
    subject,
    version: derived.version ?? resolved ?? "-",
    profile,
    sections,
    protocol: reading?.protocol ?? null,
    read: reading?.read ?? {},
    isPrivate: reading?.isPrivate ?? false,
    surface: reading?.surface ?? null,
    incomplete: Object.fromEntries(failures),
    failure: failureOf(live),
  }
}

function failureOf(live: LiveAnswer<WholeReading>): EvidenceReading["failure"] {
  if (live.kind === "read") return null
  const { detail } = live
  return live.kind === "auth"
    ? { verdict: "AUTH", reason: live.reason, detail }
    : { verdict: "UNKNOWN", reason: live.reason, detail }
}

const streamOf = ({ target, subject, version, profile, sections }: EvidenceReading): ReadStream => ({
  subject,
  version,
  profile,
  how: computeHow(target, { sections }).digest,
})

interface Question {
  readonly reading: EvidenceReading
  readonly stream: ReadStream
  readonly surface: Digest | null
  readonly exhaustive: boolean
}

interface AnsweredLog {
  readonly client: LogClient
  readonly log: ProvenLog
}

interface AskedAnswer {
  readonly name: string
  readonly answer: LogAnswer<AnsweredLog>
}

async function askLog({ name, state }: AskedLog, question: Question): Promise<AskedAnswer> {
  const answer = await answerLog(state, async (client) => {
    const found = await search(client, question)
    return { client, found, records: found.newerFormat === null ? await readTexts(client, found, question) : [] }
  })
  if (answer.kind !== "read") return { name, answer }
  const { client, found, records } = answer.value
  if (found.newerFormat !== null) {
    const detail = `leaf ${found.newerFormat} has a newer record format; a newer toolsum is needed`
    return { name, answer: { kind: "unknown", reason: "newer_format", detail } }
  }
  return { name, answer: { kind: "read", value: { client, log: describeLog(client, found, records) } } }
}

const unreadLog = ({ name, answer }: AskedAnswer): readonly UnreadLog[] =>
  answer.kind === "unreachable"
    ? [{ log: name, reason: "log_unreachable", detail: answer.detail }]
    : answer.kind === "unknown"
      ? [{ log: name, reason: answer.reason, detail: answer.detail }]
      : []

const describeLog = (client: LogClient, found: Found, records: readonly SignedRecord[]): ProvenLog => ({
  origin: client.origin,
  fingerprint: client.keyring.fingerprint,
  root: client.root,
  head: client.head,
  ageSec: client.ageSec,
  newest: found.newest,
  records,
  warnings: [...client.warnings, ...found.warnings],
})

/** Records that matter, as a log has them. */
interface Found {
  /** Newest of the streams that may be compared. */
  readonly peers: readonly FoundRecord[]
  /** Those before them. */
  readonly history: readonly FoundRecord[]
  /** Newest of other streams, or of other subjects with the same list. */
  readonly others: readonly FoundRecord[]
  readonly newest: "scanned" | "hint"
  /** An entry about the subject that this version cannot read. */
  readonly newerFormat: bigint | null
  readonly warnings: readonly string[]
}

const NOTHING: Found = { peers: [], history: [], others: [], newest: "scanned", newerFormat: null, warnings: [] }

async function search(client: LogClient, { stream, surface, exhaustive }: Question): Promise<Found> {
  const { subject } = stream
  // A name that one account gave to a command of its own means nothing in a log of others.
  const isElsewhere = subject?.startsWith("local:") && !isPersonalLog(client.origin)
  const found = subject === null || isElsewhere ? NOTHING : await searchSubject(client, { subject, exhaustive }, stream)
  if (found.peers.length + found.others.length > 0 || found.newerFormat !== null || surface === null) return found
  const same = await findSameLists(client.tree, surface, { personal: isPersonalLog(client.origin) })
  // Without a subject these are all that was looked for.
  const unread = subject === null && !same.complete ? { newest: "hint" as const, warnings: ["records_unread"] } : {}
  return { ...found, ...unread, others: same.records }
}

async function searchSubject(
  client: LogClient,
  wanted: { subject: string; exhaustive: boolean },
  stream: ReadStream,
): Promise<Found> {
  const records = await findSubjectRecords(client, wanted)
  const newest = [...newestOfStreams(records).values()]
  const peers = newest.filter(({ record }) => isComparable(record, stream))
  const others = newest.filter((one) => !peers.includes(one)).slice(-MAX_OTHERS)
  const history = await Promise.all(peers.map((peer) => readHistory(client, peer)))
  return {
    peers,
    history: history.flat(),
    others,
    // The index may hide a whole stream, that of another observer.
    newest: records.scannedFrom === 0n ? "scanned" : "hint",
    newerFormat: records.newerFormat.at(-1) ?? null,
    warnings: [...records.warnings, ...(records.complete ? [] : ["records_unread"])],
  }
}

async function readHistory({ tree }: LogClient, newest: FoundRecord): Promise<readonly FoundRecord[]> {
  const history: FoundRecord[] = []
  for await (const record of walkStream(tree, newest)) {
    history.push(record)
    if (history.length >= MAX_HISTORY) break
  }
  return history
}

/** The records with what the log's archive has of them: for the newest ones the lists, and where the live list is another, all texts. */
async function readTexts(client: LogClient, found: Found, { surface }: Question): Promise<readonly SignedRecord[]> {
  const plain = ({ index, record }: FoundRecord): SignedRecord => ({ index, record, lists: {}, surface: null })
  const withLists = async (one: FoundRecord) => ({
    ...plain(one),
    lists: (await orNothing(() => fetchSectionTexts(client.source, one.record.lines))) ?? {},
  })
  const withTexts = async (one: FoundRecord) => {
    if (one.record.surface === surface) return withLists(one)
    const archived = await orNothing(() => fetchArchivedSurface(client.source, one.record.lines))
    return { ...(await withLists(one)), surface: archived?.missing.length === 0 ? archived.surface : null }
  }
  const records = [
    ...(await Promise.all(found.peers.map(withTexts))),
    ...(await Promise.all(found.others.map(withLists))),
    ...found.history.map(plain),
  ]
  return records.sort((a, b) => (a.index < b.index ? -1 : 1))
}

/** A damaged archive, or one that does not answer, costs words and nothing else: records are proven without it. */
async function orNothing<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolsumError) return null
    throw error
  }
}

const proveAll = (logs: readonly AnsweredLog[]): Promise<readonly EvidenceLog[]> => Promise.all(logs.map(proveLog))

/** The records of a log with their proofs under its head. */
async function proveLog({ client, log }: AnsweredLog): Promise<EvidenceLog> {
  const proven = log.records.map(async ({ index, lists, surface }) => {
    const { entry, proof } = await client.proveInclusion(index)
    const text = decodeUtf8(entry, (why) => new ToolsumError("RECORD_INVALID", why))
    return { index, entry: text, proof, lists, surface }
  })
  const { keyringNotes: keyring, headNote: checkpoint } = client
  return { keyring, checkpoint, newest: log.newest, records: await Promise.all(proven) }
}
