// How much a text changed for somebody who reads it: white space only, a span that moves by itself, a spelling, or what it says. Words are
// compared, never weighed: what a new sentence asks for is found by the rules on texts.
import { diffArrays } from "diff"
import { blankVolatile } from "../text/volatile-text.js"

/** whitespace: the same words. volatile: the same but for moments, versions, folders of a machine. spelling: the same but
 *  for letter case, punctuation or a letter in a few words. wording: anything else. */
export type TextEdit = "whitespace" | "volatile" | "spelling" | "wording"

/** Most words that a correction of spelling touches. */
const MAX_RESPELLED = 3
/** Shortest word that a letter more or less leaves the same: below it "now" becomes "not". */
const MIN_RESPELLED_LETTERS = 4
/** Insertions and deletions of words looked for: more are no correction. */
const MAX_WORD_EDITS = 2 * MAX_RESPELLED

/** Tell how `before` became `after`, two texts that differ. Work is linear in their length. */
export function judgeTextEdit(before: string, after: string): TextEdit {
  if (collapse(before) === collapse(after)) return "whitespace"
  if (isVolatile(before, after)) return "volatile"
  return isRespelled(wordsOf(before), wordsOf(after)) ? "spelling" : "wording"
}

/** Parts of a path that say what it is about, wherever it leads: hidden folders, and names of what is secret. */
const TELLING = /[/\\](?:\.[\w.-]{1,40}|(?:id_\w{1,20}|credentials?|secrets?|keys?|tokens?|passwd|shadow)\b)/gi

/** True where only spans that move by themselves differ. */
const isVolatile = (before: string, after: string): boolean =>
  collapse(blankVolatile(before)) === collapse(blankVolatile(after)) && tellingOf(before) === tellingOf(after)

const tellingOf = (text: string): string => (text.match(TELLING) ?? []).join()

/** Runs of Unicode white space as one space, none at the ends. Zero-width characters are no white space, whatever `\s` says. */
const collapse = (text: string): string => text.replace(/\p{White_Space}+/gu, " ").replace(/^ | $/g, "")

/** Lower-case words and numbers; every character that is neither, nor white space or common punctuation, stands for itself. */
const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+|[^\p{White_Space}\p{L}\p{M}\p{N}.,;:!?'"()–—‘’“”-]/gu) ?? []

function isRespelled(before: readonly string[], after: readonly string[]): boolean {
  if (before.length === 0 || after.length === 0) return false
  const parts = diffArrays([...before], [...after], { maxEditLength: MAX_WORD_EDITS })
  const removed = parts?.flatMap((part) => (part.removed ? part.value : []))
  const added = parts?.flatMap((part) => (part.added ? part.value : []))
  if (removed === undefined || added === undefined || removed.length !== added.length) return false
  return removed.length <= MAX_RESPELLED && removed.every((word, i) => isSameWord(word, added[i] ?? ""))
}

/** True for two spellings of one word: one letter more, less, other, or two swapped, all of one script's letters. */
function isSameWord(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < MIN_RESPELLED_LETTERS || Math.abs(a.length - b.length) > 1) return false
  if (!/^\p{L}+$/u.test(a + b) || isAscii(a) !== isAscii(b)) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  const [restA, restB] = [a.slice(start), b.slice(start)]
  if (a.length !== b.length) return a.length > b.length ? restA.slice(1) === restB : restB.slice(1) === restA
  const swapped = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2)
  return swapped || restA.slice(1) === restB.slice(1)
}

const isAscii = (text: string): boolean => /^[ -~]*$/.test(text)
