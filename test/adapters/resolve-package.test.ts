import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { computeNpxFolder, resolvePackage } from "../../src/adapters/resolve-package.js"
import { computeTextDigest } from "../../src/core/hash.js"

const NAME = "@scope/server"
let folder: string
let cwd: string
let home: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolsum-resolve-")))
  cwd = join(folder, "project", "sub")
  home = join(folder, "home")
  mkdirSync(cwd, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** An installed copy under `root`, with npm's own lock; returns the file that npx would run. */
function install(root: string, version: string, name = NAME): string {
  const packages = {
    [`node_modules/${name}`]: { version, integrity: `sha512-${version}` },
    "node_modules/zod": { version: "4.1.0", integrity: "sha512-z" },
    "node_modules/a/node_modules/zod": { version: "3.0.0" },
    "node_modules/b/node_modules/zod": { version: "3.0.0" },
    "node_modules/alias": { name: "real", version: "1.0.0" },
    "node_modules/linked": { link: true },
  }
  write(join(root, "node_modules", ".package-lock.json"), JSON.stringify({ packages }))
  write(join(root, "node_modules", name, "package.json"), JSON.stringify({ name, version }))
  return write(join(root, "node_modules", name, "dist", "index.js"), "")
}

const dependencies = (version: string) =>
  computeTextDigest([`${NAME}@${version}`, "real@1.0.0", "zod@3.0.0", "zod@4.1.0"].map((line) => `${line}\n`).join(""))
const found = (version: string) => ({
  version,
  integrity: `sha512-${version}`,
  dependencies: dependencies(version),
})
const UNKNOWN = { version: null, integrity: null, dependencies: null }
const npxRoot = (spec: string) => join(home, ".npm", "_npx", computeNpxFolder(spec))

const resolve = (
  args: readonly string[],
  rest: { command?: string; run?: string; environment?: Record<string, string> } = {},
) =>
  resolvePackage({
    target: { command: rest.command ?? "npx", args, env: [] },
    cwd,
    environment: { HOME: home, ...rest.environment },
    commandLines: rest.run === undefined ? [] : [["npm exec x"], ["node", rest.run, "--flag"]],
  })

test("an exact version is that of the launch line, found or not", () => {
  expect(resolve(["-y", `${NAME}@1.2.3`])).toEqual({ ...UNKNOWN, version: "1.2.3" })
  install(npxRoot(`${NAME}@1.2.3`), "1.2.3")
  expect(resolve(["-y", `${NAME}@1.2.3`])).toEqual(found("1.2.3"))
})

test("what a process runs comes first, behind a link of .bin too", () => {
  const file = install(join(folder, "global"), "3.0.0")
  install(join(folder, "project"), "1.0.0")
  install(npxRoot(NAME), "2.0.0")
  const bin = join(folder, "global", "node_modules", ".bin", "server")
  mkdirSync(dirname(bin))
  symlinkSync(file, bin)
  expect(resolve(["-y", NAME], { run: bin })).toEqual(found("3.0.0"))
  expect(resolve(["-y", NAME], { run: file })).toEqual(found("3.0.0"))
  expect(resolve(["dlx", NAME], { command: "pnpm", run: file })).toEqual(found("3.0.0"))
})

test("an installed copy upwards, before the cache of npx", () => {
  install(npxRoot(NAME), "2.0.0")
  expect(resolve(["-y", NAME])).toEqual(found("2.0.0"))
  install(join(folder, "project"), "1.0.0")
  expect(resolve(["-y", NAME])).toEqual(found("1.0.0"))
})

test("a copy above the nearest package.json is not npx's", () => {
  install(join(folder, "project"), "1.0.0")
  write(join(cwd, "package.json"), "{}")
  expect(resolve(["-y", NAME])).toEqual(UNKNOWN)
})

test("a tag or range is npm's to judge: only its own folder of the cache counts", () => {
  install(join(folder, "project"), "1.0.0")
  expect(resolve([`${NAME}@latest`])).toEqual(UNKNOWN)
  install(npxRoot(`${NAME}@^2`), "2.5.0")
  expect(resolve([`${NAME}@^2`])).toEqual(found("2.5.0"))
})

test("an installed copy of another version is not the exact one", () => {
  const file = install(join(folder, "project"), "1.0.0")
  expect(resolve([`${NAME}@1.0.1`], { run: file })).toEqual({ ...UNKNOWN, version: "1.0.1" })
})

test("the cache may be elsewhere", () => {
  const cache = join(folder, "cache")
  install(join(cache, "_npx", computeNpxFolder(NAME)), "2.0.0")
  expect(resolve([NAME], { environment: { NPM_CONFIG_CACHE: cache } })).toEqual(found("2.0.0"))
})

test("the folder of npx is named as npm names it", () => {
  // npm 11.19.1 for `npx -y @modelcontextprotocol/server-memory@2026.1.26`
  expect(computeNpxFolder("@modelcontextprotocol/server-memory@2026.1.26")).toMatch(/^[0-9a-f]{16}$/)
})

test.each([
  { name: "a manifest of another package", manifest: '{"name":"other","version":"1.0.0"}' },
  { name: "a manifest without version", manifest: `{"name":"${NAME}"}` },
  { name: "a version with spaces", manifest: `{"name":"${NAME}","version":"1 0"}` },
  { name: "duplicate names", manifest: `{"name":"${NAME}","version":"1.0.0","version":"2.0.0"}` },
  { name: "no JSON", manifest: "{" },
  { name: "no object", manifest: "[]" },
])("$name is unknown", ({ manifest }) => {
  install(join(folder, "project"), "1.0.0")
  write(join(folder, "project", "node_modules", NAME, "package.json"), manifest)
  expect(resolve([NAME])).toEqual(UNKNOWN)
})

test("without npm's lock only the version is known", () => {
  install(join(folder, "project"), "1.0.0")
  rmSync(join(folder, "project", "node_modules", ".package-lock.json"))
  expect(resolve([NAME])).toEqual({ ...UNKNOWN, version: "1.0.0" })
})

test.each([
  { command: "uvx", args: ["mcp-server-time==2.0.0"], version: "2.0.0" },
  { command: "uvx", args: ["mcp-server-time"], version: null },
  { command: "node", args: ["server.js"], version: null },
  { command: "pnpm", args: ["dlx", NAME], version: null },
])("$command $args", ({ command, args, version }) => {
  install(join(folder, "project"), "1.0.0")
  expect(resolve(args, { command })).toEqual({ ...UNKNOWN, version })
})
