import { describe, expect, test } from "vitest"
import { decodeUtf8, encodeUtf8, equalBytes, formatHex } from "../../src/core/bytes.js"
import { verifyCheckpoint } from "../../src/core/checkpoint.js"
import { hashLeaf, sha256 } from "../../src/core/hash.js"
import { fingerprintOf, parseKeyring, verifyKeyring } from "../../src/core/keyring.js"
import { verifyInclusion } from "../../src/core/merkle.js"
import { formatObservation, parseRecord } from "../../src/core/record.js"
import { computeSurfaceDigest } from "../../src/core/section.js"
import { createLog, logExists } from "../../src/writer/create.js"
import type { LogWriter, Recorded } from "../../src/writer/log.js"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import { openLogReadOnly } from "../../src/writer/read-only.js"
import type { Submission } from "../../src/writer/submission.js"
import {
  checkPublic,
  LOG_KEYS,
  newLog,
  newLogOptions,
  ORIGIN,
  OTHER_KEY,
  ROOT_KEY,
  rawEntry,
  reopen,
  submission,
} from "../fakes/writer-fixtures.js"

const text = (bytes: Uint8Array | null | undefined) =>
  decodeUtf8(bytes ?? new Uint8Array(), (why) => new Error(why) as never)
const code = (expected: string) => expect.objectContaining({ code: expected })

/** The answer holds: proof, signature, record. */
function checkAnswer({ index, record, leafHash, proof, checkpoint }: Recorded) {
  const { checkpoint: head } = verifyCheckpoint({ note: checkpoint, origin: ORIGIN, keys: LOG_KEYS })
  expect(hashLeaf(encodeUtf8(record))).toEqual(leafHash)
  verifyInclusion({ leafHash, index, proof, head })
  return parseRecord(record)
}

async function appendOne(log: LogWriter, ...args: Parameters<typeof submission>) {
  const [recorded] = await log.append([submission(...args)])
  if (recorded === undefined) throw new Error("no answer")
  return { ...recorded, parsed: checkAnswer(recorded) }
}

describe("a new log", () => {
  test("has keyring 1 as its first entry, a checkpoint of size 1, and settings", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    expect([...store.files.keys()].sort()).toEqual([
      "private/commits/00000000000000000000",
      "private/log",
      "public/checkpoint",
      "public/keyring/1",
      "public/tile/0/000.p/1",
      "public/tile/entries/000.p/1",
    ])
    const { head, entries } = await checkPublic(store)
    expect(head.size).toBe(1n)
    expect(entries[0]).toEqual(store.files.get("public/keyring/1"))
    const keyring = verifyKeyring({ notes: [text(entries[0])], origin: ORIGIN })
    expect(keyring.fingerprint).toBe(fingerprintOf(text(entries[0])))
    expect(log.head()).toMatchObject({ size: 1n, checkpoint: text(store.files.get("public/checkpoint")) })
    expect(text(store.files.get("private/log"))).toBe(`toolsum-log/v1\norigin ${ORIGIN}\narchive on\n`)
    expect(log.archive).toBe(true)
  })

  test("is refused where anything is", async () => {
    for (const key of ["public/checkpoint", "public/objects/00/0", "private/commits/00000000000000000000"]) {
      const store = createMemoryStore(new Map([[key, new Uint8Array(1)]]))
      await expect(newLog(store)).rejects.toEqual(code("FILE_EXISTS"))
      expect([...store.files.keys()]).toEqual([key])
    }
  })

  test("of two creators one wins", async () => {
    const store = createMemoryStore()
    const made = await Promise.allSettled([newLog(store), createLog({ ...newLogOptions(store), archive: false })])
    expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    await checkPublic(store)
    expect(await logExists(store)).toBe(true)
  })

  test("whose making was cut off after its commit is finished by the next attempt", async () => {
    const store = createMemoryStore()
    const dying = {
      ...store,
      create: async (key: string, bytes: Uint8Array) => {
        if (key.startsWith("public/")) throw new Error("died")
        return store.create(key, bytes)
      },
    }
    await expect(newLog(dying)).rejects.toThrow("died")
    expect(store.files.has("public/keyring/1")).toBe(false)
    await expect(createLog({ ...newLogOptions(store), archive: false })).rejects.toEqual(code("FILE_EXISTS"))
    expect((await checkPublic(store)).head.size).toBe(1n)
    expect((await reopen(store)).archive).toBe(true)
  })

  test("is issued in a whole second, whatever the clock says", async () => {
    const store = createMemoryStore()
    await createLog({ ...newLogOptions(store), clock: () => 1_796_083_200.75 })
    expect(parseKeyring(text(store.files.get("public/keyring/1"))).issued).toBe(1_796_083_200n)
  })

  test("needs keys that can start a log", async () => {
    const store = createMemoryStore()
    const options = newLogOptions(store)
    await expect(createLog({ ...options, signers: [ROOT_KEY] })).rejects.toEqual(code("KEYRING_INVALID"))
    await expect(createLog({ ...options, rootThreshold: 2 })).rejects.toEqual(code("KEYRING_INVALID"))
    await expect(createLog({ ...options, rootSigners: [] })).rejects.toBeInstanceOf(Error)
    expect(store.files.size).toBe(0)
  })
})

