// Look-alike letters (Unicode Technical Standard 39): the one place that knows the confusables data. That is `unhomoglyph`'s, Unicode 13, of
// single characters; compatibility forms and scripts are those of the running Node's own Unicode.
import unhomoglyph from "unhomoglyph"

const ASCII = /^[\0-\x7f]*$/
/** ASCII characters that the data itself maps: `m` is `rn`, `I`, `1` and `|` are `l`, `0` is `O`. */
const MAPPED_ASCII = /["%01I`m|]/
/** What is not drawn, or only on top of something. */
const UNDRAWN = /[\p{Cf}\p{DI}\p{Mn}]/gu
const LETTER = /\p{L}/u

/** What each character was mapped to: asking the package for one costs more than all else here. At most one entry per character of Unicode. */
const prototypes = new Map<string, string>()

function prototypeOf(character: string): string {
  const known = prototypes.get(character)
  if (known !== undefined) return known
  const prototype = unhomoglyph(character)
  prototypes.set(character, prototype)
  return prototype
}

const mapCharacters = (text: string, map: (character: string) => string): string => Array.from(text, map).join("")

/** What two texts have in common if and only if they may look the same: compare skeletons, never show them ("m" is "rn"). Case counts;
 *  accents, compatibility forms (full width, mathematical) and invisible characters do not. UTS 39 §4, with NFKD for NFD. */
export function computeSkeleton(text: string): string {
  if (ASCII.test(text)) return MAPPED_ASCII.test(text) ? mapCharacters(text, prototypeOf) : text
  const drawn = text.normalize("NFKD").replace(UNDRAWN, "")
  return mapCharacters(drawn, prototypeOf).normalize("NFKD").replace(UNDRAWN, "")
}

/** The ASCII letters that a character looks like; null for one that looks like none, and for ASCII itself. */
export function latinLike(character: string): string | null {
  if (ASCII.test(character) || !LETTER.test(character)) return null
  const prototype = prototypeOf(character)
  return /^[A-Za-z]+$/.test(prototype) ? prototype : null
}

const WORD = /[\p{L}\p{M}\p{Cf}]+/gu

/** The letters of a text in words; `_`, digits and signs are between them. */
export const wordsOf = (text: string): readonly RegExpExecArray[] => [...text.matchAll(WORD)]
