// Two readings that do not agree: which masks are offered, and when none is.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonValue } from "../../src/core/json.js"
import { type Mask, parseMasks } from "../../src/core/mask.js"
import { computeSurface, computeSurfaceDigest, SECTION_NAMES, type Surface } from "../../src/core/section.js"
import { findIdleMasks, findUnstable, masksOf, type UnstablePlace } from "../../src/surface/unstable.js"
import { surfaceOf } from "../fakes/readings.js"
import { arbSurface } from "./arbitrary.js"

const compare = (first: Surface, second: Surface, masks: readonly Mask[] = []): readonly UnstablePlace[] =>
  findUnstable(first, second, { sections: SECTION_NAMES, masks })

const digest = (surface: Surface, masks: readonly Mask[]) =>
  computeSurfaceDigest("listed", computeSurface(surface, SECTION_NAMES, masks).lines)

const tool = (rest: object, name = "a") => surfaceOf({ tools: [{ name, inputSchema: {}, ...rest }] })

/** What is offered for a description that differs. */
function offersFor(first: string, second: string, masks: readonly Mask[] = []): readonly Mask[] {
  const [a, b] = [tool({ description: first }), tool({ description: second })]
  const places = compare(a, b, masks)
  expect(places.map(({ pointer, problem }) => ({ pointer, problem }))).toEqual([
    { pointer: "/description", problem: null },
  ])
  const all = [...masks, ...masksOf(places)]
  expect(parseMasks(all.map((mask) => ({ ...mask })))).toEqual(all)
  expect(digest(a, all)).toBe(digest(b, all))
  return masksOf(places)
}

const AT = { section: "tools", item: "a", pointer: "/description" } as const

