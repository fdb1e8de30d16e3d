// What it means that properties came, went or have another name, and which of them a call must give.
import { quote } from "../../core/errors.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"
import type { Severity } from "../../core/severity.js"
import { splitName } from "../lint/name-words.js"
import { typesOf } from "../schema/effective.js"
import { type Comparison, type KeywordPair, keywordIn, type ObjectPair } from "./schema-comparison.js"
import { isGrave, rolesOf } from "./schema-names.js"
import { isFreeText, resolved, weighAdded } from "./schema-weight.js"

/** Most properties of one schema among which names are matched. */
const MAX_RENAME_CANDIDATES = 50

/** Grade a map of subschemas by name; `kind` as in `property-added`. */
export function gradeProperties(comparison: Comparison, keyword: KeywordPair): void {
  const { before = {}, after = {}, at, pair } = keyword
  if (!isObject(before) || !isObject(after)) {
    comparison.add({ kind: "changed", severity: "medium", message: `${keyword.keyword} is no object`, at })
    return
  }
  const renames = keyword.keyword === "properties" ? matchNames(comparison, before, after) : new Map<string, string>()
  for (const [name, was] of renames) addRename(comparison, keyword, { name, was })
  const renamed = new Set([...renames.keys(), ...renames.values()])
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (renamed.has(name)) continue
    const [a, b] = [keywordIn(before, name), keywordIn(after, name)]
    const place = at + formatPointer([name])
    if (a === undefined && b !== undefined) addNew(comparison, keyword, name, b)
    else if (b === undefined && a !== undefined) addGone(comparison, pair, name, place)
    else if (a !== undefined && b !== undefined)
      comparison.compare({ at: place, before: a, after: b, property: name, depth: pair.depth + 1 })
  }
}

function addNew(comparison: Comparison, keyword: KeywordPair, name: string, schema: JsonValue): void {
  const { at, pair } = keyword
  const weight = weighAdded(comparison.roots.after, schema, name)
  const isRequired = namesIn(pair.after).has(name)
  const isText = isFreeText(comparison.roots.after, schema)
  const isOpened = keyword.keyword === "patternProperties" && wasClosed(pair.before)
  const severity: Severity = weight === "low" && (isOpened || (isRequired && isText)) ? "medium" : weight
  const message = `callers can give ${quote(name)} now`
  comparison.add({ kind: "property-added", severity, message, at: at + formatPointer([name]) })
}

/** True where no other names than those that are given were accepted: a pattern then opens the object as much as a schema for the rest does. */
const wasClosed = (schema: JsonObject): boolean =>
  ["additionalProperties", "unevaluatedProperties"].some((keyword) => keywordIn(schema, keyword) === false)

function addGone(comparison: Comparison, pair: ObjectPair, name: string, at: string): void {
  const severity: Severity = rolesOf(name).has("guard") ? "high" : "medium"
  const touches = namesIn(pair.before).has(name) ? [at, `${pair.at}/required`] : [at]
  comparison.add({ kind: "property-removed", severity, message: `${quote(name)} is gone`, at, touches })
}

function addRename(
  comparison: Comparison,
  { at, pair, before }: KeywordPair,
  { name, was }: { name: string; was: string },
): void {
  const places = [name, was].map((one) => at + formatPointer([one]))
  const inRequired = namesIn(pair.before).has(was) || namesIn(pair.after).has(name)
  const isGraver = isGrave(rolesOf(name)) && !isGrave(rolesOf(was))
  comparison.add({
    kind: "property-renamed",
    severity:
      isGraver && isFreeText(comparison.roots.before, keywordIn(before as JsonObject, was) ?? true) ? "high" : "medium", // an object: see above
    message: `${quote(was)} is called ${quote(name)} now`,
    at: at + formatPointer([name]),
    was,
    touches: inRequired ? [...places, `${pair.at}/required`] : places,
  })
}

