// Texts of a server that say where it was read: the folder it was started in, the user's home, user and host name. A colleague's list
// differs there. Named only where they are no accident: paths of at least two parts, names in a place where a name belongs.
import { itemKey, SECTION_NAMES, type SectionName } from "../core/item.js"
import { isArray, isObject, type JsonValue } from "../core/json.js"
import { findMaskedSpans, isOfClass, MAX_MASK_SPAN, MAX_MASKS, type Mask } from "../core/mask.js"
import { formatPointer } from "../core/pointer.js"
import { type Surface, surfaceItems, withoutVersion } from "../core/section.js"
import { anchorMask, type MaskPlace } from "./mask-offers.js"
import type { Stretch } from "./stretches.js"

/** What a text can have of this machine. */
export type LocalKind = "folder" | "home" | "user" | "host"

/** Where a server is read: absolute paths and plain names, null where that is not known. */
export type LocalNames = Readonly<Record<LocalKind, string | null>>

/** A text with something of this machine in it, and masks for that; none where `problem` says why. */
export interface LocalText extends MaskPlace {
  readonly kind: LocalKind
  readonly masks: readonly Mask[]
  readonly problem: string | null
}

/** Names are short: one that is shorter is a word like any other. */
const MIN_NAME = 3
/** A host name that may stand anywhere: as long, and with a digit, dot or hyphen in it. */
const MIN_HOST = 6
/** Room for a colleague's folder, which may be longer. */
const MAX_PATH = MAX_MASK_SPAN
const MAX_NAME = 64

/** Every text of the sections, instructions and server information with something of this machine outside its masks, by section, item
 *  and pointer; one for each kind. Pure. */
export function findLocalTexts(
  surface: Surface,
  p: { readonly sections: readonly SectionName[]; readonly masks: readonly Mask[]; readonly names: LocalNames },
): readonly LocalText[] {
  const needles = listNeedles(p.names)
  if (needles.length === 0) return []
  const items = SECTION_NAMES.filter((name) => p.sections.includes(name)).flatMap((section) =>
    (surfaceItems(surface, section) ?? []).map((item) => [section, itemKey(section, item), item] as const),
  )
  return [
    ["instructions", null, surface.instructions] as const,
    ...items,
    ["server", null, withoutVersion(surface.serverInfo)] as const,
  ].flatMap(([section, item, value]) => {
    const spans = findMaskedSpans(section, item, value, p.masks).filter((span) => span !== null)
    return listTexts(value, []).flatMap(({ tokens, text }) => {
      const place = { section, item, pointer: formatPointer(tokens) }
      const masked = spans.filter((span) => span.mask.pointer === place.pointer)
      const found = findNeedles(text, needles).filter((hit) => !masked.some((span) => touches(hit, span)))
      return describeHits(place, text, found, masked)
    })
  })
}

interface Needle {
  readonly kind: LocalKind
  readonly pattern: RegExp
}

interface Range {
  readonly start: number
  readonly end: number
}

interface Hit extends Range {
  readonly kind: LocalKind
}

const touches = (a: Range, b: Range): boolean => a.start < b.end && b.start < a.end

/** The longest first: a folder in the user's home is no second finding. */
function listNeedles({ folder, home, user, host }: LocalNames): readonly Needle[] {
  const paths = ([["folder", folder] as const, ["home", home] as const] as const)
    .filter((entry): entry is readonly ["folder" | "home", string] => entry[1] !== null && isSpecificPath(entry[1]))
    .sort((a, b) => b[1].length - a[1].length)
    .map(
      ([kind, path]): Needle => ({
        kind,
        pattern: new RegExp(`(?<![\\p{L}\\p{N}_.-])${anySlash(path)}(?![\\p{L}\\p{N}_-])`, "gu"),
      }),
    )
  return [...paths, ...nameNeedles("user", user), ...nameNeedles("host", host)]
}

/** Two parts below the root at least: `/app` and `/root` stand in texts that know nothing of this machine. */
const isSpecificPath = (path: string): boolean => /^(?:[A-Za-z]:)?(?:[\\/][^\\/]+){2,}[\\/]?$/.test(path)

/** A path in its own spelling, or with the other kind of slash. */
const anySlash = (path: string): string =>
  path
    .replace(/[\\/]$/, "")
    .split(/[\\/]/)
    .map(escapePattern)
    .join("[\\\\/]")

