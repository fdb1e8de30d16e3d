// From a surface to its digests (DESIGN 3.4 and 3.5, formats.md 3 to 5): section text and digest, the values of the record's
// section lines, the surface digest. A section's digest can be rebuilt with sha256sum and sort.
import { compareUtf8 } from "./bytes.js"
import { canonicalize } from "./canonical.js"
import { quote, ToolsumError } from "./errors.js"
import { computeTextDigest, type Digest } from "./hash.js"
import { itemKey, SECTION_NAMES, type SectionName } from "./item.js"
import { isArray, isObject, type JsonValue, parseJson } from "./json.js"
import { applyMasks, formatMasks, type Mask } from "./mask.js"

export { computeItemDigest, itemKey, SECTION_NAMES, type SectionName } from "./item.js"

/** All that a server says before any call, as received. null: not declared or missing. The four lists are arrays otherwise. */
export interface Surface {
  readonly instructions: JsonValue
  readonly tools: JsonValue
  readonly prompts: JsonValue
  readonly resourceTemplates: JsonValue
  readonly resources: JsonValue
  readonly serverInfo: JsonValue
}

/** Member of a surface that holds the items of a section. */
export const surfaceMember = (section: SectionName): "tools" | "prompts" | "resourceTemplates" | "resources" =>
  section === "templates" ? "resourceTemplates" : section

/** Read a surface from an object with its members; others are ignored, missing ones are null. Throws SURFACE_MALFORMED where the
 *  value is no object or a list is no array. */
export function parseSurface(value: JsonValue): Surface {
  if (!isObject(value)) throw new ToolsumError("SURFACE_MALFORMED", "expected an object with the members of a surface")
  const member = (name: string): JsonValue => (Object.hasOwn(value, name) ? (value[name] ?? null) : null)
  const list = (section: SectionName): JsonValue => {
    const name = surfaceMember(section)
    const items = member(name)
    if (items !== null && !isArray(items)) throw new ToolsumError("SURFACE_MALFORMED", `expected a list as ${name}`)
    return items
  }
  return {
    instructions: member("instructions"),
    tools: list("tools"),
    prompts: list("prompts"),
    resourceTemplates: list("templates"),
    resources: list("resources"),
    serverInfo: member("serverInfo"),
  }
}

/** The items a surface has in a section, null when it has no such list. Throws SURFACE_MALFORMED where it is no array: what is there
 *  but cannot be read is not nothing. */
export function surfaceItems(surface: Surface, section: SectionName): readonly JsonValue[] | null {
  const name = surfaceMember(section)
  const items = surface[name] ?? null
  if (items !== null && !isArray(items)) throw new ToolsumError("SURFACE_MALFORMED", `expected a list as ${name}`)
  return items
}

/** `serverInfo` as it is hashed: without its `version`, which moves with every release. */
export function withoutVersion(serverInfo: JsonValue): JsonValue {
  if (!isObject(serverInfo)) return serverInfo
  const copy: Record<string, JsonValue> = Object.assign(Object.create(null), serverInfo)
  delete copy.version
  return copy
}

/** One item of a section: its key, the digest and canonical text of what is hashed, and that value itself (after masks). */
export interface SectionItem {
  readonly key: string | null
  readonly digest: Digest
  readonly text: string
  readonly item: JsonValue
}

/** Count, digest and text of a section: one line per item, sorted. The text of an empty section is empty. */
export interface SectionDigest {
  readonly count: number
  readonly digest: Digest
  readonly text: string
}

/** A section with its items in the order of its lines. */
export interface Section extends SectionDigest {
  readonly items: readonly SectionItem[]
}

/** Section of `items` as received, in any order, after `masks`. Throws JSON_MALFORMED as `canonicalize`. */
export function computeSection(
  section: SectionName,
  items: readonly JsonValue[],
  masks: readonly Mask[] = [],
): Section {
  const entries = items.map((received): SectionItem => {
    const key = itemKey(section, received)
    const item = masks.length === 0 ? received : applyMasks(section, key, received, masks).value
    const text = canonicalize(item)
    return { key, digest: computeTextDigest(text), text, item }
  })
  const sorted = sortEntries(entries)
  return { ...digestOf(sorted), items: sorted.map(({ entry }) => entry) }
}

const SECTION_LINE = /^([0-9a-f]{64}) {2}(null|".*")$/

/** Keys and digests in a section text, in its order. Whether it hashes to a section digest is the caller's to check. Throws RECORD_INVALID for
 *  what is no section text. */
export function parseSectionText(text: string): readonly { readonly key: string | null; readonly digest: Digest }[] {
  const bad = (why: string) => new ToolsumError("RECORD_INVALID", `section text: ${why}`)
  if (text === "") return []
  if (!text.endsWith("\n")) throw bad("expected a final newline")
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => {
      const [, hex, key = ""] = SECTION_LINE.exec(line) ?? []
      if (hex === undefined) throw bad(`expected a digest and a key, got ${quote(line)}`)
      return { key: parseKey(key, bad), digest: `sha256:${hex}` }
    })
}

