// Ours beside LEGION's own client, against its simulated log in every honest and every misbehaving mode: the same verdict where the log is
// honest, and where it is not, ours has the lie with its reason. Prints a table of both.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { createHttpLegionLog } from "../../src/adapters/legion-http.js"
import { createHttpToolSource } from "../../src/adapters/mcp-http.js"
import { createHttpRegistry } from "../../src/adapters/mcp-registry-http.js"
import { type LegionClient, openLegionLog } from "../../src/client/legion-log.js"
import { ToolsumError } from "../../src/core/errors.js"
import { formatLegionEvidence, parseLegionEvidence } from "../../src/core/legion/evidence.js"
import {
  createLegionLockfile,
  formatLegionLockfile,
  parseLegionLockfile,
  pinInLegionLockfile,
} from "../../src/core/legion/lockfile.js"
import { verifyLegionEvidence } from "../../src/core/legion/verify-evidence.js"
import { verifyLegionLockfile } from "../../src/core/legion/verify-lockfile.js"
import type { PinnedRoot } from "../../src/core/root.js"
import { checkLegionLockfile } from "../../src/features/legion-check-lockfile.js"
import { judgeLegionEvidence } from "../../src/features/legion-evidence-report.js"
import { findUrlOf } from "../../src/features/legion-subject.js"
import { verifyLegionServer } from "../../src/features/legion-verify-server.js"
import { DEFAULT_READ_LIMITS } from "../../src/ports.js"
import { MemoryState } from "../fakes/memory-state.js"
import {
  canRunLegion,
  INSTALL_TIMEOUT_MS,
  installLegion,
  type LegionInstallation,
  runLegion,
  type SimulatedLog,
  startLog,
} from "./simulated-log.js"

const FILES = "io.sim/files"
const ORIGIN = "tlog.legion-api.com/mcp/v0"
const LOCKFILE = ".mcp-tools.lock.json"
const now = () => Math.floor(Date.now() / 1000)

let installed: LegionInstallation
const table: string[] = []

const said = ({ verdict, reason }: { verdict: string; reason: string | null }) =>
  reason === null ? verdict : `${verdict}(${reason})`

const rootsOf = ({ rootPin }: SimulatedLog): readonly PinnedRoot[] => [
  { dialect: "legion", name: ORIGIN, fingerprint: rootPin, floor: null, source: "flag" },
]

const HTTP = { env: {}, allowLoopbackHttp: true }

/** A log until the test ends. */
async function start(switches: readonly string[]): Promise<SimulatedLog> {
  const log = await startLog(installed, switches)
  onTestFinished(() => log.stop())
  return log
}

async function open(log: SimulatedLog, state: MemoryState): Promise<LegionClient> {
  const source = createHttpLegionLog(log.base, HTTP)
  onTestFinished(() => source.close())
  const expectedRoot = log.rootPin
  return openLegionLog({ source, origin: ORIGIN, roots: rootsOf(log), expectedRoot, state, clock: now })
}

const openOrSay = (log: SimulatedLog, state: MemoryState): Promise<LegionClient | ToolsumError> =>
  open(log, state).catch((error: unknown) => {
    if (error instanceof ToolsumError) return error
    throw error
  })

/** A folder until the test ends. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolsum-test-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

interface Added {
  readonly id?: string
  readonly leaf?: bigint
  readonly head?: bigint
}

const addLine = ({ id = FILES, leaf, head }: Added): readonly string[] => [
  ...["add", id],
  ...(leaf === undefined ? [] : ["--at-leaf", `${leaf}`]),
  ...(head === undefined ? [] : ["--at-head", `${head}`]),
]

/** What `legion-lock add` writes, made by us. */
async function addOurs(
  log: SimulatedLog,
  { id = FILES, leaf = null, head = null }: { id?: string; leaf?: bigint | null; head?: bigint | null },
  state: MemoryState,
): Promise<string> {
  const client = await open(log, state)
  const asked = { serverId: id, leafIndex: leaf, treeSize: head }
  const served = leaf === null && head === null ? await client.latest(id) : await client.recordAt(asked)
  if (served === null) throw new ToolsumError("RESOURCE_MISSING", "no record")
  const empty = createLegionLockfile({ base: log.base, origin: ORIGIN, rootPin: log.rootPin })
  const pin = {
    record: served.record,
    treeSize: served.head.size,
    evidence: served.bundle.document,
    keyring: client.keyringText,
    pinnedAt: "2026-01-01T00:00:00Z",
  }
  return formatLegionLockfile(pinInLegionLockfile(empty, pin))
}

