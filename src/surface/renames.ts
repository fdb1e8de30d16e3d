// Finds items that changed their name and little else: a removed and an added item of like content. A hint for the reader, never
// a reason to leave something out. What most items of the list share weighs little, so that a house style is no likeness.
// Resources and templates are not renamed: another URI is another thing.
import { compareUtf8 } from "../core/bytes.js"
import type { SectionName } from "../core/item.js"
import { isArray, isObject, type JsonValue } from "../core/json.js"
import type { LoneItem } from "./items.js"
import { stringMember } from "./members.js"

/** A removed item and the added one that took its place. */
export interface Rename {
  readonly before: LoneItem
  readonly after: LoneItem
}

/** Least likeness of a rename, 0 to 1. Of the captured pairs true renames have 0.51 or more, all others 0.29 or less. */
const MIN_LIKENESS = 0.45
/** How much each kind of likeness counts. */
const WEIGHTS = { text: 0.45, properties: 0.35, name: 0.2 } as const
/** Words or property names taken from one item. */
const MAX_FEATURES = 1000
/** Comparisons of items and their features in one list; renames in a list that would take more are shown as removed and added. */
const MAX_WORK = 10_000_000

/** Pairs of a removed and an added item with like content, each item at most once. `all`: every item of both lists. */
export function matchRenames(
  section: SectionName,
  lists: { removed: readonly LoneItem[]; added: readonly LoneItem[]; all: readonly JsonValue[] },
): readonly Rename[] {
  const removed = lists.removed.filter((lone) => lone.sole)
  const added = lists.added.filter((lone) => lone.sole)
  if ((section !== "tools" && section !== "prompts") || removed.length === 0 || added.length === 0) return []
  const rarity = computeRarity(lists.all.map(describeItem))
  const candidates = scorePairs(removed.map(toCandidate), added.map(toCandidate), rarity)
  return takeBest(candidates)
}

/** What is compared of an item. */
interface Description {
  readonly text: ReadonlySet<string>
  readonly properties: ReadonlySet<string>
  readonly name: ReadonlySet<string>
}

type Rarity = (kind: keyof Description, feature: string) => number

interface Candidate {
  readonly lone: LoneItem
  readonly description: Description
}

const toCandidate = (lone: LoneItem): Candidate => ({ lone, description: describeItem(lone.item) })

function describeItem(item: JsonValue): Description {
  const properties = new Set<string>()
  collectProperties(item, properties)
  return {
    text: wordsOf(
      `${stringMember(item, "description").slice(0, 20 * MAX_FEATURES)} ${stringMember(item, "title").slice(0, MAX_FEATURES)}`,
    ),
    properties,
    name: wordsOf(
      stringMember(item, "name")
        .slice(0, MAX_FEATURES)
        .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2"),
    ),
  }
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_FEATURES))

/** Names of schema properties at any depth, and of a prompt's arguments. */
function collectProperties(value: JsonValue, names: Set<string>): void {
  if (names.size >= MAX_FEATURES) return
  if (isArray(value)) for (const element of value) collectProperties(element, names)
  if (!isObject(value)) return
  for (const [name, child] of Object.entries(value)) {
    if (name === "properties" && isObject(child)) for (const property of Object.keys(child)) names.add(property)
    if (name === "arguments" && isArray(child)) for (const argument of child) addName(argument, names)
    collectProperties(child, names)
  }
}

function addName(argument: JsonValue, names: Set<string>): void {
  if (isObject(argument) && typeof argument.name === "string") names.add(argument.name)
}

/** Weight of a feature: the more items have it, the less it tells. */
function computeRarity(all: readonly Description[]): Rarity {
  const counts = {
    text: new Map<string, number>(),
    properties: new Map<string, number>(),
    name: new Map<string, number>(),
  }
  const kinds = ["text", "properties", "name"] as const
  for (const description of all)
    for (const kind of kinds)
      for (const feature of description[kind]) counts[kind].set(feature, (counts[kind].get(feature) ?? 0) + 1)
  return (kind, feature) => Math.log(1 + all.length / (counts[kind].get(feature) ?? 1))
}

interface Scored {
  readonly before: Candidate
  readonly after: Candidate
  readonly likeness: number
}

function scorePairs(removed: readonly Candidate[], added: readonly Candidate[], rarity: Rarity): readonly Scored[] {
  const size = ({ description: d }: Candidate) => 1 + d.text.size + d.properties.size + d.name.size
  const sum = (side: readonly Candidate[]) => side.reduce((total, candidate) => total + size(candidate), 0)
  if (sum(removed) * added.length + sum(added) * removed.length > MAX_WORK) return []
  const alike: Scored[] = []
  for (const before of removed)
    for (const after of added) {
      const score = likeness(before.description, after.description, rarity)
      if (score >= MIN_LIKENESS) alike.push({ before, after, likeness: score })
    }
  return alike
}

/** Weighted overlap, 0 to 1. Items without properties are compared without them; a missing text is no likeness. */
function likeness(a: Description, b: Description, rarity: Rarity): number {
  const text = overlap("text", a, b, rarity) ?? 0
  const name = overlap("name", a, b, rarity) ?? 0
  const properties = overlap("properties", a, b, rarity)
  const known = WEIGHTS.text * text + WEIGHTS.name * name
  return properties === null ? known / (WEIGHTS.text + WEIGHTS.name) : known + WEIGHTS.properties * properties
}

/** Dice's coefficient over weighted features, null when neither has any. */
function overlap(kind: keyof Description, a: Description, b: Description, rarity: Rarity): number | null {
  let total = 0
  let shared = 0
  for (const feature of a[kind]) {
    const weight = rarity(kind, feature)
    total += weight
    if (b[kind].has(feature)) shared += 2 * weight
  }
  for (const feature of b[kind]) total += rarity(kind, feature)
  return total === 0 ? null : shared / total
}

/** Best first, each item once; names decide between equals, so that the order of a list decides nothing. */
function takeBest(pairs: readonly Scored[]): readonly Rename[] {
  const taken = new Set<LoneItem>()
  const key = (candidate: Candidate) => candidate.lone.key ?? ""
  return [...pairs]
    .sort(
      (a, b) =>
        b.likeness - a.likeness || compareUtf8(key(a.before), key(b.before)) || compareUtf8(key(a.after), key(b.after)),
    )
    .flatMap(({ before, after }) => {
      if (taken.has(before.lone) || taken.has(after.lone)) return []
      taken.add(before.lone).add(after.lone)
      return [{ before: before.lone, after: after.lone }]
    })
}