describe("observations that only say that credentials are wanted", () => {
  const dashes = { tools: "-", prompts: "-", templates: "-", resources: "-", instructions: "-", server: "-" }
  const auth: Submission = {
    observation: {
      ...submission([]).observation,
      state: "auth",
      lines: dashes,
      surface: computeSurfaceDigest("auth", dashes),
    },
    objects: [],
  }
  const steps = (done: readonly Recorded[]) => done.map(({ index, duplicate }) => [Number(index), duplicate])

  test.each([
    { name: "in one batch", each: (log: LogWriter, all: readonly Submission[]) => log.append(all) },
    {
      name: "one by one",
      each: async (log: LogWriter, all: readonly Submission[]) => {
        const done: Recorded[] = []
        for (const one of all) done.push(...(await log.append([one])))
        return done
      },
    },
    {
      name: "in a log that is opened anew each time",
      each: async (_: LogWriter, all: readonly Submission[], store: MemoryStore) => {
        const done: Recorded[] = []
        for (const one of all) done.push(...(await (await reopen(store)).append([one])))
        return done
      },
    },
  ])("never stand for a list, and are not repeated: $name", async ({ each }) => {
    const store = createMemoryStore()
    const log = await newLog(store)
    const [a, b] = [submission(["a"]), submission(["b"])]
    const done = await each(log, [auth, auth, a, auth, a, auth, b, auth, b, a], store)
    expect(steps(done)).toEqual([
      [1, false],
      [1, true],
      [2, false],
      [3, false],
      [2, true],
      [3, true],
      [4, false],
      [5, false],
      [4, true],
      [6, false],
    ])
    const records = (await checkPublic(store)).entries.slice(1).map((entry) => parseRecord(entry))
    expect(records.map(({ seq, prev }) => [seq, prev?.index])).toEqual(
      records.map((_, i) => [BigInt(i), i === 0 ? undefined : BigInt(i)]),
    )
  })
})

