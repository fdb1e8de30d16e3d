// `verify` as users start it opens no socket, asks no name server, starts no process and no thread, and loads neither a network library
// nor the MCP SDK: run where all of these throw, and once more where what was loaded is listed.
import { spawnSync } from "node:child_process"
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { bundleCommand } from "../../scripts/bundle.mjs"
import { formatForkEvidence } from "../../src/core/fork-evidence.js"
import type { JsonValue } from "../../src/core/json.js"
import { sharePinnedWorld } from "../fakes/cli-world.js"
import { formatPinnedLeaves, makeServersLog } from "../fakes/legion-lockfile.js"
import { ROOT as LEGION_ROOT } from "../fakes/legion-log.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const PRELOAD = fileURLToPath(new URL("../fixtures/isolation.mjs", import.meta.url))

/** Node's modules that reach beyond the process. */
const FORBIDDEN = ["net", "dns", "tls", "http", "https", "http2", "dgram", "child_process", "worker_threads", "cluster"]

const pinned = sharePinnedWorld()
let installed = ""

beforeAll(async () => {
  installed = await mkdtemp(join(tmpdir(), "toolsum-test-"))
  await installCommand(installed)
}, 60_000)
afterAll(() => rm(installed, { recursive: true, force: true }))

/** The command in a folder where every package that it may import only says that it was loaded, and fails. */
async function installCommand(folder: string): Promise<void> {
  await mkdir(join(folder, "dist", "cli"), { recursive: true })
  await bundleCommand(join(folder, "dist", "cli"))
  const manifest = await readFile(join(ROOT, "package.json"), "utf8")
  await writeFile(join(folder, "package.json"), manifest)
  for (const name of Object.keys(JSON.parse(manifest).dependencies)) await writeTrap(folder, name)
}

async function writeTrap(folder: string, name: string): Promise<void> {
  const at = join(folder, "node_modules", name)
  await mkdir(at, { recursive: true })
  await writeFile(
    join(at, "package.json"),
    JSON.stringify({ name, version: "1.0.0", exports: { ".": "./index.cjs", "./*": "./index.cjs" } }),
  )
  await writeFile(join(at, "index.cjs"), `throw new Error("isolation: package ${name} was loaded")\n`)
}

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Node's modules and files. */
  readonly loaded: { readonly node: readonly string[]; readonly files: readonly string[] }
}

async function run(argv: readonly string[], options: { isolate: boolean; cwd?: string }): Promise<Run> {
  const world = pinned()
  const report = join(await makeTempFolder(), "loaded.json")
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", PRELOAD, ...argv], {
    cwd: options.cwd ?? world.folder,
    env: { ...world.env, LOADED_FILE: report, ...(options.isolate ? { ISOLATE: "1" } : {}) },
    encoding: "utf8",
  })
  return { code: status, stdout, stderr, loaded: JSON.parse(await readFile(report, "utf8")) }
}

const command = (...argv: readonly string[]) => [join(installed, "dist", "cli", "bin.js"), ...argv]

/** A copy of the pinned project with its lockfile changed. */
async function copyProject(change: (text: string) => string): Promise<string> {
  const { folder } = pinned()
  const copy = await makeTempFolder()
  await mkdir(join(copy, ".git"))
  await writeFile(join(copy, "toolsum.lock.json"), change(await readFile(join(folder, "toolsum.lock.json"), "utf8")))
  await symlink(join(folder, ".mcp-tools"), join(copy, ".mcp-tools"))
  await writeFile(join(copy, ".mcp.json"), '{ "mcpServers": {} }')
  return copy
}

/** An id that only the rules of an analysis name: `verify` looks at digests, not at words. */
const A_RULE = "hidden-text.tags"

const CASES = [
  { name: "a good lockfile", argv: ["verify"], code: 0, says: "PROVEN" },
  {
    name: "a client configuration beside it",
    argv: ["verify"],
    change: (text: string) => text,
    code: 0,
    says: "PROVEN",
  },
  { name: "--json", argv: ["verify", "--json"], code: 0, says: '"PROVEN"' },
  { name: "--explain", argv: ["verify", "--explain"], code: 0, says: "PROVEN" },
  {
    name: "an edited record",
    argv: ["verify"],
    change: (text: string) => text.replace(/(\\nsurface sha256:)[0-9a-f]{4}/, "$10000"),
    code: 3,
    says: "REJECTED",
  },
  {
    name: "a log behind a URL and a server behind another",
    argv: ["verify"],
    change: (text: string) =>
      text
        .replace('"url": null', '"url": "https://log.example.com/"')
        .replace(/"target": \{[^}]*\}/, '"target": { "url": "https://example.com/mcp", "headers": {} }'),
    code: 3,
    says: "REJECTED",
  },
  { name: "no lockfile", argv: ["verify", "--lock", "nowhere.json"], code: 2, says: "" },
]

describe.each(CASES)("verify: $name", ({ argv, change, code, says }) => {
  const project = async () => (change ? await copyProject(change) : pinned().folder)

  test("where sockets, names, processes and threads throw", async () => {
    const outcome = await run(command(...argv), { isolate: true, cwd: await project() })
    expect(outcome.stderr).not.toContain("isolation")
    expect([outcome.code, outcome.stdout]).toEqual([code, expect.stringContaining(says)])
  })

  test("loads nothing that could reach out", async () => {
    const outcome = await run(command(...argv), { isolate: false, cwd: await project() })
    expect(outcome.code).toBe(code)
    expect(outcome.loaded.node.filter((name) => FORBIDDEN.includes(name))).toEqual([])
    expect(new Set(outcome.loaded.files.map((file) => dirname(file)))).toEqual(
      new Set([join(installed, "dist", "cli")]),
    )
    for (const file of outcome.loaded.files) expect(await readFile(file, "utf8"), file).not.toContain(A_RULE)
  })
})

