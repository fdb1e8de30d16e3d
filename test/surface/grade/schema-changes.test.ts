import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isObject, type JsonValue, parseJson } from "../../../src/core/json.js"
import { formatPointer, parsePointer, replaceAt } from "../../../src/core/pointer.js"
import type { ChangeFinding } from "../../../src/surface/finding.js"
import { gradeSchemaChanges } from "../../../src/surface/grade/schema-changes.js"
import { SCHEMA_RULES } from "../../../src/surface/grade/schema-rules.js"
import { diffValues } from "../../../src/surface/values.js"
import { describeShared } from "../../shared.js"
import { expectWork } from "../../work.js"
import { arbValue } from "../arbitrary.js"
import { CAPTURES, readCapture } from "../captures.js"

const parse = (value: unknown): JsonValue => parseJson(JSON.stringify(value))

function gradeJson(
  before: JsonValue,
  after: JsonValue,
  direction: "input" | "output" = "input",
): readonly ChangeFinding[] {
  const place = { section: "tools", item: "t", kind: "changed", from: null } as const
  const changes = diffValues(before, after).map((change) => ({ ...place, ...change, pointer: `/s${change.pointer}` }))
  const findings = gradeSchemaChanges({ before, after, direction, changes, pointer: "/s", item: "t" })
  const covered = new Set(findings.flatMap(({ covers }) => covers))
  expect([...covered].sort()).toEqual([...new Set(changes.map(({ pointer }) => pointer))].sort())
  for (const { rule } of findings) expect(Object.hasOwn(SCHEMA_RULES, rule) ? rule : `no rule ${rule}`).toBe(rule)
  return findings
}

/** Each meaning as "pointer kind severity", the schema's own pointer left out. */
const grade = (before: unknown, after: unknown, direction: "input" | "output" = "input"): readonly string[] =>
  gradeJson(parse(before), parse(after), direction)
    .map(({ pointer, rule, severity, member }) =>
      [
        pointer.slice(2) || "/",
        ...(member === undefined ? [] : [member]),
        rule.replace(/^(?:output-)?schema\./, ""),
        severity,
      ].join(" "),
    )
    .sort()

const text = { type: "string" }
const one = (name: string, schema: unknown, more: object = {}) => ({
  type: "object",
  properties: { [name]: schema },
  ...more,
})

/** What the difference of one property's schema means: "keyword kind severity". */
const gradeOne = (name: string, before: unknown, after: unknown): readonly string[] =>
  grade(one(name, before), one(name, after)).map((line) => line.replace(`/properties/${name}`, "") || "/")

