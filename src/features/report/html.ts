// The report as one page that opens from disk: no script, no picture, no address outside it, and a policy that allows none (CSP Level 3):
// only the style with its hash. What servers say is text (html-markup.ts).
import { encodeUtf8, formatBase64 } from "../../core/bytes.js"
import { quote } from "../../core/errors.js"
import { sha256 } from "../../core/hash.js"
import { tallySeverities } from "../../surface/shown-finding.js"
import { showLine } from "../../surface/shown-text.js"
import { describeBase, describeBaseFinding } from "../base-text.js"
import { entriesOf } from "./entries.js"
import { severityBadge } from "./html-entry.js"
import { type Html, html, when } from "./html-markup.js"
import { answerBadge, renderServer } from "./html-server.js"
import { STYLE } from "./html-style.js"
import { gravestOfServer, type Report, type ReportBase, type ReportRoot, type ReportServer } from "./model.js"
import { NOT_GRADED, nameOf, packageOf, REMARK, summaryOf } from "./words.js"

/** The policy of the page. */
const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${formatBase64(sha256(encodeUtf8(STYLE)))}'; base-uri 'none'; form-action 'none'`

const MAX_CHARS = 300
const MAX_BASE_CHARS = 4_000

/** The page, with a final line feed. The same report gives the same bytes. */
export function renderHtml(report: Report): string {
  const { servers, command } = report
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>toolsum ${showLine(command, MAX_CHARS)}: ${summaryOf(report)}</title>
<style>${{ markup: STYLE }}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the servers</a>
<header>
<h1>toolsum <code>${showLine(command, MAX_CHARS)}</code></h1>
<p class="lead">${summaryOf(report)}</p>
${renderFacts(report)}</header>
<main id="main">
${renderTable(servers)}${report.bases.map(renderBase)}${renderFilter(servers)}${servers.map(renderServer)}</main>
<footer><p>${REMARK}</p>${when(report.roots.length > 0, () => renderRoots(report.roots))}</footer>
</body>
</html>
`.markup
}

function renderFacts({ exitCode, failOn, ruleset, toolVersion, generatedAt }: Report): Html {
  const facts = [
    ["exit code", String(exitCode)],
    ...(failOn === null ? [] : [["fails from", failOn]]),
    ["rules", ruleset],
    ["toolsum", toolVersion],
    ...(generatedAt === null ? [] : [["made", generatedAt]]),
  ]
  return html`<dl class="facts">${facts.map(([name = "", value = ""]) => html`<div><dt>${name}</dt><dd>${showLine(value, MAX_CHARS)}</dd></div>`)}</dl>
`
}

const renderTable = (servers: readonly ReportServer[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="servers"><table><thead><tr><th scope="col">server</th><th scope="col">answer</th><th scope="col">gravest</th><th scope="col">package</th></tr></thead><tbody>${servers.map(renderRow)}</tbody></table></div>
`

function renderRow(server: ReportServer, index: number): Html {
  const gravest = gravestOfServer(server)
  return html`<tr><td><a href="#server-${index}"><code>${nameOf(server)}</code></a></td><td>${answerBadge(server)}</td><td>${when(gravest !== null, () => severityBadge(gravest))}</td><td>${packageOf(server)}</td></tr>
`
}

/** Differences from a base, and the line that accepts them. */
const renderBase = (base: ReportBase): Html =>
  html`<section class="base"><h2>Held to <code>${showLine(base.ref, MAX_CHARS)}</code></h2>
<p class="soft">${showLine(describeBase(base, quote), MAX_CHARS)}</p>
${when(base.findings.length === 0, () => html`<p>Nothing differs.</p>`)}<ul>${base.findings.map((finding) => html`<li>${finding.status === "open" ? html`<span class="high">open</span> ` : ""}${showLine(describeBaseFinding(finding, quote), MAX_BASE_CHARS)}</li>`)}</ul>
${when(base.acceptLine !== null, () => html`<p>If all of that is wanted: <code>${showLine(base.acceptLine ?? "", MAX_BASE_CHARS)}</code></p>`)}</section>
`

/** A box for each severity that occurs; unchecking it hides entries of that severity. */
function renderFilter(servers: readonly ReportServer[]): Html {
  const severities = servers.flatMap((server) => entriesOf(server).map(({ severity }) => severity))
  const ungraded = severities.filter((severity) => severity === null).length
  const boxes = [
    ...(ungraded > 0 ? [{ severity: "ungraded", word: NOT_GRADED, count: ungraded }] : []),
    ...tallySeverities(severities.flatMap((severity) => severity ?? [])).map((one) => ({ ...one, word: one.severity })),
  ]
  const box = ({ severity, word, count }: (typeof boxes)[number]): Html =>
    html`<label><input type="checkbox" id="show-${severity}" checked> <span class="${severity}">${count} ${word}</span></label>`
  return when(
    boxes.length > 1,
    () => html`<fieldset><legend>Show</legend>${boxes.map(box)}</fieldset>
`,
  )
}

const renderRoots = (roots: readonly ReportRoot[]): Html =>
  html`<p>Roots: ${roots.map(({ log, fingerprint, source }, i) => html`${i === 0 ? "" : "; "}<code>${showLine(log, MAX_CHARS)}</code> ${fingerprint === null ? "not pinned" : html`<code>${showLine(fingerprint, MAX_CHARS)}</code>`}${source === null ? "" : ` (${showLine(source, MAX_CHARS)})`}`)}</p>`
