import { beforeEach, describe, expect, test } from "vitest"
import { formatCosignature } from "../../src/core/cosignature.js"
import { ToolsumError } from "../../src/core/errors.js"
import { formatLockfile, type Lockfile } from "../../src/core/lockfile.js"
import { addSignatures, formatNote, parseNote } from "../../src/core/note.js"
import { type Policy, parsePolicy } from "../../src/core/policy.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import type { SigningKey } from "../../src/core/vkey.js"
import { mergeLockfiles } from "../../src/features/merge-lockfiles.js"
import { EMPTY_LOCKFILE, pinDigestOf } from "../../src/features/pins.js"
import { type RefreshInput, refreshProofs } from "../../src/features/refresh-proofs.js"
import { signer, witness } from "../core/log-fixtures.js"
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
/** Pins `a` and `b` under heads of their own, and `waiting`, which no log has. */
let before: Lockfile
let store: MemoryLockfile

beforeEach(async () => {
  project = await makeLockedProject()
  const first = await project.pin(EMPTY_LOCKFILE, { name: "a", tools: ["x"] })
  const second = await project.pin(first, { name: "b", tools: ["x"] })
  before = await project.pinUnlogged(second, { name: "waiting", tools: ["x"] })
  store = createMemoryLockfile(before)
})

const refresh = (over: Partial<RefreshInput> = {}) =>
  refreshProofs({ lockfile: store, names: [], openLog: project.log.read, dryRun: false, ...over })

const verify = (lockfile: Lockfile | null) =>
  verifyLockfile({ lockfile: lockfile ?? EMPTY_LOCKFILE, roots: [ROOT], nowSec: 0n })
const text = () => formatLockfile(store.content ?? EMPTY_LOCKFILE)
const headsOf = (lockfile: Lockfile | null) => Object.keys(lockfile?.logs[ORIGIN]?.heads ?? {})

test("every logged pin is proven under the newest head; what is pinned and approved stays", async () => {
  await project.grow(300)
  expect(await refresh()).toEqual([{ origin: ORIGIN, pins: ["a", "b"], ok: true, size: 303n, changed: true }])
  const report = verify(store.content)
  expect(report.warnings).toEqual([])
  expect(report.servers.map(({ verdict }) => verdict)).toEqual(["PROVEN", "PROVEN", "UNKNOWN"])
  expect(headsOf(store.content)).toEqual([expect.stringMatching(/^303-/)])
  for (const [name, was] of Object.entries(before.servers)) {
    const now = store.content?.servers[name]
    if (!now) throw new Error("expected the pin")
    expect(pinDigestOf(now)).toBe(pinDigestOf(was))
    expect({ ...now, head: was.head, proof: was.proof }).toEqual(was)
  }
  const written = text()
  expect(await refresh()).toMatchObject([{ ok: true, changed: false }])
  expect(text()).toBe(written)
})

test("only pins that are named get a new proof; heads stay tied", async () => {
  await project.grow(1)
  expect(await refresh({ names: ["a", "waiting"] })).toMatchObject([{ pins: ["a"], changed: true }])
  expect(store.content?.servers.b).toEqual(before.servers.b)
  expect(headsOf(store.content)).toHaveLength(2)
  expect(verify(store.content).warnings).toEqual([])
  await expect(refresh({ names: ["nobody"] })).rejects.toMatchObject({ code: "NOT_PINNED" })
  expect(await refresh({ names: ["waiting"] })).toEqual([])
})

test("heads that a merge left untied are tied", async () => {
  const theirs = await project.pin(before, { name: "c", tools: ["x"] })
  await project.grow(1)
  const ours = await project.pin(before, { name: "d", tools: ["x"] })
  store.content = mergeLockfiles({ base: before, ours, theirs }).lockfile
  expect(verify(store.content).warnings).toHaveLength(1)
  await refresh({ names: ["a"] })
  expect(verify(store.content).warnings).toEqual([])
})

