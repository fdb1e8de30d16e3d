// What differs between two surfaces, as the `changes` of DESIGN 9: every difference in what is hashed, each named once, and
// nothing else. A person's view of it (grouping, word diffs) is groups.ts's and words.ts's.

import { compareUtf8 } from "../core/bytes.js"
import { canonicalize } from "../core/canonical.js"
import { KEY_MEMBERS, SECTION_NAMES, type SectionName } from "../core/item.js"
import type { JsonValue } from "../core/json.js"
import type { Mask } from "../core/mask.js"
import { formatPointer } from "../core/pointer.js"
import { type Surface, surfaceItems, withoutVersion } from "../core/section.js"
import type { Change } from "../core/verdict.js"
import { type ItemPair, type LoneItem, pairItems } from "./items.js"
import { maskSurface } from "./masked.js"
import { matchRenames, type Rename } from "./renames.js"
import { diffValues } from "./values.js"

/** What to compare. */
export interface DiffOptions {
  /** Lists to compare; all four unless given. */
  readonly sections?: readonly SectionName[]
  /** Leave instructions and serverInfo out, for inputs that have none (a bare list). */
  readonly listsOnly?: boolean
  /** Volatile spans, replaced on both sides before anything is compared. */
  readonly masks?: readonly Mask[]
}

/** The differences of two surfaces. */
export interface SurfaceDiff {
  /** In order of section (instructions, tools, prompts, templates, resources, server), item and pointer. */
  readonly changes: readonly Change[]
  /** How many items of each compared list are the same on both sides. */
  readonly unchanged: Readonly<Partial<Record<SectionName, number>>>
}

/** Compare two surfaces. `changes` is empty if and only if the digests of all compared sections are equal. Shapes:
 *  - added: `pointer` "", `after` the whole item, no `before`; removed: the reverse; the same for instructions and server;
 *  - renamed: `item` the new name, `from`, `before` and `pointer` ("/name") the old one; what else differs follows as changed;
 *  - changed: one value or subtree at `pointer`; `before` or `after` is absent where nothing was; of what differs in hundreds of
 *    places (MAX_CHANGES_WITHIN) the whole is named;
 *  - note "list" (added or removed, item null, value []): the list itself appeared or went; its items are named besides.
 *  Values are those after masks. Throws SURFACE_MALFORMED when a list is neither null nor an array. */
export function diffSurfaces(earlier: Surface, later: Surface, options: DiffOptions = {}): SurfaceDiff {
  const masks = options.masks ?? []
  const [before, after] = [maskSurface(earlier, masks), maskSurface(later, masks)]
  const sections = SECTION_NAMES.filter((name) => options.sections?.includes(name) ?? true)
  const lists = sections.map((name) => ({ name, ...diffList(name, before, after) }))
  const single = (section: "instructions" | "server", a: JsonValue, b: JsonValue) =>
    options.listsOnly ? [] : diffSingle(section, a, b)
  return {
    changes: [
      ...single("instructions", before.instructions, after.instructions),
      ...lists.flatMap((list) => list.changes),
      ...single("server", withoutVersion(before.serverInfo), withoutVersion(after.serverInfo)),
    ],
    unchanged: Object.fromEntries(lists.map(({ name, unchanged }) => [name, unchanged])),
  }
}

type Place = Pick<Change, "section" | "item" | "from" | "digest">

/** Changes of instructions or serverInfo; null is none. */
function diffSingle(section: "instructions" | "server", before: JsonValue, after: JsonValue): readonly Change[] {
  const place: Place = { section, item: null, from: null }
  if (before === null && after === null) return []
  if (before === null) return [{ ...place, kind: "added", pointer: "", after }]
  if (after === null) return [{ ...place, kind: "removed", pointer: "", before }]
  return changesAt(place, before, after)
}

/** What differs between two values at one place. */
const changesAt = (place: Place, before: JsonValue, after: JsonValue): readonly Change[] =>
  diffValues(before, after).map((change) => ({ ...place, kind: "changed" as const, ...change }))

function diffList(
  section: SectionName,
  before: Surface,
  after: Surface,
): { changes: readonly Change[]; unchanged: number } {
  const [earlier, later] = [surfaceItems(before, section), surfaceItems(after, section)]
  const paired = pairItems(section, earlier ?? [], later ?? [])
  const renames = matchRenames(section, { ...paired, all: [...(earlier ?? []), ...(later ?? [])] })
  const changed = paired.pairs.map((pair) => changesOfPair(section, pair))
  const items = [
    ...changed,
    ...renames.map((rename) => changesOfRename(section, rename)),
    ...changesOfLone(section, "removed", without(paired.removed, renames)),
    ...changesOfLone(section, "added", without(paired.added, renames)),
  ]
  return {
    changes: [...changesOfDeclaration(section, earlier, later), ...sortByItem(items).flat()],
    unchanged: paired.equal + changed.filter((changes) => changes.length === 0).length,
  }
}

function changesOfDeclaration(section: SectionName, before: unknown, after: unknown): readonly Change[] {
  const place = { section, item: null, from: null, pointer: "", note: "list" } as const
  if (before === null && after !== null) return [{ ...place, kind: "added", after: [] }]
  if (before !== null && after === null) return [{ ...place, kind: "removed", before: [] }]
  return []
}

function changesOfPair(section: SectionName, pair: ItemPair): readonly Change[] {
  const digest = pair.digest === undefined ? {} : { digest: pair.digest }
  return changesAt({ section, item: pair.key, from: null, ...digest }, pair.before, pair.after)
}

/** The new name first, then everything else that differs. */
function changesOfRename(section: SectionName, { before, after }: Rename): readonly Change[] {
  const place = { section, item: after.key, from: before.key }
  const pointer = formatPointer([KEY_MEMBERS[section]])
  const renamed: Change = { ...place, kind: "renamed", pointer, before: before.key, after: after.key }
  const changes = changesAt({ ...place, from: null }, before.item, after.item)
  return [renamed, ...changes.filter((change) => change.pointer !== pointer)]
}

const changesOfLone = (
  section: SectionName,
  kind: "added" | "removed",
  items: readonly LoneItem[],
): readonly (readonly Change[])[] =>
  items.map(({ key, item }) => [
    { section, item: key, kind, from: null, pointer: "", [kind === "added" ? "after" : "before"]: item },
  ])

function without(items: readonly LoneItem[], renames: readonly Rename[]): readonly LoneItem[] {
  const renamed = new Set(renames.flatMap((rename) => [rename.before, rename.after]))
  return items.filter((item) => !renamed.has(item))
}

/** By name, nameless items last; what shares a name by kind and content, so that the order of a list decides nothing. */
function sortByItem(items: readonly (readonly Change[])[]): readonly (readonly Change[])[] {
  const texts = new Map<Change, string>()
  const textOf = (change: Change): string => {
    const text = texts.get(change) ?? canonicalize([change.kind, change.before ?? null, change.after ?? null])
    texts.set(change, text)
    return text
  }
  return items
    .flatMap((changes) => (changes[0] === undefined ? [] : [{ changes, first: changes[0] }]))
    .sort((a, b) => compareKeys(a.first.item, b.first.item) || compareUtf8(textOf(a.first), textOf(b.first)))
    .map(({ changes }) => changes)
}

function compareKeys(a: string | null, b: string | null): number {
  if (a === b) return 0
  return a === null ? 1 : b === null ? -1 : compareUtf8(a, b)
}
