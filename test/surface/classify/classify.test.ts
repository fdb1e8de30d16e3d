// The ladder, both ways: what belongs to each class, and what only looks as if it did.
import { expect, test } from "vitest"
import { parseJson } from "../../../src/core/json.js"
import { parseSurface } from "../../../src/core/section.js"
import { classifySurface } from "../../../src/surface/classify/classify.js"
import { CLASS_RULES } from "../../../src/surface/classify/rules.js"
import { classify, classOf, type ToolText } from "./support.js"

const text = { type: "string" }
const flag = { type: "boolean" }

type Row = readonly [string, ToolText, string]

/** What is expected, as `tier kind,kind`. */
const shown = ({ tier, kinds }: { tier: string; kinds: readonly string[] }) => [tier, ...kinds].join(" ")

const LADDER: readonly Row[] = [
  // R0
  ["nothing taken", { name: "describe_server" }, "R0"],
  ["fixed values and flags", { name: "status", takes: { a: { enum: ["x", "y"] }, b: flag, c: { const: 1 } } }, "R0"],
  ["a fixed pattern", { name: "status", takes: { a: { type: "string", pattern: "^(?:day|week)$" } } }, "R0"],
  ["a nullable choice", { name: "status", takes: { a: { anyOf: [{ enum: ["x"] }, { type: "null" }] } } }, "R0"],
  // R1
  ["a free text", { name: "search_docs", takes: { q: text } }, "R1"],
  ["a number", { name: "get_page", takes: { page: { type: "integer" } } }, "R1"],
  ["members of any name", { name: "status", inputSchema: { type: "object", additionalProperties: true } }, "R1"],
  ["a schema that says nothing", { name: "status", inputSchema: {} }, "R1"],
  ["a sum", { name: "add", takes: { a: { type: "number" }, b: { type: "number" } } }, "R1"],
  ["a path that is read", { name: "read_file", takes: { path: text } }, "R1"],
  ["a recursive listing", { name: "list_files", takes: { path: text, recursive: flag } }, "R1"],
  ["a forced refresh", { name: "get_page", takes: { id: text, force: flag } }, "R1"],
  [
    "an address on one host",
    { name: "fetch_doc", takes: { url: { type: "string", pattern: "^https://docs\\.example\\.com/" } } },
    "R1",
  ],
  ["a post that is a search", { name: "API-post-search", takes: { query: text } }, "R1"],
  ["a set that is a thing", { name: "get_data_set", takes: { id: text } }, "R1"],
  ["an address that is looked up", { name: "get_user", takes: { user_email: text } }, "R1"],
  ["a range", { name: "list_events", takes: { from: text, to: text } }, "R1"],
  ["a code of a country", { name: "get_weather", takes: { countryCode: text, status_code: text } }, "R1"],
  ["a code of two letters", { name: "get_weather", takes: { code: { type: "string", pattern: "^[A-Z]{2}$" } } }, "R1"],
  [
    "the path of a script",
    { name: "get_script", takes: { script_path: { type: "string", description: "Script to run later" } } },
    "R1",
  ],
  ["a search query", { name: "find", description: "Search articles.", takes: { query: text } }, "R1"],
  [
    "a URL-encoded value",
    { name: "get_item", takes: { key: { type: "string", description: "URL-encoded key" } } },
    "R1",
  ],
  // R2
  ["mail", { name: "read_inbox", takes: { limit: { type: "integer" } } }, "R2 read_sensitive"],
  ["people", { name: "list_directory_users" }, "R2 read_sensitive"],
  ["the environment", { name: "printEnv" }, "R2 read_sensitive"],
  [
    "said in the text alone",
    { name: "lookup", description: "Reads the calendar of the team. More." },
    "R2 read_sensitive",
  ],
  ["a flag for secrets", { name: "get_build", takes: { include_secrets: flag } }, "R2 read_sensitive"],
  [
    "the same, nullable and in camelCase",
    { name: "get_build", takes: { withCredentials: { type: ["boolean", "null"] } } },
    "R2 read_sensitive",
  ],
  ["a flag for pictures", { name: "get_build", takes: { include_images: flag } }, "R0"],
  [
    "mail only in a later sentence",
    { name: "search_docs", description: "Search the handbook. It has a page on email." },
    "R0",
  ],
  // R3
  ["a verb that writes", { name: "create_issue", takes: { title: text } }, "R3 write"],
  ["the same in camelCase behind a prefix", { name: "trackerUpdateIssue", takes: { title: text } }, "R3 write"],
  ["a text that writes", { name: "note", description: "Updates a note.", takes: { title: text } }, "R3 write"],
  ["a part of a file", { name: "edit_file", takes: { path: text, content: text } }, "R3 write"],
  [
    "a file that must be what was read",
    { name: "update_file", takes: { path: text, content: text, sha: text } },
    "R3 write",
  ],
  [
    "a file where the caller says",
    { name: "take_screenshot", takes: { filePath: { type: "string", description: "Path to save the picture to" } } },
    "R3 write",
  ],
  ["a file that is moved", { name: "move_file", takes: { source: text, destination: text } }, "R3 write"],
  ["what can be made again", { name: "remove_label", takes: { id: text } }, "R3 destructive"],
  ["a hint that admits risk", { name: "browse", annotations: { destructiveHint: true } }, "R3 destructive"],
  ["a hint that is no boolean", { name: "browse", annotations: { destructiveHint: "true" } }, "R0"],
  ["a key that is turned", { name: "rotate_display_name", takes: { id: text } }, "R3 write"],
  ["words that only sound like it", { name: "list_updates", takes: { id: text } }, "R1"],
  // R4
  ["an address", { name: "get_link_preview", takes: { url: text } }, "R4 egress"],
  ["a list of addresses", { name: "extract", takes: { urls: { type: "array", items: text } } }, "R4 egress"],
  ["a format", { name: "extract", takes: { what: { type: ["string", "null"], format: "uri" } } }, "R4 egress"],
  [
    "a description",
    { name: "extract", takes: { page: { type: "string", description: "The full URL of a page" } } },
    "R4 egress",
  ],
  [
    "a pattern that is open at the end",
    { name: "fetch", takes: { url: { type: "string", pattern: "^https://docs\\.example\\.com" } } },
    "R4 egress",
  ],
  [
    "a pattern without its anchor",
    { name: "fetch", takes: { url: { type: "string", pattern: "https://docs\\.example\\.com/" } } },
    "R4 egress",
  ],
  [
    "a pattern with a dot for any sign",
    { name: "fetch", takes: { url: { type: "string", pattern: "^https://docs.example.com/" } } },
    "R4 egress",
  ],
  [
    "a pattern with a way out",
    { name: "fetch", takes: { url: { type: "string", pattern: "^https://a\\.example\\.com/|.*" } } },
    "R4 egress",
  ],
  ["where it goes on", { name: "create_issue", takes: { title: text, webhook_url: text } }, "R4 egress write"],
  ["a connection", { name: "connect", takes: { connectionString: text } }, "R4 egress"],
  ["a recipient", { name: "compose", takes: { cc: { type: "array", items: text } } }, "R4 egress"],
  ["forwardTo", { name: "rule", takes: { forwardTo: text } }, "R4 egress"],
  [
    "attendees",
    { name: "plan", takes: { meeting: { type: "object", properties: { attendees: { type: "array", items: text } } } } },
    "R4 egress",
  ],
  ["a channel beside a message", { name: "chat", takes: { channel_id: text, text } }, "R4 egress"],
  ["a channel alone", { name: "get_topic", takes: { channel_id: text } }, "R1"],
  ["to beside from, with a message", { name: "compose", takes: { from: text, to: text, subject: text } }, "R4 egress"],
  ["a verb that sends", { name: "send_report", takes: { id: text } }, "R4 egress"],
  // R5
  ["deletion", { name: "delete_workspace", takes: { id: text, confirm: flag } }, "R5 destructive"],
  ["deletion in the text alone", { name: "tidy", description: "Permanently deletes old builds." }, "R5 destructive"],
  ["a table that is dropped", { name: "drop_table", takes: { name: text } }, "R5 destructive"],
  [
    "a file that is dropped on a page",
    { name: "browser_drop", takes: { paths: { type: "array", items: text } } },
    "R1",
  ],
  [
    "force, nullable",
    { name: "update_branch", takes: { force: { anyOf: [flag, { type: "null" }] } } },
    "R5 write destructive",
  ],
  ["overwrite, whatever the verb", { name: "get_copy", takes: { id: text, overwrite: flag } }, "R5 destructive"],
  ["a file written whole", { name: "write_file", takes: { path: text, content: text } }, "R5 write destructive"],
  ["credentials that are revoked", { name: "revoke_api_key", takes: { id: text } }, "R5 destructive"],
  ["code", { name: "apply", takes: { code: text } }, "R5 code_exec"],
  [
    "a command line in a nested list",
    {
      name: "batch",
      takes: { steps: { type: "array", items: { type: "object", properties: { commandLine: text } } } },
    },
    "R5 code_exec",
  ],
  ["a script at an event", { name: "navigate", takes: { initScript: text } }, "R5 code_exec"],
  [
    "SQL by the text of the tool",
    { name: "ask_db", description: "Run a SQL query.", takes: { query: text } },
    "R5 code_exec",
  ],
  ["SQL by the name of the parameter", { name: "ask", takes: { sqlQuery: text } }, "R5 code_exec"],
  [
    "a described command",
    { name: "host", takes: { input: { type: "string", description: "Shell command" } } },
    "R5 code_exec",
  ],
  ["a shell by its name", { name: "ssh_host", takes: { line: text } }, "R5 code_exec"],
  ["a shell that takes nothing", { name: "restart_shell" }, "R0"],
  ["commands to choose from", { name: "inspect", takes: { command: { enum: ["up", "down"] } } }, "R0"],
]