describe("observations", () => {
  test("become records with seq and prev, proven", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    const first = await appendOne(log, ["a"])
    const second = await appendOne(log, ["a", "b"])
    expect(first).toMatchObject({ index: 1n, duplicate: false, parsed: { seq: 0n, prev: null } })
    expect(second).toMatchObject({ index: 2n, duplicate: false, parsed: { seq: 1n } })
    expect(second.parsed.prev).toEqual({ index: 1n, leafHash: first.leafHash })
    const { entries } = await checkPublic(store)
    expect(entries.slice(1).map(text)).toEqual([first.record, second.record])
  })

  test("the stream's newest surface again gives the old index and a fresh proof; A, B, A is three records", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    const a = await appendOne(log, ["a"])
    const again = await appendOne(log, ["a"], { observed: 1_796_999_999n })
    expect(again).toMatchObject({ index: 1n, duplicate: true, record: a.record })
    expect(log.head().size).toBe(2n)
    expect((await appendOne(log, ["b"])).index).toBe(2n)
    expect(await appendOne(log, ["b"])).toMatchObject({ index: 2n, duplicate: true })
    const back = await appendOne(log, ["a"])
    expect(back).toMatchObject({ index: 3n, duplicate: false, parsed: { seq: 2n } })
  })

  test("streams differ in subject, version, profile, how, observer and mask", async () => {
    const log = await newLog(createMemoryStore())
    const other = [
      { subject: "local:other" },
      { version: "1.0.0" },
      { profile: "env:TOKEN" },
      { how: `sha256:${"1".repeat(64)}` as const },
      { observer: "ci.example.com" },
      { mask: `sha256:${"2".repeat(64)}` as const },
    ]
    await appendOne(log, ["a"])
    for (const [i, changes] of other.entries()) {
      expect(await appendOne(log, ["a"], changes)).toMatchObject({ index: BigInt(i + 2), parsed: { seq: 0n } })
    }
    for (const [i, changes] of other.entries()) {
      expect(await appendOne(log, ["a"], changes)).toMatchObject({ index: BigInt(i + 2), duplicate: true })
    }
  })

  test("two at once of one new list share one entry", async () => {
    const log = await newLog(createMemoryStore())
    const sameBatch = await log.append([submission(["a"]), submission(["a"]), submission(["b"]), submission(["a"])])
    expect(sameBatch.map(({ index, duplicate }) => [index, duplicate])).toEqual([
      [1n, false],
      [1n, true],
      [2n, false],
      [3n, false],
    ])
    const atOnce = await Promise.all(Array.from({ length: 10 }, () => log.append([submission(["c"])])))
    expect(new Set(atOnce.flat().map(({ index }) => index))).toEqual(new Set([4n]))
    expect(log.head().size).toBe(5n)
    for (const recorded of [...sameBatch, ...atOnce.flat()]) checkAnswer(recorded)
  })

  test("the streams are found again after opening, index or not", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    await appendOne(log, ["a"])
    await log.appendEntries(Array.from({ length: 1500 }, (_, i) => rawEntry(i)))
    await appendOne(log, ["x"], { subject: "local:late" })
    await log.close()
    expect((await store.list("public/subjects")).length).toBe(256)
    const again = await reopen(store)
    expect(await appendOne(again, ["a"])).toMatchObject({ index: 1n, duplicate: true })
    expect(await appendOne(again, ["x"], { subject: "local:late" })).toMatchObject({ duplicate: true })
    expect(await appendOne(again, ["b"])).toMatchObject({ index: 1503n, parsed: { seq: 1n, prev: { index: 1n } } })
    for (const key of store.files.keys()) if (key.startsWith("public/subjects/")) store.files.set(key, encodeUtf8("x"))
    const damaged = await reopen(store)
    expect(await appendOne(damaged, ["b"])).toMatchObject({ index: 1503n, duplicate: true })
  })

  test("a record that would be too long, or one that is not well-formed, is refused and nothing else", async () => {
    const log = await newLog(createMemoryStore())
    const parts = Array.from({ length: 23 }, (_, i) => `env:N${i.toString().padStart(100, "0")}`)
    const long = { subject: "s".repeat(1024), profile: parts.join("+") }
    const room = 4096 - formatObservation(submission(["a"], long).observation).length
    // A record has two lines more than its observation: up to 121 bytes.
    await expect(log.append([submission(["a"], { ...long, version: "v".repeat(room - 119) })])).rejects.toEqual(
      code("RECORD_MALFORMED"),
    )
    await expect(log.append([submission(["a"], { ...long, version: "v".repeat(room - 120) })])).resolves.toHaveLength(1)
    await expect(log.append([submission(["a"], { observer: "No!" })])).rejects.toEqual(code("RECORD_MALFORMED"))
    await expect(log.append([submission(["a"], { surface: `sha256:${"0".repeat(64)}` })])).rejects.toEqual(
      code("RECORD_MALFORMED"),
    )
    expect(await appendOne(log, ["a"])).toMatchObject({ index: 2n })
  })
})