test("verify: evidence of a reading", async () => {
  const world = pinned()
  const evidence = join(await makeTempFolder(), "evidence")
  const launch = (await world.readLock()).servers.notes.target
  const words = ["--subject", "local:notes", "--save", evidence, "--", launch.command, ...launch.args]
  await world.expect(0, "verify-server", ...words)
  const outcome = await run(command("verify", evidence), { isolate: true })
  expect(outcome.stderr).not.toContain("isolation")
  expect([outcome.code, outcome.stdout]).toEqual([0, expect.stringContaining("UNCHANGED")])
  const { loaded } = await run(command("verify", evidence), { isolate: false })
  expect(loaded.node.filter((name) => FORBIDDEN.includes(name))).toEqual([])
  expect(new Set(loaded.files.map((file) => dirname(file)))).toEqual(new Set([join(installed, "dist", "cli")]))
})

test("verify: a LEGION lockfile, its evidence, evidence of its fork, and a signed head with its anchor", async () => {
  const folder = await makeTempFolder()
  const log = makeServersLog(["io.example/files"])
  const head = { sth: log.head(1) }
  const evidence = {
    ...{ schema: "legion-verify-evidence/0.1", server_id: "io.example/files", url: null, fetched_at: "now" },
    ...{ auth_required: false, http_status: null, live_tools: null, bundle: log.bundle(0), keyring: log.keyring },
    ...{ history: null, signed_tools: null, newer_uncovered_records: 0 },
  }
  const forge = (body: Record<string, JsonValue>) => Object.assign(body, { root_sha256: "0".repeat(64) })
  const files = {
    ...{ "lock.json": formatPinnedLeaves(log, [0]), "keyring.jsonl": log.keyring, anchor: "{}" },
    ...{ "evidence.json": JSON.stringify(evidence), "head.json": JSON.stringify(head) },
    "x.tlog-fork": formatForkEvidence({
      ...{ code: "LOG_INCONSISTENT", origin: "log.test/legion", why: "kept", prefix: null, keyrings: [log.keyring] },
      ...{ a: JSON.stringify(log.head(1)), b: JSON.stringify(log.head(1, { edit: forge })) },
    }),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  await cp(join(ROOT, "vendor-keys"), join(installed, "vendor-keys"), { recursive: true })
  const cases = [
    { argv: ["lock.json"], code: 0, says: "PROVEN" },
    { argv: ["evidence.json"], code: 2, says: "UNKNOWN" },
    { argv: ["x.tlog-fork"], code: 1, says: "signed two trees of size 1" },
    { argv: ["head.json", "--keyring", "keyring.jsonl", "--anchors", "anchor"], code: 2, says: "not checked" },
  ]
  for (const { argv, code, says } of cases)
    for (const isolate of [true, false]) {
      const outcome = await run(command("verify", ...argv, "--root", LEGION_ROOT.pin), { isolate, cwd: folder })
      expect(outcome.stderr).not.toContain("isolation")
      expect([outcome.code, outcome.stdout]).toEqual([code, expect.stringContaining(says)])
      if (!isolate) expect(outcome.loaded.node.filter((name) => FORBIDDEN.includes(name))).toEqual([])
    }
  const shipped = await run(command("verify", "lock.json"), { isolate: true, cwd: folder })
  expect([shipped.code, shipped.stdout]).toEqual([3, expect.stringContaining("vendor-keys")])
})

test("the traps catch what they are for", async () => {
  const caught = async (code: string) => (await run(["--input-type=module", "-e", code], { isolate: true })).stderr
  expect(await caught('import { connect } from "node:net"; connect(80)')).toContain("net.connect was called")
  expect(await caught('new (await import("node:net")).Socket().connect(80)')).toContain("net.Socket.connect was called")
  expect(await caught('import { lookup } from "node:dns/promises"; lookup("x")')).toContain(
    "dns.promises.lookup was called",
  )
  expect(await caught('import { spawn } from "node:child_process"; spawn("x")')).toContain(
    "child_process.spawn was called",
  )
  expect(await caught('fetch("http://127.0.0.1:1")')).toContain("globalThis.fetch was called")
  const listing = await run(["--input-type=module", "-e", 'import "node:net"'], { isolate: false })
  expect(listing.loaded.node).toContain("net")
  const loading = await run(command("add", "x", "--", "node", "x.mjs"), { isolate: true, cwd: await makeTempFolder() })
  expect(loading.stderr).toContain("isolation")
})

test("there are packages to load and files that would load them", async () => {
  const files = await readdir(join(installed, "dist", "cli"))
  const texts = await Promise.all(files.map((file) => readFile(join(installed, "dist", "cli", file), "utf8")))
  for (const name of ["undici", "@modelcontextprotocol/client", "zod", "jsonc-parser", "picocolors"])
    expect(texts.some((text) => text.includes(`import("${name}`) || text.includes(`require("${name}`))).toBe(true)
  expect(texts.some((text) => text.includes(A_RULE))).toBe(true)
})
