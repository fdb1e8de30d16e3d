import { describe, expect, test } from "vitest"
import type { Lockfile, Pin } from "../../src/core/lockfile.js"
import type { Target } from "../../src/core/target.js"
import type { ServerVerdict, Verdict } from "../../src/core/verdict.js"
import type { LockfileReport } from "../../src/core/verify-lockfile.js"
import { compareWithConfigs } from "../../src/features/config-servers.js"
import type { ClientConfig, ConfiguredServer } from "../../src/ports.js"
import { observedOf, pinOf, readingOf, TARGET } from "../fakes/readings.js"

const FILE = ".mcp.json"

const verdictOf = (verdict: Verdict): ServerVerdict => ({
  name: "notes",
  subject: "pkg:npm/%40acme/notes",
  version: "1.2.3",
  verdict,
  reason: null,
  detail: null,
  compared: ["lock"],
  covered: [],
  notCovered: [],
  head: null,
  record: null,
  newest: null,
  pin: null,
  items: {},
  changes: [],
  warnings: [],
})

/** What one pin "notes" with this verdict becomes beside these configurations. */
function compare(configured: readonly ClientConfig[], pin: Partial<Pin> = {}, verdict: Verdict = "PROVEN") {
  const lockfile: Lockfile = {
    format: "toolsum-lock/v1",
    logs: {},
    servers: { notes: pinOf(observedOf(readingOf({})), pin) },
    removed: {},
  }
  const report: LockfileReport = {
    servers: [verdictOf(verdict)],
    roots: [],
    refuted: [],
    warnings: [],
    exitCode: verdict === "REJECTED" ? 3 : 0,
  }
  const { servers, exitCode, warnings } = compareWithConfigs(report, lockfile, configured)
  return { exitCode, answers: servers.map((server) => [server.name, server.verdict, server.reason]), servers, warnings }
}

const configured = (
  target: Target | null,
  name = "notes",
  file = FILE,
  more: Partial<ConfiguredServer> = {},
): ClientConfig => ({
  file,
  path: `/project/${file}`,
  client: "claude-code",
  scope: "project",
  servers: [{ name, target, problem: null, literals: [], isGuarded: false, isDisabled: false, ...more }],
  problem: null,
})

test("the same line, whatever the variables' values are", () => {
  expect(compare([configured(TARGET)])).toMatchObject({ exitCode: 0, answers: [["notes", "PROVEN", null]] })
  expect(compare([])).toMatchObject({ exitCode: 0, answers: [["notes", "PROVEN", null]] })
})

test.each([
  { name: "another argument", target: { ...TARGET, args: ["-y", "@acme/notes@1.2.4"] } as Target },
  { name: "another variable", target: { ...TARGET, env: ["TOKEN"] } as Target },
  { name: "a folder", target: { ...TARGET, cwd: "x" } as Target },
  { name: "a URL", target: { url: "https://x.example/", headers: {} } as Target },
])("$name is a changed target", ({ target }) => {
  expect(compare([configured(target)])).toMatchObject({ exitCode: 1, answers: [["notes", "CHANGED", "target"]] })
})

test("a refuted pin stays refuted", () => {
  const { exitCode, answers } = compare([configured({ ...TARGET, env: ["X"] } as Target)], {}, "REJECTED")
  expect([exitCode, answers[0]?.[1]]).toEqual([3, "REJECTED"])
})

test("a server that nobody pinned", () => {
  expect(compare([configured(TARGET), configured(TARGET, "other")])).toMatchObject({
    exitCode: 2,
    answers: [
      ["notes", "PROVEN", null],
      ["other", "UNKNOWN", "not_pinned"],
    ],
  })
})

test("a pin is found by where it was taken from before its name is looked at", () => {
  const from = [{ file: FILE, name: "their-name" }]
  expect(compare([configured(TARGET, "their-name")], { from })).toMatchObject({ answers: [["notes", "PROVEN", null]] })
})

test("a pin that is gone from its file is named, and no finding", () => {
  const { exitCode, servers } = compare([configured(TARGET, "notes", "other.json")], {
    from: [{ file: FILE, name: "notes" }],
  })
  expect(exitCode).toBe(0)
  expect(servers[0]).toMatchObject({ verdict: "PROVEN", detail: expect.stringContaining(FILE) })
})

test.each([
  { name: "a value in the file", value: "${AUTHORIZATION}", literals: ["authorization"], same: true },
  { name: "the same template", value: "Bearer ${TOKEN}", literals: [], same: true },
  { name: "another template", value: "Bearer ${OTHER}", literals: [], same: false },
])("headers: $name", ({ value, literals, same }) => {
  const url = "https://x.example/"
  const target: Target = { url, headers: { Authorization: "Bearer ${TOKEN}" } }
  const other = configured({ url, headers: { authorization: value } }, "notes", FILE, { literals })
  expect(compare([other], { target }).answers[0]?.[1]).toBe(same ? "PROVEN" : "CHANGED")
  expect(compare([configured({ url, headers: {} })], { target }).answers[0]?.[1]).toBe("CHANGED")
})