const checkOurs = async (
  log: SimulatedLog,
  text: string,
  { state, exhaustive }: { state: MemoryState; exhaustive: boolean },
): Promise<string> => {
  const lockfile = parseLegionLockfile(text)
  const offline = verifyLegionLockfile({ lockfile, roots: rootsOf(log), nowSec: BigInt(now()) })
  const opened = await openOrSay(log, state)
  const asked = { offline, names: null, log: opened, strict: false, exhaustive, nowSec: now() }
  const report = await checkLegionLockfile(lockfile, asked)
  return report.servers.map(said).join()
}

/** The same bytes but for when they were written. */
const withoutTime = (text: string): string => text.replace(/"pinned_at": "[^"]*"/g, '"pinned_at": ""')

interface Scenario {
  readonly name: string
  readonly add?: Added
  readonly later: readonly string[]
  /** True to read every entry of the log. */
  readonly exhaustive?: boolean
  /** Exit code of legion-lock check. */
  readonly theirs: number
  readonly ours: string
}

const OLD: Added = { leaf: 10n, head: 20n }

const CHECKS: readonly Scenario[] = [
  { name: "honest", later: [], theirs: 0, ours: "UNCHANGED" },
  { name: "honest: an old leaf", add: OLD, later: [], theirs: 1, ours: "CHANGED(surface)" },
  { name: "honest: 429 twice", later: ["--429", "2"], theirs: 0, ours: "UNCHANGED" },
  { name: "honest: slow", later: ["--slow", "0.05"], theirs: 0, ours: "UNCHANGED" },
  { name: "rollback below the pin", later: ["--rollback"], theirs: 2, ours: "REJECTED(LOG_ROLLBACK)" },
  { name: "rollback above the pin", add: OLD, later: ["--rollback"], theirs: 1, ours: "REJECTED(LOG_ROLLBACK)" },
  { name: "fork after the pin", add: OLD, later: ["--fork-at", "25"], theirs: 1, ours: "REJECTED(LOG_INCONSISTENT)" },
  { name: "fork before the pin", add: OLD, later: ["--fork-at", "15"], theirs: 2, ours: "REJECTED(LOG_INCONSISTENT)" },
  { name: "fork at one size", later: ["--fork-at", "15"], theirs: 2, ours: "REJECTED(LOG_INCONSISTENT)" },
  { name: "rewrite", add: OLD, later: ["--rewrite"], theirs: 2, ours: "REJECTED(LOG_INCONSISTENT)" },
  { name: "bad archive", add: OLD, later: ["--bad-archive"], theirs: 2, ours: "REJECTED(HASH_MISMATCH)" },
  { name: "omit newest", later: ["--omit-newest"], theirs: 0, ours: "REJECTED(LOG_ROLLBACK)" },
  {
    name: "omit newest above the pin, every entry read",
    add: OLD,
    later: ["--omit-newest"],
    exhaustive: true,
    theirs: 1,
    ours: "REJECTED(LOG_ROLLBACK)",
  },
  { name: "stale head", later: ["--stale"], theirs: 0, ours: "UNKNOWN(log_behind)" },
  { name: "shorter keyring", later: ["--short-keyring"], theirs: 0, ours: "REJECTED(LOG_ROLLBACK)" },
  { name: "500", later: ["--http-500"], theirs: 2, ours: "UNKNOWN(log_unreachable)" },
  { name: "429 for ever", later: ["--429", "9"], theirs: 2, ours: "UNKNOWN(log_unreachable)" },
  { name: "redirect to another host", later: ["--redirect"], theirs: 0, ours: "UNKNOWN(log_unreachable)" },
  { name: "oversize keyring", later: ["--oversize", "keyring"], theirs: 0, ours: "UNKNOWN(log_unreachable)" },
  { name: "oversize latest", later: ["--oversize", "latest"], theirs: 0, ours: "UNKNOWN(log_unreachable)" },
  { name: "deep nesting", later: ["--deep"], theirs: 1, ours: "UNKNOWN(malformed)" },
]

interface Live {
  readonly name: string
  readonly mode: string
  readonly id: string | null
  /** Server whose list is given. */
  readonly of?: string
  readonly with?: readonly string[]
  readonly exhaustive?: boolean
  readonly theirs: number
  readonly ours: string
}

