// What recording and pinning leaves in a lockfile that has the pin already: a new pin, the same pin byte for byte, links and definitions.
import { beforeEach, describe, expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { formatLockfile, type Lockfile } from "../../src/core/lockfile.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import { mergeLockfiles } from "../../src/features/merge-lockfiles.js"
import { EMPTY_LOCKFILE } from "../../src/features/pins.js"
import {
  createMemoryLockfile,
  type LockedProject,
  type MemoryLockfile,
  makeLockedProject,
  ORIGIN,
  type PinWish,
  ROOT,
} from "../fakes/locked-project.js"

const ELSEWHERE = { kind: "elsewhere", origin: ORIGIN } as const
/** As `update` pins: whatever was approved stays. */
const NOTES: PinWish = { name: "notes", tools: ["a"], by: null }

let project: LockedProject
let pinned: Lockfile
let store: MemoryLockfile

beforeEach(async () => {
  project = await makeLockedProject()
  pinned = await project.pin(EMPTY_LOCKFILE, { ...NOTES, by: "a@example.com" })
  store = createMemoryLockfile(pinned)
})

const verify = (lockfile: Lockfile | null) =>
  verifyLockfile({ lockfile: lockfile ?? EMPTY_LOCKFILE, roots: [ROOT], nowSec: 0n })
const verdicts = (lockfile: Lockfile | null) => verify(lockfile).servers.map(({ verdict, reason }) => reason ?? verdict)
const text = () => formatLockfile(store.content ?? EMPTY_LOCKFILE)

describe("the same again changes nothing", () => {
  test.each([
    { name: "into the log", log: undefined },
    { name: "without the log's key", log: ELSEWHERE },
  ])("$name, on another day and another version of Node, in a log that grew", async ({ log }) => {
    await project.grow(3)
    const again = { ...NOTES, read: { node: "22.11.0" } }
    expect(await project.pinInto(store, again, log)).toMatchObject({ written: false, index: 1n, appended: false })
    expect(text()).toBe(formatLockfile(pinned))
    expect(verdicts(store.content)).toEqual(["PROVEN"])
  })

  test("also for a pin that still waits for its log", async () => {
    store.content = await project.pinUnlogged(pinned, { ...NOTES, tools: ["b"] })
    const waiting = text()
    expect(verdicts(store.content)).toEqual(["unapproved"])
    const again = { ...NOTES, tools: ["b"], read: { node: "22.11.0" } }
    expect(await project.pinInto(store, again, ELSEWHERE)).toMatchObject({ written: false, index: null })
    expect(text()).toBe(waiting)
  })

  test("but with the key a waiting pin gets its record", async () => {
    store.content = await project.pinUnlogged(pinned, { ...NOTES, tools: ["b"] })
    expect(await project.pinInto(store, { ...NOTES, tools: ["b"] })).toMatchObject({ written: true, index: 2n })
    expect(store.content.servers.notes?.observation).toBeNull()
  })
})

test("a name that one account gave goes into no log that others can read", async () => {
  const log = pinned.logs[ORIGIN]
  if (!log) throw new Error("expected the log")
  store.content = { ...pinned, logs: { [ORIGIN]: { ...log, url: "https://log.example/" } } }
  const before = text()
  const wish = { name: "mine", tools: ["a"], target: { command: "./server", args: [], env: [] } }
  await expect(project.pinInto(store, wish)).rejects.toMatchObject({ code: "USAGE" })
  expect(text()).toBe(before)
  expect(await project.pinInto(store, { ...NOTES, tools: ["b"] })).toMatchObject({ index: 2n })
})

describe("without the log's key a proof is lost only to", () => {
  test.each<{ name: string; wish: PinWish }>([
    { name: "another list", wish: { ...NOTES, tools: ["b"] } },
    { name: "another version", wish: { ...NOTES, version: "1.0.1" } },
    {
      name: "other arguments",
      wish: { ...NOTES, target: { command: "npx", args: ["-y", "server-notes@1.0.0", "-x"], env: [] } },
    },
    { name: "another approval", wish: { ...NOTES, tools: ["b"], by: "b@example.com" } },
  ])("$name", async ({ wish }) => {
    expect(await project.pinInto(store, wish, ELSEWHERE)).toMatchObject({ written: true, index: null })
    expect(store.content?.servers.notes).toMatchObject({ record: null, observation: expect.any(String) })
  })
})

describe("heads that a merge left untied", () => {
  let merged: Lockfile
  beforeEach(async () => {
    const ours = await project.pin(pinned, { name: "ours", tools: ["a"] })
    const theirs = await project.pin(pinned, { name: "theirs", tools: ["a"] })
    merged = mergeLockfiles({ base: pinned, ours, theirs }).lockfile
    expect(verify(merged).warnings).toEqual([expect.stringMatching(/^unlinked:/)])
    store.content = merged
  })

  test("are tied by a write that changes no pin", async () => {
    expect(await project.pinInto(store, NOTES)).toMatchObject({ written: true, appended: false })
    expect(verify(store.content).warnings).toEqual([])
    expect(store.content?.servers).toEqual(merged.servers)
    expect(await project.pinInto(store, NOTES)).toMatchObject({ written: false })
  })

  test("are tied by a write that adds a pin", async () => {
    await project.pinInto(store, { name: "another", tools: ["a"], by: "a@example.com" })
    expect(verify(store.content).warnings).toEqual([])
  })
})

describe("definitions", () => {
  const STALE = encodeUtf8("stale")

  test("go with the pin, and come back when they are missing", async () => {
    for (const wish of [{ ...NOTES, tools: ["b"] }, { ...NOTES, tools: ["b"] }, NOTES]) {
      store.definitions = {}
      await project.pinInto(store, { ...wish, definitions: true })
      const report = verifyLockfile({
        lockfile: store.content ?? EMPTY_LOCKFILE,
        roots: [ROOT],
        definitions: store.definitions,
        nowSec: 0n,
      })
      expect(Object.keys(store.definitions)).toEqual(["notes"])
      expect(report.servers[0]?.verdict).not.toBe("REJECTED")
      expect(report.warnings).toEqual([])
    }
  })

  test.each([
    { name: "of another list go", wish: { ...NOTES, tools: ["b"] }, kept: false },
    { name: "of the same list stay", wish: NOTES, kept: true },
    { name: "that lie where a new pin comes go", wish: { ...NOTES, name: "another" }, kept: false },
  ])("$name when none are to be written", async ({ wish, kept }) => {
    for (const log of [undefined, ELSEWHERE]) {
      store = createMemoryLockfile(pinned)
      store.definitions = { [wish.name]: STALE }
      await project.pinInto(store, wish, log)
      expect(store.definitions).toEqual(kept ? { [wish.name]: STALE } : {})
    }
  })

  test("cannot be written: nothing is appended", async () => {
    store.requireWritable = async () => {
      throw new Error("no")
    }
    await expect(project.pinInto(store, { ...NOTES, tools: ["b"] })).rejects.toThrow("no")
    expect((await project.log.read()).head.size).toBe(2n)
  })
})
