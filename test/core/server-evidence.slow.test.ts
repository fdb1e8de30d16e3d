// Every bit of an evidence file, flipped: refused, or another spelling of the same.
import { expect, test } from "vitest"
import { evidenceOf, LISTS } from "../fakes/evidence-world.js"
import { flipEvidence } from "./flipped-evidence.js"
import { everyBit } from "./flips.js"

test("every bit", async () => {
  const { evidence, roots } = await evidenceOf({ live: LISTS.changed })
  const { bytes, outcome } = flipEvidence(evidence, roots)
  const found = everyBit(bytes).map(({ at, bit }) => ({ at, bit, is: outcome(at, bit) }))
  const counts = new Set(found.map(({ is }) => is))
  expect(counts).toEqual(new Set(["malformed", "rejected", "spelling"]))
  // Between tokens, one white space for another; this file has no escapes and no exponents.
  const text = new TextDecoder().decode(bytes)
  for (const { at, is } of found) if (is === "spelling") expect(text.codePointAt(at)).toBeLessThanOrEqual(0x20)
})
