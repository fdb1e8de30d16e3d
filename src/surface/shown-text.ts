// Untrusted text for people: nothing hidden, nothing that moves other text, on a terminal, in Markdown or in a page. What each of them
// takes for markup is left to them.
import { escapeInvisible, escapeUnits } from "../core/errors.js"

// What the runner of GitHub Actions obeys where it stands in a log: `::name …::` first on a line, `##[name]` anywhere.
const COMMAND = /:(?=:[a-z-]+(?: [^\n]*?)?::)|#(?=#\[)/gi

/** Commands to a runner with their first sign as an escape, so that a log which shows them obeys none. */
const breakCommands = (text: string): string =>
  text.includes("::") || text.includes("##[") ? text.replace(COMMAND, escapeUnits) : text

const ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\r": "\\r" }

/** Untrusted text with nothing hidden in it: control and format characters, every space but the plain one and piles of combining
 *  marks become escapes. Line feeds stay. */
export const showText = (text: string): string =>
  breakCommands(text)
    .split("\n")
    .map((line) =>
      escapeInvisible(line.replace(/[\t\r]/g, (c) => ESCAPES[c] ?? c)).replace(/[^\S ]|\p{M}{5,}/gu, escapeUnits),
    )
    .join("\n")

/** As `showText`, with white space visible: `·` is a space, `⇥` a tab, `⏎` a line feed. */
export const showSpaces = (text: string): string =>
  showText(text.replace(/[ \t\n]/g, (c) => (c === " " ? "·" : c === "\t" ? "⇥" : "⏎")))

/** As `showText`, with every character beyond ASCII as an escape. */
export const showAscii = (text: string): string => showText(text).replace(/[^\n -~]/gu, escapeUnits)

/** Untrusted text on one line, at most `max` code points of it; in quotes unless it is one visible word. */
export function showName(text: string, max = 100): string {
  const { shown, clipped } = clip(text, max)
  if (!clipped && shown === text && /^[^\s"]+$/.test(text)) return text
  return `"${shown.replaceAll("\n", "\\n").replaceAll('"', '\\"')}"${clipped ? "…" : ""}`
}

/** The same without quotes, for a place of its own. */
export function showLine(text: string, max: number): string {
  const { shown, clipped } = clip(text, max)
  return `${shown.replaceAll("\n", "\\n")}${clipped ? "…" : ""}`
}

function clip(text: string, max: number): { readonly shown: string; readonly clipped: boolean } {
  const points = [...text.slice(0, 2 * max)]
  const clipped = points.length > max || text.length > 2 * max
  return { shown: showText(clipped ? points.slice(0, max).join("") : text), clipped }
}

/** Name of an item as `showName`, null as "(no name)"; one with characters beyond ASCII is spelt out too, since it may look like another. */
export function showItem(name: string | null): string {
  if (name === null) return "(no name)"
  const [shown, spelt] = [showName(name), showName(showAscii(name))]
  return shown === spelt || ASCII.test(shown) ? shown : `${shown} (${spelt})`
}

const ASCII = /^[ -~]*$/
