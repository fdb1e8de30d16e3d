// A list as it was read beside a list as it was recorded: by digests alone. A section that was not read to its end can show that something
// is new or different, never that something is gone (DESIGN 9).
import type { ComputedSurface, SurfaceLines } from "./section.js"
import { SECTION_NAMES, type SectionName } from "./section.js"

/** A part of a surface that has a line of its own in a record. */
export type SurfaceMember = SectionName | "instructions" | "server"

/** All of them, in the order of reports. */
export const SURFACE_MEMBERS: readonly SurfaceMember[] = ["instructions", ...SECTION_NAMES, "server"]

/** What was read. */
export interface ReadSurface extends Pick<ComputedSurface, "lines" | "sections"> {
  /** Sections that were not read to their end. */
  readonly incomplete: readonly SectionName[]
}

/** What was recorded. `lists`: section texts, as far as they are at hand. */
export interface RecordedSurface {
  readonly lines: SurfaceLines
  readonly lists: Readonly<Partial<Record<SectionName, string>>>
}

/** The parts in which something was received that is not what was recorded. Of an incomplete section without its section text nothing can
 *  be said. Sections that were not asked for are in neither. Pure. */
export function findDifferences(read: ReadSurface, recorded: RecordedSurface): readonly SurfaceMember[] {
  return SURFACE_MEMBERS.filter((member) =>
    read.incomplete.some((section) => section === member)
      ? hasUnexpected(read, recorded, member as SectionName) // a list is all that can be incomplete
      : read.lines[member] !== recorded.lines[member],
  )
}

/** True when an item came that is not in the recorded list. */
function hasUnexpected({ sections }: ReadSurface, { lines, lists }: RecordedSurface, section: SectionName): boolean {
  const came = linesOf(sections[section]?.text ?? "")
  // The text of an empty list is empty, and that of none is too.
  const known = /^[1-9]/.test(lines[section]) ? lists[section] : ""
  if (known === undefined) return false
  const recorded = new Set(linesOf(known))
  return came.some((line) => !recorded.has(line))
}

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.slice(0, -1).split("\n"))
