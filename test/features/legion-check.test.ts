// Pins of LEGION records beside log and server: every check case of the shared vectors as a verdict, and each way in which a log or a server can
// depart from a pin, told by the right verdict and reason.
import { describe, expect, test } from "vitest"
import { openLegionLog } from "../../src/client/legion-log.js"
import { ToolsumError } from "../../src/core/errors.js"
import { parseBundle } from "../../src/core/legion/bundle.js"
import {
  createLegionLockfile,
  type LegionLockfile,
  parseLegionLockfile,
  pinInLegionLockfile,
} from "../../src/core/legion/lockfile.js"
import { parseLegionEntry, requireRecord } from "../../src/core/legion/record.js"
import { verifyLegionLockfile } from "../../src/core/legion/verify-lockfile.js"
import { verifyLegionPin } from "../../src/core/legion/verify-pin.js"
import type { LockfileReport } from "../../src/core/lockfile-report.js"
import type { PinnedRoot } from "../../src/core/root.js"
import type { ServerVerdict } from "../../src/core/verdict.js"
import { checkLegionPins, type LegionState } from "../../src/features/legion-check.js"
import { checkLegionLockfile } from "../../src/features/legion-check-lockfile.js"
import { isNewest, MAX_LEGION_ENTRIES_READ } from "../../src/features/legion-newest.js"
import { DEFAULT_READ_LIMITS, type LegionLog, type ServerReading } from "../../src/ports.js"
import { type LegionCase, legionCases } from "../core/legion/vectors.js"
import {
  KEYRING,
  type LegionTestLog,
  LOG_KEY,
  makeLegionLog,
  type RecordPlan,
  ROOT,
  register,
  revoke,
  toolOf,
} from "../fakes/legion-log.js"
import { type AnswerPath, answersOf, type Serving, sourceOf } from "../fakes/legion-source.js"
import { MemoryState } from "../fakes/memory-state.js"
import { readingOf, sourceOf as readingSource } from "../fakes/readings.js"
import { describeShared } from "../shared.js"

const NOW = 1_790_000_000
const ORIGIN = "log.test/legion"

const rootOf = (fingerprint: string): PinnedRoot => ({
  dialect: "legion",
  name: null,
  fingerprint,
  floor: null,
  source: "flag",
})

/** A log opened as the command does it: what stands in the way is its state. */
async function open(source: LegionLog, state: MemoryState, rootPin: string, origin = ORIGIN): Promise<LegionState> {
  const roots = [rootOf(rootPin)]
  try {
    return await openLegionLog({ source, origin, roots, expectedRoot: rootPin, state, clock: () => NOW })
  } catch (error) {
    if (error instanceof ToolsumError) return error
    throw error
  }
}

const said = ({ verdict, reason }: { verdict: string; reason: string | null }) =>
  reason === null ? verdict : `${verdict}(${reason})`

interface VectorInput {
  readonly lockfile: string
  readonly responses: Readonly<Record<string, readonly [number, string]>>
  readonly strict: boolean
}
interface VectorMore {
  readonly expect_verdict?: string
  readonly by_turn?: Readonly<Record<string, readonly string[]>>
}

const VERDICTS: Readonly<Record<string, string>> = {
  match: "UNCHANGED",
  drift: "CHANGED(surface)",
  stale: "UNKNOWN(log_behind)",
}

/** Reasons of what the vectors reject. */
const REFUSALS: Readonly<Record<string, string>> = {
  "check/consistency": "REJECTED(CONSISTENCY_INVALID)",
  "check/rewritten": "REJECTED(CONSISTENCY_INVALID)",
  "check/fork": "REJECTED(LOG_INCONSISTENT)",
  "check/rollback": "REJECTED(LOG_ROLLBACK)",
  "check/record": "REJECTED(SIGNATURE_INVALID)",
  "check/archive": "REJECTED(HASH_MISMATCH)",
  "check/http-404": "UNKNOWN(incomplete)",
  "check/approved-edited": "REJECTED(RECORD_INVALID)",
  "check/older-record": "REJECTED(LOG_ROLLBACK)",
  "check/keyring-shorter": "REJECTED(LOG_ROLLBACK)",
  "check/two-heads": "REJECTED(LOG_INCONSISTENT)",
  "check/proof-upper-case": "UNKNOWN(malformed)",
}

