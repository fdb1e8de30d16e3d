// A report in which every text is hostile holds our markup and no other. The same at random: inert.slow.test.ts.
import { expect, test } from "vitest"
import { renderAnnotations } from "../../../src/features/report/annotations.js"
import { renderHtml } from "../../../src/features/report/html.js"
import { renderMarkdown } from "../../../src/features/report/markdown.js"
import { renderSarif } from "../../../src/features/report/sarif.js"
import { wholeReport } from "./hostile.js"
import { CHECKS } from "./inert-checks.js"

const report = wholeReport()

test.each(CHECKS)("$format stays ours whatever a server says", ({ check }) => check(report))

test.each([renderHtml, renderMarkdown, renderSarif, renderAnnotations])("%o gives the same bytes twice", (render) => {
  expect(render(report)).toBe(render(report))
})
