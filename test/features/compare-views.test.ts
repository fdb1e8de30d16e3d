import { describe, expect, test } from "vitest"
import type { KnownHead } from "../../src/client/heads.js"
import { ToolsumError } from "../../src/core/errors.js"
import { forkEvidenceOf, verifyForkEvidence } from "../../src/core/fork-evidence.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { joinHashes } from "../../src/core/merkle.js"
import type { PinnedRoot } from "../../src/core/root.js"
import { type ComparedLog, compareViews, type View, type ViewedLog } from "../../src/features/compare-views.js"
import { entries, logOf, makeWorld } from "../fakes/client-world.js"
import { flipBit, HostileLog, makeKey, withhold } from "../fakes/hostile-log.js"

const NOW = 1_796_083_200n

/** A view with heads of a log. */
const heads = (
  name: string,
  log: HostileLog,
  sizes: readonly (bigint | KnownHead)[],
  over: Partial<ViewedLog> = {},
): View => ({
  name,
  logs: [
    {
      origin: log.origin,
      keyrings: [...log.keyrings],
      heads: sizes.map((size) => (typeof size === "bigint" ? log.headAt(size) : size).note),
      ...{ links: {}, isOrdered: false, source: null },
      ...over,
    },
  ],
})

/** A log that is there, with its tiles. */
const served = (name: string, log: HostileLog): View => heads(name, log, [log.publish(log.size)], { source: log })

async function compare(views: readonly View[], roots: readonly PinnedRoot[]): Promise<ComparedLog> {
  const [log, ...more] = await compareViews({ views, roots, nowSec: NOW })
  if (log === undefined || more.length > 0) throw new Error("expected one log")
  for (const error of log.forks) {
    const evidence = forkEvidenceOf(error, log.origin)
    if (evidence === null) throw new Error("a fork without evidence")
    expect(verifyForkEvidence({ evidence, roots, nowSec: NOW }).isProven).toBe(true)
  }
  return log
}

const standings = ({ views }: ComparedLog) => views.map(({ standing }) => standing)

describe("views that agree", () => {
  test("by tiles of one that serves some", async () => {
    const log = logOf(700)
    const compared = await compare(
      [heads("lock", log, [3n, 256n]), served("log", log), heads("w", log, [700n])],
      [log.root],
    )
    expect(compared).toMatchObject({ origin: log.origin, root: log.root, forks: [], fault: null })
    expect(standings(compared)).toEqual(["behind", "newest", "newest"])
    expect(compared.views.map(({ heads, unplaced }) => [heads, unplaced])).toEqual([
      [2, 0],
      [1, 0],
      [1, 0],
    ])
  })

  test("by a lockfile's links, one after the other", async () => {
    const log = logOf(50)
    const { links } = await makeWorld(log).open({ previousHeads: [log.publish(10n)] })
    log.append(...entries(50, 60))
    const more = await makeWorld(log).open({ previousHeads: [log.publish(50n)] })
    const proofs = Object.fromEntries(
      [...links, ...more.links].map(({ older, newer, proof }) => [`${older}-${newer}`, joinHashes(proof)]),
    )
    const compared = await compare(
      [heads("a", log, [10n]), heads("lock", log, [50n, 60n], { links: proofs })],
      [log.root],
    )
    expect(standings(compared)).toEqual(["behind", "newest"])
  })

  test("by the memory of whoever saw them one after the other", async () => {
    const log = logOf(50)
    const compared = await compare(
      [heads("a", log, [10n]), heads("state", log, [10n, 50n], { isOrdered: true })],
      [log.root],
    )
    expect(standings(compared)).toEqual(["behind", "newest"])
  })

  test("with one that has the newest keyring only, or none", async () => {
    const log = logOf(10)
    log.rotate("log-2")
    const state = heads("state", log, [10n], { keyrings: log.keyrings.slice(1) })
    const witness = heads("witness", log, [10n], { keyrings: [] })
    expect(standings(await compare([state, witness, served("log", log)], [log.root]))).toEqual([
      "newest",
      "newest",
      "newest",
    ])
  })

  test("the empty tree agrees with any", async () => {
    const log = logOf(5)
    expect(standings(await compare([heads("a", log, [0n]), heads("b", log, [5n])], [log.root]))).toEqual([
      "behind",
      "newest",
    ])
  })
})

