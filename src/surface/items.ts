// Which item of an earlier list is which of a later one: by key; nameless items and duplicates of a key by digest, as a multiset.
// What differs inside a pair is values.ts's, other names for the same item renames.ts's.

import type { Digest } from "../core/hash.js"
import { computeItemDigest, itemKey, type SectionName } from "../core/item.js"
import { isObject, type JsonValue } from "../core/json.js"

/** An item on both sides that may differ. `digest`: that of the earlier one, where its key does not single it out. */
export interface ItemPair {
  readonly key: string | null
  readonly before: JsonValue
  readonly after: JsonValue
  readonly digest?: Digest
}

/** An item on one side. `sole`: its key is not null and nothing else on either side has it, so that it can have been renamed. */
export interface LoneItem {
  readonly key: string | null
  readonly item: JsonValue
  readonly sole: boolean
}

/** Two lists put side by side. `equal` counts items whose equal was found by digest; pairs may be equal too. */
export interface PairedItems {
  readonly pairs: readonly ItemPair[]
  readonly removed: readonly LoneItem[]
  readonly added: readonly LoneItem[]
  readonly equal: number
}

/** Pair two lists of one section. Their order does not matter. */
export function pairItems(
  section: SectionName,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): PairedItems {
  const groups = [...groupByKey(section, before, after)].map(([key, group]) => pairGroup(key, group))
  return {
    pairs: groups.flatMap((g) => g.pairs),
    removed: groups.flatMap((g) => g.removed),
    added: groups.flatMap((g) => g.added),
    equal: groups.reduce((sum, g) => sum + g.equal, 0),
  }
}

interface Group {
  readonly before: JsonValue[]
  readonly after: JsonValue[]
}

function groupByKey(
  section: SectionName,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): ReadonlyMap<string | null, Group> {
  const groups = new Map<string | null, Group>()
  for (const side of ["before", "after"] as const)
    for (const item of side === "before" ? before : after) {
      const key = itemKey(section, item)
      const group = groups.get(key) ?? { before: [], after: [] }
      groups.set(key, group)
      group[side].push(item)
    }
  return groups
}

function pairGroup(key: string | null, group: Group): PairedItems {
  const [first, ...rest] = group.before
  const [second, ...others] = group.after
  if (key !== null && first !== undefined && second !== undefined && rest.length + others.length === 0)
    return { pairs: [{ key, before: first, after: second }], removed: [], added: [], equal: 0 }
  const sole = key !== null && group.before.length + group.after.length === 1
  return pairAmbiguous(key, group, sole)
}

/** Items of one key that is null or not unique: equal ones first; then, if one is left on each side, these two. */
function pairAmbiguous(key: string | null, group: Group, sole: boolean): PairedItems {
  const { gone, come, equal } = takeEqual(group)
  const [before, after] = [gone[0], come[0]]
  if (before && after && gone.length + come.length === 2 && (key !== null || (isObject(before) && isObject(after)))) {
    return { pairs: [{ key, before, after, digest: computeItemDigest(before) }], removed: [], added: [], equal }
  }
  const lone = (item: JsonValue) => ({ key, item, sole })
  return { pairs: [], removed: gone.map(lone), added: come.map(lone), equal }
}

/** Takes out equal items, each at most as often as it is on both sides. */
function takeEqual(group: Group): { gone: readonly JsonValue[]; come: readonly JsonValue[]; equal: number } {
  if (group.before.length === 0 || group.after.length === 0) return { gone: group.before, come: group.after, equal: 0 }
  const unmatched = new Map<Digest, JsonValue[]>()
  for (const item of group.before) {
    const digest = computeItemDigest(item)
    const same = unmatched.get(digest)
    if (same) same.push(item)
    else unmatched.set(digest, [item])
  }
  const come = group.after.filter((item) => unmatched.get(computeItemDigest(item))?.pop() === undefined)
  return { gone: [...unmatched.values()].flat(), come, equal: group.after.length - come.length }
}
