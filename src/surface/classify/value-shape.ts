// What a parameter accepts, whatever way its schema spells it: type lists, `anyOf` with null, alternatives, elements, references. Every schema
// is looked at once, so that references to one definition from many places cost nothing more.
import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.js"
import { typesOf } from "../schema/effective.js"
import { SAME_PROPERTY_KEYWORDS, subschemasOf } from "../schema/subschemas.js"
import { resolveOnce } from "../schema/walk.js"
import { judgePattern, type PatternReach } from "./patterns.js"

/** Deepest nesting of alternatives, elements and references; what is deeper accepts anything. */
const MAX_SHAPE_DEPTH = 128

/** What a schema or any of its alternatives and elements accepts. */
export interface ValueShape {
  /** Any value out of more than a fixed few. */
  readonly isOpen: boolean
  /** Numbers without a fixed few. */
  readonly isNumber: boolean
  /** Texts out of more than a fixed few. */
  readonly isText: boolean
  /** Texts that can be code: not plain words. */
  readonly isFree: boolean
  /** Texts that can name any host. */
  readonly isAnywhere: boolean
  /** True and false. */
  readonly isFlag: boolean
  /** Values of `format`. */
  readonly formats: ReadonlySet<string>
}

const NOTHING: ValueShape = {
  isOpen: false,
  isNumber: false,
  isText: false,
  isFree: false,
  isAnywhere: false,
  isFlag: false,
  formats: new Set(),
}
const ANYTHING: ValueShape = {
  isOpen: true,
  isNumber: true,
  isText: true,
  isFree: true,
  isAnywhere: true,
  isFlag: true,
  formats: new Set(),
}

const either = (a: ValueShape, b: ValueShape): ValueShape => ({
  isOpen: a.isOpen || b.isOpen,
  isNumber: a.isNumber || b.isNumber,
  isText: a.isText || b.isText,
  isFree: a.isFree || b.isFree,
  isAnywhere: a.isAnywhere || b.isAnywhere,
  isFlag: a.isFlag || b.isFlag,
  formats: b.formats.size === 0 ? a.formats : new Set([...a.formats, ...b.formats]),
})

/** What the schemas of the document `root` accept; remembered by schema. */
export function createShapeOf(root: JsonValue): (schema: JsonValue) => ValueShape {
  const known = new Map<JsonObject, ValueShape>()
  const read = (schema: JsonValue, depth: number): ValueShape => {
    if (schema === false) return NOTHING
    if (!isObject(schema) || depth > MAX_SHAPE_DEPTH) return ANYTHING
    const earlier = known.get(schema)
    if (earlier !== undefined) return earlier
    known.set(schema, ANYTHING) // what leads back to itself may accept anything
    let shape = ownShape(schema)
    for (const part of partsOf(root, schema)) shape = either(shape, read(part, depth + 1))
    known.set(schema, shape)
    return shape
  }
  return (schema) => read(schema, 0)
}

/** Alternatives, elements and the target of a reference: what describes the same value or a piece of it. */
function* partsOf(root: JsonValue, schema: JsonObject): Generator<JsonValue> {
  if (hasFixedValues(schema)) return
  for (const keyword of Object.keys(schema))
    if (SAME_PROPERTY_KEYWORDS.has(keyword) && keyword !== "not" && keyword !== "if")
      for (const { schema: part } of subschemasOf(schema, keyword)) yield part
  if (typeof schema.$ref !== "string") return
  const target = resolveOnce(root, schema.$ref, "")
  yield target.found ? target.schema : true
}

const hasFixedValues = (schema: JsonObject): boolean => isArray(schema.enum) || Object.hasOwn(schema, "const")

const COMBINING = ["$ref", "allOf", "anyOf", "oneOf"]

function ownShape(schema: JsonObject): ValueShape {
  if (hasFixedValues(schema)) return fixedShape(schema)
  const types = typesOf(schema)
  const formats = typeof schema.format === "string" ? new Set([schema.format]) : NOTHING.formats
  if (types.length === 0) {
    const isLeftToOthers = COMBINING.some((keyword) => Object.hasOwn(schema, keyword))
    return isLeftToOthers ? { ...NOTHING, formats } : { ...ANYTHING, ...textShape(schema), formats }
  }
  return types.map((type) => typeShape(type, schema)).reduce(either, { ...NOTHING, formats })
}

/** A fixed few values; both of true and false are a flag all the same. */
function fixedShape({ enum: values }: JsonObject): ValueShape {
  const isFlag = isArray(values) && values.includes(true) && values.includes(false)
  return isFlag ? { ...NOTHING, isFlag } : NOTHING
}

function typeShape(type: string, schema: JsonObject): ValueShape {
  if (type === "null") return NOTHING
  if (type === "boolean") return { ...NOTHING, isFlag: true }
  if (type === "integer" || type === "number") return { ...NOTHING, isOpen: true, isNumber: true }
  if (type === "string") return { ...NOTHING, ...textShape(schema) }
  if (type === "array" && !Object.hasOwn(schema, "items") && !Object.hasOwn(schema, "prefixItems")) return ANYTHING
  if (type === "array" || (type === "object" && !takesAnyMember(schema))) return { ...NOTHING, isOpen: true }
  return ANYTHING
}

const takesAnyMember = (schema: JsonObject): boolean =>
  !Object.hasOwn(schema, "properties") && schema.additionalProperties !== false

const TEXT_REACH: Readonly<Record<PatternReach, Partial<ValueShape>>> = {
  fixed: {},
  word: { isOpen: true, isText: true },
  host: { isOpen: true, isText: true, isFree: true },
  any: { isOpen: true, isText: true, isFree: true, isAnywhere: true },
}

const textShape = ({ pattern }: JsonObject): Partial<ValueShape> =>
  TEXT_REACH[typeof pattern === "string" ? judgePattern(pattern) : "any"]