function parseKey(text: string, bad: (why: string) => ToolsumError): string | null {
  const key = parseJson(text)
  if (key === null || typeof key === "string") return key
  throw bad(`expected a key, got ${quote(text)}`)
}

/** The same from keys and digests alone, as a lockfile has them. */
export const computeSectionOfDigests = (
  entries: readonly { readonly key: string | null; readonly digest: Digest }[],
): SectionDigest => digestOf(sortEntries(entries))

interface Line<T> {
  readonly entry: T
  readonly key: string
  readonly hex: string
}

/** Order of `LC_ALL=C sort -k2`: by the bytes of the key as written, then by digest (formats.md 3). */
const sortEntries = <T extends { readonly key: string | null; readonly digest: Digest }>(
  entries: readonly T[],
): readonly Line<T>[] =>
  entries
    .map((entry) => ({ entry, key: canonicalize(entry.key), hex: entry.digest.slice("sha256:".length) }))
    .sort((a, b) => (a.key === b.key ? compareUtf8(a.hex, b.hex) : compareUtf8(a.key, b.key)))

function digestOf(lines: readonly Line<unknown>[]): SectionDigest {
  const text = lines.map(({ key, hex }) => `${hex}  ${key}\n`).join("")
  return { count: lines.length, digest: computeTextDigest(text), text }
}

/** Values of the record's section lines: `9 sha256:…` (lists), `sha256:…` (instructions and server), `none`, or `-` for not asked. */
export interface SurfaceLines {
  readonly tools: string
  readonly prompts: string
  readonly templates: string
  readonly resources: string
  readonly instructions: string
  readonly server: string
}

/** Lines and sections of a surface, and the texts an archive keeps under their SHA-256 (formats.md 21): section texts, canonical
 *  items after masks, instructions, serverInfo without version and the mask list; no empty text, none twice. */
export interface ComputedSurface {
  readonly lines: SurfaceLines
  readonly sections: Readonly<Partial<Record<SectionName, Section>>>
  readonly archive: readonly string[]
}

/** Digest a surface as read: `asked` sections only, the others are `-`. Throws SURFACE_MALFORMED where a list that was asked for is no
 *  array, JSON_MALFORMED as `canonicalize`. */
export function computeSurface(
  surface: Surface,
  asked: readonly SectionName[],
  masks: readonly Mask[] = [],
): ComputedSurface {
  const sections: Partial<Record<SectionName, Section>> = {}
  const line = (section: SectionName): string => {
    if (!asked.includes(section)) return "-"
    const items = surfaceItems(surface, section)
    if (items === null) return "none"
    const computed = computeSection(section, items, masks)
    sections[section] = computed
    return `${computed.count} ${computed.digest}`
  }
  const [tools, prompts, templates, resources] = [line("tools"), line("prompts"), line("templates"), line("resources")]
  const instructions = singleText("instructions", surface.instructions ?? null, masks)
  const server = singleText("server", withoutVersion(surface.serverInfo ?? null), masks)
  const lines = {
    tools,
    prompts,
    templates,
    resources,
    instructions: singleLine(instructions),
    server: singleLine(server),
  }
  return { lines, sections, archive: archiveTexts(sections, [instructions, server], masks) }
}

/** Canonical text of instructions or serverInfo after masks, null when there is none. */
const singleText = (section: "instructions" | "server", value: JsonValue, masks: readonly Mask[]): string | null =>
  value === null ? null : canonicalize(applyMasks(section, null, value, masks).value)

const singleLine = (text: string | null): string => (text === null ? "none" : computeTextDigest(text))

function archiveTexts(
  sections: Readonly<Partial<Record<SectionName, Section>>>,
  singles: readonly (string | null)[],
  masks: readonly Mask[],
): readonly string[] {
  const texts = SECTION_NAMES.flatMap((name) => {
    const section = sections[name]
    return section ? [section.text, ...section.items.map((item) => item.text)] : []
  })
  const list = masks.length === 0 ? [] : [canonicalize(formatMasks(masks))]
  return [...new Set([...texts, ...singles.filter((text) => text !== null), ...list])].filter((text) => text !== "")
}

/** SHA-256 over the seven lines from `state` to `server`, each with its line feed (formats.md 12). */
export const computeSurfaceDigest = (state: "listed" | "auth", lines: SurfaceLines): Digest =>
  computeTextDigest(formatSurfaceLines(state, lines))

/** The record's seven lines from `state` to `server`. */
export const formatSurfaceLines = (state: "listed" | "auth", lines: SurfaceLines): string =>
  `state ${state}\n${[...SECTION_NAMES, "instructions" as const, "server" as const].map((name) => `${name} ${lines[name]}\n`).join("")}`

/** The lists that were asked for when these lines were recorded. */
export const sectionsOf = (lines: SurfaceLines): readonly SectionName[] =>
  SECTION_NAMES.filter((section) => lines[section] !== "-")
