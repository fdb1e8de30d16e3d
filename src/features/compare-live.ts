// A live reading beside a recorded list, of a pin or of a log: which digests differ, and what that is in words when the texts are at hand.
// A section that was not read to its end can show that something is new or different, never that something is gone (DESIGN 9).
import { findDifferences, type ReadSurface, type RecordedSurface, type SurfaceMember } from "../core/compare-record.js"
import type { Digest } from "../core/hash.js"
import type { Pin } from "../core/lockfile.js"
import type { Mask } from "../core/mask.js"
import type { Observation } from "../core/record.js"
import {
  computeItemDigest,
  computeSectionOfDigests,
  computeSurface,
  itemKey,
  parseSectionText,
  SECTION_NAMES,
  type SectionName,
  type Surface,
  surfaceItems,
  surfaceMember,
} from "../core/section.js"
import type { Change } from "../core/verdict.js"
import type { ServerReading } from "../ports.js"
import { diffSurfaces } from "../surface/diff.js"
import type { Compared } from "./review.js"

/** What a live reading says beside what is known. */
export interface LiveComparison {
  /** True when anything received is not what is known. */
  readonly differs: boolean
  /** Sections that could not be read to their end. */
  readonly incomplete: readonly SectionName[]
  readonly changes: readonly Change[]
  /** What the changes come from; null where not all texts are at hand. */
  readonly compared: Compared | null
}

/** Compare a reading with a pin. `approved`: the surface that was approved, when it is at hand; without it changes have no `before`. */
export function compareLive(p: {
  pin: Pin
  observed: Observation
  reading: ServerReading
  approved: Surface | null
}): LiveComparison {
  const { pin, observed, reading, approved } = p
  const asked = SECTION_NAMES.filter((section) => observed.lines[section] !== "-")
  const lists = Object.fromEntries(
    SECTION_NAMES.map((section) => [section, listText(Object.entries(pin[section] ?? {}))] as const),
  )
  return compareReading({
    asked,
    masks: pin.masks,
    known: { lines: observed.lines, lists, surface: approved },
    reading,
  })
}

const listText = (digests: readonly (readonly [string, Digest])[]): string =>
  computeSectionOfDigests(digests.map(([key, digest]) => ({ key, digest }))).text

/** A recorded list and what of its texts is at hand: of a pin, or of a log's record. */
export interface KnownSurface extends RecordedSurface {
  /** Null where not all of it is at hand: then changes have no `before`. */
  readonly surface: Surface | null
}

/** Compare a reading with a recorded list. Throws SURFACE_MALFORMED, JSON_MALFORMED. */
export function compareReading(p: {
  readonly asked: readonly SectionName[]
  readonly masks: readonly Mask[]
  readonly known: KnownSurface
  /** `failures`: a member for each section that was not read to its end. */
  readonly reading: { readonly surface: Surface; readonly failures: Readonly<Partial<Record<SectionName, unknown>>> }
}): LiveComparison {
  const { asked, masks, known, reading } = p
  const incomplete = asked.filter((section) => reading.failures[section] !== undefined)
  const surface = withoutRepeats(reading.surface, incomplete)
  const read = { ...computeSurface(surface, asked, masks), incomplete }
  const differences = findDifferences(read, known)
  if (differences.length === 0) return { differs: false, incomplete, changes: [], compared: null }
  const compared = known.surface && {
    sides: { before: withoutUnread(known.surface, surface, incomplete), after: surface },
    options: { sections: asked, masks },
  }
  const changes = compared
    ? diffSurfaces(compared.sides.before, compared.sides.after, compared.options).changes
    : differences.flatMap((member) => changesByDigest(member, read, known))
  const certain = changes.filter((change) => !isGuess(change, incomplete))
  return { differs: true, incomplete, changes: certain, compared }
}

/** The surface with each item of an incomplete list once: what keeps a list from its end is often a page that comes again. */
function withoutRepeats(surface: Surface, incomplete: readonly SectionName[]): Surface {
  const lists = incomplete.map((section) => {
    const items = surfaceItems(surface, section)
    const distinct = items && [...new Map(items.map((item) => [computeItemDigest(item), item])).values()]
    return [surfaceMember(section), distinct] as const
  })
  return { ...surface, ...Object.fromEntries(lists) }
}

/** The approved surface without those items of an incomplete list that did not come: whether they are gone, or have another name now, is
 *  not known. */
function withoutUnread(approved: Surface, read: Surface, incomplete: readonly SectionName[]): Surface {
  const lists = incomplete.map((section) => {
    const came = new Set((surfaceItems(read, section) ?? []).map((item) => itemKey(section, item)))
    const kept = surfaceItems(approved, section)?.filter((item) => came.has(itemKey(section, item))) ?? null
    return [surfaceMember(section), surfaceItems(read, section) === null ? null : kept] as const
  })
  return { ...approved, ...Object.fromEntries(lists) }
}

/** Something gone, in a list that was not read to its end. */
const isGuess = (change: Change, incomplete: readonly SectionName[]): boolean =>
  change.kind === "removed" && incomplete.some((section) => section === change.section)

/** What the digests alone can say of one part: names of items that are new, gone or different; where not even those are at hand, that the
 *  list is another. */
function changesByDigest(member: SurfaceMember, read: ReadSurface, known: KnownSurface): readonly Change[] {
  const whole: Change = { section: member, item: null, kind: "changed", from: null, pointer: "" }
  if (member === "instructions" || member === "server") return [whole]
  const text = /^[1-9]/.test(known.lines[member]) ? known.lists[member] : ""
  if (text === undefined) return [whole]
  const before = parseSectionText(text)
  const now = read.sections[member]?.items ?? []
  const found = now.flatMap(({ key, digest, item }): Change[] => {
    const same = before.filter((entry) => entry.key === key)
    if (same.some((entry) => entry.digest === digest)) return []
    const kind = same.length === 0 || key === null ? "added" : "changed"
    return [{ section: member, item: key, kind, from: null, pointer: "", after: item }]
  })
  const gone = before.filter(
    ({ key, digest }) => !now.some((item) => (key === null ? item.digest === digest : item.key === key)),
  )
  const named = [
    ...found,
    ...gone.map(({ key }): Change => ({ section: member, item: key, kind: "removed", from: null, pointer: "" })),
  ]
  // The same items, one of them more or less often.
  return named.length > 0 ? named : [whole]
}