describe("views that nothing ties together", () => {
  test("are not compared, and not called a fork", async () => {
    const log = logOf(50)
    const compared = await compare([heads("a", log, [10n]), heads("b", log, [50n])], [log.root])
    expect([compared.forks, standings(compared)]).toEqual([[], ["unlinked", "newest"]])
    expect(compared.views[0]).toMatchObject({ heads: 1, unplaced: 1, problems: [] })
  })

  test("nor where two heads extend one, by proofs", async () => {
    const log = logOf(50)
    const proof = async (m: bigint, n: bigint) => {
      log.servedSize = n
      const { links } = await makeWorld(log).open({ previousHeads: [log.publish(m)] })
      return joinHashes(links[0]?.proof ?? [])
    }
    const links = { "10-20": await proof(10n, 20n), "10-50": await proof(10n, 50n) }
    const compared = await compare([heads("a", log, [10n, 20n], { links }), heads("b", log, [50n])], [log.root])
    expect(standings(compared)).toEqual(["unlinked", "newest"])
    expect(compared.views[0]).toMatchObject({ heads: 2, unplaced: 1 })
  })

  test.each([
    { name: "missing tiles", tamper: withhold(/^tile/) },
    { name: "flipped tiles", tamper: flipBit(/^tile/) },
    {
      name: "a host that went away",
      tamper: () => {
        throw new ToolsumError("LOG_UNAVAILABLE", "gone")
      },
    },
  ])("$name prove nothing either", async ({ tamper }) => {
    const log = logOf(700)
    const view = served("log", log)
    log.tamper = tamper
    const compared = await compare([heads("a", log, [10n]), view], [log.root])
    expect([compared.forks, standings(compared)]).toEqual([[], ["unlinked", "newest"]])
  })

  test("a link with flipped bits proves nothing", async () => {
    const log = logOf(50)
    const links = { "10-50": new Uint8Array(64), "10-49": new Uint8Array(31), x: new Uint8Array(0) }
    expect(standings(await compare([heads("a", log, [10n, 50n], { links })], [log.root]))).toEqual(["newest"])
  })
})

describe("forks, each with evidence that proves itself:", () => {
  test("two trees of one size", async () => {
    const log = logOf(10)
    const twin = log.fork(9n).append("other")
    const compared = await compare([heads("a", log, [10n]), heads("b", twin, [10n])], [log.root])
    expect(compared.forks).toMatchObject([{ code: "LOG_INCONSISTENT" }])
    expect(standings(compared)).toEqual(["forked", "forked"])
  })

  test.each([8, 20])("trees of two sizes, where one side serves tiles: %d", async (size) => {
    const log = logOf(10)
    const twin = log.fork(5n).append(...entries(100, 95 + size))
    for (const views of [
      [heads("a", log, [10n]), served("b", twin)],
      [heads("b", twin, [twin.size]), served("a", log)],
    ]) {
      const larger = views[1]?.logs[0]?.source === log ? log : twin
      const compared = await compare(views, [log.root])
      // Only the larger side can show what it was at the smaller size.
      const isShown = larger.size === BigInt(Math.max(10, size))
      expect(compared.forks).toHaveLength(isShown ? 1 : 0)
      expect(standings(compared)).toContain(isShown ? "forked" : "unlinked")
    }
  })

  test("a view that agrees with one side is no part of it", async () => {
    const log = logOf(10)
    const twin = log.fork(9n).append("other")
    const compared = await compare([served("a", log), heads("b", twin, [10n]), heads("c", log, [4n])], [log.root])
    expect(standings(compared).slice(0, 2)).toEqual(["forked", "forked"])
    expect(standings(compared)[2]).toBe("unlinked")
  })

  test("two keyrings of one version", async () => {
    const [log, twin] = [logOf(10), logOf(10)]
    const keys = verifyKeyring({ notes: log.keyrings }).newest.logs
    for (const [i, one] of [log, twin].entries()) one.addKeyring(keys, BigInt(i + 1))
    const compared = await compare([heads("a", log, [10n]), heads("b", twin, [10n])], [log.root])
    expect(compared.forks).toMatchObject([{ code: "LOG_INCONSISTENT" }])
    expect(standings(compared)).toEqual(["newest", "newest"])
  })

  test("not more of them than can be looked at", async () => {
    const log = logOf(60)
    const twin = log.fork(0n).append(...entries(100, 170))
    const sizes = Array.from({ length: 60 }, (_, i) => BigInt(i + 1))
    expect((await compare([heads("a", log, sizes), served("b", twin)], [log.root])).forks).toHaveLength(16)
  })
})

