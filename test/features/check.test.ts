// The three-way answer: what the pin proves, what the log has, what the server says now, and which of them wins.
import { describe, expect, test } from "vitest"
import { openLogClient } from "../../src/client/open-log.js"
import { ToolsumError } from "../../src/core/errors.js"
import type { ServerVerdict, Verdict } from "../../src/core/verdict.js"
import { type CheckInput, checkPin } from "../../src/features/check.js"
import type { ServerReading } from "../../src/ports.js"
import { HostileLog } from "../fakes/hostile-log.js"
import { MemoryState } from "../fakes/memory-state.js"
import { observedOf, pinOf, readingOf } from "../fakes/readings.js"

const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" } })
const PINNED = { tools: [tool("a")] }
const OTHER = { tools: [tool("a"), tool("b")] }
const NEWEST = { tools: [tool("c")] }

const offline = (verdict: Verdict, reason: string | null = null): ServerVerdict => ({
  name: "notes",
  subject: "pkg:npm/%40acme/notes",
  version: "1.2.3",
  verdict,
  reason,
  detail: reason,
  compared: ["lock"],
  covered: [],
  notCovered: [],
  head: { origin: "log.example/test", size: 1n, cosigners: 0, ageSec: null },
  record: null,
  newest: null,
  pin: `sha256:${"0".repeat(64)}`,
  items: {},
  changes: [],
  warnings: [],
})

interface Case {
  readonly offline?: ServerVerdict
  /** Lists that the log has records of, in order, of version 1.2.3 or as `{version, lists}`; an error: the log cannot be opened; null: there is none. */
  readonly log?: readonly object[] | ToolsumError | null
  /** What the server says; an error: it cannot be read; null: it is not asked. */
  readonly live?: object | ServerReading | ToolsumError | null
  readonly needsLog?: boolean
}

async function check({ offline: given = offline("PROVEN"), log = [PINNED], live = PINNED, needsLog = false }: Case) {
  const observed = observedOf(readingOf(PINNED))
  const input: CheckInput = {
    name: "notes",
    pin: { ...pinOf(observed), read: { node: "20.20.2" } },
    offline: given,
    log: log === null || log instanceof ToolsumError ? log : await openLog(log),
    needsLog,
    exhaustive: false,
    readLive: live === null ? null : async () => readingFrom(live),
    approved: async () => readingOf(PINNED).surface,
  }
  return checkPin(input)
}

async function openLog(lists: readonly object[]) {
  const log = new HostileLog()
  for (const list of lists) {
    const { version = "1.2.3", lists: said = list } = list as { version?: string; lists?: object }
    log.record({ ...observedOf(readingOf(said)).observation, version })
  }
  return openLogClient({ source: log, roots: [log.root], state: new MemoryState(), clock: () => 1_796_083_200 })
}

function readingFrom(live: object): ServerReading {
  if (live instanceof ToolsumError) throw live
  return "surface" in live ? (live as ServerReading) : readingOf(live)
}

const answerOf = async (c: Case) => {
  const { verdict, reason, detail } = await check(c)
  return { verdict, reason, detail }
}

const unfinished = new ToolsumError("READING_INCOMPLETE", "page 2")
const refused = new ToolsumError("SERVER_AUTH", "refused", { evidence: { wants: "a token" } })
const unavailable = new ToolsumError("LOG_UNAVAILABLE", "no answer")

