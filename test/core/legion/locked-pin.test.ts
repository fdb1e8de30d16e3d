// Pins of dialect legion in our own lockfile, through verifyLockfile: proven, unapproved, unknown, refuted.
import { describe, expect, test } from "vitest"
import { formatDefinitions } from "../../../src/core/definitions.js"
import { forkEvidenceOf, verifyForkEvidence } from "../../../src/core/fork-evidence.js"
import type { JsonObject } from "../../../src/core/json.js"
import { parseBundle } from "../../../src/core/legion/bundle.js"
import { verifyLegionKeyring } from "../../../src/core/legion/keyring.js"
import { computeLockedPinDigest, digestsOf } from "../../../src/core/legion/locked-pin.js"
import { requireRecord } from "../../../src/core/legion/record.js"
import { verifyBundle } from "../../../src/core/legion/verify-bundle.js"
import { formatLockfile, type Lockfile, type Pin, parseLockfile } from "../../../src/core/lockfile.js"
import type { PinnedRoot } from "../../../src/core/root.js"
import { parseSurface } from "../../../src/core/section.js"
import { verifyLockfile } from "../../../src/core/verify-lockfile.js"
import { type LegionTestLog, makeLegionKey, makeLegionLog, ROOT, toolOf } from "../../fakes/legion-log.js"

const ORIGIN = "tlog.example.com/mcp/v0"
const TOOLS = [toolOf("a"), { ...toolOf("b"), inputSchema: { default: 1.5 } }]
const LOG = makeLegionLog([
  { serverId: "io.test/one", tools: TOOLS, version: "v1" },
  { serverId: "io.test/two", tools: [] },
  { serverId: "io.test/one", tools: [toolOf("a")] },
])

function pinAt(log: LegionTestLog, leaf: number, name: string): Pin {
  const evidence = JSON.stringify(log.bundle(leaf))
  const keyring = verifyLegionKeyring({ text: log.keyring })
  const bundle = parseBundle(evidence)
  const record = requireRecord(verifyBundle({ bundle, keyring, serverId: String(bundle.record.server_id) }).entry)
  const target = { url: `https://${name}.example.com/mcp`, headers: {} }
  const pin = computeLockedPinDigest({ log: ORIGIN, target }, record)
  return {
    from: [],
    target,
    log: ORIGIN,
    record: null,
    index: null,
    head: null,
    proof: null,
    observation: null,
    evidence,
    tools: digestsOf(record),
    prompts: {},
    templates: {},
    masks: [],
    read: {},
    approved: { pin, from: null, at: "2026-05-01T00:00:00Z", by: "t", reason: null, only: null },
  }
}

const lockfileOf = (servers: Readonly<Record<string, Pin>>, keyring = LOG.keyring): Lockfile => ({
  format: "toolsum-lock/v1",
  logs: {
    [ORIGIN]: { dialect: "legion", url: "https://tlog.example.com/tlog/v1", keyring: [keyring], heads: {}, links: {} },
  },
  servers,
  removed: {},
})

const root: PinnedRoot = { dialect: "legion", name: null, fingerprint: ROOT.pin, floor: null, source: "flag" }
const ONE = pinAt(LOG, 0, "one")

const verify = (
  servers: Readonly<Record<string, Pin>>,
  more: {
    roots?: readonly PinnedRoot[]
    definitions?: Record<string, Uint8Array | null>
    keyring?: string
    underBase?: boolean
  } = {},
) => {
  const { roots = [root], keyring, ...rest } = more
  const lockfile = parseLockfile(formatLockfile(lockfileOf(servers, keyring)))
  return verifyLockfile({ lockfile, roots, nowSec: 1780000000n, ...rest })
}

