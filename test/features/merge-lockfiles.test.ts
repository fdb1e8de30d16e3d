import { beforeAll, describe, expect, test } from "vitest"
import { formatCosignature } from "../../src/core/cosignature.js"
import { formatLockfile, type LockedLog, type Lockfile, type Pin, parseLockfile } from "../../src/core/lockfile.js"
import { addSignatures, formatNote, openNote, parseNote, signNote } from "../../src/core/note.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import { linkHeads } from "../../src/features/link-heads.js"
import { type MergeConflict, mergeLockfiles, mergeVerified } from "../../src/features/merge-lockfiles.js"
import { EMPTY_LOCKFILE, pinDigestOf } from "../../src/features/pins.js"
import { proverOf } from "../../src/features/record-pin.js"
import { signer, witness } from "../core/log-fixtures.js"
import {
  editPin,
  type LockedProject,
  makeLockedProject,
  ORIGIN,
  type PinWish,
  ROOT,
  removeFrom,
  renameIn,
} from "../fakes/locked-project.js"

const text = formatLockfile
const verify = (lockfile: Lockfile) => verifyLockfile({ lockfile, roots: [ROOT], nowSec: 0n })
const verdicts = (lockfile: Lockfile) =>
  Object.fromEntries(verify(lockfile).servers.map(({ name, verdict, reason }) => [name, reason ?? verdict]))

let project: LockedProject
let base: Lockfile

beforeAll(async () => {
  project = await makeLockedProject()
  base = EMPTY_LOCKFILE
  for (const name of ["keep", "left", "right", "old-left", "old-right"]) {
    base = await project.pin(base, { name, tools: ["a"] })
  }
})

const pin = (lockfile: Lockfile, name: string, wish: Partial<PinWish> = {}): Promise<Lockfile> =>
  project.pin(lockfile, { name, tools: ["a", "b"], ...wish })

/** Merge without conflicts; the other way round it must be the same. */
function mergeClean(ours: Lockfile, theirs: Lockfile, from = base): Lockfile {
  const merged = mergeVerified({ base: from, ours, theirs })
  expect(merged.conflicts).toEqual([])
  expect(text(mergeVerified({ base: from, ours: theirs, theirs: ours }).lockfile)).toBe(text(merged.lockfile))
  expect(text(parseLockfile(text(merged.lockfile)))).toBe(text(merged.lockfile))
  return merged.lockfile
}

describe("two branches", () => {
  test("that each added, updated and removed pins are united, and everything is proven", async () => {
    const ours = removeFrom(await pin(await pin(base, "new-left"), "left"), "old-left")
    const theirs = removeFrom(await pin(await pin(base, "new-right"), "right"), "old-right")
    const merged = mergeClean(ours, theirs)
    expect(verdicts(merged)).toEqual({
      keep: "PROVEN",
      left: "PROVEN",
      right: "PROVEN",
      "new-left": "PROVEN",
      "new-right": "PROVEN",
    })
    expect(merged.servers.left).toEqual(ours.servers.left)
    expect(merged.servers.right).toEqual(theirs.servers.right)
    expect(Object.keys(merged.removed)).toEqual(["old-left", "old-right"])
  })

  test("leave heads that nothing ties together; the next online command ties them, though the log has gone on", async () => {
    const { log, grow, ...fresh } = await makeLockedProject()
    const from = await fresh.pin(EMPTY_LOCKFILE, { name: "keep", tools: ["a"] })
    const ours = await fresh.pin(from, { name: "left", tools: ["a"] })
    const theirs = await fresh.pin(from, { name: "right", tools: ["a"] })
    const merged = mergeClean(ours, theirs, from)
    expect(verify(merged)).toMatchObject({ exitCode: 0, warnings: ["unlinked:3-4"] })
    await grow(300)
    for (let i = 0; i < 9; i++) await grow(1)
    const writer = await log.open()
    expect(await writer.collect()).toBeGreaterThan(0)
    await writer.close()
    const linked = await linkHeads(merged, ORIGIN, proverOf(await log.read()))
    expect(verify(linked)).toMatchObject({ exitCode: 0, warnings: [] })
  })

  test("that did the same have it once", async () => {
    const both = removeFrom(await pin(await pin(base, "new"), "left"), "old-left")
    expect(text(mergeClean(both, both))).toBe(text(both))
  })

  test("that started from nothing are united", async () => {
    const ours = await pin(EMPTY_LOCKFILE, "new-left")
    const theirs = await pin(EMPTY_LOCKFILE, "new-right")
    expect(Object.keys(mergeClean(ours, theirs, EMPTY_LOCKFILE).servers)).toEqual(["new-left", "new-right"])
  })

  test("of which one renamed a pin have it under the new name", async () => {
    const merged = mergeClean(renameIn(base, "left", "moved"), await pin(base, "right"))
    expect(merged.servers.moved).toEqual(base.servers.left)
    expect(Object.keys(merged.servers)).not.toContain("left")
  })

  test("may pin again what was removed", async () => {
    const before = removeFrom(base, "left")
    const merged = mergeClean(await pin(before, "left"), await pin(before, "right"), before)
    expect(merged.servers.left).toBeDefined()
    expect(merged.removed).toEqual({})
  })
})

