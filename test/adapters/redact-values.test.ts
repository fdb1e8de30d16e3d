import { expect, test } from "vitest"
import { createRedactor } from "../../src/adapters/redact-values.js"

const environment = { TOKEN: "s3cr3t/value", HOST: "inner.example", PIN: "123", OTHER: "other-value" }

test("values that a command gets, by name and in arguments, are replaced", () => {
  const redact = createRedactor({ command: "x", args: ["--host=${HOST}"], env: ["TOKEN"] }, environment)
  expect(redact("s3cr3t/value at inner.example, other-value")).toBe("${TOKEN} at ${HOST}, other-value")
})

test("values in a URL and in headers are replaced, in the spellings that servers give them", () => {
  const target = { url: "https://${HOST}/mcp", headers: { Authorization: "Bearer ${TOKEN}" } }
  const redact = createRedactor(target, environment)
  expect(redact('no s3cr3t%2Fvalue for https://inner.example/mcp: "Bearer s3cr3t/value"')).toBe(
    'no ${TOKEN} for https://${HOST}/mcp: "Bearer ${TOKEN}"',
  )
})

test("short values are words", () => {
  const redact = createRedactor({ command: "x", args: [], env: ["PIN"] }, environment)
  expect(redact("123 items")).toBe("123 items")
})
