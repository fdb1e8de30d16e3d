// Masks (DESIGN 3.6, formats.md 6 to 9): literal places of a surface whose text changes by itself, such as a build date. The
// masked span is replaced by the name of its class before hashing. No regular expressions from outside, never a whole description.

import { compareUtf8 } from "./bytes.js"
import { canonicalize } from "./canonical.js"
import { quote, ToolsumError } from "./errors.js"
import { computeTextDigest, type Digest } from "./hash.js"
import { KEY_MEMBERS, SECTION_NAMES, type SectionName } from "./item.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "./json.js"
import { formatPointer, parsePointer, replaceAt, valueAt } from "./pointer.js"

/** What a masked span may consist of, ASCII only. */
export type MaskClass = "digits" | "hex" | "uuid" | "path" | "url" | "date"

/** Where a mask applies. */
export type MaskSection = SectionName | "instructions" | "server"

/** One mask. The span is what stands between `prefix` and `suffix` in the string at `pointer` of the item with the key `item`
 *  (null for instructions and server); it has 1 to `max` characters of `class`. */
export interface Mask {
  readonly section: MaskSection
  readonly item: string | null
  readonly pointer: string
  readonly prefix: string
  readonly suffix: string
  readonly class: MaskClass
  readonly max: number
}

/** Most masks of one list. */
export const MAX_MASKS = 64
/** Largest `max` of a mask, in characters. */
export const MAX_MASK_SPAN = 256

const CLASSES: Readonly<Record<MaskClass, RegExp>> = {
  digits: /^[0-9]+$/,
  hex: /^[0-9A-Fa-f]+$/,
  uuid: /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/,
  path: /^[A-Za-z0-9._~/\\:@+%-]+$/,
  url: /^https?:\/\/[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/,
  date: /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?$/,
}

/** True for a span that a mask of this class can cover, whatever its length. */
export const isOfClass = (span: string, name: MaskClass): boolean => CLASSES[name].test(span)

const MEMBERS: readonly string[] = ["class", "item", "max", "pointer", "prefix", "section", "suffix"]

const bad = (why: string) => new ToolsumError("MASK_MALFORMED", why)

/** Read a mask list from JSON, in the order given (formats.md 6). Throws MASK_MALFORMED. */
export function parseMasks(value: JsonValue): readonly Mask[] {
  if (!isArray(value)) throw bad("expected a list of masks")
  if (value.length > MAX_MASKS) throw bad(`expected at most ${MAX_MASKS} masks, got ${value.length}`)
  const masks = value.map(parseMask)
  if (new Set(masks.map(canonicalMask)).size !== masks.length) throw bad("expected every mask once")
  return masks
}

/** The list as JSON, sorted by the UTF-8 bytes of the masks' canonical forms (formats.md 9). */
export const formatMasks = (masks: readonly Mask[]): JsonValue =>
  [...masks].sort((a, b) => compareUtf8(canonicalMask(a), canonicalMask(b))).map(maskObject)

/** SHA-256 over the canonical sorted list, `-` for no masks (formats.md 9). */
export const computeMaskDigest = (masks: readonly Mask[]): Digest | "-" =>
  masks.length === 0 ? "-" : computeTextDigest(canonicalize(formatMasks(masks)))

const maskObject = (mask: Mask): JsonObject => ({ ...mask })
const canonicalMask = (mask: Mask): string => canonicalize(maskObject(mask))

const hasExactly = (object: JsonObject, names: readonly string[]): boolean =>
  Object.keys(object).length === names.length && names.every((name) => Object.hasOwn(object, name))

function parseMask(value: JsonValue): Mask {
  if (!isObject(value) || !hasExactly(value, MEMBERS)) {
    throw bad(`expected a mask with the members ${MEMBERS.join(", ")}`)
  }
  const section = parseSection(value.section)
  const mask = {
    section,
    item: parseItem(section, value.item),
    pointer: parseText(value.pointer, "pointer"),
    prefix: parseText(value.prefix, "prefix"),
    suffix: parseText(value.suffix, "suffix"),
    class: parseClass(value.class),
    max: parseMax(value.max),
  }
  checkReach(mask)
  return mask
}

function parseText(value: JsonValue | undefined, member: string): string {
  if (typeof value !== "string") throw bad(`expected a string as the ${member} of a mask`)
  return value
}

function parseSection(value: JsonValue | undefined): MaskSection {
  const text = parseText(value, "section")
  const known = [...SECTION_NAMES, "instructions", "server"] as const
  const section = known.find((name) => name === text)
  if (section === undefined) throw bad(`expected a section of ${known.join(", ")}, got ${quote(text)}`)
  return section
}

function parseItem(section: MaskSection, value: JsonValue | undefined): string | null {
  if (isItemSection(section)) return parseText(value, "item")
  if (value !== null) throw bad(`expected null as the item of a mask on ${section}`)
  return null
}

function parseClass(value: JsonValue | undefined): MaskClass {
  const text = parseText(value, "class")
  if (!Object.hasOwn(CLASSES, text)) {
    throw bad(`expected a class of ${Object.keys(CLASSES).join(", ")}, got ${quote(text)}`)
  }
  return text as MaskClass // just found among the classes
}

function parseMax(value: JsonValue | undefined): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > MAX_MASK_SPAN) {
    throw bad(`expected an integer from 1 to ${MAX_MASK_SPAN} as the max of a mask`)
  }
  return value
}

