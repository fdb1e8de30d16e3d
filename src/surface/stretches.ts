// Where texts that should be the same are not: the differing stretches of two readings of one string, between what both have in common.
// Coarse first (one stretch), finer on request (token by token). Bounded work.
import { diffArrays } from "diff"

/** One text and a span of it, in UTF-16 units. */
export interface Spot {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The same place in one text or several: a span of each, and how many units before and after it all have in common. The units before
 *  reach back to the start of the texts, or to the stretch before this one. */
export interface Stretch {
  readonly spots: readonly Spot[]
  readonly before: number
  readonly after: number
}

/** A span of the first text and one of the second. */
export interface Gap {
  readonly first: { readonly start: number; readonly end: number }
  readonly second: { readonly start: number; readonly end: number }
}

/** Insertions and deletions looked for; the work grows with the square. */
const MAX_EDITS = 400
/** Words and numbers with what is written between them, white space, and every other character alone. */
const TOKEN = /[A-Za-z0-9._~/\\:@+%-]+|\s+|[\s\S]/gu

/** What differs between two texts, as one gap from the first difference to the last; none where they are equal. */
export function findGap(first: string, second: string): readonly Gap[] {
  if (first === second) return []
  const shorter = Math.min(first.length, second.length)
  let start = 0
  while (start < shorter && first[start] === second[start]) start++
  if (isInsidePair(first, start) || isInsidePair(second, start)) start--
  let end = 0
  while (end < shorter - start && first.at(-1 - end) === second.at(-1 - end)) end++
  if (isInsidePair(first, first.length - end) || isInsidePair(second, second.length - end)) end--
  return [{ first: { start, end: first.length - end }, second: { start, end: second.length - end } }]
}

/** The same, a gap for each run of tokens that differ; null for texts too far apart. */
export function findGaps(first: string, second: string): readonly Gap[] | null {
  const [a, b] = [first.match(TOKEN) ?? [], second.match(TOKEN) ?? []]
  const parts = diffArrays(a, b, { maxEditLength: MAX_EDITS })
  if (parts === undefined) return null
  const gaps: Gap[] = []
  let [at, to] = [0, 0]
  let open: Gap | null = null
  for (const { value, removed, added } of parts) {
    const length = value.join("").length
    const start: Gap = open ?? { first: { start: at, end: at }, second: { start: to, end: to } }
    if (!added) at += length
    if (!removed) to += length
    if (removed || added) {
      open = { first: { ...start.first, end: at }, second: { ...start.second, end: to } }
      continue
    }
    if (open !== null) gaps.push(open)
    open = null
  }
  return (open === null ? gaps : [...gaps, open]).flatMap((gap) => narrowGap(first, second, gap))
}

/** What differs within a run of tokens: two URLs are two tokens, and mostly the same. */
const narrowGap = (first: string, second: string, gap: Gap): readonly Gap[] =>
  findGap(first.slice(gap.first.start, gap.first.end), second.slice(gap.second.start, gap.second.end)).map((inner) =>
    shiftGap(inner, { first: gap.first.start, second: gap.second.start }),
  )

/** A gap that was found in parts of two texts which begin there. */
export const shiftGap = (gap: Gap, by: { readonly first: number; readonly second: number }): Gap => ({
  first: { start: gap.first.start + by.first, end: gap.first.end + by.first },
  second: { start: gap.second.start + by.second, end: gap.second.end + by.second },
})

/** True between the two halves of one character. */
export const isInsidePair = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(text[at - 1] ?? "") && /[\udc00-\udfff]/.test(text[at] ?? "")

/** Gaps, in their order, as stretches with the common text around them. */
export const stretchesOf = (first: string, second: string, gaps: readonly Gap[]): readonly Stretch[] =>
  gaps.map((gap, i) => ({
    spots: [
      { text: first, ...gap.first },
      { text: second, ...gap.second },
    ],
    before: gap.first.start - (gaps[i - 1]?.first.end ?? 0),
    after: (gaps[i + 1]?.first.start ?? first.length) - gap.first.end,
  }))
