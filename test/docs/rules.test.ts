// RULES.md names every rule with the words that reports show, and no other.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { placeRules } from "../../scripts/rules-table.mjs"
import { SEVERITIES } from "../../src/core/severity.js"
import { RULES } from "../../src/surface/rules.js"

test("RULES.md has every rule; node scripts/rules-table.mjs writes them", () => {
  const text = readFileSync(new URL("../../RULES.md", import.meta.url), "utf8")
  expect(text).toBe(placeRules(text, RULES))
})

test.each(Object.entries(RULES))("%s has a title, sentences and a severity", (id, { title, help, severity }) => {
  expect(id).toMatch(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/)
  expect(title).toMatch(/^\S[^\n]{2,60}$/)
  expect(help).toMatch(/^[^\n]+\.$/)
  expect(SEVERITIES).toContain(severity)
})
