import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { formatObservations, parseObservations } from "../../src/features/observation-file.js"
import { arbObservation } from "../core/arbitrary-record.js"

const submissions = fc.array(
  fc.record({ observation: arbObservation, objects: fc.array(fc.string({ unit: "grapheme" })) }),
  { maxLength: 3 },
)

test("format and parse are inverses", () => {
  fc.assert(
    fc.property(submissions, (all) => {
      expect(parseObservations(encodeUtf8(formatObservations(all)))).toEqual(all)
    }),
  )
})

describe("refused", () => {
  const [one] = fc.sample(
    submissions.filter((all) => all.length > 0),
    { numRuns: 1, seed: 1 },
  )
  const good = JSON.parse(formatObservations(one ?? []))
  test.each([
    { name: "another format", edit: { ...good, format: "toolsum-observations/v2" } },
    { name: "an unknown member", edit: { ...good, more: 1 } },
    { name: "no list", edit: { ...good, observations: {} } },
    { name: "an observation that is no text", edit: { ...good, observations: [{ observation: 1, objects: [] }] } },
    { name: "an ill-formed observation", edit: { ...good, observations: [{ observation: "x\n", objects: [] }] } },
    { name: "an object that is no text", edit: { ...good, observations: [{ ...good.observations[0], objects: [1] }] } },
    { name: "objects missing", edit: { ...good, observations: [{ observation: good.observations[0].observation }] } },
  ])("$name", ({ edit }) => {
    const bytes = encodeUtf8(JSON.stringify(edit))
    expect(() => parseObservations(bytes)).toThrow(expect.objectContaining({ code: "RECORD_MALFORMED" }))
  })
})
