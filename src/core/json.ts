// The one JSON reader for text from outside (DESIGN 3.1, formats.md 1 and 2): RFC 8259 with fatal UTF-8, no BOM, no duplicate
// member names, no lone surrogates, bounded size and depth, integers exact at any length. Canonical form is canonical.ts's.
import { decodeUtf8, encodeUtf8 } from "./bytes.js"
import { quote, ToolsumError } from "./errors.js"
import { pointerAt } from "./json-place.js"

/** A JSON value as read: an integer token beyond 2^53-1 is a bigint (with `integers: "bigint"`, any integer token), every other number a
 *  finite double. */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject

/** An object whose members inherit nothing, so that any name, `__proto__` included, is there only if it was in the text.
 *  `Object.keys` gives the order of the text, except that integer-like names come first. */
export interface JsonObject {
  readonly [name: string]: JsonValue
}

/** Largest document, in bytes of UTF-8. */
export const MAX_JSON_BYTES = 16 * 1024 * 1024
/** Deepest nesting: open arrays and objects; a scalar has depth 0. */
export const MAX_JSON_DEPTH = 128

/** True for an object, not for null or an array. */
export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** True for an array. */
export const isArray = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

/** How to read. `maxBytes` stands in for MAX_JSON_BYTES. With `integers: "bigint"` the spelling decides the type: integer tokens of any size
 *  are bigints, tokens with a fraction or exponent are doubles, `-0.0` with its sign: what formats need that tell `12` from `12.0`. The
 *  canonical form is the same either way. */
export interface JsonOptions {
  readonly maxBytes?: number
  readonly integers?: "bigint"
}

/** Read one JSON document (formats.md 1 and 2). Throws JSON_MALFORMED; the message says what was expected, what came, and the line and
 *  column (from 1, columns in UTF-16 units); for a member given twice also its pointer, which is `evidence.duplicate`. */
export function parseJson(input: Uint8Array | string, options: JsonOptions = {}): JsonValue {
  const text = decode(input, options.maxBytes ?? MAX_JSON_BYTES)
  return new Reader(text, options.integers === "bigint").readDocument()
}

const bad = (why: string) => new ToolsumError("JSON_MALFORMED", why)

const LONE_SURROGATE = /[\ud800-\udfff]/u

function decode(input: Uint8Array | string, maxBytes: number): string {
  if (!fits(input, maxBytes)) throw bad(`expected JSON of at most ${maxBytes} bytes`)
  if (typeof input !== "string") return decodeUtf8(input, bad)
  if (LONE_SURROGATE.test(input)) throw bad("expected well-formed text, got a lone surrogate")
  return input
}

/** A UTF-16 unit is at most 3 bytes of UTF-8: only a text that may or may not fit is encoded to be counted. */
const fits = (input: Uint8Array | string, maxBytes: number): boolean =>
  input.length <= maxBytes &&
  (typeof input !== "string" || 3 * input.length <= maxBytes || encodeUtf8(input).length <= maxBytes)

/** What objects are read into: nothing is inherited, as with `Object.create(null)`, which V8 makes a hash table of four times the
 *  size: 16 MiB of empty objects would take more than 1 GB. */
class BareObject {
  [name: string]: JsonValue
}
Reflect.deleteProperty(BareObject.prototype, "constructor")
Object.freeze(Object.setPrototypeOf(BareObject.prototype, null))