describe("one pin on both sides", () => {
  const approved = (lockfile: Lockfile, name: string, by: string, at: string): Lockfile =>
    editPin(lockfile, name, (one) => ({
      ...one,
      approved: { pin: pinDigestOf(one), from: null, at, by, reason: null, only: null },
    }))

  test("approved by two people keeps the earlier approval", async () => {
    const before = await pin(base, "left", { by: null })
    const ours = approved(before, "left", "a@example.com", "2026-12-01T10:00:00Z")
    const theirs = approved(before, "left", "b@example.com", "2026-12-01T09:00:00Z")
    expect(mergeClean(ours, theirs, before).servers.left?.approved?.by).toBe("b@example.com")
  })

  test("updated alike on both sides and approved on one is approved", async () => {
    const ours = await pin(base, "left", { by: null })
    const theirs = approved(ours, "left", "b@example.com", "2026-12-01T09:00:00Z")
    const merged = mergeClean(await pin(ours, "new"), theirs)
    expect(verdicts(merged).left).toBe("PROVEN")
  })

  test("updated alike and approved differently takes the approval of what is pinned", async () => {
    const ours = editPin(await pin(base, "left", { by: null }), "left", (one) => ({
      ...one,
      approved: one.approved && { ...one.approved, at: "2020-01-01T00:00:00Z" },
    }))
    const theirs = approved(await pin(base, "left", { by: null }), "left", "b@example.com", "2026-12-01T09:00:00Z")
    expect(mergeClean(ours, theirs).servers.left?.approved?.by).toBe("b@example.com")
  })

  test("approved on one side and updated on the other is updated, and not approved", async () => {
    const before = await pin(base, "left", { by: null })
    const ours = approved(before, "left", "a@example.com", "2026-12-01T10:00:00Z")
    const theirs = await pin(before, "left", { tools: ["a", "b", "c"], by: null })
    expect(verdicts(mergeClean(ours, theirs, before)).left).toBe("unapproved")
  })

  test("that one side proved anew and the other updated is updated", async () => {
    const ours = editPin(base, "left", (one) => ({ ...one, read: { node: "24.1.0" } }))
    const theirs = await pin(base, "left")
    expect(mergeClean(ours, theirs).servers.left).toEqual(theirs.servers.left)
  })

  test("logged on one side and waiting on the other is logged", async () => {
    const wish = { name: "new", tools: ["a"] }
    const theirs = await project.pin(base, wish)
    const ours = await project.pinUnlogged(base, wish)
    expect(mergeClean(ours, theirs).servers.new?.record).toBe(theirs.servers.new?.record)
  })

  test("recorded twice has the later record", async () => {
    const first = await pin(base, "left", { tools: ["x"] })
    const second = await pin(await pin(base, "left", { tools: ["y"] }), "left", { tools: ["x"] })
    expect(second.servers.left?.index).toBeGreaterThan(first.servers.left?.index ?? 0n)
    expect(mergeClean(first, second).servers.left?.index).toBe(second.servers.left?.index)
  })

  test("has the origins that either side added, without those that one took away", () => {
    const from = (...files: string[]) => files.map((file) => ({ file, name: "left" }))
    const withFrom = (...files: string[]) => editPin(base, "left", (one) => ({ ...one, from: from(...files) }))
    const merged = mergeClean(withFrom("a", "c"), withFrom("b", "a", "d"), withFrom("a", "b"))
    expect(merged.servers.left?.from).toEqual(from("a", "c", "d"))
  })

  test("removed on one side and only proven anew on the other is removed", () => {
    const theirs = editPin(base, "left", (one) => ({ ...one, read: { node: "24.1.0" } }))
    expect(mergeClean(removeFrom(base, "left"), theirs).servers.left).toBeUndefined()
  })

  test("removed on both sides keeps the earlier note", () => {
    const ours = removeFrom(base, "left", "2026-12-02T00:00:00Z")
    const theirs = removeFrom(base, "left", "2026-12-01T00:00:00Z")
    expect(mergeClean(ours, theirs).removed.left).toEqual(theirs.removed.left)
  })
})

