// Meanings and severities outside schemas, with words of our own beside the shared cases: hints by effective value, prompts, odd shapes.
import fc from "fast-check"
import { expect, test } from "vitest"
import { type JsonValue, parseJson } from "../../../src/core/json.js"
import { parseSurface, type Surface } from "../../../src/core/section.js"
import { analyseChanges } from "../../../src/surface/analysis.js"
import { RULES } from "../../../src/surface/rules.js"
import { MAX_CHANGES_WITHIN } from "../../../src/surface/values.js"
import { arbSurface } from "../arbitrary.js"

const surface = (members: object): Surface => parseSurface(parseJson(JSON.stringify(members)))
const tool = (members: object = {}) => ({
  name: "t",
  description: "Tell the time.",
  inputSchema: { type: "object" },
  ...members,
})

/** Each meaning as "item pointer rule severity", from one list of a surface to another. */
function meaningsOf(before: object, after: object): readonly string[] {
  const { meanings } = analyseChanges({ before: surface(before), after: surface(after) })
  return meanings.map(({ item, pointer, rule, severity }) => [item ?? "-", pointer || "-", rule, severity].join(" "))
}

const ofTool = (before: object, after: object) => meaningsOf({ tools: [tool(before)] }, { tools: [tool(after)] })
const annotated = (before: object | undefined, after: object | undefined) =>
  ofTool(before === undefined ? {} : { annotations: before }, after === undefined ? {} : { annotations: after })

const hint = (name: string, severity: string) => `t /annotations/${name} annotations.hint-changed ${severity}`
const EXPLICIT = "t /annotations annotations.made-explicit info"

test.each([
  ["implied values written down", undefined, { readOnlyHint: false, openWorldHint: true }, [EXPLICIT]],
  ["implied values left out", { destructiveHint: true }, undefined, [EXPLICIT]],
  ["nothing in an object", undefined, {}, [EXPLICIT]],
  ["null is no value", { readOnlyHint: null }, { readOnlyHint: false }, [EXPLICIT]],
  ["a first claim", undefined, { readOnlyHint: true }, [hint("readOnlyHint", "medium")]],
  [
    "a first claim beside an implied value",
    {},
    { readOnlyHint: true, destructiveHint: true },
    [EXPLICIT, hint("readOnlyHint", "medium")],
  ],
  ["a claim dropped", { readOnlyHint: true }, {}, [hint("readOnlyHint", "medium")]],
  ["a claim taken back", { readOnlyHint: true }, { readOnlyHint: false }, [hint("readOnlyHint", "high")]],
  ["destruction admitted", { destructiveHint: false }, { destructiveHint: true }, [hint("destructiveHint", "high")]],
  ["an open world admitted", { openWorldHint: false }, { openWorldHint: true }, [hint("openWorldHint", "medium")]],
  ["a text for a claim", { readOnlyHint: false }, { readOnlyHint: "yes" }, [hint("readOnlyHint", "medium")]],
  ["title", { title: "a" }, { title: "b" }, ["t /annotations/title annotations.title-changed low"]],
  ["another member", { cost: 1 }, { cost: 2 }, ["t /annotations/cost annotations.other-changed low"]],
  ["no object", { cost: 1 }, ["x"], ["t /annotations annotations.other-changed medium"]],
  [
    "a name of objects",
    { constructor: 1 },
    { constructor: 2 },
    ["t /annotations/constructor annotations.other-changed low"],
  ],
] as const)("annotations: %s", (_, before, after, wanted) => {
  expect(annotated(before, after)).toEqual(wanted)
})

test("a claim to be harmless that the tool belies is critical", () => {
  const of = (annotations: object) => ({
    tools: [{ name: "wipe_disk", description: "Erase a disk.", inputSchema: { type: "object" }, annotations }],
  })
  expect(meaningsOf(of({}), of({ readOnlyHint: true }))).toContain(
    "wipe_disk /annotations/readOnlyHint annotations.hint-changed critical",
  )
})

test.each([
  [
    "description: wording",
    { description: "Tell the time of another city." },
    "t /description description.changed medium",
  ],
  ["description: spelling", { description: "Tell the timee." }, "t /description description.changed low"],
  ["description: white space", { description: "Tell\n the time." }, "t /description description.whitespace info"],
  ["description: no string", { description: { a: 1 } }, "t /description description.changed medium"],
  ["title", { title: "Clock" }, "t /title title.added low"],
  ["icons", { icons: [{ src: "data:image/png;base64,AA==" }] }, "t /icons icons.changed low"],
  ["_meta", { _meta: { "example.com/x": 1 } }, "t /_meta meta.added low"],
  ["execution", { execution: { taskSupport: "optional" } }, "t /execution execution.added info"],
  ["unknown member", { "x-more": [1] }, "t /x-more unknown-field.added medium"],
  ["prototype names", { constructor: 1 }, "t /constructor unknown-field.added medium"],
])("tool: %s", (_, after, wanted) => {
  expect(ofTool({}, after)).toEqual([wanted])
})

