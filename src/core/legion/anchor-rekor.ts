// Rekor entries about a LEGION head: a `rekord` entry with the head's own signature, the log's signed promise, an inclusion proof and a
// checkpoint, all under the Rekor key that the user supplies. FORMAT.md, "LEGION dialect".
import { decodeUtf8, encodeUtf8, equalBytes, formatHex, parseBase64, parseDecimal } from "../bytes.js"
import { canonicalize } from "../canonical.js"
import { verifyEd25519 } from "../ed25519.js"
import { type Bad, ToolsumError } from "../errors.js"
import { hashLeaf, sha256 } from "../hash.js"
import { isObject, type JsonObject, type JsonValue } from "../json.js"
import { verifyInclusion } from "../merkle.js"
import { type AnchorStatus, failedAnchor } from "./anchor.js"
import { readHashes } from "./bundle.js"
import { parseLegionJson, readCount } from "./json.js"
import { parseHash } from "./tree-head.js"

/** Bytes of an entry. */
export const MAX_REKOR_ENTRY_BYTES = 1024 * 1024

/** Check an ECDSA P-256 signature (DER) over the SHA-256 of `message` by a public key (DER SubjectPublicKeyInfo): core has no such curve. */
export type VerifyP256 = (p: { publicKeyDer: Uint8Array; message: Uint8Array; signature: Uint8Array }) => boolean

const malformed: Bad = (why) => new ToolsumError("PROOF_MALFORMED", why)
const refuted: Bad = (why) => new ToolsumError("SIGNATURE_INVALID", why)

interface RekorKey {
  readonly der: Uint8Array
  readonly verify: VerifyP256
}

/** Judge a Rekor entry about `artifact`, the signed bytes of a head. `entry`: JSON, bare or under its UUID. `rekorKey`: PEM. `issuerKey`: the 32
 *  bytes of the key that signed the head. Never throws a ToolsumError. */
export function verifyRekorAnchor(p: {
  artifact: Uint8Array
  entry: Uint8Array | string
  rekorKey: string
  issuerKey: Uint8Array
  verifyP256: VerifyP256
}): AnchorStatus {
  try {
    const key: RekorKey = { der: parsePem(p.rekorKey), verify: p.verifyP256 }
    const entry = unwrap(parseLegionJson(p.entry, MAX_REKOR_ENTRY_BYTES))
    const body = parseBase64(readText(entry, "body"), malformed)
    requireBody(body, p)
    const timeSec = requirePromise(entry, key)
    requireIncluded(entry, body, key)
    return { status: "verified", timeSec, detail: `in the Rekor log ${readText(entry, "logID").slice(0, 16)}` }
  } catch (error) {
    if (error instanceof ToolsumError) return failedAnchor(error.message)
    throw error
  }
}

/** The API gives an entry under its UUID. */
function unwrap(value: JsonValue): JsonObject {
  if (!isObject(value)) throw malformed("expected an object")
  const [inner, ...others] = Object.values(value)
  const entry = value.body === undefined && others.length === 0 ? inner : value
  if (!isObject(entry)) throw malformed("expected one entry")
  return entry
}

/** The entry is about this head: its hash, its key, and that key's signature over it. */
function requireBody(body: Uint8Array, { artifact, issuerKey }: { artifact: Uint8Array; issuerKey: Uint8Array }): void {
  const document = parseLegionJson(body, MAX_REKOR_ENTRY_BYTES)
  if (!isObject(document) || document.kind !== "rekord") throw malformed("expected an entry of kind rekord")
  const spec = readObject(document, "spec")
  const hash = readObject(readObject(spec, "data"), "hash")
  if (hash.algorithm !== undefined && hash.algorithm !== "sha256") throw malformed("expected a SHA-256 hash")
  if (readText(hash, "value") !== formatHex(sha256(artifact))) throw refuted("the entry is about another head")
  const signature = readObject(spec, "signature")
  const pem = decodeUtf8(parseBase64(readText(readObject(signature, "publicKey"), "content"), malformed), malformed)
  if (!equalBytes(readEd25519Key(parsePem(pem)), issuerKey))
    throw refuted("the entry is signed by another key than the head")
  const signed = parseBase64(readText(signature, "content"), malformed)
  if (!verifyEd25519({ publicKey: issuerKey, message: artifact, signature: signed }))
    throw refuted("the signature in the entry is not over this head")
}

