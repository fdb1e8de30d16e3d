// What this package knows of public logs: that the shipped file is one, says where each value is from, and that a damaged one is refused.
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { parseVendorLog, readVendorLog, VENDOR_LOGS } from "../../src/adapters/vendor-keys.js"
import { describeShared, readShared } from "../shared.js"

const TEXT = readFileSync(new URL("../../vendor-keys/legion.json", import.meta.url), "utf8")

test.each(VENDOR_LOGS)("%s: every value has a source and a way to check it elsewhere", (name) => {
  const { origin, base, root, pinned } = readVendorLog(name)
  for (const { value, source, check } of [origin, base, root])
    expect([value, source, check].every((text) => text.length > 10)).toBe(true)
  expect(pinned).toEqual({
    ...{ dialect: "legion", name: origin.value, fingerprint: root.value, floor: null, source: "vendor-keys" },
  })
  expect(root.value).toMatch(/^[0-9a-f]{64}$/)
})

describe("a damaged file is refused", () => {
  test.each([
    ["no JSON", () => ""],
    ["a list", () => "[]"],
    ["another format", (text: string) => text.replace("vendor-keys/v1", "vendor-keys/v2")],
    ["another name", (text: string) => text.replace('"name": "legion"', '"name": "other"')],
    ["another dialect", (text: string) => text.replace('"dialect": "legion"', '"dialect": "tlog-tiles"')],
    ["a short root", (text: string) => text.replace("a7c6a35b", "a7c6a35")],
    [
      "a base without TLS",
      (text: string) => text.replace('"https://tlog.legion-api.com/tlog/v1"', '"http://x.example/y"'),
    ],
    ["no source", (text: string) => text.replace('"source"', '"origin"')],
  ])("%s", (_, edit) => {
    expect(() => parseVendorLog(edit(TEXT), "legion")).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }))
  })
})

describeShared("the shipped LEGION values", () => {
  test("are those of the description of its formats", () => {
    const { origin, base, root } = readVendorLog("legion")
    const wire = readShared("legion/WIRE.md")
    for (const { value } of [origin, base, root]) expect(wire).toContain(`\`${value}\``)
  })
})
