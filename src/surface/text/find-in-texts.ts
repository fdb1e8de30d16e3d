// What texts of a surface hold that a reader does not see, or that governs more than the item it belongs to. A text is read once, however
// often it stands there.
import type { Surface } from "../../core/section.js"
import type { AnalysisOptions } from "../analysis.js"
import type { Finding } from "../finding.js"
import { claimedVersion } from "../notes.js"
import { collectTexts, isKnownMember, type PlacedText } from "./collect-texts.js"
import { computeSkeleton } from "./confusables.js"
import { findExfilParameter, toWords } from "./exfil-parameter.js"
import type { Hit } from "./hit.js"
import { findWording } from "./injection.js"
import { findInvisible } from "./invisible-text.js"
import { findLookAlikes } from "./look-alikes.js"
import { createIsOwn, toolNames } from "./own-names.js"
import { findShapes } from "./text-shape.js"
import { findVolatile } from "./volatile-text.js"
import type { WordingPlace } from "./wording.js"

/** Findings in every text of a surface, in the order of `collectTexts`. Total; the work is linear in the length of the texts. A look-alike tool
 *  name is left to lint, which knows what it looks like; so is a text about a tool that another known server has. */
export function findInTexts(surface: Surface, options: AnalysisOptions): readonly Finding[] {
  const texts = collectTexts(surface)
  const readers = [
    createParameterReader(texts),
    createLetterReader(surface, options),
    createWordReader(surface, texts, options),
  ]
  const version = claimedVersion(surface.serverInfo ?? null)
  const readVolatile = memoize((text: string) => findVolatile(text, typeof version === "string" ? version : null))
  const found: Finding[] = []
  for (const text of texts) {
    if (text.text === "") continue
    const hits = readers.flatMap((read) => read(text))
    if (PROSE.has(text.member) && !text.isName) hits.push(...readVolatile(text.text))
    const { section, item, pointer } = text
    for (const hit of hits) found.push({ section, item, pointer, ...hit })
  }
  return withoutEchoes(found)
}

type Reader = (text: PlacedText) => readonly Hit[]

/** Members that hold prose; "" are the instructions. */
const PROSE: ReadonlySet<string> = new Set(["description", "title", ""])
/** Members whose strings are data by name: base64 is what they are for. */
const BINARY: ReadonlySet<string> = new Set(["blob", "data", "src"])
/** Members whose strings a model copies. */
const VALUES: ReadonlySet<string> = new Set(["default", "examples", "example", "const", "enum"])
const LOOK_ALIKE: ReadonlySet<string> = new Set(["hidden-text.homoglyph", "hidden-text.compat-letters"])

/** Results by argument: what a pure function said once it says again. */
function memoize<T>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const result = work(text)
    known.set(text, result)
    return result
  }
}

/** Letters that hide, and shapes. */
function createLetterReader(surface: Surface, options: AnalysisOptions): Reader {
  const readLetters = memoize((text) => [...findInvisible(text), ...findLookAlikes(text), ...findShapes(text, false)])
  const names = [surface, ...(options.others ?? []).map((other) => other.surface)].flatMap(({ tools }) =>
    toolNames(tools),
  )
  const isAlike = (name: string) =>
    names.some((other) => other !== name && computeSkeleton(other) === computeSkeleton(name))
  return ({ text, section, pointer, member }) => {
    if (BINARY.has(member)) return findShapes(text, true)
    const hits = readLetters(text)
    const isToolName = section === "tools" && pointer === "/name"
    return hits.length > 0 && isToolName && isAlike(text) ? hits.filter(({ rule }) => !LOOK_ALIKE.has(rule)) : hits
  }
}

/** What names and descriptions of parameters collect. */
function createParameterReader(texts: readonly PlacedText[]): Reader {
  const descriptions = new Map<string, string>()
  for (const text of texts)
    if (text.member === "description" && !text.isName) descriptions.set(keyOf(text, text.pointer), text.text)
  const judge = (text: PlacedText, name: string, owner: string): readonly Hit[] => {
    const hit = findExfilParameter(name, descriptions.get(keyOf(text, `${owner}/description`)) ?? "")
    return hit === null ? [] : [hit]
  }
  return (text) => {
    if (text.isName && text.member === "properties") return judge(text, text.text, text.pointer)
    const argument = text.section === "prompts" && !text.isName ? ARGUMENT_NAME.exec(text.pointer)?.[1] : undefined
    return argument === undefined ? [] : judge(text, text.text, argument)
  }
}

const ARGUMENT_NAME = /^(\/arguments\/[0-9]+)\/name$/

const keyOf = ({ section, item }: PlacedText, pointer: string): string => `${section}\n${item}\n${pointer}`

/** Wording. Names are read as words; those of parameters are the parameter reader's. */
function createWordReader(surface: Surface, texts: readonly PlacedText[], options: AnalysisOptions): Reader {
  const isOwn = createIsOwn(surface, texts)
  const elsewhere = new Set(
    (options.others ?? []).flatMap((other) => toolNames(other.surface.tools)).map((name) => name.toLowerCase()),
  )
  const isKnownElsewhere = (name: string) => elsewhere.has(name)
  const argumentNames = new Map<string, string>()
  for (const text of texts) {
    const owner = text.section === "prompts" && !text.isName ? ARGUMENT_NAME.exec(text.pointer)?.[1] : undefined
    if (owner !== undefined) argumentNames.set(keyOf(text, owner), text.text)
  }
  const known = new Map<string, readonly Hit[]>()
  return (placed) => {
    if (placed.isName && placed.member === "properties") return []
    const isSpelled = placed.isName || placed.member === "name"
    const text = isSpelled ? toWords(placed.text) : placed.text
    const member = placed.isName ? "name" : placed.member
    const property =
      propertyOf(placed.pointer) ?? argumentNames.get(keyOf(placed, placed.pointer.split("/", 3).join("/"))) ?? null
    const isValue = VALUES.has(member)
    const key = `${property}\n${isValue}\n${member === "title"}\n${text}`
    const place: WordingPlace = { member, property, isValue, isOwn, isKnownElsewhere }
    const hits = known.get(key) ?? findWording(text, place)
    known.set(key, hits)
    return hits.length > 0 && isUnknown(placed) ? hits.map(lower) : hits
  }
}

/** Name of the innermost schema property at or above a pointer, as written there. */
function propertyOf(pointer: string): string | null {
  const at = pointer.lastIndexOf("/properties/")
  return at < 0 ? null : (pointer.slice(at + "/properties/".length).split("/", 1)[0] ?? null)
}

/** True in a member of an item that the specification does not have: some clients pass it to the model. */
const isUnknown = ({ section, pointer }: PlacedText): boolean =>
  section !== "instructions" && section !== "server" && !isKnownMember(pointer.split("/", 2)[1] ?? "name")

/** Fewer read such a text: one step less grave. */
const lower = (hit: Hit): Hit =>
  hit.severity === "critical"
    ? { ...hit, severity: "high" }
    : hit.severity === "high"
      ? { ...hit, severity: "medium" }
      : hit

/** Without what a parameter's own description says again about what it collects. */
function withoutEchoes(found: readonly Finding[]): readonly Finding[] {
  const collecting = new Set(
    found
      .filter(({ rule }) => rule === "exfil-parameter")
      .map(({ section, item, pointer }) => `${section}\n${item}\n${pointer.replace(/\/name$/, "")}/description`),
  )
  if (collecting.size === 0) return found
  return found.filter(
    ({ rule, section, item, pointer }) =>
      rule !== "injection.exfil-request" || !collecting.has(`${section}\n${item}\n${pointer}`),
  )
}
