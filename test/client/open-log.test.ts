import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { DAY, entries, failureOf, logOf, makeWorld, START, seen } from "../fakes/client-world.js"
import { flipBit, HostileLog, rewrite, type Tamper, withhold } from "../fakes/hostile-log.js"

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
    const keyrings = JSON.stringify(twin.keyrings)
    expect(error.evidence).toEqual({ a: log.keyrings[1], b: twin.keyrings[1], keyrings })
  })

  test("a head that a retired key signed below its closing tree is not usable", async () => {
    const log = logOf(10)
    const note = log.headAt(5n).note
    log.rotate("log-2")
    log.tamper = rewrite(/^checkpoint$/, () => note)
    await expect(makeWorld(log).open()).rejects.toMatchObject({ code: "HEAD_UNPROVEN" })
  })
})
