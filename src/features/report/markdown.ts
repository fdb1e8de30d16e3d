// A comment for a pull request: answers first, then what changed, gravest first, with what it means, then the line to paste. Fits GitHub's limit
// and says what it leaves out. All text of servers is code (markdown-inert.ts).
import { encodeUtf8 } from "../../core/bytes.js"
import { quote } from "../../core/errors.js"
import type { Severity } from "../../core/severity.js"
import { showChange } from "../../surface/shown-change.js"
import { countSeverities, showFinding } from "../../surface/shown-finding.js"
import { showLine } from "../../surface/shown-text.js"
import { describeCost } from "../../surface/token-cost.js"
import { describeBase, describeBaseFinding } from "../base-text.js"
import { type Entry, entriesOf, type Part, sortByGravity } from "./entries.js"
import { type CodeLine, formatBlock, formatCode, formatCommand } from "./markdown-inert.js"
import { gravestOfServer, openFindingsOf, type Report, type ReportBase, type ReportServer } from "./model.js"
import { answerOf, NOT_GRADED, nameOf, packageOf, REMARK, severitiesOf, summaryOf, titleOf } from "./words.js"

/** Longest comment that GitHub takes, in characters; held in bytes, which are never fewer. */
export const MAX_COMMENT_BYTES = 65_536
/** Kept free for the lines around the entries. */
const FRAME_BYTES = 1_000
const MAX_TABLE_ROWS = 100
const MAX_APPROVALS = 20
const MAX_PARTS = 12
const MAX_MEANINGS = 8
const MAX_PART_LINES = 16
const MAX_NAME_CHARS = 120
const MAX_COMMAND_CHARS = 400
const MAX_BASE_FINDINGS = 30
const MAX_ACCEPT_CHARS = 4_000

/** First line of the comment, by which it is found again. `key` tells several of one pull request apart. */
export const commentMarker = (key: string): string => `<!-- toolsum:${key.replace(/[^a-z0-9-]+/gi, "-")} -->`

/** The report as a comment, with a final line feed. */
export function renderMarkdown(report: Report): string {
  const head = [
    commentMarker(report.command),
    `## toolsum ${formatCode(report.command, MAX_NAME_CHARS)}`,
    summaryLine(report),
    formatTable(report.servers),
    ...report.bases.flatMap(formatBase),
    ...formatApprovals(report.servers),
  ]
  const tail = [`<sub>${REMARK}</sub>`]
  const room = MAX_COMMENT_BYTES - FRAME_BYTES - byteLength([...head, ...tail].join("\n\n"))
  return `${[...head, ...formatEntries(report.servers, room), ...tail].join("\n\n")}\n`
}

const byteLength = (text: string): number => encodeUtf8(text).length

function summaryLine(report: Report): string {
  const counts = countSeverities(severitiesOf(report.servers))
  const gate = report.failOn === null ? "" : ` · fails from **${report.failOn}**`
  return `**${summaryOf(report)}**${counts === "" ? "" : ` · ${counts}`}${gate} · exit code ${report.exitCode}`
}

function formatTable(servers: readonly ReportServer[]): string {
  const rows = servers.slice(0, MAX_TABLE_ROWS).map((server) => {
    const { word, detail } = answerOf(server)
    const said = detail === "" ? "" : formatCode(detail, MAX_NAME_CHARS)
    const cells = [formatCode(nameOf(server), MAX_NAME_CHARS), word === null ? "" : `**${word}**`]
    return `| ${[...cells, gravestOfServer(server) ?? "", formatCode(packageOf(server), MAX_NAME_CHARS), said].join(" | ")} |`
  })
  const left = servers.length - rows.length
  const more = left > 0 ? [`\n${left} more servers`] : []
  return ["| server | answer | gravest | package | detail |", "| --- | --- | --- | --- | --- |", ...rows, ...more].join(
    "\n",
  )
}

/** Differences from a base: the open ones first, since the run fails for them. */
function formatBase(base: ReportBase): readonly string[] {
  const sorted = [...openFindingsOf(base), ...base.findings.filter(({ status }) => status !== "open")]
  const left = sorted.length - MAX_BASE_FINDINGS
  const lines = sorted.slice(0, MAX_BASE_FINDINGS).map((finding) => {
    const mark = finding.status === "open" ? "**open** " : ""
    return `- ${mark}${formatCode(describeBaseFinding(finding, quote), MAX_COMMAND_CHARS)}`
  })
  const accept =
    base.acceptLine === null ? [] : ["If all of that is wanted:", formatCommand(base.acceptLine, MAX_ACCEPT_CHARS)]
  return [
    formatCode(describeBase(base, quote), MAX_COMMAND_CHARS),
    [...(lines.length > 0 ? lines : ["- nothing differs"]), ...(left > 0 ? [`- ${left} more`] : [])].join("\n"),
    ...accept,
  ]
}

