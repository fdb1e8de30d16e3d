import { expect, test } from "vitest"
import type { Lockfile, Pin } from "../../src/core/lockfile.js"
import type { Target } from "../../src/core/target.js"
import type { ServerVerdict, Verdict } from "../../src/core/verdict.js"
import type { LockfileReport } from "../../src/core/verify-lockfile.js"
import { compareWithConfigs } from "../../src/features/config-servers.js"
import type { ClientConfig } from "../../src/ports.js"
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
  const { servers, exitCode } = compareWithConfigs(report, lockfile, configured)
  return { exitCode, answers: servers.map((server) => [server.name, server.verdict, server.reason]), servers }
}

const configured = (target: Target, name = "notes", file = FILE): ClientConfig => ({
  file,
  path: `/project/${file}`,
  client: "claude-code",
  scope: "project",
  servers: [{ name, target, problem: null, literals: [], isGuarded: false, isDisabled: false }],
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
  { name: "a literal value of a header", configured: "Bearer abc", same: true },
  { name: "the same template", configured: "Bearer ${TOKEN}", same: true },
  { name: "another template", configured: "Bearer ${OTHER}", same: false },
])("headers: $name", ({ configured: value, same }) => {
  const url = "https://x.example/"
  const target: Target = { url, headers: { Authorization: "Bearer ${TOKEN}" } }
  const other = configured({ url, headers: { authorization: value } })
  expect(compare([other], { target }).answers[0]?.[1]).toBe(same ? "PROVEN" : "CHANGED")
  expect(compare([configured({ url, headers: {} })], { target }).answers[0]?.[1]).toBe("CHANGED")
})
