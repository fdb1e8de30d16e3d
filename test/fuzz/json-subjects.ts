// Readers of codecs and of JSON documents, with well-formed documents of each.
import fc from "fast-check"
import { formatBase64, formatHex, parseBase64, parseDecimal, parseHex } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { formatDefinitions, parseDefinitions } from "../../src/core/definitions.js"
import { escapeInvisible, quote, ToolsumError } from "../../src/core/errors.js"
import { parseDigest } from "../../src/core/hash.js"
import { parseJson } from "../../src/core/json.js"
import { formatLockfile, parseLockfile } from "../../src/core/lockfile.js"
import { formatMasks, parseMasks } from "../../src/core/mask.js"
import { formatPointer, parsePointer } from "../../src/core/pointer.js"
import { formatPrettyJson } from "../../src/core/pretty-json.js"
import { findSecretShape } from "../../src/core/secret-shapes.js"
import {
  computeSection,
  computeSurface,
  parseSectionText,
  parseSurface,
  SECTION_NAMES,
} from "../../src/core/section.js"
import { formatTarget, parseTarget } from "../../src/core/target.js"
import { arbJson, arbSpelling } from "../core/arbitrary-json.js"
import { arbLockfile, arbMasks } from "../core/arbitrary-lockfile.js"
import { arbDigest } from "../core/arbitrary-record.js"
import { arbTarget } from "../core/arbitrary-target.js"
import { exactText, type Fuzzed, fuzzed, type Input, normal, textOf } from "./subject.js"

const bad = (why: string) => new ToolsumError("NOTE_MALFORMED", why)
const pretty = (value: Parameters<typeof formatPrettyJson>[0]): string => formatPrettyJson(value)
const json = (input: Input) => parseJson(input)
const arbJsonText = fc.oneof(
  arbSpelling.map(({ text }) => text),
  arbJson.map(pretty),
)
const arbIndex = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })
const arbText = fc.string({ unit: "grapheme", maxLength: 30 })

/** All of them. */
export const CODECS: readonly Fuzzed[] = [
  exactText({
    name: "base64",
    valid: fc.uint8Array({ maxLength: 50 }).map(formatBase64),
    parse: (x) => parseBase64(x, bad),
    format: formatBase64,
  }),
  exactText({
    name: "hex",
    valid: fc.uint8Array({ maxLength: 50 }).map(formatHex),
    parse: (x) => parseHex(x, bad),
    format: formatHex,
  }),
  exactText({ name: "decimal", valid: arbIndex.map(String), parse: (x) => parseDecimal(x, bad), format: String }),
  exactText({ name: "digest", valid: arbDigest, parse: (x) => parseDigest(x, bad), format: (digest) => digest }),
  exactText({
    name: "pointer",
    valid: fc.array(arbText, { maxLength: 4 }).map(formatPointer),
    parse: (x) => parsePointer(x, bad),
    format: formatPointer,
  }),
  fuzzed({
    name: "quoting",
    valid: arbText,
    parse: (x) => [escapeInvisible(textOf(x)), quote(textOf(x))],
    holds: (texts) => {
      for (const text of texts)
        if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) throw new Error("something invisible is left")
    },
  }),
  fuzzed({
    name: "secret shapes",
    valid: fc.constantFrom("https://u:p@h.example/?token=abcdefgh", "--api-key=sk-abc0123456789012345678"),
    parse: (x) => findSecretShape(textOf(x)),
  }),
]

/** Documents of JSON. */
export const JSON_FORMATS: readonly Fuzzed[] = [
  normal({ name: "JSON", valid: arbJsonText, parse: json, format: canonicalize }),
  normal({ name: "pretty JSON", valid: arbJsonText, parse: json, format: pretty }),
  normal({
    name: "masks",
    valid: arbMasks.map((masks) => pretty(formatMasks(masks))),
    parse: (x) => parseMasks(json(x)),
    format: (masks) => pretty(formatMasks(masks)),
    meaning: (masks) => new Set(masks), // in any order, and written in one
  }),
  normal({
    name: "target",
    valid: arbTarget.map((target) => pretty(formatTarget(target))),
    parse: (x) => parseTarget(json(x)),
    format: (target) => pretty(formatTarget(target)),
  }),
  normal({
    name: "definitions",
    valid: arbSurfaceText().map((text) => formatDefinitions(parseSurface(parseJson(text)), SECTION_NAMES)),
    parse: parseDefinitions,
    format: ({ surface }) => formatDefinitions(surface, SECTION_NAMES),
    meaning: ({ present }) => present, // items may come in any order, and are written in one
  }),
  fuzzed({
    name: "surface",
    valid: arbSurfaceText(),
    parse: (x) => computeSurface(parseSurface(json(x)), SECTION_NAMES),
  }),
  fuzzed({
    name: "section text",
    valid: fc.array(fc.record({ name: arbText }), { maxLength: 3 }).map((tools) => computeSection("tools", tools).text),
    parse: (x) => parseSectionText(textOf(x)),
  }),
  normal({
    name: "lockfile",
    valid: arbLockfile.map(formatLockfile),
    parse: parseLockfile,
    format: formatLockfile,
    meaning: ({ servers, ...rest }) => ({
      ...rest,
      servers: Object.entries(servers).map(([name, pin]) => [name, { ...pin, masks: new Set(pin.masks) }]),
    }),
  }),
]

function arbSurfaceText(): fc.Arbitrary<string> {
  const item = fc.record(
    { name: arbText, uri: arbText, uriTemplate: arbText, description: arbText, x: arbJson },
    { requiredKeys: [] },
  )
  const list = fc.oneof(fc.constant(null), fc.array(fc.oneof(item, arbJson), { maxLength: 3 }))
  return fc
    .record({
      instructions: fc.option(arbText),
      tools: list,
      prompts: list,
      resourceTemplates: list,
      resources: list,
      serverInfo: fc.option(item),
    })
    .map((surface) =>
      pretty(JSON.parse(JSON.stringify(surface, (_, value) => (typeof value === "bigint" ? `${value}` : value)))),
    )
}