function formatApprovals(servers: readonly ReportServer[]): readonly string[] {
  const lines = servers.flatMap(({ approve }) => approve ?? [])
  if (lines.length === 0) return []
  const left = lines.length - MAX_APPROVALS
  return [
    "If the change is wanted, and you have read it:",
    ...lines.slice(0, MAX_APPROVALS).map((line) => formatCommand(line, MAX_COMMAND_CHARS)),
    ...(left > 0 ? [`${left} more such lines are in \`--json\`.`] : []),
  ]
}

/** An entry with where it stands and how it is written. */
interface Block {
  readonly server: ReportServer
  readonly severity: Severity | null
  readonly text: string
}

/** The gravest first, as many as fit; those of a server stand together, the lesser ones folded. */
function formatEntries(servers: readonly ReportServer[], room: number): readonly string[] {
  const all = servers.flatMap((server) =>
    entriesOf(server).map((entry) => ({ server, entry, severity: entry.severity })),
  )
  const kept = new Map<ReportServer, Block[]>()
  const left: (Severity | null)[] = []
  let used = 0
  for (const { server, entry, severity } of sortByGravity(all)) {
    const text = left.length === 0 ? formatEntry(entry) : ""
    const cost = byteLength(text) + BLOCK_COST + (kept.has(server) ? 0 : HEADING_COST + byteLength(headingOf(server)))
    if (left.length > 0 || used + cost > room) {
      left.push(severity)
      continue
    }
    used += cost
    kept.set(server, [...(kept.get(server) ?? []), { server, severity, text }])
  }
  return [...[...kept].flatMap(([server, blocks]) => formatServer(server, blocks)), ...formatLeft(left)]
}

/** Bytes of what joins blocks, and of a fold around them. */
const BLOCK_COST = 80
/** Bytes of what a server costs, below its heading. */
const HEADING_COST = 100

const FOLDED: readonly (Severity | null)[] = ["low", "info"]

const headingOf = (server: ReportServer): string => `### ${formatCode(nameOf(server), MAX_NAME_CHARS)}`

function formatServer(server: ReportServer, blocks: readonly Block[]): readonly string[] {
  const folded = blocks.filter(({ severity }) => FOLDED.includes(severity))
  const open = blocks.filter((block) => !folded.includes(block))
  const counts = countSeverities(folded.flatMap(({ severity }) => severity ?? []))
  return [
    headingOf(server),
    ...(server.tokens ? [describeCost(server.tokens)] : []),
    ...open.map(({ text }) => text),
    ...(folded.length === 0
      ? []
      : [`<details><summary>${counts}</summary>`, ...folded.map(({ text }) => text), "</details>"]),
  ]
}

function formatLeft(left: readonly (Severity | null)[]): readonly string[] {
  if (left.length === 0) return []
  const ungraded = left.filter((severity) => severity === null).length
  const counts = [
    ...(ungraded > 0 ? [`${ungraded} ${NOT_GRADED}`] : []),
    countSeverities(left.flatMap((severity) => severity ?? [])),
  ].filter((part) => part !== "")
  return [`**${left.length} more did not fit into a comment** (${counts.join(", ")}): \`--json\` has everything.`]
}

function formatEntry(entry: Entry): string {
  const { what, names } = titleOf(entry)
  const title = `**${entry.severity ?? NOT_GRADED}** ${entry.kind === "found" ? "" : `${entry.kind} `}${what}`
  const shown = entry.parts.slice(0, MAX_PARTS)
  const left = entry.parts.length - shown.length
  const lines = [...shown.flatMap(linesOfPart), ...(left > 0 ? [ownLine("! ", `… ${left} more places`)] : [])]
  return [names === "" ? title : `${title} ${formatCode(names, 6 * MAX_NAME_CHARS)}`, formatBlock(lines)].join("\n\n")
}

const ownLine = (sign: CodeLine["sign"], text: string): CodeLine => ({
  sign,
  runs: [{ text, look: "plain" }],
  maxLines: 6,
})

/** Where, what it means, what went and what came. */
function linesOfPart({ pointer, severity, change, meanings, places }: Part): readonly CodeLine[] {
  const place = `${pointer === "" ? "whole" : showLine(pointer, MAX_NAME_CHARS)}${places > 1 ? ` in ${places} places` : ""}`
  const left = meanings.length - MAX_MEANINGS
  return [
    ownLine("@@ ", `${place} @@ ${severity ?? ""}`.trimEnd()),
    ...meanings.slice(0, MAX_MEANINGS).map((one) => ownLine("! ", `${showFinding(one)} (${one.rule})`)),
    ...(left > 0 ? [ownLine("! ", `… ${left} more`)] : []),
    ...(change === null ? [] : linesOfChange(change)),
  ]
}

function linesOfChange(change: NonNullable<Part["change"]>): readonly CodeLine[] {
  const { runs } = showChange(change, { brackets: true })
  const side = (sign: "- " | "+ ", hidden: "added" | "removed"): CodeLine => ({
    sign,
    runs: runs.filter(({ look }) => look !== hidden && look !== "dim"),
    maxLines: MAX_PART_LINES,
  })
  return [
    ...(change.before === undefined ? [] : [side("- ", "added")]),
    ...(change.after === undefined ? [] : [side("+ ", "removed")]),
  ]
}
