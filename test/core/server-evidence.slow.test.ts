// Every bit of an evidence file, flipped: refused. The one thing that may be another spelling of the same is the case of a digit in an escape.
import { expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { evidenceOf, LISTS } from "../fakes/evidence-world.js"
import { flipEvidence } from "./flipped-evidence.js"
import { everyBit } from "./flips.js"

test("every bit", async () => {
  const { evidence, roots } = await evidenceOf({ live: LISTS.changed })
  const { bytes, outcome } = flipEvidence(evidence, roots)
  const found = new Set(everyBit(bytes).map(({ at, bit }) => outcome(at, bit)))
  expect(found).toEqual(new Set(["malformed", "rejected"]))
})

test("every bit, with an escape in a text", async () => {
  const { evidence, roots } = await evidenceOf({ live: { instructions: "\u200b" }, archive: false })
  const { bytes, outcome } = flipEvidence(evidence, roots)
  const text = new TextDecoder().decode(bytes)
  const digit = encodeUtf8(text.slice(0, text.indexOf("\\u200b"))).length + 5
  const spellings = everyBit(bytes).filter(({ at, bit }) => outcome(at, bit) === "spelling")
  expect(spellings).toEqual([{ at: digit, bit: 5 }])
})
