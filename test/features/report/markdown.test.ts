// The comment: found again by its marker, gravest first, within GitHub's limit and honest about what is left out; and annotations.
import { expect, test } from "vitest"
import { renderAnnotations } from "../../../src/features/report/annotations.js"
import { renderHtml } from "../../../src/features/report/html.js"
import { commentMarker, MAX_COMMENT_BYTES, renderMarkdown } from "../../../src/features/report/markdown.js"
import { BEFORE, changedServer, DIGEST, reportOf, sampleReport, surfaceOf } from "./world.js"

test("begins with its marker and has the line to paste", () => {
  const lines = renderMarkdown(sampleReport()).split("\n")
  expect(lines[0]).toBe(commentMarker("check"))
  expect(lines).toContain(`toolsum approve files --to ${DIGEST}`)
})

test("the gravest entries come first, and what asks little is folded", () => {
  const text = renderMarkdown(sampleReport())
  const [critical, medium, fold] = ["\n**critical** ", "\n**medium** ", "\n<details>"].map((word) => text.indexOf(word))
  expect(critical).toBeGreaterThan(0)
  expect(medium).toBeGreaterThan(critical ?? 0)
  expect(fold).toBeGreaterThan(medium ?? 0)
})

test("what differs from a base is said in every format, the open first, with the line to paste", () => {
  const finding = { kind: "target", name: "files", detail: "another launch line", claimedBy: null } as const
  const base = {
    ...{ lockfile: "toolsum.lock.json", ref: "main", commit: "0".repeat(40), mergeBase: "0".repeat(40) },
    findings: [
      { ...finding, name: "memory", status: "passed", accept: null },
      { ...finding, status: "open", accept: DIGEST },
    ] as const,
    acceptLine: `toolsum check --base main --accept ${DIGEST}`,
  }
  const report = reportOf([], { bases: [base] })
  const lines = renderMarkdown(report).split("\n")
  const [open, passed] = ['**open** `"files" target', '`"memory" target'].map((said) =>
    lines.findIndex((line) => line.startsWith(`- ${said}`)),
  )
  expect(open).toBeGreaterThan(0)
  expect(passed).toBe((open ?? 0) + 1)
  expect(lines).toContain(base.acceptLine)
  expect(renderHtml(report)).toContain(base.acceptLine)
  expect(renderAnnotations(report)).toMatch(
    /^::error file=toolsum\.lock\.json,line=1,.*--accept sha256:.*\(base\.open\)\n$/,
  )
})

test("what does not fit is counted, the least grave ones", () => {
  const tools = Array.from({ length: 600 }, (_, i) => ({
    name: `tool_${i}`,
    description: `Number ${i}. ${"words ".repeat(60)}`,
    inputSchema: { type: "object" },
  }))
  const text = renderMarkdown(reportOf([changedServer(BEFORE, surfaceOf({ ...BEFORE, tools }))]))
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_COMMENT_BYTES)
  expect(text).toMatch(/\*\*\d+ more did not fit into a comment\*\*/)
})

test("annotations warn of what was not checked, then of what was found, gravest first", () => {
  const words = renderAnnotations(sampleReport())
    .split("\n")
    .map((line) => /^::(\w+)/.exec(line)?.[1] ?? "")
  const [first, ...found] = words.filter((word) => word !== "")
  const order = ["error", "warning", "notice"]
  expect(first).toBe("warning")
  expect(found).toEqual([...found].sort((a, b) => order.indexOf(a) - order.indexOf(b)))
})
