// Manglings of texts, for parsers that must take exactly one spelling: bits and bytes, characters that look or count like others, and
// lines moved, doubled and dropped.
import fc from "fast-check"
import { encodeUtf8 } from "../../src/core/bytes.js"

/** One change; positions are fractions of the length, so that they fit any text. */
type Change =
  | { readonly kind: "bit"; readonly at: number; readonly bit: number }
  | { readonly kind: "drop" | "double" | "insert"; readonly at: number; readonly count: number; readonly text: string }
  | { readonly kind: "line"; readonly at: number; readonly to: number; readonly how: "drop" | "double" | "swap" }
  | { readonly kind: "letter"; readonly at: number }
  | { readonly kind: "digit"; readonly at: number; readonly by: number }

/** What strict readers must not take for something else. */
const ODD = [
  "\n",
  "\n\n",
  "\r",
  "\r\n",
  " ",
  "\t",
  "\0",
  "\x7f",
  "\u0085",
  "\u00a0",
  "\u2028",
  "\u3000",
  "\ufeff",
  "\u200b",
  "\u2014 ",
  "\u2013 ",
  "+",
  "-",
  "=",
  "==",
  "/",
  "_",
  "0",
  "00",
  "1",
  "9",
  "A",
  "a",
  "#",
  "none",
  "any",
  "all",
  "é",
  "\u0301",
  "😀",
  "\ufffd",
] as const

const at = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })

const arbChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant("bit" as const), at, bit: fc.nat(7) }),
  fc.record({
    kind: fc.constantFrom("drop" as const, "double" as const, "insert" as const),
    at,
    count: fc.constantFrom(1, 1, 1, 2, 4, 44),
    text: fc.constantFrom(...ODD),
  }),
  fc.record({
    kind: fc.constant("line" as const),
    at,
    to: at,
    how: fc.constantFrom("drop" as const, "double" as const, "swap" as const),
  }),
  fc.record({ kind: fc.constant("letter" as const), at }),
  fc.record({ kind: fc.constant("digit" as const), at, by: fc.integer({ min: 1, max: 9 }) }),
)

/** `bytes` as they are, or after one to three changes. */
export const arbMangled = (bytes: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc.array(arbChange, { maxLength: 3, size: "max" }).map((changes) => changes.reduce(change, bytes))

function change(bytes: Uint8Array, how: Change): Uint8Array {
  const place = Math.floor(how.at * bytes.length)
  if (how.kind === "bit") return replace(bytes, place, (byte) => byte ^ (1 << how.bit))
  if (how.kind === "letter") return replace(bytes, place, (byte) => (isLetter(byte) ? byte ^ 32 : byte))
  if (how.kind === "digit") return changeDigit(bytes, place, how.by)
  return how.kind === "line" ? changeLine(bytes, how) : changeRange(bytes, place, how)
}

function changeRange(bytes: Uint8Array, place: number, how: Extract<Change, { count: number }>): Uint8Array {
  const end = Math.min(bytes.length, place + how.count)
  const middle = {
    drop: [],
    double: [...bytes.subarray(place, end), ...bytes.subarray(place, end)],
    insert: [...encodeUtf8(how.text), ...bytes.subarray(place, end)],
  }
  return Uint8Array.from([...bytes.subarray(0, place), ...middle[how.kind], ...bytes.subarray(end)])
}

const isLetter = (byte: number) => (byte | 32) >= 97 && (byte | 32) <= 122

function replace(bytes: Uint8Array, at: number, by: (byte: number) => number): Uint8Array {
  const copy = bytes.slice()
  const byte = copy[at]
  if (byte !== undefined) copy[at] = by(byte)
  return copy
}

/** The next digit from there on becomes another one. */
function changeDigit(bytes: Uint8Array, from: number, by: number): Uint8Array {
  const at = bytes.findIndex((byte, i) => i >= from && byte >= 48 && byte <= 57)
  return replace(bytes, at, (byte) => 48 + ((byte - 48 + by) % 10))
}

function changeLine(bytes: Uint8Array, { at, to, how }: Extract<Change, { kind: "line" }>): Uint8Array {
  const lines = Buffer.from(bytes)
    .toString("latin1")
    .split(/(?<=\n)/)
  const [a, b] = [Math.floor(at * lines.length), Math.floor(to * lines.length)]
  const [first, second] = [lines[a] ?? "", lines[b] ?? ""]
  if (how === "drop") lines.splice(a, 1)
  else if (how === "double") lines.splice(b, 0, first)
  else {
    lines[a] = second
    lines[b] = first
  }
  return new Uint8Array(Buffer.from(lines.join(""), "latin1"))
}
