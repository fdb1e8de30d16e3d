// The invented cases and the captures, as far as texts go: every finding that is due, and no other.
import { readdirSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { isArray, isObject, type JsonValue, parseJson } from "../../../src/core/json.js"
import { parseSurface } from "../../../src/core/section.js"
import { SEVERITIES } from "../../../src/core/severity.js"
import { findInTexts } from "../../../src/surface/text/find-in-texts.js"
import { TEXT_RULES } from "../../../src/surface/text/rules.js"
import { describeShared, hasShared, readShared, sharedPath } from "../../shared.js"
import { readCapture } from "../captures.js"

const list = (folder: string) =>
  hasShared ? readdirSync(sharedPath(folder)).filter((file) => /^(?:s[0-9]|.*@.*\.json$)/.test(file)) : []

interface Due {
  readonly pointer: string
  readonly rule: string
  readonly severity: (typeof SEVERITIES)[number]
  readonly decoded?: string
}

const member = (value: JsonValue, name: string): JsonValue => (isObject(value) ? (value[name] ?? null) : null)

/** A pointer of the cases, from the item on; an argument of a prompt by its index. */
const fromItem = (pointer: string): string =>
  pointer.replace(/^\/(?:tools|prompts)\/[^/]*|^\/instructions/, "").replace(/^\/arguments\/[^/]*/, "/arguments/0")

describeShared("invented cases", () => {
  test.each(list("cases/surface"))("%s", (file) => {
    const document = parseJson(readShared(`cases/surface/${file}`))
    const { expect: wanted } = JSON.parse(readShared(`cases/surface/${file}`)) as { expect: { findings?: Due[] } }
    const raw = member(document, "afterRaw")
    if (wanted.findings === undefined || file.startsWith("s70-")) return // s70 cannot be read at all
    const others = member(document, "others")
    const found = findInTexts(parseSurface(typeof raw === "string" ? parseJson(raw) : member(document, "after")), {
      others: (isArray(others) ? others : []).map((other) => ({
        name: String(member(other, "server")),
        surface: parseSurface(member(other, "after")),
      })),
    })
    const due = wanted.findings.filter(({ rule }) => rule in TEXT_RULES)
    expect(found.map((one) => [one.rule, one.pointer])).toEqual(due.map((one) => [one.rule, fromItem(one.pointer)]))
    for (const [i, { severity, decoded }] of due.entries()) {
      expect(found[i]?.decoded).toBe(decoded)
      const [is, should] = [found[i]?.severity ?? "info", severity].map((word) => SEVERITIES.indexOf(word))
      if (severity === "critical" || severity === "high") expect(found[i]?.severity).toBe(severity)
      else expect(Math.abs((is ?? 9) - (should ?? 0))).toBeLessThanOrEqual(1)
    }
  })
})

describeShared("captures of real servers", () => {
  test("nothing above info, and few findings at all: the rate is printed", () => {
    const files = list("captures")
    const counts = new Map<string, number>()
    let withFindings = 0
    for (const file of files) {
      const found = findInTexts(readCapture(file), {})
      if (found.length > 0) withFindings++
      for (const { rule, severity } of found) {
        expect([file, rule, severity]).toEqual([file, rule, "info"])
        counts.set(rule, (counts.get(rule) ?? 0) + 1)
      }
    }
    for (const rule of Object.keys(TEXT_RULES)) console.log(`${rule}: ${counts.get(rule) ?? 0}`)
    console.log(`${withFindings} of ${files.length} captures have a finding of a text rule, all of them info`)
    expect(files.length).toBeGreaterThanOrEqual(58)
    expect(withFindings).toBeLessThanOrEqual(3)
  })
})

describe("rules", () => {
  test("have words for reports", () => {
    for (const [id, { title, help }] of Object.entries(TEXT_RULES))
      expect([id, title !== "" && help.endsWith(".")]).toEqual([id, true])
  })
})