describe("properties", () => {
  const base = { type: "object", properties: { city: text }, required: ["city"] }
  const plus = (name: string, schema: unknown, required: readonly string[] = ["city"]) => ({
    ...base,
    properties: { ...base.properties, [name]: schema },
    required,
  })

  test.each([
    { name: "webhookUrl", schema: text, severity: "high" },
    { name: "reply-to", schema: { type: ["string", "null"] }, severity: "high" },
    { name: "notify_emails", schema: { type: "array", items: text }, severity: "high" },
    { name: "shellCommand", schema: { anyOf: [text, { type: "null" }] }, severity: "high" },
    { name: "chat_history", schema: text, severity: "high" },
    { name: "api_key", schema: text, severity: "high" },
    { name: "options", schema: one("callback", text), severity: "high" },
    { name: "options", schema: { allOf: [{ if: true, else: one("script", text) }] }, severity: "high" },
    { name: "endpoint", schema: { type: "string", enum: ["eu", "us"] }, severity: "low" },
    { name: "contextLimit", schema: { type: "integer" }, severity: "low" },
    { name: "exclude_domains", schema: { type: "array", items: text }, severity: "low" },
    { name: "country_code", schema: text, severity: "low" },
    { name: "dialogAction", schema: text, severity: "low" },
    { name: "force", schema: { type: "boolean" }, severity: "medium" },
    { name: "note", schema: text, severity: "low" },
    { name: "config", schema: { $ref: "https://example.com/config.json" }, severity: "high" },
  ])("$name with a new place for $schema is $severity", ({ name, schema, severity }) => {
    expect(grade(base, plus(name, schema))).toEqual([`/properties/${name} property-added ${severity}`])
  })

  test("a new property is weighed by what its reference leads to", () => {
    const $defs = { Hook: one("webhook_url", text) }
    expect(grade({ ...base, $defs }, { ...plus("hook", { $ref: "#/$defs/Hook" }), $defs })).toEqual([
      "/properties/hook property-added high",
    ])
  })

  test("each name that enters required is told beside the property", () => {
    expect(grade(base, plus("transcript", text, ["city", "transcript"]))).toEqual([
      "/properties/transcript property-added high",
      "/required transcript required-added high",
    ])
    expect(grade(base, plus("unit", { enum: ["C", "F"] }, ["city", "unit"]))).toEqual([
      "/properties/unit property-added low",
      "/required unit required-added medium",
    ])
  })

  test.each([
    ["dry_run", "high"],
    ["isApproved", "high"],
    ["user-consent", "high"],
    ["otp", "high"],
    ["sortOrder", "low"],
    ["table", "medium"],
  ])("%s no longer required is %s", (name, severity) => {
    expect(grade(one(name, text, { required: [name] }), one(name, text))).toEqual([
      `/required ${name} required-removed ${severity}`,
    ])
  })

  test("a removed property accounts for its place in required", () => {
    expect(grade(plus("unit", text, ["city", "unit"]), base)).toEqual(["/properties/unit property-removed medium"])
    expect(grade(plus("confirm", { type: "boolean" }), base)).toEqual(["/properties/confirm property-removed high"])
  })

  test("a renamed property accounts for both ends and required", () => {
    const before = plus("user_id", { ...text, description: "Who" }, ["city", "user_id"])
    const findings = gradeJson(
      parse(before),
      parse(plus("member", { ...text, description: "Who" }, ["city", "member"])),
    )
    expect(findings).toMatchObject([
      { rule: "schema.property-renamed", pointer: "/s/properties/member", was: "user_id", severity: "medium" },
    ])
    expect([...(findings[0]?.covers ?? [])].sort()).toEqual([
      "/s/properties/member",
      "/s/properties/user_id",
      "/s/required",
    ])
  })

  test("two properties that could each be the new name are none", () => {
    const described = { ...text, description: "Who" }
    const findings = grade(one("a", described), { type: "object", properties: { b: described, c: described } })
    expect(findings).toEqual([
      "/properties/a property-removed medium",
      "/properties/b property-added low",
      "/properties/c property-added low",
    ])
  })

  test("answers are milder", () => {
    expect(grade(base, plus("webhook_url", text), "output")).toEqual(["/properties/webhook_url property-added low"])
    expect(grade(plus("wind", text), base, "output")).toEqual(["/properties/wind property-removed medium"])
    expect(grade(one("a", { enum: ["x"], type: "string" }), one("a", text), "output")).toEqual([
      "/properties/a/enum enum-removed medium",
    ])
  })
})

