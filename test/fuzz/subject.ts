// What is fuzzed: a reader with well-formed documents, and what must hold of whatever it accepts: it is written again as it was, what
// is written is read as the same value, nothing but a refusal is thrown, and the input is left alone.
import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { encodeUtf8, equalBytes } from "../../src/core/bytes.js"
import { type ErrorKind, ToolsumError } from "../../src/core/errors.js"
import { arbMangled } from "../fakes/mangle.js"

/** Any text or bytes. */
export type Input = string | Uint8Array

/** One reader under test. */
export interface Fuzzed {
  readonly name: string
  /** Documents that it accepts. */
  readonly valid: fc.Arbitrary<Input>
  /** Those, mangled, and noise. */
  readonly inputs: fc.Arbitrary<Input>
  /** Make right again what only hides the rest of the reader: checksums, key IDs, signatures. */
  readonly repair: ((bytes: Uint8Array) => Uint8Array) | null
  /** Throws when something does not hold; false: refused. */
  check(input: Input): boolean
}

/** What every kind of reader is described by. */
interface Reader<T, I> {
  readonly name: string
  readonly valid: fc.Arbitrary<Input>
  readonly parse: (input: I) => T
  readonly repair?: (bytes: Uint8Array) => Uint8Array
  /** How it may refuse. */
  readonly refusals?: readonly ErrorKind[]
}

/** A reader of something that was given to us is never the caller's mistake and never a matter of trying again. */
const REFUSALS: readonly ErrorKind[] = ["malformed", "rejected"]

/** A reader whose documents have one spelling: what is written again is what was read. */
export const exact = <T>(p: Reader<T, Input> & { readonly format: (value: T) => Input }): Fuzzed =>
  fuzzed({
    ...p,
    holds: (value, input) => {
      if (!equalBytes(bytesOf(p.format(value)), bytesOf(input))) throw new Error("read, but written in another way")
    },
  })

/** The same for a reader of text: it gets bytes as text, whatever they are. */
export const exactText = <T>(p: Reader<T, string> & { readonly format: (value: T) => string }): Fuzzed =>
  fuzzed({
    ...p,
    parse: (input) => p.parse(textOf(input)),
    holds: (value, input) => {
      if (p.format(value) !== textOf(input)) throw new Error("read, but written in another way")
    },
  })

/** A reader of documents with many spellings: what is written is read again as the same, and written the same. */
export const normal = <T>(
  p: Reader<T, Input> & {
    readonly format: (value: T) => string
    /** The value without what is the spelling of its document. */
    readonly meaning?: (value: T) => unknown
  },
): Fuzzed =>
  fuzzed({
    ...p,
    holds: (value) => {
      const text = p.format(value)
      const again = p.parse(text)
      const { meaning = (all: T) => all } = p
      if (!isDeepStrictEqual(withDigits(meaning(again)), withDigits(meaning(value))))
        throw new Error("written, but read as something else")
      if (p.format(again) !== text) throw new Error("written in two ways")
    },
  })

/** The value with each double that is written as bare digits beyond 2^53, such as 9007199254740992.0, as the integer that it is read as. */
function withDigits(value: unknown): unknown {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21)
    return BigInt(String(value)) // the shortest digits that name the double, which may be of another integer
  if (Array.isArray(value)) return value.map(withDigits)
  const isOther = value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)
  if (typeof value !== "object" || value === null || isOther) return value
  return new Map(Object.entries(value).map(([name, member]) => [name, withDigits(member)]))
}

/** A reader, and what must hold of its answers. */
export function fuzzed<T>(p: Reader<T, Input> & { readonly holds?: (value: T, input: Input) => void }): Fuzzed {
  const { name, valid, repair = null, refusals = REFUSALS } = p
  const judge = (input: Input): boolean => {
    let value: T
    try {
      value = p.parse(input)
    } catch (error) {
      if (error instanceof ToolsumError && refusals.includes(error.kind)) return false
      throw error
    }
    p.holds?.(value, input)
    return true
  }
  return { name, valid, repair, inputs: arbInput(valid), check: (input) => untouched(input, judge) }
}

function untouched(input: Input, judge: (input: Input) => boolean): boolean {
  if (typeof input === "string") return judge(input)
  const copy = input.slice()
  const accepted = judge(input)
  if (!equalBytes(input, copy)) throw new Error("changed its input")
  return accepted
}

/** The input as a text parser gets it: bytes that are not UTF-8 as U+FFFD, strings as they are, lone surrogates included. */
export const textOf = (input: Input): string =>
  typeof input === "string" ? input : new TextDecoder("utf-8", { ignoreBOM: true }).decode(input)

/** The input as bytes. */
export const bytesOf = (input: Input): Uint8Array => (typeof input === "string" ? encodeUtf8(input) : input)

const arbUnits = fc.array(fc.nat(0xffff), { maxLength: 60 }).map((units) => String.fromCharCode(...units))

const FRAGMENTS = [
  ...'[{"\\:,0-+.eE \n\r\t$%@/#=~*()',
  '{"a":',
  "[0,",
  '"\\u',
  "\\\\",
  "\u2014 ",
  "— a AAAA\n",
  "AAAA",
  "0 ",
  "sha256:",
  "a b\n",
  "log ",
  "\n\n",
  "x001/",
  "%2e",
  "1.",
  "-a",
  "${A}",
  "$$",
  "😀",
  "\ud800",
  "é",
  "a@",
  "group ",
] as const

/** One fragment or two, over and over: what makes careless readers slow. */
const arbRepeated = fc
  .tuple(
    fc.constantFrom(...FRAGMENTS),
    fc.constantFrom("", "", ...FRAGMENTS),
    fc.constantFrom(10, 100, 127, 129, 1000, 20_000),
    fc.string({ maxLength: 3 }),
  )
  .map(([a, b, count, end]) => (a + b).repeat(count) + end)

const arbInput = (valid: fc.Arbitrary<Input>): fc.Arbitrary<Input> =>
  fc.oneof(
    { arbitrary: valid.chain((document) => arbMangled(bytesOf(document))), weight: 12 },
    { arbitrary: valid.chain((document) => arbMangled(bytesOf(document)).map(textOf)), weight: 3 },
    { arbitrary: arbRepeated, weight: 1 },
    {
      arbitrary: fc
        .tuple(valid.map(textOf), arbRepeated, fc.double({ min: 0, max: 1, noNaN: true }))
        .map(([text, more, at]) => insert(text, more, at)),
      weight: 1,
    },
    { arbitrary: fc.string({ unit: "binary" }), weight: 1 },
    { arbitrary: arbUnits, weight: 1 },
    { arbitrary: fc.uint8Array({ maxLength: 200 }), weight: 1 },
  )

const insert = (text: string, more: string, at: number): string => {
  const place = Math.floor(at * text.length)
  return text.slice(0, place) + more + text.slice(place)
}
