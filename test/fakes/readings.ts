// What servers say, as data: surfaces, readings, and the pin that such a reading makes.
import { parseJson } from "../../src/core/json.js"
import type { Pin } from "../../src/core/lockfile.js"
import type { Mask } from "../../src/core/mask.js"
import { formatObservation } from "../../src/core/record.js"
import { parseSurface, SECTION_NAMES, type SectionName, type Surface } from "../../src/core/section.js"
import type { Target } from "../../src/core/target.js"
import { describeReading, type Observed } from "../../src/features/observe.js"
import type { ServerReading, ToolSource } from "../../src/ports.js"

export const TARGET: Target = { command: "npx", args: ["-y", "@acme/notes@1.2.3"], env: [] }

/** A surface from plain data. */
export const surfaceOf = (lists: object): Surface => parseSurface(parseJson(JSON.stringify(lists)))

/** A reading of plain data. */
export const readingOf = (lists: object, over: Partial<ServerReading> = {}): ServerReading => ({
  surface: surfaceOf(lists),
  protocol: "2025-11-25",
  capabilities: {},
  findings: [],
  failures: {},
  read: {},
  isPrivate: false,
  resolved: { version: null, integrity: null },
  ...over,
})

/** A server that gives this reading, or fails with this error. */
export const sourceOf = (reading: ServerReading | Error): ToolSource => ({
  read: async () => {
    if (reading instanceof Error) throw reading
    return reading
  },
})

/** What was observed in a reading of the package. */
export const observedOf = (
  reading: ServerReading,
  over: { target?: Target; sections?: readonly SectionName[]; masks?: readonly Mask[] } = {},
): Observed =>
  describeReading(
    {
      name: "notes",
      target: TARGET,
      placeholders: [],
      sections: ["tools", "prompts", "templates"],
      masks: [],
      observer: "local",
      nowSec: 1_796_083_200,
      ...over,
    },
    reading,
  )

/** The pin of an observation that no log has taken. */
export function pinOf(observed: Observed, over: Partial<Pin> = {}): Pin {
  const digests = (section: SectionName) =>
    Object.fromEntries(
      (observed.surface.sections[section]?.items ?? []).map(({ key, digest }) => [key ?? "", digest] as const),
    )
  const [tools, prompts, templates] = SECTION_NAMES.map(digests)
  return {
    from: [],
    target: TARGET,
    log: "log.example/test",
    record: null,
    index: null,
    head: null,
    proof: null,
    observation: formatObservation(observed.observation),
    tools: tools ?? {},
    prompts: prompts ?? {},
    templates: templates ?? {},
    masks: [],
    read: {},
    approved: null,
    ...over,
  }
}
