// The report on one server without a pin, from what was read and what logs have signed: live, or again from an evidence file. Nothing is
// fetched and nothing is decided here; the verdict is core/server-verdict.ts's.
import { SURFACE_MEMBERS, type SurfaceMember } from "../core/compare-record.js"
import type { Digest } from "../core/hash.js"
import { streamKey, type ToolRecord } from "../core/record.js"
import { parseSectionText, SECTION_NAMES, type SectionName, type SurfaceLines } from "../core/section.js"
import type { EvidenceReading, UnreadLog } from "../core/server-evidence.js"
import type { Comparison, JudgedLog, ServerJudgement, SignedRecord } from "../core/server-verdict.js"
import type { Change, Verdict } from "../core/verdict.js"
import type { ProvenLog } from "../core/verify-server-evidence.js"
import type { ChangeAnalysis } from "../surface/analysis.js"
import type { TokenCost } from "../surface/token-cost.js"
import { compareReading } from "./compare-live.js"
import { describeDay } from "./log-answer.js"
import type { Compared } from "./review.js"

/** A stream that was compared: its newest record, what differs from it, and the records before it, newest first, as far as they were asked
 *  for. */
export interface ComparedStream extends Comparison {
  readonly history: readonly SignedRecord[]
}

/** What one log has to do with the answer. */
export interface LogReport {
  readonly log: ProvenLog
  readonly compared: readonly ComparedStream[]
}

/** All that is said of one server. */
export interface ServerReport {
  readonly verdict: Verdict
  readonly reason: string | null
  /** One sentence for a person. */
  readonly detail: string
  readonly reading: EvidenceReading
  /** Lines of what was read as a record has them; null where nothing was. */
  readonly lines: SurfaceLines | null
  /** Digest of the whole surface; null unless every list was read to its end. */
  readonly surface: Digest | null
  readonly changes: readonly Change[]
  /** What the changes come from; null where not all texts are at hand. */
  readonly difference: Compared | null
  /** What they mean; not said where nobody asks. */
  readonly analysis?: ChangeAnalysis | null
  readonly tokens?: TokenCost | null
  readonly logs: readonly LogReport[]
  readonly unread: readonly UnreadLog[]
  /** What else the logs know, a sentence each. */
  readonly notes: readonly string[]
}

/** Most notes. */
const MAX_NOTES = 8

/** Put the report together. `logs` and `judgement` belong together: the judgement has those of `logs` first, then the unread ones. */
export function buildServerReport(p: {
  reading: EvidenceReading
  logs: readonly ProvenLog[]
  unread: readonly UnreadLog[]
  judgement: ServerJudgement
}): ServerReport {
  const { reading, judgement } = p
  const { verdict, reason, read, surface } = judgement
  const counted = p.logs.filter((_, i) => judgement.logs[i]?.fact !== "failed")
  const unread = [...p.logs.filter((log) => !counted.includes(log)).map(withoutRoot), ...p.unread]
  const logs = counted.map((log) =>
    reportOnLog(
      log,
      judgement.logs.find(({ origin }) => origin === log.origin),
    ),
  )
  const parts = { reading, logs, unread, judgement, isOne: counted.length === 1 }
  return {
    ...{ verdict, reason, reading, surface, logs, unread },
    detail: describeAnswer(parts),
    lines: read?.lines ?? null,
    ...listChanges(reading, logs),
    notes: listNotes(parts),
  }
}

const withoutRoot = ({ origin, fingerprint }: ProvenLog): UnreadLog => ({
  log: origin,
  reason: "root_not_pinned",
  detail: `no root is pinned for the log ${origin}; its keyring starts from ${fingerprint}`,
})

function reportOnLog(log: ProvenLog, judged: JudgedLog | undefined): LogReport {
  const compared = (judged?.compared ?? []).map((one) => {
    const stream = streamKey(one.signed.record)
    const history = log.records.filter(
      ({ record, index }) => streamKey(record) === stream && index !== one.signed.index,
    )
    return { ...one, history: history.reverse() }
  })
  return { log, compared }
}

interface Parts {
  readonly reading: EvidenceReading
  readonly logs: readonly LogReport[]
  readonly unread: readonly UnreadLog[]
  readonly judgement: ServerJudgement
  /** True where one log was read, so that its name need not be said. */
  readonly isOne: boolean
}