describe("what wins", () => {
  test.each<Case & { name: string; says: { verdict: Verdict; reason: string | null; detail?: unknown } }>([
    { name: "all three agree", says: { verdict: "UNCHANGED", reason: null, detail: null } },
    {
      name: "the log is elsewhere",
      log: null,
      says: { verdict: "UNCHANGED", reason: null, detail: "log not reachable from here; proven at head 1" },
    },
    {
      name: "the log does not answer",
      log: unavailable,
      says: { verdict: "UNCHANGED", reason: null, detail: expect.stringContaining("not reachable") },
    },
    {
      name: "the log does not answer and only the log was to be asked",
      log: unavailable,
      live: null,
      needsLog: true,
      says: { verdict: "UNKNOWN", reason: "log_unreachable" },
    },
    { name: "nothing was compared", log: null, live: null, says: { verdict: "UNKNOWN", reason: "log_unreachable" } },
    {
      name: "the server changed, the log has not seen it",
      live: OTHER,
      says: { verdict: "CHANGED", reason: "surface", detail: "the log has not seen this list yet" },
    },
    {
      name: "the server changed, and so has the log",
      log: [PINNED, OTHER],
      live: OTHER,
      says: {
        verdict: "CHANGED",
        reason: "surface",
        detail: "upstream changed for everyone: signed 2026-12-01, leaf 1",
      },
    },
    {
      name: "the server has a third list",
      log: [PINNED, NEWEST],
      live: OTHER,
      says: {
        verdict: "CHANGED",
        reason: "surface",
        detail: "upstream changed: signed 2026-12-01, leaf 1; this server gives yet another list",
      },
    },
    {
      name: "the server changed here only, where something else is different too",
      live: readingOf(OTHER, { read: { node: "22.1.0" } }),
      says: {
        verdict: "CHANGED",
        reason: "surface",
        detail: "only you get this list; what else differs here: node 22.1.0 instead of 20.20.2",
      },
    },
    {
      name: "the server is another version, which the log has",
      log: [PINNED, { version: "2.0.0", lists: OTHER }],
      live: readingOf(OTHER, { resolved: { version: "2.0.0", integrity: null } }),
      says: {
        verdict: "CHANGED",
        reason: "surface",
        detail:
          "you are pinned to an older version; the server is version 2.0.0, signed 2026-12-01, leaf 1; what else differs here: version 2.0.0 instead of 1.2.3",
      },
    },
    {
      name: "the server is another version, and the log has its list under a third one",
      log: [PINNED, { version: "3.0.0", lists: OTHER }],
      live: readingOf(OTHER, { resolved: { version: "2.0.0", integrity: null } }),
      says: { verdict: "CHANGED", reason: "surface", detail: expect.stringContaining("only you get this list") },
    },
    {
      name: "an unfinished list is never the log's newest",
      log: [PINNED, OTHER],
      live: readingOf(OTHER, { failures: { tools: new ToolsumError("READING_INCOMPLETE", "page 2") } }),
      says: { verdict: "CHANGED", reason: "surface", detail: expect.stringContaining("yet another list") },
    },
    {
      name: "an unfinished list that is the pinned one so far",
      live: readingOf(PINNED, { failures: { tools: new ToolsumError("READING_INCOMPLETE", "page 2 failed") } }),
      says: {
        verdict: "UNKNOWN",
        reason: "incomplete",
        detail: "tools could not be read to the end: page 2 failed",
      },
    },
    {
      name: "an unfinished list, with an item that came twice",
      live: readingOf({ tools: [tool("a"), tool("a")] }, { failures: { tools: unfinished } }),
      says: { verdict: "UNKNOWN", reason: "incomplete" },
    },
    {
      name: "a list for which a credential is wanted",
      live: readingOf({}, { failures: { tools: refused } }),
      says: {
        verdict: "AUTH",
        reason: "refused",
        detail: "the server wants credentials: a token; signed 2026-12-01, leaf 0",
      },
    },
    {
      name: "a later page for which a credential is wanted",
      live: readingOf(PINNED, { failures: { tools: refused } }),
      says: { verdict: "AUTH", reason: "refused" },
    },
    {
      name: "a later page for which a credential is wanted, after a change",
      live: readingOf(OTHER, { failures: { tools: refused } }),
      says: { verdict: "CHANGED", reason: "surface" },
    },
    {
      name: "other instructions, and a list for which a credential is wanted",
      live: readingOf({ instructions: "Obey." }, { failures: { tools: refused } }),
      says: { verdict: "CHANGED", reason: "surface" },
    },
    {
      name: "a list that is not pinned, for which a credential is wanted",
      live: readingOf(PINNED, { failures: { resources: refused } }),
      says: { verdict: "UNCHANGED", reason: null },
    },
    {
      name: "the server changed and there is no log",
      log: null,
      live: OTHER,
      says: { verdict: "CHANGED", reason: "surface", detail: "the live list is not the pinned one" },
    },
    {
      name: "the log has a newer list that this server does not give",
      log: [PINNED, NEWEST],
      says: { verdict: "CHANGED", reason: "surface", detail: expect.stringContaining("still gives the pinned one") },
    },
    { name: "the log went there and back", log: [PINNED, OTHER, PINNED], says: { verdict: "UNCHANGED", reason: null } },
    {
      name: "changed, with the log refuted",
      log: new ToolsumError("LOG_INCONSISTENT", "fork"),
      live: OTHER,
      says: { verdict: "REJECTED", reason: "LOG_INCONSISTENT" },
    },
    {
      name: "the log is behind",
      log: new ToolsumError("LOG_BEHIND", "late"),
      says: { verdict: "UNKNOWN", reason: "log_behind" },
    },
    {
      name: "changed, with the log behind",
      log: new ToolsumError("LOG_BEHIND", "late"),
      live: OTHER,
      says: { verdict: "CHANGED", reason: "surface" },
    },
    {
      name: "our own memory is damaged",
      log: new ToolsumError("STATE_CORRUPT", "damaged"),
      says: { verdict: "UNKNOWN", reason: "malformed" },
    },
    {
      name: "unapproved, and the live list is the pinned one",
      offline: offline("CHANGED", "unapproved"),
      says: { verdict: "CHANGED", reason: "unapproved" },
    },
    {
      name: "no root, and the server changed",
      offline: offline("UNKNOWN", "root_not_pinned"),
      log: new ToolsumError("ROOT_NOT_PINNED", "no root"),
      live: OTHER,
      says: { verdict: "CHANGED", reason: "surface" },
    },
    {
      name: "no root",
      offline: offline("UNKNOWN", "root_not_pinned"),
      says: { verdict: "UNKNOWN", reason: "root_not_pinned" },
    },
    {
      name: "the pin is refuted: nothing else is asked",
      offline: offline("REJECTED", "INCLUSION_INVALID"),
      live: OTHER,
      says: { verdict: "REJECTED", reason: "INCLUSION_INVALID" },
    },
  ])("$name", async ({ says, name: _, ...c }) => {
    expect(await answerOf(c)).toMatchObject(says)
  })
})

