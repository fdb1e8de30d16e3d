// Where a flipped bit in a signed note may be harmless: in signature lines that do not count.
import { UNKNOWN_SIGNER } from "./complete-log.js"

/** True for the byte of `note` that comes after `before`, when it lies in a signature line of a key that nobody knows (any byte), or in
 *  the name or key ID (six characters of base64) of another line, which makes it such a line. What follows the ID of a known key is its
 *  signature, and a bad one refuses the note. */
export function isLooseByte(note: string, before: string): boolean {
  const split = note.lastIndexOf("\n\n")
  if (before.length < split + 2) return false
  const line = note.split("\n")[before.split("\n").length - 1] ?? ""
  const column = before.length - before.lastIndexOf("\n") - 1
  const keyId = line.indexOf(" ", 2) + 1
  return line.startsWith(`\u2014 ${UNKNOWN_SIGNER} `) || (column >= 2 && column < keyId + 6)
}
