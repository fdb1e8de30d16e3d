// `toolsum.json`: every member, every refusal, the schema beside the reader, and what the settings answer.
import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import {
  expiredOverridesOf,
  failOnOf,
  isPrivateSubject,
  liveWishOf,
  MAX_SETTINGS_BYTES,
  MAX_SETTINGS_ENTRIES,
  mayAskLog,
  NO_SETTINGS,
  overridesOf,
  parseSettings,
} from "../../src/core/settings.js"

const schema = JSON.parse(readFileSync(new URL("../../schemas/toolsum.schema.json", import.meta.url), "utf8"))
const validate = new Ajv2020({ strict: true, allErrors: true }).compile(schema)

const ROOT = "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"
const MASK = {
  class: "date",
  item: "add",
  max: 10,
  pointer: "/description",
  prefix: "built ",
  section: "tools",
  suffix: "",
}
const OVERRIDE = { server: "notes", tool: "add", tier: "R1", reason: "looked at", until: "2027-03-01" }
const FULL = {
  $schema: "urn:toolsum:settings:v1",
  roots: [ROOT, `log.example.com/t=${ROOT}`],
  logs: { "log.example.com/t": {}, "log.example.com/own": { private: true } },
  private: ["pkg:npm/%40acme/*", "https://*.internal.example/*"],
  required: ["notes"],
  servers: { notes: { live: "never", failOn: "high" }, mail: {} },
  failOn: "medium",
  allow: ["timeout", "auth:missing"],
  masks: { notes: [MASK] },
  overrides: [OVERRIDE, { ...OVERRIDE, tool: "remove" }],
}
const parse = (value: unknown) => parseSettings(JSON.stringify(value), "toolsum.json").settings

test("every member is read", () => {
  const { settings, document } = parseSettings(JSON.stringify(FULL), "toolsum.json")
  expect(validate(FULL), JSON.stringify(validate.errors)).toBe(true)
  expect(Object.keys(document).sort()).toEqual(Object.keys(FULL).sort())
  expect(settings.roots.map(({ name }) => name)).toEqual([null, "log.example.com/t"])
  expect(settings).toMatchObject({
    required: ["notes"],
    allow: FULL.allow,
    overrides: FULL.overrides,
    masks: FULL.masks,
  })
  expect(settings.logs).toEqual({ "log.example.com/t": { private: false }, "log.example.com/own": { private: true } })
  expect(settings.servers).toEqual({ notes: { live: "never", failOn: "high" }, mail: { live: null, failOn: null } })
})

test("an empty file has no wish", () => expect(parse({})).toEqual(NO_SETTINGS))

/** `seen`: the schema sees it too. */
const REFUSED: readonly { name: string; value: unknown; seen?: false }[] = [
  { name: "a list", value: [] },
  { name: "an unknown member", value: { root: [] } },
  { name: "__proto__", value: JSON.parse('{"__proto__":{}}') },
  { name: "roots that are no list", value: { roots: ROOT } },
  { name: "a root that is none", value: { roots: ["SHA256:x"] }, seen: false },
  { name: "logs that are a list", value: { logs: [] } },
  { name: "a log with a line break in its name", value: { logs: { "a\nb": {} } }, seen: false },
  { name: "a log with another member", value: { logs: { a: { url: "x" } } } },
  { name: "private that is no boolean", value: { logs: { a: { private: 1 } } } },
  { name: "an empty pattern", value: { private: [""] } },
  { name: "a pattern with a space", value: { private: ["a b"] } },
  { name: "a required name that is none", value: { required: ["Notes"] } },
  { name: "a server of another name", value: { servers: { "a b": {} } } },
  { name: "another wish for live", value: { servers: { a: { live: "sometimes" } } } },
  { name: "another member of a server", value: { servers: { a: { failon: "high" } } } },
  { name: "another severity", value: { failOn: "grave" } },
  { name: "null for a severity", value: { failOn: null } },
  { name: "a verdict in allow", value: { allow: ["UNKNOWN"] } },
  { name: "auth in allow", value: { allow: ["auth"] } },
  { name: "a mask that is none", value: { masks: { a: [{}] } }, seen: false },
  { name: "an override without a reason", value: { overrides: [{ ...OVERRIDE, reason: undefined }] } },
  { name: "an override with an empty reason", value: { overrides: [{ ...OVERRIDE, reason: "" }] } },
  { name: "another tier", value: { overrides: [{ ...OVERRIDE, tier: "R6" }] } },
  { name: "a day that does not exist", value: { overrides: [{ ...OVERRIDE, until: "2027-02-29" }] }, seen: false },
  { name: "an instant for a day", value: { overrides: [{ ...OVERRIDE, until: "2027-03-01T00:00:00Z" }] } },
  { name: "two overrides of one tool", value: { overrides: [OVERRIDE, { ...OVERRIDE, tier: "R2" }] }, seen: false },
  { name: "the same override twice", value: { overrides: [OVERRIDE, OVERRIDE] }, seen: false },
  { name: "too long a list", value: { private: Array.from({ length: MAX_SETTINGS_ENTRIES + 1 }, () => "a") } },
]

