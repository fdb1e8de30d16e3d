// Lint takes time in proportion to what it is given, however that is made.
import { describe, expect, test } from "vitest"
import { lintSurface } from "../../../src/surface/lint/lint.js"
import { expectWork } from "../../work.js"
import { input, lint, tool, toolSurface } from "./support.js"

/** Far above what each of these takes, far below what quadratic work would. */
const BOUND = { megabytes: 500 }

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** Another way to part two words for each number. */
const separators = (i: number): string => (i + 1).toString(2).replaceAll("0", "-").replaceAll("1", "_")

const PAGE = input({ id: { type: "string", description: "Which" }, page: { type: "integer" } }, ["id"])

describe("5,000 tools", () => {
  const shapes: Readonly<Record<string, (i: number) => unknown>> = {
    "of one sense": (i) => tool(`${["get", "fetch", "read", "load"][i % 4]}${separators(i)}user`, "Get a user.", PAGE),
    "of one text": (i) => tool(`t${i}`, "Look a customer up in the ledger and answer with name and balance.", PAGE),
    "of one name": () => tool("t", "Echo.", PAGE),
    "of one name but for a word": (i) => tool(`get_user_${i}`, `Get a user ${i}.`, PAGE),
    "with names of many words": (i) => tool(many(40, (j) => `w${(i * j) % 7}`).join("_"), "x", PAGE),
    "that name each other": (i) => tool(`get_user_${i}`, `Never use get_user_${i + 1}. `.repeat(9), PAGE),
  }

  test.each(Object.keys(shapes))("%s", (name) => {
    const surface = toolSurface(...many(5000, (i) => shapes[name]?.(i)))
    expectWork(() => lintSurface(surface, { tools: [], chain: null }, { others: [{ name: "other", surface }] }), BOUND)
  })

  test("comparisons that were left out are told", () => {
    const rules = (make: (i: number) => Readonly<Record<string, unknown>>) =>
      lint(toolSurface(...many(100, (i) => tool(`get${separators(i)}user`, "Get a user.", make(i))))).map(
        ({ rule }) => rule,
      )
    expect(rules(() => PAGE)).toEqual(many(99, () => "ambiguous-pair"))
    expect(rules((i) => input({ id: { const: i } }))).toEqual(["lint.cut"])
  })
})

describe("one huge tool", () => {
  const huge: Readonly<Record<string, unknown>> = {
    "20,000 properties": tool(
      "a",
      "Echo.",
      input(Object.fromEntries(many(20_000, (i) => [`p${i}`, { $ref: "#/$defs/x" }]))),
    ),
    "a long name": tool("get_".repeat(250_000), "Get it."),
    "destructive words": tool("a", "delete all ".repeat(90_000)),
    quantities: tool("a", "every ".repeat(200_000)),
    "words that end nothing": tool("a", "removes permanently ".repeat(50_000)),
    "no end of a sentence": tool("a", "send_mail ".repeat(100_000)),
    "slashes and dots": tool("a", "a/b.".repeat(200_000)),
    blanks: tool("a", `delete${" ".repeat(500_000)}all`),
    "a large enum": tool("a", "Echo.", input({ x: { enum: many(100_000, (i) => `v${i}`) } })),
  }
  const other = { name: "mail", surface: toolSurface(tool("send_mail", "Send.")) }

  test.each(Object.keys(huge))("%s", (name) => {
    const surface = toolSurface(huge[name], tool("b", "Echo back.", PAGE))
    expectWork(() => lintSurface(surface, { tools: [], chain: null }, { others: [other] }), BOUND)
  })
})
