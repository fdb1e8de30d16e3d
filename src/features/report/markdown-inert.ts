// Text that stays text in GitHub's Markdown: every word of a server stands in code, where no link, mention, image or tag is made of it
// (CommonMark 0.31 §6.1, §4.5; GFM §6.9 makes links of bare addresses anywhere else). Escaping what is invisible is shown-text.ts's.
import { type Run, wrapRuns } from "../../surface/shown-lines.js"
import { showLine } from "../../surface/shown-text.js"

/** Columns of a line of code, so that a long text is read without scrolling. */
const COLUMNS = 104

/** Text as a code span, also in a table: no line feed, no pipe, and a delimiter that is not in it. */
export function formatCode(text: string, max: number): string {
  const line = showLine(text, max).replaceAll("|", "\\u007c")
  if (line.trim() === "") return "`-`"
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length))
  const mark = "`".repeat(longest + 1)
  const room = /^[` ]|[` ]$/.test(line) ? " " : ""
  return `${mark}${room}${line}${room}${mark}`
}

/** A line of a block of code: a sign that says what it is, and what stands behind it. */
export interface CodeLine {
  readonly sign: "- " | "+ " | "! " | "@@ "
  readonly runs: readonly Run[]
  readonly maxLines: number
}

/** Words of one line, on a line of their own, to be copied. */
export const formatCommand = (text: string, max: number): string => {
  const line = showLine(text, max)
  const longest = Math.max(2, ...(line.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = "`".repeat(longest + 1)
  return [`${fence}sh`, line, fence].join("\n")
}

/** Lines as a block that GitHub colours. Each begins with its sign, so that none can end the block. */
export function formatBlock(lines: readonly CodeLine[]): string {
  const text = lines.flatMap(({ sign, runs, maxLines }) => {
    const { lines: wrapped, cut } = wrapRuns(runs, COLUMNS, maxLines)
    const shown = wrapped.map((line) => `${sign}${line.map((run) => run.text).join("")}`)
    return cut ? [...shown, `${sign}… cut here`] : shown
  })
  return ["```diff", ...text, "```"].join("\n")
}
