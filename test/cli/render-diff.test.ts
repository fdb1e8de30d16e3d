import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { loadPaint } from "../../src/cli/paint.js"
import { renderDiff } from "../../src/cli/render-diff.js"
import { parseJson } from "../../src/core/json.js"
import { parseSurface, type Surface } from "../../src/core/section.js"
import { diffSurfaces } from "../../src/surface/diff.js"
import { claimedVersion, diffNotes } from "../../src/surface/notes.js"
import { widthOf } from "../../src/surface/shown-lines.js"
import { describeShared } from "../shared.js"
import { arbSurface } from "../surface/arbitrary.js"
import { PAIRS, readCapture } from "../surface/captures.js"
import { expectWork } from "../work.js"

const plain = await loadPaint(false)
const colours = await loadPaint(true)

const surface = (text: string): Surface => parseSurface(parseJson(text))
const tools = (...items: readonly object[]): Surface => surface(JSON.stringify({ tools: items }))
const render = (before: Surface, after: Surface, paint = plain): readonly string[] =>
  renderDiff(diffSurfaces(before, after), { paint })

describe("renderDiff", () => {
  test("no changes, no lines", () => {
    expect(render(tools({ name: "a" }), tools({ name: "a" }))).toEqual([])
  })

  test("counts first, then the item, the pointer and the words", () => {
    const tool = (description: string) => ({ name: "read", description })
    expect(render(tools(tool("Read a file."), { name: "b" }), tools(tool("Read a text file."), { name: "b" }))).toEqual(
      ["tools: 1 changed, 1 unchanged", "  ~ read", "    /description  Read a {+text +}file."],
    )
  })

  test("with colour there are no brackets", () => {
    const [, , line] = render(tools({ name: "a", d: "one old two" }), tools({ name: "a", d: "one new two" }), colours)
    expect(line).toBe("    /d  one \x1b[31mold\x1b[39m\x1b[32mnew\x1b[39m two")
  })

  test.each([
    { name: "a hint", before: { x: true }, after: { x: false }, line: "/x  true → false" },
    { name: "an added member", before: {}, after: { x: { y: [1, "a b"] } }, line: '/x  added: {"y": [1, "a b"]}' },
    { name: "a removed member", before: { x: "a b" }, after: {}, line: "/x  removed: a b" },
    {
      name: "a type",
      before: { x: "string" },
      after: { x: ["string", "null"] },
      line: '/x  "string" → ["string", "null"]',
    },
    {
      name: "elements",
      before: { x: ["a", "b", "c"] },
      after: { x: ["a", "d", "c", "e"] },
      line: '/x  "a", [-"b"-] {+"d"+}, "c", {+"e"+}',
    },
    {
      name: "order",
      before: { x: ["a", "b"] },
      after: { x: ["b", "a"] },
      line: '/x  same elements, other order: ["a", "b"] → ["b", "a"]',
    },
    { name: "null and absent", before: {}, after: { x: null }, line: "/x  added: null" },
    {
      name: "a look-alike",
      before: { x: "send_mail now" },
      after: { x: "send_m\u0430il now" },
      line: "/x  [-send_mail-]{+send_m\\u0430il+} now",
    },
    { name: "a zero-width space", before: { x: "a b" }, after: { x: "a \u200bb" }, line: "/x  a {+\\u200b+}b" },
    { name: "a no-break space", before: { x: "a b" }, after: { x: "a\u00a0b" }, line: "/x  a[-·-]{+\\u00a0+}b" },
    {
      name: "brackets in the text",
      before: { x: "a [-b-] c" },
      after: { x: "a [-b-] d" },
      line: "/x  a [\\-b-\\] [-c-]{+d+}",
    },
    { name: "a large integer", before: { x: 1 }, after: { x: 2 }, line: "/x  1 → 2" },
  ])("$name", ({ before, after, line }) => {
    expect(render(tools({ name: "a", ...before }), tools({ name: "a", ...after }))[2]).toBe(`    ${line}`)
  })

  test("white space that differs is visible and explained", () => {
    const lines = render(tools({ name: "a", d: "one two\nthree" }), tools({ name: "a", d: "one  two\n\tthree " }))
    expect(lines.slice(2)).toEqual([
      "    /d",
      "      │ one[-·-]{+··+}two",
      "      │ {+⇥+}three{+·+}",
      "white space: · space, ⇥ tab, ⏎ line break",
    ])
  })

  test("added tools are shown with their text, removed ones by name, renamed ones with both names", () => {
    const props = { inputSchema: { type: "object", properties: { path: {} } } }
    const before = tools({ name: "old_name", description: "Reads one file", ...props }, { name: "gone", title: "Gone" })
    const after = tools(
      { name: "new-name", description: "Reads one file", ...props },
      { name: "more", $defs: {}, description: "Sends mail." },
    )
    expect(render(before, after)).toEqual([
      "tools: 1 renamed, 1 added, 1 removed",
      "  ~ old_name → new-name (renamed)",
      "  + more",
      "    /description  Sends mail.",
      "    /$defs  {}",
      "  - gone",
    ])
  })

  test("the same change on many tools is one block, also at other depths", () => {
    const names = ["a", "b", "c"]
    const before = tools(...names.map((name, i) => ({ name, s: { [`p${i}`]: { additionalProperties: false } } })))
    const after = tools(...names.map((name, i) => ({ name, t: 1, s: { [`p${i}`]: { additionalProperties: true } } })))
    expect(render(before, after)).toEqual([
      "tools: 3 changed",
      "  ~ 3 tools: a, b, c",
      "    /t  added: 1",
      "  ~ 3 tools: a, b, c",
      "    …/additionalProperties  false → true",
      "      in 3 places, named in --json",
    ])
  })

  test("instructions, a list that appears, the server, and what no digest covers", () => {
    const before = surface('{"serverInfo":{"name":"s","version":"1"}}')
    const after = surface('{"instructions":"Use it.","prompts":[],"serverInfo":{"name":"t","version":"2"}}')
    const facts = (s: Surface, protocol: string) => ({
      version: claimedVersion(s.serverInfo),
      protocol,
      capabilities: {},
    })
    const notes = diffNotes({
      before: facts(before, "2024-11-05"),
      after: { ...facts(after, "2025-11-25"), capabilities: { tools: {} } },
    })
    expect(renderDiff(diffSurfaces(before, after), { paint: plain }, notes)).toEqual([
      "instructions: added",
      "  Use it.",
      "prompts: empty list is new",
      "server: changed",
      '  /name  "s" → "t"',
      'not covered: version  "1" → "2"',
      'not covered: protocol  "2024-11-05" → "2025-11-25"',
      "not covered: capabilities /tools  added: {}",
    ])
  })

  test("long lists and texts are cut and say so, names and descriptions last", () => {
    const many = (n: number, text: string) =>
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`m${i}`, `${text} ${i}`]))
    const lines = render(
      tools({ name: "a", description: "x" }),
      tools({ name: "a", description: "y", ...many(30, "v") }),
    )
    expect(lines[2]).toBe('    /description  "x" → "y"')
    expect(lines.at(-1)).toMatch(/^ {4}… 11 more, see --json: \/m/)
    const text = render(tools({ name: "a" }), tools({ name: "a", description: "line\n".repeat(500) }))
    expect(text).toHaveLength(44)
    expect(text.at(-1)).toBe("      │ … cut here, see --json for all of it")
    const items = Array.from({ length: 80 }, (_, i) => ({ name: `t${i}`, x: i }))
    expect(render(tools(), tools(...items)).join("\n")).toContain("… 30 more, see --json: t5")
  })

  test("a server's lines cannot look like ours", () => {
    const text = "x\ntools: 1 unchanged\n\x1b[2J\u202e"
    const lines = render(tools({ name: "a" }), tools({ name: "a", [text]: "q", description: text }))
    expect(lines).toEqual([
      "tools: 1 changed",
      "  ~ a",
      "    /description  added:",
      "      │ x",
      "      │ tools: 1 unchanged",
      "      │ \\u001b[2J\\u202e",
      '    "/x\\ntools: 1 unchanged\\n\\u001b[2J\\u202e"  added: "q"',
    ])
  })

  /** Surfaces with every kind of character in every place. */
  const arbHostile = fc
    .array(fc.tuple(fc.string({ unit: "binary", maxLength: 8 }), fc.string({ unit: "binary", maxLength: 120 })), {
      maxLength: 4,
    })
    .map((items) =>
      items.map(([name, text]) => ({
        name,
        description: text,
        [[...text].slice(0, 5).join("")]: [text, { [text]: name }],
      })),
    )
    .map((items) =>
      parseSurface(JSON.parse(JSON.stringify({ tools: items, instructions: items[0]?.description ?? null }))),
    )

  test.each([
    { name: "plain", paint: plain },
    { name: "coloured", paint: colours },
  ])("$name output has no control or format character of a server and no line too wide", ({ paint }) => {
    fc.assert(
      fc.property(fc.oneof(arbHostile, arbSurface), fc.oneof(arbHostile, arbSurface), (before, after) => {
        for (const line of renderDiff(diffSurfaces(before, after), { paint, width: 60 })) {
          const bare = paint === colours ? line.replace(OWN_COLOURS, "") : line
          expect(bare).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
          expect(widthOf(bare)).toBeLessThanOrEqual(60)
        }
      }),
      { numRuns: 150 },
    )
  })

  test("a hundred long texts with one word changed are shown in proportion to their length", () => {
    const list = (end: string) =>
      tools(
        ...Array.from({ length: 100 }, (_, i) => ({
          name: `t${i}`,
          description: `${"word ".repeat(20_000)}${end}${i}`,
        })),
      )
    const [before, after] = [list("a"), list("b")]
    expect(render(before, after).length).toBeGreaterThan(100)
    expectWork(() => render(before, after), { megabytes: 100 })
  })
})

