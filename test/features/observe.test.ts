import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import type { Target } from "../../src/core/target.js"
import { observeServer, requirePinnable } from "../../src/features/observe.js"
import type { ServerReading } from "../../src/ports.js"
import { observedOf, readingOf, sourceOf, TARGET } from "../fakes/readings.js"

const INPUT = {
  name: "notes",
  target: TARGET,
  placeholders: [],
  environment: {},
  sections: ["tools"],
  masks: [],
  observer: "local",
  nowSec: 1,
} as const

const tool = (name: unknown, inputSchema: unknown = { type: "object" }) => ({ name, inputSchema })

describe("an observation", () => {
  test("names the package and its version, and counts the lists that were asked for", () => {
    const { observation } = observedOf(readingOf({ tools: [tool("a")], prompts: [], resources: [{ uri: "x://1" }] }))
    expect(observation).toMatchObject({ subject: "pkg:npm/%40acme/notes", version: "1.2.3", profile: "anonymous" })
    const { tools, prompts, templates, resources } = observation.lines
    expect([tools.slice(0, 2), prompts.slice(0, 2), templates, resources]).toEqual(["1 ", "0 ", "none", "-"])
  })

  test("a floating version is the one that was started; without it, and of a local command, there is none", () => {
    const floating: Target = { command: "npx", args: ["@acme/notes"], env: [] }
    const resolved = { version: "1.9.0", integrity: null }
    const versionOf = (target: Target, over: Partial<ServerReading> = {}) =>
      observedOf(readingOf({}, over), { target }).observation.version
    expect(versionOf(floating, { resolved })).toBe("1.9.0")
    expect(versionOf(floating)).toBe("-")
    expect(versionOf({ command: "node", args: ["x"], env: [] }, { resolved })).toBe("-")
    expect(versionOf(TARGET, { resolved })).toBe("1.2.3")
  })

  test("a reading that misses a part is never one", async () => {
    const failure = new ToolsumError("READING_INCOMPLETE", "page 2 is missing")
    const source = sourceOf(readingOf({ tools: [tool("a")] }, { failures: { tools: failure } }))
    await expect(observeServer({ ...INPUT, source })).rejects.toBe(failure)
  })
})

describe("the value of a variable in what a server says", () => {
  const VALUE = "geheim-9f8e7d6c5b4a"
  const environment = { API_KEY: VALUE, URL_KEY: 'a "b"/c d', SHORT: "abc", HOME: "/home/ada", N: "1234567890" }
  const target: Target = { command: "x", args: ["--key=${URL_KEY}"], env: ["API_KEY", "HOME", "N", "SHORT"] }
  const observe = (lists: object, over: { placeholders?: readonly string[] } = {}) =>
    observeServer({ ...INPUT, target, environment, source: sourceOf(readingOf(lists)), ...over })
  const item = (description: unknown, name = "a") => ({ tools: [{ name, description, inputSchema: {} }] })

  test.each([
    { name: "a description", lists: item(`Uses ${VALUE}.`), place: 'tool "a"', variable: "API_KEY" },
    { name: "a default deep inside", lists: item({ x: [{ default: VALUE }] }), place: 'tool "a"', variable: "API_KEY" },
    { name: "a member's name", lists: item({ [VALUE]: 1 }), place: 'tool "a"', variable: "API_KEY" },
    { name: "a number", lists: item(1234567890), place: 'tool "a"', variable: "N" },
    { name: "a name", lists: item("", VALUE), place: 'tool "${API_KEY}"', variable: "API_KEY" },
    {
      name: "a URL",
      lists: item(`x?k=${encodeURIComponent(environment.URL_KEY)}`),
      place: 'tool "a"',
      variable: "URL_KEY",
    },
    { name: "JSON in a text", lists: item(JSON.stringify(environment)), place: 'tool "a"', variable: "API_KEY" },
    { name: "a prompt", lists: { prompts: [{ name: "p", title: VALUE }] }, place: 'prompt "p"', variable: "API_KEY" },
    { name: "the instructions", lists: { instructions: VALUE }, place: "its instructions", variable: "API_KEY" },
    {
      name: "its own name",
      lists: { serverInfo: { name: VALUE } },
      place: "its server information",
      variable: "API_KEY",
    },
  ])("is refused in $name, by name", async ({ lists, place, variable }) => {
    const error = await observe(lists).catch((thrown) => thrown)
    expect(error).toMatchObject({
      code: "SURFACE_MALFORMED",
      message: expect.stringContaining(`${place} has the value of ${variable} `),
    })
    expect(error.message).not.toContain(VALUE)
  })

  test.each([
    { name: "another text", lists: item("Uses a key."), over: {} },
    { name: "a short value", lists: item("abc"), over: {} },
    { name: "a value that says where one is", lists: item("/home/ada/notes"), over: {} },
    { name: "the value of a variable that is not given", lists: item(VALUE), over: { placeholders: ["API_KEY"] } },
  ])("is not $name", async ({ lists, over }) => {
    await expect(observe(lists, over)).resolves.toMatchObject({ observation: { state: "listed" } })
  })
})

describe("what can be pinned", () => {
  test.each([
    { name: "lists without fault", lists: { tools: [tool("a"), tool("b")], prompts: [{ name: "a" }] } },
    { name: "no list at all", lists: {} },
    { name: "an empty list", lists: { tools: [] } },
  ])("$name", ({ lists }) => {
    expect(() => requirePinnable(observedOf(readingOf(lists)))).not.toThrow()
  })

  test.each([
    { name: "a nameless tool", lists: { tools: [{ inputSchema: {} }] } },
    { name: "a tool whose name is no text", lists: { tools: [tool(7)] } },
    { name: "two tools of one name", lists: { tools: [tool("a"), tool("a", { type: "object", title: "b" })] } },
    { name: "the same tool twice", lists: { tools: [tool("a"), tool("a")] } },
    { name: "a schema that is no object", lists: { tools: [tool("a", [])] } },
    { name: "a nameless prompt", lists: { prompts: [{}] } },
    { name: "a template without its URI", lists: { resourceTemplates: [{ name: "t" }] } },
  ])("$name cannot", ({ lists }) => {
    expect(() => requirePinnable(observedOf(readingOf(lists)))).toThrow(
      expect.objectContaining({ code: "SURFACE_MALFORMED" }),
    )
  })
})
