// A diff for a person to review: per section one line of counts, then the items, then per pointer what went and what came. Long
// lists and texts are cut and say so; --json has everything. Everything from servers is escaped by shown-text.ts.
import { KEY_MEMBERS, type SectionName } from "../core/item.js"
import { isObject } from "../core/json.js"
import { formatPointer } from "../core/pointer.js"
import { SEVERITIES } from "../core/severity.js"
import type { Change } from "../core/verdict.js"
import type { SurfaceDiff } from "../surface/diff.js"
import { type ChangeGroup, type FindingGroup, groupChanges, groupFindings } from "../surface/groups.js"
import { appearedElsewhere, type Meanings, meaningsOf } from "../surface/meanings.js"
import type { Note } from "../surface/notes.js"
import { countSeverities } from "../surface/shown-finding.js"
import type { Run } from "../surface/shown-lines.js"
import { showItem, showName } from "../surface/shown-text.js"
import type { Paint } from "./paint.js"
import { createPage, type Page } from "./render-page.js"
import { describeFinding, markSeverity, padSeverity, SEVERITY_WIDTH } from "./severity-text.js"

/** How a diff is shown. */
export interface DiffStyle {
  readonly paint: Paint
  /** Columns of the output; 100 unless given. */
  readonly width?: number
}

/** Items, or groups of them, shown in full per section; the others are named. */
const MAX_GROUPS = 50
/** Changes shown per item. */
const MAX_CHANGES = 20
/** Lines of one changed text. */
const MAX_TEXT_LINES = 40
/** Lines of an added value. */
const MAX_VALUE_LINES = 12
/** Lines of a removed value. */
const MAX_REMOVED_LINES = 4
/** Characters of a pointer. */
const MAX_POINTER_CHARS = 200

const SECTIONS = ["instructions", "tools", "prompts", "templates", "resources", "server"] as const
type Section = (typeof SECTIONS)[number]

/** A diff, and what its changes mean where that is known: then they carry their severity. */
export type ShownDiff = SurfaceDiff & { readonly analysis?: Meanings | null }

/** Lines of a diff, without line feeds; none when there is nothing to say. Graded changes go gravest first, and those that only move bytes
 *  come last. `notes` are what no digest covers. */
export function renderDiff(diff: ShownDiff, style: DiffStyle, notes: readonly Note[] = []): readonly string[] {
  const page = createPage(style)
  const view = { page, meanings: diff.analysis ?? NO_MEANINGS }
  const isCosmetic = ({ severity }: Change) => severity === "info"
  const graver = diff.changes.filter((change) => !isCosmetic(change))
  const cosmetic = diff.changes.filter(isCosmetic)
  renderSections(view, { changes: graver, unchanged: diff.unchanged })
  if (cosmetic.length > 0) {
    page.words(0, [{ text: `${describeCount(cosmetic.length)} that ${MOVED_BYTES}`, look: "bold" }])
    renderSections(view, { changes: cosmetic, unchanged: {} })
  }
  for (const group of diff.analysis ? groupFindings(appearedElsewhere(diff.changes, diff.analysis)) : [])
    renderAppeared(page, group)
  for (const note of notes)
    page.change(0, {
      label: `not covered: ${note.fact}${note.pointer && " "}${showPointer(note.pointer)}`,
      change: note,
      maxLines: MAX_REMOVED_LINES,
    })
  return page.end()
}

/** What appeared under no change. What is on no item is on the list. */
function renderAppeared(page: Page, { section, items, findings }: FindingGroup): void {
  const [item = null] = items
  if (items.length > 1) page.names(0, { text: `${items.length} ${section}: `, look: "bold" }, items)
  for (const finding of findings) {
    const names = items.length > 1 ? [] : [item === null && finding.pointer === "" ? section : showItem(item)]
    const place = [...names, showPointer(finding.pointer)].filter((part) => part !== "").join(" ")
    page.entry(items.length > 1 ? 1 : 0, padSeverity(finding.severity), [
      { text: place === "" ? "" : `${place}: `, look: "bold" },
      ...describeFinding(finding),
    ])
  }
}

/** What is drawn on, and what changes mean. */
interface View {
  readonly page: Page
  readonly meanings: Meanings
}

const NO_MEANINGS: Meanings = { meanings: [], appeared: [] }
const MOVED_BYTES = "moved bytes and no meaning"

