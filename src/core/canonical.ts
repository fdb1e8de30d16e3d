// Canonical JSON text (RFC 8785) with one extension, published in DESIGN 3.2: an integer of any size is written with its exact
// digits. Equal to RFC 8785 wherever integers stay within 2^53.
import { ToolsumError } from "./errors.js"
import { computeTextDigest, type Digest } from "./hash.js"
import type { JsonValue } from "./json.js"

const bad = (why: string) => new ToolsumError("JSON_MALFORMED", why)

/** Canonical text of a value: members sorted by UTF-16 units, no white space, numbers in ECMAScript form, bigints in decimal.
 *  Throws JSON_MALFORMED for a lone surrogate or a number that is not finite. RFC 8785 §3.2. */
export function canonicalize(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return canonicalString(value)
    case "number":
      if (!Number.isFinite(value)) throw bad(`expected a finite number, got ${value}`)
      return String(value) // -0 gives "0"
    case "bigint":
    case "boolean":
      return String(value)
    default:
      if (value === null) return "null"
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as { [name: string]: JsonValue })
  }
}

/** SHA-256 over the UTF-8 bytes of the canonical text. */
export const computeJsonDigest = (value: JsonValue): Digest => computeTextDigest(canonicalize(value))

const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/
const LONE_SURROGATE = /[\ud800-\udfff]/u

/** Canonical text of a string. JSON.stringify escapes just what RFC 8785 §3.2.2.2 wants, except for lone surrogates. */
function canonicalString(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`
  if (LONE_SURROGATE.test(text)) throw bad("expected well-formed text, got a lone surrogate")
  return JSON.stringify(text)
}

function canonicalArray(items: readonly JsonValue[]): string {
  let text = "["
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ","
    text += canonicalize(items[i] as JsonValue) // i is below length
  }
  return `${text}]`
}

function canonicalObject(object: { readonly [name: string]: JsonValue }): string {
  let text = "{"
  // The default sort compares UTF-16 units, as RFC 8785 §3.2.3 wants.
  for (const name of Object.keys(object).sort()) {
    if (text.length > 1) text += ","
    text += `${canonicalString(name)}:${canonicalize(object[name] as JsonValue)}` // an own member
  }
  return `${text}}`
}
