// An audit reads on where something is missing; from a log that answers nothing any more it would wait for every file that there is.
import { ToolsumError } from "../../core/errors.js"
import type { LogSource } from "../../ports.js"

/** Reads that may fail one after the other before the log counts as gone. */
export const MAX_FAILURES_IN_A_ROW = 8

/** The log `source`, asked no more once that many reads in a row have failed: each further one throws LOG_UNAVAILABLE at once. A folder on
 *  this machine is asked for everything, since there a file that cannot be read says nothing about the next one. */
export function createPatientSource(source: LogSource): LogSource {
  if (source.local) return source
  let failures = 0
  let last: ToolsumError | null = null
  return {
    location: source.location,
    local: source.local,
    read: async (path, maxBytes) => {
      if (last !== null && failures >= MAX_FAILURES_IN_A_ROW)
        throw new ToolsumError(
          "LOG_UNAVAILABLE",
          `not asked any more: ${failures} reads in a row failed, the last with: ${last.message}`,
        )
      try {
        const bytes = await source.read(path, maxBytes)
        failures = 0
        return bytes
      } catch (error) {
        if (!(error instanceof ToolsumError)) throw error
        failures++
        last = error
        throw error
      }
    },
  }
}
