// A tool as lint reads it: what its members hold, with the odd ones left out.

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.js"
import { itemKey, type SectionName, type Surface, surfaceMember } from "../../core/section.js"
import type { Finding } from "../finding.js"
import { stringMember } from "../members.js"

/** One tool of a list that is an object. */
export interface ToolView {
  readonly item: JsonObject
  /** Name, null for a nameless one. */
  readonly key: string | null
  /** "" where there is none. */
  readonly description: string
  /** Place in the list. */
  readonly index: number
}

/** The items of a section; none where it is no list. */
export function listItems(surface: Surface, section: SectionName): readonly JsonValue[] {
  const items = surface[surfaceMember(section)]
  return isArray(items) ? items : []
}

/** The tools of a surface that are objects, in its order. */
export const viewTools = (surface: Surface): readonly ToolView[] =>
  listItems(surface, "tools").flatMap((item, index) =>
    isObject(item)
      ? [{ item, key: itemKey("tools", item), description: stringMember(item, "description"), index }]
      : [],
  )

/** A finding on a tool. */
export const toolFinding = (
  key: string | null,
  pointer: string,
  rest: Omit<Finding, "section" | "item" | "pointer">,
): Finding => ({ section: "tools", item: key, pointer, ...rest })
