import { describe, expect, test } from "vitest"
import { walkStream } from "../../src/client/history.js"
import { openLogClient } from "../../src/client/open-log.js"
import { type FoundRecord, findSubjectRecords, newestOfStream, newestOfStreams } from "../../src/client/streams.js"
import { createVerifiedTree } from "../../src/client/tiles.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { hashLeaf } from "../../src/core/hash.js"
import { formatRecord, parseRecord, streamKey } from "../../src/core/record.js"
import { flipBit, HostileLog, makeObservation, withhold } from "../fakes/hostile-log.js"
import { MemoryState } from "../fakes/memory-state.js"

const SUBJECT = "pkg:npm/x"
const STREAM = streamKey(makeObservation({}))
const OTHER = { observer: "ci.example.com" }

const filler = (count: number) => Array.from({ length: count }, (_, i) => `filler ${i}`)
const treeOf = (log: HostileLog) => createVerifiedTree(log, { size: log.size, rootHash: log.rootAt(log.size) })
const find = (log: HostileLog, over: Partial<Parameters<typeof findSubjectRecords>[1]> = {}) =>
  findSubjectRecords({ source: log, tree: treeOf(log) }, { subject: SUBJECT, ...over })
const indexesOf = (found: { records: readonly FoundRecord[] }) => found.records.map(({ index }) => index)