const OWN_COLOURS = /\x1b\[(?:1|2|22|31|32|33|39)m/g

describeShared("captured pairs", () => {
  test("real changes read well", () => {
    const show = (name: string) => {
      const pair = PAIRS.find((p) => `${p.before} ${p.after}`.includes(name))
      return pair ? render(readCapture(pair.before), readCapture(pair.after)) : []
    }
    expect(show("slack@2025.4.25")).toEqual([
      "tools: 1 changed, 7 unchanged",
      "  ~ slack_list_channels",
      "    /description  List public {+or pre-defined +}channels in the workspace with pagination",
    ])
    expect(show("server-memory@2026.7.4").slice(0, 5)).toEqual([
      "tools: 9 changed",
      "  ~ 3 tools: add_observations, create_entities, create_relations",
      "    /annotations  added:",
      '      │ {"destructiveHint": false, "idempotentHint": false, "openWorldHint": false, "readOnlyHint":',
      "      │ false}",
    ])
    expect(show("playwright__mcp@0.0.76")).toContain("  ~ browser_run_code → browser_run_code_unsafe (renamed)")
    expect(show("thinking@2026.8.31")).toContain(
      '    /inputSchema/properties/isRevision/type  "boolean" → ["boolean", "string"]',
    )
  })

  test.each(PAIRS)("$before to $after: every item that changed is named", (pair) => {
    const diff = diffSurfaces(readCapture(pair.before), readCapture(pair.after))
    const text = renderDiff(diff, { paint: plain, width: 1000 }).join("\n")
    const named = diff.changes.filter((change) => change.item !== null && !text.includes(change.item))
    // A hundred removed resources are cut after some lines of names.
    expect(named.filter((change) => change.section !== "resources")).toEqual([])
    expect(text === "").toBe(diff.changes.length === 0)
  })
})
