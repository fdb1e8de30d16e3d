import { expect, test } from "vitest"
import { createRedactor, redactError } from "../../src/adapters/redact-values.js"
import { ToolsumError } from "../../src/core/errors.js"

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

test("an error keeps its code, evidence and causes, but no value in any of them", () => {
  const redact = createRedactor({ command: "x", args: [], env: ["TOKEN"] }, environment)
  const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" })
  const cause = new ToolsumError("JSON_MALFORMED", "got s3cr3t/value", { cause: refused })
  const error = redactError(
    new ToolsumError("PROTOCOL_MALFORMED", "s3cr3t/value", { cause, evidence: { wants: "not s3cr3t/value" } }),
    redact,
  )
  expect(error).toMatchObject({ code: "PROTOCOL_MALFORMED", message: "${TOKEN}", evidence: { wants: "not ${TOKEN}" } })
  expect(error.cause).toMatchObject({ code: "JSON_MALFORMED", message: "got ${TOKEN}", cause: refused })
})

test("an error of somebody else with a value in it is left out", () => {
  const redact = createRedactor({ command: "x", args: [], env: ["TOKEN"] }, environment)
  for (const cause of [new Error("at s3cr3t/value"), Object.assign(new Error("x"), { input: "s3cr3t/value" })])
    expect(redactError(new ToolsumError("SERVER_UNREACHABLE", "x", { cause }), redact).cause).toBeUndefined()
})