const describeCount = (count: number): string => `${count} ${count === 1 ? "change" : "changes"}`

function renderSections(view: View, diff: SurfaceDiff): void {
  const sections = SECTIONS.map((section) => ({
    section,
    changes: diff.changes.filter((change) => change.section === section),
  }))
  for (const { section, changes } of sortByGravity(sections)) {
    if (changes.length === 0) continue
    if (section === "instructions" || section === "server") renderSingle(view, section, changes)
    else renderList(view, section, changes, diff.unchanged[section] ?? 0)
  }
}

/** Those with the gravest change first, else as they were. */
const sortByGravity = <T extends { readonly changes: readonly Change[] }>(parts: readonly T[]): readonly T[] =>
  [...parts].sort((a, b) => gravity(a.changes) - gravity(b.changes))

const gravity = (changes: readonly Change[]): number =>
  Math.min(...changes.map(({ severity }) => (severity ? SEVERITIES.indexOf(severity) : SEVERITIES.length)))

/** What a change means, below it. What only moved bytes says so above. */
function renderMeanings({ page, meanings }: View, indent: number, change: Change): void {
  if (change.severity === "info") return
  const mark: Run = { text: " ".repeat(SEVERITY_WIDTH + 2), look: "plain" }
  for (const one of meaningsOf(change, meanings)) page.entry(indent, mark, describeFinding(one))
}

/** Instructions or server: one value each. */
function renderSingle(view: View, section: Section, changes: readonly Change[]): void {
  const { page } = view
  page.words(0, [
    { text: `${section}: `, look: "bold" },
    { text: changes[0]?.kind ?? "", look: "plain" },
    ...(changes[0]?.kind === "changed" ? [] : wholeSeverity(changes[0])),
  ])
  const [first] = changes
  if (first === undefined) return
  if (first.kind === "changed") {
    renderChanges(view, 1, changes)
    return
  }
  renderMeanings(view, 0, first)
  page.value(1, { label: "", value: first.after ?? first.before ?? null, maxLines: MAX_TEXT_LINES })
}

/** The severity of a whole item, behind its name. */
const wholeSeverity = (change: Change | undefined): readonly Run[] =>
  change?.severity === undefined ? [] : [{ text: "  ", look: "plain" }, markSeverity(change.severity)]

function renderList(view: View, section: SectionName, changes: readonly Change[], unchanged: number): void {
  const { page } = view
  page.words(0, [
    { text: `${section}: `, look: "bold" },
    { text: [...describeList(changes), ...countItems(changes, unchanged)].join(", "), look: "plain" },
  ])
  const lists = changes.filter((change) => change.note === "list")
  for (const list of lists) renderMeanings(view, 0, list)
  const groups = sortByGravity(groupChanges(changes))
  for (const group of groups.slice(0, MAX_GROUPS)) renderGroup(view, section, group)
  renderMore(
    page,
    1,
    groups.slice(MAX_GROUPS).flatMap((group) => group.items),
  )
}

function describeList(changes: readonly Change[]): readonly string[] {
  const list = changes.find((change) => change.note === "list")
  if (!list) return []
  return [`${changes.length > 1 ? "list" : "empty list"} is ${list.kind === "added" ? "new" : "gone"}`]
}

/** "2 changed, 1 renamed, 1 added, 1 removed, 20 unchanged", without what is zero. */
function countItems(changes: readonly Change[], unchanged: number): readonly string[] {
  const items = (kind: Change["kind"]) => changes.filter((change) => change.kind === kind && change.note !== "list")
  const id = ({ item, digest }: Change) => `${digest ?? ""} ${item ?? ""}`
  const renamed = new Set(items("renamed").map(id))
  const changed = new Set(
    items("changed")
      .map(id)
      .filter((own) => !renamed.has(own)),
  )
  const counts = {
    changed: changed.size,
    renamed: renamed.size,
    added: items("added").length,
    removed: items("removed").length,
    unchanged,
  }
  return Object.entries(counts).flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : []))
}

