// A live reading against a pin: which digests differ, and what that is in words when the approved texts are at hand. A section that was
// not read to its end can show that something is new or different, never that something is gone (DESIGN 9).
import type { Digest } from "../core/hash.js"
import type { Pin } from "../core/lockfile.js"
import type { Observation } from "../core/record.js"
import { computeSurface, SECTION_NAMES, type SectionName, type Surface } from "../core/section.js"
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
    (sections[section]?.items ?? []).some(({ key, digest }) => key === null || pinned(pin, section)[key] !== digest),
  )
  const differs = different.length + unexpected.length > 0
  if (!differs) return { differs, incomplete, changes: [] }
  const changes = approved
    ? diffSurfaces(approved, reading.surface, { sections: asked, masks: pin.masks }).changes
    : changesByDigest(pin, observed, lines, sections)
  return { differs, incomplete, changes: changes.filter((change) => !isGuess(change, incomplete)) }
}

const pinned = (pin: Pin, section: SectionName): Readonly<Record<string, Digest>> => pin[section] ?? {}

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
    const before = pinned(pin, section)
    const now = sections[section]?.items ?? []
    const gone = Object.keys(before).filter((key) => !now.some((item) => item.key === key))
    const found = now.flatMap(({ key, digest, item }): Change[] => {
      const known = key === null ? undefined : before[key]
      if (known === digest) return []
      return [
        { section, item: key, kind: known === undefined ? "added" : "changed", from: null, pointer: "", after: item },
      ]
    })
    return [...found, ...gone.map((item): Change => ({ section, item, kind: "removed", from: null, pointer: "" }))]
  })
  return [...single, ...lists]
}
