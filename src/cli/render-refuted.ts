// A log that is caught lying: what it signed, so that anybody who has its key can judge it (DESIGN 8, State). The members of the evidence
// are those of client/heads.ts and client/track.ts; text output shows the two signed notes, --json all of them.
import { escapeInvisible, type ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"

/** A log and what refutes it. */
export interface RefutedLog {
  readonly origin: string
  readonly error: ToolsumError
}

/** The two notes, the smaller tree first. Everything from the log is escaped. */
export function renderRefuted({ origin, error }: RefutedLog): string {
  const { a, b } = error.evidence ?? {}
  const lines = [`\nlog ${escapeInvisible(origin)}`, `  ${escapeInvisible(error.message)}`]
  if (a !== undefined && b !== undefined) {
    lines.push("  It signed this:", ...quoteNote(a), "  and this:", ...quoteNote(b))
    lines.push("  Keep both: whoever has the log's key can check them. --json has them with all that belongs to them.")
  }
  return `${lines.join("\n")}\n`
}

const quoteNote = (note: string): readonly string[] =>
  note
    .trimEnd()
    .split("\n")
    .map((line) => `    │ ${escapeInvisible(line)}`.trimEnd())

/** The same for a document. */
export const refutedMember = ({ origin, error }: RefutedLog): JsonValue => ({
  log: origin,
  code: error.code,
  message: error.message,
  evidence: { ...error.evidence },
})
