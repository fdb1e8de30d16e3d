// JSON of the LEGION dialect. Documents are read by the one strict reader with integers as bigints, since some of their formats tell `12`
// from `12.0`; what is signed is the canonical form of RFC 8785, in which integers end at 2^53. FORMAT.md, "LEGION dialect".
import { encodeUtf8, MAX_DECIMAL } from "../bytes.js"
import { canonicalize } from "../canonical.js"
import { ToolsumError } from "../errors.js"
import { type JsonObject, type JsonValue, parseJson } from "../json.js"

/** Read a document of the dialect: integer tokens are bigints, all others doubles. Throws JSON_MALFORMED. */
export const parseLegionJson = (input: Uint8Array | string, maxBytes?: number): JsonValue =>
  parseJson(input, { integers: "bigint", ...(maxBytes === undefined ? {} : { maxBytes }) })

/** A tree size, leaf index or count: an integer from 0 to 2^63-1, else null. `12.0` is the number 12: both have one canonical form. */
export function readCount(value: JsonValue | undefined): bigint | null {
  const integer = typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value
  return typeof integer === "bigint" && integer >= 0n && integer <= MAX_DECIMAL ? integer : null
}

/** The bytes that a signature or leaf hash covers: the canonical form of `object` without the members `without`. Throws JSON_MALFORMED for
 *  integers beyond 2^53, which the dialect's signers refuse. */
export function encodeSigned(object: JsonObject, without: readonly string[] = []): Uint8Array {
  requireExact(object)
  return encodeUtf8(canonicalize(without.length === 0 ? object : omit(object, without)))
}

/** A copy without some members. Nothing is inherited, so that any name is a member like others. */
export function omit(object: JsonObject, names: readonly string[]): JsonObject {
  const rest: Record<string, JsonValue> = Object.create(null)
  for (const name of Object.keys(object)) if (!names.includes(name)) rest[name] = object[name] as JsonValue // an own member
  return rest
}

const LARGEST = 2n ** 53n

function requireExact(value: JsonValue): void {
  if (typeof value === "bigint") {
    if (value <= LARGEST && value >= -LARGEST) return
    throw new ToolsumError("JSON_MALFORMED", "expected integers of at most 2^53 in what is signed")
  }
  if (typeof value === "object" && value !== null) Object.values(value).forEach(requireExact)
}