describe("a person decides", () => {
  type Change = (lockfile: Lockfile) => Lockfile | Promise<Lockfile>
  const update =
    (name: string, ...tools: string[]): Change =>
    (lockfile) =>
      pin(lockfile, name, { tools })
  const remove =
    (name: string): Change =>
    (lockfile) =>
      removeFrom(lockfile, name)
  const rename =
    (to: string): Change =>
    (lockfile) =>
      renameIn(lockfile, "left", to)
  const at =
    (url: string | null): Change =>
    (lockfile) =>
      editLog(lockfile, (log) => ({ ...log, url }))
  const thenRemove: Change = async (lockfile) => removeFrom(await pin(lockfile, "new"), "new")
  const reapprove: Change = (lockfile) =>
    editPin(lockfile, "left", (one) => ({ ...one, approved: one.approved && { ...one.approved, by: "c@example.com" } }))

  test.each<{ name: string; ours: Change; theirs: Change; conflicts: readonly Partial<MergeConflict>[] }>([
    { name: "two updates", ours: update("left", "x"), theirs: update("left", "y"), conflicts: [{ name: "left" }] },
    { name: "two additions", ours: update("new", "x"), theirs: update("new", "y"), conflicts: [{ name: "new" }] },
    {
      name: "an update and a removal",
      ours: update("left", "x"),
      theirs: remove("left"),
      conflicts: [{ name: "left" }],
    },
    { name: "an approval and a removal", ours: reapprove, theirs: remove("left"), conflicts: [{ name: "left" }] },
    { name: "an addition and a removal", ours: update("new", "x"), theirs: thenRemove, conflicts: [{ name: "new" }] },
    {
      name: "an update and a renaming",
      ours: update("left", "x"),
      theirs: rename("moved"),
      conflicts: [{ name: "left" }, { name: "moved" }],
    },
    {
      name: "a removal and a renaming",
      ours: remove("left"),
      theirs: rename("moved"),
      conflicts: [{ name: "left" }, { name: "moved" }],
    },
    {
      name: "two renamings",
      ours: rename("here"),
      theirs: rename("there"),
      conflicts: [{ name: "here" }, { name: "there" }],
    },
    {
      name: "two URLs of a log",
      ours: at("https://a.example/"),
      theirs: at("https://b.example/"),
      conflicts: [{ kind: "log", name: ORIGIN }],
    },
  ])("on $name; the rest is united", async ({ ours, theirs, conflicts }) => {
    const [one, other] = [await ours(await pin(base, "more-left")), await theirs(await pin(base, "more-right"))]
    const merged = mergeVerified({ base, ours: one, theirs: other })
    expect(merged.conflicts).toEqual(conflicts.map((conflict) => expect.objectContaining(conflict)))
    const back = mergeVerified({ base, ours: other, theirs: one })
    expect(back.conflicts).toEqual(merged.conflicts)
    expect(text(back.otherwise)).toBe(text(merged.lockfile))
    for (const [result, side] of [
      [merged.lockfile, one],
      [merged.otherwise, other],
    ] as const) {
      expect(text(parseLockfile(text(result)))).toBe(text(result))
      expect(Object.values(verdicts(result)).filter((word) => word !== "PROVEN")).toEqual([])
      expect(Object.keys(result.servers)).toEqual(expect.arrayContaining(["more-left", "more-right"]))
      for (const { name } of conflicts) {
        expect(result.servers[name ?? ""]).toEqual(side.servers[name ?? ""])
      }
    }
  })

  test("not on a URL that only one side knows", () => {
    const [none, some] = [base, editLog(base, (log) => ({ ...log, url: "https://a.example/" }))]
    for (const from of [none, EMPTY_LOCKFILE]) {
      expect(mergeClean(none, some, from).logs[ORIGIN]?.url).toBe("https://a.example/")
    }
  })
})