describe("values", () => {
  test.each([
    { name: "level", before: { ...text, enum: ["a"] }, after: text, wanted: ["/enum enum-removed high"] },
    { name: "sort", before: { ...text, enum: ["a"] }, after: text, wanted: ["/enum enum-removed medium"] },
    { name: "level", before: text, after: { ...text, enum: ["a"] }, wanted: ["/enum enum-added low"] },
    {
      name: "scope",
      before: { enum: ["read"] },
      after: { enum: ["read", "full-access"] },
      wanted: ["/enum full-access enum-value-added high"],
    },
    {
      name: "share",
      before: { enum: ["team"] },
      after: { enum: ["team", "Everyone"] },
      wanted: ["/enum Everyone enum-value-added high"],
    },
    {
      name: "status",
      before: { enum: ["open"] },
      after: { enum: ["open", "all"] },
      wanted: ["/enum all enum-value-added medium"],
    },
    {
      name: "status",
      before: { enum: ["open", "x"] },
      after: { enum: ["open"] },
      wanted: ["/enum x enum-value-removed low"],
    },
    {
      name: "n",
      before: { enum: [1, 2] },
      after: { enum: [1, 3] },
      wanted: ["/enum 2 enum-value-removed low", "/enum 3 enum-value-added medium"],
    },
    { name: "channel", before: { const: "ops" }, after: { const: "world" }, wanted: ["/const const-changed high"] },
    { name: "v", before: { const: "1.0" }, after: { const: "1.1" }, wanted: ["/const const-changed medium"] },
    { name: "channel", before: { ...text, const: "ops" }, after: text, wanted: ["/const const-removed high"] },
    { name: "cc", before: text, after: { ...text, default: "a@example.com" }, wanted: ["/default default-added high"] },
    {
      name: "baseUrl",
      before: { ...text, default: "https://a.example.com" },
      after: { ...text, default: "https://b.example.com" },
      wanted: ["/default default-changed high"],
    },
    {
      name: "dryRun",
      before: { type: "boolean", default: true },
      after: { type: "boolean", default: false },
      wanted: ["/default default-changed high"],
    },
    {
      name: "dryRun",
      before: { type: "boolean", default: true },
      after: { type: "boolean" },
      wanted: ["/default default-removed high"],
    },
    {
      name: "overwrite",
      before: { type: "boolean" },
      after: { type: "boolean", default: true },
      wanted: ["/default default-added high"],
    },
    {
      name: "limit",
      before: { type: "integer", default: 10 },
      after: { type: "integer", default: 5 },
      wanted: ["/default default-changed low"],
    },
    {
      name: "path",
      before: { ...text, examples: ["a", "b"] },
      after: { ...text, examples: ["a", "c"] },
      wanted: ["/examples/1 examples-changed medium"],
    },
  ])("$name: $before became $after", ({ name, before, after, wanted }) => {
    expect(gradeOne(name, before, after)).toEqual(wanted)
  })
})

describe("limits", () => {
  const pinned = { ...text, pattern: "^https://docs\\.example\\.com/" }

  test.each([
    { before: pinned, after: text, wanted: "constraint-removed high" },
    ...[".*", "^.*$", "", "^", "[\\s\\S]*", "^.+$", "(.*)", "^https://docs\\.example\\.com/|.*"].map((pattern) => ({
      before: pinned,
      after: { ...text, pattern },
      wanted: "constraint-loosened high",
    })),
    { before: pinned, after: { ...text, pattern: "^https?://" }, wanted: "constraint-loosened high" },
    {
      before: pinned,
      after: { ...text, pattern: "^https://docs\\.example\\.org/" },
      wanted: "constraint-changed high",
    },
    { before: { ...text, pattern: "^\\d{4}-\\d\\d$" }, after: text, wanted: "constraint-removed medium" },
    { before: text, after: pinned, wanted: "constraint-added low" },
  ])("pattern of $before became that of $after", ({ before, after, wanted }) => {
    expect(gradeOne("when", before, after)).toEqual([`/pattern ${wanted}`])
  })

  test.each([
    ["maximum", 1, 2, "constraint-loosened"],
    ["maximum", 2, 1, "constraint-tightened"],
    ["minLength", 2, 1, "constraint-loosened"],
    ["minItems", 1, 2, "constraint-tightened"],
    ["multipleOf", 2, 3, "constraint-changed"],
    ["maxLength", 2, undefined, "constraint-removed"],
    ["maxProperties", undefined, 2, "constraint-added"],
    ["uniqueItems", true, undefined, "constraint-removed"],
  ])("%s from %s to %s", (keyword, before, after, kind) => {
    expect(gradeOne("n", { title: "N", [keyword]: before }, { title: "N", [keyword]: after })).toEqual([
      `/${keyword} ${kind} low`,
    ])
  })

  test.each([
    { name: "n", before: "boolean", after: ["boolean", "string"], wanted: "type-widened medium" },
    { name: "n", before: "integer", after: "number", wanted: "type-widened medium" },
    { name: "n", before: "string", after: ["string", "null"], wanted: "type-widened low" },
    { name: "command", before: "integer", after: ["integer", "string"], wanted: "type-widened high" },
    { name: "n", before: ["string", "null"], after: "string", wanted: "type-narrowed low" },
    { name: "n", before: "integer", after: "string", wanted: "type-changed medium" },
    { name: "n", before: "string", after: undefined, wanted: "type-widened medium" },
  ])("type of $name from $before to $after", ({ name, before, after, wanted }) => {
    expect(gradeOne(name, { type: before }, { type: after })).toEqual([`/type ${wanted}`])
  })

  test("format", () => {
    expect(gradeOne("n", { ...text, format: "date" }, text)).toEqual(["/format constraint-removed medium"])
  })
})

