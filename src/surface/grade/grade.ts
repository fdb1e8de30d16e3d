// What each difference means: kind and severity, from structure first. One finding may account for many changes and many for one; no change
// is without one, whatever it is made of.
import { isArray, type JsonValue } from "../../core/json.js"
import { type SectionName, type Surface, surfaceMember, withoutVersion } from "../../core/section.js"
import type { Change } from "../../core/verdict.js"
import type { SurfaceClasses, Tier } from "../classify/classify.js"
import type { SurfaceDiff } from "../diff.js"
import type { ChangeFinding, Finding, Place } from "../finding.js"
import type { Note } from "../notes.js"
import { coverAll } from "./cover.js"
import { findSides, gradeAdded, gradeRemoved, gradeRenamed, graverTier, itemsByKey } from "./items.js"
import { gradeMembers } from "./members.js"
import { gradeInstructions, gradeNote, gradeServer } from "./singles.js"
import { createOwnerOf, gradeTakenText, type OwnerOf } from "./taken-text.js"

/** What is graded. */
export interface GradeInput {
  readonly before: Surface
  readonly after: Surface
  readonly diff: SurfaceDiff
  readonly notes: readonly Note[]
  readonly sides: { readonly after: { readonly findings: readonly Finding[]; readonly classes: SurfaceClasses } }
}

/** The meaning of every change and note: at least one finding for each, in the order of the changes, then of the notes. */
export function gradeChanges(input: GradeInput): readonly ChangeFinding[] {
  const view = viewOf(input)
  const graded = groupByItem(input.diff.changes).flatMap((changes) => coverAll(changes, gradeItem(changes, view)))
  return [...graded, ...input.notes.map(gradeNote)]
}

/** What is looked up of both surfaces. */
interface View {
  readonly input: GradeInput
  readonly before: (section: SectionName) => ReadonlyMap<string | null, readonly JsonValue[]>
  readonly after: (section: SectionName) => ReadonlyMap<string | null, readonly JsonValue[]>
  /** Which tool said what before. */
  readonly ownerOf: OwnerOf
  readonly tierOf: (tool: string | null) => Tier | null
  readonly findingsIn: (place: Pick<Place, "section" | "item">) => readonly Finding[]
}

function viewOf(input: GradeInput): View {
  const tiers = new Map<string | null, Tier>()
  for (const { item, tier } of input.sides.after.classes.tools)
    tiers.set(item, graverTier(tiers.get(item) ?? null, tier))
  const findings = byPlace(input.sides.after.findings)
  const before = lists(input.before)
  let ownerOf: OwnerOf | undefined
  return {
    input,
    before,
    after: lists(input.after),
    ownerOf: (description) => {
      ownerOf ??= createOwnerOf(before("tools"))
      return ownerOf(description)
    },
    tierOf: (tool) => tiers.get(tool) ?? null,
    findingsIn: (place) => findings.get(placeKey(place)) ?? [],
  }
}

const placeKey = ({ section, item }: Pick<Place, "section" | "item">): string => JSON.stringify([section, item])

function byPlace(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const found = new Map<string, Finding[]>()
  for (const finding of findings) {
    const key = placeKey(finding)
    const same = found.get(key)
    if (same) same.push(finding)
    else found.set(key, [finding])
  }
  return found
}

/** The items of each list by key, made when first asked for. */
function lists(surface: Surface): View["before"] {
  const made = new Map<SectionName, ReadonlyMap<string | null, readonly JsonValue[]>>()
  return (section) => {
    const items = surface[surfaceMember(section)]
    const known = made.get(section) ?? itemsByKey(section, isArray(items) ? items : [])
    made.set(section, known)
    return known
  }
}

/** Changes of one item together, in order; an item that came or went, and what befell a list itself, each by itself. */
function groupByItem(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups = new Map<unknown, Change[]>()
  for (const change of changes) {
    const single = change.note === "list" || change.kind === "added" || change.kind === "removed"
    const key = single ? change : JSON.stringify([change.section, change.item, change.digest ?? null])
    const group = groups.get(key)
    if (group) group.push(change)
    else groups.set(key, [change])
  }
  return [...groups.values()]
}

function gradeItem(changes: readonly Change[], view: View): readonly ChangeFinding[] {
  const [first] = changes
  if (first === undefined) return []
  if (first.section === "instructions") return changes.map(gradeInstructions)
  if (first.section === "server") return gradeServer(changes, serverSides(view.input))
  const section = first.section
  if (first.note === "list") return [gradeList(first)]
  if (first.kind === "removed") return [gradeRemoved(first, section)]
  if (first.kind === "added") {
    const twins = view.after(section).get(first.item)?.length ?? 0
    return [gradeAdded(first, section, { twins, tier: section === "tools" ? view.tierOf(first.item) : null })]
  }
  return gradeChanged(changes, section, view)
}

const serverSides = ({ before, after }: GradeInput) => ({
  before: withoutVersion(before.serverInfo),
  after: withoutVersion(after.serverInfo),
})

/** The list itself was declared or is so no longer. */
function gradeList(change: Change): ChangeFinding {
  const appeared = change.kind === "added"
  return {
    section: change.section,
    item: null,
    pointer: "",
    rule: appeared ? "list.declared" : "list.gone",
    severity: "info",
    message: appeared ? "the server has this list now" : "the server has this list no longer",
    covers: [""],
  }
}

function gradeChanged(changes: readonly Change[], section: SectionName, view: View): readonly ChangeFinding[] {
  const renamed = changes.find(({ kind }) => kind === "renamed")
  const one = renamed ?? changes[0]
  if (one === undefined) return []
  const place = { section, item: one.item }
  const sides = findSides(one, view.before(section), view.after(section))
  if (sides === null) return []
  const others = changes.filter((change) => change !== renamed)
  const members = gradeMembers({ ...place, ...sides, changes: others, findings: view.findingsIn(place) })
  if (renamed !== undefined) return [gradeRenamed(renamed, sides.before, sides.after), ...members]
  return section === "tools" ? [...gradeTakenText(place, sides, view.ownerOf), ...members] : members
}
