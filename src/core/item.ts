// The items of a surface (DESIGN 2 and 3.3): section names, an item's key and an item's digest. What they add up to is section.ts.
import { computeJsonDigest } from "./canonical.js"
import type { Digest } from "./hash.js"
import { isObject, type JsonValue } from "./json.js"

/** Names of the item sections, as in record lines and lockfiles. `templates` are the resource templates. */
export type SectionName = "tools" | "prompts" | "templates" | "resources"

/** All section names in the order of the record's lines. */
export const SECTION_NAMES: readonly SectionName[] = ["tools", "prompts", "templates", "resources"]

/** Member of an item that is its key in a section. */
export const KEY_MEMBERS: Readonly<Record<SectionName, string>> = {
  tools: "name",
  prompts: "name",
  templates: "uriTemplate",
  resources: "uri",
}

/** The key of an item: the string at its key member, or null for a nameless item and for anything that is no object. */
export function itemKey(section: SectionName, item: JsonValue): string | null {
  const member = KEY_MEMBERS[section]
  const key = isObject(item) && Object.hasOwn(item, member) ? item[member] : null
  return typeof key === "string" ? key : null
}

/** SHA-256 over the canonical form of the whole item, unknown members and `_meta` included. Throws JSON_MALFORMED as `canonicalize`. */
export const computeItemDigest = (item: JsonValue): Digest => computeJsonDigest(item)
