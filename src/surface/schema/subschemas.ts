// Where JSON Schema keeps subschemas (2020-12, and what draft-07 had otherwise), and which of them describe a property.
import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"

/** Shape of a keyword's value: one schema, a list of them, or a map by name. `schema-or-list`: `items` of draft-07. `schema-or-names`:
 *  `dependencies` of draft-07, whose members are schemas or lists of names. */
export type SubschemaShape = "schema" | "list" | "schema-or-list" | "map" | "map-or-names"

/** Keywords that hold subschemas. */
export const SUBSCHEMA_KEYWORDS: Readonly<Record<string, SubschemaShape>> = {
  properties: "map",
  patternProperties: "map",
  additionalProperties: "schema",
  unevaluatedProperties: "schema",
  propertyNames: "schema",
  items: "schema-or-list",
  prefixItems: "list",
  additionalItems: "schema",
  contains: "schema",
  unevaluatedItems: "schema",
  allOf: "list",
  anyOf: "list",
  oneOf: "list",
  not: "schema",
  if: "schema",
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nobody awaits this table
  then: "schema",
  else: "schema",
  dependentSchemas: "map",
  dependencies: "map-or-names",
  contentSchema: "schema",
  $defs: "map",
  definitions: "map",
}

/** Keywords whose members are named by the property that they describe; of `patternProperties` the pattern is the name. */
export const NAMING_KEYWORDS: ReadonlySet<string> = new Set(["properties", "patternProperties"])

/** Keywords whose subschemas describe the same property as the schema that they stand in, or its elements. */
export const SAME_PROPERTY_KEYWORDS: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependencies",
  "items",
  "prefixItems",
  "additionalItems",
  "contains",
  "unevaluatedItems",
  "contentSchema",
])

/** A subschema in a keyword's value; `at`: pointer from the schema that has the keyword. */
export interface Subschema {
  readonly at: string
  /** Its name in a map, "" elsewhere. */
  readonly name: string
  readonly schema: JsonValue
}

/** What `keyword` of `schema` holds, one after another; nothing where it holds no subschemas or has another shape than it must. */
export function* subschemasOf(schema: JsonObject, keyword: string): Generator<Subschema> {
  const shape = Object.hasOwn(SUBSCHEMA_KEYWORDS, keyword) ? SUBSCHEMA_KEYWORDS[keyword] : undefined
  const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined
  if (shape === undefined || value === undefined) return
  const isList = shape === "list" || shape === "schema-or-list"
  if (shape === "map" || shape === "map-or-names") yield* membersOf(value, keyword, shape)
  else if (isList && isArray(value)) {
    for (const [i, element] of value.entries()) yield { at: `/${keyword}/${i}`, name: "", schema: element }
  } else if (shape !== "list") yield { at: `/${keyword}`, name: "", schema: value }
}

function* membersOf(value: JsonValue, keyword: string, shape: "map" | "map-or-names"): Generator<Subschema> {
  if (!isObject(value)) return
  for (const name of Object.keys(value)) {
    const schema = value[name] ?? null
    if (shape === "map-or-names" && isArray(schema)) continue
    yield { at: formatPointer([keyword, name]), name, schema }
  }
}
