import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../../src/core/errors.js"
import { type JsonValue, parseJson } from "../../../src/core/json.js"
import { parsePointer, valueAt } from "../../../src/core/pointer.js"
import { parseSurface, type Surface } from "../../../src/core/section.js"
import { collectTexts } from "../../../src/surface/text/collect-texts.js"

const EMPTY: Surface = {
  instructions: null,
  tools: null,
  prompts: null,
  resourceTemplates: null,
  resources: null,
  serverInfo: null,
}

const read = (value: unknown): Surface => parseSurface(parseJson(JSON.stringify(value)))
const bad = (why: string) => new ToolsumError("USAGE", why)

describe("collectTexts", () => {
  const surface = read({
    instructions: "Read me.",
    tools: [
      {
        name: "a",
        title: "A",
        "x-hint": { deep: ["one", 2, "three"] },
        inputSchema: {
          properties: { "p/q~r": { type: "string", enum: ["x"], default: "d", examples: ["e"] } },
          $defs: { D: { const: "c" } },
        },
        outputSchema: { properties: { out: { description: "o" } } },
        annotations: { title: "T", category: "C" },
        _meta: { "example.com/key": "m" },
        icons: [{ src: "https://example.com/i.png" }],
      },
      "no object",
      7,
    ],
    prompts: [{ name: "p", arguments: [{ name: "arg", description: "an argument" }] }],
    resources: [{ uri: "file:///r", description: "a resource" }],
    resourceTemplates: [{ uriTemplate: "file:///{t}", description: "a template" }],
    serverInfo: { name: "s", version: "1" },
  })
  const texts = collectTexts(surface)
  const find = (text: string) => texts.filter((one) => one.text === text)

  test.each([
    ["Read me.", "instructions", null, "", "", false],
    ["one", "tools", "a", "/x-hint/deep/0", "deep", false],
    ["three", "tools", "a", "/x-hint/deep/2", "deep", false],
    ["x-hint", "tools", "a", "/x-hint", "", true],
    ["p/q~r", "tools", "a", "/inputSchema/properties/p~1q~0r", "properties", true],
    ["x", "tools", "a", "/inputSchema/properties/p~1q~0r/enum/0", "enum", false],
    ["d", "tools", "a", "/inputSchema/properties/p~1q~0r/default", "default", false],
    ["e", "tools", "a", "/inputSchema/properties/p~1q~0r/examples/0", "examples", false],
    ["c", "tools", "a", "/inputSchema/$defs/D/const", "const", false],
    ["D", "tools", "a", "/inputSchema/$defs/D", "$defs", true],
    ["o", "tools", "a", "/outputSchema/properties/out/description", "description", false],
    ["C", "tools", "a", "/annotations/category", "category", false],
    ["category", "tools", "a", "/annotations/category", "annotations", true],
    ["example.com/key", "tools", "a", "/_meta/example.com~1key", "_meta", true],
    ["https://example.com/i.png", "tools", "a", "/icons/0/src", "src", false],
    ["no object", "tools", null, "", "", false],
    ["an argument", "prompts", "p", "/arguments/0/description", "description", false],
    ["a resource", "resources", "file:///r", "/description", "description", false],
    ["a template", "templates", "file:///{t}", "/description", "description", false],
    ["1", "server", null, "/version", "version", false],
  ])("places %j", (text, section, item, pointer, member, isName) => {
    expect(find(text)).toContainEqual({ text, section, item, pointer, member, isName })
  })

  test("names no member that the specification gives an item", () => {
    expect(find("inputSchema")).toEqual([])
    expect(texts.filter(({ text, isName }) => isName && text === "title")).toHaveLength(1) // of annotations
  })

  test("points at what it shows", () => {
    for (const { section, item, pointer, text, isName } of texts) {
      const tokens = parsePointer(pointer, bad)
      const list = section === "templates" ? surface.resourceTemplates : surface[section as "tools"]
      const roots =
        section === "instructions" ? [surface.instructions] : section === "server" ? [surface.serverInfo] : list
      const found = (roots as readonly JsonValue[]).map((root) => valueAt(root, tokens))
      if (isName) expect(tokens.at(-1)).toBe(text)
      else expect(found, `${section} ${item} ${pointer}`).toContain(text)
    }
  })

  test.each([[EMPTY], [{ ...EMPTY, tools: "none", instructions: 7, serverInfo: [] }]])("%j has none", (nothing) => {
    expect(collectTexts(nothing)).toEqual([])
  })
})