function renderGroup(view: View, section: SectionName, group: ChangeGroup): void {
  const { page } = view
  const [first, ...rest] = group.changes
  if (!first) return
  if (group.items.length > 1 && first.kind === "removed") {
    page.names(1, { text: `- ${group.items.length} ${section}: `, look: "removed" }, group.items)
    const severities = group.changes.flatMap(({ severity }) => severity ?? [])
    if (severities.length > 0) page.words(2, [{ text: countSeverities(severities), look: "dim" }])
  } else if (group.items.length > 1) {
    page.names(1, { text: `~ ${group.items.length} ${section}: `, look: "changed" }, group.items)
    if (group.tail) renderChange(view, 2, first, `…${group.tail.pointer}`)
    else renderChanges(view, 2, group.changes)
    if (group.tail) page.words(3, [{ text: `in ${group.tail.places} places, named in --json`, look: "dim" }])
  } else if (first.kind === "added" || first.kind === "removed") {
    renderWhole(view, section, first)
  } else {
    page.words(1, [
      { text: "~ ", look: "changed" },
      { text: describeItem(first), look: "bold" },
      ...(first.kind === "renamed" ? wholeSeverity(first) : []),
    ])
    if (first.kind === "renamed") renderMeanings(view, 1, first)
    renderChanges(view, 2, first.kind === "renamed" ? rest : group.changes)
  }
}

function describeItem({ item, from, kind, digest }: Change): string {
  if (kind === "renamed") return `${showItem(from)} → ${showItem(item)} (renamed)`
  return digest === undefined || item === null ? showItem(item) : `${showItem(item)} (one of several of this name)`
}

/** A whole item: a new one with its members, a removed one by name, a nameless one as it is. */
function renderWhole(view: View, section: SectionName, change: Change): void {
  const { page } = view
  const { item, kind, before, after } = change
  page.words(1, [
    { text: kind === "added" ? "+ " : "- ", look: kind === "added" ? "added" : "removed" },
    { text: showItem(item), look: "bold" },
    ...wholeSeverity(change),
  ])
  renderMeanings(view, 1, change)
  const value = before ?? after ?? null
  if (item === null) page.value(2, { label: "", value, maxLines: MAX_REMOVED_LINES })
  if (item === null || kind === "removed" || !isObject(value)) return
  const members = Object.entries(value)
    .filter(([name]) => name !== KEY_MEMBERS[section])
    .map(([name, member]) => ({ pointer: formatPointer([name]), member }))
    .sort((a, b) => byInterest(a.pointer, b.pointer))
  for (const { pointer, member } of members.slice(0, MAX_CHANGES))
    page.value(2, { label: showPointer(pointer), value: member, maxLines: maxLinesOf({ after: member }) })
  renderMore(
    page,
    2,
    members.slice(MAX_CHANGES).map(({ pointer }) => pointer),
  )
}

const FIRST_MEMBERS = ["/description", "/title"]

/** What people read first, then by name. */
const byInterest = (a: string, b: string): number =>
  FIRST_MEMBERS.indexOf(b) - FIRST_MEMBERS.indexOf(a) || (a < b ? -1 : 1)

/** The gravest, then the text a model reads, so that nothing can push it out of sight; what is left out is named. */
function renderChanges(view: View, indent: number, changes: readonly Change[]): void {
  const { page } = view
  const texts = changes.filter(({ pointer }) => FIRST_MEMBERS.includes(pointer))
  const textsFirst = [...texts, ...changes.filter((change) => !texts.includes(change))]
  const sorted = [...textsFirst].sort((a, b) => gravity([a]) - gravity([b]))
  for (const change of sorted.slice(0, MAX_CHANGES)) renderChange(view, indent, change, change.pointer)
  renderMore(
    page,
    indent,
    sorted.slice(MAX_CHANGES).map(({ pointer }) => pointer),
  )
}

function renderChange(view: View, indent: number, change: Change, pointer: string): void {
  const mark = change.severity === undefined ? {} : { mark: padSeverity(change.severity) }
  view.page.change(indent, { label: showPointer(pointer), ...mark, change, maxLines: maxLinesOf(change) })
  renderMeanings(view, indent, change)
}

const maxLinesOf = ({ before, after }: Pick<Change, "before" | "after">): number =>
  after === undefined
    ? MAX_REMOVED_LINES
    : before === undefined && typeof after !== "string"
      ? MAX_VALUE_LINES
      : MAX_TEXT_LINES

function renderMore(page: Page, indent: number, more: readonly (string | null)[]): void {
  if (more.length > 0) page.names(indent, { text: `… ${more.length} more, see --json: `, look: "dim" }, more)
}

const showPointer = (pointer: string): string => (pointer === "" ? "" : showName(pointer, MAX_POINTER_CHARS))
