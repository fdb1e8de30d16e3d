// What is remembered of a LEGION log, and how a log is held to it: the format refuses any damage, and other processes and heads of one run count.
import { describe, expect, test } from "vitest"
import { formatLegionMemory, parseLegionMemory } from "../../src/client/legion-memory.js"
import { type LegionTracker, trackLegionLog } from "../../src/client/legion-track.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { parseLegionJson } from "../../src/core/legion/json.js"
import { type LegionKeyring, verifyLegionKeyring } from "../../src/core/legion/keyring.js"
import { parseSignedTreeHead, type VerifiedTreeHead, verifyTreeHead } from "../../src/core/legion/tree-head.js"
import type { LogIdentity } from "../../src/ports.js"
import {
  KEYRING,
  type LegionTestLog,
  LOG_KEY,
  makeLegionLog,
  type RecordPlan,
  ROOT,
  revoke,
} from "../fakes/legion-log.js"
import { type AnswerPath, answersOf, type Serving, sourceOf } from "../fakes/legion-source.js"
import { MemoryState } from "../fakes/memory-state.js"

const IDENTITY: LogIdentity = { origin: "log.test/legion", root: ROOT.pin }
const PLANS = Array.from({ length: 6 }, (_, i): RecordPlan => ({ serverId: `io.test/${i}`, tools: [] }))
const LOG = makeLegionLog(PLANS)
const FORK = makeLegionLog(PLANS.map((plan, i) => (i < 2 ? plan : { ...plan, serverId: "io.test/other" })))
const keyring = verifyLegionKeyring({ text: LOG.keyring })

const headOf = (size: number, log: LegionTestLog = LOG): VerifiedTreeHead =>
  verifyTreeHead(keyring, parseSignedTreeHead(parseLegionJson(JSON.stringify(log.head(size)))))

const memoryOf = (size: number) => ({ head: headOf(size), headSeenSec: 7n, keyring, keyringText: LOG.keyring })

describe("memory", () => {
  const bytes = formatLegionMemory(memoryOf(3), IDENTITY)

  test("is read as it was written", () => {
    const read = parseLegionMemory(bytes, IDENTITY)
    expect(read).toMatchObject({ headSeenSec: 7n, keyringText: LOG.keyring, head: { size: 3n } })
    expect(formatLegionMemory(read, IDENTITY)).toEqual(bytes)
  })

  test("with any byte changed is damaged", () => {
    const read = (at: number) => {
      const copy = bytes.slice()
      copy[at] = (copy[at] ?? 0) ^ 1
      return () => parseLegionMemory(copy, IDENTITY)
    }
    for (let at = 0; at < bytes.length; at += 7)
      expect(read(at)).toThrow(expect.objectContaining({ code: "STATE_CORRUPT" }))
  })

  test.each<{ name: string; of: () => Uint8Array; log?: LogIdentity }>([
    { name: "of another log", of: () => bytes, log: { ...IDENTITY, origin: "other.test" } },
    { name: "of another root", of: () => bytes, log: { ...IDENTITY, root: "0".repeat(64) } },
    { name: "of the other dialect", of: () => encodeUtf8('{"format":"toolsum-state/v1"}\n') },
    { name: "that is no JSON", of: () => encodeUtf8("x") },
    { name: "whose head nobody signed", of: () => formatLegionMemory({ ...memoryOf(3), head: forged() }, IDENTITY) },
  ])("$name is damaged", ({ of, log = IDENTITY }) => {
    expect(() => parseLegionMemory(of(), log)).toThrow(expect.objectContaining({ code: "STATE_CORRUPT" }))
  })

  /** Its document says another size than was signed. */
  function forged(): VerifiedTreeHead {
    const head = headOf(3)
    return { ...head, document: JSON.parse(JSON.stringify(LOG.head(3)).replace('"tree_size":3', '"tree_size":4')) }
  }

  test("stands under the keyring of then: what a key signed before it was revoked was seen", () => {
    const text = makeLegionLog([], [...KEYRING, revoke(LOG_KEY.id)]).keyring
    const later = { ...memoryOf(3), keyring: verifyLegionKeyring({ text }), keyringText: text }
    const read = () => parseLegionMemory(formatLegionMemory(later, IDENTITY), IDENTITY)
    expect(read).toThrow(expect.objectContaining({ code: "STATE_CORRUPT" }))
    expect(parseLegionMemory(bytes, IDENTITY).head.size).toBe(3n)
  })
})