test.each(REFUSED)("$name is refused", ({ value, seen = true }) => {
  expect(() => parse(value)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }))
  expect(validate(JSON.parse(JSON.stringify(value)))).toBe(!seen)
})

test.each(["{", '{"roots":[],"roots":[]}', " ".repeat(MAX_SETTINGS_BYTES + 1)])(
  "text that is none is refused",
  (text) => {
    expect(() => parseSettings(text, "toolsum.json")).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }))
  },
)

describe("answers", () => {
  const settings = parse(FULL)

  test("a wish of a server goes before the general one", () => {
    expect([failOnOf(settings, "notes"), failOnOf(settings, "mail"), failOnOf(NO_SETTINGS, "a")]).toEqual([
      "high",
      "medium",
      null,
    ])
    expect([liveWishOf(settings, "notes"), liveWishOf(settings, "mail"), liveWishOf(settings, "toString")]).toEqual([
      "never",
      "required",
      "required",
    ])
  })

  test("an override counts up to and with its last day", () => {
    const days = ["2027-02-28", "2027-03-01", "2027-03-02"]
    expect(days.map((day) => overridesOf(settings, "notes", day).length)).toEqual([2, 2, 0])
    expect(overridesOf(settings, "mail", "2027-02-28")).toEqual([])
    expect(days.map((day) => expiredOverridesOf(settings, "notes", day).length)).toEqual([0, 0, 2])
  })

  test("logs that are not named are not asked, where any are named", () => {
    expect([mayAskLog(settings, "log.example.com/t"), mayAskLog(settings, "constructor")]).toEqual([true, false])
    expect(mayAskLog(NO_SETTINGS, "anything")).toBe(true)
  })

  test.each([
    ["pkg:npm/%40acme/x", "log.example.com/t", false, true],
    ["pkg:npm/%40acme/x", "log.example.com/own", false, false],
    ["pkg:npm/%40acme/x", "toolsum.local/1", true, false],
    ["pkg:npm/%40acm", "log.example.com/t", false, false],
    ["https://a.internal.example/mcp", "log.example.com/t", false, true],
    ["https://internal.example/mcp", "log.example.com/t", false, false],
  ])("%s in %s (personal: %s) is private: %s", (subject, origin, isPersonal, isPrivate) => {
    expect(isPrivateSubject(settings, subject, { origin, isPersonal })).toBe(isPrivate)
  })

  test.each([
    ["ab*ba", "aba", false],
    ["ab*ba", "abba", true],
    ["*", "", true],
    ["a*b*c", "axbxbxc", true],
    ["a*b*c", "ac", false],
    ["a*b*bc", "abc", false],
    ["abc", "abcd", false],
  ])("pattern %s on %j: %s", (pattern, subject, matches) => {
    const one = { ...NO_SETTINGS, private: [pattern] }
    expect(isPrivateSubject(one, subject, { origin: "log.example.com/t", isPersonal: false })).toBe(matches)
  })
})
