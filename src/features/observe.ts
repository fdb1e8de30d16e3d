// Reads one server twice and says what was seen, in the form of a record that no log has numbered yet. Holds no key, writes nothing.
// A reading that misses a section is never recorded: it can only be compared (DESIGN 4). Nor is a list that does not hold still: it would
// be CHANGED for ever after.
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
import type { Target } from "../core/target.js"
import {
  DEFAULT_READ_LIMITS,
  type ReadFinding,
  type ReadLimits,
  type ServerReading,
  type ToolSource,
} from "../ports.js"
import { findLocalTexts, type LocalNames, type LocalText } from "../surface/local-texts.js"
import { findIdleMasks } from "../surface/unstable.js"
import { listGivenValues, refuseEchoes } from "./echoed-values.js"
import { profileOf, requireProfileName } from "./profile.js"
import { requireStable } from "./stability.js"
import type { Environment } from "./targets.js"
import { describePlace } from "./unstable-error.js"

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
  /** Those of `masks` that a pin has had: each of the others must match something. */
  readonly keptMasks?: readonly Mask[]
  /** A name that the user chose for the profile; without it, what is given is the profile. */
  readonly profile?: string | null
  /** Protocol revision to ask for first. */
  readonly protocol?: string
  /** What a text may say of this machine. */
  readonly names?: LocalNames
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
  /** Texts that will differ where a colleague reads the same server. */
  readonly localTexts: readonly LocalText[]
}

/** Read a server whole, twice, each time in a session of its own; what the first reading said is what was seen. Throws what the source
 *  throws, READING_INCOMPLETE's like when a section could not be read to its end, SURFACE_MALFORMED when the list has the value of a
 *  variable in it, READING_UNSTABLE as `requireStable`, and USAGE for a bad profile name and for a new mask that matches nothing. */
export async function observeServer(input: ObserveInput): Promise<Observed> {
  if (input.profile) requireProfileName(input.profile, input.placeholders)
  const first = await readWhole(input, input.protocol)
  const second = await readWhole(input, first.protocol)
  const idleAgain = findIdleMasks(second.surface, input.masks)
  const idle = findIdleMasks(first.surface, input.masks).filter((mask) => idleAgain.includes(mask))
  requireMatching(idle, input)
  requireStable(first.surface, second.surface, input)
  const isPrivate = first.isPrivate || second.isPrivate
  const findings = [...first.findings, ...(isPrivate ? [PRIVATE] : []), ...idle.map(describeIdle)]
  return describeReading(input, { ...first, isPrivate, findings })
}

async function readWhole(input: ObserveInput, protocol: string | undefined): Promise<ServerReading> {
  const { source, sections, limits = DEFAULT_READ_LIMITS, signal } = input
  const reading = await source.read({
    sections,
    limits,
    ...(protocol === undefined ? {} : { protocol }),
    ...(signal ? { signal } : {}),
  })
  const [failure] = Object.values(reading.failures)
  if (failure) throw failure
  refuseEchoes(reading.surface, listGivenValues(input))
  return reading
}

/** A new mask that matches nothing is a slip: it would only make the list one that is compared with no other. Throws USAGE. */
function requireMatching(idle: readonly Mask[], { keptMasks = [] }: ObserveInput): void {
  const slip = idle.find((mask) => !keptMasks.includes(mask))
  if (slip !== undefined)
    throw new ToolsumError("USAGE", `a mask matches nothing: the one on ${describePlace(slip)} ${describeEnds(slip)}`)
}

const describeEnds = ({ prefix, suffix }: Mask): string => `between ${quote(prefix)} and ${quote(suffix)}`

const PRIVATE: ReadFinding = {
  code: "list_private",
  section: null,
  message: "the server marks its list as meant for this reader alone: its texts go into no archive of a log",
}

const describeIdle = (mask: Mask): ReadFinding => ({
  code: "mask_idle",
  section: SECTION_NAMES.find((name) => name === mask.section) ?? null,
  message: `a mask of this pin matches nothing any more: the one on ${describePlace(mask)} ${describeEnds(mask)}`,
})

/** The texts of a reading that a log may keep; of a list that is meant for its reader alone only those of the sections, which are digests. */
export function archivedTexts({ reading, surface }: Observed): readonly string[] {
  return reading.isPrivate ? Object.values(surface.sections).map(({ text }) => text) : surface.archive
}

/** The observation of a complete reading. */
export function describeReading(input: Omit<ObserveInput, "source" | "environment">, reading: ServerReading): Observed {
  const { name, target, sections, masks, names } = input
  const surface = computeSurface(reading.surface, sections, masks)
  const derived = deriveSubject(target)
  const observation: Observation = {
    subject: subjectFor(target, name),
    version: derived.version ?? (derived.floating ? (reading.resolved.version ?? "-") : "-"),
    profile: input.profile ?? profileOf(target, input.placeholders),
    how: computeHow(target, { sections }).digest,
    observer: input.observer,
    mask: computeMaskDigest(masks),
    state: "listed",
    lines: surface.lines,
    surface: computeSurfaceDigest("listed", surface.lines),
    observed: BigInt(input.nowSec),
  }
  const localTexts = names === undefined ? [] : findLocalTexts(reading.surface, { sections, masks, names })
  return { observation, reading, surface, localTexts }
}

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
