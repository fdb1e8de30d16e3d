// What rules about wording share: sentences of a folded text, what is quoted in it, and what its item is about.
import type { Hit } from "./hit.js"

/** Where a text stands, as far as wording depends on it. */
export interface WordingPlace {
  /** Name of the nearest member, such as "title" or "default". */
  readonly member: string
  /** Name of the schema property or prompt argument that it belongs to; null for another text. */
  readonly property: string | null
  /** True for the value of a parameter (default, example, const, enum): models copy it. */
  readonly isValue: boolean
  /** True where the name is one that the surface itself uses: a tool, prompt, parameter or the server. */
  readonly isOwn: (name: string) => boolean
  /** True for a tool that another known server offers: that is shadowing, found by comparing servers. */
  readonly isKnownElsewhere: (name: string) => boolean
}

/** A rule about wording: what one sentence says, null for nothing. `sentence` is folded. */
export type WordingRule = (sentence: string, place: WordingPlace) => Hit | null

/** Most sentences of a text that are read. */
const MAX_SENTENCES = 2_000
/** A sentence of more characters is read in pieces. */
const MAX_SENTENCE_CHARS = 800

const BREAK = /(?<=[.!?;])\s+|[\u3002\uff01\uff1f]|\n\s{0,80}/
/** A line that goes on with the sentence of the one before: that ends without a mark, and this begins no entry ("- …", "path (text): …"). */
const WRAPPED =
  /(?<=[^.!?;\n])\n(?=[\p{L}\p{N}~`"'(._/$])(?![\w.`-]{1,40} ?(?:\([^)\n]{0,40}\) ?)?[:=] |\d{1,3}[.)] )/gu

/** A text whose blanks are single spaces, and whose lines are those of its author and not those of a window. */
const unwrap = (text: string): string =>
  text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(WRAPPED, " ")

/** Sentences of a folded text. */
export function splitSentences(folded: string): readonly string[] {
  return unwrap(folded)
    .split(BREAK)
    .slice(0, MAX_SENTENCES)
    .flatMap((sentence) => (sentence.length > MAX_SENTENCE_CHARS ? clip(sentence) : [sentence]))
    .filter((sentence) => sentence.length > 3)
}

const clip = (sentence: string): readonly string[] =>
  Array.from({ length: Math.ceil(sentence.length / MAX_SENTENCE_CHARS) }, (_, i) =>
    sentence.slice(i * MAX_SENTENCE_CHARS, (i + 1) * MAX_SENTENCE_CHARS),
  )

/** Words that introduce wording as an example of wording. */
const CITED =
  /\b(?:such as|e\.g\.|for example|phrases? like|like|detects?|flags?|blocks?|catches|attempts? to)\s{0,3}["'`(]?$/

/** True where `length` characters at `at` are cited and not said: between quotes, or after "such as". */
function isCited(sentence: string, at: number, length: number): boolean {
  const [before, after] = [sentence.slice(0, at), sentence.slice(at + length)]
  const isBetween = (mark: string) => before.split(mark).length % 2 === 0 && after.includes(mark)
  return isBetween('"') || isBetween("`") || (/'\s?$/.test(before) && after.includes("'")) || CITED.test(before)
}

/** The first match that is not cited; null where there is none. */
export function findSaid(pattern: RegExp, sentence: string): RegExpExecArray | null {
  const match = pattern.exec(sentence)
  return match === null || isCited(sentence, match.index, match[0].length) ? null : match
}
