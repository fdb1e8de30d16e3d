// What notecheck is asked about some bytes, what we say to the same bytes, and where we are known to be stricter. The README beside this file
// lists these differences.
import { encodeUtf8, formatBase64 } from "../../src/core/bytes.js"
import { MAX_ORIGIN_BYTES, parseCheckpoint, verifyCheckpoint } from "../../src/core/checkpoint.js"
import { ToolsumError } from "../../src/core/errors.js"
import { sha256 } from "../../src/core/hash.js"
import { openNote } from "../../src/core/note.js"
import { parsePolicy } from "../../src/core/policy.js"
import { parseProofFile } from "../../src/core/proof-file.js"
import {
  computeSigningKey,
  computeVerifierKey,
  ED25519_COSIGNATURE,
  ED25519_NOTE,
  formatKeyId,
  isKeyName,
  parseVkey,
  type SigningKey,
  type VerifierKey,
} from "../../src/core/vkey.js"
import * as fixtures from "../core/log-fixtures.js"
import { hasShared, readShared } from "../shared.js"

/** One request and our answer to it. */
export interface DifferentialCase {
  readonly request: Readonly<Record<string, unknown>>
  /** True when we accept. */
  readonly ours: boolean
  /** The keys and witnesses that we count, or the note that we make; null where there is no such answer. */
  readonly said: readonly string[] | string | null
  /** Why we may refuse what the other side accepts, or count other keys; null when we may not. */
  readonly stricter: string | null
}

/** A key from a label. */
export const signer = (name: string): SigningKey =>
  computeSigningKey({ name, seed: sha256(encodeUtf8(`differential ${name}`)) })

/** The vkey of a key. */
export const vkeyOf = (key: SigningKey, type: number): VerifierKey =>
  computeVerifierKey({ name: key.name, publicKey: key.publicKey, type })

/** The log of the cases. */
export const LOG = signer("log.example/a")
/** Keys that sign notes. */
export const SIGNERS = [LOG, signer("exämple.org/b"), signer("c")]
/** Keys that cosign. */
export const WITNESSES = ["w1.example", "w2.example", "w3.example"].map(signer)

interface VectorKeys {
  readonly log: { readonly vkey: string }
  readonly witnesses: readonly { readonly vkey: string }[]
}
const vectors: VectorKeys | null = hasShared ? JSON.parse(readShared("interop/vectors/keys.json")) : null

/** Every key that the notes are opened with: those of the cases, of the committed corpus and of the interop vectors. */
export const KNOWN: readonly VerifierKey[] = [
  ...[...SIGNERS, fixtures.signer(fixtures.ORIGIN), fixtures.signer("root-a")].map((key) => vkeyOf(key, ED25519_NOTE)),
  ...[...WITNESSES, ...["w1.example", "w2.example"].map((name) => fixtures.signer(name))].map((key) =>
    vkeyOf(key, ED25519_COSIGNATURE),
  ),
  ...(vectors === null ? [] : [vectors.log, ...vectors.witnesses].map(({ vkey }) => parseVkey(vkey))),
]

const b64 = formatBase64
const isUtf8 = (bytes: Uint8Array): boolean => Buffer.from(new TextDecoder().decode(bytes)).equals(bytes)

/** One character for each byte. */
export const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

/** What `work` returns, or null for a ToolsumError; anything else is a fault of ours. */
export function answerOf<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof ToolsumError) return null
    throw error
  }
}

/** True unless it throws a ToolsumError. */
export const accepts = (work: () => unknown): boolean => answerOf(() => [work()]) !== null

const nameOfKey = ({ name, id }: VerifierKey): string => `${name}+${formatKeyId(id)}`

/** x/mod opens the first line of a key only, and takes base64 with stray bits. */
function looseNote(note: Uint8Array): string | null {
  const lines = latin1(note)
    .split("\n")
    .filter((line) => line.startsWith("\u00e2\u0080\u0094 "))
  const fields = lines.map((line) => line.slice(4).split(" "))
  if (fields.some(([, text = ""]) => text !== Buffer.from(text, "base64").toString("base64")))
    return "base64 in more than one spelling"
  const keys = fields.map(([name, text = ""]) => `${name} ${text.slice(0, 6)}`)
  return new Set(keys).size < keys.length ? "a second line of one key" : null
}

/** Notes have no control characters; an origin has no 0x7F either, since policies and keys cannot name it, and is no longer than what a
 *  cosignature of the other type can sign. `text`: one character for each octet. */
function looseCheckpoint(text: string): string | null {
  if (/[\0-\x09\x0b-\x1f]/.test(text)) return "a control character"
  if (text.indexOf("\n") > MAX_ORIGIN_BYTES) return "an origin that is too long"
  return /^[^\n]*\x7f/.test(text) ? "0x7F in the origin" : null
}

/** A note under all keys. */
export function askNote(note: Uint8Array): DifferentialCase {
  const opened = answerOf(() => openNote(note, KNOWN))
  return {
    request: { op: "verify", note_b64: b64(note), vkeys: KNOWN.map(({ vkey }) => vkey) },
    ours: opened !== null,
    said: opened?.verified.map(nameOfKey) ?? null,
    stricter: looseNote(note),
  }
}

/** A verifier key. */
export const askVkey = (vkey: string): DifferentialCase => ({
  request: { op: "vkey", vkey },
  ours: accepts(() => parseVkey(vkey)),
  said: null,
  stricter: isKeyName(vkey.split("+")[0] ?? "") ? null : "a name that no note can have",
})

/** The text of a checkpoint; null for bytes that are no text. */
export const askCheckpoint = (bytes: Uint8Array): DifferentialCase | null =>
  isUtf8(bytes)
    ? {
        request: { op: "checkpoint", text_b64: b64(bytes) },
        ours: accepts(() => parseCheckpoint(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))),
        said: null,
        stricter: looseCheckpoint(latin1(bytes)),
      }
    : null

/** A proof file. */
export const askProof = (file: Uint8Array): DifferentialCase => ({
  request: { op: "proof", note_b64: b64(file) },
  ours: accepts(() => parseProofFile(file)),
  said: null,
  stricter: !isUtf8(file) ? "bytes that are not UTF-8" : /\nextra \n/.test(latin1(file)) ? "empty extra data" : null,
})

/** A policy file. */
export const askPolicy = (text: Uint8Array): DifferentialCase => ({
  request: { op: "policy", text_b64: b64(text) },
  ours: accepts(() => parsePolicy(text)),
  said: null,
  stricter: null,
})

const asIs = (name: string): string => name

/** A name of a policy that is no UTF-8, of which we have a character for each octet, as an answer in JSON can show it. */
const asGoShows = (name: string): string =>
  new TextDecoder().decode(Uint8Array.from(name, (octet) => octet.charCodeAt(0)))

/** A cosigned checkpoint under a policy; the log is the one that it names. */
export function askCosigned(policy: Uint8Array, note: Uint8Array): DifferentialCase {
  const origin = new TextDecoder().decode(note).split("\n")[0] ?? ""
  const verified = answerOf(() => verifyCheckpoint({ note, origin, policy: parsePolicy(policy) }))
  return {
    request: { op: "policy-verify", note_b64: b64(note), text_b64: b64(policy) },
    ours: verified !== null,
    said: verified && [...verified.logKeys.map(nameOfKey), ...verified.counted.map(isUtf8(policy) ? asIs : asGoShows)],
    stricter: looseNote(note) ?? looseCheckpoint(latin1(note)),
  }
}
