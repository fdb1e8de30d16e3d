// Masks that make two readings of one text equal: one for all that differs, or one for each part of it, beside those that are given.
import type { Mask } from "../core/mask.js"
import { type MaskPlace, offerMask } from "./mask-offers.js"
import { findGap, findGaps, type Gap, type Stretch, shiftGap, stretchesOf } from "./stretches.js"

/** The two readings of a text. */
export interface TwoTexts {
  readonly place: MaskPlace
  readonly first: string
  readonly second: string
  /** What given masks cover already. */
  readonly fixed: readonly Gap[]
}

/** Masks for all that differs between two texts, or why there are none: one for all of it where that fits, else one for each part. */
export function coverTexts(texts: TwoTexts): readonly Mask[] | string {
  const whole = coverGaps(texts, findGap)
  return typeof whole === "string" ? coverGaps(texts, findGaps) : whole
}

function coverGaps(
  { place, first, second, fixed }: TwoTexts,
  find: (first: string, second: string) => readonly Gap[] | null,
): readonly Mask[] | string {
  const found: Gap[] = []
  for (const { from, to } of betweenFixed(fixed, first, second)) {
    const gaps = find(first.slice(from.first, to.first), second.slice(from.second, to.second))
    if (gaps === null) return "the two texts have too little in common"
    found.push(...gaps.map((gap) => shiftGap(gap, from)))
  }
  const all = [...fixed, ...found].sort((a, b) => a.first.start - b.first.start || a.second.start - b.second.start)
  const masks: Mask[] = []
  for (const [i, stretch] of stretchesOf(first, second, all).entries()) {
    if (fixed.some((gap) => gap === all[i])) continue
    const { mask, problem } = offerMask(place, stretch)
    if (mask === null) return describeStretch(stretch, problem)
    masks.push(mask)
  }
  return masks
}

interface Ends {
  readonly first: number
  readonly second: number
}

/** The parts of two texts that no given mask covers. */
function betweenFixed(fixed: readonly Gap[], first: string, second: string): readonly { from: Ends; to: Ends }[] {
  const starts = [{ first: 0, second: 0 }, ...fixed.map((gap) => ({ first: gap.first.end, second: gap.second.end }))]
  return starts.map((from, i) => {
    const next = fixed[i]
    return {
      from,
      to: next
        ? { first: next.first.start, second: next.second.start }
        : { first: first.length, second: second.length },
    }
  })
}

const describeStretch = ({ spots: [spot] }: Stretch, problem: string): string =>
  spot === undefined ? problem : `at character ${spot.start + 1}: ${problem}`