const LIVE: readonly Live[] = [
  { name: "live: same", mode: "same", id: FILES, theirs: 0, ours: "UNCHANGED" },
  { name: "live: found by its list", mode: "same", of: "io.sim/bare", id: null, theirs: 0, ours: "UNCHANGED" },
  {
    name: "live: several have the list",
    mode: "same",
    of: "ODD",
    id: null,
    theirs: 3,
    ours: "UNKNOWN(ambiguous_subject)",
  },
  { name: "live: never signed", mode: "changed", id: null, theirs: 3, ours: "UNKNOWN(never_signed)" },
  { name: "live: changed", mode: "changed", id: FILES, theirs: 1, ours: "CHANGED(surface)" },
  { name: "live: a tool added", mode: "added", id: FILES, theirs: 1, ours: "CHANGED(surface)" },
  { name: "live: 401", mode: "auth", id: FILES, theirs: 3, ours: "AUTH(refused)" },
  { name: "live: event stream", mode: "sse", id: FILES, theirs: 0, ours: "UNCHANGED" },
  { name: "live: pages", mode: "pages", id: FILES, theirs: 0, ours: "UNCHANGED" },
  {
    name: "live: big integers",
    mode: "same",
    of: "com.example.sim/big",
    id: "com.example.sim/big",
    theirs: 0,
    ours: "UNCHANGED",
  },
  {
    name: "live: unicode",
    mode: "same",
    of: "com.example.sim/unicode",
    id: "com.example.sim/unicode",
    theirs: 0,
    ours: "UNCHANGED",
  },
  { name: "live: unknown id", mode: "same", id: "io.sim/none", theirs: 3, ours: "UNKNOWN(never_signed)" },
  { name: "live: tools after page 50", mode: "endless", id: FILES, theirs: 0, ours: "CHANGED(surface)" },
  { name: "live: other tools for other clients", mode: "cloak", id: FILES, theirs: 0, ours: "CHANGED(surface)" },
  {
    name: "live: 500 for an id with 404 in it",
    mode: "same",
    id: "io.sim/x404",
    with: ["--http-500", "latest"],
    theirs: 3,
    ours: "UNKNOWN(log_unreachable)",
  },
  {
    name: "live: unsigned history",
    mode: "same",
    id: FILES,
    with: ["--unsigned-history"],
    theirs: 0,
    ours: "UNCHANGED",
  },
  {
    name: "live: bad archive",
    mode: "same",
    id: FILES,
    with: ["--bad-archive"],
    theirs: 2,
    ours: "REJECTED(HASH_MISMATCH)",
  },
  {
    name: "live: omit newest, every entry read",
    mode: "same",
    id: FILES,
    with: ["--omit-newest"],
    exhaustive: true,
    theirs: 0,
    ours: "REJECTED(LOG_ROLLBACK)",
  },
  { name: "live: stale head", mode: "same", id: FILES, with: ["--stale"], theirs: 0, ours: "UNKNOWN(log_behind)" },
]

const readLive = (url: string) =>
  createHttpToolSource({
    target: { url, headers: {} },
    environment: {},
    placeholders: [],
    clientVersion: "0.0.0",
    addresses: "loopback",
    clientCredentials: [],
  }).read({ sections: ["tools"], limits: DEFAULT_READ_LIMITS })

async function verifyOurs(log: SimulatedLog, url: string, id: string | null, exhaustive = false) {
  const registry = createHttpRegistry(log.registry, HTTP)
  onTestFinished(() => registry.close())
  const opened = openOrSay(log, new MemoryState())
  const input = { name: "server", url, serverId: id, log: opened, origin: ORIGIN, registry, exhaustive, nowSec: now() }
  return verifyLegionServer({ ...input, read: () => readLive(url) })
}

