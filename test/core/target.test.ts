import fc from "fast-check"
import { expect, test } from "vitest"
import { canonicalize } from "../../src/core/canonical.js"
import { type JsonValue, parseJson } from "../../src/core/json.js"
import { computeTargetDigest, formatTarget, isCommandTarget, parseTarget } from "../../src/core/target.js"
import { describeShared, readShared } from "../shared.js"
import { arbTarget } from "./arbitrary-target.js"

const malformed = expect.objectContaining({ code: "TARGET_MALFORMED" })

describeShared("target vectors", () => {
  const { cases } = JSON.parse(readShared("vectors/toolsum/subjects.json")) as {
    cases: { desc: string; target: JsonValue; targetDigest: string }[]
  }
  test.each(cases)("$desc", ({ target, targetDigest }) => {
    expect(computeTargetDigest(parseTarget(parseJson(JSON.stringify(target))))).toBe(targetDigest)
  })
})

test.each([
  ["null", null],
  ["a list", []],
  ["nothing", {}],
  ["no args", { command: "x", env: [] }],
  ["no env", { command: "x", args: [] }],
  ["an unknown member", { command: "x", args: [], env: [], shell: true }],
  ["a command and a URL", { command: "x", args: [], env: [], url: "https://e.example/", headers: {} }],
  ["an empty command", { command: "", args: [], env: [] }],
  ["a command that is a number", { command: 1, args: [], env: [] }],
  ["a NUL in a word", { command: "x", args: ["a\0b"], env: [] }],
  ["args as text", { command: "x", args: "a", env: [] }],
  ["a number in args", { command: "x", args: [1], env: [] }],
  ["env unsorted", { command: "x", args: [], env: ["B", "A"] }],
  ["env twice", { command: "x", args: [], env: ["A", "A"] }],
  ["env with a value", { command: "x", args: [], env: ["A=1"] }],
  ["env as an object", { command: "x", args: [], env: { A: "1" } }],
  ["cwd null", { command: "x", args: [], env: [], cwd: null }],
  ["cwd empty", { command: "x", args: [], env: [], cwd: "" }],
  ["no headers", { url: "https://e.example/" }],
  ["headers as a list", { url: "https://e.example/", headers: [] }],
  ["an empty URL", { url: "", headers: {} }],
  ["a header twice but for case", { url: "https://e.example/", headers: { A: "1", a: "2" } }],
  ["a header with a space in its name", { url: "https://e.example/", headers: { "a b": "1" } }],
  ["a header with a line feed", { url: "https://e.example/", headers: { a: "1\nb: 2" } }],
  ["a header that is a list", { url: "https://e.example/", headers: { a: ["1"] } }],
  ["a URL with env", { url: "https://e.example/", headers: {}, env: [] }],
] satisfies [string, JsonValue][])("parseTarget refuses %s", (_name, value) => {
  expect(() => parseTarget(value)).toThrow(malformed)
})

test("format and parse are inverses", () =>
  fc.assert(
    fc.property(arbTarget, (target) => {
      const read = parseTarget(parseJson(canonicalize(formatTarget(target))))
      expect(canonicalize(formatTarget(read))).toBe(canonicalize(formatTarget(target)))
      expect(isCommandTarget(read)).toBe("command" in target)
    }),
  ))