describe("alternatives and conditions", () => {
  const closed = { enum: ["a", "b"] }

  test.each([
    {
      before: { anyOf: [closed, { const: 1 }] },
      after: { anyOf: [closed, text, { const: 1 }] },
      wanted: "/anyOf/1 alternative-added high",
    },
    {
      before: { oneOf: [closed] },
      after: { oneOf: [closed, { type: "null" }] },
      wanted: "/oneOf/1 alternative-added low",
    },
    {
      before: { anyOf: [text, { type: "integer" }] },
      after: { anyOf: [text] },
      wanted: "/anyOf/1 alternative-removed low",
    },
    {
      before: { anyOf: [text, { type: "integer" }] },
      after: { anyOf: [text, { type: "integer" }, { type: "boolean" }] },
      wanted: "/anyOf/2 alternative-added medium",
    },
    {
      before: { anyOf: [{ type: "integer" }, closed] },
      after: { anyOf: [{ type: "integer" }, { enum: ["a"] }] },
      wanted: "/anyOf/1/enum b enum-value-removed low",
    },
    { before: { ...text, not: { pattern: "^/" } }, after: text, wanted: "/not constraint-removed medium" },
    {
      before: { ...text, allOf: [{ maxLength: 3 }, { enum: ["a"] }] },
      after: { ...text, allOf: [{ maxLength: 3 }] },
      wanted: "/allOf/1 constraint-removed high",
    },
    {
      before: { ...text, if: { const: "a" } },
      after: { ...text, if: { const: "b" } },
      wanted: "/if condition-changed medium",
    },
    {
      before: { items: closed, type: "array" },
      after: { items: { ...text }, type: "array" },
      wanted: "/items/enum enum-removed high",
    },
    {
      before: { prefixItems: [text] },
      after: { prefixItems: [text, text] },
      wanted: "/prefixItems/1 constraint-added low",
    },
  ])("$before became $after", ({ before, after, wanted }) => {
    expect(gradeOne("mode", before, after)).toContain(wanted)
  })

  test("a path may be anything where a prefix was forbidden", () => {
    expect(gradeOne("path", { ...text, not: { pattern: "^/" } }, text)).toEqual(["/not constraint-removed high"])
  })

  test("a demanded confirmation is gone", () => {
    const before = { type: "object", dependentRequired: { force: ["confirm"], a: ["b"] } }
    expect(grade(before, { type: "object", dependentRequired: { a: ["b"] } })).toEqual([
      "/dependentRequired/force constraint-removed high",
    ])
    expect(grade(before, { type: "object", dependentRequired: { force: ["confirm"] } })).toEqual([
      "/dependentRequired/a constraint-removed medium",
    ])
  })
})

