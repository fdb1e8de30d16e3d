// Characters that a reader does not see, and what they say. What honest text needs of them (emoji, flags, Persian, Indic and Southeast Asian
// scripts, ideographic variants, right-to-left paragraphs) is taken away first; the rest is hidden, however little it is.
import { decodeUtf8 } from "../../core/bytes.js"
import { attempt, ToolsumError } from "../../core/errors.js"
import { type Hit, hit, MAX_DECODED_CHARS, times } from "./hit.js"

const ASCII = /^[\0-\x7f]*$/
/** Format characters, default ignorables and noncharacters, but not the Arabic, Syriac and Kaithi signs of that category, which are drawn. */
const INVISIBLE = /(?![\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cf}\p{DI}\p{NChar}\u2800]/gu
const SELECTOR = "[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}\\u180b-\\u180d\\u180f]"
/** Scripts whose letters join or stack: joiners are spelling there. */
const JOINING =
  "\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Mong}\\p{sc=Nkoo}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}\\p{sc=Java}\\p{sc=Bali}"
/** Scripts without spaces between words: a zero-width space is a place for a line to break. */
const UNSPACED = "\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Tibt}\\p{sc=Java}\\p{sc=Bali}"
const RIGHT_TO_LEFT = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/gu
/** One letter in so many must be written from right to left before its marks are spelling. */
const MIN_RIGHT_TO_LEFT_SHARE = 0.1

/** What spelling asks for. Lookarounds see the text as it is: two joiners in a row excuse nothing. */
const SPELLING = new RegExp(
  [
    "\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}", // the three flags that have tags
    `(?<=[\\p{S}\\p{Extended_Pictographic}\\u203c\\u2049])[\\ufe0e\\ufe0f](?!${SELECTOR})`,
    "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
    "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})",
    `(?<=[${JOINING}]\\p{M}{0,3})[\\u200c\\u200d](?![\\p{Cf}\\p{sc=Latn}])`,
    "(?<=[\\p{sc=Latn}\\p{N}])\\u200c(?=\\p{sc=Arab})", // a Persian ending after a foreign word: no script joins there
    `(?<=[${UNSPACED}]\\p{M}{0,3})\\u200b(?=[${UNSPACED}])`,
    `(?<=\\p{sc=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}](?!${SELECTOR})`,
    `(?<=[\\p{Sm}\\p{sc=Mymr}\\p{sc=Phag}])\\ufe00(?!${SELECTOR})`,
    `(?<=\\p{sc=Mong})[\\u180b-\\u180d\\u180f](?!${SELECTOR})`,
    "(?<=\\p{sc=Khmr})[\\u17b4\\u17b5]",
    "(?<=[\\u2801-\\u28ff]\\u2800{0,8})\\u2800|\\u2800(?=[\\u2801-\\u28ff])",
  ].join("|"),
  "gu",
)
/** A mark that says which way neutral characters go, by itself. */
const DIRECTION_MARK = /(?<!\p{Cf})[\u200e\u200f\u061c](?!\p{Cf})/gu
const TAG = /[\u{e0000}-\u{e007f}]/u
const BIDI = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u206f]/u
const VARIATION = new RegExp(SELECTOR, "u")

/** Findings for characters that are not drawn. Linear in the length of the text. */
export function findInvisible(text: string): readonly Hit[] {
  if (ASCII.test(text)) return []
  const hidden = withoutSpelling(text).match(INVISIBLE)
  if (hidden === null) return []
  if (text.startsWith("\ufeff") && hidden.length === 1)
    return [hit("hidden-text.zero-width", "low", "the text begins with a byte order mark")]
  const kinds = { tags: [], bidi: [], selectors: [], others: [] } as Record<keyof typeof JUDGES, string[]>
  for (const character of hidden) kinds[kindOf(character)].push(character)
  return (Object.keys(JUDGES) as (keyof typeof JUDGES)[]).flatMap((kind) =>
    kinds[kind].length === 0 ? [] : [JUDGES[kind](kinds[kind])],
  )
}

const kindOf = (character: string): keyof typeof JUDGES =>
  TAG.test(character) ? "tags" : BIDI.test(character) ? "bidi" : VARIATION.test(character) ? "selectors" : "others"

