// Annotations of a GitHub Actions run: workflow commands on stdout, one a line, gravest first. A server's text can neither end a line nor
// begin one, so that no command but ours is ever run.
import { showLine } from "../../surface/shown-text.js"
import type { Report } from "./model.js"
import { isRelative } from "./places.js"
import { type Result, resultsOf, ruleOf } from "./results.js"
import { LEVELS } from "./sarif-levels.js"

/** Annotations of one run: GitHub shows ten of each level of a step, and keeps fifty of a job. */
const MAX_ANNOTATIONS = 50
/** Characters of one message. */
const MAX_MESSAGE_CHARS = 1000

const COMMANDS = { error: "error", warning: "warning", note: "notice" } as const

/** Lines with their line feeds; "" for nothing found. Servers without an answer are warned of first. */
export function renderAnnotations(report: Report): string {
  const unanswered = report.servers.flatMap(({ name, problem, verdict }) => {
    const why = problem ?? (verdict?.verdict === "UNKNOWN" || verdict?.verdict === "AUTH" ? describe(verdict) : null)
    return why === null ? [] : [`::warning title=toolsum::${escapeData(`${name}: not checked: ${why}`)}`]
  })
  const lines = [...unanswered, ...resultsOf(report).map(formatAnnotation)]
  const left = lines.length - MAX_ANNOTATIONS
  const more = left > 0 ? [`::notice title=toolsum::${left} more observations are in the report`] : []
  return [...lines.slice(0, MAX_ANNOTATIONS), ...more].map((line) => `${line}\n`).join("")
}

const describe = ({ reason, detail }: { readonly reason: string | null; readonly detail: string | null }): string =>
  [reason, detail].filter((part) => part !== null).join(": ")

function formatAnnotation({ severity, file, rule, message }: Result): string {
  const place = isRelative(file.path) ? `file=${escapeProperty(file.path)},line=${file.line},` : ""
  const title = escapeProperty(`${severity}: ${ruleOf(rule).title}`)
  return `::${COMMANDS[LEVELS[severity]]} ${place}title=${title}::${escapeData(`${message} (${rule})`)}`
}

/** As the runner undoes it: `%` first. Nothing invisible and no line feed is left by then. */
const escapeData = (text: string): string => showLine(text, MAX_MESSAGE_CHARS).replaceAll("%", "%25")

const escapeProperty = (text: string): string => escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
