// What texts of a surface hold that a reader does not see, or that governs more than the item it belongs to. A text is read once, however
// often it stands there: most of a list are the same few words.
import type { Surface } from "../../core/section.js"
import type { Finding, Place } from "../finding.js"
import { claimedVersion } from "../notes.js"
import type { AnalysisOptions } from "../options.js"
import { collectTexts, isKnownMember, type PlacedText } from "./collect-texts.js"
import { computeSkeleton } from "./confusables.js"
import { judgeParameterDescription, judgeParameterName, toWords } from "./exfil-parameter.js"
import { type Hit, MAX_READ_CHARS } from "./hit.js"
import { type Candidate, findCandidates, judgeCandidates } from "./injection.js"
import { findInvisible } from "./invisible-text.js"
import { findLookAlikeName, findLookAlikes } from "./look-alikes.js"
import { createIsOwn, type IsOwn, toolNames } from "./own-names.js"
import { findShapes } from "./text-shape.js"
import { findVolatile } from "./volatile-text.js"

/** Findings in every text of a surface, in the order of `collectTexts`. Total; the work is linear in the length of the texts, of which
 *  MAX_READ_CHARS each are read. A look-alike tool
 *  name is left to lint, which knows what it looks like; so is a text about a tool that another known server has. */
export function findInTexts(surface: Surface, options: AnalysisOptions): readonly Finding[] {
  const texts = collectTexts(surface)
  const version = claimedVersion(surface.serverInfo ?? null)
  const reader = new TextReader(typeof version === "string" ? version : null)
  const context = createContext(surface, texts, options)
  const found: Finding[] = []
  for (const text of texts) {
    const reading = reader.read(text.text)
    if (reading === PLAIN) continue
    const { section, item, pointer } = text
    for (const hit of hitsAt(text, reading, context)) found.push({ section, item, pointer, ...hit })
    const parameter = parameterAt(text, reading)
    if (parameter !== null) found.push(parameter)
  }
  return withoutEchoes(found)
}

/** What is to be said of a text wherever it stands, and what depends on that. */
interface TextReading {
  readonly letters: readonly Hit[]
  readonly shapes: readonly Hit[]
  readonly volatile: readonly Hit[]
  readonly candidates: readonly Candidate[]
  /** As the name, and as the description, of a parameter. */
  readonly asName: Hit | null
  readonly asDescription: Hit | null
  /** Wording by place: property, value or not, member. */
  readonly wording: Map<string, readonly Hit[]>
}

const PLAIN: TextReading = {
  letters: [],
  shapes: [],
  volatile: [],
  candidates: [],
  asName: null,
  asDescription: null,
  wording: new Map(),
}

class TextReader {
  private readonly known = new Map<string, TextReading>([["", PLAIN]])
  private readonly version: string | null

  constructor(version: string | null) {
    this.version = version
  }

  read(text: string): TextReading {
    const before = this.known.get(text)
    if (before !== undefined) return before
    const reading = this.readNew(text)
    this.known.set(text, reading)
    return reading
  }

  private readNew(text: string): TextReading {
    const head = text.length > MAX_READ_CHARS ? text.slice(0, MAX_READ_CHARS) : text
    const letters = [...findInvisible(head), ...findLookAlikes(head)]
    const shapes = findShapes(text, false)
    const volatile = findVolatile(head, this.version)
    const candidates = findCandidates(isSpelled(head) ? toWords(head) : head)
    const asName = isSpelled(head) ? judgeParameterName(head) : null
    const asDescription = judgeParameterDescription(head)
    const isPlain = letters.length + shapes.length + volatile.length + candidates.length === 0
    if (isPlain && asName === null && asDescription === null) return PLAIN
    return { letters, shapes, volatile, candidates, asName, asDescription, wording: new Map() }
  }
}

/** Names are written without spaces; they are read as the words in them. */
const isSpelled = (text: string): boolean => /^[\p{L}\p{M}\p{N}_.:-]+$/u.test(text)

/** What wording is judged by. */
interface Context {
  readonly isOwn: IsOwn
  readonly isKnownElsewhere: (name: string) => boolean
  /** True for the name of a tool that looks like another's. */
  readonly isAlike: (name: string) => boolean
  readonly argumentName: (text: PlacedText) => string | null
}

function createContext(surface: Surface, texts: readonly PlacedText[], options: AnalysisOptions): Context {
  const elsewhere = (options.others ?? []).flatMap((other) => toolNames(other.surface.tools))
  const foreign = new Set(elsewhere.map((name) => name.toLowerCase()))
  let isOwn: IsOwn | undefined
  let alike: ReadonlySet<string> | undefined
  return {
    isOwn: (name) => {
      isOwn ??= createIsOwn(surface, texts)
      return isOwn(name)
    },
    isKnownElsewhere: (name) => foreign.has(name),
    isAlike: (name) => {
      alike ??= findAlike(new Set([...toolNames(surface.tools), ...elsewhere]))
      return alike.has(name)
    },
    argumentName: createArgumentName(texts),
  }
}

