import { readdirSync, readFileSync } from "node:fs"
import referenceCanonicalize from "canonicalize"
import fc from "fast-check"
import { expect, test } from "vitest"
import { canonicalize, computeJsonDigest } from "../../src/core/canonical.js"
import { type JsonValue, parseJson } from "../../src/core/json.js"
import { describeShared, hasShared, sharedPath } from "../shared.js"
import { arbJson, arbPlainJson } from "./arbitrary-json.js"

const malformed = expect.objectContaining({ code: "JSON_MALFORMED" })

describeShared("RFC 8785 vectors", () => {
  const files = hasShared ? readdirSync(sharedPath("vectors/jcs/input")) : []
  const read = (folder: string, file: string) => readFileSync(sharedPath(`vectors/jcs/${folder}/${file}`))

  test("all are there", () => {
    expect(files).toHaveLength(6)
  })

  test.each(files)("%s", (file) => {
    const text = canonicalize(parseJson(read("input", file)))
    expect(text).toBe(read("output", file).toString("utf8"))
    const hex = Buffer.from(text, "utf8").toString("hex")
    expect(hex).toBe(read("outhex", file.replace(".json", ".txt")).toString("ascii").replace(/\s/g, ""))
  })
})

test.each<{ name: string; value: JsonValue; text: string }>([
  {
    name: "names by UTF-16 units",
    value: { "\ufb33": 1, "\u{1f600}": 2, a: 3, A: 4, "": 5 },
    text: '{"":5,"A":4,"a":3,"\u{1f600}":2,"\ufb33":1}',
  },
  { name: "integer-like names as text", value: { "10": 1, "2": 2, a: 3, "": 4 }, text: '{"":4,"10":1,"2":2,"a":3}' },
  { name: "a member __proto__", value: parseJson('{"b":1,"__proto__":{"a":1}}'), text: '{"__proto__":{"a":1},"b":1}' },
  { name: "a member toJSON", value: { toJSON: 1, a: 2 }, text: '{"a":2,"toJSON":1}' },
  {
    name: "exact integers",
    value: [2n ** 64n, -(2n ** 53n), 1e21, -0],
    text: "[18446744073709551616,-9007199254740992,1e+21,0]",
  },
  { name: "escapes", value: '\u0000\u001f"\\/\u007f\u2028é', text: '"\\u0000\\u001f\\"\\\\/\u007f\u2028é"' },
  { name: "text like a surrogate escape", value: "\\ud800", text: '"\\\\ud800"' },
  { name: "nothing", value: [null, [], {}, "", true, false], text: '[null,[],{},"",true,false]' },
])("canonicalize writes $name", ({ value, text }) => {
  expect(canonicalize(value)).toBe(text)
})

test("many names are sorted too", () => {
  const names = Array.from({ length: 100 }, (_, i) => `n${(i * 37) % 100}`)
  const value = Object.fromEntries(names.map((name) => [name, 0]))
  expect(canonicalize(value)).toBe(
    `{${names
      .sort()
      .map((name) => `"${name}":0`)
      .join(",")}}`,
  )
})

test.each<{ name: string; value: unknown }>([
  { name: "a lone surrogate", value: "a\ud800" },
  { name: "a lone surrogate in a name", value: { "\udfff": 1 } },
  { name: "a lone surrogate beside a bigint", value: [1n, "\udfff"] },
  { name: "NaN", value: [Number.NaN] },
  { name: "infinity", value: { a: Number.POSITIVE_INFINITY } },
  { name: "undefined", value: [undefined] },
  { name: "an undefined member", value: { a: undefined } },
  { name: "a function", value: { toJSON: () => 1 } },
])("canonicalize refuses $name", ({ value }) => {
  expect(() => canonicalize(value as JsonValue)).toThrow(malformed)
})

test("canonicalize after parseJson is the identity on canonical text", () => {
  fc.assert(
    fc.property(arbJson, (value) => {
      const text = canonicalize(value)
      expect(canonicalize(parseJson(text))).toBe(text)
    }),
    { numRuns: 500 },
  )
})

test("the order of members does not show", () => {
  const reverse = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(reverse)
    if (typeof value !== "object" || value === null) return value
    return Object.setPrototypeOf(
      Object.fromEntries(
        Object.entries(value)
          .map(([name, member]) => [name, reverse(member)] as const)
          .reverse(),
      ),
      null,
    ) as JsonValue // members of JSON type only
  }
  fc.assert(
    fc.property(arbJson, (value) => {
      expect(canonicalize(reverse(value))).toBe(canonicalize(value))
    }),
  )
})

test("canonicalize agrees with the npm package of that name where integers stay within 2^53", () => {
  fc.assert(
    fc.property(arbPlainJson, (value) => {
      expect(canonicalize(value)).toBe(referenceCanonicalize(value))
    }),
    { numRuns: 500 },
  )
})

test("a bigint elsewhere changes no other byte", () => {
  fc.assert(
    fc.property(arbJson, (value) => {
      expect(canonicalize([value, 2n ** 60n])).toBe(`[${canonicalize(value)},1152921504606846976]`)
    }),
  )
})

test("computeJsonDigest is SHA-256 of the canonical text", () => {
  expect(computeJsonDigest({})).toBe("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
})