describe("a pin of dialect legion", () => {
  test("is proven, and says what it covers and what not", () => {
    const { servers, exitCode, roots } = verify({ one: ONE, two: pinAt(LOG, 1, "two") })
    expect([exitCode, roots]).toEqual([0, [{ log: ORIGIN, fingerprint: ROOT.pin, source: "flag" }]])
    expect(servers.find(({ name }) => name === "one")).toMatchObject({
      subject: "io.test/one",
      version: null,
      verdict: "PROVEN",
      covered: [{ section: "tools", fields: ["description", "inputSchema", "name"] }],
      head: { origin: ORIGIN, size: 3n },
      record: { index: 0n },
      items: { tools: 2 },
      pin: ONE.approved?.pin,
    })
  })

  const edited = (edit: (bundle: Record<string, JsonObject>) => void): Pin => {
    const bundle = structuredClone(LOG.bundle(0)) as Record<string, JsonObject>
    edit(bundle)
    return { ...ONE, evidence: JSON.stringify(bundle) }
  }
  const [first = ""] = Object.keys(ONE.tools)

  test.each<{ name: string; pin: Pin; roots?: readonly PinnedRoot[]; answer: string }>([
    { name: "without a root", pin: ONE, roots: [], answer: "UNKNOWN(root_not_pinned)" },
    {
      name: "under another root by name",
      pin: ONE,
      roots: [{ ...root, name: ORIGIN, fingerprint: makeLegionKey("x").pin }],
      answer: "REJECTED(ROOT_MISMATCH)",
    },
    { name: "without approval", pin: { ...ONE, approved: null }, answer: "CHANGED(unapproved)" },
    {
      name: "approved for another target",
      pin: { ...ONE, target: { url: "https://else.example.com/", headers: {} } },
      answer: "CHANGED(unapproved)",
    },
    {
      name: "with the evidence of a newer record",
      pin: { ...pinAt(LOG, 2, "one"), approved: ONE.approved },
      answer: "CHANGED(unapproved)",
    },
    {
      name: "with an edited record",
      pin: edited((b) => {
        b.record = { ...b.record, observed_at: "2026-03-01T00:00:09Z" }
      }),
      answer: "REJECTED(SIGNATURE_INVALID)",
    },
    {
      name: "with another proof",
      pin: edited((b) => {
        b.inclusion = LOG.bundle(1).inclusion as JsonObject
      }),
      answer: "REJECTED(INCLUSION_INVALID)",
    },
    { name: "with evidence that cannot be read", pin: { ...ONE, evidence: "{" }, answer: "UNKNOWN(malformed)" },
    {
      name: "with another tool",
      pin: { ...ONE, tools: { ...ONE.tools, [first]: `sha256:${"0".repeat(64)}` } },
      answer: "REJECTED(RECORD_INVALID)",
    },
    {
      name: "with a tool more",
      pin: { ...ONE, tools: { ...ONE.tools, z: `sha256:${"0".repeat(64)}` } },
      answer: "REJECTED(RECORD_INVALID)",
    },
    {
      name: "with prompts",
      pin: { ...ONE, prompts: { p: `sha256:${"0".repeat(64)}` } },
      answer: "REJECTED(RECORD_INVALID)",
    },
    { name: "with resources", pin: { ...ONE, resources: {} }, answer: "REJECTED(RECORD_INVALID)" },
  ])("$name is $answer", ({ pin, roots, answer }) => {
    const [server] = verify({ one: pin }, roots ? { roots } : {}).servers
    expect(`${server?.verdict}(${server?.reason})`, server?.detail ?? "").toBe(answer)
  })

  test("is unknown where the keyring cannot be read", () => {
    expect(verify({ one: ONE }, { keyring: "{" }).servers).toMatchObject([{ verdict: "UNKNOWN", reason: "malformed" }])
  })

  test("two roots of one size refute the log for every pin", () => {
    const fork = makeLegionLog([0, 1, 2].map((n) => ({ serverId: `io.fork/${n}`, tools: [] })))
    const { servers, refuted, exitCode } = verify({ one: ONE, fork: pinAt(fork, 0, "fork") })
    expect([exitCode, refuted.map(({ error }) => error.code)]).toEqual([3, ["LOG_INCONSISTENT"]])
    expect(servers.map(({ reason }) => reason)).toEqual(["LOG_INCONSISTENT", "LOG_INCONSISTENT"])
    const evidence = refuted[0] && forkEvidenceOf(refuted[0].error, ORIGIN)
    expect(evidence && verifyForkEvidence({ evidence, roots: [root], nowSec: 1780000000n }).isProven).toBe(true)
  })
})

describe("its definitions file", () => {
  const bytesOf = (surface: JsonObject) => new TextEncoder().encode(formatDefinitions(parseSurface(surface), ["tools"]))
  const verifyWith = (definitions: Uint8Array | null, underBase = false) =>
    verify({ one: ONE }, { definitions: { one: definitions }, underBase }).servers[0]

  test("has the archived tools, which hash to the record's fingerprint", () => {
    expect(verifyWith(bytesOf({ tools: TOOLS }))).toMatchObject({ verdict: "PROVEN", warnings: [] })
  })

  test.each<{ name: string; bytes: Uint8Array }>([
    { name: "other tools", bytes: bytesOf({ tools: [toolOf("a")] }) },
    { name: "more than tools", bytes: bytesOf({ tools: TOOLS, instructions: "x" }) },
    { name: "nothing that can be read", bytes: new Uint8Array(1) },
  ])("refutes the pin with $name", ({ bytes }) =>
    expect(verifyWith(bytes)).toMatchObject({ verdict: "REJECTED", reason: "RECORD_INVALID" }),
  )

  test("may be missing, but not where it is demanded", () => {
    expect(verifyWith(null)).toMatchObject({ verdict: "PROVEN", warnings: ["definitions_missing:one"] })
    expect(verifyWith(null, true)).toMatchObject({ verdict: "UNKNOWN", reason: "incomplete" })
  })
})
