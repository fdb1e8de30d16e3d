// Whatever servers say, a report holds our markup and no other: what a real parser of each format finds in a report.
import { micromark } from "micromark"
import { gfm, gfmHtml } from "micromark-extension-gfm"
import { type DefaultTreeAdapterMap, parse, parseFragment } from "parse5"
import { expect } from "vitest"
import { loadPaint } from "../../../src/cli/paint.js"
import { renderDiff } from "../../../src/cli/render-diff.js"
import { renderAnnotations } from "../../../src/features/report/annotations.js"
import { renderHtml } from "../../../src/features/report/html.js"
import { MAX_COMMENT_BYTES, renderMarkdown } from "../../../src/features/report/markdown.js"
import type { Report } from "../../../src/features/report/model.js"
import { renderSarif } from "../../../src/features/report/sarif.js"
import { checkSarif } from "./sarif-schema.js"

type Node = DefaultTreeAdapterMap["node"]
type Element = DefaultTreeAdapterMap["element"]

const isElement = (node: Node): node is Element => "tagName" in node

function* walk(node: Node, inside: readonly string[] = []): Generator<{ node: Node; inside: readonly string[] }> {
  yield { node, inside }
  const below = isElement(node) ? [...inside, node.tagName] : inside
  for (const child of "childNodes" in node ? node.childNodes : []) yield* walk(child, below)
}

/** Elements and attributes of templates: `tag` or `tag name="value"`, each value a pattern of ours. */
const attributesOf = (element: Element): readonly string[] =>
  element.attrs.map(({ name, value }) => `${element.tagName} ${name}=${value}`)

const unexpected = (root: Node, tags: readonly string[], attributes: readonly RegExp[]): readonly string[] =>
  [...walk(root)].flatMap(({ node }) => {
    if (!isElement(node)) return node.nodeName === "#comment" ? [`comment ${"data" in node ? node.data : ""}`] : []
    return [
      ...(tags.includes(node.tagName) ? [] : [node.tagName]),
      ...attributesOf(node).filter((one) => !attributes.some((pattern) => pattern.test(one))),
    ]
  })

const PAGE_TAGS =
  "html head meta title style body a header h1 p dl div dt dd main table thead tbody tr th td fieldset legend label input section h2 span code details summary ul li ol del ins pre br footer".split(
    " ",
  )
const SEVERITY = "(?:critical|high|medium|low|info|ungraded)"
const PAGE_ATTRIBUTES = [
  /^html lang=en$/,
  /^meta (?:charset=utf-8|name=(?:viewport|referrer)|content=(?:no-referrer|width=device-width, initial-scale=1)|http-equiv=Content-Security-Policy)$/,
  /^meta content=default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; base-uri 'none'; form-action 'none'$/,
  /^a (?:class=skip|href=#main|href=#server-\d+)$/,
  /^(?:p|div|dl|ul|ol|span|section|pre|li|details) class=(?:lead|facts|scroll|server|title|soft|text|part|where|means|rule|fold|timeline|proof|moved|kept|base)$/,
  /^(?:section id=server-\d+|section aria-labelledby=name-\d+|h2 id=name-\d+|main id=main)$/,
  /^(?:div|pre) tabindex=0$/,
  /^div (?:role=region|role=group|aria-label=servers|aria-label=text|aria-label=classes of tools)$/,
  /^th scope=col$/,
  new RegExp(`^input (?:type=checkbox|checked=|id=show-${SEVERITY})$`),
  new RegExp(`^span class=(?:badge )?(?:${SEVERITY}|good|bad|open)$`),
  new RegExp(`^details class=entry is-${SEVERITY}$`),
  /^(?:details open=|ol reversed=)$/,
]

const checkHtml = (report: Report): void => {
  const errors: string[] = []
  const page = renderHtml(report)
  const document = parse(page, { onParseError: ({ code }) => errors.push(code) })
  expect(unexpected(document, PAGE_TAGS, PAGE_ATTRIBUTES)).toEqual([])
  expect(errors).toEqual([])
  expect(page).not.toMatch(HIDDEN)
}

const COMMENT_TAGS = "h2 h3 p ul li strong table thead tbody tr th td code pre details summary sub".split(" ")
/** What our own words outside code are made of: no sign of a mention, an address, an issue or an emoji. */
const WORDS = /^[A-Za-z0-9 \n.,·()-]*(?:: )?[A-Za-z0-9 \n.,:·()-]*$/

const checkMarkdown = (report: Report): void => {
  const text = renderMarkdown(report)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_COMMENT_BYTES)
  expect(text).not.toMatch(HIDDEN)
  const markup = micromark(text, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] })
  const root = parseFragment(markup)
  const found = unexpected(root, COMMENT_TAGS, [/^code class=language-(?:diff|sh)$/])
  expect(found.filter((one) => !/^comment {2}?toolsum:[a-zA-Z0-9-]* $/.test(one))).toEqual([])
  const outside = [...walk(root)].flatMap(({ node, inside }) =>
    node.nodeName === "#text" && "value" in node && !inside.includes("code") ? [node.value] : [],
  )
  expect(outside.filter((words) => !WORDS.test(words) || /:[a-z]+:/.test(words))).toEqual([])
}

/** Characters that nobody sees or that move others, line feeds aside. */
const HIDDEN = /[^\n\P{C}]|[\u2028\u2029]/u

/** True for a line that the runner of GitHub Actions would obey. */
const isCommand = (line: string): boolean => /^\s*::[a-z-]+(?: .*?)?::/i.test(line) || line.includes("##[")

const checkAnnotations = (report: Report): void => {
  const lines = renderAnnotations(report).split("\n")
  expect(lines.pop()).toBe("")
  for (const line of lines) {
    expect(line).toMatch(/^::(?:error|warning|notice) (?:file=[^,:]*,line=\d+,)?title=[^,:]*::/)
    expect(line).not.toMatch(HIDDEN)
    expect(line).not.toContain("##[")
    expect(line.replace(/%(?:25|3A|2C)/g, "")).not.toContain("%")
  }
}

const plain = await loadPaint(false)

const checkTerminal = (report: Report): void => {
  for (const { verdict, changes } of report.servers) {
    const diff = { changes: changes?.changes ?? verdict?.changes ?? [], unchanged: {}, analysis: changes }
    for (const line of renderDiff(diff, { paint: plain }, changes?.notes ?? [])) {
      expect(line).not.toMatch(/\n/)
      expect(line).not.toMatch(HIDDEN)
      expect(isCommand(line) ? line : "").toBe("")
    }
  }
}

/** One check for each format. */
export const CHECKS: readonly { readonly format: string; readonly check: (report: Report) => void }[] = [
  { format: "HTML", check: checkHtml },
  { format: "Markdown", check: checkMarkdown },
  {
    format: "SARIF",
    check: (report) => {
      checkSarif(renderSarif(report))
    },
  },
  { format: "annotations", check: checkAnnotations },
  { format: "the terminal", check: checkTerminal },
]
