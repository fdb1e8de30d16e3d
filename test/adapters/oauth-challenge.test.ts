import fc from "fast-check"
import { expect, test } from "vitest"
import { parseChallenge } from "../../src/adapters/oauth-challenge.js"

const NOTHING = { error: null, description: null, scope: null, resourceMetadata: null }

test.each([
  { header: "Bearer", challenge: { scheme: "bearer", ...NOTHING } },
  { header: 'Basic realm="x"', challenge: { scheme: "basic", ...NOTHING } },
  {
    header: 'bearer error=invalid_token,scope="a b"',
    challenge: { scheme: "bearer", ...NOTHING, error: "invalid_token", scope: "a b" },
  },
  {
    header: 'Basic realm="Bearer error=x", Bearer Error = "insufficient_scope"',
    challenge: { scheme: "bearer", ...NOTHING, error: "insufficient_scope" },
  },
  {
    header: 'Bearer error_description="say \\"hi\\", then go", resource_metadata="https://a.example/m"',
    challenge: {
      scheme: "bearer",
      ...NOTHING,
      description: 'say "hi", then go',
      resourceMetadata: "https://a.example/m",
    },
  },
  { header: 'Bearer error="first", error="second"', challenge: { scheme: "bearer", ...NOTHING, error: "first" } },
  { header: `Bearer scope="${"x".repeat(3000)}", error=e`, challenge: { scheme: "bearer", ...NOTHING, error: "e" } },
  { header: "", challenge: null },
  { header: null, challenge: null },
  { header: 'error="x"', challenge: null },
])("$header", ({ header, challenge }) => {
  expect(parseChallenge(header)).toEqual(challenge)
})

test("whatever a header holds, reading it ends without an error", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (header) => {
      parseChallenge(header)
    }),
  )
  expect(parseChallenge("a=".repeat(100_000))).toBe(null)
})
