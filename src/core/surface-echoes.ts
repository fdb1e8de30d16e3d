// Servers do print what they were given. Finds values of variables in what a server said, wherever they stand in it. What is done about one
// is the caller's.
import { quote } from "./errors.js"
import { itemKey, SECTION_NAMES, type SectionName } from "./item.js"
import { isArray, isObject, type JsonValue } from "./json.js"
import { findSpelling, redactSpellings, type SecretSpelling } from "./secret-values.js"
import { type Surface, surfaceItems } from "./section.js"

/** A value in a surface. */
export interface SurfaceEcho {
  /** `tool "search"`, `its instructions`; without any of the values. */
  readonly place: string
  /** Name of the variable. */
  readonly name: string
}

/** The first of these values in a string, number or member name of a surface, or null. Pure. */
export function findSurfaceEcho(surface: Surface, given: readonly SecretSpelling[]): SurfaceEcho | null {
  if (given.length === 0) return null
  const places: readonly (readonly [string, JsonValue])[] = [
    ["its instructions", surface.instructions],
    ["its server information", surface.serverInfo],
    ...SECTION_NAMES.flatMap((section) =>
      (surfaceItems(surface, section) ?? []).map((item) => [describeItem(section, item, given), item] as const),
    ),
  ]
  for (const [place, value] of places) {
    const name = findEcho(value, given)
    if (name !== null) return { place, name }
  }
  return null
}

function describeItem(section: SectionName, item: JsonValue, given: readonly SecretSpelling[]): string {
  const key = itemKey(section, item)
  return `${section.slice(0, -1)} ${key === null ? "without a name" : quote(redactSpellings(key, given))}`
}

function findEcho(value: JsonValue, given: readonly SecretSpelling[]): string | null {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint")
    return findSpelling(String(value), given)
  const parts = isArray(value) ? value : isObject(value) ? Object.entries(value).flat() : []
  for (const part of parts) {
    const name = findEcho(part, given)
    if (name !== null) return name
  }
  return null
}
