// What two readings of one server do not agree on although nothing was changed in between, place by place, and the masks that would make
// them agree (DESIGN 3.6). Only texts at one place of one item can be masked; another list each time cannot.
import { compareUtf8 } from "../core/bytes.js"
import { canonicalize } from "../core/canonical.js"
import { itemKey, SECTION_NAMES, type SectionName } from "../core/item.js"
import { isArray, isObject, type JsonValue } from "../core/json.js"
import { applyMasks, findMaskedSpans, MAX_MASKS, type Mask, type MaskSection } from "../core/mask.js"
import { formatPointer, valueAt } from "../core/pointer.js"
import { type Surface, surfaceItems, withoutVersion } from "../core/section.js"
import { coverTexts } from "./cover-texts.js"
import { pairItems } from "./items.js"
import type { MaskPlace } from "./mask-offers.js"
import type { Gap } from "./stretches.js"

/** A place at which two readings differ. `first` or `second` is absent where nothing was. */
export interface UnstablePlace extends MaskPlace {
  readonly first?: JsonValue
  readonly second?: JsonValue
  /** Masks that, with those given, make this place equal in both readings; empty where `problem` says why there are none. */
  readonly masks: readonly Mask[]
  readonly problem: string | null
}

/** What two readings are compared by. */
export interface UnstableOptions {
  readonly sections: readonly SectionName[]
  readonly masks: readonly Mask[]
}

/** Most places that are looked at; a server that changes more is beyond masks. */
export const MAX_PLACES = 200

/** Every place at which two surfaces differ after masks, by section, item and pointer; empty if and only if their digests are equal. */
export function findUnstable(first: Surface, second: Surface, options: UnstableOptions): readonly UnstablePlace[] {
  const { sections, masks } = options
  const places = [
    ...comparePair(
      { section: "instructions", key: null, first: first.instructions, second: second.instructions },
      masks,
    ),
    ...SECTION_NAMES.filter((name) => sections.includes(name)).flatMap((name) =>
      compareList(name, first, second, masks),
    ),
    ...comparePair(
      {
        section: "server",
        key: null,
        first: withoutVersion(first.serverInfo),
        second: withoutVersion(second.serverInfo),
      },
      masks,
    ),
  ].slice(0, MAX_PLACES)
  return withinLimit(places, masks.length)
}

/** A list has room for so many masks. */
function withinLimit(places: readonly UnstablePlace[], given: number): readonly UnstablePlace[] {
  let count = given
  return places.map((place) => {
    count += place.masks.length
    if (count <= MAX_MASKS || place.masks.length === 0) return place
    return { ...place, masks: [], problem: `a pin has at most ${MAX_MASKS} masks` }
  })
}

const ANOTHER_LIST = "no mask can cover that: the server gives another list each time"

function compareList(
  section: SectionName,
  first: Surface,
  second: Surface,
  masks: readonly Mask[],
): readonly UnstablePlace[] {
  const [a, b] = [surfaceItems(first, section), surfaceItems(second, section)]
  const place = { section, item: null, pointer: "", masks: [], problem: ANOTHER_LIST }
  if (a === null || b === null)
    return a === b ? [] : [{ ...place, ...(a === null ? {} : { first: a }), ...(b === null ? {} : { second: b }) }]
  const raw = new Map<JsonValue, JsonValue>()
  const masked = (item: JsonValue): JsonValue => {
    const value = applyMasks(section, itemKey(section, item), item, masks).value
    raw.set(value, item)
    return value
  }
  const { pairs, removed, added } = pairItems(section, a.map(masked), b.map(masked))
  const differing = pairs.filter(({ before, after }) => canonicalize(before) !== canonicalize(after))
  const pairPlaces = differing
    .slice(0, MAX_PLACES)
    .flatMap(({ key, before, after }) =>
      comparePair({ section, key, first: raw.get(before) ?? before, second: raw.get(after) ?? after }, masks),
    )
  return [
    ...pairPlaces,
    ...removed.map(({ key, item }) => ({ ...place, item: key, first: item })),
    ...added.map(({ key, item }) => ({ ...place, item: key, second: item })),
  ].sort((x, y) => compareUtf8(x.item ?? "", y.item ?? ""))
}

/** The same item, instructions or server information in two readings, unmasked. */
interface Pair {
  readonly section: MaskSection
  readonly key: string | null
  readonly first: JsonValue
  readonly second: JsonValue
}

function comparePair(pair: Pair, masks: readonly Mask[]): readonly UnstablePlace[] {
  const { section, key } = pair
  const mask = (value: JsonValue) => applyMasks(section, key, value, masks).value
  if (pair.first === null || pair.second === null)
    return pair.first === pair.second ? [] : [structural({ section, item: key, pointer: "" }, pair)]
  return findDifferences(mask(pair.first), mask(pair.second), []).map(({ tokens, problem }) =>
    judgePlace(pair, tokens, problem, masks),
  )
}