describe("several files", () => {
  const CHANGED: Target = { ...TARGET, args: ["-y", "@acme/notes@9.9.9"] } as Target

  test("that start a pin alike are one answer", () => {
    const { answers } = compare([configured(TARGET), configured(TARGET, "notes", ".cursor/mcp.json")])
    expect(answers).toEqual([["notes", "PROVEN", null]])
  })

  test("of which one differs are a changed target that names it", () => {
    const { servers } = compare([configured(TARGET), configured(CHANGED, "notes", ".cursor/mcp.json")])
    expect(servers).toHaveLength(1)
    expect(servers[0]).toMatchObject({ verdict: "CHANGED", reason: "target" })
    expect(servers[0]?.detail).toContain(".cursor/mcp.json")
    expect(servers[0]?.detail).not.toContain(FILE)
  })

  test("that start what nobody pinned are one answer when alike, two when not", () => {
    const alike = [configured(TARGET, "other"), configured(TARGET, "other", ".cursor/mcp.json")]
    expect(compare(alike).servers.at(-1)).toMatchObject({
      name: "other",
      detail: expect.stringMatching(/\.mcp\.json and \.cursor/),
    })
    expect(compare(alike).servers).toHaveLength(2)
    const unlike = [configured(TARGET, "other"), configured(CHANGED, "other", ".cursor/mcp.json")]
    expect(compare(unlike).servers).toHaveLength(3)
  })

  test("that do not have a pin any more are all named", () => {
    const from = [
      { file: FILE, name: "notes" },
      { file: ".cursor/mcp.json", name: "mine" },
    ]
    expect(compare([], { from }).servers[0]?.detail).toBe(
      "pinned, but .mcp.json and .cursor/mcp.json do not start it any more",
    )
    expect(compare([configured(TARGET)], { from }).servers[0]?.detail).toBe(
      "pinned, but .cursor/mcp.json does not start it any more",
    )
  })
})

test("a pin from a file that is not looked at, or could not be read, is not missed", () => {
  for (const file of [
    "~/.claude.json#project",
    "/etc/claude-code/managed-mcp.json",
    "C:/Program Files/ClaudeCode/managed-mcp.json",
  ])
    expect(compare([], { from: [{ file, name: "notes" }] }).servers[0]?.detail).toBeNull()
  const unread: ClientConfig = { ...configured(TARGET), servers: [], problem: "expected JSON" }
  expect(compare([unread], { from: [{ file: FILE, name: "notes" }] }).servers[0]?.detail).toBeNull()
})

describe("a server that cannot be read", () => {
  const unread = (name: string) => configured(null, name, FILE, { problem: "expected a command or a url" })

  test("leaves its pin without an answer, unless that is changed or refuted", () => {
    const { exitCode, servers } = compare([unread("notes")])
    expect(exitCode).toBe(2)
    expect(servers[0]).toMatchObject({ verdict: "UNKNOWN", reason: "malformed" })
    expect(servers[0]?.detail).toBe('.mcp.json, server "notes": expected a command or a url')
    expect(compare([unread("notes")], {}, "REJECTED").answers[0]?.[1]).toBe("REJECTED")
    expect(compare([unread("notes")], {}, "CHANGED").answers[0]?.[1]).toBe("CHANGED")
  })

  test("does not hide that another file starts it in another way", () => {
    const changed = configured({ ...TARGET, env: ["X"] } as Target, "notes", ".cursor/mcp.json")
    expect(compare([unread("notes"), changed]).answers).toEqual([["notes", "CHANGED", "target"]])
  })

  test("is an answer of its own where no pin has its name", () => {
    expect(compare([unread("other")]).answers[1]).toEqual(["other", "UNKNOWN", "malformed"])
  })
})

describe("a server that is switched off", () => {
  const off = (target: Target, name: string) => configured(target, name, FILE, { isDisabled: true })

  test("is compared with its pin like any other", () => {
    expect(compare([off(TARGET, "notes")]).answers).toEqual([["notes", "PROVEN", null]])
    expect(compare([off({ ...TARGET, env: ["X"] } as Target, "notes")]).answers[0]?.[2]).toBe("target")
  })

  test("is a warning where no pin covers it", () => {
    const { exitCode, answers, warnings } = compare([off(TARGET, "other")])
    expect([exitCode, answers.length, warnings]).toEqual([0, 1, ["switched_off:other in .mcp.json"]])
  })
})

test("a guard that names a pin has its launch line from there", () => {
  const guard = (pin: string) => configured(null, "mine", FILE, { isGuarded: true, pin })
  expect(compare([guard("notes")]).answers).toEqual([["notes", "PROVEN", null]])
  expect(compare([guard("gone")]).answers[1]).toEqual(["mine", "UNKNOWN", "not_pinned"])
})

test("a guard that names a pin is given no variable that the pin does not have", () => {
  const guard = (pinVariables: readonly string[]) =>
    configured(null, "mine", FILE, { isGuarded: true, pin: "notes", pinVariables })
  const target = { ...TARGET, args: ["${TOKEN}"], env: ["API_KEY"] } as Target
  expect(compare([guard(["API_KEY", "TOKEN"])], { target }).answers).toEqual([["notes", "PROVEN", null]])
  expect(compare([guard(["API_KEY", "NODE_OPTIONS"])], { target }).answers).toEqual([["notes", "CHANGED", "target"]])
})

test("every configured server is counted once, however many there are", () => {
  const servers = Array.from({ length: 10_000 }, (_, i) => configured(TARGET, `server-${i}`).servers).flat()
  expect(compare([{ ...configured(TARGET), servers }]).servers).toHaveLength(10_001)
})
