import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canonicalize, computeJsonDigest } from "../../src/core/canonical.js"
import { type JsonObject, type JsonValue, parseJson } from "../../src/core/json.js"
import type { Mask } from "../../src/core/mask.js"
import {
  computeItemDigest,
  computeSection,
  computeSectionOfDigests,
  computeSurface,
  computeSurfaceDigest,
  itemKey,
  parseSurface,
  SECTION_NAMES,
  type SectionName,
  type Surface,
  surfaceMember,
  withoutVersion,
} from "../../src/core/section.js"
import { describeShared } from "../shared.js"
import { arbJson, arbText } from "./arbitrary-json.js"
import { vectorCases } from "./vector-cases.js"

const EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

interface SurfaceCase {
  desc: string
  surface: string
  asked: readonly SectionName[]
  sections: Readonly<
    Partial<
      Record<SectionName, { value: string; text?: string; items?: readonly { key: string | null; digest: string }[] }>
    >
  >
  instructions: string
  server: string
  surfaceDigest: string
}

describeShared("surface vectors", () => {
  const cases = vectorCases<SurfaceCase>("items")

  test("all are there", () => {
    expect(cases.length).toBeGreaterThanOrEqual(38)
  })

  test.each(cases)("$desc", (c) => {
    const surface = parseSurface(parseJson(c.surface))
    const { lines, sections } = computeSurface(surface, c.asked)
    for (const name of SECTION_NAMES) {
      const expected = c.sections[name]
      expect(lines[name]).toBe(expected?.value ?? "-")
      expect(sections[name]?.text).toBe(expected?.text)
      const received = name === "templates" ? surface.resourceTemplates : surface[name]
      const items = ((received ?? []) as readonly JsonValue[]).map((item) => ({
        key: itemKey(name, item),
        digest: computeItemDigest(item).slice("sha256:".length),
      }))
      if (expected?.items !== undefined)
        expect(items).toEqual(expected.items.map(({ key, digest }) => ({ key, digest })))
    }
    expect(lines.instructions).toBe(c.instructions)
    expect(lines.server).toBe(c.server)
    expect(computeSurfaceDigest("listed", lines)).toBe(c.surfaceDigest)
  })
})

test("itemKey is the key member's string, else null", () => {
  expect(itemKey("tools", { name: "a", uri: "b", uriTemplate: "c" })).toBe("a")
  expect(itemKey("prompts", { name: "" })).toBe("")
  expect(itemKey("resources", { name: "a", uri: "b" })).toBe("b")
  expect(itemKey("templates", { name: "a", uri: "b", uriTemplate: "c" })).toBe("c")
  for (const item of [{}, { name: 1 }, { name: null }, "name", null, 3, ["name"]])
    expect(itemKey("tools", item)).toBe(null)
  expect(itemKey("tools", Object.create({ name: "inherited" }))).toBe(null)
})

test("lines sort by the key as written, then by digest; duplicates stay", () => {
  const items = [
    { name: "a" },
    { name: "a b" },
    {},
    { name: "a", x: 1 },
    { name: "a" },
    { name: "é" },
    { name: "\u{1f600}" },
    { name: "\ufb33" },
  ]
  const section = computeSection("tools", items)
  expect(section.count).toBe(8)
  expect(section.items.map((item) => item.key)).toEqual(["a b", "a", "a", "a", "é", "\ufb33", "\u{1f600}", null])
  const digests = section.items.filter((item) => item.key === "a").map((item) => item.digest)
  expect(digests).toEqual([...digests].sort())
  expect(section.text.split("\n")[0]).toBe(`${computeItemDigest({ name: "a b" }).slice(7)}  "a b"`)
})

test("an empty section has the digest of nothing", () => {
  expect(computeSection("tools", [])).toEqual({ count: 0, digest: EMPTY, text: "", items: [] })
  expect(computeSectionOfDigests([])).toEqual({ count: 0, digest: EMPTY, text: "" })
})

test("section text is what sort writes, section digest what sha256sum says", () => {
  const items = [
    { name: "b" },
    { name: "a b" },
    { name: "a" },
    {},
    { name: "a", description: "x" },
    { name: "\ufb33" },
    { name: "😀" },
  ]
  const lines = items.map(
    (item) =>
      `${createHash("sha256").update(canonicalize(item)).digest("hex")}  ${canonicalize(itemKey("tools", item))}\n`,
  )
  const sorted = execFileSync("sort", ["-k2"], {
    input: lines.join(""),
    env: { ...process.env, LC_ALL: "C" },
  }).toString("utf8")
  const section = computeSection("tools", items)
  expect(section.text).toBe(sorted)
  expect(section.digest).toBe(`sha256:${createHash("sha256").update(sorted).digest("hex")}`)
})

const arbItem = fc.oneof(
  arbJson,
  fc.tuple(arbText, arbJson).map(([name, value]): JsonValue => ({ name, uri: name, uriTemplate: name, value })),
)

test("wire order does not show, and digests alone give the same section", () => {
  const lists = fc
    .array(arbItem, { maxLength: 8 })
    .chain((items) =>
      fc.record({ items: fc.constant(items), shuffled: fc.shuffledSubarray(items, { minLength: items.length }) }),
    )
  fc.assert(
    fc.property(lists, fc.constantFrom(...SECTION_NAMES), ({ items, shuffled }, name) => {
      const section = computeSection(name, items)
      expect(computeSection(name, shuffled).text).toBe(section.text)
      const { items: entries, ...digest } = section
      expect(computeSectionOfDigests(entries)).toEqual(digest)
      for (const entry of entries) expect(entry.digest).toBe(computeJsonDigest(entry.item))
    }),
  )
})