/** The names of which another looks the same. */
function findAlike(names: ReadonlySet<string>): ReadonlySet<string> {
  const groups = new Map<string, string[]>()
  for (const name of names) {
    const skeleton = computeSkeleton(name)
    const same = groups.get(skeleton)
    if (same) same.push(name)
    else groups.set(skeleton, [name])
  }
  return new Set([...groups.values()].filter((same) => same.length > 1).flat())
}

const ARGUMENT = /^\/arguments\/[0-9]+/

/** Name of the prompt argument that a text belongs to. */
function createArgumentName(texts: readonly PlacedText[]): Context["argumentName"] {
  const names = new Map<string, string>()
  const keyOf = ({ item, pointer }: PlacedText) => `${item}\n${ARGUMENT.exec(pointer)?.[0]}`
  for (const text of texts)
    if (text.section === "prompts" && text.member === "name" && ARGUMENT.test(text.pointer))
      names.set(keyOf(text), text.text)
  return (text) => (text.section === "prompts" ? (names.get(keyOf(text)) ?? null) : null)
}

/** Members that hold prose; "" are the instructions. */
const PROSE: ReadonlySet<string> = new Set(["description", "title", ""])
/** Members whose strings are data by name: base64 is what they are for. */
const BINARY: ReadonlySet<string> = new Set(["blob", "data", "src"])
/** Members whose strings a model copies. */
const VALUES: ReadonlySet<string> = new Set(["default", "examples", "example", "const", "enum"])
const LOOK_ALIKE: ReadonlySet<string> = new Set(["hidden-text.homoglyph", "hidden-text.compat-letters"])

function hitsAt(text: PlacedText, reading: TextReading, context: Context): readonly Hit[] {
  const isToolName = text.section === "tools" && text.pointer === "/name"
  const isNameAlone = reading.letters.length === 0 && (text.isName || text.member === "name")
  const letters = isNameAlone ? findLookAlikeName(text.text) : reading.letters
  return [
    ...(letters.length > 0 && isToolName && context.isAlike(text.text)
      ? letters.filter(({ rule }) => !LOOK_ALIKE.has(rule))
      : letters),
    ...(BINARY.has(text.member) ? findShapes(text.text, true) : reading.shapes),
    ...(text.isName || !PROSE.has(text.member) ? [] : reading.volatile),
    ...(reading.candidates.length === 0 ? [] : wordingAt(text, reading, context)),
  ]
}

/** Wording at a place. Names of parameters are judged as such, unless they are sentences. */
function wordingAt(text: PlacedText, reading: TextReading, context: Context): readonly Hit[] {
  if (text.isName && text.member === "properties" && isSpelled(text.text)) return []
  const member = text.isName ? "name" : text.member
  const property = propertyOf(text.pointer) ?? context.argumentName(text)
  const isValue = VALUES.has(member)
  const key = `${property}\n${isValue}\n${member === "title"}`
  const { isOwn, isKnownElsewhere } = context
  const known = reading.wording.get(key)
  const hits = known ?? judgeCandidates(reading.candidates, { member, property, isValue, isOwn, isKnownElsewhere })
  if (known === undefined) reading.wording.set(key, hits)
  return hits.length > 0 && isUnknown(text) ? hits.map(lower) : hits
}

const PROPERTIES = "/properties/"

/** Name of the innermost schema property at or above a pointer, as written there. */
function propertyOf(pointer: string): string | null {
  const at = pointer.lastIndexOf(PROPERTIES)
  return at < 0 ? null : (pointer.slice(at + PROPERTIES.length).split("/", 1)[0] ?? null)
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

const DESCRIBED = /^(.*\/(?:properties\/[^/]*|arguments\/[0-9]+))\/description$/

/** The finding that a text makes of the parameter that it names or describes, at that parameter. */
function parameterAt({ section, item, pointer, member, isName }: PlacedText, reading: TextReading): Finding | null {
  const at = (hit: Hit | null, place: string | undefined): Finding | null =>
    hit === null || place === undefined ? null : { section, item, pointer: place, ...hit }
  if (section !== "tools" && section !== "prompts") return null
  if (isName) return member === "properties" ? at(reading.asName, pointer) : null
  if (member === "name") return at(reading.asName, ARGUMENT.exec(pointer)?.[0])
  return member === "description" ? at(reading.asDescription, DESCRIBED.exec(pointer)?.[1]) : null
}

const placeKey = ({ section, item, pointer }: Place): string => `${section}\n${item}\n${pointer}`

/** Without what is said twice of a parameter: by its name and its description, or as a request too. */
function withoutEchoes(found: readonly Finding[]): readonly Finding[] {
  const collecting = new Set<string>()
  const once = found.filter((finding) => {
    if (finding.rule !== "exfil-parameter") return true
    const isNew = !collecting.has(placeKey(finding))
    collecting.add(placeKey(finding))
    return isNew
  })
  if (collecting.size === 0) return once
  return once.filter(
    (finding) =>
      finding.rule !== "injection.exfil-request" ||
      !collecting.has(placeKey({ ...finding, pointer: finding.pointer.replace(/\/description$/, "") })),
  )
}
