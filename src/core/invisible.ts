// Characters that written files never hold as themselves: those that nobody sees or that move other text. The set is frozen here, as of
// Unicode 17, and not taken from the running Node's tables: two versions of Node must write the same bytes. So what Unicode has not
// assigned yet is written as it is. Messages escape more (errors.ts): nobody compares their bytes.
import { escapeUnits } from "./errors.js"

// Cc, Cf, Zl, Zp, Zs but the space, private use, noncharacters, default ignorable (fillers, variation selectors, tags), blank Braille.
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant by itself
  /[\0-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{1fffe}\u{1ffff}\u{2fffe}\u{2ffff}\u{3fffe}\u{3ffff}\u{4fffe}\u{4ffff}\u{5fffe}\u{5ffff}\u{6fffe}\u{6ffff}\u{7fffe}\u{7ffff}\u{8fffe}\u{8ffff}\u{9fffe}\u{9ffff}\u{afffe}\u{affff}\u{bfffe}\u{bffff}\u{cfffe}\u{cffff}\u{dfffe}-\u{e0fff}\u{efffe}-\u{10ffff}]/gu

// Most text is, and then the expression above is not even compiled.
const VISIBLE_ASCII = /^[ -~]*$/

/** Replaces each of these characters with `\u` escapes of its UTF-16 units. */
export const escapeHidden = (text: string): string =>
  VISIBLE_ASCII.test(text) ? text : text.replace(HIDDEN, escapeUnits)