async function runVector({
  input,
  root_pin: rootPin,
  by_turn = {},
}: LegionCase<VectorInput> & VectorMore): Promise<LockfileReport> {
  const turns = new Map<string, number>()
  const answer: AnswerPath = (path) => {
    const [status, body] = input.responses[path] ?? [404, ""]
    if (status !== 200 || body !== "@by-turn") return status === 200 ? body : null
    const turn = turns.get(path) ?? 0
    turns.set(path, turn + 1)
    return by_turn[path]?.[turn] ?? null
  }
  const lockfile = parseLegionLockfile(input.lockfile)
  const roots = [rootOf(rootPin)]
  const offline = verifyLegionLockfile({ lockfile, roots, nowSec: BigInt(NOW) })
  const log = await open(sourceOf(answer), new MemoryState(), rootPin, lockfile.origin)
  return checkLegionLockfile(lockfile, { offline, names: null, log, strict: input.strict, nowSec: NOW })
}

describeShared("LEGION check vectors", () => {
  const cases = legionCases<VectorInput, VectorMore>("check")
  test.each(cases.filter(({ id }) => id !== "check/no-pins"))("$id: $desc", async (one) => {
    const report = await runVector(one)
    const expected = one.expect === "accept" ? VERDICTS[one.expect_verdict ?? ""] : REFUSALS[one.id]
    expect(report.servers.map(said)).toEqual(report.servers.map(() => expected))
    expect(report.exitCode).toBe({ UNCHANGED: 0, CHANGED: 1, UNKNOWN: 2, REJECTED: 3 }[expected?.split("(")[0] ?? ""])
  })

  test("every case that is refused has its verdict here", () => {
    const refused = cases.filter((one) => one.expect === "reject").map(({ id }) => id)
    expect(Object.keys(REFUSALS).sort()).toEqual(refused.filter((id) => id !== "check/no-pins").sort())
  })
})

const ONE = "io.test/one"
const TWO = "io.test/two"
const PLANS: readonly RecordPlan[] = [
  { serverId: ONE, tools: [toolOf("a")] },
  { serverId: TWO, tools: [toolOf("c")] },
  { serverId: ONE, tools: [toolOf("a"), toolOf("b")] },
  { serverId: TWO, tools: [toolOf("c")] },
  { serverId: ONE, tools: [toolOf("a"), toolOf("b")] },
]
const LOG = makeLegionLog(PLANS)

/** A lockfile as LEGION writes it, with records under heads of the given sizes. */
function lockfileOf(pins: readonly { leaf: number; size: number }[], log: LegionTestLog = LOG): LegionLockfile {
  const empty = createLegionLockfile({ base: "https://log.test/v1", origin: ORIGIN, rootPin: ROOT.pin })
  return pins.reduce((lockfile, { leaf, size }) => {
    const bundle = parseBundle(JSON.stringify(log.bundle(leaf, size)))
    return pinInLegionLockfile(lockfile, {
      record: requireRecord(parseLegionEntry(bundle.record)),
      treeSize: bundle.head.size,
      evidence: bundle.document,
      keyring: log.keyring,
      pinnedAt: "2026-05-01T00:00:00Z",
    })
  }, empty)
}

interface Scene {
  readonly pins?: readonly { leaf: number; size: number }[]
  readonly log?: LegionTestLog
  readonly plans?: readonly RecordPlan[]
  readonly serving?: Serving
  readonly strict?: boolean
  readonly exhaustive?: boolean
  readonly state?: MemoryState
  readonly answer?: AnswerPath
}

async function check(scene: Scene): Promise<LockfileReport & { asked: readonly string[] }> {
  const { pins = [{ leaf: 4, size: 5 }], log = LOG, plans = PLANS, strict = false, state = new MemoryState() } = scene
  const { exhaustive = false } = scene
  const lockfile = lockfileOf(pins)
  const offline = verifyLegionLockfile({ lockfile, roots: [rootOf(ROOT.pin)], nowSec: BigInt(NOW) })
  const asked: string[] = []
  const source = sourceOf(scene.answer ?? answersOf(log, plans, scene.serving), asked)
  const opened = await open(source, state, ROOT.pin)
  const report = await checkLegionLockfile(lockfile, {
    ...{ offline, names: null, log: opened, strict, exhaustive, nowSec: NOW },
  })
  return { ...report, asked }
}