describe.skipIf(!canRunLegion)("beside LEGION's own client", () => {
  beforeAll(() => {
    installed = installLegion()
  }, INSTALL_TIMEOUT_MS)

  afterAll(() => {
    installed.remove()
    process.stdout.write(`${["", "scenario | legion-lock, legion-verify | toolsum", ...table].join("\n")}\n`)
  })

  test.each(CHECKS)("check: $name", async ({ name, add = {}, later, exhaustive = false, theirs, ours }) => {
    const folder = makeFolder()
    const state = new MemoryState()
    const first = await start([])
    const added = await runLegion(installed, first, { tool: "lock", args: addLine(add), cwd: folder })
    expect(added).toMatchObject({ code: 0 })
    const text = readFileSync(join(folder, LOCKFILE), "utf8")
    expect(withoutTime(await addOurs(first, add, state))).toBe(withoutTime(text))
    await first.stop()
    const second = await start(later)
    const run = await runLegion(installed, second, { tool: "lock", args: ["check"], cwd: folder })
    const verdict = await checkOurs(second, text, { state, exhaustive })
    table.push(`${name} | exit ${run.code} | ${verdict}`)
    expect([run.code, verdict]).toEqual([theirs, ours])
  })

  test("a lockfile of ours is one of theirs", async () => {
    const folder = makeFolder()
    const log = await start([])
    writeFileSync(join(folder, LOCKFILE), await addOurs(log, OLD as { leaf: bigint; head: bigint }, new MemoryState()))
    const verified = await runLegion(installed, log, { tool: "lock", args: ["verify"], cwd: folder })
    const checked = await runLegion(installed, log, { tool: "lock", args: ["check"], cwd: folder })
    expect([verified.code, checked.code]).toEqual([0, 1])
  })

  test("adding a server with a revoked key, or none, is refused by both", async () => {
    const log = await start([])
    const codes = { "io.sim/compromised": "KEY_NOT_VALID_AT_SIZE", "io.sim/none": "RESOURCE_MISSING" }
    for (const [id, code] of Object.entries(codes)) {
      const run = await runLegion(installed, log, { tool: "lock", args: ["add", id], cwd: makeFolder() })
      expect(run.code).toBe(2)
      await expect(addOurs(log, { id }, new MemoryState())).rejects.toMatchObject({ code })
    }
  })

  test("a key that comes back because the keyring got shorter is refused by whoever saw the longer one", async () => {
    const state = new MemoryState()
    await addOurs(await start([]), {}, state)
    const log = await start(["--short-keyring"])
    const run = await runLegion(installed, log, {
      tool: "lock",
      args: ["add", "io.sim/compromised"],
      cwd: makeFolder(),
    })
    table.push(`add: shorter keyring | exit ${run.code} | REJECTED(LOG_ROLLBACK)`)
    expect(run.code).toBe(0)
    await expect(addOurs(log, { id: "io.sim/compromised" }, state)).rejects.toMatchObject({ code: "LOG_ROLLBACK" })
  })

  test.each(LIVE)(
    "$name",
    async ({ name, mode, id, of = id ?? FILES, with: switches = [], exhaustive = false, theirs, ours }) => {
      const folder = makeFolder()
      const log = await start(switches)
      const odd = log.servers.find((server) => server.includes("odd id")) ?? ""
      const list = log.servers.includes(of) ? of : of === "ODD" ? odd : FILES
      const url = `${log.mcp}/${mode}/${encodeURIComponent(list)}`
      const args = [url, ...(id === null ? [] : ["--id", id])]
      const run = await runLegion(installed, log, {
        tool: "verify",
        args: [...args, "--save", "theirs.json"],
        cwd: folder,
      })
      const { server, evidence } = await verifyOurs(log, url, id, exhaustive)
      table.push(`${name} | exit ${run.code} | ${said(server)}`)
      expect([run.code, said(server)]).toEqual([theirs, ours])
      if (ours !== "UNCHANGED" && !ours.startsWith("CHANGED") && !ours.startsWith("AUTH")) return
      writeFileSync(join(folder, "ours.json"), formatLegionEvidence(evidence()))
      const again = await runLegion(installed, log, { tool: "verify", args: ["--offline", "ours.json"], cwd: folder })
      expect(again.code).toBe({ UNCHANGED: 0, "CHANGED(surface)": 1 }[ours] ?? 3)
      if (theirs !== (again.code as number) || switches.includes("--unsigned-history")) return
      const saved = parseLegionEvidence(readFileSync(join(folder, "theirs.json")))
      const verified = verifyLegionEvidence({ evidence: saved, roots: rootsOf(log) })
      expect(said(judgeLegionEvidence({ evidence: saved, verified, nowSec: BigInt(now()) }))).toBe(ours)
      expect(formatLegionEvidence(saved)).toBe(readFileSync(join(folder, "theirs.json"), "utf8"))
    },
  )

  test("a registry's URL of an id is read", async () => {
    const log = await start([])
    const registry = createHttpRegistry(log.registry, HTTP)
    onTestFinished(() => registry.close())
    const url = await findUrlOf(registry, FILES)
    expect(url).toBe(`${log.mcp}/same/io.sim%2Ffiles`)
    const { server } = await verifyOurs(log, url, FILES)
    const run = await runLegion(installed, log, { tool: "verify", args: [FILES], cwd: makeFolder() })
    table.push(`live: by id, through the registry | exit ${run.code} | ${said(server)}`)
    expect([run.code, said(server)]).toEqual([0, "UNCHANGED"])
  })

  test("history that nobody signed is named", async () => {
    const log = await start(["--unsigned-history"])
    const { server } = await verifyOurs(log, `${log.mcp}/same/${encodeURIComponent(FILES)}`, FILES)
    expect(server.warnings).toEqual([expect.stringMatching(/^history_ignored:leaf \d+: .*no signature/)])
  })
})
