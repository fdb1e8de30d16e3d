import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { parseCheckpoint } from "../../src/core/checkpoint.js"
import { parseNote } from "../../src/core/note.js"
import {
  MAX_SUBJECT_BUCKET_BYTES,
  parseSubjectBucket,
  SUBJECT_BUCKET_NAMES,
  subjectBucketName,
} from "../../src/core/subject-index.js"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import { createStoredTree } from "../../src/writer/stored-tree.js"
import { createSubjectTail, subjectOfEntry } from "../../src/writer/subject-tail.js"
import { newLog, rawEntry, reopen, submission } from "../fakes/writer-fixtures.js"
import { describeShared, readShared, sharedPath } from "../shared.js"

const raw = (count: number) => Array.from({ length: count }, (_, i) => rawEntry(i))

/** What the stored index says. */
function indexOf(store: MemoryStore) {
  const sizes = new Set<bigint>()
  const subjects = new Map<string, readonly bigint[]>()
  for (const name of SUBJECT_BUCKET_NAMES) {
    const bytes = store.files.get(`public/subjects/${name}`)
    if (bytes === undefined) continue
    const bucket = parseSubjectBucket(bytes, name)
    sizes.add(bucket.size)
    for (const [subject, indexes] of bucket.subjects) subjects.set(subject, indexes)
  }
  return { sizes: [...sizes], subjects: Object.fromEntries(subjects) }
}

test("an entry that begins as a record has a subject", () => {
  expect(subjectOfEntry(encodeUtf8("toolsum-record/v1\nsubject local:x\nrest"))).toBe("local:x")
  for (const text of [
    "toolsum-record/v1\nsubject local:x", // no end
    "toolsum-record/v1\nsubject two words\n",
    "toolsum-record/v1\nsubject \n",
    "toolsum-record/v1\nsubject caf\u00e9\n",
    `toolsum-record/v1\nsubject ${"x".repeat(1025)}\n`,
    "toolsum-record/v2\nsubject x\n",
    "",
  ]) {
    expect(subjectOfEntry(encodeUtf8(text)), text).toBeNull()
  }
})

test("the index is rewritten when the size crosses a multiple of 1024, and never further behind", async () => {
  const store = createMemoryStore()
  const log = await newLog(store)
  await log.append([submission(["a"]), submission(["b"]), submission(["a"], { subject: "local:other" })])
  expect(indexOf(store)).toEqual({ sizes: [], subjects: {} })
  let behind = 0n
  for (let i = 0; i < 12; i++) {
    await log.appendEntries(raw(250))
    await log.append([submission([`x${i}`])])
    const size = log.head().size
    const [indexed = 0n] = indexOf(store).sizes
    expect(indexOf(store).sizes.length).toBeLessThanOrEqual(1)
    if (size - indexed > behind) behind = size - indexed
  }
  expect(behind).toBeLessThanOrEqual(1024n)
  const { sizes, subjects } = indexOf(store)
  expect(sizes[0]).toBeGreaterThanOrEqual(2048n)
  expect(store.files.has("public/subjects/00")).toBe(true)
  expect(subjects["local:other"]).toEqual([3n])
  expect(subjects["local:test"]).toEqual([
    1n,
    2n,
    254n,
    505n,
    756n,
    1007n,
    1258n,
    1509n,
    1760n,
    2011n,
    ...(subjects["local:test"]?.slice(10) ?? []),
  ])
})

test("a log without records has no index", async () => {
  const store = createMemoryStore()
  await (await newLog(store)).appendEntries(raw(3000))
  expect(await store.list("public/subjects")).toEqual([])
})

