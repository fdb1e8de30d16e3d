// Untrusted text on a terminal: painted, and entries of a log as lines of their own. How it is escaped is shown-text.ts's.

import type { Run } from "../surface/shown-lines.js"
import { showText } from "../surface/shown-text.js"
import type { Paint } from "./paint.js"

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
