// The line of a finding: found in any spelling of the definitions file, else near it, else in the lockfile.
import { describe, expect, test } from "vitest"
import { formatDefinitions } from "../../../src/core/definitions.js"
import { SECTION_NAMES } from "../../../src/core/section.js"
import { describeServer } from "../../../src/features/report/model.js"
import { createLocator, isRelative } from "../../../src/features/report/places.js"
import { AFTER } from "./world.js"

const text = formatDefinitions(AFTER, [...SECTION_NAMES])
const lockfile = { path: "toolsum.lock.json", line: 7 }
const base = { name: "files", subject: null, version: null, lockfile }
const locate = createLocator(describeServer({ ...base, definitions: { path: ".mcp-tools/files.json", text } }))

const lineOf = (line: number): string => text.split("\n")[line - 1] ?? ""

describe("createLocator", () => {
  test.each([
    { section: "tools", item: "send_report", pointer: "/description", holds: '"description": "Send a' },
    { section: "tools", item: "read_file", pointer: "/inputSchema/properties/note/description", holds: '"context"' },
    { section: "tools", item: "read_file", pointer: "/inputSchema/required/1", holds: '"note"' },
    { section: "tools", item: "read_file", pointer: "/inputSchema/gone/further", holds: '"inputSchema": {' },
    { section: "instructions", item: null, pointer: "", holds: '"instructions": "' },
    { section: "prompts", item: "summary", pointer: "/description", holds: '"Sum a file up"' },
  ] as const)("finds $section $item $pointer", ({ holds, ...place }) => {
    const found = locate(place)
    expect(found.path).toBe(".mcp-tools/files.json")
    expect(lineOf(found.line)).toContain(holds)
  })

  test("takes an earlier name where there is no new one yet", () => {
    const place = { section: "tools", item: "new_name", pointer: "" } as const
    expect(locate(place)).toEqual(lockfile)
    expect(locate(place, "rename_file").path).toBe(".mcp-tools/files.json")
  })

  test("reads a file on one line", () => {
    const flat = JSON.stringify(JSON.parse(text))
    const one = createLocator(describeServer({ ...base, definitions: { path: "a.json", text: flat } }))
    expect(one({ section: "tools", item: "read_file", pointer: "/description" })).toEqual({ path: "a.json", line: 1 })
  })

  test.each([
    { name: "no definitions", definitions: null },
    { name: "what is none", definitions: { path: "a.json", text: "{" } },
    { name: "a path out of the repository", definitions: { path: "../a.json", text } },
    { name: "an absolute path", definitions: { path: "/tmp/a.json", text } },
  ])("points at the pin for $name", ({ definitions }) => {
    const one = createLocator(describeServer({ ...base, definitions }))
    expect(one({ section: "tools", item: "read_file", pointer: "" })).toEqual(lockfile)
  })

  test("points at the lockfile's usual place where nothing is known", () => {
    const one = createLocator(describeServer({ ...base, lockfile: null }))
    expect(one({ section: "tools", item: "read_file", pointer: "" }).path).toBe("toolsum.lock.json")
  })
})

test.each(["", "/a", "\\a", "c:/a", "a/../b", "..", "a\\..\\b"])("%j is not relative", (path) => {
  expect(isRelative(path)).toBe(false)
})