const editLog = (lockfile: Lockfile, edit: (log: LockedLog) => LockedLog): Lockfile => {
  const log = lockfile.logs[ORIGIN]
  return log ? { ...lockfile, logs: { ...lockfile.logs, [ORIGIN]: edit(log) } } : lockfile
}

describe("evidence that fails is never taken in", () => {
  const flip = (base64: string) => base64.replace(/[A-Za-z]/, (letter) => (letter === "A" ? "B" : "A"))
  const first = (record: Readonly<Record<string, string>>, edit: (value: string) => string) => {
    const [key = "", value = ""] = Object.entries(record)[0] ?? []
    return { ...record, [key]: edit(value) }
  }
  const breakSignature = (note: string) =>
    note.replace(/(— \S+ .{20}).(.*)\n$/, (_, a, b) => `${a}!${b}\n`.replace("!", "A"))

  test.each<{ name: string; edit: (lockfile: Lockfile) => Lockfile; code: string }>([
    {
      name: "an edited record",
      edit: (l) => editPin(l, "keep", (one) => ({ ...one, record: (one.record ?? "").replace("npm/", "npn/") })),
      code: "INCLUSION_INVALID",
    },
    {
      name: "another proof",
      edit: (l) =>
        editPin(l, "keep", (one) => ({ ...one, proof: [new Uint8Array(32), ...(one.proof ?? []).slice(1)] })),
      code: "INCLUSION_INVALID",
    },
    {
      name: "another item",
      edit: (l) => editPin(l, "keep", (one: Pin) => ({ ...one, tools: {} })),
      code: "RECORD_INVALID",
    },
    {
      name: "a keyring with another signature",
      edit: (l) => editLog(l, (log) => ({ ...log, keyring: log.keyring.map(breakSignature) })),
      code: "SIGNATURE_INVALID",
    },
    {
      name: "a head with another signature",
      edit: (l) => editLog(l, (log) => ({ ...log, heads: first(log.heads, breakSignature) })),
      code: "SIGNATURE_INVALID",
    },
    {
      name: "a link that proves nothing",
      edit: (l) => editLog(l, (log) => ({ ...log, links: first(log.links, flip) })),
      code: "CONSISTENCY_INVALID",
    },
  ])("$name, on either side", async ({ edit, code }) => {
    const good = await pin(base, "right")
    const bad = edit(await pin(base, "left"))
    expect(verify(bad).exitCode).toBe(3)
    for (const [sides, who] of [
      [{ ours: good, theirs: bad }, "theirs"],
      [{ ours: bad, theirs: good }, "ours"],
    ] as const) {
      const failing = expect.objectContaining({ code, kind: "rejected", message: expect.stringMatching(`^${who}: `) })
      expect(() => mergeVerified({ base, ...sides })).toThrow(failing)
    }
  })

  test("two histories of one log: heads of one size that differ, with both as evidence", async () => {
    const [one, two] = [await makeLockedProject(), await makeLockedProject()]
    const ours = await one.pin(EMPTY_LOCKFILE, { name: "x", tools: ["a"] })
    const theirs = await two.pin(EMPTY_LOCKFILE, { name: "y", tools: ["b"] })
    const evidence = { a: expect.stringContaining(ORIGIN), b: expect.stringContaining(ORIGIN) }
    expect(() => mergeVerified({ base: EMPTY_LOCKFILE, ours, theirs })).toThrow(
      expect.objectContaining({ code: "LOG_INCONSISTENT", evidence }),
    )
  })

  test("two keyrings of one version, whatever the base says", () => {
    const other = editLog(base, (log) => ({ ...log, keyring: ["another\n\n— x AAAA\n"] }))
    for (const from of [base, other, EMPTY_LOCKFILE]) {
      expect(() => mergeLockfiles({ base: from, ours: base, theirs: other })).toThrow(
        expect.objectContaining({ code: "LOG_INCONSISTENT" }),
      )
    }
  })

  test("one origin with two dialects", () => {
    const other = { ...editLog(EMPTY_LOCKFILE, (log) => log), logs: { [ORIGIN]: legion } }
    expect(() => mergeLockfiles({ base, ours: base, theirs: other })).toThrow(
      expect.objectContaining({ code: "LOG_INCONSISTENT" }),
    )
  })
  const legion: LockedLog = { dialect: "legion", url: null, keyring: [], heads: {}, links: {} }

  test("keyrings of dialect legion of which none continues the other", () => {
    const [one, other] = ["a\nb\n", "a\nc\n"].map((keyring) => ({
      ...EMPTY_LOCKFILE,
      logs: { [ORIGIN]: { ...legion, keyring: [keyring] } },
    }))
    expect(() => mergeLockfiles({ base: EMPTY_LOCKFILE, ours: one ?? base, theirs: other ?? base })).toThrow(
      expect.objectContaining({ code: "LOG_INCONSISTENT" }),
    )
  })

  test("but a log that nobody has a root for, and a pin that waits, are no failure", async () => {
    const ours = await project.pinUnlogged(base, { name: "new", tools: ["a"] })
    expect(mergeClean(ours, await pin(base, "right")).servers.new?.record).toBeNull()
  })
})