/** Rekor's promise to include the entry, which is also its word on the time. */
function requirePromise(entry: JsonObject, key: RekorKey): bigint {
  const { body, integratedTime, logID, logIndex } = entry
  if (logID !== formatHex(sha256(key.der))) throw refuted("the entry is in another Rekor log than the key's")
  const timeSec = readCount(integratedTime)
  if (timeSec === null || readCount(logIndex) === null) throw malformed("expected a time and an index")
  const promise = { body: body ?? null, integratedTime: integratedTime ?? null, logID, logIndex: logIndex ?? null }
  const signature = parseBase64(readText(readObject(entry, "verification"), "signedEntryTimestamp"), malformed)
  const message = encodeUtf8(canonicalize(promise))
  if (key.verify({ publicKeyDer: key.der, message, signature })) return timeSec
  throw refuted("Rekor did not sign this promise")
}

/** The body is in the tree of the checkpoint that Rekor signed. The index is the tree's own, not the entry's global one. */
function requireIncluded(entry: JsonObject, body: Uint8Array, key: RekorKey): void {
  const proof = readObject(readObject(entry, "verification"), "inclusionProof")
  const index = readCount(proof.logIndex)
  const size = readCount(proof.treeSize)
  if (index === null || size === null) throw malformed("expected index and tree size of the proof")
  const rootHash = parseHash(readText(proof, "rootHash"), malformed)
  verifyInclusion({ leafHash: hashLeaf(body), index, proof: readHashes(proof.hashes), head: { size, rootHash } })
  const checkpoint = parseRekorCheckpoint(readText(proof, "checkpoint"))
  if (checkpoint.size !== size || !equalBytes(checkpoint.rootHash, rootHash))
    throw refuted("the checkpoint is of another tree than the proof")
  if (!isSignedByKey(checkpoint, key)) throw refuted("the Rekor key did not sign the checkpoint")
}

interface RekorCheckpoint {
  readonly text: string
  readonly origin: string
  readonly size: bigint
  readonly rootHash: Uint8Array
  readonly signatures: readonly { readonly name: string; readonly id: Uint8Array; readonly signature: Uint8Array }[]
}

/** A note: origin, size and root, an empty line, signature lines. */
function parseRekorCheckpoint(note: string): RekorCheckpoint {
  const split = note.indexOf("\n\n")
  if (split < 0 || !note.endsWith("\n")) throw malformed("expected a signed checkpoint")
  const text = note.slice(0, split + 1)
  const [origin = "", size = "", root = ""] = text.split("\n")
  const lines = note.slice(split + 2, -1).split("\n")
  return {
    text,
    origin,
    size: parseDecimal(size, malformed),
    rootHash: parseBase64(root, malformed),
    signatures: lines.map(parseSignatureLine),
  }
}

const ID_BYTES = 4

function parseSignatureLine(line: string): RekorCheckpoint["signatures"][number] {
  const [dash, name = "", base64 = "", ...more] = line.split(" ")
  if (dash !== "—" || name === "" || more.length > 0) throw malformed("expected signature lines of three words")
  const bytes = parseBase64(base64, malformed)
  if (bytes.length <= ID_BYTES) throw malformed("expected a signature after the key id")
  return { name, id: bytes.subarray(0, ID_BYTES), signature: bytes.subarray(ID_BYTES) }
}

/** A line counts under the log's name and the id of its key: the first bytes of the key's hash. */
function isSignedByKey({ text, origin, signatures }: RekorCheckpoint, { der, verify }: RekorKey): boolean {
  const id = sha256(der).subarray(0, ID_BYTES)
  const message = encodeUtf8(text)
  return signatures.some(
    ({ name, id: own, signature }) =>
      (name === origin || origin.startsWith(`${name} - `)) &&
      equalBytes(own, id) &&
      verify({ publicKeyDer: der, message, signature }),
  )
}

const PEM = /^-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END PUBLIC KEY-----\r?\n?$/

function parsePem(pem: string): Uint8Array {
  const body = PEM.exec(pem)?.[1]
  if (body === undefined) throw malformed("expected a public key in PEM")
  return parseBase64(body.replace(/[\r\n]/g, ""), malformed)
}

// SubjectPublicKeyInfo of Ed25519 before the key itself (RFC 8410 §4).
const ED25519_SPKI = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00)

function readEd25519Key(der: Uint8Array): Uint8Array {
  const prefix = der.subarray(0, ED25519_SPKI.length)
  if (der.length !== ED25519_SPKI.length + 32 || !equalBytes(prefix, ED25519_SPKI))
    throw malformed("expected an Ed25519 key")
  return der.subarray(ED25519_SPKI.length)
}

function readObject(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  if (!isObject(value)) throw malformed(`expected an object as ${name}`)
  return value
}

function readText(object: JsonObject, name: string): string {
  const value = object[name]
  if (typeof value !== "string") throw malformed(`expected text as ${name}`)
  return value
}
