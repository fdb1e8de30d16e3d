// One server on the page: its answer, the line to paste, what changed and what was found, what its tools can do, and what it all rests on.
import type { SurfaceClasses, ToolClass } from "../../surface/classify/classify.js"
import type { Note } from "../../surface/notes.js"
import { showChange } from "../../surface/shown-change.js"
import { showItem, showLine } from "../../surface/shown-text.js"
import { explainCost } from "../../surface/token-cost.js"
import { entriesOf } from "./entries.js"
import { renderEntry } from "./html-entry.js"
import { type Html, html, NOTHING, when } from "./html-markup.js"
import type { HistoryRecord, ReportProof, ReportServer } from "./model.js"
import { answerOf, nameOf, packageOf } from "./words.js"

const MAX_ENTRIES = 500
const MAX_CLASSES = 500
const MAX_RECORDS = 200
const MAX_CHARS = 300

/** An answer as a word in its colour. */
export function answerBadge(server: ReportServer): Html {
  const { word } = answerOf(server)
  if (word === null) return server.problem === null ? NOTHING : html`<span class="badge open">not read</span>`
  return html`<span class="badge ${LOOKS[word] ?? "open"}">${word}</span>`
}

const LOOKS: Readonly<Record<string, string>> = { PROVEN: "good", UNCHANGED: "good", CHANGED: "bad", REJECTED: "bad" }

/** The section of a server; `index` is its place in the report. */
export function renderServer(server: ReportServer, index: number): Html {
  const entries = entriesOf(server)
  const { detail } = answerOf(server)
  return html`<section class="server" id="server-${index}" aria-labelledby="name-${index}">
<div class="title"><h2 id="name-${index}"><code>${nameOf(server)}</code></h2>${answerBadge(server)}<span class="soft">${packageOf(server)}</span></div>
${when(detail !== "", () => html`<p>${detail}</p>`)}${renderTokens(server)}${renderApproval(server)}
${when(entries.length === 0 && server.problem === null, () => html`<p class="soft">Nothing changed or found.</p>`)}${entries.slice(0, MAX_ENTRIES).map(renderEntry)}${renderLeft(entries.length - MAX_ENTRIES)}
${renderClasses(server)}${renderNotCovered(server)}${renderHistory(server.history)}${server.proof ? renderProof(server.proof) : NOTHING}</section>
`
}

const renderLeft = (left: number): Html =>
  when(
    left > 0,
    () => html`<p>${left} more left out here, the least grave ones; <code>--json</code> has everything</p>`,
  )

const renderTokens = ({ tokens }: ReportServer): Html =>
  tokens === null ? NOTHING : html`<p class="soft">${explainCost(tokens)}</p>`

const renderApproval = ({ approve }: ReportServer): Html =>
  approve === null
    ? NOTHING
    : html`<p>If the change is wanted, and you have read it:</p><pre class="text" tabindex="0">${showLine(approve, 2000)}</pre>`

function renderClasses({ analysis, changes }: ReportServer): Html {
  const classes = changes?.after.classes ?? analysis?.classes
  if (classes === undefined || classes.tools.length === 0) return NOTHING
  const left = classes.tools.length - MAX_CLASSES
  return html`<details class="fold"><summary>What its tools can do</summary>${renderChain(classes)}
<div class="scroll" tabindex="0" role="region" aria-label="classes of tools"><table><thead><tr><th scope="col">tool</th><th scope="col">class</th><th scope="col">kinds</th><th scope="col">why</th></tr></thead><tbody>${classes.tools.slice(0, MAX_CLASSES).map(renderClass)}</tbody></table></div>${renderLeft(left)}</details>
`
}

const renderChain = ({ chain }: SurfaceClasses): Html =>
  chain === null ? NOTHING : html`<p>What ${namesOf(chain.reads)} can read, ${namesOf(chain.sends)} could send out.</p>`

const namesOf = (names: readonly string[]): Html[] =>
  names.slice(0, 8).map((name, i) => html`${i === 0 ? "" : ", "}<code>${showItem(name)}</code>`)

const renderClass = ({ item, tier, found, kinds, reasons, override }: ToolClass): Html =>
  html`<tr><td><code>${showItem(item)}</code></td><td>${tier}${when(tier !== found, () => html` <span class="soft">(found: ${found})</span>`)}</td><td>${kinds.join(", ")}</td><td>${override === null ? "" : `overridden until ${override.until}: ${showLine(override.reason, MAX_CHARS)}; `}${reasons.slice(0, 4).map(({ message }, i) => html`${i === 0 ? "" : "; "}${showLine(message, MAX_CHARS)}`)}</td></tr>`

function renderNotCovered({ verdict, changes }: ReportServer): Html {
  const [parts, notes] = [verdict?.notCovered ?? [], changes?.notes ?? []]
  if (parts.length + notes.length === 0) return NOTHING
  return html`<details class="fold"><summary>Not covered</summary><ul class="means">${parts.map((part) => html`<li>${showLine(part, MAX_CHARS)}</li>`)}${notes.map(renderNote)}</ul></details>
`
}

const renderNote = (note: Note): Html =>
  html`<li>${note.fact} <code>${showLine(note.pointer, MAX_CHARS)}</code> ${showLine(
    showChange(note, { brackets: true })
      .runs.map(({ text }) => text)
      .join(""),
    MAX_CHARS,
  )}</li>`

function renderHistory(records: readonly HistoryRecord[]): Html {
  if (records.length === 0) return NOTHING
  const newest = [...records].reverse()
  return html`<details class="fold" open><summary>History: ${records.length} ${records.length === 1 ? "record" : "records"}</summary><ol class="timeline" reversed>${newest.slice(0, MAX_RECORDS).map((record, i) => renderRecord(record, newest[i + 1]))}</ol>${renderLeft(newest.length - MAX_RECORDS)}</details>
`
}

/** A record, marked where its digest is not that of the one before. */
function renderRecord(record: HistoryRecord, before: HistoryRecord | undefined): Html {
  const moved = before !== undefined && before.digest !== record.digest
  const words = [
    ...(record.version === null ? [] : [showLine(record.version, MAX_CHARS)]),
    ...(record.tools === null ? ["no list"] : [`${record.tools} ${record.tools === 1 ? "tool" : "tools"}`]),
    ...(before === undefined ? ["first record"] : [moved ? "changed" : "as before"]),
  ]
  return html`<li class="${moved ? "moved" : "kept"}"><span>${showLine(record.observed, MAX_CHARS)}</span> · ${words.join(" · ")}<br><span class="soft">leaf ${String(record.index)} · <code>${showLine(record.digest, MAX_CHARS)}</code></span></li>`
}

const renderProof = ({ origin, size, rootHash, index, leafHash, cosigners }: ReportProof): Html =>
  html`<details class="fold"><summary>Proof</summary><dl class="proof"><dt>log</dt><dd><code>${showLine(origin, MAX_CHARS)}</code></dd><dt>tree head</dt><dd>${String(size)} entries, ${cosigners} ${cosigners === 1 ? "cosigner" : "cosigners"}</dd><dt>root hash</dt><dd><code>${showLine(rootHash, MAX_CHARS)}</code></dd><dt>leaf</dt><dd>${String(index)}</dd><dt>leaf hash</dt><dd><code>${showLine(leafHash, MAX_CHARS)}</code></dd></dl></details>
`
