// Servers do print what they were given. A list that repeats the value of a variable is never recorded or pinned: the value would lie in
// definitions and in a log's archive for good. A report that only compares shows the variable's name in its place.
import { ToolsumError } from "../core/errors.js"
import { isArray, isObject, type JsonValue } from "../core/json.js"
import { listSpellings, redactSpellings, type SecretSpelling } from "../core/secret-values.js"
import type { Surface } from "../core/section.js"
import { findSurfaceEcho } from "../core/surface-echoes.js"
import { listVariables, type Target } from "../core/target.js"
import type { Change } from "../core/verdict.js"
import { type Environment, isPlainVariable, MIN_SECRET_CHARS } from "./targets.js"

/** The values that a target gives to its server, as they may be repeated. Dummy texts are none. */
export function listGivenValues(p: {
  target: Target
  placeholders: readonly string[]
  environment: Environment
}): readonly SecretSpelling[] {
  const names = listVariables(p.target).filter((name) => !p.placeholders.includes(name) && !isPlainVariable(name))
  return listSpellings(names, p.environment, MIN_SECRET_CHARS)
}

/** Refuse what repeats a value, anywhere in it. Throws SURFACE_MALFORMED, which names variable and item. */
export function refuseEchoes(surface: Surface, given: readonly SecretSpelling[]): void {
  const echo = findSurfaceEcho(surface, given)
  if (echo === null) return
  const { place, name } = echo
  throw new ToolsumError(
    "SURFACE_MALFORMED",
    `not recorded: ${place} has the value of ${name} in it; --placeholder ${name} reads the server without it`,
  )
}

/** Changes with `${NAME}` in the place of each value. */
export const redactChanges = (changes: readonly Change[], given: readonly SecretSpelling[]): readonly Change[] =>
  given.length === 0 ? changes : changes.map((change) => redactChange(change, given))

function redactChange(change: Change, given: readonly SecretSpelling[]): Change {
  const text = (value: string | null) => value && redactSpellings(value, given)
  const { before, after } = change
  return {
    ...change,
    item: text(change.item),
    from: text(change.from),
    pointer: redactSpellings(change.pointer, given),
    ...(before === undefined ? {} : { before: redactValue(before, given) }),
    ...(after === undefined ? {} : { after: redactValue(after, given) }),
  }
}

/** A surface with `${NAME}` in the place of each value. */
export const redactSurface = (surface: Surface, given: readonly SecretSpelling[]): Surface =>
  given.length === 0
    ? surface
    : {
        instructions: redactValue(surface.instructions, given),
        tools: redactValue(surface.tools, given),
        prompts: redactValue(surface.prompts, given),
        resourceTemplates: redactValue(surface.resourceTemplates, given),
        resources: redactValue(surface.resources, given),
        serverInfo: redactValue(surface.serverInfo, given),
      }

function redactValue(value: JsonValue, given: readonly SecretSpelling[]): JsonValue {
  if (isArray(value)) return value.map((part) => redactValue(part, given))
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [redactSpellings(name, given), redactValue(part, given)]),
    )
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return value
  const redacted = redactSpellings(String(value), given)
  return redacted === String(value) ? value : redacted
}