/** A name counts as part of a path or of an address; a host name with a digit, dot or hyphen also by itself. */
function nameNeedles(kind: "user" | "host", name: string | null): readonly Needle[] {
  if (name === null || name.length < MIN_NAME || COMMON_NAMES.has(name.toLowerCase())) return []
  const word = escapePattern(name)
  const whole = (before: string, after: string) => new RegExp(`${before}${word}${after}`, "giu")
  if (kind === "user")
    return [
      { kind, pattern: whole("(?<=[\\\\/](?:home|users)[\\\\/])", "(?![\\p{L}\\p{N}_.-])") },
      { kind, pattern: whole("(?<![\\p{L}\\p{N}_.+-])", "(?=@[\\p{L}\\p{N}])") },
    ]
  const isSpecific = name.length >= MIN_HOST && /[0-9.-]/.test(name)
  return [
    { kind, pattern: whole(isSpecific ? "(?<![\\p{L}\\p{N}_.-])" : "(?<=[\\p{L}\\p{N}]@)", "(?![\\p{L}\\p{N}_-])") },
  ]
}

/** Accounts and hosts of images and installers, lower case: everybody has them. */
export const COMMON_NAMES: ReadonlySet<string> = new Set(
  "admin administrator app debian default docker ec2-user guest localhost node public root runner test ubuntu user users vscode".split(
    " ",
  ),
)

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

/** Where needles are in a text, in order; of two that overlap the one that is looked for first. No more than a list has masks, and one. */
function findNeedles(text: string, needles: readonly Needle[]): readonly Hit[] {
  const hits: Hit[] = []
  for (const { kind, pattern } of needles)
    for (const match of text.matchAll(pattern)) {
      if (hits.length > MAX_MASKS) break
      const hit = { kind, start: match.index, end: match.index + match[0].length }
      if (!hits.some((other) => touches(hit, other))) hits.push(hit)
    }
  return hits.sort((a, b) => a.start - b.start)
}

/** Every text in a value, with the way to it. */
function listTexts(
  value: JsonValue,
  tokens: readonly string[],
): readonly { readonly tokens: readonly string[]; readonly text: string }[] {
  if (typeof value === "string") return [{ tokens, text: value }]
  if (isArray(value)) return value.flatMap((element, i) => listTexts(element, [...tokens, String(i)]))
  if (!isObject(value)) return []
  return Object.keys(value).flatMap((name) => listTexts(value[name] ?? null, [...tokens, name]))
}

/** One finding for each kind in a text. Masks hold on to what stands between the hits and what is masked already. */
function describeHits(
  place: MaskPlace,
  text: string,
  hits: readonly Hit[],
  masked: readonly Range[],
): readonly LocalText[] {
  const taken = [...hits, ...masked].sort((a, b) => a.start - b.start)
  return [...new Set(hits.map(({ kind }) => kind))].map((kind) => {
    if (hits.length > MAX_MASKS)
      return { ...place, kind, masks: [], problem: `it is there more than ${MAX_MASKS} times` }
    const offers = hits.filter((hit) => hit.kind === kind).map((hit) => offerLocal(place, text, hit, taken))
    const problem = offers.find((offer) => offer.problem !== null)?.problem ?? null
    return { ...place, kind, problem, masks: problem === null ? offers.flatMap(({ mask }) => mask ?? []) : [] }
  })
}

function offerLocal(place: MaskPlace, text: string, hit: Hit, taken: readonly Range[]) {
  const i = taken.indexOf(hit)
  const stretch: Stretch = {
    spots: [{ text, start: hit.start, end: hit.end }],
    before: hit.start - (taken[i - 1]?.end ?? 0),
    after: (taken[i + 1]?.start ?? text.length) - hit.end,
  }
  if (!isOfClass(text.slice(hit.start, hit.end), "path"))
    return { mask: null, problem: "it has characters that no class of masks has" }
  if (place.item === null && place.section !== "instructions" && place.section !== "server")
    return { mask: null, problem: "the item has no name" }
  const exact = anchorMask(place, "path", stretch)
  const offer = exact.mask === null ? anchorMask(place, "path", toEndOfPath(stretch)) : exact
  const max = hit.kind === "folder" || hit.kind === "home" ? MAX_PATH : MAX_NAME
  return offer.mask === null ? offer : { ...offer, mask: { ...offer.mask, max } }
}

/** A full stop after a host name is in the name too: there the span ends where no character of a path is. */
function toEndOfPath({ spots, before, after }: Stretch): Stretch {
  const [spot] = spots
  let more = 0
  while (spot && more < after && isOfClass(spot.text[spot.end + more] ?? "", "path")) more++
  return { spots: spots.map((one) => ({ ...one, end: one.end + more })), before, after: after - more }
}