/** The log with other records from leaf `at` on. */
const fork = (at: number): LegionTestLog =>
  makeLegionLog(
    PLANS.map((plan, i) => (i < at ? plan : { ...plan, edit: (record) => Object.assign(record, { other: true }) })),
  )

describe("what the log says", () => {
  test("the pinned list under the same head is asked for once and compared with nothing more", async () => {
    const { servers, exitCode, asked } = await check({})
    expect(servers.map(said)).toEqual(["UNCHANGED"])
    expect(exitCode).toBe(0)
    expect(asked).toEqual(["/keyring", "/servers/io.test%2Fone/latest"])
    expect(servers[0]).toMatchObject({ compared: ["lock", "log"], newest: "hint", head: { size: 5n } })
  })

  test("a newer list is CHANGED, in words", async () => {
    const { servers, exitCode } = await check({ pins: [{ leaf: 0, size: 1 }] })
    expect(servers.map(said)).toEqual(["CHANGED(surface)"])
    expect([exitCode, servers[0]?.detail]).toEqual([1, "the log has a newer list: signed 2026-03-01, leaf 4"])
    expect(servers[0]?.changes).toMatchObject([{ kind: "added", item: "b", after: { name: "b" } }])
    expect(servers[0]).toMatchObject({ head: { size: 5n }, record: { index: 4n }, items: { tools: 1 } })
  })

  test("without an archive the changed tools are named", async () => {
    const edit = (path: string) => (path.startsWith("/tools/") ? null : undefined)
    const { servers } = await check({ pins: [{ leaf: 0, size: 1 }], serving: { edit } })
    expect(servers[0]?.changes).toEqual([{ section: "tools", item: "b", kind: "added", from: null, pointer: "" }])
  })

  test("one pin says nothing about another", async () => {
    const { servers, exitCode } = await check({
      pins: [
        { leaf: 0, size: 1 },
        { leaf: 1, size: 2 },
      ],
    })
    expect(servers.map((server) => [server.name, said(server)])).toEqual([
      [ONE, "CHANGED(surface)"],
      [TWO, "UNCHANGED"],
    ])
    expect(exitCode).toBe(1)
  })

  test("newer observations without a head are a warning, and with --strict no answer", async () => {
    const serving = { uncovered: 2 }
    const [lax, strict] = [await check({ serving }), await check({ serving, strict: true })]
    expect(lax.servers).toMatchObject([{ verdict: "UNCHANGED", warnings: ["newer_uncovered:2"] }])
    expect(strict.servers.map(said)).toEqual(["UNKNOWN(log_behind)"])
    expect(strict.exitCode).toBe(2)
  })

  test("with --strict a change is still a change", async () => {
    const { servers } = await check({ pins: [{ leaf: 0, size: 1 }], serving: { uncovered: 2 }, strict: true })
    expect(servers.map(said)).toEqual(["CHANGED(surface)"])
  })
})

const down: AnswerPath = () => {
  throw new ToolsumError("LOG_UNAVAILABLE", "no answer")
}
const without =
  (part: string, body: string | null = null): NonNullable<Serving["edit"]> =>
  (path) =>
    path.includes(part) ? body : undefined