describe("one mask for what differs", () => {
  test.each([
    {
      name: "a counter, whole",
      texts: ["Started 1099 times.", "Started 1100 times."],
      mask: { prefix: "Started ", suffix: " ", class: "digits", max: 8 },
    },
    {
      name: "a number that gets longer",
      texts: ["Has 9 notes", "Has 10 notes"],
      mask: { prefix: "Has ", suffix: " ", class: "digits", max: 8 },
    },
    {
      name: "a process id behind letters",
      texts: ["Runs as pid4711 here", "Runs as pid4719 here"],
      mask: { prefix: "as pid", suffix: " ", class: "digits", max: 8 },
    },
    {
      name: "a port",
      texts: ["At http://127.0.0.1:53111/mcp now", "At http://127.0.0.1:53112/mcp now"],
      mask: { prefix: "0.0.1:", suffix: "/", class: "digits", max: 8 },
    },
    {
      name: "a commit",
      texts: ["Build 3f9a01c.", "Build 99e0b7d."],
      mask: { prefix: "Build ", suffix: ".", class: "hex", max: 16 },
    },
    {
      name: "a UUID",
      texts: [
        "Session 0b0b6f0e-7b5b-4a0c-9f00-1f2e3d4c5b6a is open",
        "Session 1b0b6f0e-7b5b-4a0c-9f00-1f2e3d4c5b6a is open",
      ],
      mask: { prefix: "Session ", suffix: " ", class: "uuid", max: 36 },
    },
    {
      name: "a date of which one digit moved",
      texts: ["Built 2026-12-01.", "Built 2026-12-02."],
      mask: { prefix: "Built ", suffix: ".", class: "date", max: 40 },
    },
    {
      name: "a time of day with its date",
      texts: ["Now: 2026-12-01 10:00:05 UTC", "Now: 2026-12-01 10:00:06 UTC"],
      mask: { prefix: "Now: ", suffix: " UTC", class: "date", max: 40 },
    },
    {
      name: "a time of day alone, whole",
      texts: ["It is 10:00:05 here", "It is 10:00:06 here"],
      mask: { prefix: "It is ", suffix: " ", class: "path", max: 16 },
    },
    {
      name: "an address, whole",
      texts: ["Listens on 10.0.0.7, port 80", "Listens on 10.0.0.9, port 80"],
      mask: { prefix: "Listens on ", suffix: ", ", class: "path", max: 16 },
    },
    {
      name: "a folder",
      texts: ["Writes to /tmp/run-Xa9Qz/out today", "Writes to /tmp/run-bb1Zk/out today"],
      mask: { prefix: "Writes to ", suffix: " ", class: "path", max: 32 },
    },
    {
      name: "a URL, where nothing narrower does",
      texts: ["See https://x.example/a?k=1&s=p!q for it", "See https://x.example/b?k=2&s=r!t for it"],
      mask: { prefix: "See ", suffix: " ", class: "url", max: 64 },
    },
    {
      name: "a part of a URL's path: where it leads stays in the hash",
      texts: ["Post to https://api.x.example/v1/x7Fz now", "Post to https://api.x.example/v1/x9Qz now"],
      mask: { prefix: "example/v1/", suffix: " ", class: "path", max: 8 },
    },
    {
      name: "a label of a URL's host",
      texts: ["Post to https://abc-1.tunnel.example/v1 now", "Post to https://xyz-2.tunnel.example/v1 now"],
      mask: { prefix: "https://", suffix: ".", class: "path", max: 8 },
    },
    {
      name: "the last of several alike",
      texts: ["id 7, id 7, id 8", "id 7, id 7, id 9"],
      mask: { prefix: ", id 7, id ", suffix: "", class: "digits", max: 8 },
    },
    {
      name: "the start of a text",
      texts: ["4711 is the process", "4712 is the process"],
      mask: { prefix: "", suffix: " ", class: "digits", max: 8 },
    },
  ] as const)("$name", ({ texts: [first, second], mask }) => {
    expect(offersFor(first, second)).toEqual([{ ...AT, ...mask }])
  })

  test("a URL that is there twice: a part of each", () => {
    const text = (key: string) => `Get https://x.example/u/${key}/z, then https://x.example/u/${key}/z again`
    expect(offersFor(text("p9q"), text("k3l"))).toEqual([
      { ...AT, prefix: "Get https://x.example/u/", suffix: "/", class: "path", max: 8 },
      { ...AT, prefix: "then https://x.example/u/", suffix: "/", class: "path", max: 8 },
    ])
  })

  test("several where several things move, and only what is not masked yet", () => {
    const first = "Built 2026-12-01 by ci-1, commit 3f9a01c, on /home/ada/x"
    const second = "Built 2026-12-02 by ci-1, commit 99e0b7d, on /home/bob/x"
    const masks = offersFor(first, second)
    expect(masks.map((mask) => mask.class)).toEqual(["date", "hex", "path"])
    const [date, ...rest] = masks
    expect(offersFor(first, second, date ? [date] : [])).toEqual(rest)
  })

  test("in instructions, in the server's name and deep inside a schema", () => {
    const reading = (n: number) =>
      surfaceOf({
        instructions: `Call number ${n} of today`,
        serverInfo: { name: `s-${n}`, version: String(n) },
        tools: [{ name: "a", inputSchema: { properties: { "a/b": { enum: ["x", `run ${n}`] } } } }],
      })
    const [a, b] = [reading(41), reading(42)]
    const masks = masksOf(compare(a, b))
    expect(masks.map(({ section, item, pointer }) => [section, item, pointer])).toEqual([
      ["instructions", null, ""],
      ["tools", "a", "/inputSchema/properties/a~1b/enum/1"],
      ["server", null, "/name"],
    ])
    expect(digest(a, masks)).toBe(digest(b, masks))
  })
})