describe("objects", () => {
  const objectsOf = (store: MemoryStore) => [...store.files.keys()].filter((key) => key.startsWith("public/objects/"))

  test("are named by their hash; with the archive on they hold every text", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    const one = submission(["a", "b"])
    await log.append([one])
    expect(objectsOf(store)).toHaveLength(one.objects.length)
    for (const key of objectsOf(store)) {
      const hex = formatHex(sha256(store.files.get(key) ?? new Uint8Array()))
      expect(key).toBe(`public/objects/${hex.slice(0, 2)}/${hex}`)
    }
  })

  test("are section texts only without archive, and for reads with credentials", async () => {
    const store = createMemoryStore()
    const log = await createLog({ ...newLogOptions(store), archive: false })
    await log.append([submission(["a", "b"])])
    expect(objectsOf(store)).toHaveLength(1)
    const personal = createMemoryStore()
    await (await newLog(personal)).append([submission(["a", "b"], { profile: "env:TOKEN" })])
    expect(objectsOf(personal)).toHaveLength(1)
  })

  test("are only texts that the record stands for, instructions and masks too", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    const one = submission(["a"])
    await log.append([{ ...one, objects: [...one.objects, "unrelated text", ""] }])
    expect(objectsOf(store)).toHaveLength(one.objects.length)
    const mask = `sha256:${formatHex(sha256(encodeUtf8("[mask]")))}` as const
    await log.append([{ ...submission(["a"], { mask }), objects: [...one.objects, "[mask]"] }])
    expect(objectsOf(store)).toHaveLength(one.objects.length + 1)
  })

  test("the empty text is not stored, and a missing section text is refused", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    await log.append([{ ...submission([]), objects: [] }])
    expect(objectsOf(store)).toEqual([])
    await expect(log.append([{ ...submission(["a"]), objects: [] }])).rejects.toEqual(code("USAGE"))
  })

  test("a damaged or deleted one is written again by the next record that has it", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    await log.append([submission(["a"])])
    const [first = "", second = ""] = objectsOf(store)
    const good = store.files.get(first)
    store.files.set(first, new Uint8Array(3))
    store.files.delete(second)
    await log.append([submission(["a"], { observer: "somebody" })])
    expect(store.files.get(first)).toEqual(good)
    expect(store.files.has(second)).toBe(true)
  })
})

describe("other entries", () => {
  test("are appended as they are, equal ones as often as they come", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    const placed = await log.appendEntries([rawEntry(1), rawEntry(1), new Uint8Array(0), new Uint8Array(65535)])
    expect(placed.map(({ index }) => index)).toEqual([1n, 2n, 3n, 4n])
    const { entries } = await checkPublic(store)
    expect(entries.slice(1, 3)).toEqual([rawEntry(1), rawEntry(1)])
    const proven = await log.prove(3n)
    expect(proven.entry).toEqual(new Uint8Array(0))
    const { checkpoint: head } = verifyCheckpoint({ note: proven.checkpoint, origin: ORIGIN, keys: LOG_KEYS })
    verifyInclusion({ ...proven, head })
    await expect(log.prove(5n)).rejects.toEqual(code("USAGE"))
  })

  test("too long ones, records and keyrings are refused", async () => {
    const log = await newLog(createMemoryStore())
    for (const entry of [
      new Uint8Array(65536),
      encodeUtf8("toolsum-record/v1\nsubject x\n"),
      encodeUtf8("toolsum-record/v2\n"),
      encodeUtf8("toolsum-keyring/v1\n"),
    ]) {
      await expect(log.appendEntries([entry])).rejects.toEqual(code("USAGE"))
    }
    expect(log.head().size).toBe(1n)
  })

  test("tiles of every level are right as the log grows, whatever the batches", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    let next = 0
    for (const count of [1, 2, 252, 1, 1, 255, 256, 257, 300, 700]) {
      await log.appendEntries(Array.from({ length: count }, () => rawEntry(next++)))
      await checkPublic(store)
    }
    const { entries } = await checkPublic(store)
    expect(entries.slice(1)).toEqual(Array.from({ length: next }, (_, i) => rawEntry(i)))
    await log.close()
    await expect(log.appendEntries([rawEntry(0)])).rejects.toEqual(code("LOG_CLOSED"))
  })
})

