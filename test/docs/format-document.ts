// FORMAT.md as data: its tagged examples (fenced blocks with `example=name` in the info string), the cases in them (`input => output`
// lines) and its tagged tables (`<!-- table=name -->` before a Markdown table).
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The document. Every reader throws when the document has no such part, so that a check never runs on nothing. */
export interface FormatDocument {
  /** Names of the tagged examples in the order of the document, as often as they occur. */
  readonly names: readonly string[]
  /** Names of the tagged tables. */
  readonly tables: readonly string[]
  /** Body of an example; each of its lines ends with a newline. */
  text(name: string): string
  /** Body of an example of one line, without its newline. */
  line(name: string): string
  /** Rows of a table, without head and rule, cells trimmed. */
  table(name: string): readonly (readonly string[])[]
}

/** What an example must read, computed by the code, mostly from other examples of the document. */
export type Recompute = (doc: FormatDocument) => string | Promise<string>
/** Recomputations by the name of their example. */
export type Checks = Readonly<Record<string, Recompute>>

const FENCE = /^```[a-z]+ example=([a-z0-9-]+)\n([\s\S]*?)^```$/gm
const TABLE = /^<!-- table=([a-z-]+) -->\n\n((?:\|.*\n)+)/gm

/** Read FORMAT.md of this repository. */
export const readFormatDocument = (): FormatDocument =>
  parseFormatDocument(readFileSync(fileURLToPath(new URL("../../FORMAT.md", import.meta.url)), "utf8"))

/** Take a document apart. */
export function parseFormatDocument(markdown: string): FormatDocument {
  const examples = [...markdown.matchAll(FENCE)].map(([, name = "", body = ""]) => [name, body] as const)
  const tables = [...markdown.matchAll(TABLE)].map(([, name = "", rows = ""]) => [name, rows] as const)
  const text = (name: string): string => find(examples, name, "example")
  return {
    names: examples.map(([name]) => name),
    tables: tables.map(([name]) => name),
    text,
    line: (name) => {
      const [line = "", ...rest] = text(name).split("\n")
      if (rest.join() !== "") throw new Error(`FORMAT.md: expected example ${name} to have one line`)
      return line
    },
    table: (name) =>
      find(tables, name, "table")
        .trimEnd()
        .split("\n")
        .slice(2)
        .map((row) =>
          row
            .slice(1, -1)
            .split("|")
            .map((cell) => cell.trim()),
        ),
  }
}

function find(parts: readonly (readonly [string, string])[], name: string, kind: string): string {
  const body = parts.find(([other]) => other === name)?.[1]
  if (body === undefined) throw new Error(`FORMAT.md: no ${kind} ${name}`)
  return body
}

const ARROW = " => "

/** Recomputes an example of cases: each line is `input => output`, and the output is recomputed from the input. */
export const cases =
  (name: string, compute: (input: string, doc: FormatDocument) => string | Promise<string>): Recompute =>
  async (doc) => {
    const lines = doc.text(name).trimEnd().split("\n")
    const computed = lines.map(async (line) => {
      const input = line.split(ARROW, 1)[0] ?? ""
      return `${input}${ARROW}${await compute(input.trimEnd(), doc)}\n`
    })
    return (await Promise.all(computed)).join("")
  }

/** The words between backticks in a cell of a table. */
export const words = (cell: string | undefined): readonly string[] =>
  [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)
