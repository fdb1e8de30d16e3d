// Every bit of a lockfile, a proof file and a definitions file, one at a time: refused, or harmless where the list says so. Each entry of
// the list is met.
import { beforeAll, describe, expect, test } from "vitest"
import { formatLockfile } from "../../src/core/lockfile.js"
import { parseRootArgument } from "../../src/core/root.js"
import { type CompleteLog, makeCompleteLog } from "../fakes/complete-log.js"
import { describeShared, hasShared } from "../shared.js"
import { flipDefinitions, flipProofFile } from "./flipped-files.js"
import {
  type FlippedLockfile,
  flipLockfile,
  HARMLESS,
  HARMLESS_UNLOGGED,
  harmlessAt,
  isSpelling,
} from "./flipped-lockfile.js"
import { everyBit, everyNth, type Flip } from "./flips.js"
import { readLockfileVectors } from "./lockfile-vectors.js"

let log: CompleteLog
beforeAll(async () => {
  log = await makeCompleteLog()
})

/** Names of the places where flips were harmless; each must be on the list. */
function harmlessPlaces({ places, outcome }: FlippedLockfile, flips: readonly Flip[]): ReadonlySet<string> {
  const known = [...HARMLESS, HARMLESS_UNLOGGED]
  const met = new Set<string>()
  for (const { at, bit } of flips) {
    const found = outcome(at, bit)
    const place = places[at]
    if (found === "spelling") {
      expect(isSpelling(place)).toBe(true)
      met.add("spelling")
    } else if (found === "harmless") {
      const name = place === undefined ? null : harmlessAt(place, known)
      expect(name, `bit ${bit} of byte ${at}`).not.toBeNull()
      met.add(name ?? "")
    }
  }
  return met
}

test("a lockfile with proven pins and one that is not logged: every place on the list is met, and no other", () => {
  const flips = flipLockfile(formatLockfile(log.withWaiting), { roots: [log.root] })
  const met = harmlessPlaces(flips, everyBit(flips.bytes))
  expect([...met].sort()).toEqual(
    [...HARMLESS, HARMLESS_UNLOGGED]
      .map(({ name }) => name)
      .concat("spelling")
      .sort(),
  )
})

describe("other files", () => {
  test.each(["inside", "beside"] as const)("a proof file, its entry %s", (entry) => {
    const { bytes, check } = flipProofFile(log, entry)
    const kinds = new Set(everyBit(bytes).map(({ at, bit }) => check(at, bit)))
    expect(kinds).toEqual(new Set(["refused", "harmless"]))
  })

  test.each(["package", "remote", "here"])("the definitions of %s", (name) => {
    const { bytes, check } = flipDefinitions(log, name)
    const kinds = everyBit(bytes).map(({ at, bit }) => check(at, bit))
    expect(new Set(kinds)).toEqual(new Set(name === "package" ? ["refused", "harmless"] : ["refused"]))
  })
})

const NO_VECTORS: ReturnType<typeof readLockfileVectors> = { bases: {}, definitions: {}, cases: [] }

describeShared("lockfiles made elsewhere", () => {
  const { bases, cases } = hasShared ? readLockfileVectors() : NO_VECTORS
  const rootsOf = (base: string) => {
    const proven = cases.find(({ of, splice, expect }) => of === base && splice[2] === "" && expect.exitCode === 0)
    return (proven?.roots ?? []).map((root) => ({ ...parseRootArgument(root), source: "flag" as const }))
  }

  test.each([
    ["good-6", everyBit],
    ["good-7", everyBit],
    ["good-1", (bytes: Uint8Array) => everyNth(bytes, 1)],
    ["good-4", (bytes: Uint8Array) => everyNth(bytes, 3)],
    ["good-8", (bytes: Uint8Array) => everyNth(bytes, 3)],
  ])("%s", (base, choose) => {
    const flips = flipLockfile(bases[base] ?? "", { roots: rootsOf(base) })
    harmlessPlaces(flips, choose(flips.bytes))
  })
})
