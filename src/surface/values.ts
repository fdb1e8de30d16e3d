// What differs between two JSON values, located by pointer: canonical values are compared, so number spelling and member order are
// no difference, while absent, null and empty are three things. Masks, items and names are left to diff.ts. The work is linear in the
// size of the values, whatever they are made of.
import { canonicalize } from "../core/canonical.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../core/json.js"
import { formatPointer } from "../core/pointer.js"

/** One differing value or subtree. `before` or `after` is absent where nothing was; `note` "order": the same elements, other order. */
export interface ValueChange {
  /** RFC 6901, from the root. */
  readonly pointer: string
  readonly before?: JsonValue
  readonly after?: JsonValue
  readonly note?: "order"
}

/** Most changes named one by one in an object or array, and most characters of their pointers; beyond either, the object or array is
 *  the change. */
export const MAX_CHANGES_WITHIN = 500
const MAX_POINTER_CHARS = 100_000

/** Every difference of two values, by member names in canonical order; empty if and only if their canonical texts are equal.
 *  Putting each `after` in the place of its `before` makes `after` of `before`: nothing is swallowed. Elements that moved, arrays of
 *  scalars such as `required` or `enum`, and what differs in more than MAX_CHANGES_WITHIN places are one change of their array or
 *  object; other elements are compared by index. */
export function diffValues(before: JsonValue, after: JsonValue): readonly ValueChange[] {
  if (isWrittenAlike(before, after) || canonicalize(before) === canonicalize(after)) return []
  const found: Found = { changes: [], pointerChars: 0, identify: createIdentify() }
  collect(before, after, "", found)
  return found.changes
}

/** True for equal values whose members come in one order: what most items of two lists are, told without writing them out. */
function isWrittenAlike(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true
  if (isArray(a))
    return isArray(b) && a.length === b.length && a.every((element, i) => isWrittenAlike(element, b[i] ?? null))
  if (!isObject(a) || !isObject(b)) return false
  const [names, others] = [Object.keys(a), Object.keys(b)]
  if (names.length !== others.length) return false
  return names.every((name, i) => name === others[i] && isWrittenAlike(a[name] ?? null, b[name] ?? null))
}

/** Names a value such that two have one name if and only if their canonical texts are equal; every value is looked at once. */
export type Identify = (value: JsonValue | undefined) => string

interface Found {
  readonly changes: ValueChange[]
  pointerChars: number
  readonly identify: Identify
}

/** A scalar is named by its text, an array or object by the number under which its members' names were first seen. */
export function createIdentify(): Identify {
  const byText = new Map<string, string>()
  const byNode = new Map<object, string>()
  const textOf = (value: object): string =>
    Array.isArray(value)
      ? `[${value.map(identify).join()}]`
      : `{${Object.entries<JsonValue>(value as JsonObject) // no array
          .map(([name, child]) => `${JSON.stringify(name)}:${identify(child)}`)
          .sort()
          .join()}}`
  const identify: Identify = (value) => {
    if (typeof value !== "object" || value === null)
      return typeof value === "string" ? JSON.stringify(value) : String(value) // absent is undefined, and no value is
    const known = byNode.get(value)
    if (known !== undefined) return known
    const text = textOf(value)
    const name = byText.get(text) ?? `#${byText.size}`
    byText.set(text, name)
    byNode.set(value, name)
    return name
  }
  return identify
}

/** Adds what differs between two values that do differ. */
function collect(before: JsonValue | undefined, after: JsonValue | undefined, pointer: string, found: Found): void {
  if (isObject(before) && isObject(after)) collectObject(before, after, pointer, found)
  else if (isArray(before) && isArray(after)) collectArray(before, after, pointer, found)
  else
    add(found, {
      pointer,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    })
}

function add(found: Found, change: ValueChange): void {
  found.changes.push(change)
  found.pointerChars += change.pointer.length
}

function collectObject(before: JsonObject, after: JsonObject, pointer: string, found: Found): void {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  collectWithin(before, after, names, pointer, found)
}

function collectArray(before: readonly JsonValue[], after: readonly JsonValue[], pointer: string, found: Found): void {
  const differing = differingIndexes(before, after, found.identify)
  const how = judgeArrays(before, after, differing, found.identify)
  if (how === "elements") {
    const members = [before, after] as unknown as readonly [JsonObject, JsonObject] // elements are members by index
    collectWithin(...members, differing.map(String), pointer, found)
  } else add(found, { pointer, before, after, ...(how === "order" ? { note: how } : {}) })
}

/** Adds what differs in the members `names`, or the whole where that is too much. */
function collectWithin(
  before: JsonObject,
  after: JsonObject,
  names: readonly string[],
  pointer: string,
  found: Found,
): void {
  const [count, chars] = [found.changes.length, found.pointerChars]
  for (const name of names) {
    const [a, b] = [member(before, name), member(after, name)]
    if (found.identify(a) === found.identify(b)) continue
    collect(a, b, pointer + formatPointer([name]), found)
    if (found.changes.length - count > MAX_CHANGES_WITHIN || found.pointerChars - chars > MAX_POINTER_CHARS) {
      found.changes.length = count
      found.pointerChars = chars
      add(found, { pointer, before, after })
      return
    }
  }
}

const member = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** How two arrays are best told apart: as the same elements in another order; by naming single elements, where these kept their
 *  index (nothing moved, and a longer array is longer at its end); else, and always for scalars, as a whole. */
function judgeArrays(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  differing: readonly number[],
  identify: Identify,
): "order" | "elements" | "whole" {
  const gone = differing.filter((i) => i < before.length).map((i) => identify(before[i]))
  const come = differing.filter((i) => i < after.length).map((i) => identify(after[i]))
  if (sameMultiset(gone, come)) return "order"
  const arrived = new Set(come)
  const scalars = before.every(isScalar) && after.every(isScalar)
  if (scalars || gone.some((name) => arrived.has(name))) return "whole"
  const last = Math.min(before.length, after.length) - 1
  const longerAtEnd = before.length === after.length || last < 0 || identify(before[last]) === identify(after[last])
  return longerAtEnd ? "elements" : "whole"
}

function differingIndexes(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  identify: Identify,
): readonly number[] {
  const indexes: number[] = []
  for (let i = 0; i < Math.max(before.length, after.length); i++)
    if (identify(before[i]) !== identify(after[i])) indexes.push(i)
  return indexes
}

function sameMultiset(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  const sorted = [...b].sort()
  return [...a].sort().every((text, i) => text === sorted[i])
}

const isScalar = (value: JsonValue): boolean => typeof value !== "object" || value === null
