// Every parameter of a tool at any depth: wherever a keyword or a reference puts a property, with what it accepts and what stands beside it.
// What cannot be read to its end is told, so that it counts as reaching out.
import { isObject, type JsonObject, type JsonValue } from "../../core/json.js"
import { splitName } from "../lint/name-words.js"
import { stringMember } from "../members.js"
import { NAMING_KEYWORDS } from "../schema/subschemas.js"
import { MAX_PLACES, resolveRef, type SchemaPlace, walkSchema } from "../schema/walk.js"
import { soleName } from "./patterns.js"
import { createShapeOf, type ValueShape } from "./value-shape.js"

/** End of a name that is split into words, in characters: the words that say what a value is come last. */
const MAX_TAIL_CHARS = 200

/** A property that a caller may give. */
export interface Parameter {
  /** Its name; of `patternProperties` the one that the pattern stands for, else the pattern. */
  readonly name: string
  /** Words of the name, lower case. */
  readonly words: readonly string[]
  readonly pointer: string
  readonly description: string
  readonly shape: ValueShape
  /** Names, as joined words, of all properties of the same object. */
  readonly siblings: ReadonlySet<string>
  /** True where it is a family of names that a pattern opens. */
  readonly isFamily: boolean
}

/** What a tool takes. */
export interface ToolInput {
  readonly parameters: readonly Parameter[]
  /** Places where members of any name are taken, or nothing is said of what is taken. */
  readonly openPlaces: readonly string[]
  /** What could not be read, and why. */
  readonly unread: readonly { readonly pointer: string; readonly why: string }[]
}

const ROOT = "/inputSchema"

/** Read the input schema of a tool. Total, and linear in its size. */
export function readInput(tool: JsonObject): ToolInput {
  const schema = Object.hasOwn(tool, "inputSchema") ? tool.inputSchema : undefined
  if (!isObject(schema)) {
    const pointer = schema === undefined ? "" : ROOT
    return { parameters: [], openPlaces: [], unread: [{ pointer, why: "there is no schema of what it takes" }] }
  }
  const { places, unread } = collectPlaces(schema)
  const openPlaces = places.filter(({ schema: at, parent }) => isOpenPlace(at, parent === null)).map((p) => p.pointer)
  return { parameters: toParameters(schema, places), openPlaces, unread }
}

function isOpenPlace(schema: JsonValue, isRoot: boolean): boolean {
  if (!isObject(schema)) return false
  const { additionalProperties } = schema
  if (additionalProperties === true || isObject(additionalProperties)) return true
  return isRoot && Object.keys(schema).every((keyword) => keyword === "$schema")
}

interface Collected {
  readonly places: SchemaPlace[]
  readonly unread: { readonly pointer: string; readonly why: string }[]
}

/** All places of the schema, and of what references reach outside of any keyword. */
function collectPlaces(root: JsonValue): Collected {
  const collected: Collected = { places: [], unread: [] }
  const seen = new Set<string>()
  const walk = (schema: JsonValue, pointer: string): void => {
    const { places, isCut } = walkSchema(schema, pointer)
    if (isCut) collected.unread.push({ pointer, why: TOO_LARGE })
    for (const place of places) {
      if (seen.has(place.pointer)) continue
      seen.add(place.pointer)
      collected.places.push(place)
    }
  }
  walk(root, ROOT)
  // The list grows while references are followed.
  for (let i = 0; i < collected.places.length && collected.places.length <= MAX_PLACES; i++) {
    const { schema, pointer } = collected.places[i] as SchemaPlace // i is below the length
    const ref = isObject(schema) && Object.hasOwn(schema, "$ref") ? schema.$ref : undefined
    if (typeof ref !== "string") continue
    const target = resolveRef(root, ref, ROOT)
    if (!target.found) collected.unread.push({ pointer: `${pointer}/$ref`, why: WHY_UNRESOLVED[target.why] })
    else if (!seen.has(target.pointer)) walk(target.schema, target.pointer)
  }
  if (collected.places.length > MAX_PLACES) collected.unread.push({ pointer: ROOT, why: TOO_LARGE })
  return collected
}

const TOO_LARGE = "the schema is too large or too deep to read"

const WHY_UNRESOLVED = {
  remote: "a reference leads out of the schema",
  dangling: "a reference leads nowhere",
  cyclic: "a reference leads back to itself",
}

function toParameters(root: JsonValue, places: readonly SchemaPlace[]): readonly Parameter[] {
  const shapeOf = createShapeOf(root)
  const siblings = new Map<string, Set<string>>()
  const named = places.flatMap((place) => {
    const { property, keyword, parent } = place
    if (property === null || !NAMING_KEYWORDS.has(keyword)) return []
    const name = keyword === "properties" ? property : (soleName(property) ?? property)
    const words = splitName(name.slice(-MAX_TAIL_CHARS), MAX_TAIL_CHARS)
    const beside = siblings.get(parent ?? "") ?? new Set<string>()
    siblings.set(parent ?? "", beside.add(words.join(" ")))
    const isFamily = keyword === "patternProperties" && soleName(property) === null
    return [{ place, name, words, beside, isFamily }]
  })
  return named.map(({ place: { pointer, schema }, name, words, beside, isFamily }) => ({
    name,
    words,
    pointer,
    description: stringMember(schema, "description"),
    shape: shapeOf(schema),
    siblings: beside,
    isFamily,
  }))
}
