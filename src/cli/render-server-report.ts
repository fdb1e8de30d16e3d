// A report on one server without a pin, for people and as a document: the verdict, every part with its own digest, what changed, what was
// signed before, what else the logs know. Everything from the server and the logs is escaped.
import { SURFACE_MEMBERS, type SurfaceMember } from "../core/compare-record.js"
import { escapeInvisible } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { SECTION_NAMES } from "../core/section.js"
import type { SignedRecord } from "../core/server-verdict.js"
import type { ServerVerdict } from "../core/verdict.js"
import type { ProvenLog } from "../core/verify-server-evidence.js"
import type { ReviewedServer } from "../features/gate.js"
import { describeDay } from "../features/log-answer.js"
import { type LogReport, listCoverage, type ServerReport } from "../features/server-report.js"
import type { Paint } from "./paint.js"
import { BELOW_WIDTH, formatSec, showPackage } from "./render.js"
import { pasteLine, showWord } from "./shell-words.js"
import { describeTarget } from "./typed-target.js"

/** How a server without a pin is called. */
const nameOf = ({ reading }: ServerReport): string => reading.subject ?? describeTarget(reading.target)

/** The report as the answer for one server. */
export function verdictOf(report: ServerReport): ReviewedServer {
  const { reading, lines, logs } = report
  const { covered, notCovered } = listCoverage(report)
  const [first] = logs
  const record = logs.flatMap(({ compared }) => compared)[0]?.signed ?? null
  const counts = SECTION_NAMES.flatMap((section) => {
    const count = Number(lines?.[section].split(" ")[0])
    return count > 0 ? [[section, count] as const] : []
  })
  return {
    name: nameOf(report),
    subject: reading.subject,
    version: reading.version === "-" ? null : reading.version,
    ...{ verdict: report.verdict, reason: report.reason, detail: report.detail },
    compared: [...(logs.length > 0 ? ["log" as const] : []), ...(lines ? ["live" as const] : [])],
    covered: covered.map((section) => ({ section, fields: "all" as const })),
    notCovered,
    head: first
      ? {
          origin: first.log.origin,
          size: first.log.head.size,
          cosigners: first.log.head.cosigners,
          ageSec: first.log.ageSec,
        }
      : null,
    record: record && { index: record.index, observedSec: record.record.observed },
    newest: first?.log.newest ?? null,
    ...(first?.log.newest === "scanned" ? { searched: { from: 0n, size: first.log.head.size } } : {}),
    pin: null,
    items: Object.fromEntries(counts),
    changes: report.changes,
    analysis: report.analysis ?? null,
    tokens: report.tokens ?? null,
    warnings: [...new Set(logs.flatMap(({ log }) => log.warnings))],
  }
}

/** The same as people read it: a package by its own name. */
export const shownVerdictOf = (report: ServerReport): ServerVerdict => {
  const { subject } = report.reading
  return { ...verdictOf(report), name: subject === null ? nameOf(report) : showPackage(subject, null) }
}

/** Lines below the verdict, escaped. What shows words loads only where there are some. */
export async function renderReport(
  report: ServerReport,
  { paint, explain }: { paint: Paint; explain: boolean },
): Promise<readonly string[]> {
  const { changes, analysis } = report
  const diff =
    changes.length === 0
      ? []
      : (await import("./render-diff.js")).renderDiff(
          { changes, unchanged: {}, analysis: analysis ?? null },
          { paint, width: BELOW_WIDTH },
        )
  return [
    ...(report.lines ? SURFACE_MEMBERS.map((member) => renderMember(member, report)) : []),
    ...diff,
    ...report.logs.flatMap((log) => renderHistory(log)),
    ...report.notes.map((note) => `note: ${escapeInvisible(note)}`),
    ...report.unread
      .filter(({ detail }) => detail !== report.detail)
      .map(({ log, detail }) => `not read: ${showWord(log)}: ${escapeInvisible(detail)}`),
    ...(explain ? renderConditions(report) : []),
  ]
}

