// What the files that grade differences of schemas share: two places that stand for each other, and where meanings are kept.
import type { JsonObject, JsonValue } from "../../core/json.js"
import type { Severity } from "../../core/severity.js"
import type { EffectiveSchemas } from "../schema/effective.js"

/** Most meanings of one schema; what is left then is told as one. */
export const MAX_SCHEMA_MEANINGS = 2_000
/** Deepest nesting of subschemas that are compared. */
export const MAX_COMPARED_DEPTH = 64

/** A meaning before it is known which changes of the diff it accounts for. */
export interface SchemaMeaning {
  /** Without "schema." or "output-schema.". */
  readonly kind: string
  readonly severity: Severity
  readonly message: string
  /** Pointer from the item. */
  readonly at: string
  readonly member?: string
  readonly was?: string
  /** Places whose changes it accounts for, with all that is in them; `at` unless given. */
  readonly touches?: readonly string[]
}

/** Two schemas that stand for each other. */
export interface SchemaPair {
  /** Where, from the item; that of the later one where they moved. */
  readonly at: string
  readonly before: JsonValue
  readonly after: JsonValue
  /** Name of the property that they describe. */
  readonly property: string | null
  readonly depth: number
}

/** Two schemas that are objects. */
export interface ObjectPair extends SchemaPair {
  readonly before: JsonObject
  readonly after: JsonObject
}

/** A keyword of such a pair that differs; absent on a side where there is none. */
export interface KeywordPair {
  readonly keyword: string
  /** Where the keyword stands, from the item. */
  readonly at: string
  readonly before?: JsonValue
  readonly after?: JsonValue
  readonly pair: ObjectPair
}

/** One comparison under way. */
export interface Comparison {
  readonly roots: { readonly before: JsonValue; readonly after: JsonValue }
  readonly effective: { readonly before: EffectiveSchemas; readonly after: EffectiveSchemas }
  /** True for equal values. */
  same(before: JsonValue | undefined, after: JsonValue | undefined): boolean
  /** True where two schemas say the same, texts included. */
  saysSame(before: JsonValue, after: JsonValue): boolean
  add(meaning: SchemaMeaning): void
  /** Keeps a place where the bytes moved and the meaning did not. */
  addRepresentation(at: string): void
  /** Grades what differs between two schemas. */
  compare(pair: SchemaPair): void
  /** What `compare` would add, without adding it. */
  preview(pair: SchemaPair): readonly SchemaMeaning[]
}

/** Grades a keyword that differs. */
export type KeywordGrader = (comparison: Comparison, keyword: KeywordPair) => void

/** How a keyword came to differ. */
export const wayOfKeyword = ({ before, after }: KeywordPair): "added" | "removed" | "changed" =>
  before === undefined ? "added" : after === undefined ? "removed" : "changed"

/** Own member of a schema, undefined where there is none. */
export const keywordIn = (schema: JsonObject, keyword: string): JsonValue | undefined =>
  Object.hasOwn(schema, keyword) ? schema[keyword] : undefined