describe("a log that does not answer, or lies", () => {
  const pinAt3 = [{ leaf: 2, size: 3 }]
  test.each<{ name: string; says: string; scene: Scene }>([
    { name: "unreachable", says: "UNKNOWN(log_unreachable)", scene: { answer: down } },
    { name: "no keyring", says: "UNKNOWN(incomplete)", scene: { serving: { edit: without("/keyring") } } },
    { name: "no record of the server", says: "UNKNOWN(incomplete)", scene: { serving: { edit: without("/latest") } } },
    { name: "no JSON", says: "UNKNOWN(malformed)", scene: { serving: { edit: without("/latest", "<html>") } } },
    {
      name: "no proof that it only grew",
      says: "UNKNOWN(incomplete)",
      scene: { pins: pinAt3, serving: { edit: without("/consistency") } },
    },
    {
      name: "rewritten before the pin's head",
      says: "REJECTED(CONSISTENCY_INVALID)",
      scene: { pins: pinAt3, log: fork(1) },
    },
    { name: "a fork at the pin's size", says: "REJECTED(LOG_INCONSISTENT)", scene: { log: fork(4) } },
    { name: "a rollback below the pin's head", says: "REJECTED(LOG_ROLLBACK)", scene: { serving: { size: 4 } } },
    {
      name: "an older record than the pinned one",
      says: "REJECTED(LOG_ROLLBACK)",
      scene: { serving: { edit: without("/latest", JSON.stringify(LOG.bundle(2, 5))) } },
    },
    {
      name: "an old head, though there is a newer one",
      says: "UNKNOWN(log_behind)",
      scene: { serving: { edit: without("/latest", JSON.stringify(LOG.bundle(2, 3))) } },
    },
    {
      name: "a shorter keyring",
      says: "REJECTED(LOG_ROLLBACK)",
      scene: { serving: { edit: without("/keyring", LOG.keyring.split("\n").slice(0, 2).join("\n")) } },
    },
    {
      name: "another root",
      says: "REJECTED(ROOT_MISMATCH)",
      scene: { serving: { edit: without("/keyring", makeLegionLog([], [register(LOG_KEY, "root")]).keyring) } },
    },
    {
      name: "an archive of other definitions",
      says: "REJECTED(HASH_MISMATCH)",
      scene: { pins: [{ leaf: 0, size: 1 }], serving: { edit: without("/tools/", '{"tools":[{"name":"a"}]}') } },
    },
    {
      name: "a head from before what it covers",
      says: "UNKNOWN(log_behind)",
      scene: {
        pins: pinAt3,
        serving: {
          edit: (path) => {
            if (!path.endsWith("/latest")) return undefined
            const early = LOG.head(5, { edit: (head) => Object.assign(head, { timestamp: "2020-01-01T00:00:00Z" }) })
            return JSON.stringify({ ...LOG.bundle(4, 5), sth: early })
          },
        },
      },
    },
  ])("$name", async ({ says, scene }) => {
    const { servers, exitCode, refuted } = await check(scene)
    expect(servers.map(said)).toEqual([says])
    expect([exitCode, refuted.length]).toEqual(says.startsWith("REJECTED") ? [3, refuted.length] : [2, 0])
  })

  test("a fork refutes the log for pins that agree with it, too", async () => {
    const pins = [
      { leaf: 0, size: 1 },
      { leaf: 3, size: 5 },
    ]
    const { servers, refuted, exitCode } = await check({ pins, log: fork(4) })
    expect(servers.map(said)).toEqual(["REJECTED(LOG_INCONSISTENT)", "REJECTED(LOG_INCONSISTENT)"])
    expect([exitCode, refuted[0]?.error.evidence]).toMatchObject([3, { a: /tree_size/, b: /tree_size/ }])
  })

  test("a key that was revoked since takes the pins that it signed with it", async () => {
    const revoked = makeLegionLog(PLANS, [...KEYRING, revoke(LOG_KEY.id)])
    const { servers } = await check({ serving: { edit: without("/keyring", revoked.keyring) } })
    expect(servers.map(said)).toEqual(["REJECTED(KEY_NOT_VALID_AT_SIZE)"])
  })
})