/** `tools         9 sha256:…`, or why there is no digest. */
function renderMember(member: SurfaceMember, { lines, reading, logs }: ServerReport): string {
  const list = SECTION_NAMES.find((name) => name === member)
  const why = list && reading.incomplete[list]
  const differs = logs.some(({ compared }) => compared.some(({ differences }) => differences.includes(member)))
  const line = lines?.[member] ?? "-"
  const value =
    why !== undefined
      ? `not read to the end: ${escapeInvisible(why)}`
      : line === "-"
        ? "not read"
        : line === "none"
          ? "none"
          : line
  return `${member.padEnd(LABEL_CHARS)}${value}${differs ? "  differs" : ""}`
}

const LABEL_CHARS = 14
/** Of a digest that is only there to be told from others: `sha256:` and 16 hex digits. --json has all of it. */
const DIGEST_CHARS = 23

/** What was signed of the streams that were compared, newest first. */
function renderHistory({ log, compared }: LogReport): string[] {
  if (compared.length === 0) return []
  const lines = compared.flatMap(({ signed, history }) => [
    ...[signed, ...history].map(renderSigned),
    ...cut(history.at(-1) ?? signed),
  ])
  return [`signed in ${showWord(log.origin)}`, ...lines.map((line) => `  ${line}`)]
}

const renderSigned = ({ index, record }: SignedRecord): string => {
  const what = record.state === "auth" ? "wanted credentials" : record.lines.tools.split(" ")[0]
  return `${describeDay(record.observed)}  leaf ${index}  ${record.observer}  ${toolsOf(what)}${record.surface.slice(0, DIGEST_CHARS)}…`
}

const toolsOf = (count: string | undefined): string =>
  count === undefined || !/^[0-9]+$/.test(count) ? "" : `${count} ${count === "1" ? "tool" : "tools"}  `

/** Records before the last one shown. */
const cut = ({ record }: SignedRecord): string[] => (record.seq > 0n ? [`… ${record.seq} older`] : [])

function renderConditions({ reading, surface, logs }: ServerReport): string[] {
  const { profile, version, at, read } = reading
  return [
    ...(surface ? [`surface       ${surface}`] : []),
    `read          ${at} as ${profile}, version ${version}`,
    ...Object.entries(read).map(([name, value]) => `  ${showWord(name)} ${showWord(value)}`),
    ...logs.map(
      ({ log }) => `root          ${log.fingerprint} of ${showWord(log.origin)}: ${log.root?.source ?? "not pinned"}`,
    ),
  ]
}

/** The report as members of a document, besides those of every report on servers. */
export const reportDetails = (report: ServerReport): { readonly [name: string]: JsonValue } => ({
  reading: readingMember(report),
  logs: report.logs.map((log) => logMember(log, report)),
  unreadLogs: report.unread.map(({ log, reason, detail }) => ({ log, reason, detail })),
  notes: [...report.notes],
})

function readingMember({ reading, lines, surface }: ServerReport): JsonValue {
  const { at, subject, version, profile, protocol, read, isPrivate, incomplete } = reading
  return {
    ...{ at, subject, version, profile, protocol },
    read: { ...read },
    private: isPrivate,
    sections: lines && { ...lines },
    surface,
    incomplete: { ...incomplete },
  }
}

function logMember({ log, compared }: LogReport, { lines }: ServerReport): JsonValue {
  return {
    log: log.origin,
    size: String(log.head.size),
    newest: log.newest,
    compared: compared.map(({ signed, differences, history }) => ({
      ...signedMember(signed),
      differs: lines && [...differences],
      before: history.map(signedMember),
    })),
  }
}

const signedMember = ({ index, record }: SignedRecord) => ({
  index: String(index),
  observer: record.observer,
  observed: formatSec(record.observed),
  surface: record.surface,
})

/** Roots of logs, as every report has them. */
export const rootMembers = (logs: readonly ProvenLog[]): readonly JsonValue[] =>
  logs.map(({ origin, fingerprint, root }) => ({ log: origin, fingerprint, source: root?.source ?? null }))

/** How to pin the roots that are not, as lines to paste. */
export function pinSteps({ unread }: ServerReport): readonly string[] {
  return unread.flatMap(({ log, reason, detail }) => {
    const [fingerprint] = reason === "root_not_pinned" ? (FINGERPRINT.exec(detail) ?? []) : []
    const line = fingerprint && pasteLine("toolsum", "trust", "add", `${log}=${fingerprint}`)
    return line ? [`compare with the log's owner, then: ${line}`] : []
  })
}

const FINGERPRINT = /SHA256:[A-Za-z0-9+/]{43}/
