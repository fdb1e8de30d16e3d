// Canonical JSON text (RFC 8785) with one extension, published in DESIGN 3.2: an integer of any size is written with its exact
// digits. Equal to RFC 8785 wherever integers stay within 2^53. JSON.stringify does most of it, twice as fast as building text here.
import { ToolsumError } from "./errors.js"
import { computeTextDigest, type Digest } from "./hash.js"
import type { JsonObject, JsonValue } from "./json.js"

const bad = (why: string) => new ToolsumError("JSON_MALFORMED", why)

/** Canonical text of a value: members sorted by UTF-16 units, no white space, numbers in ECMAScript form, bigints in decimal.
 *  Throws JSON_MALFORMED for a lone surrogate, a number that is not finite and what is no JSON value. RFC 8785 §3.2. */
export const canonicalize = (value: JsonValue): string => canonicalFast(value) ?? canonicalText(value)

/** Canonical text of a value without the extension. Throws JSON_MALFORMED as `canonicalize`, and for integers beyond 2^53. */
export function canonicalizeExact(value: JsonValue): string {
  const text = canonicalFast(value)
  if (text !== undefined) return text
  requireExact(value)
  return canonicalText(value)
}

/** The text by way of JSON.stringify, or undefined where that is not the way; never for an integer beyond 2^53-1. */
function canonicalFast(value: JsonValue): string | undefined {
  const sorted = isSorted(value) ? value : sortMembers(value)
  const text = sorted === undefined ? undefined : JSON.stringify(sorted)
  // JSON.stringify hides a lone surrogate behind an escape; an escaped backslash before "ud" looks the same and goes the long way too.
  return text?.includes("\\ud") ? undefined : text
}

const LARGEST = 2n ** 53n

function requireExact(value: JsonValue): void {
  if (typeof value === "bigint" && (value > LARGEST || value < -LARGEST)) throw bad("expected integers of at most 2^53")
  if (typeof value === "object" && value !== null) Object.values(value).forEach(requireExact)
}

/** SHA-256 over the UTF-8 bytes of the canonical text. Throws JSON_MALFORMED as `canonicalize`. */
export const computeJsonDigest = (value: JsonValue): Digest => computeTextDigest(canonicalize(value))

/** True where JSON.stringify writes the canonical form of `value` itself, as of most that was canonical before: then nothing is copied. */
function isSorted(value: JsonValue): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true
    case "number":
      return Number.isFinite(value)
    case "object":
      return value === null || (Array.isArray(value) ? value.every(isSorted) : isSortedObject(value as JsonObject)) // no array
    default:
      return false
  }
}

function isSortedObject(object: JsonObject): boolean {
  let last = ""
  return Object.keys(object).every((name) => {
    const inOrder = name >= last && isPlainName(name)
    last = name
    return inOrder && isSorted(object[name] as JsonValue) // an own member
  })
}

/** A copy that JSON.stringify writes in canonical form, or undefined where it cannot: larger bigints, numbers that are not finite, and
 *  names that a JavaScript object does not keep in order or at all. */
function sortMembers(value: JsonValue): JsonValue | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : undefined
    case "bigint":
      return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : undefined
    case "object":
      return value === null ? null : Array.isArray(value) ? sortInArray(value) : sortObject(value as JsonObject) // no array
    default:
      return undefined
  }
}

function sortInArray(items: readonly JsonValue[]): JsonValue | undefined {
  const copy: JsonValue[] = []
  for (let i = 0; i < items.length; i++) {
    const item = sortMembers(items[i] as JsonValue) // i is below length
    if (item === undefined) return undefined
    copy.push(item)
  }
  return copy
}

function sortObject(object: JsonObject): JsonValue | undefined {
  const copy: Record<string, JsonValue> = {}
  const names = sortedNames(object)
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string // i is below length
    const member = isPlainName(name) ? sortMembers(object[name] as JsonValue) : undefined // an own member
    if (member === undefined) return undefined
    copy[name] = member
  }
  return copy
}

/** False for `__proto__`, which an assignment loses, and for names that could be array indexes, which come first in any object. */
function isPlainName(name: string): boolean {
  const code = name.charCodeAt(0)
  return !(code >= 0x30 && code <= 0x39) && name !== "__proto__"
}

const INSERTION_SORT_UP_TO = 24

/** Names by UTF-16 units (RFC 8785 §3.2.3), which is how JavaScript compares strings. Few names are sorted here: a call of `sort` costs more. */
function sortedNames(object: JsonObject): readonly string[] {
  const names = Object.keys(object)
  if (names.length > INSERTION_SORT_UP_TO) return names.sort()
  for (let i = 1; i < names.length; i++) {
    const name = names[i] as string // i is below length
    let at = i - 1
    while (at >= 0 && (names[at] as string) > name) {
      names[at + 1] = names[at] as string // from 0 to below i
      at--
    }
    names[at + 1] = name
  }
  return names
}

/** The same text, built member by member. */
function canonicalText(value: JsonValue): string {
  if (value === null) return "null"
  switch (typeof value) {
    case "string":
      return canonicalString(value)
    case "number":
      if (!Number.isFinite(value)) throw bad(`expected a finite number, got ${value}`)
      return String(value) // -0 gives "0"
    case "bigint":
    case "boolean":
      return String(value)
    case "object":
      if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`
      return canonicalObject(value as JsonObject) // no array
    default:
      throw bad(`expected a JSON value, got ${typeof value}`)
  }
}

const canonicalObject = (object: JsonObject): string =>
  `{${sortedNames(object)
    .map((name) => `${canonicalString(name)}:${canonicalText(object[name] as JsonValue)}`) // an own member
    .join(",")}}`

const LONE_SURROGATE = /[\ud800-\udfff]/u

/** JSON.stringify escapes just what RFC 8785 §3.2.2.2 wants, except for lone surrogates. */
function canonicalString(text: string): string {
  if (LONE_SURROGATE.test(text)) throw bad("expected well-formed text, got a lone surrogate")
  return JSON.stringify(text)
}