describe("a subject's records are found", () => {
  test("with the index ahead, behind, damaged or missing", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    await log.append([submission(["a"])])
    await log.appendEntries(raw(1020))
    await log.append([submission(["b"])])
    await log.appendEntries(raw(10))
    await log.append([submission(["c"])])
    const { head } = { head: log.head() }
    const find = (size = head) =>
      createSubjectTail(store).indexesOf(
        "local:test",
        createStoredTree(async (key) => store.files.get(key) ?? null, size),
      )
    const all = [1n, 1022n, 1033n]
    expect(await find()).toEqual(all)
    const key = `public/subjects/${subjectBucketName("local:test")}`
    const good = store.files.get(key) ?? new Uint8Array()
    for (const text of [
      "",
      "x",
      "0\n",
      "2\nlocal:test 1\n",
      "1023\nlocal:test 1 1022\n",
      "5000\nlocal:test 1 1022 1033 4999\n",
    ]) {
      store.files.set(key, encodeUtf8(text))
      expect(await find(), text).toEqual(all)
    }
    store.files.delete(key)
    expect(await find()).toEqual(all)
    store.files.set(key, good)
    const again = await reopen(store)
    const [recorded] = await again.append([submission(["c"])])
    expect(recorded).toMatchObject({ index: 1033n, duplicate: true })
  })

  test("as the tail grows by commits of our own and of others", async () => {
    const store = createMemoryStore()
    await newLog(store)
    const [log, other] = [await reopen(store), await reopen(store)]
    for (let i = 0; i < 4; i++) {
      await log.append([submission([`own ${i}`])])
      await other.append([submission([`other ${i}`])])
    }
    const [last] = await log.append([submission(["other 3"])])
    expect(last).toMatchObject({ index: 8n, duplicate: true })
  })
})

describe("a bucket that is too long", () => {
  const key = `public/subjects/${subjectBucketName("local:test")}`

  test("counts as absent, and the log goes on", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    await log.append([submission(["a"])])
    store.files.set(key, new Uint8Array(MAX_SUBJECT_BUCKET_BYTES + 1).fill(120))
    const again = await reopen(store)
    expect((await again.append([submission(["a"])]))[0]).toMatchObject({ index: 1n, duplicate: true })
    await again.appendEntries(raw(1030))
    expect(indexOf(store).subjects["local:test"]).toEqual([1n])
  })

  test("is not written: the older one stays, and nothing is lost", async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    const treeOf = (head = log.head()) => createStoredTree(async (path) => store.files.get(path) ?? null, head)
    const tail = createSubjectTail(store, { maxBytes: 40 })
    await log.append([submission(["a"]), submission(["b"]), submission(["c"], { subject: "local:other" })])
    await tail.rewrite(treeOf())
    expect(indexOf(store)).toEqual({ sizes: [4n], subjects: { "local:test": [1n, 2n], "local:other": [3n] } })
    await log.append(Array.from({ length: 20 }, (_, i) => submission([`x${i}`])))
    await tail.rewrite(treeOf())
    expect(indexOf(store).subjects["local:test"]).toEqual([1n, 2n])
    expect(indexOf(store).sizes.sort()).toEqual([24n, 4n])
    const all = [1n, 2n, ...Array.from({ length: 20 }, (_, i) => BigInt(i + 4))]
    expect(await tail.indexesOf("local:test", treeOf())).toEqual(all)
    expect(await createSubjectTail(store, { maxBytes: 40 }).indexesOf("local:test", treeOf())).toEqual(all)
  })
})

describeShared("a log of another implementation", () => {
  test("gets the same index", async () => {
    const root = sharedPath("vectors/toolsum/log/public")
    const files = new Map<string, Uint8Array>()
    for (const path of readdirSync(root, { recursive: true, encoding: "utf8" })) {
      const isIndex = path.startsWith("subjects")
      if (!isIndex && statSync(`${root}/${path}`).isFile()) files.set(`public/${path}`, readFileSync(`${root}/${path}`))
    }
    const store = createMemoryStore(files)
    const head = parseCheckpoint(parseNote(readShared("vectors/toolsum/log/public/checkpoint")).text)
    await createSubjectTail(store).rewrite(createStoredTree(async (key) => store.files.get(key) ?? null, head))
    for (const name of SUBJECT_BUCKET_NAMES) {
      const path = `${root}/subjects/${name}`
      const expected = existsSync(path) ? readFileSync(path, "utf8") : "303\n"
      expect(new TextDecoder().decode(store.files.get(`public/subjects/${name}`)), name).toBe(expected)
    }
  })
})
