// What `scan` says, for people: per server what was found, item by item, the gravest first; then what its tools can do, class by class.
// Observations, not judgements: nothing here says what a server is up to. Everything from servers is escaped.
import { escapeInvisible } from "../core/errors.js"
import { SECTION_NAMES, surfaceItems } from "../core/section.js"
import { isAtLeast, type Severity } from "../core/severity.js"
import type { Scanned } from "../features/scan.js"
import { type SurfaceClasses, TIERS, type ToolClass } from "../surface/classify/classify.js"
import { type FindingGroup, groupFindings, isOfWhole } from "../surface/groups.js"
import { countSeverities } from "../surface/shown-finding.js"
import type { Run } from "../surface/shown-lines.js"
import { showItem, showName } from "../surface/shown-text.js"
import type { Paint } from "./paint.js"
import { countItems } from "./render.js"
import { createPage, type Page } from "./render-page.js"
import { describeFinding, padSeverity } from "./severity-text.js"
import { showWord } from "./shell-words.js"

/** How a scan is shown. `min`: what is less grave is only counted. `explain`: why each tool has its class. */
export interface ScanStyle {
  readonly paint: Paint
  readonly min: Severity | null
  readonly explain: boolean
}

/** All servers, and a line on what this is. */
export function renderScan(servers: readonly Scanned[], style: ScanStyle): string {
  const page = createPage(style)
  for (const server of servers) renderServer(page, server, style)
  if (servers.some(({ ok }) => ok)) page.words(0, [{ text: LEGEND, look: "dim" }])
  return `${page.end().join("\n")}\n`
}

const LEGEND = "observations by rules, not a judgement: read what they point at"

function renderServer(page: Page, server: Scanned, style: ScanStyle): void {
  const title: Run = { text: `${showWord(server.name)}  `, look: "bold" }
  if (!server.ok) {
    const { code, message } = server.error
    page.words(0, [
      title,
      { text: `not read: ${escapeInvisible(message.replaceAll("\n", " "))} (${code})`, look: "changed" },
    ])
    return
  }
  page.words(0, [title, { text: describeList(server), look: "plain" }])
  for (const [section, why] of Object.entries(server.unread))
    page.words(1, [{ text: `${section} not read to the end: ${escapeInvisible(why)}`, look: "changed" }])
  renderFindings(page, server, style)
  renderClasses(page, server.analysis.classes, style)
}

const SOURCES = { live: "read now", pinned: "as pinned", file: "from the file" } as const

/** `read now: 9 tools, 2 prompts, about 2100 tokens; 1 high, 2 low`. */
function describeList({ source, surface, tokens, analysis }: Extract<Scanned, { ok: true }>): string {
  const counts = SECTION_NAMES.flatMap((section) => {
    const items = surfaceItems(surface, section)
    return items === null ? [] : [countItems(items.length, section)]
  })
  const found = countSeverities(analysis.findings.map(({ severity }) => severity))
  return `${SOURCES[source]}: ${[...counts, `about ${tokens} tokens`].join(", ")}; ${found === "" ? "nothing found" : found}`
}

/** Item by item, that with the gravest finding first. */
function renderFindings(page: Page, { analysis }: Extract<Scanned, { ok: true }>, { min }: ScanStyle): void {
  const shown = analysis.findings.filter(({ severity }) => min === null || isAtLeast(severity, min))
  for (const group of groupFindings(shown)) {
    renderTitle(page, group)
    for (const finding of group.findings) {
      const pointer =
        finding.pointer === "" ? [] : [{ text: `${showName(finding.pointer, 200)}  `, look: "plain" } as const]
      page.entry(2, padSeverity(finding.severity), [...pointer, ...describeFinding(finding)])
    }
  }
  const left = analysis.findings.length - shown.length
  if (left > 0) page.words(1, [{ text: `${left} less grave than ${min} left out`, look: "dim" }])
}

/** `search`, `prompts ask`, `instructions`, `tools`: what is on no item, or on one without a name at no place of it, is on the list. */
function renderTitle(page: Page, group: FindingGroup): void {
  const { section, items } = group
  if (items.length > 1) {
    page.names(1, { text: `${items.length} ${section}: `, look: "bold" }, items)
    return
  }
  const [item = null] = items
  const title = isOfWhole(group) ? section : `${section === "tools" ? "" : `${section} `}${showItem(item)}`
  page.words(1, [{ text: title, look: "bold" }])
}

const TIER_WORDS: Readonly<Record<ToolClass["tier"], string>> = {
  R0: "inert",
  R1: "reads",
  R2: "reads what is sensitive",
  R3: "writes",
  R4: "sends out",
  R5: "runs code, or cannot be undone",
}

/** What tools can do, the most first; reasons where they are asked for. What they can do together is a finding. */
function renderClasses(page: Page, { tools }: SurfaceClasses, { explain }: ScanStyle): void {
  if (tools.length > 0) page.words(1, [{ text: "what the tools can do, by schema, name and text", look: "bold" }])
  for (const tier of [...TIERS].reverse()) {
    const own = tools.filter((tool) => tool.tier === tier)
    if (own.length === 0) continue
    const mark: Run = { text: `${tier}  `, look: tier >= "R4" ? "removed" : tier === "R3" ? "changed" : "plain" }
    page.entry(2, mark, [
      { text: `${TIER_WORDS[tier]}: `, look: "dim" },
      { text: own.map(describeTool).join(", "), look: "plain" },
    ])
    if (explain) for (const tool of own) renderReasons(page, tool)
  }
}

function describeTool({ item, kinds, found, tier, override }: ToolClass): string {
  const notes = [
    ...kinds,
    ...(override === null ? [] : [`${found} found, ${tier} by toolsum.json until ${override.until}`]),
  ]
  return `${showItem(item)}${notes.length === 0 ? "" : ` [${notes.join(", ")}]`}`
}

function renderReasons(page: Page, { item, reasons, reversibility, override }: ToolClass): void {
  page.words(3, [
    { text: `${showItem(item)}${reversibility === null ? "" : `, undoing it: ${reversibility}`}`, look: "bold" },
  ])
  for (const { tier, pointer, message, rule } of reasons)
    page.entry(4, { text: `${tier}  `, look: "plain" }, [
      ...(pointer === "" ? [] : [{ text: `${showName(pointer, 200)}  `, look: "plain" } as const]),
      { text: `${escapeInvisible(message)} `, look: "plain" },
      { text: `(${rule})`, look: "dim" },
    ])
  if (override !== null) page.words(4, [{ text: `lowered: ${showName(override.reason, 300)}`, look: "plain" }])
}
