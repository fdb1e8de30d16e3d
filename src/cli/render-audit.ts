// The report of an audit: for people a few lines on what was read, then a line for each finding with the gravest first; for programs one
// document. Everything that comes from a log is escaped or quoted.
import { formatHex } from "../core/bytes.js"
import { escapeInvisible } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import type { AuditFinding, AuditReport, FindingKind } from "../features/audit/audit-log.js"
import type { Paint } from "./paint.js"
import { showWord } from "./shell-words.js"

/** A finding, and the file in which what proves it was kept. */
export interface ToldFinding {
  readonly finding: AuditFinding
  readonly file: string | null
}

const WORDS: Readonly<Record<FindingKind, string>> = {
  violation: "VIOLATION",
  irregular: "IRREGULAR",
  unread: "NOT READ",
  note: "note",
}
const WORD_WIDTH = 9

/** The report as text. */
export function renderAudit(report: AuditReport, told: readonly ToldFinding[], paint: Paint): string {
  const lines = [
    ...headlines(report),
    ...told.flatMap((one) => renderFinding(one, paint)),
    ...furtherOnes(report),
    ...report.notCovered.map((what) => paint.dim(`not covered: ${escapeInvisible(what)}`)),
    paintSummary(report, paint),
  ]
  return `${lines.join("\n")}\n`
}

function headlines({
  origin,
  location,
  head,
  from,
  isResumed,
  entries,
  streams,
  objects,
  olderHeads,
}: AuditReport): string[] {
  if (origin === null || head === null) return [`log at ${showWord(location)}`]
  const { size, rootHash } = head.checkpoint
  const signed = head.cosigners === 1 ? "1 cosignature" : `${head.cosigners} cosignatures`
  const now =
    isResumed && from > 0
      ? `entries ${from} to ${size} read now, those before by an earlier audit`
      : `read ${count(Number(size) - from, "entry", "entries").join("") || "no entries"}`
  const kinds = [
    ...count(entries.records, "record"),
    ...(streams > 0 ? [`${streams} ${streams === 1 ? "stream" : "streams"}`] : []),
    ...count(entries.keyrings, "keyring"),
    ...count(entries.other, "other entry", "other entries"),
    ...count(objects.read, "object"),
  ]
  return [
    `log   ${showWord(origin)}, at ${showWord(location)}`,
    `head  size ${size}, root ${formatHex(rootHash.subarray(0, 8))}…, ${signed}`,
    `      ${now}: ${kinds.join(", ")}`,
    ...(olderHeads > 0
      ? [`      ${olderHeads} ${olderHeads === 1 ? "size" : "sizes"} of earlier heads and closing trees compared`]
      : []),
  ]
}

const count = (number: number, one: string, many = `${one}s`): readonly string[] =>
  number === 0 ? [] : [`${number} ${number === 1 ? one : many}`]

function renderFinding({ finding, file }: ToldFinding, paint: Paint): readonly string[] {
  const { kind, code, where, message } = finding
  const word = colourOf(kind, paint)(WORDS[kind].padEnd(WORD_WIDTH))
  const line = `${word}  ${escapeInvisible(where)}: ${escapeInvisible(message)}  ${paint.dim(code)}`
  return file === null ? [line] : [line, `${" ".repeat(WORD_WIDTH)}  evidence for others: ${escapeInvisible(file)}`]
}

/** Codes of which more was found than is told. */
function furtherOnes({ counts, findings }: AuditReport): readonly string[] {
  return Object.entries(counts).flatMap(([code, total]) => {
    const told = findings.filter((finding) => finding.code === code).length
    return total > told ? [`${" ".repeat(WORD_WIDTH)}  and ${total - told} more of ${code}`] : []
  })
}

function paintSummary({ counts, findings, exitCode, head }: AuditReport, paint: Paint): string {
  const codesOf = (kind: FindingKind) => new Set(findings.filter((one) => one.kind === kind).map(({ code }) => code))
  const total = (kind: FindingKind) => [...codesOf(kind)].reduce((sum, code) => sum + (counts[code] ?? 0), 0)
  const parts = [
    ...count(total("violation"), "violation"),
    ...count(total("irregular"), "irregularity", "irregularities"),
    ...count(total("unread"), "part not read", "parts not read"),
  ]
  if (parts.length > 0) return (exitCode === 2 ? paint.yellow : paint.red)(parts.join(", "))
  return head === null ? "nothing was audited" : paint.green("every rule that was checked holds")
}

const colourOf = (kind: FindingKind, paint: Paint): ((text: string) => string) => {
  if (kind === "note") return paint.dim
  return kind === "unread" ? paint.yellow : paint.red
}

/** The report as members of a document. */
export function auditMembers(
  report: AuditReport,
  told: readonly ToldFinding[],
): { readonly [name: string]: JsonValue } {
  const { origin, location, head, from, isResumed, entries, streams, objects, olderHeads, counts, notCovered } = report
  return {
    log: origin,
    location,
    head: head && {
      size: String(head.checkpoint.size),
      rootHash: formatHex(head.checkpoint.rootHash),
      cosigners: head.cosigners,
      ageSec: head.ageSec,
      note: head.text,
    },
    from: String(from),
    resumed: isResumed,
    entries: {
      records: String(entries.records),
      keyrings: String(entries.keyrings),
      other: String(entries.other),
      types: Object.fromEntries(Object.entries(entries.types).map(([type, number]) => [type, String(number)])),
    },
    streams: String(streams),
    objects: { read: String(objects.read), missing: String(objects.missing) },
    olderHeads,
    findings: told.map(findingMember),
    findingCounts: { ...counts },
    notCovered,
  }
}

const findingMember = ({ finding, file }: ToldFinding): JsonValue => {
  const { code, kind, where, message, evidence } = finding
  return {
    ...{ code, kind, where, message },
    ...(evidence ? { evidence: { code: evidence.code, ...evidence.evidence, file } } : {}),
  }
}
