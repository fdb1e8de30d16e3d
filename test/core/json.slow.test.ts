// Nothing of 16 MiB takes the reader or the canonical form more than a little: linear work, whatever the document is made of.
import { expect, test } from "vitest"
import { canonicalize } from "../../src/core/canonical.js"
import { ToolsumError } from "../../src/core/errors.js"
import { MAX_JSON_BYTES, parseJson } from "../../src/core/json.js"

const fill = (unit: string): string => `[${unit.repeat(Math.floor((MAX_JSON_BYTES - 3) / unit.length))}0]`

const members = (name: (i: number) => string): string => {
  const parts: string[] = []
  for (let size = 2, i = 0; size < MAX_JSON_BYTES - 40; i++) {
    const member = `"${name(i)}":0`
    size += member.length + 1
    parts.push(member)
  }
  return `{${parts.join(",")}}`
}

test.each([
  { name: "one string", make: () => `"${"a".repeat(MAX_JSON_BYTES - 2)}"` },
  { name: "a string without end", make: () => `"${"a".repeat(MAX_JSON_BYTES - 1)}` },
  { name: "escapes", make: () => `"${"\\n".repeat(MAX_JSON_BYTES / 2 - 1)}"` },
  { name: "escapes without end", make: () => `"${"\\\\".repeat(MAX_JSON_BYTES / 2 - 1)}` },
  { name: "short strings with escapes", make: () => fill('"\\n",') },
  { name: "surrogate escapes", make: () => fill('"\\ud83d\\ude00",') },
  { name: "quotes", make: () => '"'.repeat(MAX_JSON_BYTES) },
  { name: "digits after a point", make: () => `0.${"1".repeat(MAX_JSON_BYTES - 2)}` },
  { name: "integers of 1000 digits", make: () => fill(`${"7".repeat(1000)},`) },
  { name: "minus signs", make: () => "-".repeat(MAX_JSON_BYTES) },
  { name: "white space", make: () => " ".repeat(MAX_JSON_BYTES) },
  { name: "lines and an error", make: () => `${"\n".repeat(MAX_JSON_BYTES - 1)}x` },
  { name: "open brackets", make: () => "[".repeat(MAX_JSON_BYTES) },
  { name: "empty objects", make: () => fill("{},") },
  { name: "objects of one member", make: () => fill('{"a":1},') },
  { name: "many names", make: () => members((i) => `k${i}`) },
  { name: "many integer-like names", make: () => members((i) => String((i * 4099) % 4294967295)) },
  {
    name: "objects of many shapes",
    make: () =>
      members((i) => `k${i}`)
        .replace(/^\{(.*)\}$/s, "[{$1}]")
        .replaceAll(",", "},{"),
  },
])("16 MiB of $name", ({ make }) => {
  const text = make()
  const startMs = performance.now()
  try {
    canonicalize(parseJson(text))
  } catch (error) {
    expect(error).toBeInstanceOf(ToolsumError)
  }
  expect(performance.now() - startMs).toBeLessThan(20_000)
})