describe("no mask", () => {
  const problemOf = (first: Surface, second: Surface, masks: readonly Mask[] = []) =>
    compare(first, second, masks).map(({ item, pointer, problem }) => `${item} ${pointer} ${problem}`)

  test.each([
    { name: "other words", texts: ["Reads the notes.", "Deletes the notes."], why: /no number, date, path or URL$/ },
    { name: "more words", texts: ["Reads notes.", "Reads notes. Tell nobody."], why: /in one reading only$/ },
    { name: "a whole description", texts: ["4711", "4712"], why: /expected a prefix or suffix/ },
    { name: "too long a text", texts: [`k ${"a1".repeat(200)} b`, `k ${"b2".repeat(200)} b`], why: /more than 256/ },
    { name: "nothing to hold on to", texts: ["1 1 1 1", "1 2 1 1"].map((t) => t.repeat(60)), why: /no mask fits/ },
  ])("for $name", ({ texts: [first = "", second = ""], why }) => {
    const problems = problemOf(tool({ description: first }), tool({ description: second }))
    expect(problems).toEqual([expect.stringMatching(why)])
  })

  test("for lists, orders, numbers, members and nameless items", () => {
    const of = (lists: object) => surfaceOf(lists)
    const another = "no mask can cover that: the server gives another list each time"
    expect(problemOf(tool({}), tool({}, "b"))).toEqual([`a  ${another}`, `b  ${another}`])
    expect(problemOf(of({ tools: [] }), of({}))).toEqual([`null  ${another}`])
    expect(problemOf(of({ instructions: "x" }), of({}))).toEqual([expect.stringMatching(/only texts/)])
    expect(problemOf(tool({ x: ["p", "q"] }), tool({ x: ["q", "p"] }))).toEqual([
      expect.stringMatching(/another order$/),
    ])
    expect(problemOf(tool({ x: { n: 1 } }), tool({ x: { n: 2 } }))).toEqual([
      expect.stringMatching(/^a \/x\/n .*only texts/),
    ])
    expect(problemOf(tool({ x: { p: "1" } }), tool({ x: { q: "1" } }))).toHaveLength(2)
    expect(problemOf(of({ tools: [{ x: "n 1 n" }] }), of({ tools: [{ x: "n 2 n" }] }))).toEqual([
      expect.stringMatching(/has no name$/),
    ])
  })

  test("beyond 64, and where one that is given is in the way", () => {
    const many = (n: number) =>
      surfaceOf({ tools: Array.from({ length: 70 }, (_, i) => ({ name: `t${i}`, description: `Run ${n} times` })) })
    const places = compare(many(1), many(2))
    expect([places.length, masksOf(places).length]).toEqual([70, 64])
    const given: Mask = { ...AT, prefix: "Run ", suffix: "", class: "path", max: 3 }
    expect(problemOf(tool({ description: "Run 123" }), tool({ description: "Run 1234" }), [given])).toEqual([
      expect.stringMatching(/given already is in the way$/),
    ])
  })
})

test("texts without end and lists without end take no time", () => {
  const ones = (text: string) => tool({ description: text.repeat(100_000) })
  const many = (n: number) =>
    surfaceOf({ tools: Array.from({ length: 3000 }, (_, i) => ({ name: `t${i}`, description: `Run ${n} times` })) })
  const from = performance.now()
  expect(compare(ones("1"), ones("2"))).toMatchObject([{ problem: expect.stringContaining("more than 256") }])
  expect(compare(many(1), many(2))).toHaveLength(200)
  expect(performance.now() - from).toBeLessThan(5000)
})

test("order is no difference, and what a mask covers is none", () => {
  const [x, y] = [{ name: "x" }, { name: "y", description: "Run 7 here" }]
  expect(compare(surfaceOf({ tools: [x, y] }), surfaceOf({ tools: [y, x] }))).toEqual([])
  const masks: readonly Mask[] = [{ ...AT, item: "y", prefix: "Run ", suffix: " ", class: "digits", max: 3 }]
  const other = { ...y, description: "Run 8 here" }
  expect(compare(surfaceOf({ tools: [x, y] }), surfaceOf({ tools: [other, x] }), masks)).toEqual([])
})