describe("finding", () => {
  test("listed records are read, and nothing is scanned when the index is complete", async () => {
    const log = new HostileLog()
    const indexes = [log.record({}), log.append(...filler(300)) && log.record({}), log.record(OTHER)]
    log.append(...filler(300))
    const found = await find(log)
    expect(indexesOf(found)).toEqual(indexes)
    expect(found).toMatchObject({ scannedFrom: log.size, complete: true, warnings: [], newerFormat: [] })
    expect(newestOfStream(found, STREAM)).toMatchObject({ found: { index: indexes[1] }, newest: "hint" })
    expect([...newestOfStreams(found).values()].map(({ index }) => index)).toEqual(indexes.slice(1))
  })

  test("entries after the index are scanned, so that the newest is known", async () => {
    const log = new HostileLog()
    const first = log.record({})
    log.append(...filler(600))
    log.indexedSize = 500n
    const second = log.record({})
    log.append(...filler(300))
    const found = await find(log)
    expect(indexesOf(found)).toEqual([first, second])
    expect(found.scannedFrom).toBe(256n)
    expect(newestOfStream(found, STREAM)).toMatchObject({ found: { index: second }, newest: "scanned" })
  })

  test("without an index everything is scanned, within bounds", async () => {
    const log = new HostileLog()
    const index = log.record({})
    log.append(...filler(700))
    log.tamper = withhold(/^subjects/)
    const found = await find(log)
    expect(newestOfStream(found, STREAM)).toMatchObject({ found: { index }, newest: "scanned" })
    log.append(...filler(66_000))
    const bounded = await find(log)
    expect(bounded.scannedFrom).toBe(log.size - 65_536n - ((log.size - 65_536n) % 256n))
    expect(bounded.complete).toBe(false) // what lies between the index and there was not looked at
    expect(newestOfStream(bounded, STREAM)).toEqual({ found: null, newest: "hint" })
    const exhaustive = await find(log, { exhaustive: true })
    expect(newestOfStream(exhaustive, STREAM)).toMatchObject({ found: { index }, newest: "scanned" })
  })

  test("an unreadable index is a warning; what it would list is scanned", async () => {
    const log = new HostileLog()
    const index = log.record({})
    log.tamper = flipBit(/^subjects/)
    const found = await find(log)
    expect(found).toMatchObject({ warnings: ["index_malformed"], scannedFrom: 0n })
    expect(indexesOf(found)).toEqual([index])
  })

  test("an index that cannot be had, or is too long, is a warning; what it would list is scanned", async () => {
    const log = new HostileLog()
    const index = log.record({})
    log.tamper = (path, bytes) => {
      if (path.startsWith("subjects")) throw new ToolsumError("LOG_UNAVAILABLE", "expected at most 16777216 bytes")
      return bytes
    }
    const found = await find(log)
    expect(found).toMatchObject({ warnings: ["index_unavailable"], scannedFrom: 0n })
    expect(indexesOf(found)).toEqual([index])
  })

  test("an index that lists what is not about the subject, or hides a record, changes no answer but the word hint", async () => {
    const log = new HostileLog()
    log.append(...filler(10))
    log.index(SUBJECT, 3n)
    log.append(formatRecord({ ...makeObservation({}), seq: 0n, prev: null }))
    const found = await find(log)
    expect(newestOfStream(found, STREAM)).toEqual({ found: null, newest: "hint" })
    const exhaustive = await find(log, { exhaustive: true })
    expect(newestOfStream(exhaustive, STREAM)).toMatchObject({ found: { index: 10n }, newest: "scanned" })
  })

  test("an index that is ahead of the head lists nothing that is not in the tree", async () => {
    const log = new HostileLog()
    const first = log.record({})
    const head = { size: log.size, rootHash: log.rootAt(log.size) }
    log.record({})
    const found = await findSubjectRecords({ source: log, tree: createVerifiedTree(log, head) }, { subject: SUBJECT })
    expect(indexesOf(found)).toEqual([first])
  })

  test("since leaves out what came before, and alone makes an answer scanned", async () => {
    const log = new HostileLog()
    const first = log.record({})
    const second = log.record({})
    log.indexedSize = 0n
    const found = await find(log, { since: first + 1n })
    expect(indexesOf(found)).toEqual([second])
    const later = await find(log, { since: second + 1n })
    expect(newestOfStream(later, STREAM)).toEqual({ found: null, newest: "scanned" })
  })

  test("the wanted stream is found below many records of others, of which only the newest are read", async () => {
    const log = new HostileLog()
    const wanted = log.record({})
    for (let i = 0; i < 30; i++) {
      log.append(...filler(300))
      log.record(OTHER)
    }
    const found = await find(log, { stream: STREAM })
    expect(newestOfStream(found, STREAM)).toMatchObject({ found: { index: wanted } })
    log.record({})
    const soon = await find(log, { stream: STREAM })
    expect(soon).toMatchObject({ complete: false })
    expect(soon.records.length).toBeLessThan(7)
  })

  test("records of other subjects with the same beginning are left out", async () => {
    const log = new HostileLog()
    log.record({ subject: "pkg:npm/xy" })
    log.append(`toolsum-record/v1\nsubject ${SUBJECT}y\n`)
    log.indexedSize = 0n
    expect(indexesOf(await find(log))).toEqual([])
  })

  test("a newer record format about the subject is told, ill-formed records are warned of, other entries skipped", async () => {
    const log = new HostileLog()
    log.append(`toolsum-record/v2\nsubject ${SUBJECT}\nnews\n`, `toolsum-record/v2\nsubject pkg:npm/y\n`)
    log.append(`toolsum-record/v1\nsubject ${SUBJECT}\nbad\n`, `toolsum-record/v1`, "", new Uint8Array([0, 10, 255]))
    log.append(`toolsum-keyring/v1\nsubject ${SUBJECT}\n`, `toolsum-record/v3\nsubject ${SUBJECT}`)
    log.indexedSize = 0n
    const found = await find(log)
    expect(found).toMatchObject({ newerFormat: [0n, 7n], warnings: ["record_malformed:2"], records: [] })
  })

  test("wrong bytes in a scanned bundle are refused", async () => {
    const log = new HostileLog()
    log.record({})
    log.indexedSize = 0n
    log.tamper = flipBit(/^tile\/entries/, 30)
    await expect(find(log)).rejects.toMatchObject({ code: "HASH_MISMATCH" })
  })
})