/** A place that no mask reaches. */
function structural(place: MaskPlace, { first, second }: { first?: JsonValue; second?: JsonValue }): UnstablePlace {
  const values = { ...(first === undefined ? {} : { first }), ...(second === undefined ? {} : { second }) }
  return { ...place, ...values, masks: [], problem: "no mask can cover that: only texts can be masked" }
}

interface Difference {
  readonly tokens: readonly string[]
  /** Why no mask can cover it; null for two texts. */
  readonly problem: string | null
}

/** Where two values differ: at texts, or at the smallest part that is no text on both sides. */
function findDifferences(a: JsonValue, b: JsonValue, tokens: readonly string[]): readonly Difference[] {
  if (isArray(a) && isArray(b) && a.length === b.length) {
    if (isReordered(a, b)) return [{ tokens, problem: "no mask can cover that: the same elements in another order" }]
    return a.flatMap((element, i) => findDifferences(element, b[i] ?? null, [...tokens, String(i)]))
  }
  if (isObject(a) && isObject(b)) {
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(compareUtf8)
    return names.flatMap((name) => {
      const here = [...tokens, name]
      if (!Object.hasOwn(a, name) || !Object.hasOwn(b, name)) return [{ tokens: here, problem: NO_TEXT }]
      return findDifferences(a[name] ?? null, b[name] ?? null, here)
    })
  }
  if (typeof a === "string" && typeof b === "string") return a === b ? [] : [{ tokens, problem: null }]
  return canonicalize(a) === canonicalize(b) ? [] : [{ tokens, problem: NO_TEXT }]
}

const NO_TEXT = "no mask can cover that: only texts can be masked"

function isReordered(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  const [x, y] = [a.map(canonicalize), b.map(canonicalize)]
  return x.join() !== y.join() && x.sort().join() === y.sort().join()
}

/** The place with the masks that cover what differs there. */
function judgePlace(
  pair: Pair,
  tokens: readonly string[],
  problem: string | null,
  masks: readonly Mask[],
): UnstablePlace {
  const { section, key } = pair
  const [first, second] = [valueAt(pair.first, tokens), valueAt(pair.second, tokens)]
  const place = { section, item: key, pointer: formatPointer(tokens) }
  const values = { ...(first === undefined ? {} : { first }), ...(second === undefined ? {} : { second }) }
  if (problem !== null || typeof first !== "string" || typeof second !== "string")
    return { ...place, ...values, masks: [], problem: problem ?? NO_TEXT }
  if (section !== "instructions" && section !== "server" && key === null)
    return { ...place, ...values, masks: [], problem: "no mask can cover that: the item has no name" }
  const offered = coverTexts({ place, first, second, fixed: findFixed(pair, place.pointer, masks) })
  if (typeof offered === "string") return { ...place, ...values, masks: [], problem: `no mask fits: ${offered}` }
  return isCovered(pair, tokens, [...masks, ...offered])
    ? { ...place, ...values, masks: offered, problem: null }
    : { ...place, ...values, masks: [], problem: "no mask fits: one that is given already is in the way" }
}

/** Whether masks make a text the same in both readings. */
function isCovered({ section, key, first, second }: Pair, tokens: readonly string[], masks: readonly Mask[]): boolean {
  const textOf = (value: JsonValue) => valueAt(applyMasks(section, key, value, masks).value, tokens)
  return textOf(first) === textOf(second)
}

/** Spans at one place that given masks cover in both readings, in order. */
function findFixed({ section, key, first, second }: Pair, pointer: string, masks: readonly Mask[]): readonly Gap[] {
  const spans = findMaskedSpans(section, key, second, masks)
  const gaps = findMaskedSpans(section, key, first, masks).flatMap((span, i) => {
    const other = spans[i]
    return span && other && span.mask.pointer === pointer ? [{ first: span, second: other }] : []
  })
  return gaps.sort((a, b) => a.first.start - b.first.start)
}

/** The masks of all places that have one, none twice. */
export const masksOf = (places: readonly UnstablePlace[]): readonly Mask[] => places.flatMap(({ masks }) => masks)

/** Masks that nothing in a surface matches. */
export function findIdleMasks(surface: Surface, masks: readonly Mask[]): readonly Mask[] {
  return masks.filter((mask) => {
    const { section, item } = mask
    const values =
      section === "instructions"
        ? [surface.instructions]
        : section === "server"
          ? [withoutVersion(surface.serverInfo)]
          : (surfaceItems(surface, section) ?? []).filter((value) => itemKey(section, value) === item)
    // The whole list: of masks that overlap none applies.
    return !values.some((value) => findMaskedSpans(section, item, value, masks).some((span) => span?.mask === mask))
  })
}
