// Names of logs and files come from others. On a line that is there to be pasted into a shell they stand only where no shell reads
// anything into them (every shell quotes differently), on a line of ours only so that their end shows.
import { quote } from "../core/errors.js"

/** What sh, PowerShell and cmd.exe all take as one word, and no command as an option. */
const BARE = /^[A-Za-z0-9._/:][A-Za-z0-9._/:=+-]*$/
const OPTION = /^--[a-z-]+$/
const PLAIN = /^[A-Za-z0-9._/:=+@,-]+$/
const MAX_CHARS = 400

/** The words, options among them, as a line; null where a shell would read anything else into one of them. */
export const pasteLine = (...words: readonly string[]): string | null =>
  words.every((word) => BARE.test(word) || OPTION.test(word)) ? words.join(" ") : null

/** A name as part of a line: in quotes and escaped unless it is one plain word. */
export const showWord = (word: string): string => (PLAIN.test(word) ? word : quote(word, MAX_CHARS))

/** A word that the user typed, for sh: as it is where no shell reads anything into it, else in single quotes. */
export const quoteForShell = (word: string): string =>
  BARE.test(word) || OPTION.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