const PLAIN = /[^"\\\u0000-\u001f]*/y

const TAB = 0x09
const LINE_FEED = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const isDigit = (code: number) => code >= ZERO && code <= NINE

/** Recursive descent over UTF-16 units; `at` is the next unit to read. Reading past the end gives NaN, which no case takes. */
class Reader {
  private readonly text: string
  private readonly bigintegers: boolean
  private at = 0
  private depth = 0

  constructor(text: string, bigintegers: boolean) {
    this.text = text
    this.bigintegers = bigintegers
  }

  readDocument(): JsonValue {
    const value = this.readValue(this.skipSpace())
    const code = this.skipSpace()
    if (!Number.isNaN(code)) throw this.unexpected("the end of the document")
    return value
  }

  /** Moves to the next unit that is no white space and returns it. */
  private skipSpace(): number {
    const text = this.text
    let at = this.at
    let code = text.charCodeAt(at)
    while (code === SPACE || code === LINE_FEED || code === RETURN || code === TAB) code = text.charCodeAt(++at)
    this.at = at
    return code
  }

  /** Reads the value that starts with `code`, the unit at `at`. */
  private readValue(code: number): JsonValue {
    switch (code) {
      case QUOTE:
        return this.readString()
      case OPEN_BRACE:
        return this.readObject()
      case OPEN_BRACKET:
        return this.readArray()
      case 0x74:
        return this.readWord("true", true)
      case 0x66:
        return this.readWord("false", false)
      case 0x6e:
        return this.readWord("null", null)
      default:
        return this.readNumber(code)
    }
  }

  private readWord<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected("a value")
    this.at += word.length
    return value
  }

  private open(): number {
    if (++this.depth > MAX_JSON_DEPTH) throw this.fail(`expected at most ${MAX_JSON_DEPTH} nested arrays and objects`)
    this.at++
    return this.skipSpace()
  }

  private readArray(): readonly JsonValue[] {
    const items: JsonValue[] = []
    let code = this.open()
    if (code !== CLOSE_BRACKET) {
      for (;;) {
        items.push(this.readValue(code))
        code = this.skipSpace()
        if (code !== COMMA) break
        this.at++
        code = this.skipSpace()
      }
      if (code !== CLOSE_BRACKET) throw this.unexpected('"," or "]"')
    }
    this.at++
    this.depth--
    return items
  }

  private readObject(): JsonObject {
    const object = new BareObject()
    let code = this.open()
    if (code !== CLOSE_BRACE) {
      for (;;) {
        this.readMember(object, code)
        code = this.skipSpace()
        if (code !== COMMA) break
        this.at++
        code = this.skipSpace()
      }
      if (code !== CLOSE_BRACE) throw this.unexpected('"," or "}"')
    }
    this.at++
    this.depth--
    return object
  }

  private readMember(object: Record<string, JsonValue>, code: number): void {
    if (code !== QUOTE) throw this.unexpected("a member name")
    const start = this.at
    const name = this.readString()
    if (object[name] !== undefined) throw this.duplicate(name, start)
    if (this.skipSpace() !== COLON) throw this.unexpected('":"')
    this.at++
    object[name] = this.readValue(this.skipSpace())
  }

  private readString(): string {
    const text = this.text
    const start = this.at
    let escapes = false
    for (let at = start + 1; ; at += 2) {
      const code = this.skipPlain(at)
      if (code === QUOTE) break
      if (code !== BACKSLASH) throw this.unexpected("a closing quote or a printable character")
      escapes = true
      at = this.at
    }
    this.at++
    return escapes ? this.unescape(start, this.at) : text.slice(start + 1, this.at - 1)
  }

  /** Moves past characters from `from` on that stand for themselves in a string and returns the unit there. One regular expression:
   *  native from the first run, where a loop over units would be interpreted for most of a short process. */
  private skipPlain(from: number): number {
    PLAIN.lastIndex = from
    this.at = PLAIN.test(this.text) ? PLAIN.lastIndex : this.text.length
    return this.text.charCodeAt(this.at)
  }

  /** JSON.parse of the string token from `start` to `end`, quotes included: it takes exactly the escapes of RFC 8259. */
  private unescape(start: number, end: number): string {
    const token = this.text.slice(start, end)
    let value: string
    try {
      value = JSON.parse(token) as string // a token in quotes can only be a string
    } catch {
      throw this.fail(`expected valid escapes in a string, got ${quote(token.slice(1, -1))}`, start)
    }
    if (token.includes("\\u") && LONE_SURROGATE.test(value)) {
      throw this.fail(`expected surrogate escapes in pairs, got ${quote(token.slice(1, -1))}`, start)
    }
    return value
  }

  /** A number token, by its spelling: digits alone are an exact integer, a fraction or exponent makes a double (formats.md 2). */
  private readNumber(first: number): number | bigint {
    const text = this.text
    const start = this.at
    let at = first === MINUS ? start + 1 : start
    const leading = text.charCodeAt(at)
    if (!isDigit(leading)) throw this.unexpected(first === MINUS ? "a digit" : "a value")
    let code = text.charCodeAt(++at)
    if (leading !== ZERO) while (isDigit(code)) code = text.charCodeAt(++at)
    this.at = at
    if (code === DOT || code === 0x65 || code === 0x45) return this.readDecimal(start)
    const value = Number(text.slice(start, at))
    if (Number.isSafeInteger(value) && !this.bigintegers) return value + 0 // -0 + 0 is 0
    return BigInt(text.slice(start, at))
  }

  /** The fraction and exponent of the number that began at `start`. */
  private readDecimal(start: number): number {
    if (this.text.charCodeAt(this.at) === DOT) {
      this.at++
      this.skipDigits()
    }
    const code = this.text.charCodeAt(this.at)
    if (code === 0x65 || code === 0x45) {
      const sign = this.text.charCodeAt(++this.at)
      if (sign === MINUS || sign === 0x2b) this.at++
      this.skipDigits()
    }
    const value = Number(this.text.slice(start, this.at))
    if (!Number.isFinite(value)) throw this.fail("expected a number below 1.8e308", start)
    return this.bigintegers ? value : value + 0 // -0 + 0 is 0
  }

  private skipDigits(): void {
    const start = this.at
    while (isDigit(this.text.charCodeAt(this.at))) this.at++
    if (this.at === start) throw this.unexpected("a digit")
  }

  private unexpected(expected: string): ToolsumError {
    const got = this.text.codePointAt(this.at)
    return this.fail(`expected ${expected}, got ${got === undefined ? "the end" : quote(String.fromCodePoint(got))}`)
  }

  private duplicate(name: string, at: number): ToolsumError {
    const pointer = pointerAt(this.text, at)
    const why = `expected unique member names, got ${quote(name)} again ${this.place(at)}, which is ${quote(pointer, 200)}`
    return new ToolsumError("JSON_MALFORMED", why, { evidence: { duplicate: pointer } })
  }

  private fail(why: string, at = this.at): ToolsumError {
    return bad(`${why} ${this.place(at)}`)
  }

  private place(at: number): string {
    const before = this.text.slice(0, at)
    const line = before.split("\n").length
    return `at line ${line}, column ${at - before.lastIndexOf("\n")}`
  }
}
