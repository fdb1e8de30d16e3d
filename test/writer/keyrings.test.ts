import { beforeEach, describe, expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { sha256 } from "../../src/core/hash.js"
import { parseKeyring, verifyKeyring } from "../../src/core/keyring.js"
import { formatKeyringText, type Keyring } from "../../src/core/keyring-text.js"
import type { TreeHead } from "../../src/core/merkle.js"
import { signNote } from "../../src/core/note.js"
import { verifiersOf } from "../../src/writer/follow.js"
import { loadKeyrings } from "../../src/writer/keyrings.js"
import { type LogWriter, openLog } from "../../src/writer/log.js"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import {
  checkPublic,
  LOG_KEY,
  newLog,
  ORIGIN,
  OTHER_KEY,
  ROOT_KEY,
  rawEntry,
  reopen,
} from "../fakes/writer-fixtures.js"

const code = (expected: string) => expect.objectContaining({ code: expected })

let store: MemoryStore
let log: LogWriter
beforeEach(async () => {
  store = createMemoryStore()
  log = await newLog(store)
})

/** The keyring after the newest one, with changes. */
async function nextKeyring(changes: Partial<Keyring> = {}, signers = [ROOT_KEY]): Promise<string> {
  const { note, ...newest } = parseKeyring((await loadKeyrings(store)).at(-1) ?? "")
  const prev = sha256(encodeUtf8(note.text))
  return signNote(formatKeyringText({ ...newest, version: newest.version + 1n, prev, ...changes }), signers)
}

const [LOG_VERIFIER, OTHER_VERIFIER] = verifiersOf([LOG_KEY, OTHER_KEY])
const liveKey = (key = LOG_VERIFIER, from = 0n) => {
  if (key === undefined) throw new Error("no key")
  return { key, from, closing: null, revoked: false }
}

test("the next keyring becomes an entry and a file", async () => {
  const note = await nextKeyring()
  const placed = await log.appendKeyring(note)
  expect(placed.index).toBe(1n)
  expect(new TextDecoder().decode(store.files.get("public/keyring/2"))).toBe(note)
  expect((await checkPublic(store)).entries[1]).toEqual(encodeUtf8(note))
  expect(verifyKeyring({ notes: await loadKeyrings(store), origin: ORIGIN }).newest.version).toBe(2n)
  await log.appendKeyring(await nextKeyring())
  expect(await loadKeyrings(store)).toHaveLength(3)
})

test("keys change over a time in which both sign", async () => {
  await log.appendKeyring(await nextKeyring({ logs: [liveKey(), liveKey(OTHER_VERIFIER, 2n)] }))
  const both = await openLog({ store, signers: [LOG_KEY, OTHER_KEY], waitMs: 0 })
  const [placed] = await both.appendEntries([rawEntry(1)])
  expect(placed?.checkpoint.match(/^— /gm)).toHaveLength(2)
  const { rootHash, size } = both.head()
  const retired = { ...liveKey(), closing: { size, rootHash } }
  await both.appendKeyring(await nextKeyring({ logs: [retired, liveKey(OTHER_VERIFIER, 2n)] }))
  const next = await openLog({ store, signers: [OTHER_KEY], waitMs: 0 })
  await next.appendEntries([rawEntry(2)])
  await expect(reopen(store)).rejects.toEqual(code("SIGNATURE_INVALID"))
})

test.each([
  { name: "a version too far", changes: { version: 3n }, expected: "USAGE" },
  { name: "the first version again", changes: { version: 1n, prev: null }, expected: "USAGE" },
  { name: "another predecessor", changes: { prev: new Uint8Array(32) }, expected: "KEYRING_INVALID" },
  { name: "another origin", changes: { origin: "log.example" }, expected: "ORIGIN_MISMATCH" },
  { name: "no key of ours", changes: { logs: [liveKey(OTHER_VERIFIER)] }, expected: "USAGE" },
  { name: "our key from a later size", changes: { logs: [liveKey(LOG_VERIFIER, 3n)] }, expected: "USAGE" },
  { name: "our key revoked", changes: { logs: [{ ...liveKey(), revoked: true }] }, expected: "USAGE" },
])("a keyring with $name is refused, and the log goes on", async ({ changes, expected }) => {
  await expect(log.appendKeyring(await nextKeyring(changes))).rejects.toEqual(code(expected))
  expect(log.head().size).toBe(1n)
  await log.appendKeyring(await nextKeyring())
})

describe("a signing key that has been retired", () => {
  /** Both keys sign the keyring that retires the first. */
  async function retire() {
    await log.appendKeyring(await nextKeyring({ logs: [liveKey(), liveKey(OTHER_VERIFIER, 2n)] }))
    const both = await openLog({ store, signers: [LOG_KEY, OTHER_KEY], waitMs: 0 })
    await both.appendEntries([rawEntry(1)])
    const { rootHash, size } = both.head()
    const retired = { ...liveKey(), closing: { size, rootHash } }
    await both.appendKeyring(await nextKeyring({ logs: [retired, liveKey(OTHER_VERIFIER, 2n)] }))
    return both
  }

  test("does not open the log, even where it signed the newest checkpoint", async () => {
    await retire()
    const before = new Map(store.files)
    await expect(reopen(store)).rejects.toEqual(code("USAGE"))
    expect(store.files).toEqual(before)
    await (await openLog({ store, signers: [OTHER_KEY], waitMs: 0 })).appendEntries([rawEntry(2)])
  })

  test("signs nothing more in a writer that was open", async () => {
    const open = await reopen(store)
    const both = await retire()
    await expect(open.appendEntries([rawEntry(2)])).rejects.toEqual(code("USAGE"))
    await expect(open.appendEntries([rawEntry(2)])).rejects.toEqual(code("LOG_CLOSED"))
    expect((await checkPublic(store)).head.size).toBe(both.head().size)
  })

  test("does not open a log whose keyring is gone or damaged", async () => {
    store.files.set("public/keyring/1", encodeUtf8("x"))
    await expect(reopen(store)).rejects.toEqual(code("STATE_CORRUPT"))
    store.files.delete("public/keyring/1")
    await expect(reopen(store)).rejects.toEqual(code("STATE_CORRUPT"))
  })
})

test.each([
  { name: "of a larger tree", edit: (head: TreeHead) => ({ ...head, size: head.size + 1n }) },
  { name: "with another root", edit: (head: TreeHead) => ({ ...head, rootHash: head.rootHash.with(0, 0) }) },
  { name: "of the size of an older tree", edit: (head: TreeHead) => ({ ...head, size: head.size - 1n }) },
])("a closing tree $name is refused, and the log goes on", async ({ edit }) => {
  await log.appendEntries([rawEntry(1)])
  const { size, rootHash } = log.head()
  await log.appendEntries([rawEntry(2)])
  const closed = (closing: TreeHead) => [{ ...liveKey(OTHER_VERIFIER), closing }, liveKey()]
  for (const revoked of [false, true]) {
    const logs = closed(edit(log.head())).map((key) => (key.closing === null ? key : { ...key, revoked }))
    await expect(log.appendKeyring(await nextKeyring({ logs }))).rejects.toEqual(code("USAGE"))
  }
  await log.appendKeyring(await nextKeyring({ logs: closed({ size, rootHash }) }))
  await log.appendKeyring(await nextKeyring({ logs: closed({ size, rootHash }) }))
})

test("a keyring that no root signed is refused", async () => {
  await expect(log.appendKeyring(await nextKeyring({}, [LOG_KEY]))).rejects.toEqual(code("SIGNATURE_INVALID"))
  await expect(log.appendKeyring("x")).rejects.toEqual(code("NOTE_MALFORMED"))
})

test("of two next keyrings at once one is taken, and what waits with them is not hurt", async () => {
  const [one, two] = [await nextKeyring(), await nextKeyring({ issued: 1_800_000_000n })]
  const done = await Promise.allSettled([
    log.appendKeyring(one),
    log.appendKeyring(two),
    log.appendEntries([rawEntry(1)]),
  ])
  expect(done.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
  expect((await checkPublic(store)).head.size).toBe(3n)
  expect(await loadKeyrings(store)).toHaveLength(2)
})

describe("which keys sign", () => {
  const lines = (checkpoint: string | undefined) => checkpoint?.match(/^— /gm)?.length

  test("a key that no keyring has yet, or only from a later size, signs nothing", async () => {
    const both = await openLog({ store, signers: [LOG_KEY, OTHER_KEY], waitMs: 0 })
    const [unknown] = await both.appendEntries([rawEntry(1)])
    expect(lines(unknown?.checkpoint)).toBe(1)
    const published = await both.appendKeyring(await nextKeyring({ logs: [liveKey(), liveKey(OTHER_VERIFIER, 5n)] }))
    expect(lines(published.checkpoint)).toBe(1)
    const [fourth] = await both.appendEntries([rawEntry(2)])
    expect(lines(fourth?.checkpoint)).toBe(1)
    const [fifth] = await both.appendEntries([rawEntry(3)])
    expect(lines(fifth?.checkpoint)).toBe(2)
  })

  test("the step that closes a key is the last that it signs", async () => {
    await log.appendKeyring(await nextKeyring({ logs: [liveKey(), liveKey(OTHER_VERIFIER)] }))
    const both = await openLog({ store, signers: [LOG_KEY, OTHER_KEY], waitMs: 0 })
    const { size, rootHash } = both.head()
    const closed = { ...liveKey(), closing: { size, rootHash } }
    const last = await both.appendKeyring(await nextKeyring({ logs: [closed, liveKey(OTHER_VERIFIER)] }))
    expect(lines(last.checkpoint)).toBe(2)
    const [after] = await both.appendEntries([rawEntry(1)])
    expect(lines(after?.checkpoint)).toBe(1)
  })

  test("where the old key is gone, the keyring that names a new one opens the log", async () => {
    const { size, rootHash } = log.head()
    const closed = { ...liveKey(), closing: { size, rootHash } }
    const note = await nextKeyring({ logs: [closed, liveKey(OTHER_VERIFIER, 2n)] })
    const options = { store, signers: [OTHER_KEY], waitMs: 0 }
    await expect(openLog(options)).rejects.toEqual(code("SIGNATURE_INVALID"))
    const earlierKeys = verifiersOf([LOG_KEY])
    await expect(openLog({ ...options, earlierKeys })).rejects.toEqual(code("USAGE"))
    const taken = await openLog({ ...options, earlierKeys, nextKeyring: note })
    expect((await taken.appendKeyring(note)).index).toBe(1n)
    await (await openLog(options)).appendEntries([rawEntry(1)])
  })

  test("until that keyring is there, nothing else is appended", async () => {
    const note = await nextKeyring({ logs: [{ ...liveKey(), revoked: true }, liveKey(OTHER_VERIFIER, 2n)] })
    const earlierKeys = verifiersOf([LOG_KEY])
    const taken = await openLog({ store, signers: [OTHER_KEY], waitMs: 0, earlierKeys, nextKeyring: note })
    await expect(taken.appendEntries([rawEntry(1)])).rejects.toEqual(code("USAGE"))
    expect((await checkPublic(store)).head.size).toBe(1n)
  })
})
