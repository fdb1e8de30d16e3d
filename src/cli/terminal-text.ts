// Untrusted text on a terminal: escaped, wrapped and clipped, so that a server's words can neither move the cursor nor look like
// lines of our own. What a diff says and how it is laid out is left to render-diff.ts.
import { escapeInvisible } from "../core/errors.js"
import type { Paint } from "./paint.js"

/** How a stretch of text looks. */
export type Look = "plain" | "dim" | "bold" | "removed" | "added" | "changed"

/** A stretch of escaped text; a line feed in it ends the line, everything else takes no, one or two columns. */
export interface Run {
  readonly text: string
  readonly look: Look
}

const COLOURS = { dim: "dim", bold: "bold", removed: "red", added: "green", changed: "yellow" } as const

/** One line of runs as text; neighbours that look the same are painted together. */
export function paintRuns(runs: readonly Run[], paint: Paint): string {
  let line = ""
  let text = ""
  for (const [i, run] of runs.entries()) {
    text += run.text
    if (run.look === runs[i + 1]?.look) continue
    line += run.look === "plain" || text === "" ? text : paint[COLOURS[run.look]](text)
    text = ""
  }
  return line
}

const ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\r": "\\r" }

/** Untrusted text with nothing hidden in it: control and format characters, every space but the plain one and piles of combining
 *  marks become escapes. Line feeds stay. */
export const showText = (text: string): string =>
  text
    .split("\n")
    .map((line) =>
      escapeInvisible(line.replace(/[\t\r]/g, (c) => ESCAPES[c] ?? c)).replace(/[^\S ]|\p{M}{5,}/gu, escapeAll),
    )
    .join("\n")

/** Untrusted bytes as lines of text of their own, each behind two spaces, so that none looks like one of ours. Ends with a line feed. */
export const showEntry = (bytes: Uint8Array): string =>
  decodeEntry(bytes)
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `  ${line}\n`)
    .join("")

/** Untrusted bytes as text, as `showText` shows it. */
export const decodeEntry = (bytes: Uint8Array): string =>
  showText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))

/** Every UTF-16 unit as a `\u` escape. */
const escapeAll = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")

/** As `showText`, with white space visible: `·` is a space, `⇥` a tab, `⏎` a line feed. */
export const showSpaces = (text: string): string =>
  showText(text.replace(/[ \t\n]/g, (c) => (c === " " ? "·" : c === "\t" ? "⇥" : "⏎")))

/** As `showText`, with every character beyond ASCII as an escape. */
export const showAscii = (text: string): string => showText(text).replace(/[^\n -~]/gu, escapeAll)

/** Untrusted text on one line, at most `max` code points of it; in quotes unless it is one visible word. */
export function showName(text: string, max = 100): string {
  const points = [...text.slice(0, 2 * max)]
  const clipped = points.length > max || text.length > 2 * max
  const shown = showText(clipped ? points.slice(0, max).join("") : text)
  if (!clipped && shown === text && /^[^\s"]+$/.test(text)) return text
  return `"${shown.replaceAll("\n", "\\n").replaceAll('"', '\\"')}"${clipped ? "…" : ""}`
}

/** Name of an item as `showName`, null as "(no name)"; one with characters beyond ASCII is spelt out too, since it may look like another. */
export function showItem(name: string | null): string {
  if (name === null) return "(no name)"
  const [shown, spelt] = [showName(name), showName(showAscii(name))]
  return shown === spelt || ASCII.test(shown) ? shown : `${shown} (${spelt})`
}

const ASCII = /^[ -~]*$/
const ZERO = /^\p{M}$/u
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u

/** Columns of escaped text without line feeds, near enough: East Asian wide characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) width += ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** Runs broken into lines of at most `width` columns: at line feeds, else at a space, else anywhere. Stops after `maxLines`; `cut`
 *  says that more would follow. */
export function wrapRuns(
  runs: readonly Run[],
  width: number,
  maxLines = Number.POSITIVE_INFINITY,
): { lines: readonly (readonly Run[])[]; cut: boolean } {
  const lines: Run[][] = [[]]
  let used = 0
  for (const { text, look } of runs)
    for (const token of splitTokens(text, width)) {
      const columns = token === "\n" ? 0 : widthOf(token)
      const full = used > 0 && used + columns > width
      if (token === "\n" || full) {
        if (lines.length >= maxLines) return { lines: lines.map(dropLastSpace), cut: true }
        lines.push([])
        used = 0
      }
      // The end of the line stands for the space it broke at.
      if (token === "\n" || (full && token === " ")) continue
      lines.at(-1)?.push({ text: token, look })
      used += columns
    }
  return { lines: lines.map(dropLastSpace), cut: false }
}

const dropLastSpace = (line: readonly Run[]): readonly Run[] => (line.at(-1)?.text === " " ? line.slice(0, -1) : line)

/** Line feeds, words and stretches of spaces; what is wider than a line in parts that are not. */
function* splitTokens(text: string, width: number): Generator<string> {
  for (const [token] of text.matchAll(/\n| +|[^\n ]+/g)) {
    // No column takes more than 10 units once piles of marks are escaped: a longer token need not be measured.
    if (token.length <= 10 * width && widthOf(token) <= width) yield token
    else yield* splitWide(token, width)
  }
}

function* splitWide(token: string, width: number): Generator<string> {
  let part = ""
  let used = 0
  for (const character of token) {
    const columns = widthOf(character)
    if (part !== "" && used + columns > width) {
      yield part
      part = ""
      used = 0
    }
    part += character
    used += columns
  }
  yield part
}
