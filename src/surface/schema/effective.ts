// What a schema says, whatever way it is spelled: two schemas of one name here accept the same values and carry the same texts. References
// are replaced by what they lead to, `required`, `enum` and `type` are sets, and what a generator adds without meaning is left out. Names are
// shared between equal subschemas, so the work is linear, and nothing is ever built.
import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.js"
import { createIdentify, type Identify } from "../values.js"
import { SUBSCHEMA_KEYWORDS, subschemasOf } from "./subschemas.js"
import { resolveOnce } from "./walk.js"

/** Deepest nesting, through references too, that is looked into; what is deeper equals nothing. */
const MAX_EFFECTIVE_DEPTH = 256

/** Names by what is named; one for all schemas that are compared. */
export interface Names {
  readonly identify: Identify
  readonly byText: Map<string, string>
}

export const createNames = (): Names => ({ identify: createIdentify(), byText: new Map() })

/** What the schemas of one document say. */
export interface EffectiveSchemas {
  /** Name of all that a schema says. */
  nameOf(schema: JsonValue): string
  /** The same without the texts of the schema itself. */
  shapeOf(schema: JsonValue): string
  /** Name of what one keyword says, undefined where it says nothing. */
  keywordOf(schema: JsonValue, keyword: string): string | undefined
}

/** Keywords that are read by people and models alone. */
export const TEXT_KEYWORDS: ReadonlySet<string> = new Set(["title", "description", "$comment"])

/** Keywords that say nothing by themselves: the dialect, and names and definitions for references. */
const SILENT_KEYWORDS: ReadonlySet<string> = new Set(
  "$schema $id $anchor $dynamicAnchor $defs definitions $ref allOf anyOf oneOf type nullable enum const".split(" "),
)

/** Values that a keyword may as well not have. */
const SILENT_VALUES: Readonly<Record<string, JsonValue>> = {
  minLength: 0,
  minItems: 0,
  minProperties: 0,
  uniqueItems: false,
  exclusiveMinimum: false,
  exclusiveMaximum: false,
  deprecated: false,
  readOnly: false,
  writeOnly: false,
  // what a generator writes for any integer
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
}

/** Schemas of these that accept everything may as well be absent. */
const OPEN_KEYWORDS: ReadonlySet<string> = new Set(
  "additionalProperties unevaluatedProperties items additionalItems unevaluatedItems propertyNames".split(" "),
)

/** Keywords that only objects have: `type` "object" goes without saying beside them. */
const OBJECT_KEYWORDS = "properties required additionalProperties patternProperties".split(" ")

/** What the schemas of the document `root` say, in names of `names`. */
export const createEffectiveSchemas = (root: JsonValue, names: Names): EffectiveSchemas => new Reading(root, names)

type Entries = ReadonlyMap<string, string>

/** Remembers what each schema says, and which are being read: a reference to one of those is a cycle. */
class Reading implements EffectiveSchemas {
  private readonly known = new WeakMap<object, Entries>()
  private readonly open = new Set<object>()
  private depth = 0
  private readonly root: JsonValue
  private readonly names: Names

  constructor(root: JsonValue, names: Names) {
    this.root = root
    this.names = names
  }

  nameOf(schema: JsonValue): string {
    return this.intern([...this.entriesOf(schema)])
  }

  shapeOf(schema: JsonValue): string {
    return this.intern([...this.entriesOf(schema)].filter(([keyword]) => !TEXT_KEYWORDS.has(keyword)))
  }

  keywordOf(schema: JsonValue, keyword: string): string | undefined {
    return this.entriesOf(schema).get(keyword)
  }

  private intern(entries: readonly (readonly [string, string])[]): string {
    const text = entries
      .map(([keyword, value]) => `${JSON.stringify(keyword)}:${value}`)
      .sort()
      .join()
    const { byText } = this.names
    const name = byText.get(text) ?? `$${byText.size}`
    byText.set(text, name)
    return name
  }

  private entriesOf(schema: JsonValue): Entries {
    if (schema === true) return new Map()
    if (schema === false) return new Map([["not", this.intern([])]])
    if (!isObject(schema)) return new Map([["", this.names.identify(schema)]])
    const known = this.known.get(schema)
    if (known) return known
    if (this.open.has(schema) || this.depth >= MAX_EFFECTIVE_DEPTH) return this.unlikeAny()
    this.open.add(schema)
    this.depth++
    const entries = this.read(schema)
    this.depth--
    this.open.delete(schema)
    this.known.set(schema, entries)
    return entries
  }

  private unlikeAny(): Entries {
    const { byText } = this.names
    byText.set(`?${byText.size}`, "")
    return new Map([["", `?${byText.size}`]])
  }

