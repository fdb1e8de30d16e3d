import fc from "fast-check"
import { expect, test } from "vitest"
import { canonicalize, computeJsonDigest } from "../../src/core/canonical.js"
import { type JsonValue, parseJson } from "../../src/core/json.js"
import {
  applyMasks,
  computeMaskDigest,
  formatMasks,
  type Mask,
  type MaskSection,
  parseMasks,
} from "../../src/core/mask.js"
import { itemKey, withoutVersion } from "../../src/core/section.js"
import { describeShared } from "../shared.js"
import { arbText } from "./arbitrary-json.js"
import { vectorCases } from "./vector-cases.js"

const malformed = expect.objectContaining({ code: "MASK_MALFORMED" })

interface MaskCase {
  desc: string
  masks: JsonValue
  reject?: string
  section: MaskSection
  item: JsonValue
  applied: readonly boolean[]
  maskedItem?: string
  itemDigest?: string
  digest?: string
  canonicalList: string
  maskDigest: string
}

describeShared("mask vectors", () => {
  const cases = vectorCases<MaskCase>("masks")

  test("all are there", () => {
    expect(cases.length).toBeGreaterThanOrEqual(60)
  })

  test.each(cases.filter((c) => c.reject !== undefined))("refuses: $desc", ({ masks }) => {
    expect(() => parseMasks(parseJson(JSON.stringify(masks)))).toThrow(malformed)
  })

  test.each(cases.filter((c) => c.reject === undefined))("$desc", (c) => {
    const masks = parseMasks(parseJson(JSON.stringify(c.masks)))
    expect(canonicalize(formatMasks(masks))).toBe(c.canonicalList)
    expect(computeMaskDigest(masks)).toBe(c.maskDigest)
    const single = c.section === "instructions" || c.section === "server"
    const received = parseJson(JSON.stringify(c.item))
    const item = c.section === "server" ? withoutVersion(received) : received
    const { value, applied } = applyMasks(c.section, single ? null : itemKey(c.section as "tools", item), item, masks)
    expect(applied).toEqual(c.applied)
    if (c.maskedItem !== undefined) expect(canonicalize(value)).toBe(c.maskedItem)
    expect(computeJsonDigest(value)).toBe(c.digest ?? `sha256:${c.itemDigest}`)
  })
})

const MASK: Mask = {
  section: "tools",
  item: "build",
  pointer: "/description",
  prefix: "Built ",
  suffix: ".",
  class: "date",
  max: 40,
}
const edited = (edit: Partial<Record<keyof Mask | "note", JsonValue>>): JsonValue => [{ ...MASK, ...edit }]

test("parseMasks reads a good mask", () => {
  expect(parseMasks([{ ...MASK }])).toEqual([MASK])
  expect(parseMasks([])).toEqual([])
})

test.each<{ name: string; masks: JsonValue }>([
  { name: "no list", masks: { ...MASK } },
  { name: "no object", masks: ["x"] },
  { name: "an unknown member", masks: edited({ note: "x" }) },
  { name: "a missing member", masks: [{ ...MASK, suffix: undefined } as unknown as JsonValue] },
  { name: "an unknown section", masks: edited({ section: "serverInfo" }) },
  { name: "a null item of tools", masks: edited({ item: null }) },
  { name: "an item of server", masks: edited({ section: "server" }) },
  { name: "an item of instructions", masks: edited({ section: "instructions", pointer: "" }) },
  { name: "a pointer into instructions", masks: edited({ section: "instructions", item: null, pointer: "/a" }) },
  { name: "a bad pointer", masks: edited({ pointer: "description" }) },
  { name: "an inherited name as class", masks: edited({ class: "toString" }) },
  { name: "max 0", masks: edited({ max: 0 }) },
  { name: "max 257", masks: edited({ max: 257 }) },
  { name: "max 1.5", masks: edited({ max: 1.5 }) },
  { name: "a bigint as max", masks: edited({ max: 40n }) },
  { name: "a prefix that is no string", masks: edited({ prefix: null }) },
  { name: "a whole description", masks: edited({ prefix: "", suffix: "" }) },
  { name: "a whole nested title", masks: edited({ pointer: "/annotations/title", prefix: "", suffix: "" }) },
  {
    name: "whole instructions",
    masks: edited({ section: "instructions", item: null, pointer: "", prefix: "", suffix: "" }),
  },
  { name: "the key of a tool", masks: edited({ pointer: "/name" }) },
  { name: "the key of a prompt", masks: edited({ section: "prompts", pointer: "/name" }) },
  { name: "the key of a template", masks: edited({ section: "templates", pointer: "/uriTemplate" }) },
  { name: "the key of a resource", masks: edited({ section: "resources", pointer: "/uri" }) },
  { name: "a mask twice", masks: [{ ...MASK }, { ...MASK }] },
  { name: "65 masks", masks: Array.from({ length: 65 }, (_, i) => ({ ...MASK, item: `t${i}` })) },
])("parseMasks refuses $name", ({ masks }) => {
  expect(() => parseMasks(masks)).toThrow(malformed)
})

