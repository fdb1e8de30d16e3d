import { beforeEach, describe, expect, test } from "vitest"
import { decodeUtf8, encodeUtf8 } from "../../src/core/bytes.js"
import { formatCheckpoint } from "../../src/core/checkpoint.js"
import { sha256 } from "../../src/core/hash.js"
import { signNote } from "../../src/core/note.js"
import type { TileStore } from "../../src/ports.js"
import { commitKey, formatCommit, parseCommit } from "../../src/writer/commit.js"
import { openLog } from "../../src/writer/log.js"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import { openLogReadOnly } from "../../src/writer/read-only.js"
import { parseStaging } from "../../src/writer/staging.js"
import { createFaultyStore } from "../fakes/faulty-store.js"
import {
  checkPublic,
  LOG_KEY,
  LOG_KEYS,
  newLog,
  ORIGIN,
  OTHER_KEY,
  rawEntry,
  reopen,
} from "../fakes/writer-fixtures.js"

const code = (expected: string) => expect.objectContaining({ code: expected })
const text = (bytes: Uint8Array | undefined) => decodeUtf8(bytes ?? new Uint8Array(), (why) => new Error(why) as never)

/** Seven commits, size 9. */
let store: MemoryStore
beforeEach(async () => {
  store = createMemoryStore()
  const log = await newLog(store)
  for (let i = 0; i < 6; i++) await log.appendEntries([rawEntry(i), ...(i === 3 ? [rawEntry(90), rawEntry(91)] : [])])
})

const snapshot = () => new Map([...store.files].map(([key, bytes]) => [key, bytes.slice()]))

/** Opening fails with this code, for reading too, and writes nothing. */
async function expectRefused(expected: string, options: Partial<Parameters<typeof openLog>[0]> = {}) {
  const before = snapshot()
  await expect(openLog({ store, signers: [LOG_KEY], ...options })).rejects.toEqual(code(expected))
  const keys = options.signers === undefined ? LOG_KEYS : []
  if (keys.length > 0) await expect(openLogReadOnly({ store, keys, ...options })).rejects.toEqual(code(expected))
  expect(snapshot()).toEqual(before)
}

const signed = (size: bigint, rootHash: Uint8Array, origin = ORIGIN) =>
  signNote(formatCheckpoint({ origin, size, rootHash, extensions: [] }), [LOG_KEY])

describe("outside memory", () => {
  test("a restored backup is refused by whoever has seen more", async () => {
    const backup = snapshot()
    const log = await reopen(store)
    await log.appendEntries([rawEntry(7)])
    const seen = { ...log.head(), from: "your state" }
    store = createMemoryStore(backup)
    await expectRefused("LOG_REFUSED", { knownHeads: [seen] })
    await expect(reopen(store)).resolves.toBeDefined() // nobody remembers: nothing can be known
  })

  test("a restored private/ is refused by the published checkpoint", async () => {
    const backup = snapshot()
    await (await reopen(store)).appendEntries([rawEntry(7)])
    for (const key of store.files.keys()) if (key.startsWith("private/") && !backup.has(key)) store.files.delete(key)
    await expectRefused("LOG_REFUSED")
  })

  test("another tree of the same size or a smaller one is refused; a prefix is fine", async () => {
    const heads = []
    const copy = createMemoryStore()
    const other = await newLog(copy)
    for (let i = 0; i < 8; i++) {
      await other.appendEntries([rawEntry(i)])
      heads.push(other.head())
    }
    const [own] = [(await reopen(store)).head()]
    expect(own.size).toBe(9n)
    await expectRefused("LOG_REFUSED", { knownHeads: [{ ...own, rootHash: sha256(new Uint8Array(1)), from: "x" }] })
    for (const head of heads) {
      const known = [{ ...head, from: "lockfile" }]
      // Both logs begin with the same five entries.
      if (head.size <= 5n)
        await expect(openLog({ store, signers: [LOG_KEY], knownHeads: known })).resolves.toBeDefined()
      else await expectRefused("LOG_REFUSED", { knownHeads: known })
    }
  })

  test.each([
    { name: "another tree of this size", note: () => signed(9n, new Uint8Array(32)) },
    { name: "another tree of a smaller size", note: () => signed(8n, new Uint8Array(32)) },
    { name: "a larger tree", note: () => signed(10n, new Uint8Array(32)) },
    { name: "a tree of another log", note: () => signed(8n, new Uint8Array(32), "log.example") },
    { name: "no checkpoint", note: () => "x" },
  ])("a published checkpoint with $name is refused", async ({ note }) => {
    store.files.set("public/checkpoint", encodeUtf8(note()))
    await expectRefused("LOG_REFUSED")
  })

  test("a published checkpoint without any commit is refused", async () => {
    for (const key of store.files.keys()) if (key.startsWith("private/")) store.files.delete(key)
    await expectRefused("LOG_REFUSED")
  })

  test("a missing published checkpoint is published again", async () => {
    store.files.delete("public/checkpoint")
    await reopen(store)
    expect((await checkPublic(store)).head.size).toBe(9n)
  })
})

