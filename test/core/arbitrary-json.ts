// Arbitrary JSON for properties: values as the strict reader makes them, and one value's text in many spellings.
import fc from "fast-check"
import type { JsonValue } from "../../src/core/json.js"

/** Names that trip naive objects and naive sorting, and any other well-formed text. */
const arbName = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "b",
    "__proto__",
    "constructor",
    "toJSON",
    "0",
    "10",
    "2",
    "-1",
    "\u{1f600}",
    "\ufb33",
    "\\ud800",
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
)

/** Well-formed text of any code points, control characters included. */
export const arbText = fc.oneof(arbName, fc.string({ unit: "binary" }), fc.string())

const arbDouble = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)

/** Numbers whose canonical text JSON.parse reads as the same number. */
const arbPlainNumber = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  arbDouble.filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value)),
)

const arbOf = (scalar: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> =>
  fc.letrec<{ value: JsonValue; object: JsonValue }>((tie) => ({
    value: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("value")), tie("object")),
    object: fc
      .uniqueArray(fc.tuple(arbName, tie("value")), { selector: ([name]) => name })
      .map((members) => Object.setPrototypeOf(Object.fromEntries(members), null) as JsonValue), // members of JSON type only
  })).value

const arbScalar = fc.oneof(fc.constant(null), fc.boolean(), arbText)

/** Values without integers beyond 2^53: those that JSON.parse and RFC 8785 keep. */
export const arbPlainJson = arbOf(fc.oneof(arbScalar, arbPlainNumber))

/** Any value: with doubles of any size and integers of any length too. */
export const arbJson = arbOf(
  fc.oneof(arbScalar, arbPlainNumber, arbDouble, fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n })),
)

const SPACES = ["", "", "", " ", "\n", "\t", "\r\n", "  "]

/** Text of `value` whose white space and string escapes follow `choices`, used in a circle. */
export function spell(value: JsonValue, choices: readonly number[]): string {
  let next = 0
  const choose = () => choices[next++ % choices.length] ?? 0
  const space = () => SPACES[choose() % SPACES.length] ?? ""
  const unit = (character: string): string =>
    character < " " || character === '"' || character === "\\" || choose() % 4 === 0
      ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
      : character
  const text = (plain: string) => `"${Array.from({ length: plain.length }, (_, i) => unit(plain.charAt(i))).join("")}"`
  const write = (part: JsonValue): string => {
    if (typeof part === "string") return space() + text(part) + space()
    if (typeof part !== "object" || part === null) return space() + String(part) + space()
    if (Array.isArray(part)) return `${space()}[${part.map(write).join(",") || space()}]${space()}`
    const members = Object.entries(part).map(([name, member]) => `${space()}${text(name)}${space()}:${write(member)}`)
    return `${space()}{${members.join(",") || space()}}${space()}`
  }
  return write(value)
}

/** A value and one of its spellings. A surrogate pair may be half raw, half escaped: then the raw half stands alone and is refused. */
export const arbSpelling = fc
  .tuple(arbPlainJson, fc.array(fc.nat(255), { minLength: 1, maxLength: 40 }))
  .map(([value, choices]) => ({ value, text: spell(value, choices) }))
