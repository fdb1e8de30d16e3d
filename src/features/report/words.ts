// Words that reports for people share: what an entry is called, what a server is, what a run came to.
import type { Severity } from "../../core/severity.js"
import { countVerdicts, VERDICTS } from "../../core/verdict.js"
import { showItem, showLine } from "../../surface/shown-text.js"
import type { Entry } from "./entries.js"
import { findingsOf, type Report, type ReportServer } from "./model.js"

/** Said below every report. */
export const REMARK = "Observations by rules, not a judgement: read what they point at."

/** What a severity is called where there is none. */
export const NOT_GRADED = "not graded"

/** Names of one entry that are listed. */
const MAX_NAMES = 12
/** Characters of names, subjects and details. */
const MAX_NAME_CHARS = 200
const MAX_DETAIL_CHARS = 600

/** "tools", "3 tools", "tool" and the names, escaped. */
export function titleOf({ section, names, kind, from }: Entry): { readonly what: string; readonly names: string } {
  const list = { tools: "tool", prompts: "prompt", templates: "template", resources: "resource" } as const
  const singular = section in list ? list[section as keyof typeof list] : section
  if (names.length === 0) return { what: section in list ? `list of ${section}` : section, names: "" }
  const shown = names.slice(0, MAX_NAMES).map(showItem)
  const more = names.length - shown.length
  const all = more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ")
  const renamed = kind === "renamed" && names.length === 1 ? `${showItem(from)} → ${all}` : all
  return { what: names.length === 1 ? singular : `${names.length} ${section}`, names: renamed }
}

/** `@scope/server 1.2.3`, escaped; "" where nothing is known. */
export function packageOf({ subject, version }: ReportServer): string {
  const known = [subject, version === "-" ? null : version].filter((part) => part !== null)
  return showLine(known.join(" "), MAX_NAME_CHARS)
}

/** Name of a server, escaped. */
export const nameOf = ({ name }: ReportServer): string => showLine(name, MAX_NAME_CHARS)

/** Its answer: the word, and what is said with it, escaped. */
export function answerOf({ verdict, problem }: ReportServer): {
  readonly word: string | null
  readonly detail: string
} {
  if (verdict === null) return { word: null, detail: problem === null ? "" : `not read: ${detailOf(problem)}` }
  const parts = [verdict.reason, verdict.detail].filter((part) => part !== null).map(detailOf)
  const lowered = verdict.lowered
    ? [`let pass: nothing is ${verdict.lowered.failOn} or graver (${verdict.lowered.source})`]
    : []
  return { word: verdict.verdict, detail: [...parts, ...lowered].join(": ") }
}

const detailOf = (text: string): string => showLine(text, MAX_DETAIL_CHARS)

/** Severities of everything there is to say of servers. */
export const severitiesOf = (servers: readonly ReportServer[]): readonly Severity[] =>
  servers.flatMap((server) => findingsOf(server).map(({ severity }) => severity))

/** `3 servers: 1 CHANGED, 2 PROVEN`. */
export function summaryOf({ servers }: Report): string {
  const counts = countVerdicts(servers.flatMap(({ verdict }) => verdict?.verdict ?? []))
  const parts = VERDICTS.filter((word) => counts[word] > 0).map((word) => `${counts[word]} ${word}`)
  const unread = servers.filter(({ problem }) => problem !== null).length
  const all = [...parts, ...(unread > 0 ? [`${unread} not read`] : [])]
  const count = `${servers.length} ${servers.length === 1 ? "server" : "servers"}`
  return all.length === 0 ? count : `${count}: ${all.join(", ")}`
}
