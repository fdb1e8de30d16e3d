// The user's memory of the newest verified head of each log (DESIGN 8, State): one file per origin and root, named by a hash so that
// no name from outside becomes a path. Compare-and-swap is swap-file.ts's, the content client/remember.ts's.
import { join } from "node:path"
import { encodeUtf8, formatHex } from "../core/bytes.js"
import { sha256 } from "../core/hash.js"
import type { LogIdentity, State } from "../ports.js"
import { type ReadLimits, readRegularFile } from "./regular-file.js"
import { swapFile } from "./swap-file.js"

/** Largest state file. */
export const MAX_STATE_BYTES = 4 * 1024 * 1024

const LIMITS: ReadLimits = { maxBytes: MAX_STATE_BYTES, code: "STATE_CORRUPT" }

/** State in the folder `directory`, made on first writing. A file that cannot be one of ours is STATE_CORRUPT; a folder that cannot
 *  be read or written is IO_FAILED. A state file is never deleted. */
export function createFileState(directory: string): State {
  const pathOf = (log: LogIdentity) => join(directory, `${stateName(log)}.json`)
  return {
    placeOf: pathOf,
    newest: async (log) => readRegularFile(pathOf(log), LIMITS),
    compareAndSwap: async (log, expected, next) => swapFile(pathOf(log), { expected, next }, LIMITS),
  }
}

/** Name of what is remembered of a log. JSON keeps the two parts apart, so two logs never share one. */
export const stateName = (log: LogIdentity): string =>
  formatHex(sha256(encodeUtf8(JSON.stringify([log.origin, log.root])))).slice(0, 40)