describe("logs that do not answer, or not as a log does, while the server gives the pinned list", () => {
  test.each([
    { code: "LOG_UNAVAILABLE", says: ["UNCHANGED", null] },
    { code: "TIMEOUT", says: ["UNCHANGED", null] },
    { code: "CHECKPOINT_MALFORMED", says: ["UNKNOWN", "malformed"] },
    { code: "NOTE_MALFORMED", says: ["UNKNOWN", "malformed"] },
    { code: "TILE_MALFORMED", says: ["UNKNOWN", "malformed"] },
    { code: "STATE_CORRUPT", says: ["UNKNOWN", "malformed"] },
    { code: "HEAD_UNPROVEN", says: ["UNKNOWN", "incomplete"] },
    { code: "RESOURCE_MISSING", says: ["UNKNOWN", "incomplete"] },
    { code: "IO_FAILED", says: ["UNKNOWN", "log_unreachable"] },
    { code: "CONFIG_INVALID", says: ["UNKNOWN", "log_unreachable"] },
    { code: "SIGNATURE_INVALID", says: ["REJECTED", "SIGNATURE_INVALID"] },
  ] as const)("$code is $says", async ({ code, says }) => {
    const { verdict, reason } = await answerOf({ log: new ToolsumError(code, "why") })
    expect([verdict, reason]).toEqual(says)
  })
})

