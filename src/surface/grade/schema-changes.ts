// What a difference between two JSON Schemas means: what is accepted more (widened), accepted no more (narrowed), or said otherwise.
import type { JsonValue } from "../../core/json.js"
import type { Change } from "../../core/verdict.js"
import type { ChangeFinding } from "../finding.js"

/** Two schemas of one tool and the changes of the diff inside them. */
export interface SchemaChangeInput {
  readonly before: JsonValue
  readonly after: JsonValue
  /** `input`: what callers send; `output`: what they get. */
  readonly direction: "input" | "output"
  /** Changes whose pointers are at or below `pointer`. */
  readonly changes: readonly Change[]
  /** Pointer of the schema in the item, such as "/inputSchema". */
  readonly pointer: string
  readonly item: string | null
}

/** The meaning of these changes: at least one finding for each. */
export function gradeSchemaChanges(input: SchemaChangeInput): readonly ChangeFinding[] {
  void input
  return []
}
