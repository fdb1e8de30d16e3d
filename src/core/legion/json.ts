// JSON of the LEGION dialect. Documents are read by the one strict reader with integers as bigints, since some of their formats tell `12`
// from `12.0`; what is signed is the canonical form of RFC 8785, in which integers end at 2^53. FORMAT.md, "LEGION dialect".
import { encodeUtf8, MAX_DECIMAL } from "../bytes.js"
import { canonicalize, canonicalizeExact } from "../canonical.js"
import { type JsonObject, type JsonValue, parseJson } from "../json.js"

/** Read a document of the dialect: integer tokens are bigints, all others doubles. Throws JSON_MALFORMED. */
export const parseLegionJson = (input: Uint8Array | string, maxBytes?: number): JsonValue =>
  parseJson(input, { integers: "bigint", ...(maxBytes === undefined ? {} : { maxBytes }) })

/** A tree size, leaf index or count: an integer from 0 to 2^63-1, else null. `12.0` is the number 12: both have one canonical form. */
export function readCount(value: JsonValue | undefined): bigint | null {
  const integer = typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value
  return typeof integer === "bigint" && integer >= 0n && integer <= MAX_DECIMAL ? integer : null
}

/** The bytes that a signature covers: the canonical form of `object` without the members `without`. Throws JSON_MALFORMED for integers beyond
 *  2^53, which the dialect's signers refuse. */
export const encodeSigned = (object: JsonObject, without: readonly string[] = []): Uint8Array =>
  encodeUtf8(canonicalizeExact(without.length === 0 ? object : omit(object, without)))

const SIGNATURE = "signature_ed25519"

/** The bytes of a log entry: `leaf` is all of it, `signed` all but its signature. Throws as `encodeSigned`. */
export function encodeEntry(entry: JsonObject): { readonly leaf: Uint8Array; readonly signed: Uint8Array } {
  const text = canonicalizeExact(entry)
  const name = `"${SIGNATURE}":`
  const member = `${name}${canonicalize(entry[SIGNATURE] ?? null)},`
  const at = text.indexOf(name)
  // No string has this in it, since its quotes are escaped there: what is there once is the entry's own member.
  const isOwn = at > 0 && text.lastIndexOf(name) === at && text.startsWith(member, at)
  const signed = isOwn
    ? encodeUtf8(text.slice(0, at) + text.slice(at + member.length))
    : encodeSigned(entry, [SIGNATURE])
  return { leaf: encodeUtf8(text), signed }
}

function omit(object: JsonObject, names: readonly string[]): JsonObject {
  const rest: Record<string, JsonValue> = Object.create(null)
  for (const name of Object.keys(object)) if (!names.includes(name)) rest[name] = object[name] as JsonValue // an own member
  return rest
}
