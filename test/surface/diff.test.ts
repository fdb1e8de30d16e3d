import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canonicalize } from "../../src/core/canonical.js"
import { parseJson } from "../../src/core/json.js"
import type { Mask } from "../../src/core/mask.js"
import { computeItemDigest, computeSurface, parseSurface, SECTION_NAMES, type Surface } from "../../src/core/section.js"
import type { Change } from "../../src/core/verdict.js"
import { diffSurfaces } from "../../src/surface/diff.js"
import { applyChanges } from "./apply.js"
import { arbSurface } from "./arbitrary.js"

const surface = (text: string): Surface => parseSurface(parseJson(text))
const changesOf = (before: string, after: string): readonly Change[] =>
  diffSurfaces(surface(before), surface(after)).changes
const tools = (...items: readonly string[]) => `{"tools":[${items.join(",")}]}`
const place = { section: "tools", item: "a", from: null } as const

describe("diffSurfaces", () => {
  test.each([
    { name: "member order", before: '{"name":"a","x":{"p":1,"q":2}}', after: '{"x":{"q":2,"p":1},"name":"a"}' },
    { name: "number spelling", before: '{"name":"a","x":1.0}', after: '{"name":"a","x":1}' },
    {
      name: "a large integer and its decimal",
      before: '{"name":"a","x":9007199254740992}',
      after: '{"name":"a","x":9007199254740992.0}',
    },
    { name: "an escape", before: '{"name":"a","x":"\\u0041"}', after: '{"name":"a","x":"A"}' },
  ])("$name is no change", ({ before, after }) => {
    expect(changesOf(tools(before), tools(after))).toEqual([])
  })

  test("the order of items is no change", () => {
    expect(changesOf(tools('{"name":"a"}', '{"name":"b"}'), tools('{"name":"b"}', '{"name":"a"}'))).toEqual([])
  })

  test.each([
    {
      name: "absent to null",
      before: '{"name":"a"}',
      after: '{"name":"a","x":null}',
      change: { pointer: "/x", after: null },
    },
    {
      name: "null to empty",
      before: '{"name":"a","x":null}',
      after: '{"name":"a","x":""}',
      change: { pointer: "/x", before: null, after: "" },
    },
    {
      name: "empty to absent",
      before: '{"name":"a","x":{}}',
      after: '{"name":"a"}',
      change: { pointer: "/x", before: {} },
    },
    {
      name: "a scalar",
      before: '{"name":"a","x":{"y":[{"z":1}]}}',
      after: '{"name":"a","x":{"y":[{"z":2}]}}',
      change: { pointer: "/x/y/0/z", before: 1, after: 2 },
    },
    {
      name: "an escaped name",
      before: '{"name":"a","x/y":{"~":1}}',
      after: '{"name":"a","x/y":{"~":2}}',
      change: { pointer: "/x~1y/~0", before: 1, after: 2 },
    },
    {
      name: "__proto__",
      before: '{"name":"a","__proto__":1}',
      after: '{"name":"a"}',
      change: { pointer: "/__proto__", before: 1 },
    },
    {
      name: "a type",
      before: '{"name":"a","x":"s"}',
      after: '{"name":"a","x":["s"]}',
      change: { pointer: "/x", before: "s", after: ["s"] },
    },
    {
      name: "an integer beyond doubles",
      before: '{"name":"a","x":9007199254740993}',
      after: '{"name":"a","x":9007199254740992}',
      change: { pointer: "/x", before: 9007199254740993n, after: 9007199254740992n },
    },
    {
      name: "order of required",
      before: '{"name":"a","required":["p","q"]}',
      after: '{"name":"a","required":["q","p"]}',
      change: { pointer: "/required", before: ["p", "q"], after: ["q", "p"], note: "order" },
    },
    {
      name: "an enum value",
      before: '{"name":"a","enum":["p","q"]}',
      after: '{"name":"a","enum":["p","r"]}',
      change: { pointer: "/enum", before: ["p", "q"], after: ["p", "r"] },
    },
    {
      name: "an appended alternative",
      before: '{"name":"a","anyOf":[{"x":1}]}',
      after: '{"name":"a","anyOf":[{"x":1},{"x":2}]}',
      change: { pointer: "/anyOf/1", after: { x: 2 } },
    },
    {
      name: "a dropped last alternative",
      before: '{"name":"a","anyOf":[{"x":1},{"x":2}]}',
      after: '{"name":"a","anyOf":[{"x":1}]}',
      change: { pointer: "/anyOf/1", before: { x: 2 } },
    },
    {
      name: "an inserted alternative",
      before: '{"name":"a","anyOf":[{"x":1},{"x":2}]}',
      after: '{"name":"a","anyOf":[{"x":3},{"x":1},{"x":2}]}',
      change: { pointer: "/anyOf", before: [{ x: 1 }, { x: 2 }], after: [{ x: 3 }, { x: 1 }, { x: 2 }] },
    },
  ])("$name is one change", ({ before, after, change }) => {
    expect(plain(changesOf(tools(before), tools(after)))).toEqual(plain([{ ...place, kind: "changed", ...change }]))
  })

  test("an added, a removed and a renamed tool", () => {
    const words = '"description":"Reads one file from the disk","inputSchema":{"properties":{"path":{}}}'
    const before = tools('{"name":"gone"}', `{"name":"read_file",${words}}`)
    const after = tools('{"name":"new"}', `{"name":"readFile",${words},"title":"T"}`)
    expect(plain(changesOf(before, after))).toEqual([
      { section: "tools", item: "gone", kind: "removed", from: null, pointer: "", before: { name: "gone" } },
      { section: "tools", item: "new", kind: "added", from: null, pointer: "", after: { name: "new" } },
      {
        section: "tools",
        item: "readFile",
        kind: "renamed",
        from: "read_file",
        pointer: "/name",
        before: "read_file",
        after: "readFile",
      },
      { section: "tools", item: "readFile", kind: "changed", from: null, pointer: "/title", after: "T" },
    ])
  })

  test("another URI is another template, whatever its description", () => {
    const template = (uri: string) =>
      `{"resourceTemplates":[{"uriTemplate":"${uri}","description":"A monthly report."}]}`
    expect(
      changesOf(template("file:///reports/{month}"), template("file:///{+path}"))
        .map((c) => c.kind)
        .sort(),
    ).toEqual(["added", "removed"])
  })

  test("a list that appears or goes is named beside its items", () => {
    const added = changesOf("{}", '{"prompts":[{"name":"a"}]}')
    expect(added.map(({ section, item, kind, note }) => [section, item, kind, note])).toEqual([
      ["prompts", null, "added", "list"],
      ["prompts", "a", "added", undefined],
    ])
    expect(changesOf('{"prompts":[]}', "{}")).toEqual([
      { section: "prompts", item: null, kind: "removed", from: null, pointer: "", before: [], note: "list" },
    ])
  })

  test("duplicates are a multiset: equal ones first, a single rest is one change with the earlier digest", () => {
    const [one, two, three] = ['{"name":"a","x":1}', '{"name":"a","x":2}', '{"name":"a","x":3}']
    expect(changesOf(tools(one, two), tools(two, one))).toEqual([])
    expect(changesOf(tools(one, two), tools(three, one))).toEqual([
      { ...place, kind: "changed", pointer: "/x", before: 2, after: 3, digest: computeItemDigest(parseJson(two)) },
    ])
    expect(changesOf(tools(one), tools(one, one)).map((c) => c.kind)).toEqual(["added"])
    expect(changesOf(tools(one, two), tools(three)).map((c) => c.kind)).toEqual(["added", "removed", "removed"])
  })

  test("a nameless item that changed is one change; an element that is no object is replaced", () => {
    const before = '{"description":"x"}'
    expect(changesOf(tools(before), tools('{"description":"y"}'))).toEqual([
      {
        ...place,
        item: null,
        kind: "changed",
        pointer: "/description",
        before: "x",
        after: "y",
        digest: computeItemDigest(parseJson(before)),
      },
    ])
    expect(changesOf(tools("1"), tools("2")).map((c) => c.kind)).toEqual(["added", "removed"])
  })

  test("instructions and server: absent differs from empty, the version is not compared", () => {
    expect(changesOf("{}", '{"instructions":""}')).toEqual([
      { section: "instructions", item: null, kind: "added", from: null, pointer: "", after: "" },
    ])
    expect(changesOf('{"serverInfo":{"name":"s","version":"1"}}', '{"serverInfo":{"name":"s","version":"2"}}')).toEqual(
      [],
    )
    expect(changesOf('{"serverInfo":{"name":"s","version":"1"}}', '{"serverInfo":{"name":"t","version":"2"}}')).toEqual(
      [{ section: "server", item: null, kind: "changed", from: null, pointer: "/name", before: "s", after: "t" }],
    )
  })

  test("options: only the lists asked for, lists only, masks", () => {
    const [before, after] = [
      '{"tools":[{"name":"a"}],"instructions":"x"}',
      '{"prompts":[],"tools":[],"instructions":"y"}',
    ].map(surface)
    if (!before || !after) throw new Error("two surfaces")
    const sections = (options: object) => diffSurfaces(before, after, options).changes.map((c) => c.section)
    expect(sections({ sections: ["prompts"] })).toEqual(["instructions", "prompts"])
    expect(sections({ sections: ["tools"], listsOnly: true })).toEqual(["tools"])
    const mask: Mask = {
      section: "tools",
      item: "a",
      pointer: "/description",
      prefix: "built ",
      suffix: "",
      class: "digits",
      max: 8,
    }
    const built = (day: string) => surface(tools(`{"name":"a","description":"built ${day}"}`))
    expect(diffSurfaces(built("1"), built("2"), { masks: [mask] }).changes).toEqual([])
    expect(diffSurfaces(built("1"), built("x"), { masks: [mask] }).changes).toMatchObject([
      { before: "built digits", after: "built x" },
    ])
  })

  test("a list that is no array is refused", () => {
    const broken = { ...surface("{}"), tools: "x" }
    expect(() => diffSurfaces(broken, broken)).toThrow(expect.objectContaining({ code: "SURFACE_MALFORMED" }))
  })

  test("two lists of 100 tools of 100 KB are compared within a second", () => {
    const tool = (i: number, end: string) =>
      `{"name":"t${i}","description":"${"word ".repeat(20_000)}${end}","n":[{"x":${i}}]}`
    const list = (end: string) => surface(tools(...Array.from({ length: 100 }, (_, i) => tool(i, end))))
    const [before, after] = [list("a"), list("b")]
    const start = performance.now()
    expect(diffSurfaces(before, after).changes).toHaveLength(100)
    expect(performance.now() - start).toBeLessThan(1000)
  })

  test("a thousand renamed tools do not take long", () => {
    const text = (i: number) => Array.from({ length: 100 }, (_, j) => `w${i}x${j}`).join(" ")
    const list = (prefix: string) =>
      surface(tools(...Array.from({ length: 1000 }, (_, i) => `{"name":"${prefix}${i}","description":"${text(i)}"}`)))
    const [before, after] = [list("a"), list("b")]
    const start = performance.now()
    diffSurfaces(before, after)
    expect(performance.now() - start).toBeLessThan(3000)
  })
})