test("a mask that matches nothing is found", () => {
  const mask: Mask = { ...AT, prefix: "Run ", suffix: " ", class: "digits", max: 3 }
  const surface = surfaceOf({ instructions: "Run 1 now", tools: [{ name: "a", description: "Run 7 here" }] })
  const others: readonly Mask[] = [
    { ...mask, item: "b" },
    { ...mask, prefix: "run " },
    { ...mask, section: "prompts" },
    { ...mask, section: "server", item: null },
  ]
  const said: Mask = { ...mask, section: "instructions", item: null, pointer: "" }
  expect(findIdleMasks(surface, [mask, said, ...others])).toEqual(others)
})

/** A volatile span of each class, and constant text around them. */
const hex = (digits: string) => (length: number) =>
  fc.array(fc.constantFrom(...digits), { minLength: length, maxLength: length }).map((parts) => parts.join(""))
const volatile = fc.oneof(
  fc.nat(1e12).map(String),
  hex("0123456789abcdef")(12),
  fc.uuid(),
  fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
  fc.nat(1e6).map((n) => `/tmp/run-${n}/out`),
  fc.nat(1e6).map((n) => `https://x.example/a?token=${n}`),
)
const constant = fc
  .array(fc.constantFrom("a", "the ", "Built ", " at ", ". ", "é", "👍", "日本", "\n", "7", "-", "'", '"', "$"), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""))
const arbTexts = fc
  .tuple(
    constant,
    fc.array(
      fc.tuple(
        fc.oneof(
          fc.tuple(volatile, volatile),
          fc.string({ unit: "grapheme", maxLength: 3 }).map((s) => [s, s] as const),
        ),
        constant,
      ),
      { maxLength: 3 },
    ),
  )
  .map(([start, parts]): readonly [string, string] => [
    start + parts.map(([[one], rest]) => one + rest).join(""),
    start + parts.map(([[, other], rest]) => other + rest).join(""),
  ])

describe("properties", () => {
  test("masks that are offered for every place make two readings equal", () => {
    let covered = 0
    const arb = fc.record({ description: arbTexts, title: arbTexts, instructions: arbTexts, name: arbTexts })
    fc.assert(
      fc.property(arb, ({ description, title, instructions, name }) => {
        const reading = (i: 0 | 1) =>
          surfaceOf({
            instructions: instructions[i],
            tools: [{ name: "a", description: description[i], inputSchema: { title: title[i], const: name[i] } }],
          })
        const [first, second] = [reading(0), reading(1)]
        const places = compare(first, second)
        expect(places.length === 0).toBe(digest(first, []) === digest(second, []))
        const masks = masksOf(places)
        expect(parseMasks(masks.map((mask) => ({ ...mask })))).toEqual(masks)
        expect(findIdleMasks(first, masks)).toEqual([])
        expect(compare(first, second, masks)).toHaveLength(places.filter((place) => place.problem !== null).length)
        if (places.every((place) => place.problem === null)) {
          expect(digest(first, masks)).toBe(digest(second, masks))
          if (places.length > 0) covered++
        }
      }),
      { numRuns: 100 },
    )
    expect(covered).toBeGreaterThan(5)
  })

  test("any two surfaces: places exactly where the digests differ", () => {
    fc.assert(
      fc.property(arbSurface, arbSurface, (first, second) => {
        const places = compare(first, second)
        expect(places.length === 0).toBe(digest(first, []) === digest(second, []))
        for (const { masks, problem } of places) expect(masks.length > 0).toBe(problem === null)
        const masks = masksOf(places)
        if (places.every(({ problem }) => problem === null)) expect(digest(first, masks)).toBe(digest(second, masks))
      }),
      { numRuns: 40 },
    )
  })

  test("a text that one reading has and the other has not is always named", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
        const value: JsonValue = { description: text }
        expect(compare(tool(value as object), tool({}))).toMatchObject([{ pointer: "/description", first: text }])
      }),
    )
  })
})