test.each(LADDER)("%s", (_, tool, expected) => {
  expect(shown(classOf(tool))).toBe(expected)
})

/** One and the same string, wherever a schema can hide it. */
const PLACES: readonly (readonly [string, object])[] = [
  ["properties", { properties: { command: text } }],
  ["nothing but a description", { properties: { command: { description: "What to do" } } }],
  ["true", { properties: { command: true } }],
  ["a type list", { properties: { command: { type: ["null", "string"] } } }],
  ["oneOf", { properties: { command: { oneOf: [{ type: "null" }, text] } } }],
  ["allOf of the root", { allOf: [{ properties: { command: text } }] }],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  ["then", { if: {}, then: { properties: { command: text } } }],
  ["else", { if: {}, else: { properties: { command: text } } }],
  ["dependentSchemas", { dependentSchemas: { a: { properties: { command: text } } } }],
  ["patternProperties", { patternProperties: { "^command$": text } }],
  ["additionalProperties", { additionalProperties: { properties: { command: text } } }],
  ["prefixItems", { properties: { a: { prefixItems: [{ properties: { command: text } }] } } }],
  ["a reference", { properties: { command: { $ref: "#/$defs/Line" } }, $defs: { Line: text } }],
  ["a reference with siblings", { $ref: "#/$defs/A", properties: { command: text }, $defs: { A: {} } }],
  [
    "references in a row",
    { properties: { command: { $ref: "#/$defs/A" } }, $defs: { A: { anyOf: [{ $ref: "#/$defs/B" }] }, B: text } },
  ],
  ["a definition under no keyword", { $ref: "#/x-kept/here", "x-kept": { here: { properties: { command: text } } } }],
  [
    "a recursive definition",
    { $ref: "#/$defs/T", $defs: { T: { properties: { sub: { $ref: "#/$defs/T" }, command: text } } } },
  ],
  [
    "an alternative that leads back to itself",
    {
      properties: { command: { $ref: "#/$defs/T" } },
      $defs: { T: { anyOf: [{ type: "array", items: { $ref: "#/$defs/T" } }, { type: "integer" }] } },
    },
  ],
]

