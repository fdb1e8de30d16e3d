// Arbitrary sides of a merge for properties: three lockfiles made of the same few pins, removals and logs in many variations, so that
// they agree here and differ there. What they say of a log never contradicts itself: forks have tests of their own.
import fc from "fast-check"
import type { LockedLog, Lockfile, Pin } from "../../src/core/lockfile.js"
import type { Sides } from "../../src/features/merge-sides.js"
import { arbLockfile } from "../core/arbitrary-lockfile.js"

const NAMES = ["a", "b", "c", "d"]
const URLS = [null, "https://a.example/", "https://b.example/"]
const KEYRINGS = ["keyring 1", "keyring 2", "keyring 3"]

/** A head key that depends on the size only: one tree of each size. */
const keyOf = (size: string): string => `${size}-${BigInt(size).toString(16).padStart(16, "0")}`
const sizeOf = (key: string): string => key.slice(0, key.indexOf("-"))
const sameTree = (key: string): string => keyOf(sizeOf(key))

const bare = (pin: Pin): Pin => (pin.head === null ? pin : { ...pin, head: sameTree(pin.head) })

const arbPool = arbLockfile
  .filter(({ servers }) => Object.keys(servers).length > 0)
  .map(({ servers, removed, logs }) => ({
    pins: Object.values(servers).map(bare),
    removals: [...Object.values(removed), { at: "2026-12-01T00:00:00Z", by: "a", reason: null }],
    logs: Object.entries(logs).map(
      ([origin, log]) =>
        [
          origin,
          { ...log, heads: Object.fromEntries(Object.entries(log.heads).map(([key, note]) => [sameTree(key), note])) },
        ] as const,
    ),
  }))

type Pool = typeof arbPool extends fc.Arbitrary<infer T> ? T : never

/** A pin of the pool, or one that differs in its approval, in its origins, or in what it was read with. */
function arbVariant(pool: Pool): fc.Arbitrary<Pin> {
  const one = fc.constantFrom(...pool.pins)
  return fc
    .tuple(one, one, fc.constantFrom("same", "same", "approved", "unapproved", "from", "read"))
    .map(([pin, other, how]) => {
      if (how === "approved") return { ...pin, approved: other.approved }
      if (how === "unapproved") return { ...pin, approved: null }
      if (how === "from") return { ...pin, from: other.from }
      return how === "read" ? { ...pin, read: other.read } : pin
    })
}

function arbNames(pool: Pool) {
  const state = fc.oneof(
    fc.constant(null),
    arbVariant(pool).map((pin) => ({ pin })),
    fc.constantFrom(...pool.removals).map((removal) => ({ removal })),
  )
  return fc.tuple(...NAMES.map((name) => state.map((value) => ({ name, value }))))
}

/** A log of dialect legion has one keyring, which grows at its end, and nothing else. */
const arbLegionLog: fc.Arbitrary<LockedLog> = fc
  .tuple(fc.constantFrom(...URLS), fc.integer({ min: 1, max: KEYRINGS.length }))
  .map(([url, version]) => ({
    dialect: "legion",
    url,
    keyring: [`${KEYRINGS.slice(0, version).join("\n")}\n`],
    heads: {},
    links: {},
  }))

/** Heads: those that pins name, the newest, and some of the others; links among them, and some that end elsewhere. */
function arbLog(log: LockedLog, named: readonly string[]): fc.Arbitrary<LockedLog> {
  if (log.dialect === "legion") return arbLegionLog
  const keys = Object.keys(log.heads)
  const newest = keys.toSorted((a, b) => (BigInt(sizeOf(a)) < BigInt(sizeOf(b)) ? 1 : -1)).slice(0, 1)
  return fc
    .tuple(
      fc.subarray(keys),
      fc.array(fc.tuple(fc.constantFrom("1", ...keys.map(sizeOf)), fc.constantFrom("2", ...keys.map(sizeOf)))),
      fc.constantFrom(...URLS),
      fc.integer({ min: 1, max: KEYRINGS.length }),
      fc.constantFrom("", "more"),
    )
    .map(([some, pairs, url, version, cosigned]) => ({
      dialect: log.dialect,
      url,
      keyring: KEYRINGS.slice(0, version),
      heads: Object.fromEntries(
        [...new Set([...named, ...newest, ...some])].map((key) => [key, `${log.heads[key]}${cosigned}`]),
      ),
      links: Object.fromEntries(
        pairs.filter(([m, n]) => BigInt(m) > 0n && BigInt(m) < BigInt(n)).map(([m, n]) => [`${m}-${n}`, "AAAA"]),
      ),
    }))
}

function arbSide(pool: Pool): fc.Arbitrary<Lockfile> {
  return arbNames(pool).chain((states) => {
    const servers = states.flatMap(({ name, value }) => (value && "pin" in value ? [[name, value.pin] as const] : []))
    const removed = states.flatMap(({ name, value }) =>
      value && "removal" in value ? [[name, value.removal] as const] : [],
    )
    const used = (origin: string) => servers.filter(([, pin]) => pin.log === origin)
    const logs = pool.logs.map(([origin, log]) => {
      const named = used(origin).flatMap(([, { head }]) => (head === null ? [] : [head]))
      const there = arbLog(log, named).map((one) => [[origin, one] as const])
      return used(origin).length > 0 ? there : fc.oneof(there, fc.constant([]))
    })
    return fc.tuple(...logs).map((all) => ({
      format: "toolsum-lock/v1" as const,
      logs: Object.fromEntries(all.flat()),
      servers: Object.fromEntries(servers),
      removed: Object.fromEntries(removed),
    }))
  })
}

/** Three lockfiles of one pool. */
export const arbSides: fc.Arbitrary<Sides<Lockfile>> = arbPool.chain((pool) =>
  fc.record({ base: arbSide(pool), ours: arbSide(pool), theirs: arbSide(pool) }),
)
