import fc from "fast-check"
import { expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import { type JsonValue, parseJson } from "../../src/core/json.js"
import { formatPointer, parsePointer, replaceAt, valueAt } from "../../src/core/pointer.js"
import { arbText } from "./arbitrary-json.js"

const bad = (why: string) => new ToolsumError("MASK_MALFORMED", why)

// The example document and pointers of RFC 6901 §5.
const DOCUMENT = parseJson(
  '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}',
)

test.each<{ pointer: string; value: JsonValue }>([
  { pointer: "", value: DOCUMENT },
  { pointer: "/foo", value: ["bar", "baz"] },
  { pointer: "/foo/0", value: "bar" },
  { pointer: "/", value: 0 },
  { pointer: "/a~1b", value: 1 },
  { pointer: "/c%d", value: 2 },
  { pointer: "/e^f", value: 3 },
  { pointer: "/g|h", value: 4 },
  { pointer: "/i\\j", value: 5 },
  { pointer: '/k"l', value: 6 },
  { pointer: "/ ", value: 7 },
  { pointer: "/m~0n", value: 8 },
])("RFC 6901: $pointer", ({ pointer, value }) => {
  expect(valueAt(DOCUMENT, parsePointer(pointer, bad))).toEqual(value)
})

test.each([
  "/foo/00",
  "/foo/01",
  "/foo/-",
  "/foo/2",
  "/foo/1.0",
  "/foo/length",
  "/foo/0/0",
  "/toString",
  "/__proto__",
  "/x/y",
])("%s names nothing", (pointer) => {
  expect(valueAt(DOCUMENT, parsePointer(pointer, bad))).toBe(undefined)
  expect(valueAt({}, parsePointer(pointer, bad))).toBe(undefined)
})

test.each(["foo", " /foo", "#/foo", "/~", "/a~2", "/~~0"])("parsePointer refuses %s", (pointer) => {
  expect(() => parsePointer(pointer, bad)).toThrow(expect.objectContaining({ code: "MASK_MALFORMED" }))
})

test("format and parse are inverses", () => {
  fc.assert(
    fc.property(fc.array(arbText), (tokens) => {
      expect(parsePointer(formatPointer(tokens), bad)).toEqual(tokens)
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.constantFrom("/", "~0", "~1", "a", "0", "~", "~2")), (parts) => {
      const text = parts.join("")
      try {
        expect(formatPointer(parsePointer(text, bad))).toBe(text)
      } catch (error) {
        expect(error).toBeInstanceOf(ToolsumError)
      }
    }),
  )
})

test("replaceAt copies the way to the place and shares the rest", () => {
  const value = parseJson('{"a":[{"b":1},{"c":2}],"__proto__":{"d":3},"e":{"f":4}}')
  const before = JSON.stringify(value)
  expect(replaceAt(value, ["a", "1", "c"], "x")).toEqual(
    parseJson('{"a":[{"b":1},{"c":"x"}],"__proto__":{"d":3},"e":{"f":4}}'),
  )
  const changed = replaceAt(value, ["__proto__", "d"], "x")
  expect(valueAt(changed, ["__proto__", "d"])).toBe("x")
  expect(valueAt(changed, ["e"])).toBe(valueAt(value, ["e"]))
  expect(replaceAt(value, [], "x")).toBe("x")
  expect(JSON.stringify(value)).toBe(before)
})