describe("the log's own files", () => {
  const editCommit = (
    seq: bigint,
    edit: (commit: ReturnType<typeof parseCommit>) => ReturnType<typeof parseCommit>,
  ) => {
    const bytes = store.files.get(commitKey(seq)) ?? new Uint8Array()
    store.files.set(commitKey(seq), formatCommit(edit(parseCommit(bytes))))
  }

  test("another key did not sign this log", () => expectRefused("SIGNATURE_INVALID", { signers: [OTHER_KEY] }))

  test("an unsigned or differently signed newest record is refused", async () => {
    editCommit(6n, (commit) => ({ ...commit, checkpoint: commit.checkpoint.replace("\n9\n", "\n8\n") }))
    await expectRefused("SIGNATURE_INVALID")
  })

  test("a record that does not follow, one that does not grow, a missing one", async () => {
    editCommit(4n, (commit) => ({ ...commit, staging: `sha256:${"0".repeat(64)}` }))
    await expectRefused("LOG_REFUSED")
    editCommit(5n, (commit) => ({ ...commit, prev: new Uint8Array(32) }))
    await expectRefused("LOG_REFUSED")
    store.files.delete(commitKey(4n))
    await expectRefused("LOG_REFUSED")
  })

  test("a record under another number, or damaged, is malformed", async () => {
    store.files.set(commitKey(6n), store.files.get(commitKey(5n)) ?? new Uint8Array())
    await expectRefused("COMMIT_MALFORMED")
    store.files.set(commitKey(6n), new Uint8Array(187))
    await expectRefused("COMMIT_MALFORMED")
  })

  test.each(["private/log", "public/tile/0/000.p/9", "public/tile/entries/000.p/9"])(
    "a flipped bit in %s, or the lack of it, is corruption",
    async (key) => {
      const good = store.files.get(key) ?? new Uint8Array()
      for (const at of [0, good.length >> 1, good.length - 1]) {
        const bad = good.slice()
        bad[at] = (bad[at] ?? 0) ^ 1
        store.files.set(key, bad)
        const error = await openLog({ store, signers: [LOG_KEY] }).catch((e) => e)
        expect(["STATE_CORRUPT", "TILE_MALFORMED"]).toContain(error.code)
      }
      store.files.delete(key)
      await expectRefused("STATE_CORRUPT")
    },
  )

  /** The log after a crash between the commit and its publication. */
  async function crashAfterCommit() {
    const dying = createFaultyStore(store, Number.MAX_SAFE_INTEGER, "after")
    const log = await reopen({
      ...dying,
      create: async (key, bytes) => {
        if (key.startsWith("public/")) throw new Error("died")
        return store.create(key, bytes)
      },
    })
    await expect(log.appendEntries([rawEntry(7)])).rejects.toThrow("died")
    return `private/staging/${(await store.list("private/staging"))[0]}`
  }

  test("a crash after the commit is shown for reading, finished for writing", async () => {
    await crashAfterCommit()
    const reader = await openLogReadOnly({ store, keys: LOG_KEYS })
    expect(reader).toMatchObject({ published: false, head: { size: 10n } })
    expect((await reader.prove(9n)).entry).toEqual(rawEntry(7))
    expect((await checkPublic(store)).head.size).toBe(9n)
    const log = await reopen(store)
    expect(log.head()).toMatchObject({ size: 10n, checkpoint: reader.checkpoint })
    expect((await checkPublic(store)).head.size).toBe(10n)
  })

  /** `store`, telling what is created, replaced or removed. */
  const telling = (told: string[]): TileStore => ({
    ...store,
    create: async (key, bytes) => {
      told.push(key)
      return store.create(key, bytes)
    },
    replace: async (key, bytes) => {
      told.push(key)
      await store.replace(key, bytes)
    },
    remove: async (key) => {
      told.push(`remove ${key}`)
      await store.remove(key)
    },
  })

  test.each(["opens the log", "follows it"])(
    "a step that was only read is made durable before it is published, by who %s",
    async (who) => {
      const told: string[] = []
      const open = who === "follows it" ? await reopen(telling(told)) : null
      const staging = await crashAfterCommit()
      // A part of it had got its name before the crash.
      const { files } = parseStaging(store.files.get(staging) ?? new Uint8Array())
      for (const { key, bytes } of files) store.files.set(key, bytes)
      if (open === null) await reopen(telling(told))
      else await open.appendEntries([rawEntry(8)])
      expect(told[0]).toBe(commitKey(7n))
      expect(told.slice(1, 1 + files.length)).toEqual(files.map(({ key }) => key))
      expect(told.slice(1 + files.length, 3 + files.length)).toEqual(["public/checkpoint", `remove ${staging}`])
    },
  )

  test("staged files that are gone or damaged stop it", async () => {
    const staging = await crashAfterCommit()
    const good = store.files.get(staging) ?? new Uint8Array()
    store.files.set(staging, good.with(good.length - 1, 0))
    await expectRefused("STATE_CORRUPT")
    store.files.delete(staging)
    await expectRefused("STATE_CORRUPT")
    store.files.set(staging, good)
    await expect(reopen(store)).resolves.toBeDefined()
  })

  test("known heads are held against a step that is not published yet", async () => {
    await crashAfterCommit()
    const { head } = await openLogReadOnly({ store, keys: LOG_KEYS })
    await expectRefused("LOG_REFUSED", { knownHeads: [{ ...head, rootHash: new Uint8Array(32), from: "x" }] })
    await expect(openLog({ store, signers: [LOG_KEY], knownHeads: [{ ...head, from: "x" }] })).resolves.toBeDefined()
  })

  test("orphans of steps that can no longer happen are removed, the next step's are left alone", async () => {
    const orphan = (seq: number) => `private/staging/${`${seq}`.padStart(20, "0")}-${"0".repeat(64)}`
    for (const seq of [0, 6, 7]) store.files.set(orphan(seq), new Uint8Array(1))
    store.files.set("private/staging/notes.txt", new Uint8Array(1))
    await reopen(store)
    expect(await store.list("private/staging")).toEqual([orphan(7).slice("private/staging/".length), "notes.txt"])
  })
})

