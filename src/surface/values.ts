// What differs between two JSON values, located by path: canonical values are compared, so number spelling and member order are
// no difference, while absent, null and empty are three things. Masks, items and names are left to diff.ts.
import { canonicalize } from "../core/canonical.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../core/json.js"

/** One differing value or subtree. `before` or `after` is absent where nothing was; `note` "order": the same elements, other order. */
export interface ValueChange {
  /** Member names and element indexes from the root, unescaped. */
  readonly path: readonly string[]
  readonly before?: JsonValue
  readonly after?: JsonValue
  readonly note?: "order"
}

/** Every difference of two values, by member names in canonical order; empty if and only if their canonical texts are equal.
 *  Putting each `after` in the place of its `before` makes `after` of `before`: nothing is swallowed. Elements that moved, and
 *  arrays of scalars such as `required` or `enum`, are one change of their array; other elements are compared by index. */
export function diffValues(before: JsonValue, after: JsonValue): readonly ValueChange[] {
  const found: ValueChange[] = []
  collect(before, after, [], found)
  return found
}

/** True when the canonical texts of both are equal. */
export function equalValues(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((element, i) => equalMembers(element, b[i]))
  if (isObject(a)) return isObject(b) && equalObjects(a, b)
  // A large integer token is a bigint and an equal decimal token a double: only their texts tell.
  return isNumeric(a) && isNumeric(b) && canonicalize(a) === canonicalize(b)
}

const isNumeric = (value: JsonValue): boolean => typeof value === "number" || typeof value === "bigint"

const equalMembers = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalValues(a, b)

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => equalMembers(member(a, name), member(b, name)))
}

const member = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

function collect(before: JsonValue, after: JsonValue, path: readonly string[], found: ValueChange[]): void {
  if (isObject(before) && isObject(after)) collectObject(before, after, path, found)
  else if (isArray(before) && isArray(after)) collectArray(before, after, path, found)
  else if (!equalValues(before, after)) found.push({ path, before, after })
}

function collectMember(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: readonly string[],
  found: ValueChange[],
): void {
  if (before !== undefined && after !== undefined) collect(before, after, path, found)
  else if (before !== undefined) found.push({ path, before })
  else if (after !== undefined) found.push({ path, after })
}

function collectObject(before: JsonObject, after: JsonObject, path: readonly string[], found: ValueChange[]): void {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  for (const name of [...names].sort()) collectMember(member(before, name), member(after, name), [...path, name], found)
}

function collectArray(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  path: readonly string[],
  found: ValueChange[],
): void {
  const differing = differingIndexes(before, after)
  if (differing.length === 0) return
  const how = judgeArrays(before, after, differing)
  if (how === "elements") for (const i of differing) collectMember(before[i], after[i], [...path, String(i)], found)
  else found.push({ path, before, after, ...(how === "order" ? { note: how } : {}) })
}

/** How two arrays are best told apart: as the same elements in another order; by naming single elements, where these kept their
 *  index (nothing moved, and a longer array is longer at its end); else, and always for scalars, as a whole. */
function judgeArrays(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  differing: readonly number[],
): "order" | "elements" | "whole" {
  const scalars = before.every(isScalar) && after.every(isScalar)
  // One element alone cannot have moved: its text, which may be large, is not needed.
  if (!scalars && differing.length === 1 && before.length === after.length) return "elements"
  const [gone, come] = [textsAt(before, differing), textsAt(after, differing)]
  if (sameMultiset(gone, come)) return "order"
  const arrived = new Set(come)
  if (scalars || gone.some((text) => arrived.has(text))) return "whole"
  const last = Math.min(before.length, after.length) - 1
  return before.length === after.length || last < 0 || equalMembers(before[last], after[last]) ? "elements" : "whole"
}

function differingIndexes(before: readonly JsonValue[], after: readonly JsonValue[]): readonly number[] {
  const indexes: number[] = []
  for (let i = 0; i < Math.max(before.length, after.length); i++)
    if (!equalMembers(before[i], after[i])) indexes.push(i)
  return indexes
}

const textsAt = (array: readonly JsonValue[], indexes: readonly number[]): readonly string[] =>
  indexes.flatMap((i) => {
    const element = array[i]
    return element === undefined ? [] : [canonicalize(element)]
  })

function sameMultiset(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  const sorted = [...b].sort()
  return [...a].sort().every((text, i) => text === sorted[i])
}

const isScalar = (value: JsonValue): boolean => typeof value !== "object" || value === null
