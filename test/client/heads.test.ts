import { describe, expect, test } from "vitest"
import { createLogView } from "../../src/client/heads.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { verifyConsistency } from "../../src/core/merkle.js"
import { verifyHead } from "../../src/core/tree-heads.js"
import { DAY, entries, failureOf, logOf, makeWorld, seen, verifyForkEvidence } from "../fakes/client-world.js"
import { flipBit, rewrite, withhold } from "../fakes/hostile-log.js"

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
    const keyrings = JSON.stringify(log.keyrings)
    expect(error.evidence).toEqual({ a: log.headAt(300n).note, b: log.headAt(700n).note, keyrings })
    const keyring = verifyKeyring({ notes: log.keyrings })
    for (const note of [error.evidence?.a ?? "", error.evidence?.b ?? ""]) {
      expect(verifyHead({ keyring, note }).state).toBe("live")
    }
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

test("heads that agree in the beginning of their roots have trees of their own", () => {
  const log = logOf(10)
  const head = log.headAt(10n)
  for (const at of [8, 31]) {
    const view = createLogView(log, verifyKeyring({ notes: log.keyrings }))
    const other = { ...head, rootHash: head.rootHash.with(at, (head.rootHash[at] ?? 0) ^ 1) }
    expect(view.treeOf(head).head.rootHash).toEqual(head.rootHash)
    expect(view.treeOf(other).head.rootHash).toEqual(other.rootHash)
    expect(view.treeOf({ ...head })).toBe(view.treeOf(head))
  }
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

  test("those before a larger one show a fork that is smaller than it", async () => {
    const log = logOf(700)
    const twin = log.fork(10n).append(...entries(10_000, 10_100))
    const earlier = [log.headAt(5n), log.headAt(50n)]
    const known = log.headAt(700n)
    const error = await failureOf(makeWorld(twin).open({ previousHeads: [{ ...known, earlier }] }))
    expect(error.code).toBe("LOG_INCONSISTENT")
    expect(error.evidence).toMatchObject({ a: log.headAt(50n).note })
    verifyForkEvidence(error)
    const alone = await failureOf(makeWorld(twin).open({ previousHeads: [{ ...known, earlier: earlier.slice(0, 1) }] }))
    expect(alone.code).toBe("HEAD_UNPROVEN")
  })

  test("what they leave open is refuted by what is remembered", async () => {
    const log = logOf(700)
    const previousHeads = [log.headAt(700n)]
    const { open, remembered } = await seen(log, 300n, 700n)
    const backup = log.fork(300n)
    expect((await failureOf(makeWorld(backup).open({ previousHeads }))).code).toBe("HEAD_UNPROVEN")
    backup.local = true
    expect((await failureOf(open({ source: backup, previousHeads }))).code).toBe("LOG_ROLLBACK")
    const twin = log.fork(10n).append(...entries(10_000, 10_100))
    expect((await failureOf(makeWorld(twin).open({ previousHeads }))).code).toBe("HEAD_UNPROVEN")
    const world = await seen(log, 50n, 700n)
    verifyForkEvidence(await failureOf(world.open({ source: twin, previousHeads })))
    expect(remembered()?.head.size).toBe(700n)
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
