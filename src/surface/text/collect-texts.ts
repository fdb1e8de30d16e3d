// Every text of a surface that a model may read, with its place: string values of any member, known or not, and member names, which steer
// as well as prose does. What the texts hold is left to the rules.
import { itemKey, SECTION_NAMES } from "../../core/item.js"
import { isArray, type JsonObject, type JsonValue } from "../../core/json.js"
import { escapeToken } from "../../core/pointer-token.js"
import { type Surface, surfaceMember } from "../../core/section.js"
import type { Place } from "../finding.js"

/** One string value or member name. The pointer of a name is that of the member that it names. */
export interface PlacedText extends Place {
  readonly text: string
  /** Name of the nearest member that it stands under ("description", "title", "default", "enum", "properties", …), also for elements of an
   *  array there; "" for instructions and for an item that is no object. */
  readonly member: string
  /** True for a member name: any below an item's own members (schemas, `_meta`, annotations, …), and there those that the specification
   *  does not name. */
  readonly isName: boolean
}

/** Members that the specification gives an item or serverInfo: their names are no text of the server's. */
const KNOWN_MEMBERS: ReadonlySet<string> = new Set(
  (
    "name title description inputSchema outputSchema annotations execution icons _meta arguments uri uriTemplate mimeType size version " +
    "websiteUrl"
  ).split(" "),
)

/** True for a member that the specification gives an item or serverInfo. */
export const isKnownMember = (name: string): boolean => KNOWN_MEMBERS.has(name)

/** All texts of a surface, by section (instructions, tools, prompts, templates, resources, server), item and place, in the order of the
 *  text; empty ones too. Total: a list that is no array has no items. */
export function collectTexts(surface: Surface): readonly PlacedText[] {
  const texts: PlacedText[] = []
  collectIn({ section: "instructions", item: null, texts }, surface.instructions ?? null, "", "")
  for (const section of SECTION_NAMES) {
    const items = surface[surfaceMember(section)] ?? null
    if (!isArray(items)) continue
    for (const item of items) collectIn({ section, item: itemKey(section, item), texts }, item, "", "")
  }
  collectIn({ section: "server", item: null, texts }, surface.serverInfo ?? null, "", "")
  return texts
}

/** Where texts are collected, and into what. */
interface Collection extends Pick<Place, "section" | "item"> {
  readonly texts: PlacedText[]
}

/** Adds the texts of a value at `pointer`, which stands under `member`. As deep as the value, which its reader has bounded. */
function collectIn(into: Collection, value: JsonValue, pointer: string, member: string): void {
  if (typeof value === "string") add(into, value, pointer, member, false)
  else if (isArray(value)) value.forEach((element, i) => void collectIn(into, element, `${pointer}/${i}`, member))
  else if (typeof value === "object" && value !== null) collectMembers(into, value as JsonObject, pointer, member) // no array
}

function collectMembers(into: Collection, value: JsonObject, pointer: string, member: string): void {
  const isItem = pointer === ""
  for (const name of Object.keys(value)) {
    const at = `${pointer}/${escapeToken(name)}`
    if (!isItem || !KNOWN_MEMBERS.has(name)) add(into, name, at, member, true)
    collectIn(into, value[name] ?? null, at, name)
  }
}

function add({ section, item, texts }: Collection, text: string, pointer: string, member: string, isName: boolean) {
  texts.push({ section, item, pointer, text, member, isName })
}