test.each(PLACES)("a command is found in %s", (_, schema) => {
  expect(classOf({ name: "x", inputSchema: { type: "object", ...schema } }).tier).toBe("R5")
})

const UNREAD: readonly (readonly [string, unknown])[] = [
  ["no schema", undefined],
  ["a schema that is a text", "object"],
  ["a remote reference", { properties: { a: { $ref: "https://example.com/a.json" } } }],
  ["a dangling reference", { properties: { a: { $ref: "#/$defs/A" } } }],
  ["a reference to itself", { properties: { a: { $ref: "#/properties/a" } } }],
  ["nesting beyond the limit", JSON.parse(`${'{"items":'.repeat(100)}{}${"}".repeat(100)}`)],
]

test.each(UNREAD)("%s counts as reaching out, and says so", (_, inputSchema) => {
  const found = classOf({ name: "x", inputSchema })
  expect(shown(found)).toBe("R4 egress")
  expect(found.reasons[0]).toMatchObject({ rule: "class.unread", tier: "R4" })
})

test("an open family of names for code or addresses counts as reaching out", () => {
  const of = (pattern: string) => classOf({ name: "x", inputSchema: { patternProperties: { [pattern]: text } } })
  expect(of("^cmd_").reasons[0]).toMatchObject({
    rule: "class.open-names",
    pointer: "/inputSchema/patternProperties/^cmd_",
  })
  expect(shown(of("^label_"))).toBe("R1")
})

