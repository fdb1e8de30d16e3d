// Lint answers whatever it is given.
import fc from "fast-check"
import { expect, test } from "vitest"
import type { JsonValue } from "../../../src/core/json.js"
import { RULES } from "../../../src/surface/rules.js"
import { lint, toSurface } from "./support.js"

const arbKey = fc.constantFrom(
  ..."name description inputSchema outputSchema annotations icons src _meta type properties required enum $ref anyOf items readOnlyHint uri uriTemplate x-mcp-header".split(
    " ",
  ),
)
const arbValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      "",
      "object",
      "#",
      "#/x",
      "delete_all",
      "Deletes everything.",
      "{+x}",
      "__proto__",
    ),
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.dictionary(arbKey, tie("value"), { maxKeys: 6 }),
    fc.array(tie("value"), { maxLength: 4 }),
  ),
})).value

test("whatever the lists hold there is an answer, of known rules, at a place, in one line", () => {
  fc.assert(
    fc.property(fc.array(arbValue, { maxLength: 6 }), arbValue, (items, one) => {
      const surface = toSurface({
        tools: items,
        prompts: items,
        resources: items,
        resourceTemplates: items,
        serverInfo: one,
      })
      for (const finding of lint(surface, [{ name: "twin", surface }])) {
        expect(RULES[finding.rule]).toBeDefined()
        expect(finding.message).toMatch(/^[^\n\r\p{C}]+$/u)
        expect(finding.pointer).toMatch(/^(?:\/|$)/)
      }
    }),
    { numRuns: 200 },
  )
})

test("lists that are none have no items", () => {
  const odd = { tools: "x", prompts: 1, resources: {}, resourceTemplates: true } as const
  const value: JsonValue = "text"
  expect(lint({ ...odd, instructions: value, serverInfo: value })).toEqual([])
})
