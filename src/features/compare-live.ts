// A live reading against a pin: which digests differ, and what that is in words when the approved texts are at hand. A section that was
// not read to its end can show that something is new or different, never that something is gone (DESIGN 9).
import type { Digest } from "../core/hash.js"
import type { Pin } from "../core/lockfile.js"
import type { Observation } from "../core/record.js"
import {
  computeSurface,
  itemKey,
  SECTION_NAMES,
  type SectionName,
  type Surface,
  surfaceItems,
  surfaceMember,
} from "../core/section.js"
import type { Change } from "../core/verdict.js"
import type { ServerReading } from "../ports.js"
import { diffSurfaces } from "../surface/diff.js"

/** What a live reading says beside a pin. */
export interface LiveComparison {
  /** True when anything received is not what is pinned. */
  readonly differs: boolean
  /** Sections that could not be read to their end. */
  readonly incomplete: readonly SectionName[]
  readonly changes: readonly Change[]
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
  const incomplete = asked.filter((section) => reading.failures[section] !== undefined)
  const { lines, sections } = computeSurface(reading.surface, asked, pin.masks)
  const different = (["instructions", "server", ...asked] as const).filter(
    (name) => !incomplete.some((section) => section === name) && lines[name] !== observed.lines[name],
  )
  const unexpected = incomplete.filter((section) =>
    (sections[section]?.items ?? []).some(({ key, digest }) => pinnedDigest(pin, section, key) !== digest),
  )
  const differs = different.length + unexpected.length > 0
  if (!differs) return { differs, incomplete, changes: [] }
  const changes = approved
    ? diffSurfaces(withoutUnread(approved, reading.surface, incomplete), reading.surface, {
        sections: asked,
        masks: pin.masks,
      }).changes
    : changesByDigest(pin, observed, lines, sections)
  return { differs, incomplete, changes: changes.filter((change) => !isGuess(change, incomplete)) }
}

/** The digest that is pinned for an item; undefined for one that is not, such as a nameless one. */
function pinnedDigest(pin: Pin, section: SectionName, key: string | null): Digest | undefined {
  const digests = pin[section] ?? {}
  return key !== null && Object.hasOwn(digests, key) ? digests[key] : undefined
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

type Computed = ReturnType<typeof computeSurface>

/** What the digests alone can say: names of items that are new, gone or different. */
function changesByDigest(
  pin: Pin,
  observed: Observation,
  lines: Computed["lines"],
  sections: Computed["sections"],
): readonly Change[] {
  const single = (["instructions", "server"] as const).flatMap((section): Change[] =>
    lines[section] === observed.lines[section]
      ? []
      : [{ section, item: null, kind: "changed", from: null, pointer: "" }],
  )
  const lists = SECTION_NAMES.flatMap((section): Change[] => {
    const now = sections[section]?.items ?? []
    const gone = Object.keys(pin[section] ?? {}).filter((key) => !now.some((item) => item.key === key))
    const found = now.flatMap(({ key, digest, item }): Change[] => {
      const known = pinnedDigest(pin, section, key)
      if (known === digest) return []
      return [
        { section, item: key, kind: known === undefined ? "added" : "changed", from: null, pointer: "", after: item },
      ]
    })
    return [...found, ...gone.map((item): Change => ({ section, item, kind: "removed", from: null, pointer: "" }))]
  })
  return [...single, ...lists]
}