test("no annotation lowers a class", () => {
  const tool = { name: "purge_bucket", takes: { bucket: text, command: text } }
  const kind = { readOnlyHint: true, destructiveHint: false, openWorldHint: false, idempotentHint: true }
  expect(shown(classOf({ ...tool, annotations: kind }))).toBe(shown(classOf(tool)))
})

test("every signal stays as a reason at its place, gravest first, and every reason is explained", () => {
  const { reasons, item } = classOf({ name: "create_hook", takes: { script: text, callbackUrl: text } })
  expect(item).toBe("create_hook")
  expect(reasons.map(({ rule, tier, pointer }) => [rule, tier, pointer])).toEqual([
    ["class.code", "R5", "/inputSchema/properties/script"],
    ["class.target", "R4", "/inputSchema/properties/callbackUrl"],
    ["class.writing-verb", "R3", "/name"],
    ["class.parameter", "R1", "/inputSchema/properties/script"],
  ])
  expect(reasons.every(({ rule }) => rule in CLASS_RULES)).toBe(true)
})

test.each([
  ["read only", { name: "get_page", takes: { id: text } }, null],
  ["nothing said", { name: "update_page", takes: { id: text } }, "unverifiable"],
  ["a token", { name: "update_page", takes: { id: text, ifMatch: text } }, "verified"],
  ["a trash", { name: "remove_page", description: "Moves it to the trash." }, "asserted"],
  ["a denial", { name: "remove_page", description: "This cannot be undone." }, "unverifiable"],
])("undoing it: %s", (_, tool, expected) => {
  expect(classOf(tool).reversibility).toBe(expected)
})

test("a chain needs both, in one tool or two, and names them", () => {
  const [inbox, post] = [{ name: "read_inbox" }, { name: "preview", takes: { url: text } }]
  expect(classify([inbox, post, { name: "now" }]).chain).toEqual({ reads: ["read_inbox"], sends: ["preview"] })
  expect(classify([inbox, { name: "now" }]).chain).toBeNull()
  expect(classify([post]).chain).toBeNull()
})

test("whatever stands in the list has a class", () => {
  const surface = parseSurface(parseJson('{"tools":[null,1,"x",[],{},{"name":1,"description":2,"annotations":3}]}'))
  expect(classifySurface(surface, []).tools.map(({ tier }) => tier)).toEqual(["R4", "R4", "R4", "R4", "R4", "R4"])
})