const isItemSection = (section: MaskSection): section is SectionName =>
  section !== "instructions" && section !== "server"

/** What a mask may not cover: the item's key, and a whole description, title or instructions. */
function checkReach({ section, pointer, prefix, suffix }: Mask): void {
  const tokens = parsePointer(pointer, bad)
  if (section === "instructions" && pointer !== "") throw bad("expected an empty pointer in a mask on instructions")
  if (isItemSection(section) && pointer === formatPointer([KEY_MEMBERS[section]])) {
    throw bad(`expected a mask off the key, got ${quote(pointer)} of ${section}`)
  }
  const last = tokens.at(-1)
  const prose = section === "instructions" || last === "description" || last === "title"
  if (prose && prefix === "" && suffix === "")
    throw bad("expected a prefix or suffix in a mask on a description or title")
}

/** Put the masks of one item into `value`: `key` is the item's key, null for instructions, server and nameless items (which no mask
 *  matches). `applied` says per mask of the list whether it did; a mask that does not match changes nothing (formats.md 7). */
export function applyMasks(
  section: MaskSection,
  key: string | null,
  value: JsonValue,
  masks: readonly Mask[],
): { value: JsonValue; applied: readonly boolean[] } {
  const spans = findMaskedSpans(section, key, value, masks)
  const last = spans.filter((span) => span !== null).sort((a, b) => b.start - a.start)
  return { value: last.reduce(replaceSpan, value), applied: spans.map((span) => span !== null) }
}

/** What a mask replaces: the UTF-16 units from `start` to `end` of the string at its pointer. */
export interface MaskedSpan {
  readonly mask: Mask
  readonly start: number
  readonly end: number
}

/** The span of each mask in the item `value` with the key `key`; null for a mask that does not apply to it (formats.md 7). */
export function findMaskedSpans(
  section: MaskSection,
  key: string | null,
  value: JsonValue,
  masks: readonly Mask[],
): readonly (MaskedSpan | null)[] {
  const spans = masks.map((mask) => (mask.section === section && mask.item === key ? findSpan(mask, value) : null))
  return spans.map((span) => (span && spans.some((other) => other && overlaps(span, other)) ? null : span))
}

/** The span of a mask in the unmasked text, or null where it does not match. */
function findSpan(mask: Mask, value: JsonValue): MaskedSpan | null {
  const text = valueAt(value, parsePointer(mask.pointer, bad))
  if (typeof text !== "string") return null
  const prefixAt = text.indexOf(mask.prefix)
  if (prefixAt < 0 || (mask.prefix !== "" && text.includes(mask.prefix, prefixAt + 1))) return null
  const start = prefixAt + mask.prefix.length
  const end = mask.suffix === "" ? text.length : text.indexOf(mask.suffix, start)
  if (end - start < 1 || end - start > mask.max) return null
  return isOfClass(text.slice(start, end), mask.class) ? { mask, start, end } : null
}

const overlaps = (a: MaskedSpan, b: MaskedSpan): boolean =>
  a !== b && a.mask.pointer === b.mask.pointer && a.start < b.end && b.start < a.end

/** Spans are replaced from the last to the first, so that the places of those before stay right. */
function replaceSpan(value: JsonValue, { mask, start, end }: MaskedSpan): JsonValue {
  const tokens = parsePointer(mask.pointer, bad)
  const text = valueAt(value, tokens)
  return typeof text === "string"
    ? replaceAt(value, tokens, text.slice(0, start) + mask.class + text.slice(end))
    : value
}