describe("a known head of a smaller tree", () => {
  const long = (from: number, count: number) => Array.from({ length: count }, (_, i) => rawEntry(from + i))

  /** Two logs that part after their first entry; the known head is the second's at size 251. */
  async function fork() {
    const [one, two] = [createMemoryStore(), createMemoryStore()]
    const [own, other] = [await newLog(one), await newLog(two)]
    await own.appendEntries(long(0, 600))
    await other.appendEntries(long(1000, 250))
    const known = { ...other.head(), from: "your state" }
    await other.appendEntries(long(2000, 350))
    return { one, two, known }
  }

  test("that the stored tiles prove to be another is refused", async () => {
    const { one, known } = await fork()
    store = one
    await expectRefused("LOG_REFUSED", { knownHeads: [known] })
  })

  test("does not open a log that has that tree's tiles but another signed root", async () => {
    const { one, two, known } = await fork()
    store = one
    for (const path of ["tile/0/000", "tile/entries/000"]) {
      one.files.set(`public/${path}`, two.files.get(`public/${path}`) ?? new Uint8Array())
    }
    await expectRefused("STATE_CORRUPT", { knownHeads: [known] })
  })

  test.each([0, 4000, 7990, 8191])("cannot be judged by a tile with a flipped bit in byte %i", async (at) => {
    store = createMemoryStore()
    const log = await newLog(store)
    await log.appendEntries(long(0, 250))
    const known = { ...log.head(), from: "your state" }
    await log.appendEntries(long(300, 350))
    const tile = store.files.get("public/tile/0/000") ?? new Uint8Array()
    store.files.set("public/tile/0/000", tile.with(at, (tile[at] ?? 0) ^ 1))
    await expectRefused("STATE_CORRUPT", { knownHeads: [known] })
    store.files.set("public/tile/0/000", tile)
    await expect(openLog({ store, signers: [LOG_KEY], knownHeads: [known] })).resolves.toBeDefined()
  })
})

