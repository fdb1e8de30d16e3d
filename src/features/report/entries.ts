// What reports for people say of a server, item by item and gravest first: each change with what it means, then what the list shows
// besides. The same change on many items is one entry (groups.ts). Layout and escaping for a format are left to markdown.ts and html.ts.
import { KEY_MEMBERS, SECTION_NAMES, type SectionName } from "../../core/item.js"
import { isObject, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"
import { SEVERITIES, type Severity, worstSeverity } from "../../core/severity.js"
import type { Change } from "../../core/verdict.js"
import type { ChangeAnalysis } from "../../surface/analysis.js"
import type { ChangeFinding, Finding, Place } from "../../surface/finding.js"
import {
  type ChangeGroup,
  groupChanges,
  groupFindings,
  isOfWhole,
  type NonEmpty,
  splitBy,
} from "../../surface/groups.js"
import { appearedElsewhere, meaningsOf } from "../../surface/meanings.js"
import { changesOf, type ReportServer } from "./model.js"

/** One item, or all that changed alike. */
export interface Entry {
  readonly section: Place["section"]
  readonly kind: Change["kind"] | "found"
  /** Names of the items; null for a nameless one. Empty: the list itself, instructions or the server. */
  readonly names: readonly (string | null)[]
  /** Earlier name of a renamed item. */
  readonly from: string | null
  /** The gravest of its parts; null where nothing is graded. */
  readonly severity: Severity | null
  readonly parts: readonly Part[]
}

/** One place in it. `change`: null where only something was found. */
export interface Part {
  readonly pointer: string
  readonly severity: Severity | null
  readonly change: Pick<Change, "before" | "after" | "note"> | null
  readonly meanings: readonly (Finding | ChangeFinding)[]
  /** In how many places the same change stands, where these are several. */
  readonly places: number
}

/** Everything there is to say of a server, gravest first. Not graded changes stand first: nobody knows how grave they are. */
export function entriesOf(server: ReportServer): readonly Entry[] {
  const changes = changesOf(server)
  const found = server.changes ? besidesChanges(changes, server.changes) : (server.analysis?.findings ?? [])
  return sortByGravity([...entriesOfChanges(server, changes), ...entriesOfFindings(found)])
}

/** What stands under no change: what appeared elsewhere, and what differs that no digest covers. */
const besidesChanges = (changes: readonly Change[], analysis: ChangeAnalysis): readonly Finding[] => [
  ...appearedElsewhere(changes, analysis),
  ...analysis.meanings.filter(({ section }) => !CHANGE_SECTIONS.some((name) => name === section)),
]

/** Gravest first, what has no severity before all, else as they were. */
export const sortByGravity = <T extends { readonly severity: Severity | null }>(values: readonly T[]): readonly T[] =>
  [...values].sort((a, b) => gravity(a) - gravity(b))

const gravity = ({ severity }: { readonly severity: Severity | null }): number =>
  severity === null ? -1 : SEVERITIES.indexOf(severity)

/** The same for places of one entry: there it is the rest that has none. */
const sortParts = (parts: readonly Part[]): readonly Part[] => [
  ...sortByGravity(parts.filter(({ severity }) => severity !== null)),
  ...parts.filter(({ severity }) => severity === null),
]

const CHANGE_SECTIONS = ["instructions", ...SECTION_NAMES, "server"] as const

const isList = (section: Place["section"]): section is SectionName => SECTION_NAMES.some((name) => name === section)

function entriesOfChanges(server: ReportServer, changes: readonly Change[]): readonly Entry[] {
  return CHANGE_SECTIONS.flatMap((section): readonly Entry[] => {
    const own = changes.filter((change) => change.section === section)
    if (own.length === 0) return []
    if (!isList(section)) return [entryOf(server, section, { items: [], changes: own })]
    const lists = own.filter((change) => change.note === "list")
    return [
      ...lists.map((list) => entryOf(server, section, { items: [], changes: [list] })),
      ...groupChanges(own).map((group) => entryOf(server, section, group)),
    ]
  })
}

function entryOf(server: ReportServer, section: (typeof CHANGE_SECTIONS)[number], group: ChangeGroup): Entry {
  const [first] = group.changes
  const parts = group.changes.flatMap((change) => partsOf(server, change, group))
  return {
    section,
    kind: first?.kind ?? "changed",
    names: group.items,
    from: first?.kind === "renamed" ? first.from : null,
    severity: worstSeverity(group.changes.flatMap(({ severity }) => severity ?? [])),
    parts: sortParts(parts),
  }
}

function partsOf(server: ReportServer, change: Change, { tail }: ChangeGroup): readonly Part[] {
  const meanings = server.changes ? meaningsOf(change, server.changes) : []
  const severity = change.severity ?? null
  if (change.note !== "list" && isList(change.section) && (change.kind === "added" || change.kind === "removed"))
    return partsOfWhole(change, severity, meanings)
  const pointer = tail ? `…${tail.pointer}` : change.pointer
  return [{ pointer, severity, change: change.note === "list" ? null : change, meanings, places: tail?.places ?? 1 }]
}

/** A whole item: what was observed of it at the place it is at, then its members. */
function partsOfWhole(change: Change, severity: Severity | null, meanings: Part["meanings"]): readonly Part[] {
  const side = change.kind === "added" ? "after" : "before"
  const value = change[side] ?? null
  const members = isObject(value) && change.item !== null ? membersOf(change.section, value) : [{ pointer: "", value }]
  const places = [...new Set(["", ...members.map(({ pointer }) => pointer)])]
  return places.flatMap((pointer): readonly Part[] => {
    const own = meanings.filter((one) => placeOf(one.pointer, places) === pointer)
    const member = members.find((one) => one.pointer === pointer)
    if (member === undefined && own.length === 0) return []
    const gravest = worstSeverity(own.map((one) => one.severity)) ?? (pointer === "" ? severity : null)
    return [{ pointer, severity: gravest, change: member ? { [side]: member.value } : null, meanings: own, places: 1 }]
  })
}

/** Of the places shown, the one that a pointer is at or in. */
const placeOf = (pointer: string, places: readonly string[]): string =>
  places.find((place) => place !== "" && (pointer === place || pointer.startsWith(`${place}/`))) ?? ""

/** Members but the name: what a model reads first, then by name. */
const membersOf = (section: Change["section"], value: { readonly [name: string]: JsonValue }) =>
  Object.entries(value)
    .filter(([name]) => !isList(section) || name !== KEY_MEMBERS[section])
    .sort(([a], [b]) => Number(b === "description") - Number(a === "description") || (a < b ? -1 : 1))
    .map(([name, member]) => ({ pointer: formatPointer([name]), value: member }))

/** Findings by the item they are on, or by those that share them. */
const entriesOfFindings = (findings: readonly Finding[]): readonly Entry[] =>
  groupFindings(findings).map(
    (group): Entry => ({
      section: group.section,
      kind: "found",
      names: isOfWhole(group) ? [] : group.items,
      from: null,
      severity: worstSeverity(group.findings.map(({ severity }) => severity)),
      parts: sortParts(splitBy(group.findings, ({ pointer }) => pointer).map(partOfFindings)),
    }),
  )

const partOfFindings = (own: NonEmpty<Finding>): Part => ({
  pointer: own[0].pointer,
  severity: worstSeverity(own.map(({ severity }) => severity)),
  change: null,
  meanings: own,
  places: 1,
})
