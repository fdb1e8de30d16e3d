// Lines that are there to be pasted into a shell. Names of logs and files come from others, and every shell quotes differently: a line
// with a word that needs quotes is not offered.

const BARE = /^[A-Za-z0-9._/:=+@,-]+$/

/** The words as a line, or null where a shell would read anything else into one of them. */
export const pasteLine = (...words: readonly string[]): string | null =>
  words.every((word) => BARE.test(word)) ? words.join(" ") : null
