// One flipped bit anywhere in a lockfile, a proof file or a definitions file is refused, or harmless by design. Here a sample;
// bit-flips.slow.test.ts flips every bit. What a log serves: ../client/bit-flips.test.ts.
import { beforeAll, describe, expect, test } from "vitest"
import { formatLockfile } from "../../src/core/lockfile.js"
import { type CompleteLog, makeCompleteLog } from "../fakes/complete-log.js"
import { findPlaces } from "../fakes/json-places.js"
import { flipDefinitions, flipProofFile } from "./flipped-files.js"
import { flipLockfile, HARMLESS, HARMLESS_UNLOGGED, harmlessAt, isSpelling } from "./flipped-lockfile.js"
import { everyNth } from "./flips.js"

let log: CompleteLog
beforeAll(async () => {
  log = await makeCompleteLog()
})

test("places: each byte belongs to the member that it is written in", () => {
  const json = '{ "a": ["x\\ny", 1], "é": {} }'
  const at = (byte: number) => findPlaces(json)[byte]
  expect(findPlaces(json)).toHaveLength(Buffer.byteLength(json))
  expect(at(2)).toMatchObject({ path: ["a"], part: "name" })
  expect(at(12)).toEqual({ path: ["a", "0"], part: "value", before: "x\n", text: "x\ny" })
  expect(at(16)).toMatchObject({ path: ["a", "1"], part: "value" })
  expect(at(18)).toMatchObject({ path: ["a"], part: "mark" })
  expect(at(23)).toMatchObject({ path: ["é"], part: "name" })
})

describe("a lockfile", () => {
  test("with proven pins: refused, or in a place that nothing is proven about", () => {
    const { bytes, places, outcome } = flipLockfile(formatLockfile(log.lockfile), { roots: [log.root] })
    for (const { at, bit } of everyNth(bytes, 5)) {
      const found = outcome(at, bit)
      const place = places[at]
      if (found === "harmless") expect(place && harmlessAt(place, HARMLESS), `bit ${bit} of byte ${at}`).not.toBeNull()
      if (found === "spelling") expect(isSpelling(place)).toBe(true)
    }
  })

  test("with a pin that no log has taken: it never becomes a proven one", () => {
    const { bytes, places, outcome } = flipLockfile(formatLockfile(log.withWaiting), { roots: [log.root] })
    const known = [...HARMLESS, HARMLESS_UNLOGGED]
    for (const { at, bit } of everyNth(bytes, 5)) {
      const place = places[at]
      if (place?.path[1] !== "waiting") continue
      if (outcome(at, bit) === "harmless") expect(harmlessAt(place, known), `bit ${bit} of byte ${at}`).not.toBeNull()
    }
  })
})

describe("a proof file", () => {
  test("with the entry in it", () => {
    const { bytes, check } = flipProofFile(log, "inside")
    for (const { at, bit } of everyNth(bytes, 5)) check(at, bit)
  })

  test("beside its entry: what it says of the entry does not count", () => {
    const { bytes, check } = flipProofFile(log, "beside")
    for (const { at, bit } of everyNth(bytes, 5)) check(at, bit)
  })
})

test("a definitions file: refused, or in a masked span", () => {
  const { bytes, check } = flipDefinitions(log, "package")
  const kinds = new Set([...everyNth(bytes, 5)].map(({ at, bit }) => check(at, bit)))
  expect(kinds).toContain("refused")
})
