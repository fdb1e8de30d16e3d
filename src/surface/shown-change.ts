// One change as a person reads it: the pointer, then what went and what came; texts word by word. Without colour, removed text is
// [-so-] and added text {+so+}. Everything here comes from servers and is escaped.
import { diffArrays } from "diff"
import { canonicalize } from "../core/canonical.js"
import { isArray, isObject, type JsonValue } from "../core/json.js"
import type { Run } from "./shown-lines.js"
import { showAscii, showSpaces, showText } from "./shown-text.js"
import { diffWords, type Piece } from "./words.js"

/** How differences are marked. */
export interface Marks {
  /** Brackets around removed and added text, for output without colour. */
  readonly brackets: boolean
  /** Leave nothing out of texts: for output that a reader can fold. */
  readonly whole?: boolean
}

/** A change in words: `verb` says what happened, `runs` show it. `spaces`: white space was made visible. */
export interface Shown {
  readonly verb: string
  readonly runs: readonly Run[]
  readonly spaces: boolean
}

/** Characters of common text kept beside a change. */
const CONTEXT = 60
/** Characters of the end of a removed text that are shown, and half of those of its start: what came matters more. */
const REMOVED_CONTEXT = 120
/** Words up to this many characters together are shown side by side, not as a difference. */
const MAX_ASIDE = 400
/** Texts longer than this are shown without quotes and escapes of JSON. */
const MAX_QUOTED = 80
/** Elements taken out of or put into an array that are looked for. */
const MAX_ELEMENT_EDITS = 500

/** What happened to a value; absent where there was or is none. */
export function showChange(change: { before?: JsonValue; after?: JsonValue; note?: string }, marks: Marks): Shown {
  const { before, after } = change
  if (before === undefined)
    return { verb: "added", runs: [{ text: showValue(after ?? null), look: "added" }], spaces: false }
  if (after === undefined)
    return { verb: "removed", runs: [{ text: showValue(before), look: "removed" }], spaces: false }
  if (change.note === "order") return { ...showAside(before, after), verb: "same elements, other order" }
  if (isArray(before) && isArray(after)) return showElements(before, after, marks)
  return typeof before === "string" && typeof after === "string" && !isAside(before, after)
    ? showPieces(diffWords(before, after), marks)
    : showAside(before, after)
}

/** A value for people: a text of several words as it is, anything else as JSON. */
export const showValue = (value: JsonValue): string =>
  showText(typeof value === "string" && (value.length > MAX_QUOTED || isProse(value)) ? value : spell(value))

