// A diff for a person to review: per section one line of counts, then the items, then per pointer what went and what came. Long
// lists and texts are cut and say so; --json has everything. Everything from servers is escaped by terminal-text.ts.
import { KEY_MEMBERS, type SectionName } from "../core/item.js"
import { isObject } from "../core/json.js"
import { formatPointer } from "../core/pointer.js"
import type { Change } from "../core/verdict.js"
import type { SurfaceDiff } from "../surface/diff.js"
import { type ChangeGroup, groupChanges } from "../surface/groups.js"
import type { Note } from "../surface/notes.js"
import type { Paint } from "./paint.js"
import { createPage, type Page } from "./render-page.js"
import { showItem, showName } from "./terminal-text.js"

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

/** Lines of a diff, without line feeds; none when there is nothing to say. `notes` are what no digest covers. */
export function renderDiff(diff: SurfaceDiff, style: DiffStyle, notes: readonly Note[] = []): readonly string[] {
  const page = createPage(style)
  for (const section of SECTIONS) {
    const changes = diff.changes.filter((change) => change.section === section)
    if (changes.length === 0) continue
    if (section === "instructions" || section === "server") renderSingle(page, section, changes)
    else renderList(page, section, changes, diff.unchanged[section] ?? 0)
  }
  for (const note of notes)
    page.change(0, {
      label: `not covered: ${note.fact}${note.pointer && " "}${showPointer(note.pointer)}`,
      change: note,
      maxLines: MAX_REMOVED_LINES,
    })
  return page.end()
}

/** Instructions or server: one value each. */
function renderSingle(page: Page, section: Section, changes: readonly Change[]): void {
  page.words(0, [
    { text: `${section}: `, look: "bold" },
    { text: changes[0]?.kind ?? "", look: "plain" },
  ])
  const [first] = changes
  if (first?.kind === "changed") renderChanges(page, 1, changes)
  else page.value(1, { label: "", value: first?.after ?? first?.before ?? null, maxLines: MAX_TEXT_LINES })
}

function renderList(page: Page, section: SectionName, changes: readonly Change[], unchanged: number): void {
  page.words(0, [
    { text: `${section}: `, look: "bold" },
    { text: [...describeList(changes), ...countItems(changes, unchanged)].join(", "), look: "plain" },
  ])
  const groups = groupChanges(changes)
  for (const group of groups.slice(0, MAX_GROUPS)) renderGroup(page, section, group)
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

function renderGroup(page: Page, section: SectionName, group: ChangeGroup): void {
  const [first, ...rest] = group.changes
  if (!first) return
  if (group.items.length > 1 && first.kind === "removed") {
    page.names(1, { text: `- ${group.items.length} ${section}: `, look: "removed" }, group.items)
  } else if (group.items.length > 1) {
    page.names(1, { text: `~ ${group.items.length} ${section}: `, look: "changed" }, group.items)
    renderChanges(page, 2, group.tail ? [{ ...first, pointer: `…${group.tail.pointer}` }] : group.changes)
    if (group.tail) page.words(3, [{ text: `in ${group.tail.places} places, named in --json`, look: "dim" }])
  } else if (first.kind === "added" || first.kind === "removed") {
    renderWhole(page, section, first)
  } else {
    page.words(1, [
      { text: "~ ", look: "changed" },
      { text: describeItem(first), look: "bold" },
    ])
    renderChanges(page, 2, first.kind === "renamed" ? rest : group.changes)
  }
}

function describeItem({ item, from, kind, digest }: Change): string {
  if (kind === "renamed") return `${showItem(from)} → ${showItem(item)} (renamed)`
  return digest === undefined || item === null ? showItem(item) : `${showItem(item)} (one of several of this name)`
}

/** A whole item: a new one with its members, a removed one by name, a nameless one as it is. */
function renderWhole(page: Page, section: SectionName, { item, kind, before, after }: Change): void {
  page.words(1, [
    { text: kind === "added" ? "+ " : "- ", look: kind === "added" ? "added" : "removed" },
    { text: showItem(item), look: "bold" },
  ])
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

/** The text a model reads comes first, so that nothing can push it out of sight; what is left out is named. */
function renderChanges(page: Page, indent: number, changes: readonly Change[]): void {
  const texts = changes.filter(({ pointer }) => FIRST_MEMBERS.includes(pointer))
  const sorted = [...texts, ...changes.filter((change) => !texts.includes(change))]
  for (const change of sorted.slice(0, MAX_CHANGES))
    page.change(indent, { label: showPointer(change.pointer), change, maxLines: maxLinesOf(change) })
  renderMore(
    page,
    indent,
    sorted.slice(MAX_CHANGES).map(({ pointer }) => pointer),
  )
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
