// Hostile texts in any place of a report, at random: it holds our markup and no other.
import fc from "fast-check"
import { test } from "vitest"
import { arbReport } from "./hostile.js"
import { CHECKS } from "./inert-checks.js"

test.each(CHECKS)("$format stays ours whatever servers say", ({ check }) => {
  fc.assert(
    fc.property(arbReport, (report) => {
      check(report)
    }),
    { seed: 20_261_201, numRuns: 60 },
  )
})