describe("every entry of the log", () => {
  const pins = [{ leaf: 0, size: 1 }]
  const held = without("/latest", JSON.stringify(LOG.bundle(2, 5)))
  const editRecord = (leaf: number, other: number) => (path: string) =>
    path === `/records/${leaf}` ? JSON.stringify(LOG.records[other]) : held(path)

  test("is read where that was asked, and the newest record is that", async () => {
    const { servers, asked } = await check({ pins: [{ leaf: 1, size: 2 }], exhaustive: true })
    expect(servers).toMatchObject([{ verdict: "UNCHANGED", newest: "scanned" }])
    expect(asked.filter((path) => path.startsWith("/records/"))).toEqual(["/records/4"])
  })

  test.each([
    { name: "a newer record is held back", edit: held, says: "REJECTED(LOG_ROLLBACK)" },
    { name: "another record stands in its place", edit: editRecord(4, 3), says: "REJECTED(HASH_MISMATCH)" },
    {
      name: "an entry is not given",
      edit: (path: string) => (path === "/records/3" ? null : held(path)),
      says: "UNKNOWN(incomplete)",
    },
  ])("$name", async ({ edit, says }) => {
    expect((await check({ pins, exhaustive: true, serving: { edit } })).servers.map(said)).toEqual([says])
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17])("all of a tree of %i leaves, from any leaf", async (size) => {
    const plans = Array.from({ length: size }, (_, i): RecordPlan => ({ serverId: `s${i}`, tools: [] }))
    const log = makeLegionLog(plans)
    const client = await open(sourceOf(answersOf(log, plans)), new MemoryState(), ROOT.pin)
    if (client instanceof ToolsumError) throw client
    for (let leaf = 0; leaf < size; leaf++) {
      const served = await client.latest(`s${leaf}`)
      expect(served && (await isNewest(client, served))).toBe(true)
    }
  })

  test("no more than so many entries are read", async () => {
    const client = await open(sourceOf(answersOf(LOG, PLANS)), new MemoryState(), ROOT.pin)
    const served = client instanceof ToolsumError ? null : await client.latest(ONE)
    if (client instanceof ToolsumError || served === null) throw new Error("expected a record")
    const far = {
      ...served,
      head: { ...served.head, size: served.record.leafIndex + 2n + BigInt(MAX_LEGION_ENTRIES_READ) },
    }
    expect(await isNewest(client, far)).toBe(false)
  })
})

describe("what was seen in runs before", () => {
  const pins = [{ leaf: 0, size: 1 }]
  const seen = async (scene: Scene = {}) => {
    const state = new MemoryState()
    await check({ pins, state, ...scene })
    return state
  }

  test("a rollback above the pin's head", async () => {
    const { servers } = await check({ pins, state: await seen(), serving: { size: 3 } })
    expect(servers.map(said)).toEqual(["REJECTED(LOG_ROLLBACK)"])
  })

  test("a fork above the pin's head", async () => {
    const { servers } = await check({ pins, state: await seen(), log: fork(3) })
    expect(servers.map(said)).toEqual(["REJECTED(LOG_INCONSISTENT)"])
  })

  test("a rewrite that has grown since", async () => {
    const plans = [...PLANS, { serverId: TWO, tools: [] }]
    const other = makeLegionLog(plans.map((plan) => ({ ...plan, edit: (r) => Object.assign(r, { other: true }) })))
    const { servers } = await check({ pins, state: await seen(), plans, log: other })
    expect(servers.map(said)).toEqual(["REJECTED(CONSISTENCY_INVALID)"])
  })

  test("a shorter keyring than the one of then", async () => {
    const longer = makeLegionLog(PLANS, [...KEYRING, revoke("k1:00000000000000000000000000000000")])
    const state = await seen({ serving: { edit: without("/keyring", longer.keyring) } })
    const { servers } = await check({ pins, state })
    expect(servers.map(said)).toEqual(["REJECTED(LOG_ROLLBACK)"])
  })

  test("growth is remembered, and a state that cannot be used is a warning", async () => {
    const state = await seen({ serving: { size: 3 } })
    expect((await check({ pins, state })).servers.map(said)).toEqual(["CHANGED(surface)"])
    expect((await check({ pins, state, serving: { size: 3 } })).servers.map(said)).toEqual(["REJECTED(LOG_ROLLBACK)"])
    state.broken = "read"
    const { servers } = await check({ pins, state, serving: { size: 3 } })
    expect(servers).toMatchObject([{ verdict: "CHANGED", warnings: ["state_unavailable"] }])
  })
})

