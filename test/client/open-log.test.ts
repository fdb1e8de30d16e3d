import { describe, expect, test } from "vitest"
import { openLogClient } from "../../src/client/open-log.js"
import { parseMemory } from "../../src/client/remember.js"
import { decodeUtf8, parseBase64 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { splitHashes, verifyConsistency } from "../../src/core/merkle.js"
import { verifyHead } from "../../src/core/tree-heads.js"
import { flipBit, HostileLog, rewrite, type Tamper, withhold } from "../fakes/hostile-log.js"
import { MemoryState } from "../fakes/memory-state.js"

const DAY = 86_400
const START = 1_796_083_200

function makeWorld(log: HostileLog) {
  const state = new MemoryState()
  const time = { nowSec: START }
  const open = (over: Partial<Parameters<typeof openLogClient>[0]> = {}) =>
    openLogClient({ source: log, roots: [log.root], state, clock: () => time.nowSec, ...over })
  const remembered = () => {
    const [bytes] = state.stored.values()
    return bytes === undefined ? null : parseMemory(bytes, { origin: log.origin, root: log.root.fingerprint })
  }
  return { state, time, open, remembered }
}

const entries = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `entry ${from + i}`)
const logOf = (size: number) => new HostileLog().append(...entries(0, size))

/** A state that has seen the log at each of these sizes. */
async function seen(log: HostileLog, ...sizes: readonly bigint[]) {
  const world = makeWorld(log)
  for (const size of sizes) {
    log.servedSize = size
    await world.open()
  }
  log.servedSize = null
  return world
}

const failureOf = async (attempt: Promise<unknown>): Promise<ToolsumError> => {
  const error = await attempt.then(
    () => null,
    (e: unknown) => e,
  )
  if (!(error instanceof ToolsumError)) throw new Error(`expected a ToolsumError, got ${error}`)
  return error
}

