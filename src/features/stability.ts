// Two reads at `add`, `update` and `observe`: a list that differs from one reading to the next is not pinned, since every later check would
// call it CHANGED. What differs is shown, with masks that would cover it (DESIGN 3.6).
import { MAX_MASKS, type Mask } from "../core/mask.js"
import { computeSurface, computeSurfaceDigest, type SectionName, type Surface } from "../core/section.js"
import { findUnstable, masksOf } from "../surface/unstable.js"
import { unstableError } from "./unstable-error.js"

/** What two readings are compared by. */
export interface StabilityInput {
  readonly sections: readonly SectionName[]
  readonly masks: readonly Mask[]
}

/** Refuse two readings of one server whose surfaces differ after masks. Order is no difference. Throws READING_UNSTABLE, whose cause says
 *  what differs (`instabilityOf`). */
export function requireStable(first: Surface, second: Surface, { sections, masks }: StabilityInput): void {
  const digestOf = (surface: Surface, all: readonly Mask[]) =>
    computeSurfaceDigest("listed", computeSurface(surface, sections, all).lines)
  if (digestOf(first, masks) === digestOf(second, masks)) return
  const places = findUnstable(first, second, { sections, masks })
  const all = [...masks, ...masksOf(places)]
  // What is offered has to do what it is offered for, together with what is given.
  const isEnough = all.length <= MAX_MASKS && digestOf(first, all) === digestOf(second, all)
  throw unstableError({ places, given: masks, masks: isEnough ? masksOf(places) : null })
}