test("a different item gives a different section", () => {
  fc.assert(
    fc.property(fc.array(arbItem, { minLength: 1, maxLength: 5 }), arbItem, fc.nat(), (items, other, place) => {
      const at = place % items.length
      const changed = items.with(at, other)
      const same = canonicalize(items[at] ?? null) === canonicalize(other)
      expect(computeSection("tools", changed).digest === computeSection("tools", items).digest).toBe(same)
    }),
  )
})

test("parseSurface takes the members of a surface and ignores others", () => {
  const surface = parseSurface(parseJson('{"tools":[1],"prompts":null,"instructions":3,"x":1,"nextCursor":"y"}'))
  expect(surface).toEqual({
    instructions: 3,
    tools: [1],
    prompts: null,
    resourceTemplates: null,
    resources: null,
    serverInfo: null,
  })
})

test.each<{ name: string; value: JsonValue }>([
  { name: "an array", value: [] },
  { name: "null", value: null },
  { name: "text", value: "tools" },
  ...["tools", "prompts", "resources", "resourceTemplates"].map((name) => ({
    name: `${name} as an object`,
    value: { [name]: {} },
  })),
])("parseSurface refuses $name", ({ value }) => {
  expect(() => parseSurface(value)).toThrow(expect.objectContaining({ code: "SURFACE_MALFORMED" }))
})

test("not asked is -, not declared is none, instructions and server always count", () => {
  const surface = parseSurface({ tools: [], instructions: "", serverInfo: { name: "s", version: "1" } })
  const { lines, sections, archive } = computeSurface(surface, ["tools", "prompts"])
  expect(lines).toEqual({
    tools: `0 ${EMPTY}`,
    prompts: "none",
    templates: "-",
    resources: "-",
    instructions: computeJsonDigest(""),
    server: computeJsonDigest({ name: "s" }),
  })
  expect(Object.keys(sections)).toEqual(["tools"])
  expect(archive).toEqual(['""', '{"name":"s"}'])
})

test("only the top-level version of serverInfo is left out, and nothing received is changed", () => {
  const info = parseJson('{"version":"1","name":"s","icons":{"version":"2"},"__proto__":1}')
  expect(canonicalize(withoutVersion(info))).toBe('{"__proto__":1,"icons":{"version":"2"},"name":"s"}')
  expect(canonicalize(info)).toContain('"version":"1"')
  expect(withoutVersion("version")).toBe("version")
})

test("masks go into lines, items and archive, each text once", () => {
  const mask: Mask = {
    section: "tools",
    item: "a",
    pointer: "/description",
    prefix: "Built ",
    suffix: ".",
    class: "digits",
    max: 9,
  }
  const tools = [{ name: "a", description: "Built 17." }, { name: "b" }, { name: "b" }]
  const surface = parseSurface({ tools, instructions: "Be kind." })
  const masked = computeSurface(surface, ["tools"], [mask])
  const again = computeSurface(
    parseSurface({ tools: [{ name: "a", description: "Built 18." }, ...tools.slice(1)], instructions: "Be kind." }),
    ["tools"],
    [mask],
  )
  expect(again.lines).toEqual(masked.lines)
  expect(masked.lines.tools).not.toBe(computeSurface(surface, ["tools"]).lines.tools)
  const list =
    '[{"class":"digits","item":"a","max":9,"pointer":"/description","prefix":"Built ","section":"tools","suffix":"."}]'
  expect(masked.archive).toEqual([
    masked.sections.tools?.text,
    '{"description":"Built digits.","name":"a"}',
    '{"name":"b"}',
    '"Be kind."',
    list,
  ])
})

test("the surface digest covers the state and all six lines", () => {
  const { lines } = computeSurface(parseSurface({ tools: [{ name: "a" }] }), ["tools"])
  const digest = computeSurfaceDigest("listed", lines)
  expect(computeSurfaceDigest("auth", lines)).not.toBe(digest)
  for (const name of ["tools", "prompts", "templates", "resources", "instructions", "server"] as const) {
    expect(computeSurfaceDigest("listed", { ...lines, [name]: "x" })).not.toBe(digest)
  }
})

describe.each(SECTION_NAMES)("the list of %s", (section) => {
  const surfaceWith = (list: unknown) => ({ ...parseSurface({}), [surfaceMember(section)]: list }) as Surface

  test.each([{ a: 1 }, "none", 0, false, "", true])("is refused as %j", (list) => {
    const malformed = expect.objectContaining({ code: "SURFACE_MALFORMED" })
    expect(() => computeSurface(surfaceWith(list), SECTION_NAMES)).toThrow(malformed)
    expect(() => parseSurface({ [surfaceMember(section)]: list } as JsonObject)).toThrow(malformed)
  })

  test("is none where it is null or missing", () => {
    for (const surface of [surfaceWith(null), surfaceWith(undefined), {} as Surface])
      expect(computeSurface(surface, SECTION_NAMES).lines).toMatchObject({ [section]: "none", server: "none" })
  })
})
