// `update`: read a pinned server again, record what it says now, show the difference and pin it unapproved. Approving is another step,
// by a person who has read the difference.

import type { Pin } from "../core/lockfile.js"
import type { Surface } from "../core/section.js"
import { sectionsOf } from "../core/section.js"
import type { Target } from "../core/target.js"
import type { LockfileStore, ToolSource } from "../ports.js"
import type { SurfaceDiff } from "../surface/diff.js"
import { diffSurfaces } from "../surface/diff.js"
import { type Observed, observeServer, requirePinnable } from "./observe.js"
import { observationOf, requirePin } from "./pins.js"
import { type Pinned, recordAndPin, type TargetLog } from "./record-pin.js"

/** What `update` needs. */
export interface UpdateInput {
  readonly name: string
  /** The launch line to read: the pinned one, or another. */
  readonly target: Target
  readonly source: ToolSource
  readonly placeholders: readonly string[]
  readonly lockfile: LockfileStore
  readonly log: TargetLog
  /** The approved texts, to compare with; null when they are not at hand. */
  readonly approved: Surface | null
  readonly definitions: boolean
  readonly dryRun: boolean
  readonly nowSec: number
  readonly signal: AbortSignal
}

/** What an update found. */
export interface Updated {
  readonly before: Pin
  readonly observed: Observed
  /** The difference to the approved texts; null without them. */
  readonly diff: SurfaceDiff | null
  /** Null on a dry run. */
  readonly pinned: Pinned | null
  /** True when the pin now stands as somebody approved it. */
  readonly approved: boolean
}

/** Update one pin. Throws NOT_PINNED, SURFACE_MALFORMED, and what reading and recording throw. */
export async function updateServer(input: UpdateInput): Promise<Updated> {
  const { name, target, lockfile, log, definitions } = input
  const { pin: before } = requirePin(await lockfile.read(), name)
  const { lines, observer } = observationOf(before)
  const sections = sectionsOf(lines)
  const observed = await observeServer({ ...input, sections, masks: before.masks, observer })
  requirePinnable(observed)
  const diff =
    input.approved && diffSurfaces(input.approved, observed.reading.surface, { sections, masks: before.masks })
  const request = {
    name,
    target,
    from: before.from,
    masks: before.masks,
    sections,
    observed,
    definitions,
    approve: (_digest: unknown, pin: Pin | null) => pin?.approved ?? null,
  }
  const pinned = input.dryRun ? null : await recordAndPin(lockfile, request, log)
  return { before, observed, diff, pinned, approved: pinned !== null && pinned.pin.approved?.pin === pinned.digest }
}