  private read(schema: JsonObject): Entries {
    const entries = new Map<string, string>()
    for (const keyword of Object.keys(schema)) {
      const name = SILENT_KEYWORDS.has(keyword) ? undefined : this.valueOf(schema, keyword)
      if (name !== undefined) entries.set(keyword, name)
    }
    this.readValues(schema, entries)
    this.readReference(schema, entries)
    for (const keyword of ["allOf", "anyOf", "oneOf"]) this.readAlternatives(schema, keyword, entries)
    return entries
  }

  private valueOf(schema: JsonObject, keyword: string): string | undefined {
    const value = schema[keyword] ?? null
    if (
      Object.hasOwn(SILENT_VALUES, keyword) &&
      this.names.identify(SILENT_VALUES[keyword]) === this.names.identify(value)
    )
      return
    if (keyword === "required" && isArray(value)) return value.length === 0 ? undefined : this.setOf(value)
    if (!Object.hasOwn(SUBSCHEMA_KEYWORDS, keyword)) return this.names.identify(value)
    if (OPEN_KEYWORDS.has(keyword) && this.nameOf(value) === this.intern([])) return
    if (isObject(value) && Object.keys(value).length === 0 && SUBSCHEMA_KEYWORDS[keyword]?.startsWith("map")) return
    const held = [...subschemasOf(schema, keyword)].map(({ at, schema: sub }) => [at, this.nameOf(sub)] as const)
    return held.length > 0 ? this.intern(held) : this.names.identify(value)
  }

  private setOf(values: readonly JsonValue[]): string {
    return `[${[...new Set(values.map(this.names.identify))].sort().join()}]`
  }

  /** What `type`, `nullable`, `enum` and `const` say together. */
  private readValues(schema: JsonObject, entries: Map<string, string>): void {
    const types = new Set(typesOf(schema))
    const values = Object.hasOwn(schema, "const") ? [schema.const ?? null] : isArray(schema.enum) ? schema.enum : null
    const isNullable = (types.size > 1 && types.delete("null")) || schema.nullable === true
    if (types.size === 0 && OBJECT_KEYWORDS.some((keyword) => entries.has(keyword))) types.add("object")
    if (values === null) {
      if (schema.enum !== undefined) entries.set("enum", this.names.identify(schema.enum))
      if (types.size > 0) entries.set("type", [...types].sort().join())
      if (isNullable) entries.set("nullable", "true")
      return
    }
    entries.set("enum", this.setOf(values.filter((value) => value !== null)))
    if (values.includes(null)) entries.set("nullable", "true")
    const isImplied = types.size === 0 || values.every((value) => value === null || isOfType(value, types))
    if (!isImplied) entries.set("type", [...types].sort().join())
  }

  private readReference(schema: JsonObject, entries: Map<string, string>): void {
    if (typeof schema.$ref !== "string") return
    const target = resolveOnce(this.root, schema.$ref, "")
    if (!target.found) entries.set("$ref", this.names.identify(schema.$ref))
    else if (isObject(target.schema) && this.open.has(target.schema)) entries.set("$ref", `@${target.pointer}`)
    else merge(entries, this.entriesOf(target.schema))
  }

  /** One alternative alone is said by the schema itself, and `null` beside it makes that nullable. */
  private readAlternatives(schema: JsonObject, keyword: string, entries: Map<string, string>): void {
    const held = [...subschemasOf(schema, keyword)].map((alternative) => alternative.schema)
    if (held.length === 0) {
      if (Object.hasOwn(schema, keyword)) entries.set(keyword, this.names.identify(schema[keyword]))
      return
    }
    const nothing = this.intern([["type", "null"]])
    const rest = keyword === "allOf" ? held : held.filter((alternative) => this.nameOf(alternative) !== nothing)
    if (rest.length < held.length) entries.set("nullable", "true")
    const [only] = rest
    if (rest.length === 1 && only !== undefined) merge(entries, this.entriesOf(only))
    else
      entries.set(
        keyword,
        rest
          .map((alternative) => this.nameOf(alternative))
          .sort()
          .join(),
      )
  }
}

/** Adds what another schema says of the same value; where both say something of one keyword, both stand. */
function merge(entries: Map<string, string>, others: Entries): void {
  for (const [keyword, value] of others) {
    const own = entries.get(keyword)
    if (own === undefined) entries.set(keyword, value)
    else if (own !== value) entries.set(`&${keyword}=${value}`, value)
  }
}

/** The types that `type` names, none where it is absent. */
export function typesOf(schema: JsonObject): readonly string[] {
  const type = Object.hasOwn(schema, "type") ? schema.type : undefined
  if (typeof type === "string") return [type]
  return isArray(type) ? type.filter((one) => typeof one === "string") : []
}

const isOfType = (value: JsonValue, types: ReadonlySet<string>): boolean =>
  types.has(typeOf(value)) || (typeOf(value) === "integer" && types.has("number"))

/** The JSON Schema type of a value; any number is a "number" unless it is whole. */
function typeOf(value: JsonValue): string {
  if (value === null) return "null"
  if (isArray(value)) return "array"
  if (typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))) return "integer"
  return typeof value
}
