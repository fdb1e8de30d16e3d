// The bare command's page: what README.md shows is what is rendered; differing launch lines; widths.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { nextSteps } from "../../src/cli/next-steps.js"
import { loadPaint } from "../../src/cli/paint.js"
import { renderInventory } from "../../src/cli/render-inventory.js"
import type { Pin } from "../../src/core/lockfile.js"
import type { Target } from "../../src/core/target.js"
import { hideSecrets } from "../../src/features/hide-secrets.js"
import { type Inventory, takeInventory } from "../../src/features/inventory.js"
import { EMPTY_LOCKFILE, pinDigestOf } from "../../src/features/pins.js"
import type { ClientConfig, ConfiguredServer } from "../../src/ports.js"
import { observedOf, pinOf, readingOf } from "../fakes/readings.js"

const commandOf = (line: string): Target => {
  const [command = "", ...args] = line.split(" ")
  return { command, args, env: [] }
}

const configOf = (
  file: string,
  client: string,
  servers: Readonly<Record<string, Target>>,
  over: Partial<ConfiguredServer> = {},
): ClientConfig => ({
  file,
  path: `/x/${file}`,
  client,
  scope: file.startsWith("~") ? "user" : "project",
  servers: Object.entries(servers).map(([name, target]) => ({
    ...{ name, target, problem: null, literals: [], isGuarded: false, isDisabled: false },
    ...over,
  })),
  problem: null,
})

function pinned(target: Target): Pin {
  const pin = pinOf(observedOf(readingOf({}), { target }), { target })
  const approved = { pin: pinDigestOf(pin), from: null, at: "2026-12-01T00:00:00Z", by: "a", reason: null, only: null }
  return { ...pin, approved }
}

const take = (configs: readonly ClientConfig[], servers: Readonly<Record<string, Pin>>): Inventory =>
  takeInventory(configs, { project: { ...EMPTY_LOCKFILE, servers }, user: null })

async function render(inventory: Inventory): Promise<string> {
  const lockfiles = { project: "/x/toolsum.lock.json", user: "/home/toolsum.lock.json" }
  return renderInventory(inventory, {
    paint: await loadPaint(false),
    hide: (target) => hideSecrets(target, {}),
    lockfiles,
  })
}

const MEMORY = commandOf("npx -y @modelcontextprotocol/server-memory@2026.1.26")

test("README.md shows what is printed", async () => {
  const files = commandOf("npx -y @modelcontextprotocol/server-filesystem .")
  const configs = [
    configOf(".mcp.json", "claude-code", { memory: MEMORY, files }),
    configOf("~/.cursor/mcp.json", "cursor", { time: commandOf("uvx mcp-server-time") }),
  ]
  const inventory = take(configs, { memory: pinned(MEMORY) })
  const steps = nextSteps(inventory, { flag: () => false, value: () => null, values: () => [] })
  const width = Math.max(...steps.map(({ line }) => line.length))
  const shown = `${await render(inventory)}${steps.map(({ line, why }) => `  ${line.padEnd(width)}  ${why}\n`).join("")}`
  const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8")
  expect(readme).toContain(`$ toolsum\n${shown}`)
})

test.each([
  {
    name: "words",
    now: commandOf("npx -y other@1.0.0"),
    lines: ["- npx -y @modelcontextprotocol/server-memory@2026.1.26", "+ npx -y other@1.0.0"],
  },
  {
    name: "variables",
    now: { ...MEMORY, env: ["A", "B"] } as Target,
    lines: ["- variables: none", "+ variables: A, B"],
  },
  { name: "a folder", now: { ...MEMORY, cwd: "sub" } as Target, lines: ["- folder: none", "+ folder: sub"] },
  {
    name: "a secret word",
    now: commandOf("npx --token abc"),
    lines: ["- npx -y @modelcontextprotocol/server-memory@2026.1.26", '+ npx --token "${…}"'],
  },
])("another launch line: $name", async ({ now, lines }) => {
  const page = await render(take([configOf(".mcp.json", "cursor", { memory: now })], { memory: pinned(MEMORY) }))
  expect(page.split("\n").slice(2, 4)).toEqual(lines.map((line) => `      ${line}`))
})

test("where only what is hidden differs, that is said", async () => {
  const url = (key: string): Target => ({ url: `https://example.com/mcp?mode=${key}`, headers: {} })
  const page = await render(take([configOf(".mcp.json", "cursor", { docs: url("b") })], { docs: pinned(url("a")) }))
  expect(page).toContain("- https://example.com/mcp?… (as pinned)\n      + https://example.com/mcp?… (another value)\n")
})

test("what else there is to know", async () => {
  const over = { isGuarded: true, isDisabled: true, literals: ["API_KEY"] }
  const configs = [configOf(".mcp.json", "cursor", { memory: MEMORY, copy: MEMORY }, over)]
  const page = await render(take(configs, { memory: pinned(MEMORY) }))
  const notes = "value in the file: API_KEY; switched off; behind the guard; same as copy"
  expect(page).toContain(`  memory  pinned        @modelcontextprotocol/server-memory 2026.1.26; ${notes}\n`)
  expect(page).toContain("  copy    switched off  @modelcontextprotocol/server-memory 2026.1.26; ")
})
