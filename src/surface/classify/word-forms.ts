// Words as classes compare them: plural as singular, names of parameters by their last words, texts by their beginning.
import { MAX_TEXT_CHARS } from "../lint/limits.js"

/** True where a word or its singular is one of the list. */
export const isWord = (list: ReadonlySet<string>, word: string): boolean =>
  list.has(word) || (word.endsWith("s") && (list.has(word.slice(0, -1)) || list.has(word.slice(0, -2))))

/** The last two words of a name. */
export const lastPair = (words: readonly string[]): string => words.slice(-2).join(":")

/** The beginning of a text: what is read for wording. */
export const clipText = (text: string): string => text.slice(0, MAX_TEXT_CHARS)
