// Masks as words of a command line: nothing that a server wrote gets out of its quotes, and what is pasted is what was offered.
import fc from "fast-check"
import { expect, test } from "vitest"
import { formatMaskWord, readMasks } from "../../src/cli/masks.js"
import { parseCommandLine } from "../../src/cli/options.js"
import { quoteForShell } from "../../src/cli/shell-words.js"
import type { Mask } from "../../src/core/mask.js"
import { makeCliWorld } from "../fakes/cli-world.js"

const SPECS = [["--mask <json>", ""] as const, ["--masks <file>", ""] as const, ["--json", ""] as const]
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("'", "\\", '"', "$(x)", "`x`", "%PATH%", "\n", "\u202e", "’"),
)

test("a mask comes back from its word, whatever a server wrote into it, and no shell reads anything into that", async () => {
  const world = await makeCliWorld()
  const { io } = world.io()
  await fc.assert(
    fc.asyncProperty(
      fc.array(text),
      text,
      text,
      fc.integer({ min: 1, max: 256 }),
      async (prefix, suffix, item, max) => {
        const mask: Mask = {
          section: "tools",
          item,
          pointer: "/x",
          prefix: prefix.join(""),
          suffix,
          class: "path",
          max,
        }
        const word = formatMaskWord(mask)
        expect(word).toMatch(/^'\{[^'`$%!&|<>^\n]+\}'$/)
        expect(word).toMatch(/^[ -~]+$/)
        const { options, typed } = parseCommandLine(["--mask", word.slice(1, -1)], SPECS)
        expect(typed).toEqual(["--mask", word.slice(1, -1)])
        expect(await readMasks(options, { ...io, atEnd: () => {} })).toEqual([mask])
      },
    ),
    { numRuns: 50 },
  )
})

test("options are kept as they were typed, words are not", () => {
  const { typed, words } = parseCommandLine(
    ["notes", "--mask=a", "--json", "--masks", "b", "other", "--", "--mask"],
    SPECS,
  )
  expect(typed).toEqual(["--mask=a", "--json", "--masks", "b"])
  expect(words).toEqual(["notes", "other"])
})

test.each([
  ["plain/word-1.2", "plain/word-1.2"],
  ["--dry-run", "--dry-run"],
  ["a b", "'a b'"],
  ["it's", `'it'\\''s'`],
  ["${TOKEN}", "'${TOKEN}'"],
  ["", "''"],
])("%j is typed as %j", (word, typed) => {
  expect(quoteForShell(word)).toBe(typed)
})
