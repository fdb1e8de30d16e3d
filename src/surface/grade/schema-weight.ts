// How much a schema lets in: whether it is a closed choice, free text, and what a subschema that appears makes a caller send.
import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.js"
import { type Severity, worstSeverity } from "../../core/severity.js"
import { typesOf } from "../schema/effective.js"
import { resolveRef, walkSchema } from "../schema/walk.js"
import { keywordIn } from "./schema-comparison.js"
import { isGrave, isReach, type Role, rolesOf } from "./schema-names.js"

/** Most subschemas of something new that are weighed: more is grave by itself. */
export const MAX_WEIGHED = 500

const COMBINATIONS = ["anyOf", "oneOf", "allOf"] as const

/** A schema without a reference in front, as far as it can be resolved. */
export function resolved(root: JsonValue, schema: JsonValue): JsonValue {
  const ref = isObject(schema) ? keywordIn(schema, "$ref") : undefined
  if (typeof ref !== "string") return schema
  const target = resolveRef(root, ref, "")
  return target.found ? target.schema : true
}

/** True where any text is accepted: no listed values, no pattern, no reading that is left to a format. */
export function isFreeText(root: JsonValue, schema: JsonValue, depth = 0): boolean {
  const own = resolved(root, schema)
  if (own === true || depth > MAX_ALTERNATIVES_DEPTH) return true
  if (!isObject(own) || isClosed(own)) return false
  const held = COMBINATIONS.flatMap((keyword) => listOf(keywordIn(own, keyword)))
  const types = typesOf(own)
  if (types.length === 0 && held.length > 0) return held.some((one) => isFreeText(root, one, depth + 1))
  if (types.includes("array") && isObject(keywordIn(own, "items")))
    return isFreeText(root, own.items ?? true, depth + 1)
  return types.length === 0 ? !isObject(keywordIn(own, "properties")) : types.includes("string")
}

const MAX_ALTERNATIVES_DEPTH = 8

/** True where only listed values are accepted, or only those of a pattern. */
export const isClosed = (schema: JsonObject): boolean =>
  ["enum", "const"].some((keyword) => Object.hasOwn(schema, keyword)) ||
  typeof keywordIn(schema, "pattern") === "string"

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (isArray(value) ? value : [])

/** How grave it is that a subschema appears: by the gravest property in it, wherever, references followed. */
export function weighAdded(root: JsonValue, schema: JsonValue, property: string | null): Severity {
  const seen = new Set<JsonValue>()
  const queue: { readonly schema: JsonValue; readonly property: string | null }[] = [{ schema, property }]
  const severities: Severity[] = []
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next.schema)) continue
    seen.add(next.schema)
    if (seen.size > MAX_WEIGHED) return "high"
    for (const place of walkSchema(next.schema, "").places) {
      const name = place.keyword === "" ? next.property : (place.property ?? next.property)
      severities.push(weighPlace(root, place.schema, name))
      const ref = isObject(place.schema) ? keywordIn(place.schema, "$ref") : undefined
      if (typeof ref !== "string") continue
      const target = resolveRef(root, ref, "")
      if (target.found) queue.push({ schema: target.schema, property: name })
      else severities.push(target.why === "remote" ? "high" : "medium")
    }
  }
  return worstSeverity(severities) ?? "low"
}

function weighPlace(root: JsonValue, schema: JsonValue, property: string | null): Severity {
  const roles = rolesOf(property)
  if (isFreeText(root, schema)) return isGrave(roles) ? "high" : isReach(roles) ? "medium" : "low"
  return roles.has("bypass") && isFlag(schema) ? "medium" : "low"
}

const isFlag = (schema: JsonValue): boolean => isObject(schema) && typesOf(schema).includes("boolean")

/** How grave it is that something around a property became looser. */
export const weighLoosened = (roles: ReadonlySet<Role>): Severity => (isReach(roles) ? "high" : "medium")
