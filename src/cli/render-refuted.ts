// A log that is caught lying, said once for all its pins (DESIGN 8, State). Its evidence has the members of client/heads.ts and
// client/track.ts; the message names the file that it was kept in.
import { escapeInvisible, type ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { showWord } from "./shell-words.js"

/** A log and what refutes it. */
export interface RefutedLog {
  readonly origin: string
  readonly error: ToolsumError
}

/** One line for people. Everything from the log is escaped. */
export const renderRefuted = ({ origin, error }: RefutedLog): string =>
  `log ${showWord(origin)}: ${escapeInvisible(error.message)}\n`

/** The same with all evidence, for a document. */
export const refutedMember = ({ origin, error }: RefutedLog): JsonValue => ({
  log: origin,
  code: error.code,
  message: error.message,
  evidence: { ...error.evidence },
})
