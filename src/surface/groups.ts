// A person's view of changes and findings: by section and item, and the same on many items once (generators touch every tool of a list
// in the same way). For people only: JSON and SARIF name every one on its own.

import { canonicalize } from "../core/canonical.js"
import { SECTION_NAMES } from "../core/item.js"
import type { JsonValue } from "../core/json.js"
import { SEVERITIES } from "../core/severity.js"
import type { Change } from "../core/verdict.js"
import type { Finding, Place } from "./finding.js"
import { gravestFirst } from "./meanings.js"

/** Items that a person reads together: one with its changes, many with the changes they share, or all that were removed. */
export interface ChangeGroup {
  /** Names in order; null for a nameless item. */
  readonly items: readonly (string | null)[]
  /** Of one item (a renamed entry first); of the first of many that share them; or one for each removed item. */
  readonly changes: readonly Change[]
  /** Where many items share a change at different pointers: what all these end in, and how many there are. */
  readonly tail?: { readonly pointer: string; readonly places: number }
}

/** Findings that a person reads together: those of one item, or those that many items share. */
export interface FindingGroup {
  readonly section: Place["section"]
  /** Names in order; null for a nameless item, or where there are no items. */
  readonly items: readonly (string | null)[]
  /** Gravest first; of many items those of the first. */
  readonly findings: readonly Finding[]
}

/** True where a group is about its list, instructions or serverInfo: what is on no item, or on one without a name at no place of it. */
export const isOfWhole = ({ section, items, findings }: FindingGroup): boolean =>
  !SECTION_NAMES.some((name) => name === section) ||
  (items.every((item) => item === null) && findings.every(({ pointer }) => pointer === ""))

/** At least one. */
export type NonEmpty<T> = readonly [T, ...T[]]

/** From how many items on the same change or finding is told once. */
const MIN_SHARED = 3
/** Texts beyond this length are not looked for on other items. */
const MAX_SHARED_CHARS = 10_000

/** Group the changes of one section, entries about the list itself left out: shared changes first, then changed and renamed
 *  items, then added, then removed ones. */
export function groupChanges(changes: readonly Change[]): readonly ChangeGroup[] {
  const own = changes.filter((change) => change.note !== "list")
  const alike = findShared(own, ({ pointer }) => pointer)
  const rest = without(own, alike)
  const scattered = findShared(rest, ({ pointer }) => pointer.slice(pointer.lastIndexOf("/")))
  return [
    ...groupAlike(alike),
    ...scattered.map(groupScattered),
    ...groupItems(without(rest, scattered)).sort((a, b) => rank(a) - rank(b)),
  ]
}

const without = (changes: readonly Change[], taken: readonly (readonly Change[])[]): readonly Change[] => {
  const all = new Set(taken.flat())
  return changes.filter((change) => !all.has(change))
}

/** Changes with equal values at equal places (`place` says which are) on enough items. */
const findShared = (changes: readonly Change[], place: (change: Change) => string): readonly (readonly Change[])[] =>
  splitBy(changes.filter(isSharable), (change) =>
    canonicalize([place(change), kindOfChange(change), change.before ?? null, change.after ?? null, graded(change)]),
  ).filter((same) => new Set(same.map((change) => change.item)).size >= MIN_SHARED)

/** The same change may be graver on one item than on another. */
const graded = ({ severity, rule }: Change): JsonValue => [severity ?? null, rule ?? null]

const isSharable = ({ kind, item, digest, before, after }: Change): boolean =>
  kind === "changed" && item !== null && digest === undefined && !isLong(before) && !isLong(after)

const isLong = (value: JsonValue | undefined): boolean => typeof value === "string" && value.length > MAX_SHARED_CHARS

/** Tells absent from null. */
const kindOfChange = (change: Change): string =>
  change.before === undefined ? "added" : change.after === undefined ? "removed" : "changed"

const itemsOf = (on: readonly { readonly item: string | null }[]): readonly (string | null)[] => [
  ...new Set(on.map(({ item }) => item)),
]

/** Changes that befell the same items, together. */
const groupAlike = (alike: readonly (readonly Change[])[]): readonly ChangeGroup[] =>
  splitBy(alike, (same) => canonicalize(itemsOf(same))).map((block) => ({
    items: itemsOf(block[0]),
    changes: block.flatMap((same) => same.slice(0, 1)),
  }))

const groupScattered = (same: readonly Change[]): ChangeGroup => ({
  items: itemsOf(same),
  changes: same.slice(0, 1),
  tail: { pointer: commonTail(same.map((change) => change.pointer)), places: same.length },
})

/** The last tokens that all pointers share. */
function commonTail(pointers: readonly string[]): string {
  const [first = [], ...others] = pointers.map((pointer) => pointer.split("/").reverse())
  let shared = 0
  while (shared < first.length && others.every((tokens) => tokens[shared] === first[shared])) shared++
  return `/${first.slice(0, shared).reverse().join("/")}`
}

/** One group per item, all removed ones together; added items are groups of their own even where they share a name. */
const groupItems = (changes: readonly Change[]): ChangeGroup[] =>
  splitBy(changes, (change) => {
    if (change.kind === "added") return change
    if (change.kind === "removed") return change.item === null ? change : "removed"
    return canonicalize([change.item, change.digest ?? null])
  }).map((group) => ({
    items: group[0].kind === "removed" ? group.map((change) => change.item) : itemsOf(group),
    changes: group,
  }))

const rank = ({ changes }: ChangeGroup): number =>
  changes[0]?.kind === "removed" ? 2 : changes[0]?.kind === "added" ? 1 : 0

/** Group findings, those with the gravest first: what enough items share word by word once, the rest by item. */
export function groupFindings(findings: readonly Finding[]): readonly FindingGroup[] {
  const sorted = gravestFirst(findings)
  const named = sorted.filter(({ item }) => item !== null)
  const alike = splitBy(named, ({ item: _, ...said }) => JSON.stringify(said)).filter(
    (same) => itemsOf(same).length >= MIN_SHARED,
  )
  const taken = new Set(alike.flat())
  const rest = sorted.filter((finding) => !taken.has(finding))
  const groups: readonly FindingGroup[] = [
    ...splitBy(alike, (same) => JSON.stringify([same[0].section, itemsOf(same)])).map((block) => ({
      ...{ section: block[0][0].section, items: itemsOf(block[0]) },
      findings: block.map(([first]) => first),
    })),
    ...splitBy(rest, ({ section, item }) => JSON.stringify([section, item])).map((own) => ({
      ...{ section: own[0].section, items: itemsOf(own), findings: own },
    })),
  ]
  return sortGroups(groups)
}

const sortGroups = (groups: readonly FindingGroup[]): readonly FindingGroup[] =>
  SEVERITIES.flatMap((severity) => groups.filter(({ findings }) => findings[0]?.severity === severity))

/** Groups in order of their first member. */
export function splitBy<T>(values: readonly T[], key: (value: T) => unknown): readonly NonEmpty<T>[] {
  const groups = new Map<unknown, [T, ...T[]]>()
  for (const value of values) {
    const id = key(value)
    const group = groups.get(id)
    if (group) group.push(value)
    else groups.set(id, [value])
  }
  return [...groups.values()]
}