describe("logs", () => {
  const logOf = (heads: Record<string, string>, links: Record<string, string> = {}, keyring = ["one\n\nsigned\n"]) =>
    ({ dialect: "tlog-tiles", url: null, keyring, heads, links }) satisfies LockedLog
  const [h5, h7, h9] = ["5-0000000000000005", "7-0000000000000007", "9-0000000000000009"]
  const withLog = (log: LockedLog | null, ...heads: string[]): Lockfile => {
    const one = base.servers.keep
    if (one === undefined) throw new Error("no pin")
    return {
      ...EMPTY_LOCKFILE,
      logs: log ? { [ORIGIN]: log } : {},
      servers: Object.fromEntries(heads.map((head, i) => [`p${i}`, { ...one, head }])),
    }
  }
  const merge = (from: Lockfile, ours: Lockfile, theirs: Lockfile) => {
    const merged = mergeLockfiles({ base: from, ours, theirs })
    expect(mergeLockfiles({ base: from, ours: theirs, theirs: ours }).lockfile.logs).toEqual(merged.lockfile.logs)
    return merged.lockfile.logs[ORIGIN]
  }

  test("have the longer keyring chain", () => {
    const [one, two] = ["one\n\nsigned\n", "two\n\nsigned\n"]
    const merged = merge(withLog(null), withLog(logOf({}, {}, [one])), withLog(logOf({}, {}, [one, two])))
    expect(merged?.keyring).toEqual([one, two])
  })

  test("have the keyring with more signatures, of one text", () => {
    const merged = merge(withLog(null), withLog(logOf({})), withLog(logOf({}, {}, ["one\n\nsigned\ntwice\n"])))
    expect(merged?.keyring).toEqual(["one\n\nsigned\ntwice\n"])
  })

  test("have the heads of both, the checkpoint with more signatures, and the links of both", () => {
    const ours = withLog(logOf({ [h5]: "five", [h7]: "seven" }, { "5-7": "AAAA" }))
    const theirs = withLog(logOf({ [h5]: "five, cosigned", [h9]: "nine" }, { "5-9": "BBBB" }))
    const merged = merge(withLog(null), ours, theirs)
    expect(merged?.heads).toEqual({ [h5]: "five, cosigned", [h7]: "seven", [h9]: "nine" })
    expect(merged?.links).toEqual({ "5-7": "AAAA", "5-9": "BBBB" })
  })

  test("have the cosignatures of both sides on one head, whoever had which", () => {
    const text = "log.example\n5\nM6YRyhrVrH9pPHI05I07tNhwE6045CFn7TW9pZ+95Rs=\n"
    const cosignedBy = (...names: string[]) => {
      const lines = names.map((name) => formatCosignature({ text, key: signer(name), timestamp: 9n }))
      return formatNote(addSignatures(parseNote(signNote(text, [signer("log.example")])), lines))
    }
    const only = (note: string) => withLog(logOf({ [h5]: note }))
    const all = cosignedBy("w1.example", "w2.example")
    const bare = only(cosignedBy())
    const merged = merge(bare, only(cosignedBy("w1.example")), only(cosignedBy("w2.example")))
    expect(
      openNote(
        merged?.heads[h5] ?? "",
        ["w1.example", "w2.example"].map((name) => witness(signer(name))),
      ).verified,
    ).toHaveLength(2)
    // A side that has fewer than before takes none away.
    expect(merge(only(all), only(all), bare)?.heads).toEqual({ [h5]: all })
  })

  test("drop a head that one side dropped, with its links", () => {
    const from = withLog(logOf({ [h5]: "five", [h7]: "seven" }, { "5-7": "AAAA" }))
    const ours = withLog(logOf({ [h7]: "seven" }))
    const theirs = withLog(logOf({ [h5]: "five", [h7]: "seven", [h9]: "nine" }, { "5-7": "AAAA", "7-9": "BBBB" }))
    const merged = merge(from, ours, theirs)
    expect(Object.keys(merged?.heads ?? {})).toEqual([h7, h9])
    expect(merged?.links).toEqual({ "7-9": "BBBB" })
  })

  test("keep a dropped head that a pin of the other side names, with its links", () => {
    const from = withLog(logOf({ [h5]: "five", [h7]: "seven" }, { "5-7": "AAAA" }))
    const ours = withLog(logOf({ [h7]: "seven" }))
    const theirs = withLog(logOf({ [h5]: "five", [h7]: "seven" }, { "5-7": "AAAA" }), h5)
    expect(merge(from, ours, theirs)).toEqual(from.logs[ORIGIN])
  })

  test("keep the newest head although one side went back", () => {
    const from = withLog(logOf({ [h5]: "five", [h9]: "nine" }))
    expect(Object.keys(merge(from, withLog(logOf({ [h5]: "five" })), from)?.heads ?? {})).toEqual([h5, h9])
  })

  test("keep links to the closing sizes that the keyring names, or that cannot be read", () => {
    const ours = withLog(logOf({ [h7]: "seven" }, { "6-7": "AAAA" }))
    expect(merge(withLog(null), ours, withLog(logOf({ [h9]: "nine" })))?.links).toEqual({ "6-7": "AAAA" })
  })

  test("go when one side took them out and no pin is left, and stay for a pin", () => {
    const from = withLog(logOf({ [h5]: "five" }))
    expect(merge(from, withLog(null), from)).toBeUndefined()
    expect(merge(from, withLog(null), withLog(logOf({ [h5]: "five" }), h5))).toEqual(from.logs[ORIGIN])
    const changed = withLog(logOf({ [h5]: "five", [h7]: "seven" }))
    expect(merge(from, withLog(null), changed)).toEqual(changed.logs[ORIGIN])
  })
})
