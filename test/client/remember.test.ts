import { describe, expect, test } from "vitest"
import { decodeUtf8 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { logOf, makeWorld, seen } from "../fakes/client-world.js"

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
