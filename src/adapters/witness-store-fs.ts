// What a witness remembers, in a folder: one file per witness key and log, named by a hash so that no name from outside becomes a path.
// Compare-and-swap among processes is swap-file.ts's, the content writer/witness.ts's. A file is never deleted.
import { join } from "node:path"
import { encodeUtf8, formatHex } from "../core/bytes.js"
import { sha256 } from "../core/hash.js"
import { MAX_NOTE_BYTES } from "../core/note.js"
import type { WitnessStore } from "../ports.js"
import { type ReadLimits, readRegularFile } from "./regular-file.js"
import { swapFile } from "./swap-file.js"

const LIMITS: ReadLimits = { maxBytes: MAX_NOTE_BYTES, code: "STATE_CORRUPT" }

/** A store in the folder `directory`, made on first writing. */
export function createFileWitnessStore(directory: string): WitnessStore {
  const pathOf = (vkey: string, origin: string) => join(directory, witnessFileName(vkey, origin))
  return {
    read: async (vkey, origin) => readRegularFile(pathOf(vkey, origin), LIMITS),
    compareAndSwap: async (vkey, origin, expected, next) => swapFile(pathOf(vkey, origin), { expected, next }, LIMITS),
  }
}

/** Name of the file for a witness key and a log. JSON keeps the two apart, so no two pairs share a name. */
export const witnessFileName = (vkey: string, origin: string): string =>
  `${formatHex(sha256(encodeUtf8(JSON.stringify([vkey, origin])))).slice(0, 40)}.checkpoint`
