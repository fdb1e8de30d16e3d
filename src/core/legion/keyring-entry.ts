// One line of a LEGION keyring (`keyring.jsonl`): a registration or a revocation of a key. Its own form only; what binds it to the entry
// before and to the root key is keyring.ts's. FORMAT.md, "LEGION dialect".
import { formatHex, parseBase64 } from "../bytes.js"
import { ED25519_KEY_BYTES } from "../ed25519.js"
import { type Bad, quote, ToolsumError } from "../errors.js"
import { sha256 } from "../hash.js"
import { isObject, type JsonObject, type JsonValue } from "../json.js"
import { encodeSigned, parseLegionJson, readCount } from "./json.js"

/** What every entry has. `signed`: the bytes that hash and signatures cover; `bodyHash`: their SHA-256 in hex. */
interface EntryBody {
  readonly signed: Uint8Array
  readonly bodyHash: string
  readonly document: JsonObject
}

/** A key and what it is for. `pin`: SHA-256 of the raw key in hex. */
export interface RegisterEntry extends EntryBody {
  readonly type: "key_register"
  readonly publicKey: Uint8Array
  readonly pin: string
  readonly purpose: string | null
}

/** The end of a key. `limit`: it may sign up to this tree size; null: it was compromised and is gone for good. */
export interface RevokeEntry extends EntryBody {
  readonly type: "key_revoke"
  readonly keyId: string
  readonly limit: bigint | null
}

/** One line of a keyring. */
export type KeyringEntry = RegisterEntry | RevokeEntry

const malformed: Bad = (why) => new ToolsumError("KEYRING_MALFORMED", why)

/** Members that neither the hash nor a signature covers. */
const UNSIGNED = ["hash", "self_sig", "endorsement_sig"]

/** The id of a key in a keyring: `k1:` and half of its pin. */
export const keyIdOf = (pin: string): string => `k1:${pin.slice(0, 32)}`

/** Read line `number`, from 1. Throws KEYRING_MALFORMED, also for entries of types and algorithms that this version does not know. */
export function parseKeyringEntry(line: string, number: number): KeyringEntry {
  const bad: Bad = (why) => malformed(`line ${number}: ${why}`)
  const document = parseObject(line, bad)
  const signed = encode(document, bad)
  const body = { signed, bodyHash: formatHex(sha256(signed)), document }
  if (document.type === "key_register") return { ...body, ...readRegistration(document, bad) }
  if (document.type === "key_revoke") return { ...body, ...readRevocation(document, bad) }
  throw bad(`expected "key_register" or "key_revoke", got ${describeType(document.type)}: a newer toolsum may know it`)
}

const describeType = (type: JsonValue | undefined) => (typeof type === "string" ? quote(type, 40) : "no type")

function parseObject(line: string, bad: Bad): JsonObject {
  const value = attemptJson(() => parseLegionJson(line), bad)
  if (!isObject(value)) throw bad("expected an object")
  return value
}

const encode = (document: JsonObject, bad: Bad): Uint8Array => attemptJson(() => encodeSigned(document, UNSIGNED), bad)

function attemptJson<T>(work: () => T, bad: Bad): T {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof ToolsumError)) throw cause
    throw new ToolsumError("KEYRING_MALFORMED", bad(cause.message).message, { cause })
  }
}

function readRegistration(document: JsonObject, bad: Bad): Omit<RegisterEntry, keyof EntryBody> {
  const { alg, public_key_b64: key, purpose } = document
  if (alg !== "Ed25519") throw bad(`expected the algorithm "Ed25519"`)
  if (typeof key !== "string") throw bad("expected a public key")
  const publicKey = parseBase64(key, bad)
  if (publicKey.length !== ED25519_KEY_BYTES) throw bad(`expected a public key of 32 bytes, got ${publicKey.length}`)
  const pin = formatHex(sha256(publicKey))
  return { type: "key_register", publicKey, pin, purpose: typeof purpose === "string" ? purpose : null }
}

function readRevocation(document: JsonObject, bad: Bad): Omit<RevokeEntry, keyof EntryBody> {
  const { key_id: keyId, valid_until_tree_size: until } = document
  if (typeof keyId !== "string") throw bad("expected the id of the revoked key")
  if (until === undefined || until === null) return { type: "key_revoke", keyId, limit: null }
  const limit = readCount(until)
  if (limit === null) throw bad("expected a tree size as the limit of a retired key")
  return { type: "key_revoke", keyId, limit }
}

/** The text of a member of an entry; null where it has none. */
export function entryText(entry: KeyringEntry, name: string): string | null {
  const value = entry.document[name]
  return typeof value === "string" ? value : null
}
