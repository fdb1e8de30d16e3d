// A log for a command that goes on without it: open, or why it is not. What is known of a log without opening it is logs.ts's.
import { ToolsumError } from "../core/errors.js"
import type { Lockfile } from "../core/lockfile.js"
import { MAX_NOTE_BYTES } from "../core/note.js"
import type { LogState } from "../features/log-answer.js"
import type { LogSource } from "../ports.js"
import type { Io } from "./io.js"
import { openLogForReading } from "./logs.js"
import type { Options } from "./options.js"

/** A log and whether it could be opened. */
export interface OpenedLog {
  /** Null where nothing is known of where it is. */
  readonly state: LogState | null
  /** Where its bytes come from, when it could be opened. */
  readonly source: LogSource | null
  /** What shows that the log lies; its message names the file in which evidence was kept. */
  readonly refuted: ToolsumError | null
}

/** Open the log `origin` where `find` says it is. Errors of the log are its state; only faults of ours are thrown. */
export async function tryToOpenLog(
  origin: string,
  find: () => Promise<LogSource | null>,
  p: { lockfile: Lockfile | null; options: Options; io: Io },
): Promise<OpenedLog> {
  let source: LogSource | null = null
  try {
    source = await find()
    if (source === null) return { state: null, source: null, refuted: null }
    return { state: await openLogForReading({ source, origin, ...p }), source, refuted: null }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    const refuted = error.kind === "rejected" ? error : null
    return { state: await withoutLog(withoutPath(error), source), source: null, refuted }
  }
}

/** A place without a checkpoint has no log at all: it is as good as unreachable. Where one is, missing files are another matter. */
async function withoutLog(error: ToolsumError, source: LogSource | null): Promise<ToolsumError> {
  if (error.code !== "RESOURCE_MISSING" || source === null) return error
  try {
    if ((await source.read("checkpoint", MAX_NOTE_BYTES)) !== null) return error
  } catch (again) {
    if (again instanceof ToolsumError) return again
    throw again
  }
  return new ToolsumError("LOG_UNAVAILABLE", error.message, { cause: error })
}

/** An error whose evidence was kept, as it was before: where that is, is said once, not for each pin. */
const withoutPath = (error: ToolsumError): ToolsumError =>
  error.evidence && error.cause instanceof ToolsumError ? error.cause : error
