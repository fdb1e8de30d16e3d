// A reader takes the checkpoint before the keyrings. One that reads just while a log takes its first policy, or drops a key, must not say
// that the evidence fails: it reads both once more. What is no race is refused the second time too.
import { expect, test } from "vitest"
import { openLogClient } from "../../src/client/open-log.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { sha256 } from "../../src/core/hash.js"
import { fingerprintOf } from "../../src/core/keyring.js"
import { formatKeyringText, type Keyring } from "../../src/core/keyring-text.js"
import { parseNote, signNote } from "../../src/core/note.js"
import { parsePolicy } from "../../src/core/policy.js"
import type { LogSource } from "../../src/ports.js"
import { verifiersOf } from "../../src/writer/follow.js"
import { loadNewestKeyring } from "../../src/writer/keyrings.js"
import { openLog } from "../../src/writer/log.js"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import { signer, witness } from "../core/log-fixtures.js"
import { MemoryState } from "../fakes/memory-state.js"
import { LOG_KEY, newLog, ORIGIN, OTHER_KEY, ROOT_KEY, rawEntry } from "../fakes/writer-fixtures.js"

const NOW = 1_796_083_200
const WITNESS = signer("w.example")

async function nextKeyring(store: MemoryStore, changes: Partial<Keyring>): Promise<string> {
  const { note, ...newest } = await loadNewestKeyring(store)
  const prev = sha256(encodeUtf8(note.text))
  return signNote(formatKeyringText({ ...newest, version: newest.version + 1n, prev, ...changes }), [ROOT_KEY])
}

const openWriter = (store: MemoryStore) =>
  openLog({
    store,
    signers: [LOG_KEY, OTHER_KEY],
    waitMs: 0,
    cosign: async ({ checkpoint }) => {
      const { text } = parseNote(checkpoint)
      return { lines: [formatCosignature({ text, key: WITNESS, timestamp: BigInt(NOW) })], absent: [] }
    },
  })

/** The log as it is read while `change` happens between its checkpoint and its keyrings. */
function changing(store: MemoryStore, change: () => Promise<unknown>): LogSource & { reads: number } {
  let isDue = true
  const source = {
    location: "here",
    local: false,
    reads: 0,
    read: async (path: string) => {
      if (path === "checkpoint") source.reads++
      const bytes = await store.read(`public/${path}`)
      if (path === "checkpoint" && isDue) {
        isDue = false
        await change()
      }
      return bytes
    },
  }
  return source
}

async function readWhile(change: (store: MemoryStore) => Promise<unknown>) {
  const store = createMemoryStore()
  await newLog(store)
  const source = changing(store, () => change(store))
  const fingerprint = fingerprintOf((await store.read("public/keyring/1")) ?? new Uint8Array())
  const root = { dialect: "tlog-tiles", name: ORIGIN, fingerprint, floor: null, source: "flag" } as const
  const opening = openLogClient({ source, roots: [root], state: new MemoryState(), clock: () => NOW })
  return { source, opening }
}

const POLICY = parsePolicy(`witness w ${witness(WITNESS).vkey}\nquorum w\n`)

test("a log that takes its first policy meanwhile", async () => {
  const { source, opening } = await readWhile(async (store) => {
    const log = await openWriter(store)
    await log.appendKeyring(await nextKeyring(store, { policy: POLICY }))
  })
  expect((await opening).head).toMatchObject({ size: 2n, cosigners: 1 })
  expect(source.reads).toBe(2)
})

test("a log that replaces its key meanwhile", async () => {
  const [other] = verifiersOf([OTHER_KEY])
  if (other === undefined) throw new Error("no key")
  const { opening } = await readWhile(async (store) => {
    const log = await openWriter(store)
    await log.appendEntries([rawEntry(1)])
    await log.appendKeyring(
      await nextKeyring(store, { logs: [{ key: other, from: 0n, closing: null, revoked: false }] }),
    )
  })
  expect((await opening).head.size).toBe(3n)
})

test("one whose head misses its quorum for good is refused", async () => {
  const { source, opening } = await readWhile(async (store) => {
    const note = await nextKeyring(store, { policy: POLICY })
    store.files.set("public/keyring/2", encodeUtf8(note))
  })
  await expect(opening).rejects.toMatchObject({ code: "QUORUM_NOT_MET" })
  expect(source.reads).toBe(2)
})