const prompt = (members: object) => ({ prompts: [{ name: "p", description: "Sum up.", ...members }] })
const argument = (name: string, members: object = {}) => ({ name, description: "A word.", ...members })

test.each([
  [
    "text",
    [argument("a")],
    [argument("a", { description: "A long word." })],
    ["p /arguments/0/description prompt.argument-text-changed medium"],
  ],
  [
    "required",
    [argument("a")],
    [argument("a", { required: true })],
    ["p /arguments/0/required prompt.argument-required medium"],
  ],
  [
    "optional",
    [argument("a", { required: true })],
    [argument("a")],
    ["p /arguments/0/required prompt.argument-required low"],
  ],
  ["added", [argument("a")], [argument("a"), argument("b")], ["p /arguments/1 prompt.argument-added low"]],
  ["wanted", [], [argument("b", { required: true })], ["p /arguments/0 prompt.argument-added medium"]],
  ["removed", [argument("a"), argument("b")], [argument("b")], ["p /arguments/0 prompt.argument-removed medium"]],
  [
    "order",
    [argument("a"), argument("b")],
    [argument("b"), argument("a")],
    ["p /arguments prompt.arguments-changed info"],
  ],
  ["twins", [argument("a")], [argument("a"), argument("a")], ["p /arguments/1 prompt.arguments-changed medium"]],
  ["no list", [argument("a")], "a", ["p /arguments prompt.arguments-changed medium"]],
  ["unknown", [argument("a")], [argument("a", { type: "x" })], ["p /arguments/0/type unknown-field.added medium"]],
])("prompt arguments: %s", (_, before, after, wanted) => {
  expect(meaningsOf(prompt({ arguments: before }), prompt({ arguments: after })).map(withoutTwinPlace)).toEqual(
    wanted.map(withoutTwinPlace),
  )
})

/** A list graded as a whole says so at the list, whatever the diff names. */
const withoutTwinPlace = (text: string): string =>
  text.replace(/^p \S+ prompt\.arguments-changed/, "p prompt.arguments-changed")

const template = (uriTemplate: string, members: object = {}) => ({
  uriTemplate,
  name: "n",
  description: "Texts.",
  ...members,
})

test.each([
  ["prompt added", { prompts: [] }, prompt({}), ["p - prompt.added medium"]],
  ["prompt removed", prompt({}), { prompts: [] }, ["p - prompt.removed medium"]],
  [
    "prompt text",
    prompt({}),
    prompt({ description: "Sum up and sign." }),
    ["p /description prompt.text-changed medium"],
  ],
  ["list declared", {}, { tools: [] }, ["- - list.declared info"]],
  ["list gone", { resources: [] }, {}, ["- - list.gone info"]],
  [
    "template",
    { resourceTemplates: [template("x:///a/{b}.txt")] },
    { resourceTemplates: [] },
    ["x:///a/{b}.txt - resource-template.removed low"],
  ],
  [
    "template text",
    { resourceTemplates: [template("x:///{b}")] },
    { resourceTemplates: [template("x:///{b}", { name: "m" })] },
    ["x:///{b} /name resource-template.text-changed medium"],
  ],
  [
    "resource size",
    { resources: [{ uri: "x:a", size: 1 }] },
    { resources: [{ uri: "x:a", size: 2 }] },
    ["x:a /size resource.changed info"],
  ],
  ["instructions appear", {}, { instructions: "Be brief." }, ["- - instructions.added medium"]],
  ["instructions go", { instructions: "Be brief." }, {}, ["- - instructions.removed medium"]],
  [
    "instructions move",
    { instructions: "Be  brief." },
    { instructions: "Be brief." },
    ["- - instructions.whitespace info"],
  ],
  ["server name", { serverInfo: { name: "a" } }, { serverInfo: { name: "b" } }, ["- /name server-info.changed medium"]],
  [
    "server title",
    { serverInfo: { name: "a" } },
    { serverInfo: { name: "a", title: "A" } },
    ["- /title server-info.changed low"],
  ],
  [
    "server member",
    { serverInfo: { name: "a" } },
    { serverInfo: { name: "a", x: 1 } },
    ["- /x unknown-field.added medium"],
  ],
  ["server no object", { serverInfo: { name: "a" } }, { serverInfo: ["a"] }, ["- - server-info.changed medium"]],
  ["server appears", {}, { serverInfo: { name: "a" } }, ["- - server-info.changed medium"]],
])("%s", (_, before, after, wanted) => {
  expect(meaningsOf(before, after)).toEqual(wanted)
})

