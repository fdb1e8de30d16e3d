// `update`: read a pinned server again, record what it says now, show the difference and pin it unapproved. Approving is another step,
// by a person who has read the difference.

import type { Pin } from "../core/lockfile.js"
import { requireTarget } from "../core/lockfile-pin.js"
import { computeMaskDigest, type Mask, parseMasks } from "../core/mask.js"
import { computePinDigest } from "../core/pin.js"
import { SECTION_NAMES, type SectionName, type Surface, sectionsOf } from "../core/section.js"
import { computeTargetDigest, type Target } from "../core/target.js"
import type { LockfileStore, ReadLimits, ToolSource } from "../ports.js"
import type { OtherServer } from "../surface/analysis.js"
import type { LocalNames } from "../surface/local-texts.js"
import { type Observed, observeServer, requirePinnable } from "./observe.js"
import { observationOf, requirePin } from "./pins.js"
import { type Pinned, recordAndPin, type TargetLog } from "./record-pin.js"
import { type ReviewedDiff, reviewCompared } from "./review.js"
import type { Environment } from "./targets.js"

/** What `update` needs. */
export interface UpdateInput {
  readonly name: string
  /** The launch line to read: the pinned one, or another. */
  readonly target: Target
  readonly source: ToolSource
  readonly placeholders: readonly string[]
  readonly environment: Environment
  readonly lockfile: LockfileStore
  readonly log: TargetLog
  /** Sections to read besides those that are pinned. */
  readonly more: readonly SectionName[]
  /** Masks of the pin that stay. */
  readonly keptMasks: readonly Mask[]
  /** Masks beside those. */
  readonly newMasks: readonly Mask[]
  /** The name that was chosen for the profile, or null: what is given is the profile. */
  readonly profile: string | null
  readonly names: LocalNames
  /** The approved texts, to compare with; null when they are not at hand. */
  readonly approved: Surface | null
  /** The texts that are pinned now, to compare with where the approved ones are missing. */
  readonly last: Surface | null
  /** The other pins of the lockfile, whose tools stand beside. */
  readonly others: readonly OtherServer[]
  readonly definitions: boolean
  readonly dryRun: boolean
  readonly limits?: ReadLimits
  readonly nowSec: number
  readonly signal: AbortSignal
}

/** What an update found. */
export interface Updated {
  readonly before: Pin
  readonly observed: Observed
  /** The difference to the approved texts, else to the last pin's; null without both. */
  readonly diff: ReviewedDiff | null
  readonly comparedWith: "approved" | "last" | null
  /** Null on a dry run. */
  readonly pinned: Pinned | null
  /** True when the pin now stands as somebody approved it; on a dry run, when it would. */
  readonly approved: boolean
}

/** The pin's own masks, then those that it has not yet. Throws MASK_MALFORMED for more than a list has room for. */
function joinMasks({ keptMasks, newMasks }: Pick<UpdateInput, "keptMasks" | "newMasks">): readonly Mask[] {
  const kept = new Set(keptMasks.map((mask) => computeMaskDigest([mask])))
  const masks = [...keptMasks, ...newMasks.filter((mask) => !kept.has(computeMaskDigest([mask])))]
  parseMasks(masks.map((mask) => ({ ...mask })))
  return masks
}

/** Update one pin. Throws NOT_PINNED, SURFACE_MALFORMED, MASK_MALFORMED, and what reading and recording throw. */
export async function updateServer(input: UpdateInput): Promise<Updated> {
  const { name, target, lockfile, log, definitions, approved, last } = input
  const { pin: before } = requirePin(await lockfile.read(), name)
  const { lines, observer } = observationOf(before)
  const asked: ReadonlySet<SectionName> = new Set([...sectionsOf(lines), ...input.more])
  const sections = SECTION_NAMES.filter((section) => asked.has(section))
  const masks = joinMasks(input)
  const { protocol } = before.read
  const isSameTarget = computeTargetDigest(requireTarget(before)) === computeTargetDigest(target)
  const first = isSameTarget && typeof protocol === "string" ? { protocol } : {}
  const observed = await observeServer({ ...input, ...first, sections, masks, observer })
  requirePinnable(observed)
  const earlier = approved ?? last
  const sides = earlier && { before: earlier, after: observed.reading.surface }
  // What repeats a value was refused before.
  const diff = sides && (await reviewCompared({ sides, options: { masks } }, { given: [], others: input.others }))
  const request = {
    name,
    target,
    from: before.from,
    masks,
    sections,
    observed,
    definitions,
    approve: (_digest: unknown, pin: Pin | null) => pin?.approved ?? null,
  }
  const pinned = input.dryRun ? null : await recordAndPin(lockfile, request, log)
  return {
    before,
    observed,
    diff,
    comparedWith: approved ? "approved" : last ? "last" : null,
    pinned,
    approved: before.approved?.pin === computePinDigest({ ...observed.observation, log: log.origin, target }),
  }
}