describe("openness", () => {
  const base = one("a", text)
  test.each([
    [false, true, "/additionalProperties opened medium"],
    [false, { ...text }, "/additionalProperties opened medium"],
    [true, false, "/additionalProperties closed low"],
    [{ type: "integer" }, text, "/additionalProperties/type type-changed medium"],
    [undefined, false, "/ representation info"],
    [false, undefined, "/ representation info"],
    [true, undefined, "/ representation info"],
    [{}, true, "/ representation info"],
  ])("additionalProperties from %j to %j", (before, after, wanted) => {
    expect(grade({ ...base, additionalProperties: before }, { ...base, additionalProperties: after })).toEqual([wanted])
  })

  test("an object that names nothing is opened", () => {
    expect(gradeOne("a", { type: "object", additionalProperties: false }, { type: "object" })).toEqual([
      "/additionalProperties opened medium",
    ])
  })
})

describe("references", () => {
  const $defs = {
    Safe: { ...text, pattern: "^notes/[a-z]+$" },
    Short: { ...text, maxLength: 3 },
    Any: text,
    Loop: { properties: { next: { $ref: "#/$defs/Loop" } } },
  }
  const ref = (name: string) => one("p", { $ref: name }, { $defs })

  test.each([
    ["#/$defs/Safe", "#/$defs/Any", "/properties/p/$ref ref-changed high"],
    ["#/$defs/Short", "#/$defs/Any", "/properties/p/$ref ref-changed high"],
    ["#/$defs/Any", "#/$defs/Short", "/properties/p/$ref ref-changed low"],
    ["#/$defs/Any", "https://example.com/any.json", "/properties/p/$ref ref-changed high"],
    ["#/$defs/Any", "#/$defs/None", "/properties/p/$ref ref-changed medium"],
    ["#/$defs/Any", "#/%24defs/Any", "/ representation info"],
  ])("from %s to %s", (before, after, wanted) => {
    expect(grade(ref(before), ref(after))).toEqual([wanted])
  })

  test("a definition is graded where it stands, once, however often it is used", () => {
    const twice = { type: "object", properties: { p: { $ref: "#/$defs/Safe" }, q: { $ref: "#/$defs/Safe" } } }
    expect(grade({ ...twice, $defs }, { ...twice, $defs: { ...$defs, Safe: text } })).toEqual([
      "/$defs/Safe/pattern constraint-removed high",
    ])
  })

  test("an anchor that moves leads references elsewhere", () => {
    const at = (safe: object, any: object) =>
      one("p", { $ref: "#path" }, { $defs: { S: { ...$defs.Safe, ...safe }, A: { ...text, ...any } } })
    const anchor = { $anchor: "path" }
    expect(grade(at(anchor, {}), at({}, anchor))).toEqual([
      "/$defs/A/$anchor ref-changed high",
      "/$defs/S/$anchor ref-changed high",
    ])
  })

  test("a definition that references still need", () => {
    expect(grade(ref("#/$defs/Any"), one("p", { $ref: "#/$defs/Any" }))).toContain(
      "/$defs/Any definition-removed medium",
    )
  })

  test("inlined and loosened in one go", () => {
    expect(grade(ref("#/$defs/Safe"), one("p", text, { $defs }))).toEqual(["/properties/p ref-changed high"])
  })

  test("cycles", () => {
    expect(grade(ref("#/$defs/Any"), ref("#/$defs/Loop"))).toEqual(["/properties/p/$ref ref-changed high"])
  })
})

