// The user's memory of the newest verified head of each log (DESIGN 8, State): one file per origin and root, named by a hash so that
// no name from outside becomes a path. Compare-and-swap under a process lock, written durably. The content is client/remember.ts's.
import { join } from "node:path"
import { encodeUtf8, equalBytes, formatHex } from "../core/bytes.js"
import { sha256 } from "../core/hash.js"
import type { LogIdentity, State } from "../ports.js"
import { makePrivateDirectory, PRIVATE_FILE_MODE, replaceFile } from "./durable-file.js"
import { withProcessLock } from "./process-lock.js"
import { readRegularFile } from "./regular-file.js"

/** Largest state file. */
export const MAX_STATE_BYTES = 4 * 1024 * 1024

/** State in the folder `directory`, made on first writing. A file that cannot be one of ours is STATE_CORRUPT; a folder that cannot
 *  be read or written is IO_FAILED. A state file is never deleted. */
export function createFileState(directory: string): State {
  const pathOf = (log: LogIdentity) => join(directory, `${nameOf(log)}.json`)
  return {
    placeOf: pathOf,
    newest: async (log) => readState(pathOf(log)),
    compareAndSwap: async (log, expected, next) => {
      await makePrivateDirectory(directory)
      const path = pathOf(log)
      return withProcessLock(`${path}.writing`, async (lock) => {
        const now = readState(path)
        if (!isSame(now, expected)) return false
        await lock.assertHeld()
        await replaceFile(path, next, { mode: PRIVATE_FILE_MODE, tempPath: `${path}.tmp` })
        return true
      })
    },
  }
}

const readState = (path: string) => readRegularFile(path, { maxBytes: MAX_STATE_BYTES, code: "STATE_CORRUPT" })

/** JSON keeps the two parts apart, so two logs never share a name. */
const nameOf = (log: LogIdentity): string =>
  formatHex(sha256(encodeUtf8(JSON.stringify([log.origin, log.root])))).slice(0, 40)

const isSame = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null ? a === b : equalBytes(a, b)