test.each([
  ["changed places", ["a says B", "b says A"], ["a /description", "b /description"]],
  ["one took the other's text", ["a says B", "b says B"], ["a /description"]],
  ["one stands in the place of the other", ["a says B"], ["a /description"]],
  ["nobody said it before", ["a says C", "b says B"], []],
  ["stay beside a new one of the same text", ["a says A", "b says B", "c says A"], []],
])("tools that %s", (_, later, wanted) => {
  const list = (lines: readonly string[]) => ({
    tools: lines.map((line) => tool({ name: line.slice(0, 1), description: `This is the tool ${line.slice(-1)}.` })),
  })
  const taken = meaningsOf(list(["a says A", "b says B"]), list(later)).filter((one) => one.includes("taken-over"))
  expect(taken).toEqual(wanted.map((place) => `${place} description.taken-over high`))
})

test("a text of several tools, and a short one, is nobody's", () => {
  const list = (...texts: string[]) => ({ tools: texts.map((description, i) => tool({ name: `t${i}`, description })) })
  const taken = (before: object, after: object) => meaningsOf(before, after).filter((one) => one.includes("taken-over"))
  const shared = "Shared by several."
  expect(taken(list(shared, shared, "Something else."), list(shared, shared, shared))).toEqual([])
  expect(taken(list("Get.", "Set."), list("Set.", "Get."))).toEqual([])
})

test("a twin is critical, and which of two twins changed is found by digest", () => {
  const twin = tool({ description: "Another." })
  expect(meaningsOf({ tools: [tool()] }, { tools: [tool(), twin] })).toEqual(["t - tool.duplicated critical"])
  const changed = { tools: [tool(), tool({ description: "Another one." })] }
  expect(meaningsOf({ tools: [tool(), twin] }, changed)).toEqual(["t /description description.changed medium"])
  expect(meaningsOf(changed, { tools: [tool()] })).toEqual(["t - tool.removed medium"])
})

test("what differs in more places than are named is graded by member all the same", () => {
  const many = (value: number) =>
    Object.fromEntries(Array.from({ length: MAX_CHANGES_WITHIN + 1 }, (_, i) => [`x-${i}`, value]))
  const before = { ...many(1), annotations: { readOnlyHint: true } }
  const { changes, meanings } = analyseChanges({
    before: surface({ tools: [tool(before)] }),
    after: surface({ tools: [tool({ ...many(2), annotations: { readOnlyHint: false } })] }),
  })
  expect(changes).toMatchObject([{ pointer: "", severity: "high" }])
  expect(meanings.map(({ rule }) => rule)).toContain("annotations.hint-changed")
  expect(meanings.every(({ covers }) => covers.join() === "")).toBe(true)
})

test("items that are no objects, nameless or of odd members are graded like all others", () => {
  const odd: JsonValue[] = [
    null,
    1,
    "x",
    [],
    { description: 1 },
    { name: 7 },
    { name: "t", inputSchema: [], annotations: 3 },
  ]
  for (const item of odd) {
    const { changes, meanings } = analyseChanges({ before: surface({ tools: [] }), after: surface({ tools: [item] }) })
    expect(changes.map(({ severity }) => severity)).toHaveLength(1)
    expect(meanings.map(({ rule }) => rule)).toEqual(["tool.added"])
  }
})

test("whatever two surfaces hold, every change has a meaning that a rule describes, and every meaning a change", () => {
  fc.assert(
    fc.property(arbSurface, arbSurface, (before, after) => {
      const { changes, meanings } = analyseChanges({ before, after })
      for (const change of changes) {
        const own = meanings.filter((one) => one.section === change.section && one.item === change.item)
        expect(own.some(({ covers }) => covers.includes(change.pointer))).toBe(true)
      }
      for (const one of meanings) {
        expect(Object.hasOwn(RULES, one.rule) ? "" : one.rule).toBe("")
        const own = changes.filter((change) => change.section === one.section && change.item === one.item)
        expect(own.map(({ pointer }) => pointer)).toEqual(expect.arrayContaining([...one.covers]))
      }
    }),
    { seed: 7, numRuns: 40 },
  )
})