describe("what is spelled otherwise", () => {
  test.each([
    { before: { type: ["string", "null"] }, after: { anyOf: [text, { type: "null" }] } },
    { before: { type: "string", nullable: true }, after: { type: ["null", "string"] } },
    { before: { oneOf: [text, { type: "null" }] }, after: { type: ["string", "null"] } },
    { before: { const: "a" }, after: { enum: ["a"], type: "string" } },
    { before: { ...text, enum: ["a", "b"] }, after: { ...text, enum: ["b", "a"] } },
    { before: { allOf: [text] }, after: text },
    { before: { type: "integer" }, after: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 } },
    { before: { type: "object", properties: {}, required: [] }, after: { type: "object" } },
    { before: one("b", text), after: { properties: { b: text } } },
    { before: { ...text, minLength: 0 }, after: text },
    { before: { type: ["string"] }, after: text },
  ])("$before and $after", ({ before, after }) => {
    expect(grade(one("a", before), one("a", after))).toEqual(["/ representation info"])
    expect(grade(one("a", after), one("a", before))).toEqual(["/ representation info"])
  })

  test("is kept apart from what says something else", () => {
    const before = one("a", { ...text, description: "One" })
    const after = {
      ...one("a", { type: ["string"], description: "Two, and more" }),
      $schema: "x",
      additionalProperties: false,
    }
    expect(grade(before, after)).toEqual(["/ representation info", "/properties/a/description text-changed medium"])
  })

  test("covers every place", () => {
    const after = { type: "object", properties: { a: { type: ["string"] } }, $schema: "x", required: [] }
    expect(gradeJson(parse(one("a", text)), parse(after))).toMatchObject([
      { pointer: "/s", covers: expect.arrayContaining(["/s/$schema", "/s/properties/a/type", "/s/required"]) },
    ])
  })

  test.each([
    {
      before: { anyOf: [{ ...text, pattern: "^a/b/" }, { type: "null" }] },
      after: { type: ["string", "null"] },
      why: "a pattern lost on the way",
    },
    { before: { ...text, enum: ["a"] }, after: { anyOf: [text, { type: "null" }] }, why: "a choice lost on the way" },
  ])("$why is not spelling", ({ before, after }) => {
    expect(gradeOne("a", before, after).some((line) => line.endsWith("high"))).toBe(true)
  })
})

describe("texts and other keywords", () => {
  test.each([
    {
      before: { description: "The city" },
      after: { description: "The  city" },
      wanted: "/description text-changed info",
    },
    {
      before: { description: "The city" },
      after: { description: "The town hall" },
      wanted: "/description text-changed medium",
    },
    { before: { $comment: "a" }, after: { $comment: "something else" }, wanted: "/$comment text-changed medium" },
    { before: {}, after: { title: "User Name" }, wanted: "/title text-changed info" },
    { before: { title: "A" }, after: { title: "Something else" }, wanted: "/title text-changed low" },
    { before: {}, after: { "x-mcp-header": "X-Name" }, wanted: "/x-mcp-header header-mirror-added high" },
    { before: { "x-note": "a" }, after: { "x-note": "b" }, wanted: "/x-note keyword-changed medium" },
    { before: { deprecated: true }, after: {}, wanted: "/deprecated annotation-changed low" },
  ])("$before became $after", ({ before, after, wanted }) => {
    expect(gradeOne("user_name", { ...text, ...before }, { ...text, ...after })).toEqual([wanted])
  })

  test("a schema that came or went as a whole", () => {
    expect(grade(null, one("url", text))).toEqual(["/ added high"])
    expect(grade(null, one("url", text), "output")).toEqual(["/ added low"])
    expect(grade(one("url", text), null)).toEqual(["/ removed medium"])
  })
})

/** Pointers of all values in a value. */
const pointersIn = (value: JsonValue, at = ""): readonly string[] => [
  at,
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, child]) => pointersIn(child, at + formatPointer([name])))
    : []),
]

