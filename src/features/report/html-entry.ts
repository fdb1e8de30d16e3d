// One entry of the page: what it is, then place by place what it means and the texts, word by word.

import { showChange } from "../../surface/shown-change.js"
import { showFinding } from "../../surface/shown-finding.js"
import type { Run } from "../../surface/shown-lines.js"
import { showLine } from "../../surface/shown-text.js"
import type { Entry, Part } from "./entries.js"
import { type Html, html, NOTHING, when } from "./html-markup.js"
import { NOT_GRADED, titleOf } from "./words.js"

const MAX_PARTS = 200
const MAX_POINTER_CHARS = 300
/** Characters of one changed text, of both sides together. */
const MAX_TEXT_CHARS = 40_000

/** A severity as a word in its colour. */
export const severityBadge = (severity: Entry["severity"]): Html =>
  html`<span class="badge ${severity ?? "ungraded"}">${severity ?? NOT_GRADED}</span>`

/** One entry. What asks little of a reader is folded; `open` opens it all the same. */
export function renderEntry(entry: Entry): Html {
  const { what, names } = titleOf(entry)
  const isOpen = entry.severity !== "low" && entry.severity !== "info"
  const left = entry.parts.length - MAX_PARTS
  const inside = html`<summary>${severityBadge(entry.severity)} ${entry.kind === "found" ? "" : `${entry.kind} `}${what}${when(names !== "", () => html` <code>${names}</code>`)}</summary>
${entry.parts.slice(0, MAX_PARTS).map(renderPart)}${when(left > 0, () => html`<p class="part soft">${left} more places left out here</p>`)}`
  const severity = entry.severity ?? "ungraded"
  return isOpen
    ? html`<details class="entry is-${severity}" open>${inside}</details>
`
    : html`<details class="entry is-${severity}">${inside}</details>
`
}

function renderPart({ pointer, severity, change, meanings, places }: Part): Html {
  const where =
    pointer === ""
      ? html`<span class="soft">the whole of it</span>`
      : html`<code>${showLine(pointer, MAX_POINTER_CHARS)}</code>`
  return html`<div class="part"><p class="where">${where}${when(severity !== null, () => severityBadge(severity))}${when(places > 1, () => html`<span class="soft">in ${places} places</span>`)}</p>
${when(meanings.length > 0, () => html`<ul class="means">${meanings.map(renderMeaning)}</ul>`)}${change === null ? NOTHING : renderChange(change)}</div>
`
}

const renderMeaning = (one: Part["meanings"][number]): Html =>
  html`<li><span class="${one.severity}">${one.severity}</span> ${showFinding(one)} <span class="rule">${one.rule}</span></li>`

function renderChange(change: NonNullable<Part["change"]>): Html {
  const { runs, verb, spaces } = showChange(change, { brackets: false, whole: true })
  const { shown, cut } = clipRuns(runs, MAX_TEXT_CHARS)
  const notes = [
    ...(verb === "" || change.before === undefined || change.after === undefined ? [] : [verb]),
    ...(spaces ? ["white space: · space, ⇥ tab, ⏎ line break"] : []),
    ...(cut ? [`cut after ${MAX_TEXT_CHARS} characters`] : []),
  ]
  return html`<div class="text" tabindex="0" role="group" aria-label="text">${shown.map(renderRun)}</div>${when(notes.length > 0, () => html`<p class="soft">${notes.join("; ")}</p>`)}`
}

const renderRun = ({ text, look }: Run): Html =>
  look === "removed" ? html`<del>${text}</del>` : look === "added" ? html`<ins>${text}</ins>` : html`${text}`

function clipRuns(runs: readonly Run[], max: number): { readonly shown: readonly Run[]; readonly cut: boolean } {
  let left = max
  const shown = runs.flatMap((run): readonly Run[] => {
    const text = run.text.slice(0, Math.max(0, left))
    left -= run.text.length
    return text === "" ? [] : [{ ...run, text }]
  })
  return { shown, cut: left < 0 }
}
