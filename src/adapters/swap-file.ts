// Compare-and-swap of a small file of the user's own: under a process lock, written durably, its folder made on first writing.
import { dirname } from "node:path"
import { equalBytes } from "../core/bytes.js"
import { makePrivateDirectory, PRIVATE_FILE_MODE, replaceFile } from "./durable-file.js"
import { withProcessLock } from "./process-lock.js"
import { type ReadLimits, readRegularFile } from "./regular-file.js"

/** Put `next` in the place of `path` if what is there is still `expected` (null: nothing); false, and nothing written, if it is not. Throws
 *  as `withProcessLock` and `replaceFile`. */
export async function swapFile(
  path: string,
  change: { readonly expected: Uint8Array | null; readonly next: Uint8Array },
  limits: ReadLimits,
): Promise<boolean> {
  await makePrivateDirectory(dirname(path))
  return withProcessLock(`${path}.writing`, async (lock) => {
    if (!isSame(readRegularFile(path, limits), change.expected)) return false
    await lock.assertHeld()
    await replaceFile(path, change.next, { mode: PRIVATE_FILE_MODE, tempPath: `${path}.tmp` })
    return true
  })
}

const isSame = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null ? a === b : equalBytes(a, b)
