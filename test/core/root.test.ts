import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { computeRootFingerprint, formatRootArgument, parseRootArgument } from "../../src/core/root.js"
import { parseVkey } from "../../src/core/vkey.js"
import { describeShared, readShared } from "../shared.js"
import { arbDecimal, arbHash, arbKeyName, signer, verifier } from "./log-fixtures.js"

const malformed = expect.objectContaining({ code: "KEY_MALFORMED" })
const PRINT = "SHA256:urMVFOgkBpi13IM+Ry/vH1HuKBuQjc8xWAkAoKfHRDA"
const HEX = "a7c6a35b1c2c81d589a30c2ad628679bdea9da4139d49aa3c42cdde6e1c65036"

test("the fingerprint covers origin, threshold and keys, in any order of keys", () => {
  const roots = ["a", "b", "c"].map((name) => verifier(signer(name)))
  const print = computeRootFingerprint({ origin: "o", threshold: 2, roots })
  expect(print).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
  expect(computeRootFingerprint({ origin: "o", threshold: 2, roots: [...roots].reverse() })).toBe(print)
  expect(computeRootFingerprint({ origin: "p", threshold: 2, roots })).not.toBe(print)
  expect(computeRootFingerprint({ origin: "o", threshold: 3, roots })).not.toBe(print)
  expect(computeRootFingerprint({ origin: "o", threshold: 2, roots: roots.slice(1) })).not.toBe(print)
})

describe("--root", () => {
  test("the dialect is told by the form", () => {
    expect(parseRootArgument(PRINT)).toEqual({ dialect: "tlog-tiles", name: null, fingerprint: PRINT, floor: null })
    expect(parseRootArgument(HEX)).toEqual({ dialect: "legion", name: null, fingerprint: HEX, floor: null })
    expect(parseRootArgument(`tlog.legion-api.com/mcp/v0=${HEX}`)).toMatchObject({ name: "tlog.legion-api.com/mcp/v0" })
    expect(parseRootArgument(`a=b=${PRINT}@1:${HEX}`)).toMatchObject({ name: "a=b", floor: { version: 1n } })
  })

  test.each([
    `${HEX.slice(1)}`,
    HEX.toUpperCase(),
    `${HEX}@1:${HEX}`,
    `=${HEX}`,
    `a b=${PRINT}`,
    `a+b=${PRINT}`,
    `a\n=${PRINT}`,
    `${"x".repeat(256)}=${PRINT}`,
    `${PRINT}\n`,
    `${PRINT}@9223372036854775808:${HEX}`,
    `${PRINT}@-1:${HEX}`,
    `${PRINT}@1:${HEX}@1:${HEX}`,
    `${PRINT},${PRINT}`,
  ])("refuses %j", (argument) => {
    expect(() => parseRootArgument(argument)).toThrow(malformed)
  })

  test("parse and format are inverses", () =>
    fc.assert(
      fc.property(
        fc.record({
          name: fc.option(arbKeyName),
          hash: arbHash,
          floor: fc.option(fc.record({ version: arbDecimal.filter((n) => n > 0n), digest: arbHash })),
          legion: fc.boolean(),
        }),
        ({ name, hash, floor, legion }) => {
          const root = legion
            ? { dialect: "legion", name, fingerprint: Buffer.from(hash).toString("hex"), floor: null }
            : {
                dialect: "tlog-tiles",
                name,
                fingerprint: `SHA256:${Buffer.from(hash).toString("base64").slice(0, -1)}`,
                floor,
              }
          expect(parseRootArgument(formatRootArgument(root))).toEqual(root)
        },
      ),
    ))
})

describeShared("roots.json", () => {
  const { fingerprints, arguments: args } = JSON.parse(readShared("vectors/toolsum/roots.json"))

  test.each(
    fingerprints as { desc: string; origin: string; threshold: number; roots: string[]; fingerprint: string }[],
  )("fingerprint: $desc", ({ origin, threshold, roots, fingerprint }) => {
    expect(computeRootFingerprint({ origin, threshold, roots: roots.map((vkey) => parseVkey(vkey)) })).toBe(fingerprint)
  })

  interface Argument {
    argument: string
    expect: string
    name: string | null
    fingerprint: string
    floor: [number, string] | null
  }
  test.each(args as Argument[])(
    "argument $argument: $expect",
    ({ argument, expect: want, name, fingerprint, floor }) => {
      if (want !== "accept") return void expect(() => parseRootArgument(argument)).toThrow(malformed)
      const root = parseRootArgument(argument)
      expect(root).toMatchObject({ dialect: "tlog-tiles", name, fingerprint })
      expect(root.floor && [Number(root.floor.version), Buffer.from(root.floor.digest).toString("hex")]).toEqual(floor)
      expect(formatRootArgument(root)).toBe(argument)
    },
  )
})