describe("opening", () => {
  test("gives the verified head, proves entries and remembers the head before it answers", async () => {
    const log = logOf(10)
    const { open, remembered } = makeWorld(log)
    const client = await open({ expectedOrigin: log.origin })
    expect(client).toMatchObject({ origin: log.origin, root: log.root, warnings: [], links: [], ageSec: null })
    expect(client.head).toMatchObject({ size: 10n, rootHash: log.rootAt(10n), state: "live" })
    expect(client.headNote).toBe(log.headAt(10n).note)
    expect(client.keyringNotes).toEqual(log.keyrings)
    expect((await client.proveInclusion(3n)).head.rootHash).toEqual(log.rootAt(10n))
    expect((await client.proveConsistency(4n)).older.rootHash).toEqual(log.rootAt(4n))
    expect(remembered()).toMatchObject({ head: { size: 10n }, headSeenSec: BigInt(START), earlier: [] })
  })

  test("an empty log, and one of a single entry, can be opened", async () => {
    for (const size of [0, 1]) expect((await makeWorld(logOf(size)).open()).head.size).toBe(BigInt(size))
  })

  test("an unnamed root counts, and the origin comes from it", async () => {
    const log = logOf(1)
    const client = await makeWorld(log).open({ roots: [{ ...log.root, name: null, source: "trust-store" }] })
    expect(client.root.source).toBe("trust-store")
  })

  test("extension lines of a checkpoint are tolerated and read for nothing", async () => {
    const log = logOf(3)
    log.tamper = rewrite(/^checkpoint$/, () => log.headAt(3n, ["size 99"]).note)
    expect((await makeWorld(log).open()).head.size).toBe(3n)
  })

  test("a chain of keyrings is walked to its end", async () => {
    const log = logOf(3)
    for (let i = 2; i <= 9; i++) log.rotate(`log-${i}`)
    const client = await makeWorld(log).open()
    expect(client.keyringNotes).toHaveLength(9)
    expect(log.reads.filter((path) => path.startsWith("keyring/"))).toHaveLength(14)
  })

  const other = () => new HostileLog("log.example/other").append("entry 0")
  const otherRoot = () => ({ ...other().root, name: null })
  test.each<{ name: string; code: string; tamper?: Tamper; over?: object }>([
    { name: "no checkpoint", tamper: withhold(/^checkpoint$/), code: "RESOURCE_MISSING" },
    { name: "no keyring", tamper: withhold(/^keyring/), code: "RESOURCE_MISSING" },
    { name: "no root from outside", over: { roots: [] }, code: "ROOT_NOT_PINNED" },
    { name: "roots of other logs only", over: { roots: [otherRoot()] }, code: "ROOT_NOT_PINNED" },
    {
      name: "another root for this name",
      over: { roots: [{ ...otherRoot(), name: "log.example/test" }] },
      code: "ROOT_MISMATCH",
    },
    { name: "another origin than expected", over: { expectedOrigin: "log.example/wanted" }, code: "ORIGIN_MISMATCH" },
    { name: "a flipped bit in the checkpoint's root", tamper: flipBit(/^checkpoint$/, 22), code: "SIGNATURE_INVALID" },
    {
      name: "a flipped bit in the signature",
      tamper: rewrite(/^checkpoint$/, (t) => t.replace(/(\S{8})=\n$/, "AAAAAAAA=\n")),
      code: "SIGNATURE_INVALID",
    },
    {
      name: "a larger size",
      tamper: rewrite(/^checkpoint$/, (t) => t.replace("\n10\n", "\n11\n")),
      code: "SIGNATURE_INVALID",
    },
    {
      name: "a checkpoint of another log",
      tamper: rewrite(/^checkpoint$/, () => other().headAt(1n).note),
      code: "ORIGIN_MISMATCH",
    },
    {
      name: "no signature",
      tamper: rewrite(/^checkpoint$/, (t) => t.slice(0, t.indexOf("\n\n") + 1)),
      code: "NOTE_MALFORMED",
    },
    {
      name: "a leading zero in the size",
      tamper: rewrite(/^checkpoint$/, (t) => t.replace("\n10\n", "\n010\n")),
      code: "CHECKPOINT_MALFORMED",
    },
    {
      name: "no text",
      tamper: (path, bytes) => (path === "checkpoint" ? Uint8Array.of(0xff, 0xfe) : bytes),
      code: "NOTE_MALFORMED",
    },
    {
      name: "a flipped bit in the keyring",
      tamper: rewrite(/^keyring/, (t) => t.replace("issued 1", "issued 2")),
      code: "SIGNATURE_INVALID",
    },
    { name: "one keyring twice", tamper: rewrite(/^keyring/, (t) => t), code: "KEYRING_INVALID" },
  ])("$name is $code, and nothing is remembered", async ({ tamper, over, code }) => {
    const log = logOf(10)
    if (tamper) log.tamper = tamper
    if (code === "KEYRING_INVALID") log.keyrings.push(log.keyrings[0] ?? "")
    const { open, state } = makeWorld(log)
    await expect(open(over)).rejects.toMatchObject({ code })
    expect(state.stored.size).toBe(0)
  })

  test("without a pinned root the error says what to compare", async () => {
    const log = logOf(1)
    const error = await failureOf(makeWorld(log).open({ roots: [] }))
    expect(error.message).toContain(log.root.fingerprint)
  })

  test("a log that cannot be reached is unavailable", async () => {
    const log = logOf(1)
    log.tamper = () => {
      throw new ToolsumError("LOG_UNAVAILABLE", "no")
    }
    await expect(makeWorld(log).open()).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" })
  })

  test("more keyrings than a chain may have are not read for ever", async () => {
    const log = logOf(1)
    log.tamper = (path, bytes) => (path.startsWith("keyring/") ? new TextEncoder().encode(log.keyrings[0]) : bytes)
    await expect(makeWorld(log).open()).rejects.toMatchObject({ kind: "rejected" })
    expect(log.reads.length).toBeLessThanOrEqual(1025)
  })
})

