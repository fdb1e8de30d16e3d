// The draft of a keyring: the file that goes from the log's machine to the machines of its root keys and back (FORMAT.md 19). It holds the
// whole chain, so that a signer without network sees what changes and for which root, the text to sign, and the signatures so far.
// Nothing in it is secret, and nothing is trusted: every reader checks it from keyring 1 on.
import { encodeUtf8 } from "../../core/bytes.js"
import { quote, ToolsumError } from "../../core/errors.js"
import { isArray, isObject, type JsonValue, parseJson } from "../../core/json.js"
import {
  countRootSignatures,
  type KeyringNote,
  MAX_KEYRING_BYTES,
  MAX_KEYRINGS,
  type RootSet,
  requireNext,
  rootsThatSign,
  type VerifiedKeyring,
  verifyKeyring,
} from "../../core/keyring.js"
import { type Keyring, parseKeyringText } from "../../core/keyring-text.js"
import { openNote, signNote } from "../../core/note.js"
import { formatPrettyJson } from "../../core/pretty-json.js"
import { countPublicKeys, type SigningKey, type VerifierKey } from "../../core/vkey.js"

/** The `format` of the file. */
export const DRAFT_FORMAT = "toolsum-draft/v1"
/** Largest file: a chain of keyrings as JSON text. */
export const MAX_DRAFT_BYTES = 4 * 1024 * 1024

/** A draft as it came. */
export interface Draft {
  /** Keyring notes from 1, verbatim. */
  readonly keyrings: readonly string[]
  /** Text of the next keyring. */
  readonly text: string
  /** Signature lines, without newlines. */
  readonly signatures: readonly string[]
}

/** A draft that holds: the chain verifies, the text follows it by every rule, and every line is a good signature by a root key. */
export interface CheckedDraft extends Draft {
  readonly chain: VerifiedKeyring
  readonly before: KeyringNote
  readonly next: Keyring
  /** Who must sign, and who has: the set of the keyring before, then the next one's. */
  readonly sets: readonly RootSet[]
  readonly isComplete: boolean
}

const bad = (why: string) => new ToolsumError("KEYRING_MALFORMED", `draft: ${why}`)

/** Text of the file. */
export const formatDraft = ({ keyrings, text, signatures }: Draft): string =>
  `${formatPrettyJson({ format: DRAFT_FORMAT, keyrings: [...keyrings], text, signatures: [...signatures] })}\n`

/** Read the file. Throws KEYRING_MALFORMED, JSON_MALFORMED. */
export function parseDraft(bytes: Uint8Array | string): Draft {
  const document = parseJson(bytes, { maxBytes: MAX_DRAFT_BYTES })
  if (!isObject(document) || document.format !== DRAFT_FORMAT) throw bad(`expected the format ${DRAFT_FORMAT}`)
  const { text } = document
  if (Object.keys(document).length !== 4 || typeof text !== "string")
    throw bad("expected format, keyrings, text and signatures, nothing else")
  const draft = { keyrings: readTexts(document.keyrings), text, signatures: readTexts(document.signatures) }
  if (draft.keyrings.length > MAX_KEYRINGS) throw bad(`more than ${MAX_KEYRINGS} keyrings`)
  return draft
}

function readTexts(value: JsonValue | undefined): readonly string[] {
  if (!isArray(value)) throw bad("expected keyrings and signatures to be lists")
  return value.map((text) => {
    if (typeof text !== "string") throw bad("expected lists of text")
    return text
  })
}

/** Check a draft. Throws as `verifyKeyring` for the chain, as `parseKeyring` for the text, KEYRING_INVALID where the text cannot follow the
 *  chain or would be too long once signed, SIGNATURE_INVALID for a line that is no good signature by a root key. */
export function checkDraft(draft: Draft): CheckedDraft {
  const chain = verifyKeyring({ notes: draft.keyrings })
  const { newest: before, origin } = chain
  const next = parseKeyringText(draft.text)
  requireNext(next, before, origin)
  const roots = rootsThatSign(next, before)
  requireRoom(draft.text, roots)
  const verified = draft.signatures.length === 0 ? [] : openAll(noteOf(draft), roots)
  const sets = countRootSignatures(next, before, verified)
  const isComplete = sets.every(({ threshold, signed }) => countPublicKeys(signed) >= threshold)
  return { ...draft, chain, before, next, sets, isComplete }
}

/** A draft has no lines but those of root keys, each once. */
function openAll(note: string, roots: readonly VerifierKey[]): readonly VerifierKey[] {
  const { signatures, verified } = openNote(note, roots)
  if (verified.length === signatures.length) return verified
  throw new ToolsumError("SIGNATURE_INVALID", "draft: a line is no signature by a root key, or one has signed twice")
}

/** A keyring that every root key has signed must still be one. */
function requireRoom(text: string, roots: readonly VerifierKey[]): void {
  const lines = roots.reduce((sum, { name }) => sum + encodeUtf8(name).length + SIGNATURE_LINE_BYTES, 0)
  const bytes = encodeUtf8(text).length + 1 + lines
  if (bytes <= MAX_KEYRING_BYTES) return
  throw new ToolsumError(
    "KEYRING_INVALID",
    `the next keyring would have ${bytes} bytes once signed, and at most ${MAX_KEYRING_BYTES} are read`,
  )
}

// The dash, two spaces, base64 of a 4-byte ID and a 64-byte signature, a newline.
const SIGNATURE_LINE_BYTES = 3 + 2 + 92 + 1

const noteOf = ({ text, signatures }: Draft): string => `${text}\n${signatures.map((line) => `${line}\n`).join("")}`

/** The keyring note of a draft that enough root keys have signed. Throws USAGE for one that wants more signatures. */
export function finishDraft(draft: CheckedDraft): string {
  if (draft.isComplete) return noteOf(draft)
  throw new ToolsumError("USAGE", `the draft of keyring ${draft.next.version} ${describeMissing(draft)}`)
}

/** True where the old and the new root keys are the same, with one threshold: then who signs for one signs for both. */
export const isOneSet = (sets: readonly RootSet[]): boolean =>
  new Set(sets.map(({ threshold, roots }) => [threshold, ...roots.map(({ vkey }) => vkey)].join(" "))).size === 1

/** `wants 1 more signature`, and of whose where that differs. */
export function describeMissing({ sets }: CheckedDraft): string {
  const missing = sets.flatMap(({ version, threshold, signed }) => {
    const count = threshold - countPublicKeys(signed)
    return count > 0 ? [{ version, text: `${count} more ${count === 1 ? "signature" : "signatures"}` }] : []
  })
  if (missing.length === 0) return "has all its signatures"
  if (isOneSet(sets)) return `wants ${missing[0]?.text}`
  return `wants ${missing.map(({ version, text }) => `${text} by root keys of keyring ${version}`).join(", and ")}`
}

/** The draft with the signature of a root key. The same draft when that key has signed. Throws USAGE for a key that is none of its root
 *  keys, before or after. */
export function signDraft(draft: CheckedDraft, key: SigningKey): CheckedDraft {
  const { text, next, before, signatures } = draft
  const isOwn = ({ id, name }: VerifierKey) => id === key.id && name === key.name
  if (!rootsThatSign(next, before).some(isOwn)) {
    const why = `${quote(key.name)} is a root key neither of keyring ${before.version} nor of keyring ${next.version}`
    throw new ToolsumError("USAGE", why)
  }
  if (draft.sets.some(({ signed }) => signed.some(isOwn))) return draft
  const line = signNote(text, [key]).slice(text.length + 1, -1)
  return checkDraft({ keyrings: draft.keyrings, text, signatures: [...signatures, line] })
}