function describeAnswer(parts: Parts): string {
  const { reading, unread, judgement } = parts
  const { verdict, reason } = judgement
  const { failure, subject } = reading
  if (failure) return verdict === "AUTH" ? `${failure.detail}${lastSigned(parts)}` : failure.detail
  if (verdict === "CHANGED") return listCompared(parts, true).join("; ")
  if (verdict === "UNCHANGED") return `as ${listCompared(parts, false).join(", and as ")}`
  if (reason === "incomplete" && unread.every((log) => log.reason !== "incomplete")) return describeIncomplete(reading)
  const [failed] = unread
  if (failed) return failed.detail
  if (parts.logs.length === 0) return "no log was asked"
  if (reason === "ambiguous_subject")
    return `several servers have this list, and the target names none of them: ${subjectsWithSameList(parts).join(", ")}`
  if (subject === null)
    return reason === "never_signed"
      ? `the target has no name of its own, and nobody has signed this list in ${namesOf(parts)}`
      : `the target has no name of its own; ${subjectsWithSameList(parts).join(", ")} has this list`
  return reason === "never_signed"
    ? `nobody has signed a list of ${subject} in ${namesOf(parts)}`
    : `no list of ${subject} was signed under these reading conditions in ${namesOf(parts)}`
}

const namesOf = ({ logs }: Parts): string => logs.map(({ log }) => log.origin).join(", ")

/** `ci.example.com signed it 2026-07-04, leaf 12`, or with what differs: `tools differ from what … signed 2026-07-04, leaf 12`. */
function listCompared({ logs, isOne }: Parts, differing: boolean): readonly string[] {
  return logs.flatMap(({ log, compared }) =>
    compared
      .filter(({ differences }) => differences.length > 0 === differing)
      .map(({ signed, differences }) => {
        const { observer } = signed.record
        const place = placeOf(signed, log, isOne)
        // `local` is the observer of somebody's own log: no name to tell.
        if (!differing) return observer === "local" ? `signed ${place}` : `${observer} signed it ${place}`
        const who = observer === "local" ? "was signed" : `${observer} signed`
        return `${joinMembers(differences)} ${isSingle(differences) ? "differs" : "differ"} from what ${who} ${place}`
      }),
  )
}

const joinMembers = (members: readonly SurfaceMember[]): string => members.join(", ")

/** True for the one part whose name is no plural. */
const isSingle = ([first, ...more]: readonly SurfaceMember[]): boolean => first === "server" && more.length === 0

const placeOf = ({ record, index }: SignedRecord, { origin }: ProvenLog, isOne: boolean): string =>
  `${describeDay(record.observed)}, leaf ${index}${isOne ? "" : ` of ${origin}`}`

/** Where the server wants credentials, what was signed of it is still there to be looked at. */
function lastSigned({ logs, reading, isOne }: Parts): string {
  const all = logs.flatMap(({ log }) =>
    log.records.filter(({ record }) => record.subject === reading.subject).map((signed) => ({ signed, log })),
  )
  const newest = all.reduce<(typeof all)[number] | null>(
    (best, one) => (best && best.signed.record.observed >= one.signed.record.observed ? best : one),
    null,
  )
  return newest === null ? "" : `; last signed ${placeOf(newest.signed, newest.log, isOne)}`
}

function describeIncomplete({ incomplete }: EvidenceReading): string {
  const parts = SECTION_NAMES.flatMap((section) => {
    const why = incomplete[section]
    return why === undefined ? [] : [`${section} could not be read to the end: ${why}`]
  })
  return `what came is what was signed, but ${parts.join("; ")}`
}

/** Changes against the first record that differs, in words where its texts are at hand. */
function listChanges(
  reading: EvidenceReading,
  logs: readonly LogReport[],
): Pick<ServerReport, "changes" | "difference"> {
  const first = logs.flatMap(({ compared }) => compared).find(({ differences }) => differences.length > 0)
  if (first === undefined || reading.surface === null) return { changes: [], difference: null }
  const { record, lists, surface } = first.signed
  const { changes, compared, incomplete } = compareReading({
    asked: reading.sections,
    masks: [],
    known: { lines: record.lines, lists, surface },
    reading: { surface: reading.surface, failures: reading.incomplete },
  })
  return { changes, difference: incomplete.length > 0 ? null : compared }
}

