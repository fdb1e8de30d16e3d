import fc from "fast-check"
import { expect, test } from "vitest"
import { parseJson } from "../../src/core/json.js"
import { pointerAt } from "../../src/core/json-place.js"
import { formatPointer } from "../../src/core/pointer.js"

test.each([
  ['{"tools":[{"name":"a"},{"x":{"y":1,"y":2}}]}', "/tools/1/x/y"],
  ['{"a":1,"a":2}', "/a"],
  ['[[],[{}],[1,{"q\\"}]":[{"b/~":0,"b/~":0}]}]]', '/2/1/q"}]/0/b~1~0'],
  ['{"":{"\\u0061":"{[,:","a":1}}', "//a"],
])("%s gives a name twice at %s", (text, pointer) => {
  const error = expect.objectContaining({ code: "JSON_MALFORMED", evidence: { duplicate: pointer } })
  expect(() => parseJson(text)).toThrow(error)
})

test("a member given twice anywhere is found where it is", () => {
  const name = fc.constantFrom("a", "b/c", "~", '"', "[", "é", "__proto__", "0")
  const path = fc.array(fc.oneof(name, fc.nat(3)), { maxLength: 6 })
  fc.assert(
    fc.property(path, name, (tokens, twice) => {
      const inner = `{"before":[{}],${JSON.stringify(twice)}:[1],${JSON.stringify(twice)}:0}`
      const text = tokens.reduceRight<string>((value, token) => {
        if (typeof token === "number") return `[${'{"x":[0]},'.repeat(token)}${value}]`
        return `{"other":{"k":[",",{}]}, ${JSON.stringify(token)} : ${value}}`
      }, inner)
      const at = text.lastIndexOf(JSON.stringify(twice))
      expect(pointerAt(text, at)).toBe(formatPointer([...tokens, twice].map(String)))
    }),
    { seed: 3, numRuns: 300 },
  )
})
