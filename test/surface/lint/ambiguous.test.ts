// Pairs of tools that a model cannot tell apart, and many that it can.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseJson } from "../../../src/core/json.js"
import { areSubstitutable, readArguments } from "../../../src/surface/lint/substitutable.js"
import { areOpposite } from "../../../src/surface/lint/verbs.js"
import { lint, tool, toolSurface } from "./support.js"

const BY_ID = { inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } }

const pairs = (...tools: readonly unknown[]) =>
  lint(toolSurface(...tools)).flatMap(({ rule, item, other }) =>
    rule === "ambiguous-pair" ? [`${item} ~ ${other}`] : [],
  )

const pair = (a: readonly [string, string], b: readonly [string, string]) => pairs(tool(...a, BY_ID), tool(...b, BY_ID))

const LONG = "Look a customer up in the ledger and answer with name, address, balance and open orders."

describe("cannot be told apart", () => {
  test.each([
    ["other verb of one sense", ["get_user", "Get a user."], ["fetch_user", "Fetch a user."]],
    ["camelCase and snake_case", ["readInvoice", "Reads an invoice."], ["read_invoice", "Read invoices."]],
    ["plural", ["delete_alarm", "Deletes alarms."], ["remove_alarms", "Remove an alarm."]],
    ["no text at all", ["save_note", ""], ["store_note", "Stores a note."]],
    ["order of words", ["user_get", "Get user"], ["get_user", "Retrieve user"]],
    ["copied text", ["customer_a", LONG], ["customer_b", LONG]],
    ["a longer name that its text does not explain", ["find_customer", LONG], ["find_customer_ex", `${LONG} Fast.`]],
  ] as const)("%s", (_, a, b) => {
    const names = [a[0], b[0]].sort()
    const told = [`${names[0]} ~ ${names[1]}`]
    expect(pair(a, b)).toEqual(told)
    expect(pair(b, a)).toEqual(told)
  })
})

describe("can be told apart", () => {
  test.each([
    ["opposites", ["enable_alarm", "Enable an alarm."], ["disable_alarm", "Disable an alarm."]],
    ["opposites with one text", ["lock_door", LONG], ["unlock_door", LONG]],
    ["opposites by the text alone", ["user_key", `Encrypts it. ${LONG}`], ["user_keys", `Decrypts it. ${LONG}`]],
    ["read and write", ["read_note", "Note by id."], ["write_note", "Note by id."]],
    [
      "what their texts explain",
      ["bar_chart", "Draw a bar chart of the data."],
      ["treemap_chart", "Draw a treemap chart of the data."],
    ],
    ["other objects", ["get_order", "Get by id."], ["get_invoice", "Get by id."]],
    [
      "a longer name that its text explains",
      ["list_dir", `${LONG} Names.`],
      ["list_dir_sizes", `${LONG} Names and sizes.`],
    ],
    [
      "texts that differ",
      ["get_user", "Get a user from the billing system with invoices"],
      ["fetch_user", "Fetch the profile picture of somebody's account"],
    ],
    [
      "a text that names the other",
      ["read_file", "Read a file as text. Deprecated: use read_text_file."],
      ["read_text_file", "Read a file as text."],
    ],
  ] as const)("%s", (_, a, b) => {
    expect(pair(a, b)).toEqual([])
  })

  test("tools without parameters are not like each other for that", () => {
    const names = ["status", "version", "ping", "whoami", "list_formats", "get_time", "get_limits"]
    expect(pairs(...names.map((name) => tool(name, `Tell the ${name.replace(/.*_/, "")}.`)))).toEqual([])
  })

  test("a name given twice or a look-alike is another finding", () => {
    expect(pairs(tool("get_user", "Get a user."), tool("get_user", "Get a user."))).toEqual([])
    expect(pairs(tool("get_user", "Get a user."), tool("gеt_user", "Get a user."))).toEqual([])
  })
})

