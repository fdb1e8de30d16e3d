import { expect, test } from "vitest"
import type { Digest } from "../../src/core/hash.js"
import { type JsonValue, parseJson } from "../../src/core/json.js"
import { computePinDigest, isPinName } from "../../src/core/pin.js"
import { computeTargetDigest, parseTarget } from "../../src/core/target.js"
import { describeShared, readShared } from "../shared.js"

interface PinCase {
  desc: string
  fields: {
    log: string
    subject: string
    version: string
    target: JsonValue
    profile: string
    mask: Digest | "-"
    surface: Digest
  }
  pinDigest: string
  targetDigest: string
}

describeShared("pin vectors", () => {
  const { cases } = JSON.parse(readShared("vectors/toolsum/pins.json")) as { cases: PinCase[] }
  test.each(cases)("$desc", ({ fields, pinDigest, targetDigest }) => {
    const target = parseTarget(parseJson(JSON.stringify(fields.target)))
    expect(computeTargetDigest(target)).toBe(targetDigest)
    expect(computePinDigest({ ...fields, target })).toBe(pinDigest)
  })
})

test("every member moves the pin digest", () => {
  const zero = `sha256:${"0".repeat(64)}` as const
  const pin = { log: "l", subject: "s", version: "1", profile: "anonymous", mask: "-" as const, surface: zero }
  const base = { ...pin, target: { command: "x", args: [], env: [] } }
  const changes = [{ log: "m" }, { subject: "t" }, { version: "-" }, { profile: "p" }, { mask: zero }]
  const deeper = [{ surface: `sha256:${"1".repeat(64)}` as const }, { target: { ...base.target, args: ["a"] } }]
  const digests = [...changes, ...deeper].map((change) => computePinDigest({ ...base, ...change }))
  expect(new Set([computePinDigest(base), ...digests]).size).toBe(8)
})

test("pin names", () => {
  expect(["a", "0", "memory", "a.b_c-d", "a".repeat(64)].every(isPinName)).toBe(true)
  expect(["", "A", "-a", ".a", "_a", "a b", "a/b", "a".repeat(65), "__proto__"].some(isPinName)).toBe(false)
})
