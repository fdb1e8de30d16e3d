import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isPinName } from "../../src/core/pin.js"
import type { Target } from "../../src/core/target.js"
import { chooseServer, listUnpinned, pinNameOf } from "../../src/features/choose-server.js"
import { takeInventory } from "../../src/features/inventory.js"
import type { ClientConfig, ConfiguredServer } from "../../src/ports.js"

const lineOf = (version: string): Target => ({ command: "npx", args: ["-y", `@acme/notes@${version}`], env: [] })

const server = (name: string, version = "1.0.0", over: Partial<ConfiguredServer> = {}): ConfiguredServer => ({
  name,
  target: lineOf(version),
  problem: null,
  literals: [],
  isGuarded: false,
  isDisabled: false,
  ...over,
})

const config = (file: string, ...servers: readonly ConfiguredServer[]): ClientConfig => ({
  file,
  path: `/project/${file}`,
  client: "cursor",
  scope: file.startsWith("~") ? "user" : "project",
  servers,
  problem: null,
})

const choose = (
  configs: readonly ClientConfig[],
  name: string,
  from: string | null = null,
  pinName: string | null = null,
) => chooseServer(configs, name, { isFrom: from === null ? null : ({ file }) => file === from, pinName })

const usage = (...parts: readonly string[]) =>
  expect.objectContaining({ code: "USAGE", message: expect.stringMatching(parts.join(".*")) })

describe("pinNameOf", () => {
  test.each([
    ["notes", "notes"],
    ["My Notes", "my-notes"],
    ["GitHub", "github"],
    ["  a  b ", "a-b"],
    ["Café/Ünï", "cafe-uni"],
    ["@scope/name", "scope-name"],
    ["x".repeat(70), "x".repeat(64)],
    ["日本", null],
    ["", null],
  ])("%j is %j", (name, expected) => expect(pinNameOf(name)).toBe(expected))

  test("is a pin's name, or null; a pin's name stays", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        const pinName = pinNameOf(name)
        expect(pinName === null || isPinName(pinName)).toBe(true)
        expect(pinName === null ? null : pinNameOf(pinName)).toBe(pinName)
      }),
    ))
})

describe("chooseServer", () => {
  test("the project's before the user's, with every file that has the same", () => {
    const configs = [
      config(".mcp.json", server("notes")),
      config(".cursor/mcp.json", server("notes")),
      config("~/.cursor/mcp.json", server("notes", "2.0.0")),
    ]
    expect(choose(configs, "notes")).toEqual({
      pinName: "notes",
      target: lineOf("1.0.0"),
      from: [
        { file: ".mcp.json", name: "notes" },
        { file: ".cursor/mcp.json", name: "notes" },
      ],
      literals: [],
    })
    expect(choose(configs, "notes", "~/.cursor/mcp.json").target).toEqual(lineOf("2.0.0"))
    expect(choose(configs.slice(2), "notes").from).toEqual([{ file: "~/.cursor/mcp.json", name: "notes" }])
  })

  test("several different ones are no choice of ours", () => {
    const configs = [config(".mcp.json", server("notes")), config(".cursor/mcp.json", server("notes", "2.0.0"))]
    expect(() => choose(configs, "notes")).toThrow(usage("\\.mcp\\.json", "\\.cursor/mcp\\.json", "--from"))
    expect(choose(configs, "notes", ".cursor/mcp.json").target).toEqual(lineOf("2.0.0"))
  })

  test("a name as configured, or as its pin would be called", () => {
    const configs = [config(".mcp.json", server("My Notes"), server("search"))]
    expect(choose(configs, "My Notes")).toMatchObject({ pinName: "my-notes", from: [{ name: "My Notes" }] })
    expect(choose(configs, "my-notes")).toMatchObject({ pinName: "my-notes", from: [{ name: "My Notes" }] })
    expect(choose(configs, "My Notes", null, "other").pinName).toBe("other")
  })

  test("what is not there, and what cannot be read", () => {
    expect(() => choose([], "notes")).toThrow(usage("no client configuration"))
    const broken = { ...config(".mcp.json"), problem: "no JSON" }
    expect(() => choose([broken], "notes")).toThrow(usage("not readable", "\\.mcp\\.json"))
    const bad = config(".mcp.json", server("notes", "1.0.0", { target: null, problem: "no command" }))
    expect(() => choose([bad], "notes")).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining("no command") }),
    )
    expect(() => choose([config(".mcp.json", server("日本"))], "日本")).toThrow(usage("--as"))
  })
})

describe("listUnpinned", () => {
  const list = (configs: readonly ClientConfig[], taken: readonly string[] = []) =>
    listUnpinned(takeInventory(configs, { project: null, user: null }), "project", new Set(taken))

  test("each once, with all its files; the user's are not the project's", () => {
    const { candidates, unfit } = list([
      config(".mcp.json", server("notes"), server("search", "3.0.0")),
      config(".cursor/mcp.json", server("notes")),
      config("~/.cursor/mcp.json", server("mine")),
    ])
    expect(candidates.map(({ pinName, from }) => [pinName, from.map(({ file }) => file)])).toEqual([
      ["notes", [".mcp.json", ".cursor/mcp.json"]],
      ["search", [".mcp.json"]],
    ])
    expect(unfit).toEqual([])
  })

  test("one that cannot be pinned keeps no other from it", () => {
    const { candidates, unfit, skipped } = list(
      [
        config(
          ".mcp.json",
          server("two", "1.0.0"),
          server("bad", "1.0.0", { target: null, problem: "no command" }),
          server("Good"),
          server("good"),
          server("taken"),
          server("日本"),
          server("off", "1.0.0", { isDisabled: true }),
        ),
        config(".cursor/mcp.json", server("two", "2.0.0")),
        { ...config(".vscode/mcp.json"), problem: "no JSON" },
      ],
      ["taken"],
    )
    expect(candidates.map(({ pinName }) => pinName)).toEqual(["good"])
    expect(unfit.map(({ name, error }) => [name, error.code])).toEqual([
      [".vscode/mcp.json", "CONFIG_INVALID"],
      ["two", "USAGE"],
      ["bad", "CONFIG_INVALID"],
      ["good", "USAGE"],
      ["taken", "USAGE"],
      ["日本", "USAGE"],
    ])
    expect(skipped).toBe(1)
  })
})
