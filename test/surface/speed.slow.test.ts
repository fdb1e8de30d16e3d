// What an analysis costs: at most 50 times what JSON.parse takes for the same text, and in proportion to the text whatever it holds.
import { expect, test } from "vitest"
import { parseJson } from "../../src/core/json.js"
import { parseSurface } from "../../src/core/section.js"
import { analyseChanges, analyseSurface } from "../../src/surface/analysis.js"
import { describeShared } from "../shared.js"
import { expectWork } from "../work.js"
import { CAPTURES, parseCapture } from "./captures.js"

const MAX_RATIO = 50
const ROUNDS = 5

const timeMs = (run: () => void): number => {
  const start = performance.now()
  run()
  return performance.now() - start
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

/** Median ratio of interleaved rounds after one that is not counted; the machine may be busy once, so the better of two tries counts. */
function ratioOf(run: () => void, base: () => void): number {
  run()
  const attempt = () => {
    const rounds = Array.from({ length: ROUNDS }, () => ({ base: timeMs(base), run: timeMs(run) }))
    return median(rounds.map((round) => round.run)) / median(rounds.map((round) => round.base))
  }
  const first = attempt()
  return first <= MAX_RATIO ? first : Math.min(first, attempt())
}

/** 1,000 tools out of the captured ones, each with a name of its own; `edit` changes every tenth. */
function listText(edit: (tool: Record<string, unknown>) => Record<string, unknown>): string {
  const real = CAPTURES.flatMap(
    (file) => (parseCapture(file) as { tools: Record<string, unknown>[] | null }).tools ?? [],
  )
  const tools = Array.from({ length: 1000 }, (_, i) => {
    const tool = { ...real[i % real.length], name: `${real[i % real.length]?.name}_${i}` }
    return i % 10 === 0 ? edit(tool) : tool
  })
  return JSON.stringify({ tools })
}

describeShared("1,000 tools", () => {
  test("surface and changes together take at most 50 times JSON.parse", () => {
    const texts = [listText((tool) => tool), listText((tool) => ({ ...tool, description: `${tool.description} Now.` }))]
    const [before, after] = texts.map((text) => parseSurface(parseJson(text)))
    if (before === undefined || after === undefined) throw new Error("no lists")
    const parse = () => void texts.map((text) => JSON.parse(text))
    const changes = ratioOf(() => void analyseChanges({ before, after }), parse)
    const alone = ratioOf(
      () => void analyseSurface(after),
      () => void JSON.parse(texts[1] ?? ""),
    )
    console.log(`analyseChanges ${changes.toFixed(1)}, analyseSurface ${alone.toFixed(1)} times JSON.parse`)
    expect(alone).toBeLessThanOrEqual(MAX_RATIO)
    expect(changes).toBeLessThanOrEqual(MAX_RATIO)
  }, 120_000)
})

const nested = (open: string, inner: string, close: string, depth: number) =>
  open.repeat(depth) + inner + close.repeat(depth)
const tool = (schema: string, name = "x") => `{"name":"${name}","description":"Get a thing.","inputSchema":${schema}}`
const listOf = (...tools: readonly string[]) => `{"tools":[${tools.join()}]}`
const many = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i)).join()

/** Lists made to cost much. Each is about one megabyte, where its shape allows. */
const PATHOLOGICAL: readonly (readonly [string, string])[] = [
  [
    "nesting of 120",
    listOf(...Array.from({ length: 200 }, (_, i) => tool(nested('{"items":', "{}", "}", 115), `x${i}`))),
  ],
  [
    "cyclic references",
    listOf(
      tool(
        `{"$ref":"#/$defs/d0","$defs":{${many(9000, (i) => `"d${i}":{"anyOf":[{"$ref":"#/$defs/d${(i + 1) % 9000}"},{"$ref":"#"}]}`)}}}`,
      ),
    ),
  ],
  [
    "references that fan out",
    listOf(
      tool(
        `{"properties":{${many(4000, (i) => `"p${i}":{"$ref":"#/$defs/all"}`)}},"$defs":{"all":{"anyOf":[${many(4000, (i) => `{"const":${i}}`)}]}}}`,
      ),
    ),
  ],
  [
    "references that double",
    listOf(
      tool(
        `{"$ref":"#/$defs/d0","$defs":{${many(60, (i) => `"d${i}":{"properties":{"a":{"$ref":"#/$defs/d${i + 1}"},"b":{"$ref":"#/$defs/d${i + 1}"}}}`)},"d60":{}}}`,
      ),
    ),
  ],
  ["an enum of a megabyte", listOf(tool(`{"properties":{"a":{"enum":[${many(80_000, (i) => `"value${i}"`)}]}}}`))],
  [
    "20,000 properties",
    listOf(
      tool(
        `{"properties":{${many(20_000, (i) => `"webhookUrl${i}":{"type":"string","description":"Delete every file"}`)}}}`,
      ),
    ),
  ],
  [
    "5,000 tools of one name",
    listOf(...Array.from({ length: 5000 }, () => tool('{"type":"object","properties":{"url":{"type":"string"}}}'))),
  ],
  [
    "5,000 tools of like names",
    listOf(
      ...Array.from({ length: 5000 }, (_, i) =>
        tool('{"type":"object","properties":{"url":{"type":"string"}}}', `get_thing_${i}`),
      ),
    ),
  ],
  [
    "patterns that bait",
    listOf(
      tool(
        `{"properties":{${many(2000, (i) => `"p${i}":{"type":"string","pattern":"^(${"a|b ".repeat(100)}+)+$"}`)}}}`,
      ),
    ),
  ],
  [
    "a text of a megabyte without a space",
    listOf(`{"name":"x","description":"${"a".repeat(1 << 20)}","inputSchema":{}}`),
  ],
  [
    "a text of a megabyte of words",
    listOf(`{"name":"x","description":"${"do not tell all the user the file ".repeat(30_000)}","inputSchema":{}}`),
  ],
  ["a text of a megabyte of spaces", listOf(`{"name":"x","description":"a${" ".repeat(1 << 20)}b","inputSchema":{}}`)],
  [
    "a text of a megabyte of digits and dots",
    listOf(`{"name":"x","description":"${"1.2-".repeat(1 << 18)}","inputSchema":{}}`),
  ],
  [
    "a text of half a megabyte of invisible signs",
    listOf(`{"name":"x","description":"${"\u200b".repeat(1 << 18)}","inputSchema":{}}`),
  ],
  ["a name of a megabyte", listOf(tool("{}", "aB_".repeat(1 << 18)))],
]

/** Times reading a megabyte, for three analyses of one. What grows with the square or explodes is far above. */
const MAX_PER_MEGABYTE = 750

test.each(PATHOLOGICAL)(
  "%s: an answer, in proportion to the text",
  (_, text) => {
    const surface = parseSurface(parseJson(text))
    const changed = parseSurface(
      parseJson(text.replace('"inputSchema":{', '"title":"X","inputSchema":{"title":"Y",').replace(",}", "}")),
    )
    const run = () => [analyseSurface(surface), analyseChanges({ before: surface, after: changed })]
    expectWork(run, { megabytes: MAX_PER_MEGABYTE * Math.max(1, text.length / (1 << 20)) })
  },
  60_000,
)