test("a dry run says what would change and writes nothing", async () => {
  expect(await refresh({ dryRun: true })).toMatchObject([{ changed: true }]) // a is under an older head than b
  await refresh()
  expect(await refresh({ dryRun: true })).toMatchObject([{ changed: false }])
  await project.grow(1)
  const written = text()
  expect(await refresh({ dryRun: true })).toMatchObject([{ changed: true, size: 4n }])
  expect(text()).toBe(written)
})

test("a pin that is changed meanwhile is left as it is then", async () => {
  await project.grow(1)
  const meanwhile = removeFrom(
    editPin(before, "b", (pin) => ({ ...pin, approved: null })),
    "a",
  )
  store.meanwhile = () => {
    store.content = meanwhile
  }
  await refresh()
  expect(Object.keys(store.content?.servers ?? {})).toEqual(["b", "waiting"])
  expect(store.content?.servers.b?.approved).toBeNull()
  expect(verify(store.content).servers[0]?.reason).toBe("unapproved")
})

describe("nothing is written", () => {
  const stays = async (code: string, over: Partial<RefreshInput> = {}) => {
    const written = text()
    const error = expect.objectContaining({ code })
    expect(await refresh(over)).toEqual([{ origin: ORIGIN, pins: ["a", "b"], ok: false, error }])
    expect(text()).toBe(written)
  }

  test("when the log cannot be opened", async () => {
    await stays("LOG_UNAVAILABLE", {
      openLog: async () => {
        throw new ToolsumError("LOG_UNAVAILABLE", "no route")
      },
    })
  })

  test("when the log has something else in a record's place", async () => {
    store.content = editPin(before, "a", (pin) => ({ ...pin, index: 2n }))
    await stays("INCLUSION_INVALID")
  })

  test("when a pin would be rejected", async () => {
    store.content = editPin(before, "a", (pin) => ({ ...pin, tools: {} }))
    await stays("RECORD_INVALID")
  })
})

describe("cosignatures of a head", () => {
  const W = [signer("w1.example"), signer("w2.example")]
  const policy = parsePolicy(
    `${W.map((key, i) => `witness w${i} ${witness(key).vkey}\n`).join("")}group g all w0 w1\nquorum g\n`,
  )

  /** The log with its head cosigned by these witnesses, and held to `witnessPolicy`. */
  const openCosigned =
    (by: readonly SigningKey[], witnessPolicy: Policy | null = null) =>
    async () => {
      const client = await project.log.read()
      const note = parseNote(client.headNote)
      const lines = by.map((key) => formatCosignature({ text: note.text, key, timestamp: 9n }))
      return { ...client, witnessPolicy, headNote: formatNote(addSignatures(note, lines)) }
    }
  const cosigners = () =>
    Object.values(store.content?.logs[ORIGIN]?.heads ?? {}).map((note) =>
      parseNote(note)
        .signatures.slice(1)
        .map(({ name }) => name),
    )

  test("are stored as they came, more of the same head are added, and none is lost", async () => {
    expect(await refresh({ openLog: openCosigned(W.slice(0, 1)) })).toMatchObject([{ changed: true }])
    expect(cosigners()).toEqual([["w1.example"]])
    expect(await refresh({ openLog: openCosigned(W.slice(1)) })).toMatchObject([{ changed: true }])
    expect(cosigners()).toEqual([["w1.example", "w2.example"]])
    for (const by of [[], W]) expect(await refresh({ openLog: openCosigned(by) })).toMatchObject([{ changed: false }])
    expect(cosigners()).toEqual([["w1.example", "w2.example"]])
  })

  test("must be there as the reader's policy demands, or nothing is written", async () => {
    const written = text()
    expect(await refresh({ openLog: openCosigned(W.slice(1), policy) })).toMatchObject([
      { ok: false, error: { code: "RECORD_INVALID" } },
    ])
    expect(text()).toBe(written)
    expect(await refresh({ openLog: openCosigned(W, policy) })).toMatchObject([{ ok: true }])
  })
})
