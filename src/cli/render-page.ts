// Lays out what render-diff.ts says: indented lines, a change behind its pointer or in a block below it, wrapped and cut. Each line
// of a block starts with a bar, so that no line of a server's text looks like one of ours.
import type { JsonValue } from "../core/json.js"
import { showChange, showValue } from "../surface/shown-change.js"
import { type Run, widthOf, wrapRuns } from "../surface/shown-lines.js"
import { showItem } from "../surface/shown-text.js"
import type { Paint } from "./paint.js"
import { paintRuns } from "./terminal-text.js"

/** A change with the words before it and the lines it may take. */
export interface ChangeLine {
  /** Escaped. */
  readonly label: string
  /** Stands before the label. */
  readonly mark?: Run
  readonly change: { readonly before?: JsonValue; readonly after?: JsonValue; readonly note?: string }
  readonly maxLines: number
}

/** Lines under construction. `indent` counts steps of two columns. */
export interface Page {
  /** Escaped words, wrapped. */
  words(indent: number, runs: readonly Run[]): void
  /** Names after a lead, as many as fit. */
  names(indent: number, lead: Run, names: readonly (string | null)[]): void
  change(indent: number, line: ChangeLine): void
  /** Escaped words behind a mark, under which further lines do not go. */
  entry(indent: number, mark: Run, runs: readonly Run[]): void
  /** A value behind its escaped label. */
  value(indent: number, line: { label: string; value: JsonValue; maxLines: number }): void
  /** All lines, with a legend where one is needed. */
  end(): readonly string[]
}

const DEFAULT_WIDTH = 100
const MIN_WIDTH = 60
const MAX_NAME_LINES = 6
const CUT = "… cut here, see --json for all of it"
const LEGEND = "white space: · space, ⇥ tab, ⏎ line break"

/** An empty page. */
export function createPage({ paint, width = DEFAULT_WIDTH }: { paint: Paint; width?: number }): Page {
  const lines: string[] = []
  const columns = Math.max(MIN_WIDTH, width)
  const marks = { brackets: paint.red("x") === "x" }
  let spaces = false

  const wrapped = (lead: { first: string; rest: string }, runs: readonly Run[], maxLines?: number): void => {
    const wrap = wrapRuns(runs, columns - widthOf(lead.rest), maxLines)
    for (const [i, line] of wrap.lines.entries())
      lines.push((i === 0 ? lead.first : lead.rest) + paintRuns(line, paint))
    if (wrap.cut) lines.push(lead.rest + paint.dim(CUT))
  }

  /** Behind the heading where it fits, else below it. */
  const shown = (indent: number, mark: readonly Run[], heading: string, runs: readonly Run[], maxLines: number) => {
    const head = mark.map(({ text }) => text).join("") + heading
    const lead = pad(indent) + head + (head === "" ? "" : head.endsWith(":") ? " " : "  ")
    const headRuns: readonly Run[] = [...mark, { text: heading, look: "plain" }]
    if (fits(runs, columns - widthOf(lead))) {
      lines.push(
        `${pad(indent)}${paintRuns(headRuns, paint)}${lead.slice(pad(indent).length + head.length)}${paintRuns(runs, paint)}`,
      )
      return
    }
    if (head !== "") wrapped({ first: pad(indent), rest: pad(indent + 1) }, headRuns)
    const markWidth = widthOf(mark.map(({ text }) => text).join(""))
    const bar = `${markWidth > 0 ? pad(indent) + " ".repeat(markWidth) : pad(indent + (head === "" ? 0 : 1))}│ `
    wrapped({ first: bar, rest: bar }, runs, maxLines)
  }

  return {
    words: (indent, runs) => wrapped({ first: pad(indent), rest: pad(indent + 1) }, runs),
    names: (indent, lead, names) => {
      const text = names.map(showItem).join(", ")
      const runs: Run[] = [lead, { text, look: "plain" }]
      wrapped({ first: pad(indent), rest: pad(indent + 2) }, runs, MAX_NAME_LINES)
    },
    change: (indent, { label, mark, change, maxLines }) => {
      const { verb, runs, spaces: marked } = showChange(change, marks)
      spaces ||= marked
      const heading = verb === "" ? label : `${label}${label && "  "}${verb}:`
      shown(indent, mark ? [mark] : [], heading, runs, maxLines)
    },
    entry: (indent, mark, runs) =>
      wrapped(
        { first: pad(indent) + paintRuns([mark], paint), rest: " ".repeat(pad(indent).length + widthOf(mark.text)) },
        runs,
      ),
    value: (indent, { label, value, maxLines }) =>
      shown(indent, [], label, [{ text: showValue(value), look: "plain" }], maxLines),
    end: () => (spaces ? [...lines, paint.dim(LEGEND)] : lines),
  }
}

/** Escaped words of ours, wrapped. */
export function renderWords(text: string, style: { paint: Paint; width?: number }): readonly string[] {
  const page = createPage(style)
  page.words(0, [{ text, look: "plain" }])
  return page.end()
}

const pad = (indent: number): string => "  ".repeat(indent)

/** True when the runs fit on the rest of a line. */
const fits = (runs: readonly Run[], columns: number): boolean =>
  runs.reduce((sum, run) => sum + run.text.length, 0) <= columns &&
  runs.every((run) => !run.text.includes("\n")) &&
  runs.reduce((sum, run) => sum + widthOf(run.text), 0) <= columns