/** Newest records that may not be compared, and what they have to do with the list. */
function listNotes(parts: Parts): readonly string[] {
  const notes = parts.logs.flatMap(({ log }) => {
    const others = parts.judgement.logs.find(({ origin }) => origin === log.origin)?.others ?? []
    return [...others].reverse().flatMap((signed) => describeOther(signed, log, parts))
  })
  const more = notes.length - MAX_NOTES
  return more > 0 ? [...notes.slice(0, MAX_NOTES), `${more} more records that are not compared`] : notes
}

/** One note. Another list of another server has nothing to do with this one: only somebody who put a file together by hand tells of it. */
function describeOther(signed: SignedRecord, log: ProvenLog, { reading, judgement, isOne }: Parts): readonly string[] {
  const { record } = signed
  const where = `signed ${placeOf(signed, log, isOne)}`
  const isSame = judgement.surface !== null && record.surface === judgement.surface
  if (record.subject !== reading.subject)
    return isSame ? [`the same list is signed under the subject ${record.subject}: ${where}`] : []
  const conditions = listConditions(record, reading)
  if (isSame) return [`the same list was signed under other reading conditions (${conditions.join(", ")}): ${where}`]
  const differing = countDiffering(signed, judgement)
  const what = differing === null ? "another list" : differing
  return [`${conditions.join(", ")} is in the log: ${what}, ${where}`]
}

/** What makes a stream one that is not compared. */
function listConditions(record: ToolRecord, { version, profile }: EvidenceReading): readonly string[] {
  const named = [
    ...(record.version === version ? [] : [record.version === "-" ? "no version" : `version ${record.version}`]),
    ...(record.profile === profile ? [] : [`profile ${record.profile}`]),
    ...(record.mask === "-" ? [] : ["a masked list"]),
  ]
  return named.length > 0 ? named : ["other arguments, variables or sections"]
}

/** `3 tools differ, 1 prompt differs`; null where that cannot be told. */
function countDiffering({ lists, record }: SignedRecord, { read }: ServerJudgement): string | null {
  if (read === null) return null
  const counts = SECTION_NAMES.flatMap((section) => {
    const [now, then] = [read.sections[section]?.text ?? "", lists[section] ?? ""]
    return read.lines[section] === record.lines[section] ? [] : [[section, differingKeys(now, then)] as const]
  })
  const isKnown = counts.every(([section]) => !/^[1-9]/.test(record.lines[section]) || lists[section] !== undefined)
  const parts = counts.filter(([, count]) => count > 0).map(([section, count]) => describeCount(section, count))
  return isKnown && parts.length > 0 ? parts.join(", ") : null
}

const describeCount = (section: SectionName, count: number): string =>
  count === 1 ? `1 ${section.slice(0, -1)} differs` : `${count} ${section} differ`

/** How many keys have other items in one section text than in the other. */
function differingKeys(a: string, b: string): number {
  const digestsOf = (text: string) => {
    const digests = new Map<string | null, string>()
    for (const { key, digest } of parseSectionText(text)) digests.set(key, `${digests.get(key) ?? ""} ${digest}`)
    return digests
  }
  const [before, after] = [digestsOf(a), digestsOf(b)]
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key)).length
}

function subjectsWithSameList({ logs, judgement }: Parts): readonly string[] {
  const same = logs.flatMap(({ log }) => log.records.filter(({ record }) => record.surface === judgement.surface))
  return [...new Set(same.map(({ record }) => record.subject))]
}

/** What of a server was read, and what was not, by part. */
export function listCoverage({ lines, reading }: Pick<ServerReport, "lines" | "reading">): {
  readonly covered: readonly SurfaceMember[]
  readonly notCovered: readonly SurfaceMember[]
} {
  const isCovered = (member: SurfaceMember) =>
    lines !== null &&
    lines[member] !== "-" &&
    !SECTION_NAMES.some((name) => name === member && reading.incomplete[name] !== undefined)
  return {
    covered: SURFACE_MEMBERS.filter(isCovered),
    notCovered: SURFACE_MEMBERS.filter((member) => !isCovered(member)),
  }
}
