import { beforeEach, describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import type { Lockfile } from "../../src/core/lockfile.js"
import { parseRecord } from "../../src/core/record.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import { completePins } from "../../src/features/complete-pins.js"
import { EMPTY_LOCKFILE, pinDigestOf } from "../../src/features/pins.js"
import type { TargetLog } from "../../src/features/record-pin.js"
import type { LogWriter } from "../../src/writer/log.js"
import {
  createMemoryLockfile,
  editPin,
  type LockedProject,
  type MemoryLockfile,
  makeLockedProject,
  ORIGIN,
  ROOT,
  removeFrom,
} from "../fakes/locked-project.js"

let project: LockedProject
/** One logged pin, and two that wait: `fresh` is new, `twin` says what the log has already. */
let waiting: Lockfile
let store: MemoryLockfile
let opened: string[]

beforeEach(async () => {
  project = await makeLockedProject()
  const elsewhere = await project.pin(EMPTY_LOCKFILE, { name: "twin", tools: ["a"] })
  const logged = await project.pin(EMPTY_LOCKFILE, { name: "logged", tools: ["a"] })
  expect(elsewhere.servers.twin?.index).toBe(1n)
  waiting = await project.pinUnlogged(logged, { name: "twin", tools: ["a"] })
  waiting = await project.pinUnlogged(waiting, { name: "fresh", tools: ["b", "a"] })
  store = createMemoryLockfile(waiting)
  opened = []
})

const complete = (names: readonly string[] = [], log: TargetLog | null = project.log) =>
  completePins({
    lockfile: store,
    names,
    openLog: async (origin) => {
      opened.push(origin)
      return log
    },
  })

const verdicts = (lockfile: Lockfile | null) => {
  const report = verifyLockfile({ lockfile: lockfile ?? EMPTY_LOCKFILE, roots: [ROOT], nowSec: 0n })
  expect(report.warnings).toEqual([])
  return Object.fromEntries(report.servers.map(({ name, verdict, reason }) => [name, reason ?? verdict]))
}

const wrong = (code: string) => expect.objectContaining({ code })

describe("pins that wait", () => {
  test("are logged and proven; digest and approval stay", async () => {
    expect(verdicts(waiting)).toEqual({ fresh: "not_logged", logged: "PROVEN", twin: "not_logged" })
    const done = await complete()
    expect(done).toEqual([
      { name: "twin", ok: true, index: 1n, appended: false, pin: expect.any(String) },
      { name: "fresh", ok: true, index: 3n, appended: true, pin: expect.any(String) },
    ])
    expect(verdicts(store.content)).toEqual({ fresh: "PROVEN", logged: "PROVEN", twin: "PROVEN" })
    for (const one of done) {
      const [before, after] = [waiting.servers[one.name], store.content?.servers[one.name]]
      if (!before || !after || !one.ok) throw new Error("expected the pin")
      expect(pinDigestOf(after)).toBe(one.pin)
      expect(one.pin).toBe(pinDigestOf(before))
      expect(after).toEqual({
        ...before,
        observation: null,
        record: expect.any(String),
        index: one.index,
        head: expect.any(String),
        proof: expect.any(Array),
      })
      expect(parseRecord(after.record ?? "").seq).toBe(0n)
    }
  })

  test("are tied to the heads that were there, and again there is nothing to do", async () => {
    await complete()
    const written = store.content
    expect(Object.keys(written?.logs[ORIGIN]?.heads ?? {})).toHaveLength(2)
    opened = []
    expect(await complete()).toEqual([])
    expect(store.content).toBe(written)
    expect(opened).toEqual([])
  })

  test("are completed by name", async () => {
    expect(await complete(["twin", "logged"])).toMatchObject([{ name: "twin", ok: true }])
    expect(verdicts(store.content)).toMatchObject({ fresh: "not_logged", twin: "PROVEN" })
    await expect(complete(["nobody"])).rejects.toMatchObject({ code: "NOT_PINNED" })
  })

  test("that nobody approved stay unapproved", async () => {
    store.content = editPin(waiting, "fresh", (pin) => ({ ...pin, approved: null }))
    await complete()
    expect(verdicts(store.content)).toMatchObject({ fresh: "unapproved" })
  })

  test("of an empty lockfile, or of none, are none", async () => {
    for (const content of [null, EMPTY_LOCKFILE]) {
      store.content = content
      expect(await complete()).toEqual([])
      expect(store.content).toBe(content)
    }
  })
})

describe("refused, while the others are logged,", () => {
  test.each<{ name: string; edit: (lockfile: Lockfile) => Lockfile; code: string }>([
    {
      name: "a pin whose items are not those observed",
      edit: (l) => editPin(l, "fresh", (pin) => ({ ...pin, tools: {} })),
      code: "RECORD_INVALID",
    },
    {
      name: "a pin whose target is not the one observed",
      edit: (l) =>
        editPin(l, "fresh", (pin) => ({ ...pin, target: { command: "npx", args: ["-y", "other@1.0.0"], env: [] } })),
      code: "RECORD_INVALID",
    },
  ])("is $name", async ({ edit, code }) => {
    store.content = edit(waiting)
    const done = await complete()
    expect(done).toMatchObject([
      { name: "fresh", ok: false, error: wrong(code) },
      { name: "twin", ok: true },
    ])
    expect(store.content.servers.fresh).toEqual(edit(waiting).servers.fresh)
  })

  test("is a local subject in a log that others can read", async () => {
    const target = { command: "./server", args: [], env: [] }
    store.content = await project.pinUnlogged(waiting, { name: "mine", tools: ["a"], target })
    const log = store.content.logs[ORIGIN]
    if (!log) throw new Error("expected the log")
    store.content = { ...store.content, logs: { [ORIGIN]: { ...log, url: "https://log.example/" } } }
    expect(await complete()).toMatchObject([
      { name: "mine", ok: false, error: wrong("USAGE") },
      { name: "twin", ok: true },
      { name: "fresh", ok: true },
    ])
  })

  test("is a pin that was changed meanwhile; an approval given meanwhile stays", async () => {
    const approval = waiting.servers.logged?.approved ?? null
    store.meanwhile = () => {
      const without = removeFrom(waiting, "twin")
      store.content = editPin(without, "fresh", (pin) => ({ ...pin, approved: approval }))
    }
    expect(await complete()).toMatchObject([
      { name: "twin", ok: false, error: wrong("NOT_PINNED") },
      { name: "fresh", ok: true },
    ])
    expect(store.content?.servers.fresh?.approved).toEqual(approval)
    expect(store.content?.servers.twin).toBeUndefined()
  })
})

describe("nothing is written", () => {
  const stays = async (attempt: Promise<unknown>, code: string) => {
    await expect(attempt).rejects.toMatchObject({ code })
    expect(store.content).toBe(waiting)
  }
  /** The log with another answer to `append`. */
  const answering = (change: (recorded: Awaited<ReturnType<LogWriter["append"]>>) => unknown): TargetLog => ({
    ...project.log,
    open: async () => {
      const writer = await project.log.open()
      return { ...writer, append: async (all) => change(await writer.append(all)) as never } // only its shape is wrong
    },
  })

  test("without the key of the log", async () => {
    for (const log of [null, { kind: "elsewhere", origin: ORIGIN } as const]) {
      expect(await complete([], log)).toMatchObject([
        { name: "twin", ok: false, error: wrong("LOG_UNAVAILABLE") },
        { name: "fresh", ok: false, error: wrong("LOG_UNAVAILABLE") },
      ])
      expect(store.content).toBe(waiting)
    }
  })

  test("and nothing is appended when the log is not the one that the user trusts", async () => {
    let isOpened = false
    const log: TargetLog = {
      ...project.log,
      read: async () => {
        throw new ToolsumError("ROOT_NOT_PINNED", "no root")
      },
      open: async () => {
        isOpened = true
        return project.log.open()
      },
    }
    await stays(complete([], log), "ROOT_NOT_PINNED")
    expect(isOpened).toBe(false)
  })

  test("when the log answers with another record", async () => {
    await stays(
      complete(
        [],
        answering((recorded) => recorded.toReversed()),
      ),
      "RECORD_INVALID",
    )
  })

  test("when the log answers with another proof", async () => {
    const broken = answering((recorded) => recorded.map((one) => ({ ...one, index: one.index + 1n })))
    await stays(complete([], broken), "RECORD_INVALID")
  })

  test("when the log answers nothing", async () => {
    await stays(
      complete(
        [],
        answering(() => []),
      ),
      "LOG_CLOSED",
    )
  })
})