describe("the live server", () => {
  const A = toolOf("a")
  const B = toolOf("b")
  const OLD = { leaf: 0, size: 1 }

  async function live(
    reading: ServerReading | ToolsumError,
    scene: { pin?: { leaf: number; size: number }; answer?: AnswerPath } = {},
  ): Promise<ServerVerdict> {
    const lockfile = lockfileOf([scene.pin ?? { leaf: 4, size: 5 }])
    const [offline] = verifyLegionLockfile({ lockfile, roots: [rootOf(ROOT.pin)], nowSec: BigInt(NOW) }).servers
    const pin = lockfile.servers.get(ONE)
    if (!offline || !pin) throw new Error("expected the pin")
    const readLive = () => readingSource(reading).read({ sections: ["tools"], limits: DEFAULT_READ_LIMITS })
    const log = await open(sourceOf(scene.answer ?? answersOf(LOG, PLANS)), new MemoryState(), ROOT.pin)
    const { servers } = await checkLegionPins({
      pins: [{ offline, prove: (keyring) => verifyLegionPin({ serverId: ONE, pin, keyring }), readLive }],
      storedKeyring: lockfile.keyring,
      ...{ log, strict: false, needsLog: false, nowSec: NOW },
    })
    return servers[0] ?? offline
  }

  const partial = { failures: { tools: new ToolsumError("READING_INCOMPLETE", "page 2 is missing") } }
  test.each<{ name: string; reading: ServerReading | ToolsumError; says: string; scene?: Parameters<typeof live>[1] }>([
    { name: "the pinned list", reading: readingOf({ tools: [B, A] }), says: "UNCHANGED" },
    {
      name: "what a record does not cover",
      reading: readingOf({ tools: [{ ...A, title: "A", annotations: {} }, B], instructions: "Do." }),
      says: "UNCHANGED",
    },
    { name: "another list", reading: readingOf({ tools: [A, toolOf("b", "Deletes all.")] }), says: "CHANGED(surface)" },
    { name: "no tools at all", reading: readingOf({}), says: "CHANGED(surface)" },
    { name: "two tools of one name", reading: readingOf({ tools: [A, A] }), says: "UNKNOWN(malformed)" },
    { name: "a part of the list", reading: readingOf({ tools: [A] }, partial), says: "UNKNOWN(incomplete)" },
    { name: "a new tool in a part", reading: readingOf({ tools: [toolOf("x")] }, partial), says: "CHANGED(surface)" },
    { name: "credentials wanted", reading: new ToolsumError("SERVER_AUTH", "refused"), says: "AUTH(refused)" },
    {
      name: "unreachable",
      reading: new ToolsumError("SERVER_UNREACHABLE", "no"),
      says: "UNKNOWN(server_unreachable)",
    },
    {
      name: "the pinned list, and no log",
      reading: readingOf({ tools: [A, B] }),
      scene: { answer: down },
      says: "UNCHANGED",
    },
    {
      name: "the newest list, where an older one is pinned",
      reading: readingOf({ tools: [A, B] }),
      scene: { pin: OLD },
      says: "CHANGED(surface)",
    },
    {
      name: "another list, of which the archive has something else",
      reading: readingOf({ tools: [] }),
      scene: { answer: answersOf(LOG, PLANS, { edit: without("/tools/", '{"tools":[]}') }) },
      says: "REJECTED(HASH_MISMATCH)",
    },
  ])("$name", async ({ reading, says, scene }) => {
    expect(said(await live(reading, scene))).toBe(says)
  })

  test("a change is told in words, against the pin", async () => {
    const { changes, detail, compared } = await live(readingOf({ tools: [A, toolOf("b", "Deletes all.")] }))
    expect(changes).toMatchObject([
      { item: "b", kind: "changed", pointer: "/description", before: "Does b.", after: "Deletes all." },
    ])
    expect([detail, compared]).toEqual(["the log has not seen this list yet", ["lock", "log", "live"]])
  })

  test("upstream changed for everyone", async () => {
    const { detail } = await live(readingOf({ tools: [A, B] }), { pin: OLD })
    expect(detail).toBe("upstream changed for everyone: signed 2026-03-01, leaf 4")
  })

  test("of a list that was not read to its end nothing is said to be gone", async () => {
    const { changes } = await live(readingOf({ tools: [toolOf("x")] }, partial))
    expect(changes).toMatchObject([{ item: "x", kind: "added" }])
  })
})
