// Signed notes (C2SP signed-note, brief 1.2): a text, an empty line, signature lines. Lines of unknown keys are ignored but must
// be well formed; a bad line of a known key refuses the whole note. Keys are matched by name and ID together, in any order.
import { compareUtf8, decodeUtf8, encodeUtf8, formatHex } from "./bytes.js"
import { type Cosignature, verifyCosignature } from "./cosignature.js"
import { signEd25519, verifyEd25519 } from "./ed25519.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import { formatSignatureLine, type NoteSignature, parseSignatureLine } from "./signature-line.js"
import { ED25519_COSIGNATURE, ED25519_NOTE, type SigningKey, type VerifierKey } from "./vkey.js"

/** Longest note, text and signatures together. */
export const MAX_NOTE_BYTES = 256 * 1024
/** Most signature lines of a note, as in Go. */
export const MAX_NOTE_SIGNATURES = 100

/** A well-formed note; no signature is checked yet. */
export interface Note {
  /** What is signed: ends with a newline; the empty line after it is not part of it. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

/** A note with at least one good signature by a known key and no bad one. */
export interface OpenedNote extends Note {
  /** The known keys with a good signature, each once, in the order of their lines. */
  readonly verified: readonly VerifierKey[]
  /** Every good cosignature, one per line: one witness may have several times. */
  readonly cosignatures: readonly Cosignature[]
}

const malformed: Bad = (why) => new ToolsumError("NOTE_MALFORMED", why)

// C0 controls other than newline, and what cannot be UTF-8.
const ILLEGAL = /[\0-\x09\x0b-\x1f\ud800-\udfff]/u

/** Read a note. Throws NOTE_MALFORMED. */
export function parseNote(input: Uint8Array | string): Note {
  const note = typeof input === "string" ? input : decodeNote(input)
  if (isTooLong(note)) throw malformed("note too long")
  if (ILLEGAL.test(note)) throw malformed("note with a control character")
  // The last empty line separates: earlier ones belong to the text.
  const split = note.lastIndexOf("\n\n")
  if (split < 0 || !note.endsWith("\n") || split + 2 === note.length) {
    throw malformed("expected a text, an empty line and signature lines")
  }
  const lines = note.slice(split + 2, -1).split("\n", MAX_NOTE_SIGNATURES + 1)
  if (lines.length > MAX_NOTE_SIGNATURES) throw malformed(`more than ${MAX_NOTE_SIGNATURES} signature lines`)
  return { text: note.slice(0, split + 1), signatures: lines.map((line) => parseSignatureLine(line, malformed)) }
}

/** Exact inverse of `parseNote`. */
export const formatNote = (note: Note): string =>
  `${note.text}\n${note.signatures.map(({ line }) => `${line}\n`).join("")}`

/** Check the signatures by `keys` on a note. Throws NOTE_MALFORMED; SIGNATURE_INVALID when a line of a known key is bad or when no
 *  known key signed; CONFIG_INVALID when two keys have one name and ID. Keys of type 0x06 count as unknown. */
export function openNote(note: Note | string | Uint8Array, keys: readonly VerifierKey[]): OpenedNote {
  const { text, signatures } = typeof note === "string" || note instanceof Uint8Array ? parseNote(note) : note
  refuseAmbiguousKeys(keys)
  const verified = new Set<VerifierKey>()
  const cosignatures: Cosignature[] = []
  const message = encodeUtf8(text)
  for (const signature of signatures) {
    const key = keys.find(({ id, name }) => id === signature.id && name === signature.name)
    if (key?.type === ED25519_NOTE) verifyNoteSignature(message, signature, key)
    else if (key?.type === ED25519_COSIGNATURE) cosignatures.push(openCosignature(text, signature, key))
    else continue
    verified.add(key)
  }
  if (verified.size === 0) throw invalid("no signature by a known key")
  return { text, signatures, verified: [...verified], cosignatures }
}

/** Sign `text`, which must end with a newline, with each key: a whole note. Throws NOTE_MALFORMED. */
export function signNote(text: string, keys: readonly SigningKey[]): string {
  const message = encodeUtf8(text)
  const lines = keys.map(({ name, id, seed }) =>
    formatSignatureLine({ name, id, blob: signEd25519({ seed, message }) }),
  )
  const note = `${text}\n${lines.join("\n")}\n`
  if (parseNote(note).text !== text) throw malformed("text to sign does not end with one newline")
  return note
}

/** A note with further signature lines (without newlines) after its own. Throws NOTE_MALFORMED. */
export function addSignatures(note: Note, lines: readonly string[]): Note {
  const signatures = [...note.signatures, ...lines.map((line) => parseSignatureLine(line, malformed))]
  return parseNote(formatNote({ text: note.text, signatures }))
}

/** Two notes of one text as one: a line of every key that signed either, those named like the first line of the text (a log's own) first,
 *  then by their bytes. Of two lines by one key the one with the greater signature bytes stays, which of two cosignatures is the later. The
 *  same whichever way round; a note that has all lines already stays as it is. Nothing is verified. Throws NOTE_MALFORMED for notes of two
 *  texts, and where the lines are too many. */
export function uniteNotes(a: string, b: string): string {
  const [one, other] = [parseNote(a), parseNote(b)]
  const { text } = one
  if (text !== other.text) throw malformed("expected two notes of one text")
  const signatures = uniteLines(text, [...one.signatures, ...other.signatures])
  const united = formatNote({ text, signatures })
  const isWhole = (note: Note) =>
    note.signatures.length === signatures.length &&
    signatures.every(({ line }) => note.signatures.some((s) => s.line === line))
  const whole = [one, other].filter(isWhole).map(formatNote).sort(compareUtf8)
  return whole[0] ?? formatNote(parseNote(united))
}

function uniteLines(text: string, lines: readonly NoteSignature[]): readonly NoteSignature[] {
  const byKey = new Map<string, NoteSignature>()
  for (const line of lines) {
    const key = `${line.id} ${line.name}`
    const known = byKey.get(key)
    if (!known || formatHex(known.blob) < formatHex(line.blob)) byKey.set(key, line)
  }
  const owner = text.slice(0, text.indexOf("\n"))
  const isOwn = ({ name }: NoteSignature): number => Number(name === owner)
  return [...byKey.values()].sort((x, y) => isOwn(y) - isOwn(x) || compareUtf8(x.line, y.line))
}

function verifyNoteSignature(message: Uint8Array, { blob }: NoteSignature, { publicKey, name }: VerifierKey): void {
  if (!verifyEd25519({ publicKey, message, signature: blob })) throw invalid(`bad signature by ${quote(name)}`)
}

// Inside a note an ill-formed cosignature of a known key is a bad line like any other.
function openCosignature(text: string, signature: NoteSignature, key: VerifierKey): Cosignature {
  try {
    return verifyCosignature({ text, signature, key })
  } catch (cause) {
    throw new ToolsumError("SIGNATURE_INVALID", `bad cosignature by ${quote(key.name)}`, { cause })
  }
}

function refuseAmbiguousKeys(keys: readonly VerifierKey[]): void {
  for (const [i, a] of keys.entries()) {
    for (let j = i + 1; j < keys.length; j++) {
      if (a.id === keys[j]?.id && a.name === keys[j]?.name) {
        throw new ToolsumError("CONFIG_INVALID", `two keys with the name and ID of ${quote(a.vkey)}`)
      }
    }
  }
}

function decodeNote(bytes: Uint8Array): string {
  if (bytes.length > MAX_NOTE_BYTES) throw malformed("note too long")
  return decodeUtf8(bytes, malformed)
}

// A UTF-16 unit is one to three bytes of UTF-8, so that most notes need no encoding to be measured.
function isTooLong(note: string): boolean {
  if (3 * note.length <= MAX_NOTE_BYTES) return false
  return note.length > MAX_NOTE_BYTES || encodeUtf8(note).length > MAX_NOTE_BYTES
}

const invalid = (why: string) => new ToolsumError("SIGNATURE_INVALID", why)
