// The kit itself: a truth that every step takes, and lies that each differ from it in something.
import { beforeAll, describe, expect, test } from "vitest"
import { openLogClient } from "../../src/client/open-log.js"
import { equalBytes } from "../../src/core/bytes.js"
import { formatLockfile, parseLockfile } from "../../src/core/lockfile.js"
import type { PinnedRoot } from "../../src/core/root.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import { ORIGIN } from "../../src/features/hostile/keys.js"
import { createDraft, type Draft, STEPS } from "../../src/features/hostile/lie.js"
import { LIES, tellLie } from "../../src/features/hostile/lies.js"
import { filesSource, type HonestWorld, makeHonestWorld } from "../../src/features/hostile/world.js"
import { MemoryState } from "../fakes/memory-state.js"

const NOW = 1_796_083_200n
let world: HonestWorld
beforeAll(async () => {
  world = await makeHonestWorld({ nowSec: NOW })
})

const rootOf = ({ fingerprint }: HonestWorld): PinnedRoot => ({
  ...{ dialect: "tlog-tiles", name: ORIGIN, floor: null, source: "flag" },
  fingerprint,
})

const open = ({ files, state: remembered }: Draft) => {
  const state = new MemoryState()
  if (remembered !== null) state.stored.set(`${ORIGIN} ${world.fingerprint}`, remembered)
  return openLogClient({ source: filesSource(files), roots: [rootOf(world)], state, clock: () => Number(NOW) })
}

test("the truth is the truth: log, state and lockfile hold", async () => {
  const { heads, entries, keyrings } = world
  const client = await open(createDraft(world))
  expect(client.head).toMatchObject({ size: heads.now.size, state: "live", cosigners: 3 })
  expect([client.warnings, client.keyringNotes]).toEqual([[], keyrings])
  expect(entries.length).toBe(Number(heads.now.size))
  const report = verifyLockfile({ lockfile: world.lockfile, roots: [rootOf(world)], nowSec: NOW })
  expect(report).toMatchObject({ exitCode: 0, servers: [{ verdict: "PROVEN" }] })
})

test("equal times make equal bytes, so that a report of a lie can be reproduced", async () => {
  const again = await makeHonestWorld({ nowSec: NOW })
  expect([...again.files]).toEqual([...world.files])
  expect([formatLockfile(again.lockfile), again.state]).toEqual([formatLockfile(world.lockfile), world.state])
})

test("the client's files are in the form that it writes them", () => {
  const text = formatLockfile(world.lockfile)
  expect(formatLockfile(parseLockfile(text))).toBe(text)
})

test("at least forty lies, each with a name of its own", () => {
  expect(LIES.filter(({ kind }) => kind === "lie").length).toBeGreaterThanOrEqual(40)
  expect(new Set(LIES.map(({ name }) => name)).size).toBe(LIES.length)
  for (const { name } of LIES) expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
})

test("every step of a client has lies", () => {
  expect(new Set(LIES.map(({ step }) => step))).toEqual(new Set(Object.keys(STEPS)))
})

/** Paths whose bytes are not those of the honest log. */
const changedPaths = ({ files }: Draft): readonly string[] =>
  [...new Set([...files.keys(), ...world.files.keys()])].filter((path) => {
    const [told, honest] = [files.get(path), world.files.get(path)]
    return told === undefined || honest === undefined ? told !== honest : !equalBytes(told, honest)
  })

describe("each lie differs from the truth, and damage is the client's own:", () => {
  test.each(LIES.filter(({ name }) => name !== "truth"))("$name", (lie) => {
    const draft = tellLie(lie, world)
    const served = changedPaths(draft).length + (draft.trick === null ? 0 : 1)
    const own = draft.lockfile !== formatLockfile(world.lockfile) || draft.state !== world.state
    if (lie.kind === "damage") expect([served, own]).toEqual([0, true])
    else expect(served).toBeGreaterThan(0)
  })
})

describe("a client takes what is harmless", () => {
  test.each(LIES.filter(({ kind }) => kind === "harmless"))("$name", async (lie) => {
    expect((await open(tellLie(lie, world))).warnings).toEqual([])
  })
})

describe("lies that a client notices as it opens the log are refused for what they are:", () => {
  test.each([
    ["forged-signature", "SIGNATURE_INVALID"],
    ["one-witness-twice", "QUORUM_NOT_MET"],
    ["size-0-with-root", "HASH_MISMATCH"],
    ["other-origin-own-key", "ORIGIN_MISMATCH"],
    ["fork-equal-size", "LOG_INCONSISTENT"],
    ["rollback", "LOG_ROLLBACK"],
    ["keyring-equivocation", "LOG_INCONSISTENT"],
    ["low-order-witness-key", "KEY_LOW_ORDER"],
    ["revoked-key-signs", "KEY_NOT_VALID_AT_SIZE"],
    ["state-zeroed", "STATE_CORRUPT"],
  ])("%s is %s", async (name, code) => {
    const lie = LIES.find((one) => one.name === name)
    if (lie === undefined) throw new Error(`there is no lie ${name}`)
    await expect(open(tellLie(lie, world))).rejects.toMatchObject({ code })
  })
})
