// Whether a call meant for one tool would be accepted by another: only then can a model pick the wrong one and not notice.
import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.js"
import { memberOf } from "../members.js"
import { resolveRef } from "../schema/walk.js"
import { MAX_ALTERNATIVES, MAX_COMPARED_PROPERTIES } from "./limits.js"

/** What an input schema accepts, as far as it is compared. */
export interface Arguments {
  readonly required: readonly string[]
  readonly properties: ReadonlyMap<string, Accepted>
  /** True where it says that it takes other members too; silence is taken for no. */
  readonly isOpen: boolean
}

/** What one parameter accepts: null where anything of that kind goes. Null itself is left out: optional values are often nullable. */
interface Accepted {
  readonly types: ReadonlySet<string> | null
  /** The closed choice, as JSON text. */
  readonly values: ReadonlySet<string> | null
  readonly format: string | null
}

const ANYTHING: Accepted = { types: null, values: null, format: null }

/** Read what an input schema accepts. Total; what is no schema accepts nothing in particular. */
export function readArguments(schema: JsonValue): Arguments {
  const properties = new Map<string, Accepted>()
  const listed = memberOf(schema, "properties")
  if (isObject(listed))
    for (const [name, property] of Object.entries(listed).slice(0, MAX_COMPARED_PROPERTIES))
      properties.set(name, readAccepted(schema, property))
  const required = memberOf(schema, "required")
  const names = isArray(required) ? required.filter((name) => typeof name === "string") : []
  const additional = memberOf(schema, "additionalProperties")
  return { required: names, properties, isOpen: additional === true || isObject(additional) }
}

/** Alternatives and references of a property, followed breadth first and joined: what any of them accepts. */
function readAccepted(root: JsonValue, property: JsonValue): Accepted {
  const open: JsonValue[] = [property]
  const leaves: Accepted[] = []
  for (let i = 0; i < open.length; i++) {
    const schema = open[i] ?? null
    if (i >= MAX_ALTERNATIVES || !isObject(schema)) return ANYTHING
    const ref = memberOf(schema, "$ref")
    const alternatives = memberOf(schema, "anyOf") ?? memberOf(schema, "oneOf")
    if (typeof ref === "string") {
      const resolved = resolveRef(root, ref, "")
      if (!resolved.found) return ANYTHING
      open.push(resolved.schema)
    } else if (isArray(alternatives)) open.push(...alternatives.slice(0, MAX_ALTERNATIVES + 1))
    else leaves.push(readLeaf(schema))
  }
  return joinAccepted(leaves.filter(({ types }) => types === null || types.size > 0))
}

function readLeaf(schema: JsonObject): Accepted {
  const type = memberOf(schema, "type")
  const types =
    typeof type === "string" ? [type] : isArray(type) ? type.filter((name) => typeof name === "string") : null
  const listed = memberOf(schema, "enum")
  const constant = memberOf(schema, "const")
  const values = isArray(listed) ? listed : constant === undefined ? null : [constant]
  const format = memberOf(schema, "format")
  return {
    types:
      types && new Set(types.filter((name) => name !== "null").map((name) => (name === "integer" ? "number" : name))),
    values:
      values &&
      new Set(
        values
          .slice(0, MAX_COMPARED_PROPERTIES)
          .filter((value) => value !== null)
          .map(textOf),
      ),
    format: typeof format === "string" ? format : null,
  }
}

const textOf = (value: JsonValue): string =>
  typeof value === "object"
    ? JSON.stringify(value, (_, at) => (typeof at === "bigint" ? `${at}` : at))
    : `${typeof value} ${value}`

function joinAccepted(leaves: readonly Accepted[]): Accepted {
  const union = (sets: readonly (ReadonlySet<string> | null)[]): ReadonlySet<string> | null =>
    sets.some((set) => set === null) ? null : new Set(sets.flatMap((set) => [...(set ?? [])]))
  const formats = new Set(leaves.map(({ format }) => format))
  return leaves.length === 0
    ? ANYTHING
    : {
        types: union(leaves.map(({ types }) => types)),
        values: union(leaves.map(({ values }) => values)),
        format: formats.size === 1 ? ([...formats][0] ?? null) : null,
      }
}

/** True where each would accept the other's calls, as far as what is required goes. */
export const areSubstitutable = (a: Arguments, b: Arguments): boolean => accepts(a, b) && accepts(b, a) && !clash(a, b)

/** True where `taker` knows, or leaves open, everything that a call of `caller` must have. */
const accepts = (taker: Arguments, caller: Arguments): boolean =>
  caller.required.every((name) => taker.properties.has(name) || taker.isOpen)

/** True where a parameter that both have cannot hold one value that both accept. */
function clash(a: Arguments, b: Arguments): boolean {
  for (const [name, accepted] of a.properties) {
    const other = b.properties.get(name)
    if (other && (isDisjoint(accepted.types, other.types) || isDisjoint(accepted.values, other.values))) return true
    if (other?.format && accepted.format && other.format !== accepted.format) return true
  }
  return false
}

const isDisjoint = (a: ReadonlySet<string> | null, b: ReadonlySet<string> | null): boolean =>
  a !== null && b !== null && a.size > 0 && b.size > 0 && ![...a].some((element) => b.has(element))
