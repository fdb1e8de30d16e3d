// JSON Pointer (RFC 6901): the one way this package names a place inside a JSON value. Text and tokens are inverses, and
// array indexes have one spelling, so equal texts are equal places.
import { type Bad, quote } from "./errors.js"
import { isArray, isObject, type JsonValue } from "./json.js"
import { escapeToken, unescapeToken } from "./pointer-token.js"

const BAD_ESCAPE = /~(?![01])/
const INDEX = /^(?:0|[1-9][0-9]{0,9})$/

/** Tokens of a pointer, unescaped; `""` is the whole value and has none. RFC 6901 §3, §4. */
export function parsePointer(text: string, bad: Bad): readonly string[] {
  if (text === "") return []
  if (!text.startsWith("/")) throw bad(`expected a JSON Pointer that is empty or starts with "/", got ${quote(text)}`)
  if (BAD_ESCAPE.test(text)) throw bad(`expected "~" only as "~0" or "~1", got ${quote(text)}`)
  return text.slice(1).split("/").map(unescapeToken)
}

/** Text of a pointer: the inverse of `parsePointer`. */
export const formatPointer = (tokens: readonly string[]): string =>
  tokens.map((token) => `/${escapeToken(token)}`).join("")

/** The value at `tokens` inside `value`, or undefined when there is none. `-` and indexes with leading zeros name nothing. */
export function valueAt(value: JsonValue, tokens: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = value
  for (const token of tokens) {
    if (isArray(at)) at = INDEX.test(token) ? at[Number(token)] : undefined
    else at = isObject(at) && Object.hasOwn(at, token) ? at[token] : undefined
  }
  return at
}

/** A copy of `value` with `replacement` at `tokens`, where a value must be already; everything off the way is shared. */
export function replaceAt(value: JsonValue, tokens: readonly string[], replacement: JsonValue): JsonValue {
  const [token, ...rest] = tokens
  if (token === undefined) return replacement
  if (isArray(value)) return value.map((item, i) => (String(i) === token ? replaceAt(item, rest, replacement) : item))
  if (!isObject(value)) return value
  const copy: Record<string, JsonValue> = Object.assign(Object.create(null), value)
  if (Object.hasOwn(copy, token)) copy[token] = replaceAt(copy[token] ?? null, rest, replacement)
  return copy
}
