// Sentences of a prose text, for rules that judge what is said about what. Clipped, so that one long line costs no more than many.
import { MAX_SENTENCE_CHARS, MAX_TEXT_CHARS } from "./limits.js"

/** The sentences of the beginning of a text, without the space around them: what ends with a full stop, at a line or a list item. */
export const splitSentences = (text: string): readonly string[] =>
  text
    .slice(0, MAX_TEXT_CHARS)
    .split(/[\n\r]+|[.!?。！？;](?=\s|$)|(?<=[。！？])/u)
    .map((sentence) => sentence.trim().slice(0, MAX_SENTENCE_CHARS))
    .filter((sentence) => sentence !== "")

const BEFORE = /[\n\r]|[.!?;](?=\s)|[。！？]/gu

/** The sentence of `text` around the stretch from `start` to `end`, clipped on both sides. */
export function sentenceAround(text: string, start: number, end: number): string {
  const head = text.slice(Math.max(0, start - MAX_SENTENCE_CHARS), start)
  const tail = text.slice(end, end + MAX_SENTENCE_CHARS)
  const from = Math.max(-1, ...[...head.matchAll(BEFORE)].map((match) => match.index))
  const to = tail.search(/[\n\r]|[.!?;](?=\s|$)|[。！？]/u)
  return `${head.slice(from + 1)}${text.slice(start, end)}${to < 0 ? tail : tail.slice(0, to)}`.trim()
}