describe("a record that only says that credentials are wanted", () => {
  const dashes = { tools: "-", prompts: "-", templates: "-", resources: "-", instructions: "-", server: "-" }
  const AUTH = { state: "auth", lines: dashes } as const

  test("never replaces the newest list, and is part of the chain", async () => {
    const log = new HostileLog()
    const listed = log.record({})
    log.record(AUTH)
    const found = await find(log)
    expect(indexesOf(found)).toHaveLength(2)
    expect(newestOfStream(found, STREAM)).toMatchObject({ found: { index: listed } })
    expect([...newestOfStreams(found).values()].map(({ index }) => index)).toEqual([listed])
    const later = log.record({})
    expect(newestOfStream(await find(log), STREAM)).toMatchObject({ found: { index: later, record: { seq: 2n } } })
  })

  test("alone is no list", async () => {
    const log = new HostileLog()
    log.record(AUTH)
    log.indexedSize = 0n
    expect(newestOfStream(await find(log), STREAM)).toEqual({ found: null, newest: "scanned" })
  })

  test("does not end the search for the list below it", async () => {
    const log = new HostileLog()
    const wanted = log.record({})
    for (let i = 0; i < 8; i++) {
      log.append(...filler(300))
      log.record(i === 7 ? AUTH : OTHER)
    }
    const found = await find(log, { stream: STREAM })
    expect(newestOfStream(found, STREAM)).toMatchObject({ found: { index: wanted } })
  })
})

describe("records of one stream that contradict one another are RECORD_INVALID:", () => {
  const chained = (log: HostileLog, seq: bigint, prev: FoundRecord | bigint | null) => {
    const link = prev === null || typeof prev === "bigint" ? prev : { index: prev.index, leafHash: prev.leafHash }
    const at = typeof link === "bigint" ? { index: link, leafHash: hashLeaf(encodeUtf8("?")) } : link
    const text = formatRecord({ ...makeObservation({}), observed: log.size, seq, prev: at })
    const index = log.size
    log.append(text)
    log.index(SUBJECT, index)
    return { index, record: parseRecord(text), leafHash: hashLeaf(encodeUtf8(text)) }
  }
  test.each<{ name: string; build: (log: HostileLog) => void; indexed?: bigint }>([
    { name: "two firsts", build: (log) => void [chained(log, 0n, null), chained(log, 0n, null)] },
    {
      name: "one seq twice",
      build: (log) => {
        const first = chained(log, 0n, null)
        chained(log, 1n, first)
        chained(log, 1n, first)
      },
    },
    {
      name: "another leaf hash than that of the record before",
      build: (log) => {
        const first = chained(log, 0n, null)
        chained(log, 1n, { ...first, leafHash: hashLeaf(encodeUtf8("x")) })
      },
    },
    { name: "a record before it that comes later", build: (log) => void chained(log, 3n, 5n), indexed: 1n },
    {
      name: "a gap where everything was looked at",
      build: (log) => {
        chained(log, 0n, null)
        log.append("not of the stream")
        chained(log, 2n, 1n)
      },
      indexed: 0n,
    },
    {
      name: "a seq that skips although chained",
      build: (log) => void chained(log, 5n, chained(log, 0n, null)),
    },
  ])("$name", async ({ build, indexed }) => {
    const log = new HostileLog()
    build(log)
    if (indexed !== undefined) log.indexedSize = indexed
    await expect(find(log)).rejects.toMatchObject({ code: "RECORD_INVALID" })
  })

  test("and so they are with one that the caller has proven", async () => {
    const log = new HostileLog()
    const first = chained(log, 0n, null)
    const proven = chained(log, 1n, first)
    chained(log, 1n, first)
    await expect(find(log, { since: 2n, proven: [proven] })).rejects.toMatchObject({ code: "RECORD_INVALID" })
  })

  test("records that were not read leave room for gaps", async () => {
    const log = new HostileLog()
    for (let i = 0; i < 9; i++) {
      log.record({})
      log.append(...filler(300))
    }
    const found = await find(log, { stream: STREAM })
    expect(found.complete).toBe(false)
    const [last] = found.records.slice(-1)
    const steps: bigint[] = []
    if (last) for await (const { record } of walkStream(treeOf(log), last)) steps.push(record.seq)
    expect(steps).toEqual([7n, 6n, 5n, 4n, 3n, 2n, 1n, 0n])
  })
})

