// Differences between a tree and its base that a real repository reaches only with much ado: logs, keyrings, masks, settings.
import { expect, test } from "vitest"
import type { LockedLog, Lockfile } from "../../src/core/lockfile.js"
import { parseLockfile } from "../../src/core/lockfile.js"
import type { Mask } from "../../src/core/mask.js"
import { NO_SETTINGS, NO_SETTINGS_FILE, parseSettings, type SettingsFile } from "../../src/core/settings.js"
import { computeChangeDigest, createFindingMaker } from "../../src/features/base-change.js"
import { compareWithBase } from "../../src/features/base-gate.js"
import { compareReading } from "../../src/features/base-gate-pins.js"
import { combineSettings, compareSettings } from "../../src/features/base-gate-settings.js"
import { LOCKFILE } from "../core/fixtures/lockfile.js"

const make = createFindingMaker("toolsum.lock.json", new Set())
const file = (value: unknown): SettingsFile => parseSettings(JSON.stringify(value), "toolsum.json")
const lockfile: Lockfile = parseLockfile(JSON.stringify(LOCKFILE))
const [[origin, log] = ["", null]] = Object.entries(lockfile.logs)

function compare(tree: Lockfile, settings: SettingsFile = NO_SETTINGS_FILE, base: Lockfile | null = lockfile) {
  const { findings } = compareWithBase({
    lockfile: "toolsum.lock.json",
    lockfiles: { base, atRef: base, tree },
    settings: { base: settings, atRef: settings, tree: settings },
    missingDefinitions: [],
    accepted: new Set(),
  })
  return findings.map(({ kind, name }) => `${kind} ${name}`)
}

const withLog = (change: Partial<LockedLog>): Lockfile => ({
  ...lockfile,
  logs: { ...lockfile.logs, [origin]: { ...(log as LockedLog), ...change } },
})

test("nothing differs from itself", () => expect(compare(lockfile)).toEqual([]))

test("a log that is new is to be accepted, unless the base's settings name it", () => {
  const base = { ...lockfile, logs: {}, servers: {} }
  const tree = { ...lockfile, servers: {} }
  expect(compare(tree, NO_SETTINGS_FILE, base)).toContain(`log ${origin}`)
  const named = file({ logs: Object.fromEntries(Object.keys(lockfile.logs).map((name) => [name, {}])) })
  expect(compare(tree, named, base)).toEqual([])
})

test("keyrings of the base must stay the first ones", () => {
  const longer = withLog({ keyring: [...(log?.keyring ?? []), "another\n\n— k x\n"] })
  expect(compare(longer)).toEqual([])
  expect(compare(lockfile, NO_SETTINGS_FILE, longer)).toEqual([`keyring ${origin}`])
  expect(compare(withLog({ keyring: ["no keyring\n\n— k x\n"] }))).toEqual([`keyring ${origin}`])
})

test("masks are to be accepted, unless the base's settings have them for the pin", () => {
  const [[name, pin] = ["", null]] = Object.entries(lockfile.servers)
  if (pin === null) throw new Error("the fixture has pins")
  const mask: Mask = {
    section: "tools",
    item: "add",
    pointer: "/description",
    prefix: "built ",
    suffix: "",
    class: "date",
    max: 10,
  }
  const changed = { name, before: { ...pin, masks: [] }, earlier: [], pin: { ...pin, masks: [mask] } }
  expect(compareReading(changed, [], make)).toMatchObject([{ kind: "mask", status: "open" }])
  expect(compareReading(changed, [mask], make)).toEqual([])
  expect(compareReading({ ...changed, before: null }, [], make)).toMatchObject([{ kind: "mask" }])
})

test.each([
  [{}, { required: ["a"], private: ["b"] }, []],
  [{ required: ["a"], private: ["b"] }, {}, ["private", "required"]],
  [{}, { allow: ["timeout"] }, ["allow"]],
  [{ allow: ["timeout"] }, {}, []],
  [{ failOn: "low" }, { failOn: "high" }, ["failOn"]],
  [{}, { servers: { a: { live: "never" } } }, ["servers"]],
  [{}, { logs: { a: { private: true } } }, ["logs"]],
  [{}, { masks: { a: [] } }, ["masks"]],
])("settings %j then %j: %j", (before, after, names) => {
  const [base, tree] = [file(before), file(after)]
  const found = compareSettings({ base, atRef: base, tree }, make)
  expect(found.map(({ kind, name }) => [kind, name])).toEqual(names.map((name) => ["settings", name]))
  expect(compareSettings({ base, atRef: tree, tree }, make)).toEqual([])
})

test("under a base the tree's settings only make an answer stricter", () => {
  const base = { ...NO_SETTINGS, allow: ["timeout"] as const, required: ["a"] }
  const tree = {
    ...NO_SETTINGS,
    allow: ["not_in_log"] as const,
    required: ["b"],
    private: ["c"],
    failOn: "critical" as const,
  }
  expect(combineSettings(base, tree)).toEqual({ ...base, required: ["a", "b"], private: ["c"] })
})

test("a digest is of exactly one change of one lockfile", () => {
  const change = { kind: "removed", name: "notes", before: "x", after: null } as const
  const others = [
    computeChangeDigest("sub/toolsum.lock.json", change),
    computeChangeDigest("toolsum.lock.json", { ...change, kind: "target" }),
    computeChangeDigest("toolsum.lock.json", { ...change, name: "mail" }),
    computeChangeDigest("toolsum.lock.json", { ...change, before: "y" }),
    computeChangeDigest("toolsum.lock.json", { ...change, after: "x" }),
    computeChangeDigest("toolsum.lock.json", change),
  ]
  expect(new Set(others).size).toBe(others.length)
})