/** Objects without prototypes, as the reader makes them, as plain ones. */
const plain = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(plain)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, plain(child)]))
      : value

describe("properties of diffSurfaces", () => {
  const lines = (s: Surface) => computeSurface(s, SECTION_NAMES).lines
  const shuffled = (s: Surface): Surface => ({
    ...s,
    tools: Array.isArray(s.tools) ? s.tools.toReversed() : s.tools,
    prompts: Array.isArray(s.prompts) ? s.prompts.toReversed() : s.prompts,
  })

  /** Two surfaces that share all members but one, or none. */
  const arbPair = fc
    .tuple(arbSurface, arbSurface, fc.constantFrom("tools", "instructions", "serverInfo", null))
    .map(([a, b, member]) => ({ a, b: member === null ? b : { ...a, [member]: b[member] } }))

  test("a surface with items in another order has no changes", () => {
    fc.assert(
      fc.property(arbSurface, (s) => {
        expect(diffSurfaces(s, shuffled(s)).changes).toEqual([])
      }),
    )
  })

  test("there are changes if and only if a digest differs", () => {
    fc.assert(
      fc.property(arbPair, ({ a, b }) => {
        expect(diffSurfaces(a, b).changes.length > 0).toBe(JSON.stringify(lines(a)) !== JSON.stringify(lines(b)))
      }),
    )
  })

  test("the changes applied to the earlier surface give the later one", () => {
    fc.assert(
      fc.property(arbPair, ({ a, b }) => {
        expect(lines(applyChanges(a, diffSurfaces(a, b).changes))).toEqual(lines(b))
      }),
      { numRuns: 300 },
    )
  })

  test("the order of items decides nothing", () => {
    fc.assert(
      fc.property(arbPair, ({ a, b }) => {
        const text = (x: Surface, y: Surface) => diffSurfaces(x, y).changes.map((c) => canonicalize({ ...c }))
        expect(text(shuffled(a), shuffled(b))).toEqual(text(a, b))
      }),
    )
  })
})

test("what is no list is refused on either side", () => {
  const malformed = expect.objectContaining({ code: "SURFACE_MALFORMED" })
  const broken = { ...parseSurface({}), tools: { a: 1 } }
  expect(() => diffSurfaces(broken, parseSurface({}))).toThrow(malformed)
  expect(() => diffSurfaces(parseSurface({}), broken)).toThrow(malformed)
})

test("thousands of items that say nothing are told from others without comparing each with each", () => {
  const many = (prefix: string) =>
    parseSurface({ tools: Array.from({ length: 4000 }, (_, i) => ({ name: prefix.repeat(i + 1) })) })
  const startMs = performance.now()
  expect(diffSurfaces(many("-"), many("+")).changes).toHaveLength(8000)
  expect(performance.now() - startMs).toBeLessThan(3000) // each with each: 8 s and 1.4 GB
})
