// A text as rules about wording read it: whatever was done to the letters so that a search misses the word is undone first.
import { toLatin } from "./look-alikes.js"

const ASCII = /^[\0-\x7f]*$/
/** Not drawn, or an accent on a letter. */
const UNDRAWN = /[\p{Cf}\p{DI}\u2800]|[\u0300-\u036f]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/gu
const APOSTROPHES = /[\u2018\u2019\u02bc\u00b4]/g
const QUOTES = /[\u201c\u201d\u201e\u00ab\u00bb]/g
const ESCAPES = /\x1b\[[0-9;?]{0,32}[A-Za-z]|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g
/** Marks of emphasis: "do **not**" is "do not". */
const EMPHASIS = /\*{1,3}|_{2,3}(?=[A-Za-z])|(?<=[A-Za-z])_{2,3}|<\/?[bi]>/g

/** Lower case; compatibility letters and look-alikes as the letters that they look like; without accents, invisible and control characters
 *  and emphasis; straight quotes. Lengths change: positions in it are not positions in the text. Other scripts stay what they are. */
export function foldText(text: string): string {
  const plain = ASCII.test(text) ? text : foldLetters(text)
  return plain.replace(ESCAPES, "").replace(EMPHASIS, "").toLowerCase()
}

function foldLetters(text: string): string {
  const drawn = text
    .replace(APOSTROPHES, "'")
    .replace(QUOTES, '"')
    .normalize("NFKD")
    .replace(UNDRAWN, "")
    .normalize("NFC")
  const foreign = (drawn.match(WORD) ?? []).filter((word) => !LATIN.test(word))
  const isDisguise = foreign.every((word) => ASCII.test(toLatin(word)))
  return drawn.replace(WORD, (word) => (ASCII.test(word) || !(isDisguise || LATIN.test(word)) ? word : toWord(word)))
}

const WORD = /[\p{L}\p{M}]+/gu
const LATIN = /\p{sc=Latn}/u

/** A word of what looks like Latin letters becomes a Latin one; what a Russian or Greek text has of such words stays. */
function toWord(word: string): string {
  const latin = toLatin(word)
  return ASCII.test(latin) ? latin : word
}