describe("before signing", () => {
  /** A store that returns other bytes than it holds for the first key that begins so. */
  const lying = (prefix: string): TileStore => ({
    ...store,
    read: async (key, maxBytes) => {
      const bytes = await store.read(key, maxBytes)
      return bytes !== null && key.startsWith(prefix) ? bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1) : bytes
    },
  })

  test("a bit that flips in the staged bytes is noticed, and nothing is committed", async () => {
    const log = await reopen(lying("private/staging/"))
    await expect(log.appendEntries([rawEntry(7)])).rejects.toEqual(code("STATE_CORRUPT"))
    await expect(log.appendEntries([rawEntry(7)])).rejects.toEqual(code("LOG_CLOSED"))
    expect(store.files.has(commitKey(7n))).toBe(false)
    expect((await reopen(store)).head().size).toBe(9n)
  })

  test("a bit that flips in a tile of the right edge is noticed, and nothing is committed", async () => {
    await (await reopen(store)).appendEntries(Array.from({ length: 300 }, (_, i) => rawEntry(i)))
    let lie = false
    const liar = lying("public/tile/1/")
    const log = await reopen({ ...store, read: (key, max) => (lie ? liar : store).read(key, max) })
    lie = true
    await expect(log.appendEntries([rawEntry(7)])).rejects.toEqual(code("STATE_CORRUPT"))
    expect((await reopen(store)).head().size).toBe(309n)
  })
})

describe("publication", () => {
  test("a tile name that is taken by other bytes is refused", async () => {
    const log = await reopen(store)
    store.files.set("public/tile/0/000.p/10", new Uint8Array(320))
    await expect(log.appendEntries([rawEntry(7)])).rejects.toEqual(code("LOG_REFUSED"))
    expect((await checkPublic(store)).head.size).toBe(9n)
    await expect(reopen(store)).rejects.toEqual(code("LOG_REFUSED"))
  })

  test("cosignatures are collected after the commit and published with the checkpoint", async () => {
    const line = `— witness.example ${Buffer.from(new Uint8Array(76).fill(5)).toString("base64")}`
    const asked: string[] = []
    const cosign = async ({ checkpoint }: { checkpoint: string }) => {
      expect(store.files.has(commitKey(7n))).toBe(true)
      asked.push(checkpoint)
      return { lines: [line], absent: [] }
    }
    const log = await openLog({ store, signers: [LOG_KEY], cosign, waitMs: 0 })
    expect(asked).toEqual([])
    const [placed] = await log.appendEntries([rawEntry(7)])
    expect(placed?.checkpoint).toBe(`${asked[0]}${line}\n`)
    expect(text(store.files.get("public/checkpoint"))).toBe(placed?.checkpoint)
    await checkPublic(store)
    expect((await reopen(store)).head().checkpoint).toBe(placed?.checkpoint)
  })

  test("without its cosignatures a step is not published; they are asked for again", async () => {
    let fail = true
    const cosign = async () => {
      if (fail) throw new Error("no witness")
      return { lines: [], absent: [] }
    }
    const log = await openLog({ store, signers: [LOG_KEY], cosign, waitMs: 0 })
    await expect(log.appendEntries([rawEntry(7)])).rejects.toThrow("no witness")
    expect((await checkPublic(store)).head.size).toBe(9n)
    await expect(openLog({ store, signers: [LOG_KEY], cosign })).rejects.toThrow("no witness")
    fail = false
    await openLog({ store, signers: [LOG_KEY], cosign })
    expect((await checkPublic(store)).head.size).toBe(10n)
  })
})