describe("a head after one seen before:", () => {
  test("the same again writes nothing", async () => {
    const log = logOf(10)
    const { open, state } = await seen(log, 10n)
    await open()
    expect(state.swaps).toBe(1)
  })

  test.each([1n, 5n, 256n, 300n])("larger, from %i on: proven from tiles and remembered", async (size) => {
    const log = logOf(700)
    const { open, remembered } = await seen(log, size)
    expect((await open()).head.size).toBe(700n)
    expect(remembered()).toMatchObject({ head: { size: 700n }, earlier: [{ size }] })
  })

  test("larger than the empty tree: anything goes", async () => {
    const log = logOf(10)
    const { open, remembered } = await seen(log, 0n)
    expect((await open()).head.size).toBe(10n)
    expect(remembered()?.earlier).toEqual([])
  })

  test("equal size, other root is a fork; the evidence is the two notes", async () => {
    const log = logOf(10)
    const { open, remembered } = await seen(log, 10n)
    const twin = log.fork(9n).append("other")
    const error = await failureOf(open({ source: twin }))
    expect(error.code).toBe("LOG_INCONSISTENT")
    expect(error.evidence).toEqual({
      a: log.headAt(10n).note,
      b: twin.headAt(10n).note,
      keyrings: JSON.stringify(log.keyrings),
    })
    expect(remembered()?.head.rootHash).toEqual(log.rootAt(10n))
  })

  test.each([1, 9, 10, 250, 600])(
    "larger, with %i entries kept, is a fork; the evidence proves itself",
    async (kept) => {
      const log = logOf(610)
      const { open, remembered } = await seen(log, 610n)
      const twin = log.fork(BigInt(kept)).append(...entries(10_000, 10_700))
      const error = await failureOf(open({ source: twin }))
      expect(error.code).toBe("LOG_INCONSISTENT")
      verifyForkEvidence(error)
      expect(remembered()?.head.size).toBe(610n)
    },
  )

  test("larger without the tiles that prove it is unavailable, and is not remembered", async () => {
    const log = logOf(700)
    const { open, remembered } = await seen(log, 10n)
    log.tamper = withhold(/^tile\/0\/000/)
    await expect(open()).rejects.toMatchObject({ code: "RESOURCE_MISSING", kind: "unavailable" })
    expect(remembered()?.head.size).toBe(10n)
  })

  test("larger with wrong tile bytes is a mismatch, not a fork", async () => {
    const log = logOf(700)
    const { open } = await seen(log, 10n)
    log.tamper = flipBit(/^tile\/0\/000/)
    await expect(open()).rejects.toMatchObject({ code: "HASH_MISMATCH" })
  })

  test("smaller and a proven prefix: ours is kept, the log is behind", async () => {
    const log = logOf(700)
    const { open, remembered, time } = await seen(log, 700n)
    log.servedSize = 300n
    time.nowSec += DAY - 1
    await expect(open()).rejects.toMatchObject({ code: "LOG_BEHIND", kind: "unavailable" })
    expect(remembered()?.head.size).toBe(700n)
  })

  test("smaller, a day after ours was first seen, is a rollback", async () => {
    const log = logOf(700)
    const { open, time } = await seen(log, 700n)
    log.servedSize = 300n
    time.nowSec += DAY
    const error = await failureOf(open())
    expect(error.code).toBe("LOG_ROLLBACK")
    expect(error.evidence).toEqual({ a: log.headAt(300n).note, b: log.headAt(700n).note })
  })

  test("smaller in a local directory is a rollback at once", async () => {
    const log = logOf(700)
    log.local = true
    const { open } = await seen(log, 700n)
    log.servedSize = 300n
    await expect(open()).rejects.toMatchObject({ code: "LOG_ROLLBACK", kind: "rejected" })
  })

  test("smaller and empty is behind, too", async () => {
    const log = logOf(7)
    const { open } = await seen(log, 7n)
    log.servedSize = 0n
    await expect(open()).rejects.toMatchObject({ code: "LOG_BEHIND" })
  })

  test("smaller without the bytes that would prove it is unavailable", async () => {
    const log = logOf(700)
    log.local = true
    const { open } = await seen(log, 700n)
    await expect(open({ source: log.fork(300n) })).rejects.toMatchObject({ code: "HEAD_UNPROVEN", kind: "unavailable" })
  })

  test("a restored backup of a size that was seen is a rollback, tiles or not", async () => {
    const log = logOf(700)
    log.local = true
    const { open } = await seen(log, 100n, 300n, 700n)
    await expect(open({ source: log.fork(300n) })).rejects.toMatchObject({ code: "LOG_ROLLBACK" })
  })

  test("smaller with other entries is a fork where our tiles are there", async () => {
    const log = logOf(700)
    const { open } = await seen(log, 700n)
    const twin = log.fork(10n).append(...entries(10_000, 10_100))
    // A host that serves the forged head and yet our tiles.
    log.tamper = rewrite(/^checkpoint$/, () => twin.headAt(twin.size).note)
    const error = await failureOf(open())
    expect(error.code).toBe("LOG_INCONSISTENT")
    verifyForkEvidence(error)
  })

  test("a log that went back and took another way is a fork, by a head seen on the way", async () => {
    const log = logOf(700)
    const { open } = await seen(log, 100n, 700n)
    const error = await failureOf(open({ source: log.fork(10n).append(...entries(10_000, 10_200)) }))
    expect(error.code).toBe("LOG_INCONSISTENT")
    verifyForkEvidence(error)
    const sameSize = await failureOf(open({ source: log.fork(10n).append(...entries(10_000, 10_090)) }))
    expect(sameSize.evidence).toMatchObject({ a: log.headAt(100n).note })
  })
})

