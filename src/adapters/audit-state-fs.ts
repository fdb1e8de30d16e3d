// Where audits of logs stood (AuditState): one file a log in the folder `audit` of the user's state, written durably under a process lock, of
// two audits at the same time the later one. It can be made again by reading the log, so
// that losing it costs time, and of a log without keyrings the head that was seen last.
import { join } from "node:path"
import type { AuditState } from "../ports.js"
import { makePrivateDirectory, PRIVATE_FILE_MODE, replaceFile } from "./durable-file.js"
import { withProcessLock } from "./process-lock.js"
import { readRegularFile } from "./regular-file.js"
import { stateName } from "./state-fs.js"

/** Largest file: about ten million streams. */
export const MAX_AUDIT_STATE_BYTES = 2 ** 31 - 2

/** Positions of audits below the user's state folder `directory`, made on first writing. */
export function createFileAuditState(directory: string): AuditState {
  const folder = join(directory, "audit")
  const pathOf = (log: Parameters<AuditState["load"]>[0]) => join(folder, `${stateName(log)}.audit`)
  return {
    load: async (log) => readRegularFile(pathOf(log), { maxBytes: MAX_AUDIT_STATE_BYTES, code: "STATE_CORRUPT" }),
    save: async (log, parts) => {
      const path = pathOf(log)
      await makePrivateDirectory(folder)
      await withProcessLock(`${path}.writing`, async (lock) => {
        await lock.assertHeld()
        await replaceFile(path, parts, { mode: PRIVATE_FILE_MODE, tempPath: `${path}.tmp` })
      })
    },
  }
}
