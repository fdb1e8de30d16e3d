import { expect, test } from "vitest"
import type { Lockfile, Pin } from "../../src/core/lockfile.js"
import type { Target } from "../../src/core/target.js"
import {
  countStates,
  exitCodeOfInventory,
  type Inventory,
  type Locks,
  type Scope,
  takeInventory,
} from "../../src/features/inventory.js"
import { EMPTY_LOCKFILE, pinDigestOf } from "../../src/features/pins.js"
import type { ClientConfig, ConfiguredServer } from "../../src/ports.js"
import { observedOf, pinOf, readingOf, TARGET } from "../fakes/readings.js"

const OTHER: Target = { command: "npx", args: ["-y", "@acme/notes@2.0.0"], env: [] }
const FLOATING: Target = { command: "npx", args: ["-y", "@acme/notes"], env: [] }

const server = (name: string, over: Partial<ConfiguredServer> = {}): ConfiguredServer => ({
  name,
  target: TARGET,
  problem: null,
  literals: [],
  isGuarded: false,
  isDisabled: false,
  ...over,
})

const config = (
  file: string,
  servers: readonly ConfiguredServer[],
  over: Partial<ClientConfig> = {},
): ClientConfig => ({
  file,
  path: `/project/${file}`,
  client: "claude-code",
  scope: file.startsWith("~") ? "user" : "project",
  servers,
  problem: null,
  ...over,
})

function approvedPin(over: Partial<Pin> = {}): Pin {
  const pin = pinOf(observedOf(readingOf({})), over)
  const digest = pinDigestOf(pin)
  return {
    ...pin,
    approved: { pin: digest, from: null, at: "2026-12-01T00:00:00Z", by: "a", reason: null, only: null },
  }
}

const lock = (servers: Readonly<Record<string, Pin>>): Lockfile => ({ ...EMPTY_LOCKFILE, servers })

const take = (configs: readonly ClientConfig[], locks: Partial<Locks> = {}): Inventory =>
  takeInventory(configs, { project: null, user: null, ...locks })

const statesOf = ({ rows }: Inventory) => rows.map(({ name, state }) => [name, state])

/** The state of the one server `notes` beside the pin `notes`, and the exit code. */
function judge(over: Partial<ConfiguredServer>, pin: Pin | null): readonly [string | undefined, number] {
  const inventory = take([config(".mcp.json", [server("notes", over)])], { project: lock(pin ? { notes: pin } : {}) })
  return [inventory.rows[0]?.state, exitCodeOfInventory(inventory)]
}

test.each([
  { name: "the pinned line", over: {}, pin: approvedPin(), state: "pinned", exit: 0 },
  { name: "another line", over: { target: OTHER }, pin: approvedPin(), state: "launch_changed", exit: 1 },
  {
    name: "a pin that nobody approved",
    over: {},
    pin: { ...approvedPin(), approved: null },
    state: "unapproved",
    exit: 1,
  },
  { name: "no pin", over: {}, pin: null, state: "not_pinned", exit: 2 },
  { name: "no pin, and switched off", over: { isDisabled: true }, pin: null, state: "disabled", exit: 0 },
  {
    name: "another line, and switched off",
    over: { target: OTHER, isDisabled: true },
    pin: approvedPin(),
    state: "launch_changed",
    exit: 1,
  },
  {
    name: "an entry that cannot be read",
    over: { target: null, problem: "no command" },
    pin: approvedPin(),
    state: "unreadable",
    exit: 2,
  },
  {
    name: "a pin that cannot be read",
    over: {},
    pin: { ...approvedPin(), observation: "x" },
    state: "unreadable",
    exit: 2,
  },
  {
    name: "a guard that names its pin",
    over: { target: null, pin: "notes", isGuarded: true },
    pin: approvedPin(),
    state: "pinned",
    exit: 0,
  },
  {
    name: "a guard with a variable that its pin does not have",
    over: { target: null, pin: "notes", pinVariables: ["NODE_OPTIONS"], isGuarded: true },
    pin: approvedPin(),
    state: "launch_changed",
    exit: 1,
  },
  {
    name: "a guard whose pin is not there",
    over: { target: null, pin: "notes", isGuarded: true },
    pin: null,
    state: "not_pinned",
    exit: 2,
  },
] as const)("$name is $state", ({ over, pin, state, exit }) => {
  expect(judge(over, pin)).toEqual([state, exit])
})

test("a header's value in the file stands for any variable", () => {
  const url = "https://example.com/mcp"
  const pin = approvedPin({ target: { url, headers: { Authorization: "Bearer ${TOKEN}" } } })
  const target: Target = { url, headers: { Authorization: "${AUTHORIZATION}" } }
  expect(judge({ target, literals: ["Authorization"] }, pin)[0]).not.toBe("launch_changed")
  expect(judge({ target }, pin)[0]).toBe("launch_changed")
})

