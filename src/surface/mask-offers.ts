// A mask for one volatile stretch (DESIGN 3.6, formats.md 6 to 8): the narrowest class that fits, widened to the whole number, date or
// path that the stretch is part of, in a URL to one part of it; literal text around it that leads there and nowhere else. Narrow matters:
// what a mask covers, a server may change unseen.
import { ToolsumError } from "../core/errors.js"
import { MAX_MASK_SPAN, type Mask, type MaskClass, parseMasks } from "../core/mask.js"
import { isInsidePair, type Spot, type Stretch } from "./stretches.js"

/** Where a mask is to apply. */
export type MaskPlace = Pick<Mask, "section" | "item" | "pointer">

/** A mask, or why there is none. */
export type MaskOffer =
  | { readonly mask: Mask; readonly problem: null }
  | { readonly mask: null; readonly problem: string }

/** What a span of a class looks like inside a text, from the narrowest class to the widest. */
const SHAPES: readonly (readonly [MaskClass, RegExp])[] = [
  ["uuid", /(?<![0-9A-Za-z-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z-])/g],
  [
    "date",
    /(?<![0-9])[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?(?![0-9])/g,
  ],
  ["digits", /[0-9]+/g],
  ["hex", /(?<![0-9A-Za-z])[0-9A-Fa-f]+(?![0-9A-Za-z])/g],
  ["path", /[A-Za-z0-9._~/\\:@+%-]+/g],
  ["url", /https?:\/\/[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+/g],
]

/** A clock time, a dotted number, a date with separators: its last part moves first, but it moves as a whole. */
const COMPOSITE =
  /(?<![0-9.:])[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?![0-9:])|[0-9]+(?:\.[0-9]+){2,}|[0-9]+([-/])[0-9]+\1[0-9]+/g

/** Literal text of a mask on either side, in characters. */
const MAX_ANCHOR = 200
/** Shortest prefix that is chosen freely: a word says where one is. */
const MIN_PREFIX = 6
/** The longest a class can get, where it has a length of its own. */
const CLASS_MAX: Readonly<Partial<Record<MaskClass, number>>> = { uuid: 36, date: 40 }

/** A mask that covers a stretch which differs between readings. */
export function offerMask(place: MaskPlace, stretch: Stretch): MaskOffer {
  if (isTooLong(stretch)) return none(TOO_LONG) // before any shape is looked for: the work stays bounded
  const widened = SHAPES.flatMap(([name, shape]) => {
    const wide = widen(stretch, name, shape)
    return wide === null ? [] : [{ class: name, stretch: wide }]
  })
  const [found] = widened
  if (found === undefined) return none(describeMisfit(stretch))
  return anchorMask(place, found.class, found.stretch)
}

/** A mask of the class `name` that covers exactly a stretch. Its longest span has room for longer ones than were seen. */
export function anchorMask(place: MaskPlace, name: MaskClass, stretch: Stretch): MaskOffer {
  if (isTooLong(stretch)) return none(TOO_LONG)
  const prefix = findPrefix(stretch)
  if (prefix === null) return none("no text before it leads to this place alone")
  const suffix = findSuffix(stretch)
  if (suffix === null) return none("no text after it tells where it ends")
  const mask: Mask = { ...place, prefix, suffix, class: name, max: CLASS_MAX[name] ?? roomFor(longestOf(stretch)) }
  const problem = findIllegality(mask)
  return problem === null ? { mask, problem: null } : none(problem)
}

const longestOf = ({ spots }: Stretch): number => Math.max(...spots.map(({ start, end }) => end - start))
const isTooLong = (stretch: Stretch): boolean => longestOf(stretch) > MAX_MASK_SPAN
const TOO_LONG = `it has more than ${MAX_MASK_SPAN} characters`

const none = (problem: string): MaskOffer => ({ mask: null, problem })

/** The next power of two with a quarter to spare, from 8 to 256. */
function roomFor(length: number): number {
  let max = 8
  while (max < MAX_MASK_SPAN && max < length * 1.25) max *= 2
  return max
}

/** Why a mask is not legal, such as one on the key or on a whole description. */
function findIllegality(mask: Mask): string | null {
  try {
    parseMasks([{ ...mask }])
    return null
  } catch (error) {
    if (error instanceof ToolsumError) return error.message
    throw error
  }
}

/** The stretch grown to the span of the shape that it is part of, alike in all its texts; null where there is none. */
function widen(stretch: Stretch, name: MaskClass, shape: RegExp): Stretch | null {
  const parts = name === "path" ? stretch.spots.map((spot) => findUrlPart(spot, shape)) : []
  const inUrl = parts.length > 0 && !parts.includes(null)
  const grown = inUrl ? parts : stretch.spots.map((spot) => findAround(spot, shape))
  const [one] = grown
  if (!one || !grown.every((other) => other?.left === one.left && other.right === one.right)) return null
  if (one.left > stretch.before || one.right > stretch.after) return null
  const spots = stretch.spots.map((spot) => ({
    text: spot.text,
    start: spot.start - one.left,
    end: spot.end + one.right,
  }))
  if (!inUrl && !isWorthwhile(name, spots)) return null
  return { spots, before: stretch.before - one.left, after: stretch.after - one.right }
}

const URL_START = /^https?:\/\//
// What ends a label of a host, and a part of a path.
const HOST_ENDS = /[./:@]/
const PATH_ENDS = /\//

/** To the ends of the one part of a URL that has the whole span in it, or null: a whole URL would leave open where it leads. */
function findUrlPart({ text, start, end }: Spot, shape: RegExp): Reach | null {
  const around = findAround({ text, start, end }, shape)
  if (around === null) return null
  const [before, after] = [text.slice(start - around.left, start), text.slice(end, end + around.right)]
  if (!URL_START.test(before)) return null
  const ends = before.replace(URL_START, "").includes("/") ? PATH_ENDS : HOST_ENDS
  if (ends.test(text.slice(start, end))) return null
  const right = after.search(ends)
  return { left: [...before].reverse().findIndex((unit) => ends.test(unit)), right: right < 0 ? after.length : right }
}

/** How far something reaches beyond a span. */
interface Reach {
  readonly left: number
  readonly right: number
}

/** How far the match of a shape that has the whole span in it reaches beyond it. */
function findAround({ text, start, end }: Spot, shape: RegExp): Reach | null {
  const from = Math.max(0, start - MAX_MASK_SPAN - 1)
  const near = text.slice(from, end + MAX_MASK_SPAN + 1)
  for (const match of near.matchAll(shape)) {
    const [left, right] = [start - (from + match.index), from + match.index + match[0].length - end]
    if (left >= 0 && right >= 0) return { left, right }
  }
  return null
}

/** Whether a class says what the spans are, and not only what characters they happen to have. */
function isWorthwhile(name: MaskClass, spots: readonly Spot[]): boolean {
  if (name === "digits" || name === "hex") if (spots.some((spot) => isPart(spot, COMPOSITE))) return false
  if (name === "digits") return !spots.some((spot) => isPart(spot, /(?<![0-9A-Za-z])[0-9A-Fa-f]+(?![0-9A-Za-z])/g))
  // Words that come and go are no path: a mask on them would hide what a server says.
  if (name === "path") return spots.some(({ text, start, end }) => /[0-9/\\:@_~%+]/.test(text.slice(start, end)))
  return true
}

const isPart = (spot: Spot, shape: RegExp): boolean => {
  const around = findAround(spot, shape)
  return around !== null && around.left + around.right > 0
}

function describeMisfit({ spots }: Stretch): string {
  if (spots.some(({ start, end }) => start === end)) return "it is there in one reading only"
  return "it is no number, date, path or URL"
}

/** Literal text right before the span that each text has exactly once; as short as is clear, from the start of a word. */
function findPrefix({ spots, before }: Stretch): string | null {
  const [{ text, start } = { text: "", start: 0 }] = spots
  if (spots.every((spot) => spot.start === 0)) return ""
  const leads = (length: number) => spots.every((spot) => hasOnce(spot.text, text.slice(start - length, start)))
  const longest = longestClean(Math.min(before, MAX_ANCHOR), (length) => isInsidePair(text, start - length))
  for (let length = MIN_PREFIX; length < longest; length++)
    if (isWordEdge(text, start - length) && leads(length)) return text.slice(start - length, start)
  return longest > 0 && leads(longest) ? text.slice(start - longest, start) : null
}

/** Literal text right after the span that no text has inside it; as short as ends it. */
function findSuffix({ spots, after }: Stretch): string | null {
  const [{ text, end } = { text: "", end: 0 }] = spots
  if (spots.every((spot) => spot.end === spot.text.length)) return ""
  const ends = (length: number) =>
    spots.every((spot) => spot.text.indexOf(text.slice(end, end + length), spot.start) === spot.end)
  const longest = longestClean(Math.min(after, MAX_ANCHOR), (length) => isInsidePair(text, end + length))
  for (let length = 1; length < longest; length++)
    if (isWordEdge(text, end + length) && ends(length)) return text.slice(end, end + length)
  return longest > 0 && ends(longest) ? text.slice(end, end + longest) : null
}

const longestClean = (length: number, splits: (length: number) => boolean): number =>
  length > 0 && splits(length) ? length - 1 : length

const hasOnce = (text: string, part: string): boolean => {
  const at = text.indexOf(part)
  return at >= 0 && !text.includes(part, at + 1)
}

/** True where a word begins or ends. */
const isWordEdge = (text: string, at: number): boolean =>
  /[\p{L}\p{N}]/u.test(text[at - 1] ?? "") !== /[\p{L}\p{N}]/u.test(text[at] ?? "")