describe("what does not count", () => {
  test("a head that no key of the log signed", async () => {
    const log = logOf(10)
    const other = log.fork(9n).append("other")
    other.logKey = makeKey(log.origin, "stranger")
    const compared = await compare([heads("a", log, [10n]), heads("b", other, [10n])], [log.root])
    expect(compared.forks).toEqual([])
    expect(compared.views[1]).toMatchObject({ newest: null, standing: null, problems: [{ code: "SIGNATURE_INVALID" }] })
  })

  test("a tree by a revoked key only: that key's doing, not the log's", async () => {
    const log = logOf(10)
    const twin = log.fork(9n).append("other")
    const stolen = twin.headAt(10n)
    const [key] = verifyKeyring({ notes: log.keyrings }).newest.logs
    if (key === undefined) throw new Error("no key")
    log.rotate("log-2")
    const live = verifyKeyring({ notes: log.keyrings }).newest.logs.filter(({ closing }) => closing === null)
    log.addKeyring([...live, { ...key, revoked: true }])
    const compared = await compare([heads("a", twin, [stolen]), served("b", log)], [log.root])
    expect(compared.forks).toEqual([])
    expect(compared.views[0]).toMatchObject({ standing: "unlinked", problems: [{ code: "KEY_NOT_VALID_AT_SIZE" }] })
    expect(compared.views[1]).toMatchObject({ standing: "newest", problems: [] })
  })

  test("keyrings from another root, or broken ones", async () => {
    const log = logOf(10)
    const other = new HostileLog("log.example/other")
    const foreign = heads("b", log, [10n], { keyrings: other.keyrings })
    const broken = heads("c", log, [10n], { keyrings: [(log.keyrings[0] ?? "").replace("issued 1", "issued 2")] })
    const compared = await compare([heads("a", log, [10n]), foreign, broken], [log.root])
    expect(compared.views.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
      [],
      ["ORIGIN_MISMATCH"],
      ["SIGNATURE_INVALID"],
    ])
  })

  test("anything, without a pinned root or without keyrings", async () => {
    const log = logOf(10)
    const compared = await compare([heads("a", log, [10n])], [])
    expect(compared).toMatchObject({
      root: null,
      fingerprint: log.root.fingerprint,
      fault: { code: "ROOT_NOT_PINNED" },
    })
    const bare = await compare([heads("a", log, [10n], { keyrings: [] })], [log.root])
    expect(bare).toMatchObject({ fingerprint: null, fault: { code: "RESOURCE_MISSING" } })
  })
})

test("logs are compared each for itself, in the order in which views name them", async () => {
  const [one, two] = [logOf(3), new HostileLog("log.example/two").append("x")]
  const views: View[] = [
    { name: "a", logs: [...heads("", two, [1n]).logs, ...heads("", one, [3n]).logs] },
    { name: "b", logs: heads("", one, [3n]).logs },
  ]
  const compared = await compareViews({ views, roots: [one.root, two.root], nowSec: NOW })
  expect(compared.map(({ origin, views }) => [origin, views.map(({ name }) => name)])).toEqual([
    [two.origin, ["a"]],
    [one.origin, ["a", "b"]],
  ])
})