describe("the commit records", () => {
  test("are a chain, and staging is empty when all is done", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    for (let i = 0; i < 5; i++) await log.appendEntries([rawEntry(i)])
    const records = [...store.files].filter(([key]) => key.startsWith("private/commits/")).map(([, bytes]) => bytes)
    expect(records).toHaveLength(6)
    for (const [i, record] of records.entries()) {
      const before = records[i - 1]
      expect(text(record)).toContain(`seq ${i}\nprev ${before === undefined ? "-" : formatHex(sha256(before))}\n`)
      expect(text(record)).toContain(`\n\n${ORIGIN}\n${i + 1}\n`)
    }
    expect(await store.list("private/staging")).toEqual([])
  })

  test("a batch is one commit", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    await log.appendEntries(Array.from({ length: 256 }, (_, i) => rawEntry(i)))
    expect(await store.list("private/commits")).toHaveLength(2)
  })
})

describe("a log that is closed", () => {
  test.each([
    {
      name: "by a failure",
      close: async (log: LogWriter, store: MemoryStore) => {
        store.files.set("public/tile/0/000.p/3", new Uint8Array(96))
        await expect(log.appendEntries([rawEntry(2)])).rejects.toEqual(code("LOG_REFUSED"))
      },
    },
    { name: "by its owner", close: (log: LogWriter) => log.close() },
  ])("$name changes nothing more, and shows the newest tree that it published", async ({ close }) => {
    const store = createMemoryStore()
    const log = await newLog(store)
    await log.appendEntries([rawEntry(1)])
    const head = log.head()
    await close(log, store)
    const before = new Map(store.files)
    for (const change of [
      () => log.append([submission(["a"])]),
      () => log.appendEntries([rawEntry(3)]),
      () => log.appendKeyring("x"),
      () => log.collect(),
    ]) {
      await expect(change()).rejects.toEqual(code("LOG_CLOSED"))
    }
    expect(store.files).toEqual(before)
    expect(log.head()).toEqual(head)
    expect(await log.prove(1n)).toMatchObject({ entry: rawEntry(1), checkpoint: head.checkpoint })
  })
})

test("a store may be an object whose methods need it", async () => {
  const inner = createMemoryStore()
  class OwnStore {
    readonly inner = inner
    read(key: string, maxBytes?: number) {
      return this.inner.read(key, maxBytes)
    }
    create(key: string, bytes: Uint8Array) {
      return this.inner.create(key, bytes)
    }
    replace(key: string, bytes: Uint8Array) {
      return this.inner.replace(key, bytes)
    }
    remove(key: string) {
      return this.inner.remove(key)
    }
    list(prefix: string) {
      return this.inner.list(prefix)
    }
  }
  const log = await newLog(new OwnStore())
  await appendOne(log, ["a"])
  const again = await reopen(new OwnStore())
  expect(await appendOne(again, ["b"])).toMatchObject({ index: 2n })
  expect((await again.prove(1n)).index).toBe(1n)
  await again.collect()
  const reader = await openLogReadOnly({ store: new OwnStore(), keys: LOG_KEYS })
  expect((await reader.prove(2n)).index).toBe(2n)
})

describe("reading only", () => {
  test("shows head, entries and proofs without a write path", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    await appendOne(log, ["a"])
    const reader = await openLogReadOnly({ store: { read: store.read }, keys: LOG_KEYS })
    expect(reader).toMatchObject({ origin: ORIGIN, archive: true, published: true, checkpoint: log.head().checkpoint })
    expect(reader.head.size).toBe(2n)
    const seen: bigint[] = []
    for await (const { index, entry } of reader.entries(0n, 2n)) {
      seen.push(index)
      expect(equalBytes(entry, (await reader.prove(index)).entry)).toBe(true)
    }
    expect(seen).toEqual([0n, 1n])
  })

  test("refuses another log's key, and no log", async () => {
    const store = createMemoryStore()
    await expect(openLogReadOnly({ store, keys: LOG_KEYS })).rejects.toEqual(code("LOG_UNAVAILABLE"))
    await newLog(store)
    const { verifiersOf } = await import("../../src/writer/follow.js")
    await expect(openLogReadOnly({ store, keys: verifiersOf([OTHER_KEY]) })).rejects.toEqual(code("SIGNATURE_INVALID"))
  })
})