test("nothing found is no clean result, nor is a file that cannot be read", () => {
  expect(exitCodeOfInventory(take([]))).toBe(2)
  const inventory = take([config(".mcp.json", [], { problem: "no JSON" })], { project: lock({ notes: approvedPin() }) })
  expect([exitCodeOfInventory(inventory), inventory.unreadable.length, statesOf(inventory)]).toEqual([
    2,
    1,
    [["notes", "pinned"]],
  ])
})

test("what changed counts more than what is not pinned", () => {
  const configs = [config(".mcp.json", [server("notes", { target: OTHER }), server("new", { target: FLOATING })])]
  expect(exitCodeOfInventory(take(configs, { project: lock({ notes: approvedPin() }) }))).toBe(1)
})

test("every server and every pin is in one row, and the counts add up", () => {
  const inventory = take(
    [
      config(".mcp.json", [server("notes"), server("new", { target: FLOATING })]),
      config("~/.cursor/mcp.json", [server("mine", { target: OTHER })]),
    ],
    { project: lock({ notes: approvedPin(), typed: approvedPin({ target: FLOATING }) }), user: lock({}) },
  )
  expect(statesOf(inventory)).toEqual([
    ["notes", "pinned"],
    ["new", "not_pinned"],
    ["mine", "not_pinned"],
    ["typed", "pinned"],
  ])
  const counts = countStates(inventory.rows)
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(inventory.rows.length)
})

test("a pin that no configuration has is listed too", () => {
  const { rows } = take([], { project: lock({ notes: approvedPin() }), user: lock({ mine: approvedPin() }) })
  expect(rows.map(({ name, config, pin }) => [name, config, pin?.scope])).toEqual([
    ["notes", null, "project"],
    ["mine", null, "user"],
  ])
})

test("floating versions", () => {
  const targets: readonly (readonly [Target, boolean])[] = [
    [TARGET, false],
    [FLOATING, true],
    [{ command: "uvx", args: ["mcp-server-time"], env: [] }, true],
    [{ command: "uvx", args: ["mcp-server-time==1.0.0"], env: [] }, false],
    [{ command: "docker", args: ["run", "-i", "mcp/time:1"], env: [] }, true],
    [{ command: "docker", args: ["run", "-i", `mcp/time@sha256:${"a".repeat(64)}`], env: [] }, false],
    [{ url: "https://example.com/mcp", headers: {} }, false],
  ]
  const { rows } = take([
    config(
      ".mcp.json",
      targets.map(([target], i) => server(`s${i}`, { target })),
    ),
  ])
  expect(rows.map(({ isFloating }) => isFloating)).toEqual(targets.map(([, floating]) => floating))
})

test("one name in several files, and one line under several names", () => {
  const { rows } = take([
    config(".mcp.json", [server("notes"), server("copy"), server("other", { target: FLOATING })]),
    config(".cursor/mcp.json", [server("notes", { target: OTHER })]),
  ])
  expect(rows.map(({ twins }) => twins)).toEqual([
    [
      { file: ".mcp.json", name: "copy", sameLine: true },
      { file: ".cursor/mcp.json", name: "notes", sameLine: false },
    ],
    [{ file: ".mcp.json", name: "notes", sameLine: true }],
    [],
    [{ file: ".mcp.json", name: "notes", sameLine: false }],
  ])
})

/** Which lockfile's pin a server has. */
const pinScope = (file: string, over: Partial<ConfiguredServer>, locks: Partial<Locks>): Scope | undefined =>
  take([config(file, [server("notes", over)])], locks).rows[0]?.pin?.scope

test("a server of the user stands in the user's lockfile, or in the project's where it was taken from there or starts the same", () => {
  const [project, user] = [lock({ notes: approvedPin() }), lock({ notes: approvedPin() })]
  const taken = lock({ own: approvedPin({ from: [{ file: "~/.cursor/mcp.json", name: "notes" }] }) })
  expect(pinScope("~/.cursor/mcp.json", {}, { project, user })).toBe("user")
  expect(pinScope("~/.cursor/mcp.json", {}, { project })).toBe("project")
  expect(pinScope("~/.cursor/mcp.json", { target: OTHER }, { project })).toBeUndefined()
  expect(pinScope("~/.cursor/mcp.json", { target: OTHER }, { project: taken })).toBe("project")
  expect(pinScope(".mcp.json", {}, { user })).toBeUndefined()
})