test.each<{ class: Mask["class"]; good: readonly string[]; other: readonly string[] }>([
  { class: "digits", good: ["0", "0123456789"], other: ["", "1a", "-1", "١", "1\n"] },
  { class: "hex", good: ["0aF"], other: ["0x1", "g", "a\n"] },
  {
    class: "uuid",
    good: ["15e8bd88-79d7-e753-56a8-8F11BF5F713D"],
    other: ["15e8bd8879d7e75356a88f11bf5f713d", "{15e8bd88-79d7-e753-56a8-8f11bf5f713d}"],
  },
  { class: "path", good: ["/srv/a.b", "C:\\x", "~/a@1+%20-_"], other: ["/a b", "/é", "/a*"] },
  {
    class: "url",
    good: ["http://a", "https://[::1]:1/a?b=c#d!$&'()*+,;=~%20"],
    other: ["https://", "ftp://a", "https://a b", "HTTPS://a"],
  },
  {
    class: "date",
    good: [
      "2027-05-04",
      "2027-05-04T10:20",
      "2027-05-04 10:20:30",
      "2027-05-04T10:20:30.123456789Z",
      "2027-05-04T10:20+0200",
      "2027-05-04T10:20-02:00",
    ],
    other: [
      "2027-5-4",
      "2027-05-04T",
      "2027-05-04Z",
      "2027-05-04T10",
      "2027-05-04T10:20:30.",
      "2027-05-04T10:20:30.1234567890",
      "2027-05-04t10:20",
      "2027-05-04T10:20−02:00",
    ],
  },
])("class $class", (c) => {
  const mask: Mask = { ...MASK, class: c.class, pointer: "/v", prefix: "<", suffix: "", max: 256 }
  const applies = (span: string) => applyMasks("tools", "build", { v: `<${span}` }, [mask])
  for (const span of c.good) expect(applies(span)).toEqual({ value: { v: `<${c.class}` }, applied: [true] })
  for (const span of c.other) expect(applies(span)).toEqual({ value: { v: `<${span}` }, applied: [false] })
})

test("a prefix that overlaps itself occurs twice", () => {
  const mask: Mask = { ...MASK, class: "digits", prefix: "aa", suffix: "" }
  expect(applyMasks("tools", "build", { description: "aaa1" }, [mask]).applied).toEqual([false])
  expect(applyMasks("tools", "build", { description: "baa1" }, [mask]).applied).toEqual([true])
})

test("spans that touch apply both, spans that overlap neither", () => {
  const at = (prefix: string, suffix: string): Mask => ({ ...MASK, class: "hex", prefix, suffix })
  const item = { description: "x12ab34y" }
  const touching = applyMasks("tools", "build", item, [at("x", "ab"), at("12", "y")])
  expect(touching).toEqual({ value: { description: "xhexhexy" }, applied: [true, true] })
  expect(applyMasks("tools", "build", item, [at("x", "34"), at("12", "y")]).applied).toEqual([false, false])
})

test("several masks of one item apply in any order, and nothing received is changed", () => {
  const masks = ["a", "b", "c"].map((prefix): Mask => ({ ...MASK, class: "digits", prefix, suffix: "," }))
  const item = parseJson('{"name":"build","description":"a1,b22,c333,","x":["a1,"]}')
  const before = canonicalize(item)
  const first = masks.slice(0, 1)
  for (const list of [masks, [...masks].reverse(), [...masks.slice(1), ...first]]) {
    const { value } = applyMasks("tools", "build", item, list)
    expect(canonicalize(value)).toBe('{"description":"adigits,bdigits,cdigits,","name":"build","x":["a1,"]}')
  }
  expect(canonicalize(item)).toBe(before)
})

test("the server's version cannot be masked back in", () => {
  const mask: Mask = {
    ...MASK,
    section: "server",
    item: null,
    pointer: "/version",
    class: "digits",
    prefix: "",
    suffix: "",
  }
  expect(applyMasks("server", null, withoutVersion({ name: "s", version: "1" }), [mask]).applied).toEqual([false])
})

const arbMask: fc.Arbitrary<Mask> = fc.record({
  section: fc.constantFrom<MaskSection>("tools", "prompts", "templates", "resources"),
  item: arbText,
  pointer: fc.constantFrom("", "/a", "/description", "/a~1b/0"),
  prefix: arbText.map((text) => `x${text}`),
  suffix: arbText,
  class: fc.constantFrom<Mask["class"]>("digits", "hex", "uuid", "path", "url", "date"),
  max: fc.integer({ min: 1, max: 256 }),
})

test("format and parse are inverses, the digest does not depend on the order", () => {
  const lists = fc.uniqueArray(arbMask, { selector: (mask) => canonicalize({ ...mask }), maxLength: 8 })
  fc.assert(
    fc.property(lists, (masks) => {
      const sorted = formatMasks(masks)
      expect(formatMasks(parseMasks(sorted))).toEqual(sorted)
      expect(parseMasks(parseJson(canonicalize(sorted)))).toHaveLength(masks.length)
      expect(computeMaskDigest([...masks].reverse())).toBe(computeMaskDigest(masks))
    }),
  )
  expect(computeMaskDigest([])).toBe("-")
})

test("a mask changes one string, and only between prefix and suffix", () => {
  const digits = fc.stringMatching(/^[0-9]{1,40}$/)
  fc.assert(
    fc.property(arbText, digits, arbText, (before, span, after) => {
      const item = { name: "build", description: `${before}<!${span}!>${after}`, other: 1 }
      const mask: Mask = { ...MASK, class: "digits", prefix: "<!", suffix: "!>" }
      const { value, applied } = applyMasks("tools", "build", item, [mask])
      const once = !before.includes("<!") && !before.endsWith("<") && !after.includes("<!")
      if (once) expect(applied).toEqual([true])
      expect(value).toEqual(applied[0] ? { ...item, description: `${before}<!digits!>${after}` } : item)
    }),
  )
})