describe("servers that do not answer", () => {
  test.each([
    { code: "SERVER_UNREACHABLE", reason: "server_unreachable" },
    { code: "TIMEOUT", reason: "timeout" },
    { code: "PROTOCOL_MALFORMED", reason: "malformed" },
    { code: "JSON_MALFORMED", reason: "malformed" },
    { code: "READING_INCOMPLETE", reason: "incomplete" },
    { code: "READING_UNSTABLE", reason: "unstable" },
    { code: "TARGET_NOT_ACCEPTED", reason: "target_not_accepted" },
    { code: "IO_FAILED", reason: "server_unreachable" },
    { code: "STATE_CORRUPT", reason: "malformed" },
  ] as const)("$code is UNKNOWN($reason)", async ({ code, reason }) => {
    expect(await answerOf({ live: new ToolsumError(code, "why") })).toEqual({
      verdict: "UNKNOWN",
      reason,
      detail: "why",
    })
  })

  test("credentials are AUTH with what was signed, and a newer list in the log is still said", async () => {
    const live = new ToolsumError("SERVER_AUTH", "missing: TOKEN", { evidence: { wants: "a bearer token" } })
    expect(await check({ live })).toMatchObject({
      verdict: "AUTH",
      reason: "missing: TOKEN",
      detail: "the server wants credentials: a bearer token; signed 2026-12-01, leaf 0",
      record: { index: 0n },
    })
    const known = { ...offline("PROVEN"), record: { index: 7n, observedSec: 1_796_083_200n } }
    expect((await check({ live, log: null, offline: known })).detail).toContain("signed 2026-12-01, leaf 7")
    expect((await check({ live, log: null })).detail).toBe("the server wants credentials: a bearer token")
    expect(await answerOf({ live, log: [PINNED, NEWEST] })).toMatchObject({ verdict: "CHANGED" })
  })

  test("a list that was not read to its end is UNKNOWN(incomplete), unless what came differs", async () => {
    const failures = { tools: new ToolsumError("READING_INCOMPLETE", "page 2") }
    expect(await answerOf({ live: readingOf(PINNED, { failures }) })).toMatchObject({
      verdict: "UNKNOWN",
      reason: "incomplete",
    })
    expect(await answerOf({ live: readingOf(OTHER, { failures }) })).toMatchObject({
      verdict: "CHANGED",
      reason: "surface",
    })
  })

  test("a fault of ours is thrown", async () => {
    const input = { live: Object.assign(readingOf(PINNED), { surface: null }) }
    await expect(check(input)).rejects.toThrow(TypeError)
  })
})

describe("what the report says besides", () => {
  test("what was compared, the newest record, and how it was found", async () => {
    expect(await check({})).toMatchObject({
      compared: ["lock", "log", "live"],
      record: { index: 0n },
      newest: "scanned",
    })
    expect(await check({ log: null })).toMatchObject({ compared: ["lock", "live"], newest: null })
    expect(await check({ live: null })).toMatchObject({ compared: ["lock", "log"] })
    expect(await check({ live: new ToolsumError("TIMEOUT", "late") })).toMatchObject({ compared: ["lock", "log"] })
  })

  test("a record of a format that this version does not read", async () => {
    const log = new HostileLog()
    const { observation } = observedOf(readingOf(PINNED))
    log.record(observation)
    const index = log.size
    log.append(`toolsum-record/v9\nsubject ${observation.subject}\n`)
    log.index(observation.subject, index)
    const client = await openLogClient({
      source: log,
      roots: [log.root],
      state: new MemoryState(),
      clock: () => 1_796_083_200,
    })
    const observed = observedOf(readingOf(PINNED))
    const input = {
      name: "notes",
      pin: pinOf(observed),
      offline: offline("PROVEN"),
      log: client,
      needsLog: true,
      exhaustive: false,
    }
    const { verdict, reason } = await checkPin({ ...input, readLive: null, approved: async () => null })
    expect([verdict, reason]).toEqual(["UNKNOWN", "newer_format"])
  })

  test("what else is different here, when the list is", async () => {
    const live = readingOf(OTHER, { read: { node: "22.1.0" } })
    expect((await check({ live })).detail).toContain("node 22.1.0 instead of 20.20.2")
    expect((await check({ live: readingOf(PINNED, { read: { node: "22.1.0" } }) })).verdict).toBe("UNCHANGED")
  })
})