describe("walking back", () => {
  const walk = async (log: HostileLog, newest: FoundRecord, until?: bigint) => {
    const steps: bigint[] = []
    for await (const { index } of walkStream(treeOf(log), newest, until)) steps.push(index)
    return steps
  }
  const foundAt = async (log: HostileLog, text: string): Promise<FoundRecord> => {
    log.append(text)
    return { index: log.size - 1n, record: parseRecord(text), leafHash: hashLeaf(encodeUtf8(text)) }
  }
  const next = (over: object) => formatRecord({ ...makeObservation({}), seq: 1n, prev: null, ...over })

  test("stops at the first record, or where it is told to", async () => {
    const log = new HostileLog()
    const indexes = [log.record({}), log.record(OTHER), log.record({}), log.record({})]
    const { found } = newestOfStream(await find(log), STREAM)
    if (found === null) throw new Error("expected a record")
    expect(await walk(log, found)).toEqual([indexes[2], indexes[0]])
    expect(await walk(log, found, 1n)).toEqual([indexes[2]])
  })

  test.each<{ name: string; make: (log: HostileLog) => object }>([
    { name: "another entry than it names", make: () => ({ prev: { index: 0n, leafHash: hashLeaf(encodeUtf8("x")) } }) },
    { name: "itself", make: (log) => ({ prev: { index: log.size, leafHash: hashLeaf(encodeUtf8("x")) } }) },
    { name: "no record", make: () => ({ prev: { index: 1n, leafHash: hashLeaf(encodeUtf8("text")) } }) },
    { name: "a record with another seq", make: (log) => ({ seq: 2n, prev: at(log, 0n) }) },
    { name: "a record of another stream", make: (log) => ({ ...OTHER, prev: at(log, 0n) }) },
  ])("to $name is RECORD_INVALID", async ({ make }) => {
    const log = new HostileLog()
    log.record({})
    log.append("text")
    const newest = await foundAt(log, next(make(log)))
    await expect(walk(log, newest)).rejects.toMatchObject({ code: "RECORD_INVALID" })
  })

  const at = (_: HostileLog, index: bigint) => ({
    index,
    leafHash: hashLeaf(encodeUtf8(formatRecord({ ...makeObservation({}), seq: 0n, prev: null }))),
  })
})

test("one pin in a log of 100,000 records is checked with 20 files or fewer", async () => {
  const log = new HostileLog()
  log.append(...filler(40_000))
  const pinned = log.record({})
  log.append(...filler(20_000))
  const pinHead = log.publish(log.size)
  log.record({})
  for (let i = 0; i < 3; i++) {
    log.append(...filler(9_000))
    log.record(OTHER)
  }
  log.append(...filler(100_000 - Number(log.size)))
  log.indexedSize = log.size - 1_024n
  const state = new MemoryState()
  log.servedSize = pinHead.size
  await openLogClient({ source: log, roots: [log.root], state, clock: () => 0 })
  log.servedSize = null
  log.reads.length = 0
  const client = await openLogClient({
    source: log,
    roots: [log.root],
    state,
    clock: () => 0,
    previousHeads: [pinHead],
  })
  const { record, leafHash, index } = await client
    .proveInclusion(pinned)
    .then(({ entry, ...rest }) => ({ ...rest, record: parseRecord(entry) }))
  const found = await findSubjectRecords(client, {
    subject: SUBJECT,
    stream: streamKey(record),
    since: pinned + 1n,
    proven: [{ record, leafHash, index }],
  })
  expect(newestOfStream(found, STREAM).found?.record.seq).toBe(1n)
  expect(found.records).toHaveLength(4)
  expect(log.reads.length).toBeLessThanOrEqual(20)
})
