// Reads one server and says what was seen, in the form of a record that no log has numbered yet. Holds no key, writes nothing.
// A reading that misses a section is never recorded: it can only be compared (DESIGN 4).
import { quote, ToolsumError } from "../core/errors.js"
import { isObject, type JsonValue } from "../core/json.js"
import { computeMaskDigest, type Mask } from "../core/mask.js"
import type { Observation } from "../core/record.js"
import {
  computeSurface,
  computeSurfaceDigest,
  SECTION_NAMES,
  type SectionName,
  surfaceMember,
} from "../core/section.js"
import { computeHow, deriveSubject, subjectFor } from "../core/subject.js"
import { isCommandTarget, type Target } from "../core/target.js"
import { DEFAULT_READ_LIMITS, type ReadLimits, type ServerReading, type ToolSource } from "../ports.js"
import { listGivenValues, refuseEchoes } from "./echoed-values.js"
import { type Environment, listVariables } from "./targets.js"

/** What is asked for unless a pin says otherwise. Resources only on request: they are often many and change by the hour. */
export const DEFAULT_SECTIONS: readonly SectionName[] = ["tools", "prompts", "templates"]

/** Which server, and under which conditions it is read. */
export interface ObserveInput {
  readonly name: string
  readonly target: Target
  readonly source: ToolSource
  /** Variables of the target that get a dummy value. */
  readonly placeholders: readonly string[]
  /** Values of the others: what a server must not repeat. */
  readonly environment: Environment
  readonly sections: readonly SectionName[]
  readonly masks: readonly Mask[]
  /** Who reads: `local` in a personal log. */
  readonly observer: string
  readonly nowSec: number
  readonly limits?: ReadLimits
  readonly signal?: AbortSignal
}

/** What was seen. */
export interface Observed {
  readonly observation: Observation
  readonly reading: ServerReading
  readonly surface: ReturnType<typeof computeSurface>
}

/** Read a server whole. Throws what the source throws, READING_INCOMPLETE's like when a section could not be read to its end, and
 *  SURFACE_MALFORMED when the list has the value of a variable in it. */
export async function observeServer(input: ObserveInput): Promise<Observed> {
  const { source, sections, limits = DEFAULT_READ_LIMITS, signal } = input
  const reading = await source.read({ sections, limits, ...(signal ? { signal } : {}) })
  const [failure] = Object.values(reading.failures)
  if (failure) throw failure
  refuseEchoes(reading.surface, listGivenValues(input))
  return describeReading(input, reading)
}

/** The observation of a complete reading. */
export function describeReading(input: Omit<ObserveInput, "source" | "environment">, reading: ServerReading): Observed {
  const { name, target, sections, masks } = input
  const surface = computeSurface(reading.surface, sections, masks)
  const derived = deriveSubject(target)
  const observation: Observation = {
    subject: subjectFor(target, name),
    version: derived.version ?? (derived.floating ? (reading.resolved.version ?? "-") : "-"),
    profile: profileOf(target, input.placeholders),
    how: computeHow(target, { sections }).digest,
    observer: input.observer,
    mask: computeMaskDigest(masks),
    state: "listed",
    lines: surface.lines,
    surface: computeSurfaceDigest("listed", surface.lines),
    observed: BigInt(input.nowSec),
  }
  return { observation, reading, surface }
}

/** Under which identity a list is read: every variable and header that is given, or `anonymous` (DESIGN 2). */
export function profileOf(target: Target, placeholders: readonly string[]): string {
  const dummies = new Set(placeholders)
  const headers = isCommandTarget(target)
    ? []
    : Object.keys(target.headers).map((header) => `header:${header.toLowerCase()}`)
  const parts = listVariables(target).map((name) => `${dummies.has(name) ? "placeholder" : "env"}:${name}`)
  const all = [...new Set([...parts, ...headers])].sort()
  return all.length === 0 ? "anonymous" : all.join("+")
}

/** The placeholders that a profile names. */
export const placeholdersOf = (profile: string): readonly string[] =>
  profile.split("+").flatMap((part) => (part.startsWith("placeholder:") ? [part.slice("placeholder:".length)] : []))

/** Why a list cannot be pinned although it was read: nameless or duplicate items, a schema that is no object (DESIGN 3.4). */
export function requirePinnable(observed: Observed): void {
  for (const section of SECTION_NAMES) {
    const keys = new Set<string>()
    for (const { key, item } of observed.surface.sections[section]?.items ?? []) {
      const problem =
        key === null ? "an item without a name" : keys.has(key) ? `${quote(key)} twice` : badSchema(section, item)
      if (problem)
        throw new ToolsumError("SURFACE_MALFORMED", `cannot be pinned: ${surfaceMember(section)} has ${problem}`)
      if (key !== null) keys.add(key)
    }
  }
}

function badSchema(section: SectionName, item: JsonValue): string | null {
  if (section !== "tools" || !isObject(item) || item.inputSchema === undefined || isObject(item.inputSchema))
    return null
  return `a tool whose inputSchema is no object: ${quote(String(item.name))}`
}