/** Check fork evidence from its own bytes, as anybody with the root could. */
function verifyForkEvidence({ evidence }: ToolsumError): void {
  const { a = "", b = "", prefixRoot = "", proof = "", keyrings = "" } = evidence ?? {}
  const bad = (why: string) => new ToolsumError("PROOF_MALFORMED", why)
  const keyring = verifyKeyring({ notes: JSON.parse(keyrings) })
  const [smaller, larger] = [verifyHead({ keyring, note: a }), verifyHead({ keyring, note: b })]
  expect(smaller.size).toBeLessThan(larger.size)
  const older = { size: smaller.size, rootHash: parseBase64(prefixRoot, bad) }
  verifyConsistency({ older, newer: larger, proof: splitHashes(parseBase64(proof, bad), bad) })
  expect(older.rootHash).not.toEqual(smaller.rootHash)
}

describe("keyrings after one seen before:", () => {
  test("a rotation is followed, the old head proven a prefix", async () => {
    const log = logOf(10)
    const { open, remembered } = await seen(log, 10n)
    log.rotate("log-2")
    log.append("after")
    expect((await open()).head.state).toBe("live")
    expect(remembered()?.keyring.version).toBe(2n)
  })

  test("a new key that goes on from another tree than the closing one is a fork, even for who sees the log first", async () => {
    const log = logOf(10)
    log.rotate("log-2")
    const twin = log.fork(5n).append(...entries(100, 200))
    await expect(makeWorld(twin).open()).rejects.toMatchObject({ code: "LOG_INCONSISTENT" })
    await expect(makeWorld(log.append("after")).open()).resolves.toBeDefined()
  })

  test("a shorter chain is behind, then a rollback", async () => {
    const log = logOf(10)
    log.rotate("log-2")
    log.append("after")
    const { open, time } = await seen(log, 11n)
    const first = log.keyrings.slice(0, 1)
    const old = logOf(10)
    old.keyrings = first
    await expect(open({ source: old })).rejects.toMatchObject({ code: "LOG_BEHIND" })
    time.nowSec += DAY
    await expect(open({ source: old })).rejects.toMatchObject({ code: "LOG_ROLLBACK" })
  })

  test("two keyrings of one version are a fork", async () => {
    const log = logOf(10)
    const twin = logOf(10)
    const live = verifyKeyring({ notes: log.keyrings }).newest.logs
    log.addKeyring(live, 1n)
    twin.addKeyring(live, 2n)
    const { open } = await seen(log, 10n)
    const error = await failureOf(open({ source: twin }))
    expect(error.code).toBe("LOG_INCONSISTENT")
    expect(error.evidence).toEqual({ a: log.keyrings[1], b: twin.keyrings[1] })
  })

  test("a head that a retired key signed below its closing tree is not usable", async () => {
    const log = logOf(10)
    const note = log.headAt(5n).note
    log.rotate("log-2")
    log.tamper = rewrite(/^checkpoint$/, () => note)
    await expect(makeWorld(log).open()).rejects.toMatchObject({ code: "HEAD_UNPROVEN" })
  })
})

