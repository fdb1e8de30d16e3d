// Every subschema of a JSON Schema (2020-12, and what draft-07 had otherwise), wherever a keyword puts one. Bounded: what a limit cuts is
// told. And where a `$ref` leads inside its own document (2020-12 §8.2, draft-07 §8): nothing is ever fetched.
import { ToolsumError } from "../../core/errors.js"
import { isObject, type JsonValue } from "../../core/json.js"
import { formatPointer, parsePointer, valueAt } from "../../core/pointer.js"
import { NAMING_KEYWORDS, SAME_PROPERTY_KEYWORDS, subschemasOf } from "./subschemas.js"

/** Most subschemas of one schema that are looked at. */
export const MAX_PLACES = 10_000
/** Deepest nesting of subschemas; the root has depth 0. */
export const MAX_DEPTH = 64

/** One subschema. */
export interface SchemaPlace {
  /** RFC 6901 pointer from the item. */
  readonly pointer: string
  /** What stands there: an object or a boolean, or whatever else a server put in a schema's place. */
  readonly schema: JsonValue
  /** Keyword by which it was reached; "" for the root. */
  readonly keyword: string
  /** Name of the property that it or its elements describe, through `anyOf`, `items` and the like too; of `patternProperties` the pattern;
   *  null where it describes none (the root, `$defs`, `additionalProperties`, …). */
  readonly property: string | null
  /** Pointer of the subschema that it is in; null for the root. */
  readonly parent: string | null
}

/** All subschemas of a schema. */
export interface WalkedSchema {
  /** Parents before what is in them, members in the order of the text. */
  readonly places: readonly SchemaPlace[]
  /** True where a limit (MAX_PLACES, MAX_DEPTH) cut the walk. */
  readonly isCut: boolean
}

/** Walk `schema`, which stands at `pointer` of its item. References are not followed: `resolveRef` does. Total. */
export function walkSchema(schema: JsonValue, pointer: string): WalkedSchema {
  const walk: Walk = { places: [], isCut: false }
  visit(walk, { pointer, schema, keyword: "", property: null, parent: null }, 0)
  return walk
}

interface Walk {
  readonly places: SchemaPlace[]
  isCut: boolean
}

function visit(walk: Walk, place: SchemaPlace, depth: number): void {
  if (depth > MAX_DEPTH || walk.places.length >= MAX_PLACES) {
    walk.isCut = true
    return
  }
  walk.places.push(place)
  if (!isObject(place.schema)) return
  for (const keyword of Object.keys(place.schema)) {
    for (const { at, name, schema } of subschemasOf(place.schema, keyword)) {
      const property = NAMING_KEYWORDS.has(keyword) ? name : SAME_PROPERTY_KEYWORDS.has(keyword) ? place.property : null
      visit(walk, { pointer: place.pointer + at, schema, keyword, property, parent: place.pointer }, depth + 1)
      if (walk.isCut && walk.places.length >= MAX_PLACES) return
    }
  }
}

/** Most references that are followed one after another. */
export const MAX_REF_HOPS = 64

/** Where a `$ref` leads. `cyclic`: back to itself, or through more than MAX_REF_HOPS references. */
export type ResolvedRef =
  | { readonly found: true; readonly pointer: string; readonly schema: JsonValue }
  | { readonly found: false; readonly why: "remote" | "dangling" | "cyclic" }

/** Follow a `$ref` (`#`, `#/…`, `#name` of an `$anchor`, an `$id` in the same document) through further references to a schema without
 *  one. `rootPointer`: where `root` stands in its item; it comes before the pointer found. A fragment alone is looked up in the whole
 *  document, whatever `$id` stands around the reference. Total. */
export function resolveRef(root: JsonValue, ref: string, rootPointer: string): ResolvedRef {
  const seen = new Set<string>()
  for (let next = ref; seen.size < MAX_REF_HOPS; ) {
    const found = resolveOnce(root, next, rootPointer)
    if (!found.found) return found
    const further = textAt(found.schema, "$ref")
    if (further === undefined) return found
    if (seen.has(found.pointer)) break
    seen.add(found.pointer)
    next = further
  }
  return { found: false, why: "cyclic" }
}

