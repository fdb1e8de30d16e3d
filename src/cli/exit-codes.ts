// Four exit codes, and nothing else (DESIGN 9): 0 clean, 1 findings, 2 could not check, 3 evidence that fails.
import { type ErrorKind, ToolsumError } from "../core/errors.js"

/** What a command ends with. */
export type ExitCode = 0 | 1 | 2 | 3

const EXIT_BY_KIND: Readonly<Record<ErrorKind, ExitCode>> = {
  rejected: 3,
  refused: 1,
  unavailable: 2,
  malformed: 2,
  usage: 2,
}

export { worstExitCode } from "../core/verdict.js"

/** The exit code of a throw: by kind for our own errors, 2 for anything else (a fault of ours, never Node's 1). */
export const exitCodeOfError = (error: unknown): ExitCode =>
  error instanceof ToolsumError ? EXIT_BY_KIND[error.kind] : 2
