// Which names are a surface's own: its tools, prompts, parameters, values and itself, in any spelling. A text may speak of them.
import { isArray, isObject, type JsonValue } from "../../core/json.js"
import type { Surface } from "../../core/section.js"
import type { PlacedText } from "./collect-texts.js"

/** Members whose strings are names that a text may use. */
const NAMING: ReadonlySet<string> = new Set(["name", "title", "enum", "const", "default", "required", "examples"])
/** First words of tool names that say what is done and not to what. */
const VERBS: ReadonlySet<string> = new Set(
  (
    "get set list read write create update delete remove add send fetch find search query run execute call open close start stop make do " +
    "put post copy move upload download export import save load check show view all my to by from with of the and new"
  ).split(" "),
)

/** Asks whether a name is the surface's own. */
export type IsOwn = (name: string) => boolean

/** A name is own where the surface uses it in any spelling, or where it speaks of the same things as one of its tools ("list_pages" beside
 *  "new_page"): lists are often shorter than what their texts were written for. */
export function createIsOwn(surface: Surface, texts: readonly PlacedText[]): IsOwn {
  const written = new Set<string>()
  for (const { text, member, isName } of texts) if (isName || NAMING.has(member)) written.add(text)
  const names = new Set([...written].map(spell))
  const subjects = new Set(toolNames(surface.tools).flatMap(subjectsOf))
  for (const word of subjectsOf(serverName(surface))) subjects.add(word)
  return (name) => names.has(spell(name)) || subjectsOf(name).some((word) => subjects.has(word))
}

const spell = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")

const subjectsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2 && !VERBS.has(word) && !GENERIC.has(word))
    .map((word) => word.replace(/s$/, ""))

/** Words of server names that say nothing about what they are for. */
const GENERIC: ReadonlySet<string> = new Set(["mcp", "server", "tool", "tools", "client", "example", "api"])

/** Names of the tools in a list, without repetition. */
export const toolNames = (tools: JsonValue): readonly string[] =>
  isArray(tools)
    ? [...new Set(tools.flatMap((tool) => (isObject(tool) && typeof tool.name === "string" ? [tool.name] : [])))]
    : []

const serverName = ({ serverInfo }: Surface): string =>
  isObject(serverInfo) && typeof serverInfo.name === "string" ? serverInfo.name : ""
