import { expect, test } from "vitest"
import { parseJson } from "../../src/core/json.js"
import { parseSurface, type Surface } from "../../src/core/section.js"
import { computeTokenCost, countTokens, describeCost, explainCost } from "../../src/surface/token-cost.js"

const surface = (value: unknown): Surface => parseSurface(parseJson(JSON.stringify(value)))

test("four characters of canonical JSON are one token, whatever the spelling", () => {
  const chars = '{"description":"abcd","name":"a"}'.length
  expect(countTokens(surface({ tools: [{ name: "a", description: "abcd" }] }))).toBe(Math.ceil(chars / 4))
  expect(countTokens(surface({}))).toBe(0)
})

test("what clients keep from the model costs nothing, and resources are not sent before a call", () => {
  const bare = surface({ tools: [{ name: "a" }] })
  const dressed = surface({
    tools: [{ name: "a", annotations: { readOnlyHint: true }, _meta: { x: 1 }, icons: [], execution: {} }],
    resources: [{ uri: "x:y", description: "long ".repeat(100) }],
  })
  expect(countTokens(dressed)).toBe(countTokens(bare))
})

test("an item that changed came and went, one of two equal ones only went", () => {
  const long = { name: "b", description: "x".repeat(400) }
  const before = surface({ tools: [{ name: "a" }, long, long] })
  const after = surface({ instructions: "y".repeat(398), tools: [{ name: "a" }, long] })
  const { added, removed, before: was, after: is } = computeTokenCost(before, after)
  expect(added).toBe(100)
  expect(removed).toBe(Math.ceil(JSON.stringify(long).length / 4))
  expect(is - was).toBeLessThanOrEqual(added - removed + 1)
  expect(computeTokenCost(after, after)).toMatchObject({ added: 0, removed: 0 })
})

test("a line for people is an estimate; the one that explains says how it was counted", () => {
  const cost = { before: 69, after: 105, added: 91, removed: 55, method: "estimate: as it is counted" }
  expect(describeCost(cost)).toBe("tokens: about 69 before, 105 now (estimate)")
  expect(explainCost(cost)).toBe("tokens: about 69 before, 105 now; 91 came, 55 went (estimate: as it is counted)")
})