describe("whatever the schemas are", () => {
  test("every change is covered and nothing is thrown", () => {
    fc.assert(
      fc.property(arbValue, arbValue, (before, after) => {
        gradeJson(before, after)
      }),
      { numRuns: 200 },
    )
  })

  const keyword = fc.constantFrom(
    ..."type properties required enum const default pattern $ref $defs anyOf oneOf allOf not if else items prefixItems additionalProperties dependentRequired dependencies patternProperties format examples title $id $anchor nullable".split(
      " ",
    ),
  )
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      "string",
      "#",
      "#/$defs/a",
      "#a",
      ["a"],
      [{ type: "null" }, "x"],
      true,
      false,
      null,
      3,
      {},
      { a: { $ref: "#/$defs/a" } },
    ),
  )
  const arbSchema = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      value,
      fc.dictionary(keyword, fc.oneof(tie("schema"), value, fc.array(tie("schema"), { maxLength: 3 })), { maxKeys: 5 }),
    ),
  })).schema

  test("schemas of odd shapes are covered too", () => {
    fc.assert(
      fc.property(arbSchema, arbSchema, (before, after) => {
        gradeJson(parse(before ?? null), parse(after ?? null))
      }),
      { numRuns: 200 },
    )
  })

  // Without a bound the references alone would be followed 2^60 times.
  test("deep, wide and cyclic ones are bounded", () => {
    const nest = (depth: number, leaf: unknown): unknown =>
      depth === 0 ? leaf : { type: "object", properties: { a: nest(depth - 1, leaf) } }
    const gradeAll = () => {
      const deep = gradeJson(nest(100, text) as JsonValue, nest(100, { type: "integer" }) as JsonValue)
      expect(deep.map(({ rule, severity }) => [rule, severity])).toEqual([["schema.cut", "high"]])
      const wide = (type: string) => ({
        properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`p${i}`, { type }])),
      })
      const many = gradeJson(parse(wide("string")), parse(wide("integer")))
      expect(many.some(({ rule, severity }) => rule === "schema.type-changed" && severity === "medium")).toBe(true)
      expect(many.some(({ rule, severity }) => rule === "schema.cut" && severity === "high")).toBe(true)
      const fan = (leaf: unknown) => ({
        $ref: "#/$defs/d0",
        $defs: Object.fromEntries(
          Array.from({ length: 60 }, (_, i) => [
            `d${i}`,
            i === 59 ? leaf : { properties: { a: { $ref: `#/$defs/d${i + 1}` }, b: { $ref: `#/$defs/d${i + 1}` } } },
          ]),
        ),
      })
      gradeJson(parse(fan(text)), parse({ ...fan({ type: "integer" }), $ref: "#/$defs/d1" }))
      const $defs = { X: wide("string") }
      const uses = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`q${i}`, { $ref: "#/$defs/X" }]))
      gradeJson(parse({ $defs, properties: {} }), parse({ $defs, properties: uses }))
      const branch = (i: number) =>
        i === 8 ? { type: "integer" } : { anyOf: Array.from({ length: 50 }, () => ({ $ref: `#/$defs/d${i + 1}` })) }
      const $choices = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`d${i}`, branch(i)]))
      gradeJson(parse({ $defs: $choices }), parse({ $defs: $choices, properties: { q: { $ref: "#/$defs/d0" } } }))
    }
    expectWork(gradeAll, { megabytes: 500 })
  })
})

describeShared("captured schemas", () => {
  const schemas = CAPTURES.flatMap((file) => {
    const tools = readCapture(file).tools
    return Array.isArray(tools)
      ? tools.flatMap((tool) => (isObject(tool) && isObject(tool.inputSchema) ? [tool.inputSchema] : []))
      : []
  })

  test("any edit of one is covered", () => {
    expect(schemas.length).toBeGreaterThan(500)
    const arbEdit = fc.tuple(fc.nat(), fc.nat(), fc.jsonValue({ maxDepth: 2 }))
    fc.assert(
      fc.property(arbEdit, ([which, where, value]) => {
        const schema = schemas[which % schemas.length] ?? {}
        const pointers = pointersIn(schema)
        const pointer = pointers[where % pointers.length] ?? ""
        const edited = replaceAt(
          schema,
          parsePointer(pointer, (why) => new Error(why) as never),
          parse(value),
        )
        const findings = gradeJson(schema, edited)
        expect(findings.length > 0).toBe(diffValues(schema, edited).length > 0)
      }),
      { numRuns: 100 },
    )
  })
})