/** True for a text that needs no quotes to be seen whole and not to look like another value. */
const isProse = (text: string): boolean => /\s/.test(text) && text.trim() === text && !/^["{[]/.test(text)

/** JSON with a space after each comma and colon; members in canonical order, `$defs` and the like last. */
function spell(value: JsonValue): string {
  if (isArray(value)) return `[${value.map(spell).join(", ")}]`
  if (!isObject(value)) return canonicalize(value)
  const members = Object.keys(value)
    .sort((a, b) => Number(a.startsWith("$")) - Number(b.startsWith("$")) || (a < b ? -1 : 1))
    .map((name) => `${canonicalize(name)}: ${spell(value[name] ?? null)}`)
  return `{${members.join(", ")}}`
}

/** True where `before → after` reads better than a difference by word: single words. */
const isAside = (before: string, after: string): boolean =>
  before.length + after.length <= MAX_ASIDE && !/\s/.test(before + after)

/** Arrays element by element, common stretches shortened. */
function showElements(before: readonly JsonValue[], after: readonly JsonValue[], marks: Marks): Shown {
  const [a, b] = [before.map(spell), after.map(spell)]
  const found = diffArrays(a, b, { maxEditLength: MAX_ELEMENT_EDITS }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ]
  const runs = found.flatMap(({ value, removed, added }, i): readonly Run[] => {
    const look = removed ? "removed" : added ? "added" : "plain"
    const texts = look === "plain" ? elideElements(value) : value
    const separator = i === 0 ? "" : added && found[i - 1]?.removed ? " " : ", "
    return [{ text: separator, look: "plain" }, mark(guard(texts.map(showText).join(", "), marks), look, marks)]
  })
  return { verb: "", runs, spaces: false }
}

/** The ends of a common stretch of elements, each clipped. */
function elideElements(elements: readonly string[]): readonly string[] {
  const clip = (text: string) => (text.length <= CONTEXT ? text : `${text.slice(0, cutAt(text, CONTEXT, -1))}…`)
  return elements.length <= 5
    ? elements.map(clip)
    : [...elements.slice(0, 2).map(clip), "…", ...elements.slice(-2).map(clip)]
}

function showAside(before: JsonValue, after: JsonValue): Shown {
  const [a, b] = [spell(before), spell(after)]
  const show = isLookAlike(a, b) ? showAscii : showText
  return {
    verb: "",
    runs: [
      { text: show(a), look: "removed" },
      { text: " → ", look: "dim" },
      { text: show(b), look: "added" },
    ],
    spaces: false,
  }
}

function showPieces(pieces: readonly Piece[], marks: Marks): Shown {
  const shows = pieces.map((piece, i) => chooseShow(piece, pieces[i - 1], pieces[i + 1]))
  const runs = pieces.map((piece, i): Run => {
    const { kind, text } = piece
    if (kind === "same")
      return {
        text: guard(showText(marks.whole ? text : elideAround(text, i, pieces.length)), marks),
        look: "plain",
      }
    const shortened = kind === "removed" && !marks.whole ? elide(text, 2 * REMOVED_CONTEXT, REMOVED_CONTEXT) : text
    return mark(guard((shows[i] ?? showText)(shortened), marks), kind, marks)
  })
  return { verb: "", runs, spaces: shows.includes(showSpaces) }
}

/** What stayed, without what is far from the pieces beside it. */
const elideAround = (text: string, at: number, count: number): string =>
  elide(text, at > 0 ? CONTEXT : 0, at < count - 1 ? CONTEXT : 0)

/** Escaped text in our brackets, where colour does not say it. */
function mark(text: string, look: "plain" | "removed" | "added", { brackets }: Marks): Run {
  if (look === "plain" || !brackets) return { text, look }
  return { text: look === "removed" ? `[-${text}-]` : `{+${text}+}`, look }
}

/** How a changed piece is escaped: white space visible where only that differs, characters spelt out where two words look alike. */
function chooseShow(piece: Piece, previous: Piece | undefined, next: Piece | undefined): (text: string) => string {
  if (piece.kind === "same") return showText
  const partner = piece.kind === "removed" ? next : previous
  const other = partner && partner.kind !== "same" ? partner.text : ""
  const squeeze = (text: string) => text.replace(/\s+/g, "")
  if (piece.text.trim() === "" || squeeze(piece.text) === squeeze(other)) return showSpaces
  return isLookAlike(piece.text, other) ? showAscii : showText
}

/** True where two texts differ only by characters of which one is ASCII and the other is not, such as `a` and its Cyrillic twin. */
function isLookAlike(a: string, b: string): boolean {
  const [x, y] = [[...a.slice(0, 1000)], [...b.slice(0, 1000)]]
  if (a === b || a.length !== b.length || x.length !== y.length) return false
  return x.every((character, i) => character === y[i] || isAscii(character) !== isAscii(y[i] ?? ""))
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** A bracket of ours in a server's text is broken up, so that it cannot pretend to be one. */
const guard = (text: string, marks: Marks): string =>
  marks.brackets ? text.replace(/\[(?=-)|\{(?=\+)|-(?=\])|\+(?=\})/g, "$&\\") : text

/** Text with about `head` characters of its start and `tail` of its end, the rest left out where that is worth it. */
function elide(text: string, head: number, tail: number): string {
  if (text.length <= head + tail + CONTEXT / 2) return text
  const start = cutAt(text, head, 1)
  const end = cutAt(text, text.length - tail, -1)
  const join = head === 0 || tail === 0 ? "…" : " … "
  return `${text.slice(0, start)}${join}${text.slice(end)}`
}

/** The nearest place at or after (`step` 1) or before (-1) `at` where a word ends or begins, if one is near; else `at`, off surrogates. */
function cutAt(text: string, at: number, step: 1 | -1): number {
  for (let i = at; Math.abs(i - at) < 20 && i > 0 && i < text.length; i += step)
    if (/\s/.test(text[step === 1 ? i : i - 1] ?? "")) return i
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at + step : at
}