/** Follow one `$ref`, but no reference where it leads. */
export function resolveOnce(root: JsonValue, ref: string, rootPointer: string): ResolvedRef {
  const hash = ref.indexOf("#")
  const [uri, fragment] = hash < 0 ? [ref, ""] : [ref.slice(0, hash), ref.slice(hash + 1)]
  const resource = uri === "" ? "" : findById(root, uri)
  if (resource === null) return { found: false, why: "remote" }
  const tokens = tokensOf(root, resource, fragment)
  const schema = tokens === null ? undefined : valueAt(root, tokens)
  if (tokens === null || (!isObject(schema) && typeof schema !== "boolean")) return { found: false, why: "dangling" }
  return { found: true, pointer: rootPointer + formatPointer(tokens), schema }
}

const never = (why: string) => new ToolsumError("JSON_MALFORMED", why) // the pointers given to it are checked before

/** Tokens of the place that a fragment names, from the root; null where it names none. */
function tokensOf(root: JsonValue, resource: string, fragment: string): readonly string[] | null {
  const text = decodeFragment(fragment)
  if (text === null) return null
  const isPointer = text === "" || text.startsWith("/")
  if (isPointer && /~(?![01])/.test(text)) return null
  const pointer = isPointer ? resource + text : indexOf(root).anchors.get(text)
  return pointer === undefined ? null : parsePointer(pointer, never)
}

/** A fragment without percent-encoding (RFC 6901 §6), null where that is malformed. */
function decodeFragment(fragment: string): string | null {
  if (!fragment.includes("%")) return fragment
  try {
    return decodeURIComponent(fragment)
  } catch {
    return null
  }
}

/** Pointers, from the root, of the subschemas that a document names. */
interface NamedPlaces {
  /** By `$anchor`, `$dynamicAnchor` or an `$id` of draft-07 that is a fragment. */
  readonly anchors: ReadonlyMap<string, string>
  /** By `$id`, resolved against the one of the root. */
  readonly ids: ReadonlyMap<string, string>
}

const indexes = new WeakMap<object, NamedPlaces>()

/** The named places of a document, looked for once. */
function indexOf(root: JsonValue): NamedPlaces {
  if (!isObject(root)) return { anchors: new Map(), ids: new Map() }
  const index = indexes.get(root) ?? computeIndex(root)
  indexes.set(root, index)
  return index
}

function computeIndex(root: JsonValue): NamedPlaces {
  const anchors = new Map<string, string>()
  const ids = new Map<string, string>()
  for (const { pointer, schema } of walkSchema(root, "").places) {
    for (const keyword of ["$anchor", "$dynamicAnchor"]) keep(anchors, textAt(schema, keyword), pointer)
    const id = textAt(schema, "$id")
    if (id?.startsWith("#")) keep(anchors, id.slice(1), pointer)
    else if (id !== undefined) keep(ids, absolute(root, id), pointer)
  }
  return { anchors, ids }
}

/** The first place of a name has it. */
function keep(places: Map<string, string>, name: string | undefined, pointer: string): void {
  if (name !== undefined && !places.has(name)) places.set(name, pointer)
}

const textAt = (schema: JsonValue | undefined, keyword: string): string | undefined => {
  const value = isObject(schema) && Object.hasOwn(schema, keyword) ? schema[keyword] : undefined
  return typeof value === "string" ? value : undefined
}

const findById = (root: JsonValue, uri: string): string | null => indexOf(root).ids.get(absolute(root, uri)) ?? null

/** Base of a document without an absolute `$id`: no server can name it, so nothing relative leads out of the document by accident. */
const NO_BASE = "toolsum-schema:///"

/** A URI without an empty fragment, resolved against the `$id` of the root; as it is where it cannot be resolved. */
function absolute(root: JsonValue, uri: string): string {
  const base = absoluteUri(textAt(root, "$id") ?? "", NO_BASE)
  return absoluteUri(uri, base).replace(/#$/, "")
}

const absoluteUri = (uri: string, base: string): string => (URL.canParse(uri, base) ? new URL(uri, base).href : uri)
