// How much a schema lets in: whether it is a closed choice, free text, and what a subschema that appears makes a caller send.
import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.js"
import { type Severity, worstSeverity } from "../../core/severity.js"
import { typesOf } from "../schema/effective.js"
import { resolveRef, walkSchema } from "../schema/walk.js"
import { keywordIn } from "./schema-comparison.js"
import { isGrave, isReach, type Role, rolesOf } from "./schema-names.js"

/** Most subschemas of something new that are weighed: more is grave by itself. */
const MAX_WEIGHED = 500

const COMBINATIONS = ["anyOf", "oneOf", "allOf"] as const

/** A schema without a reference in front, as far as it can be resolved. */
export function resolved(root: JsonValue, schema: JsonValue): JsonValue {
  const ref = isObject(schema) ? keywordIn(schema, "$ref") : undefined
  if (typeof ref !== "string") return schema
  const target = resolveRef(root, ref, "")
  return target.found ? target.schema : true
}

/** True where any text is accepted: no listed values, no pattern, no reading that is left to a format. What is too deep or has too many
 *  alternatives to be looked through counts as such. */
export const isFreeText = (root: JsonValue, schema: JsonValue): boolean => takesText(root, schema, new Set())

/** Most alternatives of one property that are looked through, each once however often it is referred to. */
const MAX_ALTERNATIVES = 200

function takesText(root: JsonValue, schema: JsonValue, seen: Set<JsonValue>): boolean {
  const own = resolved(root, schema)
  if (own === true || seen.size > MAX_ALTERNATIVES) return true
  if (!isObject(own) || isClosed(own) || seen.has(own)) return false
  seen.add(own)
  const held = COMBINATIONS.flatMap((keyword) => listOf(keywordIn(own, keyword)))
  const types = typesOf(own)
  if (types.length === 0 && held.length > 0) return held.some((one) => takesText(root, one, seen))
  if (types.includes("array") && isObject(keywordIn(own, "items"))) return takesText(root, own.items ?? true, seen)
  return types.length === 0 ? !isObject(keywordIn(own, "properties")) : types.includes("string")
}

/** True where only listed values are accepted, or only those of a pattern. */
export const isClosed = (schema: JsonObject): boolean =>
  ["enum", "const"].some((keyword) => Object.hasOwn(schema, keyword)) ||
  typeof keywordIn(schema, "pattern") === "string"

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (isArray(value) ? value : [])

/** How grave it is that a subschema appears: by the gravest property in it, wherever, references followed. */
export function weighAdded(root: JsonValue, schema: JsonValue, property: string | null): Severity {
  const seen = new Set<JsonValue>()
  const queue: Reached[] = [{ schema, property }]
  const severities: Severity[] = []
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next.schema)) continue
    seen.add(next.schema)
    if (seen.size > MAX_WEIGHED) return "high"
    const own = weightOf(root, next.schema)
    severities.push(own.named, weighRoles(own, rolesOf(next.property)))
    for (const target of own.targets) queue.push({ ...target, property: target.property ?? next.property })
  }
  return worstSeverity(severities) ?? "low"
}

/** A schema and the name of the property that it describes. */
interface Reached {
  readonly schema: JsonValue
  readonly property: string | null
}

/** What is in a schema itself, references not followed. */
interface Weight {
  /** Gravest of the properties that it names. */
  readonly named: Severity
  /** Whether what describes the property that the whole describes takes any text, or is a flag. */
  readonly isFree: boolean
  readonly isFlag: boolean
  /** Where its references lead. */
  readonly targets: readonly Reached[]
}

const weights = new WeakMap<object, WeakMap<object, Weight>>()

/** Computed once for each schema of a document, whatever refers to it. */
function weightOf(root: JsonValue, schema: JsonValue): Weight {
  if (!isObject(root) || !isObject(schema)) return computeWeight(root, schema)
  const known = weights.get(root) ?? new WeakMap<object, Weight>()
  weights.set(root, known)
  const weight = known.get(schema) ?? computeWeight(root, schema)
  known.set(schema, weight)
  return weight
}

function computeWeight(root: JsonValue, schema: JsonValue): Weight {
  const severities: Severity[] = []
  const targets = new Map<string, Reached>()
  let [isFree, hasFlag] = [false, false]
  const { places, isCut } = walkSchema(schema, "")
  for (const place of places) {
    const own = { isFree: isFreeText(root, place.schema), isFlag: isFlag(place.schema) }
    if (place.property !== null) severities.push(weighRoles(own, rolesOf(place.property)))
    isFree ||= place.property === null && own.isFree
    hasFlag ||= place.property === null && own.isFlag
    const ref = isObject(place.schema) ? keywordIn(place.schema, "$ref") : undefined
    if (typeof ref !== "string") continue
    const target = resolveRef(root, ref, "")
    if (!target.found) severities.push(target.why === "remote" ? "high" : "medium")
    else
      targets.set(JSON.stringify([target.pointer, place.property]), { schema: target.schema, property: place.property })
  }
  const named = isCut ? "high" : (worstSeverity(severities) ?? "low")
  return { named, isFree, isFlag: hasFlag, targets: [...targets.values()] }
}

function weighRoles({ isFree, isFlag }: Pick<Weight, "isFree" | "isFlag">, roles: ReadonlySet<Role>): Severity {
  if (isFree && isGrave(roles)) return "high"
  return (isFree && isReach(roles)) || (isFlag && roles.has("bypass")) ? "medium" : "low"
}

const isFlag = (schema: JsonValue): boolean => isObject(schema) && typesOf(schema).includes("boolean")
