// What it means that a tool says what another one said: what was read and allowed under one name stands under another now.
import { quote } from "../../core/errors.js"
import type { JsonValue } from "../../core/json.js"
import type { ChangeFinding, Place } from "../finding.js"
import { memberOf } from "../members.js"
import { meaning } from "./changed-member.js"

/** Fewer characters say too little to be anybody's own. */
const MIN_CHARS = 12

/** The name of the one tool that a description belongs to; null where it is nobody's, or that of several. */
export type OwnerOf = (description: string) => string | null

/** Who said what in a list of tools, by key. */
export function createOwnerOf(tools: ReadonlyMap<string | null, readonly JsonValue[]>): OwnerOf {
  const owners = new Map<string, string | null>()
  for (const [name, items] of tools)
    for (const item of items) {
      const text = memberOf(item, "description")
      if (typeof text === "string") owners.set(text, owners.has(text) ? null : name)
    }
  return (description) => owners.get(description) ?? null
}

/** The meaning of a description that another tool had before, to the letter; none for any other. */
export function gradeTakenText(
  { section, item }: Pick<Place, "section" | "item">,
  { before, after }: { readonly before: JsonValue; readonly after: JsonValue },
  ownerOf: OwnerOf,
): readonly ChangeFinding[] {
  const [was, is] = [memberOf(before, "description"), memberOf(after, "description")]
  if (typeof is !== "string" || is === was || is.length < MIN_CHARS) return []
  const owner = ownerOf(is)
  if (owner === null || owner === item) return []
  const message = `it says what ${quote(owner)} said: under this name another text was approved`
  return [
    meaning({ section, item, pointer: "/description" }, { rule: "description.taken-over", severity: "high", message }),
  ]
}
