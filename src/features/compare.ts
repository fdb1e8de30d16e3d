// `diff A B`: what may stand on either side, and the comparison. A side is a surface, or only one list of it; then only that list is
// compared. Where surfaces come from (pin, file, log record) is the caller's business.
import { ToolsumError } from "../core/errors.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../core/json.js"
import { parseSurface, SECTION_NAMES, type SectionName, type Surface, surfaceMember } from "../core/section.js"
import type { Compared } from "./review.js"

/** One side of a comparison. `sections`: the lists that it has something to say about; `whole`: instructions and serverInfo too. */
export interface Side {
  readonly surface: Surface
  readonly sections: readonly SectionName[]
  readonly whole: boolean
}

/** Read a side from a document: a surface, a bare array of tools, or the result of a list request (also inside its answer).
 *  Throws SURFACE_MALFORMED. */
export function readSide(document: JsonValue): Side {
  if (isArray(document)) return partial({ tools: document }, ["tools"])
  if (!isObject(document))
    throw new ToolsumError("SURFACE_MALFORMED", "expected a surface, an array of tools or the result of a list request")
  if (isObject(document.result)) return readSide(document.result)
  const lists = SECTION_NAMES.filter((section) => document[surfaceMember(section)] !== undefined)
  const names = Object.keys(document)
  if (lists.length === 0 && !names.some((name) => name === "instructions" || name === "serverInfo")) {
    throw new ToolsumError(
      "SURFACE_MALFORMED",
      "expected at least one of instructions, tools, prompts, resourceTemplates, resources, serverInfo",
    )
  }
  const isListResult =
    lists.length === 1 && !names.includes("instructions") && !names.includes("serverInfo") && !names.includes("notice")
  return isListResult
    ? partial(document, lists)
    : { surface: parseSurface(document), sections: SECTION_NAMES, whole: true }
}

const partial = (members: JsonObject, sections: readonly SectionName[]): Side => ({
  surface: parseSurface(members),
  sections,
  whole: false,
})

/** What both sides speak about. Throws USAGE. */
export function alignSides(before: Side, after: Side): Compared {
  const sections = before.sections.filter((section) => after.sections.includes(section))
  if (sections.length === 0) throw new ToolsumError("USAGE", "the two sides have no section in common")
  const isWhole = before.whole && after.whole
  const only = ({ surface }: Side) => restrict(surface, sections, isWhole)
  return {
    sides: { before: only(before), after: only(after) },
    options: { sections, listsOnly: !isWhole },
  }
}

/** The surface without what the other side does not speak about: it neither came nor went. */
function restrict(surface: Surface, sections: readonly SectionName[], isWhole: boolean): Surface {
  const list = (section: SectionName) => (sections.includes(section) ? surface[surfaceMember(section)] : null)
  return {
    instructions: isWhole ? surface.instructions : null,
    tools: list("tools"),
    prompts: list("prompts"),
    resourceTemplates: list("templates"),
    resources: list("resources"),
    serverInfo: isWhole ? surface.serverInfo : null,
  }
}
