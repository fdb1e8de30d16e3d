// One signature line of a signed note: em dash, space, key name, space, base64(4-byte key ID, signature bytes). C2SP signed-note.
// What the bytes after the ID mean depends on the key: note.ts and cosignature.ts.
import { formatBase64, parseBase64 } from "./bytes.js"
import type { Bad } from "./errors.js"
import { isKeyName } from "./vkey.js"

/** A well-formed signature line; nothing about it is verified. */
export interface NoteSignature {
  readonly name: string
  /** Key ID, an unsigned 32-bit number. */
  readonly id: number
  /** What follows the key ID: at least one byte. */
  readonly blob: Uint8Array
  /** The line as it stands, without its newline. */
  readonly line: string
}

const ID_BYTES = 4

/** Read one line without its newline. Throws `bad`. */
export function parseSignatureLine(line: string, bad: Bad): NoteSignature {
  const space = line.indexOf(" ", 2)
  if (!line.startsWith("\u2014 ") || space < 0) throw bad("expected a signature line: dash, name, base64")
  const name = line.slice(2, space)
  if (!isKeyName(name)) throw bad("signature line with an ill-formed key name")
  const bytes = parseBase64(line.slice(space + 1), bad)
  if (bytes.length <= ID_BYTES) throw bad("signature line without signature bytes")
  const id = new DataView(bytes.buffer).getUint32(0)
  return { name, id, blob: bytes.subarray(ID_BYTES), line }
}

/** The line, without its newline, of a key name, key ID and signature bytes. */
export function formatSignatureLine({ name, id, blob }: { name: string; id: number; blob: Uint8Array }): string {
  const bytes = new Uint8Array(ID_BYTES + blob.length)
  new DataView(bytes.buffer).setUint32(0, id)
  bytes.set(blob, ID_BYTES)
  return `\u2014 ${name} ${formatBase64(bytes)}`
}