describe("what one takes and the other does not", () => {
  const accepts = (a: string, b: string) => {
    const [one, other] = [a, b].map((text) => readArguments(parseJson(text)))
    return one && other ? [areSubstitutable(one, other), areSubstitutable(other, one)] : []
  }
  const schema = (x: string, more = "") => `{"type":"object","properties":{"x":${x}},"required":["x"]${more}}`

  test.each([
    ["the same", schema('{"type":"string"}'), schema('{"type":"string"}')],
    ["nullable forms", schema('{"type":["string","null"]}'), schema('{"anyOf":[{"type":"null"},{"type":"string"}]}')],
    ["integer and number", schema('{"type":"integer"}'), schema('{"type":"number"}')],
    ["no type", schema("{}"), schema('{"type":"string"}')],
    ["any", schema("true"), schema('{"type":"array"}')],
    ["enums that meet", schema('{"enum":["a","b"]}'), schema('{"enum":["b","c"]}')],
    ["const in enum", schema('{"const":1}'), schema('{"enum":[1,2]}')],
    ["one format", schema('{"type":"string","format":"uri"}'), schema('{"type":"string"}')],
    ["references", schema('{"$ref":"#/$defs/S"}', ',"$defs":{"S":{"type":"string"}}'), schema('{"type":"string"}')],
    ["optional extras", schema("{}"), '{"properties":{"x":{},"y":{}},"required":["x"]}'],
    ["an open one takes what it does not name", schema("{}"), '{"additionalProperties":true}'],
    ["no schemas", "null", "7"],
  ])("%s: substitutable", (_, a, b) => {
    expect(accepts(a, b)).toEqual([true, true])
  })

  test.each([
    ["other types", schema('{"type":"string"}'), schema('{"type":"integer"}')],
    ["types behind null", schema('{"type":["string","null"]}'), schema('{"type":["array","null"]}')],
    ["enums apart", schema('{"enum":["a"]}'), schema('{"enum":["b"]}')],
    ["text and number of one look", schema('{"const":"1"}'), schema('{"const":1}')],
    ["formats apart", schema('{"type":"string","format":"uri"}'), schema('{"type":"string","format":"date"}')],
    ["a required one that the other has not", schema("{}"), '{"properties":{"y":{}}}'],
    ["closed", schema("{}"), '{"properties":{},"additionalProperties":false}'],
    [
      "types behind a reference",
      schema('{"$ref":"#/$defs/S"}', ',"$defs":{"S":{"type":"array"}}'),
      schema('{"type":"string"}'),
    ],
  ])("%s: not", (_, a, b) => {
    expect(accepts(a, b)).toEqual([false, false])
  })

  test("optional parameters of clashing types are a difference too", () => {
    const flag = { inputSchema: { type: "object", properties: { all: { type: "boolean" } } } }
    const text = { inputSchema: { type: "object", properties: { all: { type: "string" } } } }
    expect(pairs(tool("get_user", "Get a user.", flag), tool("fetch_user", "Get a user.", text))).toEqual([])
  })
})

test.each([
  ["start", "stop"],
  ["begin", "halt"],
  ["fetch", "save"],
  ["add", "erase"],
  ["subscribe", "unsubscribe"],
  ["activate", "deactivate"],
  ["connect", "disconnect"],
])("%s and %s are opposites, both ways", (a, b) => {
  expect([areOpposite(a, b), areOpposite(b, a), areOpposite(a, a)]).toEqual([true, true, false])
})

test("the order of the list decides nothing", () => {
  const tools = ["get_user", "fetch_user", "retrieve_users", "delete_user", "getUser", "load_group", "get_group"].map(
    (name) => tool(name, `${name.split("_")[0]} it by id.`, BY_ID),
  )
  const expected = pairs(...tools).sort()
  expect(expected.length).toBeGreaterThan(2)
  fc.assert(
    fc.property(fc.shuffledSubarray(tools, { minLength: tools.length }), (shuffled) => {
      expect(pairs(...shuffled).sort()).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})
