// Subjects that a person cannot tell apart: the same but for case, percent escapes, a last slash, and the characters that fonts draw alike.
// Each is a subject of its own to a log, so that a record under the one says nothing of the other; a pair of them is worth a look.
import { encodeUtf8 } from "../../core/bytes.js"
import { sha256 } from "../../core/hash.js"
import { KEY_BYTES, KeyTable } from "./key-table.js"

/** A key of the subject, and the index of its first record. */
const VALUE_BYTES = KEY_BYTES + 8
/** Row size of the table of subjects, for the audit state. */
export const LOOKALIKE_ROW_BYTES = KEY_BYTES + VALUE_BYTES

const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/[0O]/g, "o"],
  [/[1Il|]/g, "l"],
  [/rn/g, "m"],
  [/vv/g, "w"],
]

/** What two subjects have in common that look alike. */
function skeletonOf(subject: string): string {
  let text = subject.replace(/%[0-9A-Fa-f]{2}/g, (octet) => String.fromCharCode(Number.parseInt(octet.slice(1), 16)))
  for (const [pattern, plain] of ALIKE) text = text.replace(pattern, plain)
  return text.toLowerCase().replace(/\/$/, "")
}

/** The subjects of a log by what they look like. */
export class Lookalikes {
  readonly bySkeleton = new KeyTable(VALUE_BYTES)
  /** Subjects that were told of. */
  readonly told = new KeyTable(0)

  /** Take a subject whose stream is new, at `index`; `hash`: its SHA-256. Returns the index of the first record of a subject that looks
   *  like it, once for each subject; null where there is none. */
  take(subject: string, hash: Uint8Array, index: number): number | null {
    const key = sha256(encodeUtf8(skeletonOf(subject)))
    const row = this.bySkeleton.find(key)
    if (row < 0) {
      const { bytes, view, at } = this.bySkeleton.value(this.bySkeleton.add(key))
      bytes.set(hash.subarray(0, KEY_BYTES), at)
      view.setFloat64(at + KEY_BYTES, index, true)
      return null
    }
    const { bytes, view, at } = this.bySkeleton.value(row)
    if (isSame(bytes, at, hash) || this.told.find(hash) >= 0) return null
    this.told.add(hash)
    return view.getFloat64(at + KEY_BYTES, true)
  }
}

function isSame(bytes: Uint8Array, at: number, hash: Uint8Array): boolean {
  for (let i = 0; i < KEY_BYTES; i++) if (bytes[at + i] !== hash[i]) return false
  return true
}