/** New names by old ones: where one property that came says just what one that went said, and no other does. */
function matchNames(comparison: Comparison, before: JsonObject, after: JsonObject): ReadonlyMap<string, string> {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  const come = Object.keys(after).filter((name) => !Object.hasOwn(before, name))
  const found = new Map<string, string>()
  if (gone.length > MAX_RENAME_CANDIDATES || come.length > MAX_RENAME_CANDIDATES) return found
  const isSame = (was: string, name: string) => comparison.saysSame(before[was] ?? null, after[name] ?? null)
  for (const name of come) {
    const candidates = gone.filter((was) => isSame(was, name))
    const [was] = candidates
    if (candidates.length !== 1 || was === undefined) continue
    const isOnly = come.filter((other) => isSame(was, other)).length === 1
    if (isOnly && (isTelling(before[was]) || sharesWord(was, name))) found.set(name, was)
  }
  return found
}

/** A schema with a text or several keywords is not the same by accident. */
const isTelling = (schema: JsonValue | undefined): boolean =>
  isObject(schema) && (typeof schema.description === "string" || Object.keys(schema).length > 2)

function sharesWord(a: string, b: string): boolean {
  const words = new Set(splitName(a))
  return splitName(b).some((word) => words.has(word))
}

/** The names in `required`. */
const namesIn = (schema: JsonObject): ReadonlySet<JsonValue> => {
  const required = keywordIn(schema, "required")
  return new Set(isArray(required) ? required : [])
}

/** `required`: each name that came or went. What stands there beside names of properties that came or went themselves is told there. */
export function gradeRequired(comparison: Comparison, { before = [], after = [], at, pair }: KeywordPair): void {
  if (!isNames(before) || !isNames(after)) {
    comparison.add({ kind: "changed", severity: "medium", message: "required is no list of names", at })
    return
  }
  const [earlier, later] = [new Set(before), new Set(after)]
  const [had, has] = [propertiesOf(pair.before), propertiesOf(pair.after)]
  const renames = matchNames(comparison, had, has)
  const isRenamed = (name: string) => renames.has(name) || [...renames.values()].includes(name)
  const added = after.filter((name) => !earlier.has(name) && !(isRenamed(name) && earlier.has(renames.get(name) ?? "")))
  const removed = before.filter((name) => !later.has(name) && Object.hasOwn(has, name))
  for (const name of added) {
    const message = `a call has to give ${quote(name)}`
    comparison.add({
      kind: "required-added",
      severity: addedSeverity(comparison, has, name),
      message,
      at,
      member: name,
    })
  }
  for (const name of removed) {
    const message = `${quote(name)} can be left out`
    comparison.add({
      kind: "required-removed",
      severity: removedSeverity(comparison, has, name),
      message,
      at,
      member: name,
    })
  }
  if (earlier.size === later.size && before.every((name) => later.has(name))) comparison.addRepresentation(at)
}

const isNames = (value: JsonValue): value is readonly string[] =>
  isArray(value) && value.every((name) => typeof name === "string")

function propertiesOf(schema: JsonObject): JsonObject {
  const properties = keywordIn(schema, "properties")
  return isObject(properties) ? properties : {}
}

/** Every call then carries what it holds. */
function addedSeverity({ roots }: Comparison, properties: JsonObject, name: string): Severity {
  const schema = keywordIn(properties, name) ?? true
  const roles = rolesOf(name)
  return (roles.has("context") || roles.has("secret")) && isFreeText(roots.after, schema) ? "high" : "medium"
}

function removedSeverity({ roots }: Comparison, properties: JsonObject, name: string): Severity {
  const roles = rolesOf(name)
  if (roles.has("guard") || roles.has("secret")) return "high"
  if (roles.has("format")) return "low"
  const schema = resolved(roots.after, keywordIn(properties, name) ?? true)
  const isPlain =
    isObject(schema) && typesOf(schema).every((type) => PLAIN_TYPES.has(type)) && typesOf(schema).length > 0
  return isPlain ? "low" : "medium"
}

const PLAIN_TYPES: ReadonlySet<string> = new Set(["boolean", "integer", "number", "null"])