describe("tracking", () => {
  interface World {
    readonly state?: MemoryState
    readonly serving?: Serving
    readonly asked?: string[]
    readonly answer?: AnswerPath
    readonly under?: { keyring: LegionKeyring; keyringText: string }
  }

  const track = ({ state = new MemoryState(), asked = [], under, ...world }: World = {}): Promise<LegionTracker> =>
    trackLegionLog({
      source: sourceOf(world.answer ?? answersOf(LOG, PLANS, world.serving), asked),
      log: IDENTITY,
      ...(under ?? { keyring, keyringText: LOG.keyring }),
      state,
      clock: () => 9,
    })

  const remembered = async (state: MemoryState) => {
    const bytes = await state.newest(IDENTITY)
    return bytes && parseLegionMemory(bytes, IDENTITY).head.size
  }

  test("the newest head is remembered, and one proof ties two sizes", async () => {
    const [state, asked] = [new MemoryState(), [] as string[]]
    const tracker = await track({ state, asked })
    await tracker.hold(headOf(4))
    await tracker.hold(headOf(6))
    await tracker.hold(headOf(4))
    await tracker.tie(headOf(2))
    expect(asked).toEqual(["/proof/consistency?old_size=4&new_size=6", "/proof/consistency?old_size=2&new_size=6"])
    expect([await remembered(state), state.swaps]).toEqual([6n, 2])
  })

  test("heads at once are compared one after the other", async () => {
    const tracker = await track()
    const [first, second] = await Promise.allSettled([tracker.hold(headOf(6)), tracker.hold(headOf(6, FORK))])
    expect(first.status).toBe("fulfilled")
    expect(second).toMatchObject({ reason: { code: "LOG_INCONSISTENT" } })
  })

  test.each([
    { name: "another root of a size", heads: [headOf(5), headOf(5, FORK)], code: "LOG_INCONSISTENT" },
    { name: "a larger tree that is another", heads: [headOf(4), headOf(6, FORK)], code: "CONSISTENCY_INVALID" },
    { name: "a smaller tree that is another", heads: [headOf(6), headOf(4, FORK)], code: "CONSISTENCY_INVALID" },
  ])("$name is refused, with both heads and the keyring", async ({ heads, code }) => {
    const tracker = await track()
    const run = (async () => {
      for (const head of heads) await tracker.hold(head)
    })()
    const keyrings = JSON.stringify([LOG.keyring])
    const evidence = { a: expect.stringContaining("tree_head"), b: expect.stringContaining("tree_head"), keyrings }
    await expect(run).rejects.toMatchObject({ code, evidence })
  })

  test("a head that is expected may not be another one, nor larger", async () => {
    const tracker = await track({ serving: { size: 4 } })
    tracker.expect(headOf(6))
    expect(() => tracker.expect(headOf(6, FORK))).toThrow(expect.objectContaining({ code: "LOG_INCONSISTENT" }))
    await expect(tracker.hold(headOf(4))).rejects.toMatchObject({ code: "LOG_ROLLBACK" })
  })

  test("a smaller head of a log that still has the larger one is old, and of another tree a lie", async () => {
    const old = await track()
    old.expect(headOf(6))
    await expect(old.hold(headOf(4))).rejects.toMatchObject({ code: "LOG_BEHIND" })
    const other = await track()
    other.expect(headOf(6))
    await expect(other.hold(headOf(4, FORK))).rejects.toMatchObject({ code: "CONSISTENCY_INVALID" })
  })

  test("what another process saw meanwhile counts", async () => {
    const state = new MemoryState()
    const tracker = await track({ state })
    state.meanwhile = async () => (await track({ state })).hold(headOf(6))
    await tracker.hold(headOf(4))
    expect(await remembered(state)).toBe(6n)
    const fresh = new MemoryState()
    const late = await track({ state: fresh })
    fresh.meanwhile = async () => (await track({ state: fresh })).hold(headOf(6, FORK))
    await expect(late.hold(headOf(4))).rejects.toMatchObject({ code: "CONSISTENCY_INVALID" })
  })

  test("a longer keyring is remembered, and a shorter one refused from then on", async () => {
    const state = new MemoryState()
    await (await track({ state })).hold(headOf(6))
    const keyringText = makeLegionLog([], [...KEYRING, revoke("k1:00000000000000000000000000000000")]).keyring
    const longer = { keyring: verifyLegionKeyring({ text: keyringText }), keyringText }
    await (await track({ state, under: longer })).hold(headOf(6))
    await expect(track({ state })).rejects.toMatchObject({ code: "LOG_ROLLBACK" })
  })

  test("a state that cannot be used is a warning, a damaged one is none", async () => {
    const state = new MemoryState()
    state.broken = "write"
    const tracker = await track({ state })
    await tracker.hold(headOf(6))
    expect([...tracker.warnings]).toEqual(["state_unavailable"])
    const damaged = new MemoryState()
    damaged.stored.set(`${IDENTITY.origin} ${IDENTITY.root}`, encodeUtf8("x"))
    await expect(track({ state: damaged })).rejects.toMatchObject({ code: "STATE_CORRUPT" })
  })
})