const JUDGES = {
  tags: (found: readonly string[]): Hit =>
    hit(
      "hidden-text.tags",
      "critical",
      `${found.length} tag characters, which nobody sees, spell a text`,
      decodeTags(found),
    ),
  bidi: (found: readonly string[]): Hit =>
    hit(
      "hidden-text.bidi",
      "critical",
      `characters that change the direction of text (${listPoints(found)}) stand in it ${times(found.length)}`,
    ),
  selectors: (found: readonly string[]): Hit =>
    hit(
      "hidden-text.variation-selectors",
      found.length > 1 ? "critical" : "medium",
      `variation selectors (${listPoints(found)}), which nobody sees, stand ${times(found.length)} where they select nothing`,
      decodeSelectors(found),
    ),
  others: (found: readonly string[]): Hit =>
    hit(
      "hidden-text.zero-width",
      "critical",
      `invisible characters (${listPoints(found)}) stand in it ${times(found.length)}`,
      decodeBits(found),
    ),
}

function withoutSpelling(text: string): string {
  const rest = text.replace(SPELLING, " ")
  const letters = text.match(RIGHT_TO_LEFT)?.length ?? 0
  if (letters === 0 || letters < MIN_RIGHT_TO_LEFT_SHARE * (text.match(/\p{L}/gu)?.length ?? 0)) return rest
  const marked = rest.replace(DIRECTION_MARK, " ")
  return isBalanced(marked) ? marked.replace(/[\u202a-\u202c\u2066-\u2069]/g, " ") : marked
}

/** True where every embedding and isolate is closed by its own end; overrides are never spelling. */
function isBalanced(text: string): boolean {
  const open: string[] = []
  for (const [character] of text.matchAll(/[\u202a-\u202e\u2066-\u2069]/g)) {
    if (character === "\u202d" || character === "\u202e") return false
    if (character === "\u202c" || character === "\u2069") {
      if (open.pop() !== character) return false
    } else open.push(character < "\u2066" ? "\u202c" : "\u2069")
  }
  return open.length === 0
}

const MAX_POINTS = 4

/** Code points for a message, each once. */
function listPoints(found: readonly string[]): string {
  const points = [...new Set(found)].map(
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  )
  return points.length > MAX_POINTS ? `${points.slice(0, MAX_POINTS).join(", ")}, …` : points.join(", ")
}

/** Tag characters are ASCII, 0xE0000 higher; the language tag and the cancel tag say nothing. */
const decodeTags = (found: readonly string[]): string =>
  found
    .slice(0, MAX_DECODED_CHARS)
    .map((character) => (character.codePointAt(0) ?? 0) - 0xe0000)
    .filter((code) => code >= 0x20 && code < 0x7f)
    .map((code) => String.fromCharCode(code))
    .join("")

/** 256 selectors are the bytes of a text, U+FE00 first; null where they are too few or no text. */
function decodeSelectors(found: readonly string[]): string | null {
  const bytes = found.slice(0, MAX_DECODED_CHARS).map((character) => {
    const code = character.codePointAt(0) ?? 0
    return code >= 0xe0100 ? code - 0xe0100 + 16 : code - 0xfe00
  })
  return decodeText(bytes)
}

/** Two kinds of zero-width characters are the bits of a text; null for anything else. */
function decodeBits(found: readonly string[]): string | null {
  const [zero, one, ...others] = new Set(found)
  if (zero === undefined || one === undefined || others.length > 0) return null
  const bits = found.slice(0, 8 * MAX_DECODED_CHARS)
  return readBits(bits, one) ?? readBits(bits, zero)
}

function readBits(found: readonly string[], one: string): string | null {
  const bytes = Array.from({ length: Math.floor(found.length / 8) }, (_, i) =>
    found.slice(8 * i, 8 * i + 8).reduce((byte, character) => 2 * byte + (character === one ? 1 : 0), 0),
  )
  return decodeText(bytes)
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\n\t]{2,}$/u

/** Bytes as a text that somebody can read, else null. */
export function decodeText(bytes: readonly number[]): string | null {
  if (bytes.some((byte) => byte < 0 || byte > 255)) return null
  const text = attempt(() => decodeUtf8(Uint8Array.from(bytes), (why) => new ToolsumError("JSON_MALFORMED", why)))
  return typeof text === "string" && PRINTABLE.test(text) ? text : null
}
