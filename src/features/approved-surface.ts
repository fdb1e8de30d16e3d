// The texts of a pin, for showing a change in words: those that are pinned, and those that somebody approved, which are others while the
// pin waits for an approval. They come from the definitions beside the lockfile, from those that were committed, or from the log's
// archive, and count only if they hash to what the pin, or its approval, names.
import { fetchArchivedSurface } from "../client/objects.js"
import { findSubjectRecords } from "../client/streams.js"
import type { VerifiedTree } from "../client/tiles.js"
import { parseDefinitions } from "../core/definitions.js"
import { ToolsumError } from "../core/errors.js"
import { type Pin, parseLockfile } from "../core/lockfile.js"
import { computeMaskDigest, type Mask } from "../core/mask.js"
import { computePinDigest } from "../core/pin.js"
import type { Observation } from "../core/record.js"
import { computeSurface, computeSurfaceDigest, type Surface, sectionsOf } from "../core/section.js"
import type { Target } from "../core/target.js"
import type { LockfileStore, LogSource } from "../ports.js"
import { findEarlierTarget } from "./earlier-targets.js"
import { findPin, observationOf, pinDigestOf } from "./pins.js"
import type { Compared } from "./review.js"

/** Where the texts of a pin may be. `log`: the pin's log, whose archive may have them; null when it cannot be read. */
export interface PinTexts {
  readonly store: LockfileStore
  readonly name: string
  readonly pin: Pin
  readonly log: LogSource | null
}

/** A log whose head is verified: its records say what was approved. */
export interface ReadableLog {
  readonly source: LogSource
  readonly tree: VerifiedTree
}

/** The project as it was committed last: a state that somebody may have approved. Null where nothing is. */
export interface Committed {
  readonly lockfile: Uint8Array | null
  /** Definitions of the pin. */
  readonly definitions: Uint8Array | null
}

/** Where to look for what was approved, other than in the lockfile. Each is called only for a pin that is not approved as it stands. */
export interface ApprovedSources {
  readonly committed: () => Promise<Committed>
  /** Opens the pin's log; null when that cannot be done from here. */
  readonly records: () => Promise<ReadableLog | null>
}

/** True when a pin stands as somebody approved it. */
export const isApproved = (pin: Pin): boolean => pin.approved?.pin === pinDigestOf(pin)

/** The surface that `pin` pins, or null when its texts are not at hand. */
export const loadPinned = (p: PinTexts): Promise<Surface | null> => loadTexts(observationOf(p.pin), p)

const NOTHING: Surface = {
  instructions: null,
  tools: null,
  prompts: null,
  resourceTemplates: null,
  resources: null,
  serverInfo: null,
}

/** The surface that the approval of `pin` names, or null when its texts are not at hand; an empty one when nothing was ever approved. */
export async function loadApproved(p: PinTexts & ApprovedSources): Promise<Surface | null> {
  if (p.pin.approved === null) return NOTHING
  if (isApproved(p.pin)) return loadPinned(p)
  const committed = await p.committed()
  const approved = (await readCommittedPin(committed, p)) ?? (await findApproved(p))
  return approved && loadTexts(approved, p, committed.definitions)
}

/** What waits for approval: what was approved beside what is pinned; null when the texts of either are not at hand. */
export async function compareUnapproved(p: PinTexts & ApprovedSources): Promise<Compared | null> {
  const [before, after] = [await loadApproved(p), await loadPinned(p)]
  return before && after && { sides: { before, after }, options: { masks: p.pin.masks } }
}

/** What the pin observed as it was committed, if that is what was approved. */
async function readCommittedPin({ lockfile }: Committed, { name, pin }: PinTexts): Promise<Observation | null> {
  const committed = lockfile && (await orNull(async () => findPin(parseLockfile(lockfile), name)))
  if (!committed) return null
  return orNull(async () => (pinDigestOf(committed) === pin.approved?.pin ? observationOf(committed) : null))
}

/** The record that was approved: with the target of then, it has the pin digest that the approval names. */
async function findApproved({ pin, records }: PinTexts & ApprovedSources): Promise<Observation | null> {
  const log = await records()
  return log && orNull(() => searchRecords(pin, log))
}

async function searchRecords(pin: Pin, log: ReadableLog): Promise<Observation | null> {
  const { records } = await findSubjectRecords(log, { subject: observationOf(pin).subject })
  const isApprovedOf = (record: Observation) => (target: Target) =>
    computePinDigest({ ...record, log: pin.log, target }) === pin.approved?.pin
  return records.findLast(({ record }) => findEarlierTarget(pin, record, isApprovedOf(record)))?.record ?? null
}

/** The texts of what was observed, with or without the pin's masks. `more`: other definitions that may be it. */
async function loadTexts(
  observed: Observation,
  { store, name, pin, log }: PinTexts,
  more: Uint8Array | null = null,
): Promise<Surface | null> {
  const masks = observed.mask === "-" ? [] : pin.masks
  if (computeMaskDigest(masks) !== observed.mask) return null
  for (const bytes of [await store.readDefinitions(name), more]) {
    const surface = bytes && (await orNull(async () => parseDefinitions(bytes).surface))
    if (surface && isSurfaceOf(observed, surface, masks)) return surface
  }
  if (log === null || masks.length > 0) return null // masked items are archived without what was masked
  const archived = await orNull(() => fetchArchivedSurface(log, observed.lines))
  return archived && archived.missing.length === 0 ? archived.surface : null
}

function isSurfaceOf(
  { lines, state, surface: digest }: Observation,
  surface: Surface,
  masks: readonly Mask[],
): boolean {
  return computeSurfaceDigest(state, computeSurface(surface, sectionsOf(lines), masks).lines) === digest
}

/** Damaged definitions, a damaged archive, records that cannot be read: they cost the words of a diff, no more. `verify` and `check` are
 *  the ones that reject them. */
async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolsumError) return null
    throw error
  }
}
