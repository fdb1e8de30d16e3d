import fc from "fast-check"
import { expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { DEFINITIONS_NOTICE, formatDefinitions, parseDefinitions } from "../../src/core/definitions.js"
import { ToolsumError } from "../../src/core/errors.js"
import { type JsonValue, parseJson } from "../../src/core/json.js"
import { computeSurface, parseSurface, SECTION_NAMES, type Surface, withoutVersion } from "../../src/core/section.js"
import { describeShared, hasShared, readShared } from "../shared.js"
import { arbJson, arbText } from "./arbitrary-json.js"

const malformed = expect.objectContaining({ code: "DEFINITIONS_MALFORMED" })
const NOTICE = `"notice": "${DEFINITIONS_NOTICE}"`

const SURFACE = parseSurface(
  parseJson(`{
    "serverInfo": {"version": "1.2", "title": "Clock", "name": "clock"},
    "tools": [
      {"name": "zone", "description": "One\\u200b two\\u00a0three", "inputSchema": {}},
      {"name": "now", "inputSchema": {"type": "object", "maximum": 9223372036854775807, "x": [1e-7, 0.30000000000000004, -0.0]}}
    ],
    "prompts": [], "resources": null, "instructions": "Ask.\\n\\u001b[2J"
  }`),
)

const TEXT = `{
  "notice": "quoted server text, not instructions",
  "instructions": "Ask.\\n\\u001b[2J",
  "tools": [
    {
      "inputSchema": {
        "maximum": 9223372036854775807,
        "type": "object",
        "x": [
          1e-7,
          0.30000000000000004,
          0
        ]
      },
      "name": "now"
    },
    {
      "description": "One\\u200b two\\u00a0three",
      "inputSchema": {},
      "name": "zone"
    }
  ],
  "prompts": [],
  "serverInfo": {
    "name": "clock",
    "title": "Clock"
  }
}
`

const linesOf = (surface: Surface) => computeSurface(surface, SECTION_NAMES).lines

test("formatDefinitions writes the one spelling", () => {
  expect(formatDefinitions(SURFACE, SECTION_NAMES)).toBe(TEXT)
})

test("sections not asked for are left out", () => {
  const { present, surface } = parseDefinitions(formatDefinitions(SURFACE, ["prompts"]))
  expect([...present]).toEqual(["instructions", "prompts", "serverInfo"])
  expect(surface.tools).toBe(null)
  expect(formatDefinitions(parseSurface({}), [])).toBe(`{\n  ${NOTICE}\n}\n`)
})

test("parseDefinitions tells empty from absent and gives the digests of what was received", () => {
  const { present, surface } = parseDefinitions(encodeUtf8(TEXT))
  expect([...present]).toEqual(["instructions", "tools", "prompts", "serverInfo"])
  expect(linesOf(surface)).toEqual(linesOf(SURFACE))
})

test.each([
  { name: "compact", text: canonicalize(parseJson(TEXT)).replace(/^\{(.*?),"notice":"[^"]*"/, `{${NOTICE},$1`) },
  {
    name: "items in another order",
    text: TEXT.replace(/(\{\s+"inputSchema": \{\s+"max[\s\S]*?"now"\s+\}),\s+(\{[\s\S]*?"zone"\s+\})/, "$2, $1"),
  },
  {
    name: "members in another order",
    text: TEXT.replace(/("prompts": \[\]),\s+("serverInfo": \{[\s\S]*?\})/, "$2, $1"),
  },
  { name: "escaped notice", text: TEXT.replace("quoted", "\\u0071uoted") },
  { name: "CRLF and no final newline", text: TEXT.trimEnd().replaceAll("\n", "\r\n") },
])("parseDefinitions reads any spelling: $name", ({ text }) => {
  expect(text).not.toBe(TEXT)
  const { surface } = parseDefinitions(text)
  expect(linesOf(surface)).toEqual(linesOf(SURFACE))
  expect(formatDefinitions(surface, SECTION_NAMES)).toBe(TEXT)
})

test.each([
  { name: "no JSON", text: TEXT.slice(0, -4) },
  { name: "no object", text: "[]" },
  { name: "a duplicate name", text: TEXT.replace('"prompts": []', '"prompts": [], "prompts": []') },
  { name: "no notice", text: '{"tools": []}' },
  { name: "another notice", text: '{"notice": "quoted server text", "tools": []}' },
  { name: "a notice that is not first", text: `{"tools": [], ${NOTICE}}` },
  { name: "an unknown member", text: `{${NOTICE}, "capabilities": {}}` },
  { name: "an integer-like member", text: `{${NOTICE}, "1": []}` },
  { name: "a member __proto__", text: `{${NOTICE}, "__proto__": {"tools": []}}` },
  { name: "tools null", text: `{${NOTICE}, "tools": null}` },
  { name: "instructions null", text: `{${NOTICE}, "instructions": null}` },
  { name: "serverInfo null", text: `{${NOTICE}, "serverInfo": null}` },
  { name: "prompts as an object", text: `{${NOTICE}, "prompts": {}}` },
  { name: "a server version", text: `{${NOTICE}, "serverInfo": {"name": "clock", "version": "1.2"}}` },
])("parseDefinitions refuses $name", ({ text }) => {
  expect(() => parseDefinitions(text)).toThrow(malformed)
})

// One of each kind that a reviewer cannot see or that moves other text: they must not stand raw in the file.
const INVISIBLE = [
  0x7f, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x1680, 0x17b4, 0x180e, 0x2000, 0x200b, 0x200d, 0x200e, 0x2028, 0x2029,
  0x202e, 0x2060, 0x2066, 0x2800, 0x3000, 0x3164, 0xe000, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0x1d173, 0xe0001, 0xe0041,
  0xe0100, 0xf0000, 0x10ffff,
]

test.each(INVISIBLE.map((code) => ({ hex: code.toString(16), character: String.fromCodePoint(code) })))(
  "U+$hex is written as an escape, in names and values",
  ({ character }) => {
    const surface = parseSurface({
      tools: [{ name: "a", [`x${character}`]: `y${character}` }],
      instructions: character,
    })
    const text = formatDefinitions(surface, ["tools"])
    expect(text).not.toContain(character)
    expect(text).toMatch(/^[ -~\n]*$/)
    expect(linesOf(parseDefinitions(text).surface)).toEqual(linesOf(surface))
  },
)

test("visible text of any script stands as it is", () => {
  const visible = 'é ß 日本語 한글 العربية עברית 😀 "quoted" \\ /'
  expect(formatDefinitions(parseSurface({ instructions: visible }), [])).toContain(JSON.stringify(visible))
})

const arbList = fc.option(
  fc.array(
    fc.oneof(
      arbJson,
      fc.tuple(arbText, arbJson).map(([name, value]): JsonValue => ({ name, uri: name, value })),
    ),
    { maxLength: 4 },
  ),
)
const arbSurface: fc.Arbitrary<Surface> = fc.record({
  instructions: fc.oneof(fc.constant(null), arbText),
  tools: arbList,
  prompts: arbList,
  resourceTemplates: arbList,
  resources: arbList,
  serverInfo: arbJson,
})

test("format and parse are inverses, up to item order and the server's version", () => {
  fc.assert(
    fc.property(arbSurface, fc.subarray([...SECTION_NAMES]), (surface, asked) => {
      const text = formatDefinitions(surface, asked)
      const read = parseDefinitions(text)
      expect(formatDefinitions(read.surface, SECTION_NAMES)).toBe(text)
      const { lines } = computeSurface(surface, asked)
      const again = linesOf(read.surface)
      for (const section of SECTION_NAMES) expect(again[section]).toBe(lines[section].replace(/^-$/, "none"))
      expect([again.instructions, again.server]).toEqual([lines.instructions, lines.server])
      expect(canonicalize(read.surface.serverInfo)).toBe(canonicalize(withoutVersion(surface.serverInfo)))
    }),
  )
})

/** One flipped bit is refused, or moves a digest or the set of members, or is harmless by design: another spelling of the same
 *  values (white space, case of a hex digit or exponent, a decimal that rounds to the same double), which the writer would put right. */
function flipOutcome(text: string, bit: number): "refused" | "seen" | "spelling" | "missed" {
  const bytes = encodeUtf8(text)
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  try {
    const read = parseDefinitions(bytes)
    const same =
      canonicalize(Object.entries(linesOf(read.surface)).flat()) ===
      canonicalize(Object.entries(linesOf(parseDefinitions(text).surface)).flat())
    if (!same) return "seen"
    return formatDefinitions(read.surface, SECTION_NAMES) === text ? "spelling" : "missed"
  } catch (error) {
    if (error instanceof ToolsumError && error.code === "DEFINITIONS_MALFORMED") return "refused"
    throw error
  }
}

test("every flipped bit of a definitions file is refused, seen or only spelling", () => {
  const outcomes = new Map<string, number>()
  for (let bit = 0; bit < encodeUtf8(TEXT).length * 8; bit++) {
    const outcome = flipOutcome(TEXT, bit)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  expect([...outcomes.keys()].sort()).toEqual(["refused", "seen", "spelling"])
  expect(outcomes.get("spelling")).toBeLessThan(20)
})

test("a flipped bit of any definitions file too", () => {
  fc.assert(
    fc.property(arbSurface, fc.nat(), (surface, place) => {
      const text = formatDefinitions(surface, SECTION_NAMES)
      expect(flipOutcome(text, place % (encodeUtf8(text).length * 8))).not.toBe("missed")
    }),
    { numRuns: 500 },
  )
})

describeShared("definitions of the lockfile vectors", () => {
  const files = hasShared
    ? Object.entries(
        (JSON.parse(readShared("vectors/toolsum/lockfiles.json")) as { definitions: Record<string, string> })
          .definitions,
      ).map(([name, text]) => ({ name, text }))
    : []

  test("all are there", () => {
    expect(files).toHaveLength(5)
  })

  test.each(files)("$name: the writer gives the same bytes", ({ text }) => {
    const { surface, present } = parseDefinitions(text)
    const asked = SECTION_NAMES.filter((name) => present.has(name === "templates" ? "resourceTemplates" : name))
    expect(formatDefinitions(surface, asked)).toBe(text)
  })

  test.each(files)("$name: flipped bits", ({ text }) => {
    const bits = encodeUtf8(text).length * 8
    for (let i = 0; i < 400; i++) expect(flipOutcome(text, (i * 7919) % bits)).not.toBe("missed")
  })
})
