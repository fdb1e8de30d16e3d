// What every TileStore must do; run by the test of each adapter and of the fake.
import { describe, expect, test } from "vitest"
import type { TileStore } from "../../src/ports.js"

const bytes = (text: string) => new TextEncoder().encode(text)

export function describeTileStore(name: string, make: () => TileStore): void {
  describe(`TileStore: ${name}`, () => {
    test("what was created can be read, and nothing else", async () => {
      const store = make()
      expect(await store.read("public/checkpoint")).toBeNull()
      expect(await store.create("public/checkpoint", bytes("one"))).toBe(true)
      expect(await store.read("public/checkpoint")).toEqual(bytes("one"))
      expect(await store.read("public/checkpoint/below")).toBeNull()
    })

    test("an existing key is not created again and keeps its bytes", async () => {
      const store = make()
      await store.create("a/b", bytes("one"))
      expect(await store.create("a/b", bytes("two"))).toBe(false)
      expect(await store.read("a/b")).toEqual(bytes("one"))
    })

    test("of many rivals exactly one creates a key", async () => {
      const store = make()
      const rivals = Array.from({ length: 20 }, (_, i) => store.create("private/commits/0", bytes(`rival ${i}`)))
      const won = (await Promise.all(rivals)).flatMap((is, i) => (is ? [i] : []))
      expect(won).toHaveLength(1)
      expect(await store.read("private/commits/0")).toEqual(bytes(`rival ${won[0]}`))
    })

    test("replace writes new and existing keys", async () => {
      const store = make()
      await store.replace("a", bytes("one"))
      await store.replace("a", bytes("a longer text"))
      expect(await store.read("a")).toEqual(bytes("a longer text"))
    })

    test("remove is content with nothing", async () => {
      const store = make()
      await store.create("a/b", bytes("one"))
      await store.remove("a/b")
      await store.remove("a/b")
      expect(await store.read("a/b")).toBeNull()
      expect(await store.create("a/b", bytes("two"))).toBe(true)
    })

    test("list names direct children, sorted", async () => {
      const store = make()
      for (const key of ["t/b", "t/a/x", "t/a/y", "t/10", "u"]) await store.create(key, bytes(key))
      expect(await store.list("t")).toEqual(["10", "a", "b"])
      expect(await store.list("none")).toEqual([])
    })

    test("more than maxBytes is refused", async () => {
      const store = make()
      await store.create("a", bytes("0123456789"))
      await expect(store.read("a", 9)).rejects.toEqual(expect.objectContaining({ code: "IO_FAILED" }))
      expect(await store.read("a", 10)).toHaveLength(10)
    })

    test("bytes that were handed over or returned are nobody else's", async () => {
      const store = make()
      const own = bytes("one")
      await store.create("a", own)
      own[0] = 0
      const got = await store.read("a")
      got?.fill(0)
      expect(await store.read("a")).toEqual(bytes("one"))
    })
  })
}