describe("heads from elsewhere:", () => {
  test("each smaller one is linked to the head", async () => {
    const log = logOf(700)
    const heads = [0n, 3n, 256n, 700n].map((size) => log.headAt(size))
    const { links } = await makeWorld(log).open({ previousHeads: heads })
    expect(links.map(({ older, newer }) => [older, newer])).toEqual([
      [3n, 700n],
      [256n, 700n],
    ])
    for (const { older, proof } of links) {
      verifyConsistency({ older: log.headAt(older), newer: log.headAt(700n), proof })
    }
  })

  test("a contradicting one is a fork, and the served head is not remembered", async () => {
    const log = logOf(700)
    const twin = log.fork(10n).append(...entries(10_000, 10_100))
    const { open, state } = makeWorld(log)
    const error = await failureOf(open({ previousHeads: [twin.headAt(twin.size)] }))
    expect(error.code).toBe("LOG_INCONSISTENT")
    verifyForkEvidence(error)
    expect(state.stored.size).toBe(0)
  })

  test("a larger one shows a log that is behind; in a local directory a rollback", async () => {
    const log = logOf(700)
    log.servedSize = 300n
    const previousHeads = [log.headAt(700n)]
    await expect(makeWorld(log).open({ previousHeads })).rejects.toMatchObject({ code: "LOG_BEHIND" })
    log.local = true
    await expect(makeWorld(log).open({ previousHeads })).rejects.toMatchObject({ code: "LOG_ROLLBACK" })
  })
})

describe("state:", () => {
  test.each(["read", "write"] as const)(
    "one that cannot be used for %s is one warning, and the answer stands",
    async (broken) => {
      const log = logOf(10)
      const { open, state } = makeWorld(log)
      state.broken = broken
      const client = await open()
      expect(client.warnings).toEqual(["state_unavailable"])
      expect(client.head.size).toBe(10n)
    },
  )

  test.each<{ name: string; damage: (bytes: Uint8Array) => Uint8Array }>([
    { name: "zeros", damage: (bytes) => new Uint8Array(bytes.length) },
    { name: "nothing", damage: () => new Uint8Array(0) },
    { name: "its first half", damage: (bytes) => bytes.slice(0, bytes.length / 2) },
    { name: "a later time", damage: (bytes) => edit(bytes, /"headSeen":"\d/, '"headSeen":"2') },
    { name: "another origin", damage: (bytes) => edit(bytes, '"origin":"log', '"origin":"lag') },
    { name: "no earlier heads", damage: (bytes) => edit(bytes, /"earlier":\[.+\]/, '"earlier":[]') },
    { name: "another spelling", damage: (bytes) => edit(bytes, "{", "{ ") },
  ])("damaged ($name) is corrupt, never a fork, and is left alone", async ({ damage }) => {
    const log = logOf(10)
    const { open, state } = await seen(log, 5n, 10n)
    const [[key, good] = ["", new Uint8Array(0)]] = state.stored
    const bad = damage(good)
    expect(bad).not.toEqual(good)
    state.stored.set(key, bad)
    await expect(open()).rejects.toMatchObject({ code: "STATE_CORRUPT", kind: "malformed" })
    expect(state.stored.get(key)).toBe(bad)
  })

  test("any flipped bit in it is corrupt", async () => {
    const log = logOf(10)
    const { open, state } = await seen(log, 5n, 10n)
    const [[key, good] = ["", new Uint8Array(0)]] = state.stored
    for (let at = 0; at < good.length; at += 7) {
      const bad = good.slice()
      bad[at] = (bad[at] ?? 0) ^ (1 << (at % 8))
      state.stored.set(key, bad)
      await expect(open()).rejects.toMatchObject({ code: "STATE_CORRUPT" })
    }
  })

  test("another process that remembers a larger head in between is respected", async () => {
    const log = logOf(10)
    const { open, state, remembered } = makeWorld(log)
    state.meanwhile = async () => {
      log.append("eleventh")
      await open()
    }
    expect((await open()).head.size).toBe(11n)
    expect(remembered()?.head.size).toBe(11n)
  })

  test("another process that remembers a fork in between is noticed", async () => {
    const log = logOf(10)
    const { open, state } = makeWorld(log)
    const twin = log.fork(9n).append("other")
    state.meanwhile = async () => void (await open({ source: twin }))
    await expect(open()).rejects.toMatchObject({ code: "LOG_INCONSISTENT" })
  })

  test("earlier heads are kept within bounds", async () => {
    const log = logOf(100)
    const sizes = Array.from({ length: 80 }, (_, i) => BigInt(i + 1))
    const { remembered } = await seen(log, ...sizes)
    expect(remembered()?.earlier).toHaveLength(64)
    expect(remembered()?.earlier.at(-1)?.size).toBe(79n)
  })
})

function edit(bytes: Uint8Array, what: RegExp | string, to: string): Uint8Array {
  return new TextEncoder().encode(decodeUtf8(bytes, (why) => new ToolsumError("STATE_CORRUPT", why)).replace(what, to))
}
