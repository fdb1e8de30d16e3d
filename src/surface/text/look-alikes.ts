// Letters that pass for others: compatibility forms (full width, mathematical, circled) and letters of another alphabet in a word. A reader
// sees a word, a search for that word does not find it.
import { quote } from "../../core/errors.js"
import { latinLike, wordsOf } from "./confusables.js"
import { type Hit, hit } from "./hit.js"

const ASCII = /^[\0-\x7f]*$/
const FULL_WIDTH = "\\uff21-\\uff3a\\uff41-\\uff5a"
/** Mathematical alphabets, circled, parenthesised and squared letters. */
const STYLED = "\\u{1d400}-\\u{1d7ff}\\u249c-\\u24e9\\u{1f110}-\\u{1f189}"
/** Three in a row are a word; one or two are a formula or a mark. */
const STYLED_WORD = new RegExp(`[${STYLED}](?:[ '-]?[${STYLED}]){2,}`, "u")
const WIDE_WORD = new RegExp(`[${FULL_WIDTH}](?:[ '-]?[${FULL_WIDTH}]){2,}`, "u")
/** Amid the letters of an ordinary word. */
const WITHIN_WORD = new RegExp(`(?<=[A-Za-z])[${FULL_WIDTH}${STYLED}]{1,2}(?=[A-Za-z])`, "u")
/** Scripts whose keyboards have full-width Latin letters. */
const EAST_ASIAN = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Bopo}]/gu
/** One letter in so many makes it a text of theirs. */
const MIN_EAST_ASIAN_SHARE = 0.2

/** Findings for letters that pass for others. */
export function findLookAlikes(text: string): readonly Hit[] {
  return ASCII.test(text) ? [] : [...findCompatibilityLetters(text), ...findHomoglyphs(text)]
}

function findCompatibilityLetters(text: string): readonly Hit[] {
  const found = STYLED_WORD.exec(text) ?? WITHIN_WORD.exec(text) ?? (isEastAsian(text) ? null : WIDE_WORD.exec(text))
  if (found === null) return []
  const message = `letters that only look like Latin ones stand for them: ${quote(found[0], 40)} is ${quote(found[0].normalize("NFKC"), 40)}`
  return [hit("hidden-text.compat-letters", "high", message)]
}

const isEastAsian = (text: string): boolean =>
  (text.match(EAST_ASIAN)?.length ?? 0) > MIN_EAST_ASIAN_SHARE * (text.match(/\p{L}/gu)?.length ?? 0)

const LATIN = /\p{sc=Latin}/gu
const FOREIGN = /[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Cherokee}\p{sc=Coptic}\p{sc=Lisu}\p{sc=Deseret}]/gu
const GREEK = /\p{sc=Greek}/u
/** Greek letters stand beside Latin ones in units and formulas ("Δt", "σx"): only longer words hide them. */
const MIN_LATIN_BESIDE_GREEK = 3

function findHomoglyphs(text: string): readonly Hit[] {
  if (text.match(FOREIGN) === null) return []
  const words = wordsOf(text).map(([word]) => word)
  const found = words.find(isDisguised) ?? findForeignLatin(words)
  return found === undefined ? [] : [homoglyphs(found)]
}

function homoglyphs(found: string): Hit {
  const message = `letters of another alphabet stand in a Latin word: ${quote(found, 40)} reads as ${quote(toLatin(found), 40)}`
  return hit("hidden-text.homoglyph", "critical", message)
}

/** A word of Latin letters and others, where all the others look like Latin ones. */
function isDisguised(word: string): boolean {
  const foreign = word.match(FOREIGN)
  const latin = word.match(LATIN)?.length ?? 0
  if (foreign === null || latin === 0 || foreign.some((letter) => latinLike(letter) === null)) return false
  return latin >= MIN_LATIN_BESIDE_GREEK || !foreign.some((letter) => GREEK.test(letter))
}

/** Fewer letters are a word of its own in some language. */
const MIN_WHOLE_WORD = 4

/** A word wholly of look-alikes ("сору") in a text that has no word of that alphabet otherwise. */
function findForeignLatin(words: readonly string[]): string | undefined {
  const foreign = words.filter((word) => word.match(FOREIGN) !== null)
  const isText = words.some((word) => word.match(FOREIGN) === null && word.match(LATIN) !== null)
  const allAlike = foreign.every((word) => [...word].every((letter) => latinLike(letter) !== null))
  return isText && allAlike ? foreign.find((word) => word.length >= MIN_WHOLE_WORD) : undefined
}

/** The finding for a name that is wholly of look-alikes ("сору"), whatever stands elsewhere: names are written with Latin letters. */
export function findLookAlikeName(name: string): readonly Hit[] {
  if (ASCII.test(name)) return []
  const words = wordsOf(name).map(([word]) => word)
  const isDisguise = words.every((word) => [...word].every((letter) => latinLike(letter) !== null))
  const found = isDisguise ? words.find((word) => word.length >= MIN_WHOLE_WORD) : undefined
  return found === undefined ? [] : [homoglyphs(found)]
}

/** A text with every letter that looks like a Latin one replaced by that. */
export const toLatin = (text: string): string =>
  ASCII.test(text) ? text : Array.from(text, (character) => latinLike(character) ?? character).join("")
