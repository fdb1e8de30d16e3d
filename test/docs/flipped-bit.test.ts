// FORMAT.md, section 23, on the document's own examples: a flipped bit is refused, or it lies where the document says that it is
// harmless. One bit of every byte is tried, a different one each time; of the long lockfile every third byte.
import { expect, test } from "vitest"
import { fetchObject } from "../../src/client/objects.js"
import { parseMemory } from "../../src/client/remember.js"
import { createVerifiedTree } from "../../src/client/tiles.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { ToolsumError } from "../../src/core/errors.js"
import { isDigest } from "../../src/core/hash.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { type Lockfile, parseLockfile } from "../../src/core/lockfile.js"
import { formatPin } from "../../src/core/lockfile-pin.js"
import { openNote } from "../../src/core/note.js"
import { verifyProofFile } from "../../src/core/proof-file.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import { openLog } from "../../src/writer/log.js"
import { createMemoryStore } from "../../src/writer/memory-store.js"
import { rootOf } from "./checks-lockfile.js"
import { headOf } from "./checks-log.js"
import { exampleLogOf, LOG_KEY, ORIGIN, PIN_NAME, verifierOf } from "./example-log.js"
import { readFormatDocument } from "./format-document.js"

const doc = readFormatDocument()
const NOW_SEC = 1_796_100_000n

const flipped = (text: string, step = 1): Generator<Uint8Array> => flippedBytes(encodeUtf8(text), step)

/** Copies of `bytes` with one bit flipped in each byte, or in every `step`th one. */
function* flippedBytes(bytes: Uint8Array, step = 1): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += step) {
    const copy = bytes.slice()
    copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8))
    yield copy
  }
}

/** True when `work` throws one of our errors; anything else that it throws is a fault. */
function isRefused(work: () => unknown): boolean {
  try {
    work()
    return false
  } catch (error) {
    if (error instanceof ToolsumError) return true
    throw error
  }
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** What of a lockfile must not change: all but the members that section 22 lists. */
function coveredPart({ logs, servers }: Lockfile): string {
  const pins = Object.values(servers).map((pin) => {
    const { from: _from, read: _read, approved, ...rest } = formatPin(pin)
    return {
      ...rest,
      pin: approved && typeof approved === "object" && "pin" in approved ? (approved.pin ?? null) : null,
    }
  })
  const kept = Object.entries(logs).map(([origin, { keyring, heads, links }]) => ({ origin, keyring, heads, links }))
  return canonicalize({ pins, logs: kept })
}

test("lockfile", () => {
  const original = coveredPart(parseLockfile(doc.text("lockfile")))
  const accepted = [...flipped(doc.text("lockfile"), 3)].filter((bytes) => isAccepted(bytes, original))
  expect(accepted.map(textOf)).toEqual([])
})

/** True for a lockfile that is proven although what it covers is not `original`. */
function isAccepted(bytes: Uint8Array, original: string): boolean {
  try {
    const lockfile = parseLockfile(bytes)
    const { exitCode } = verifyLockfile({ lockfile, roots: [rootOf(doc)], nowSec: NOW_SEC })
    return exitCode === 0 && coveredPart(lockfile) !== original
  } catch (error) {
    if (error instanceof ToolsumError) return false
    throw error
  }
}

test("definitions", () => {
  const lockfile = parseLockfile(doc.text("lockfile"))
  const accepted = [...flipped(doc.text("definitions"))].filter((definitions) => {
    const report = verifyLockfile({
      lockfile,
      definitions: { [PIN_NAME]: definitions },
      roots: [rootOf(doc)],
      nowSec: NOW_SEC,
    })
    return report.exitCode !== 3
  })
  expect(accepted.map(textOf)).toEqual([])
})

test("proof file", () => {
  const trust = { origin: ORIGIN, keys: [verifierOf(LOG_KEY)] }
  const file = doc.text("proof-file")
  expect(verifyProofFile({ file, ...trust }).index).toBe(2n)
  const accepted = [...flipped(file)].filter((bytes) => !isRefused(() => verifyProofFile({ file: bytes, ...trust })))
  expect(accepted.map(textOf)).toEqual([])
})

test("checkpoint: only the line by an unknown key may change", () => {
  const keys = [verifierOf(LOG_KEY)]
  const own = doc.text("checkpoint")
  const accepted = [...flipped(doc.text("checkpoint-cosigned"))].filter(
    (bytes) => !isRefused(() => openNote(bytes, keys)),
  )
  expect(accepted.length).toBeGreaterThan(0)
  for (const bytes of accepted) expect(textOf(bytes).startsWith(own)).toBe(true)
})

test.each([
  { name: "keyring", read: (bytes: Uint8Array) => verifyKeyring({ notes: [bytes], root: doc.line("root") }) },
  {
    name: "state",
    read: (bytes: Uint8Array) => {
      const oneLine = encodeUtf8(textOf(bytes).replaceAll(",\n", ","))
      return parseMemory(oneLine, { origin: ORIGIN, root: doc.line("root") })
    },
  },
])("$name: every bit is refused", ({ name, read }) => {
  expect(isRefused(() => read(encodeUtf8(doc.text(name))))).toBe(false)
  expect([...flipped(doc.text(name))].filter((bytes) => !isRefused(() => read(bytes))).map(textOf)).toEqual([])
})

test.each(["tile/entries/000.p/3", "tile/0/000.p/3"])("%s: every bit is refused", async (path) => {
  const log = await exampleLogOf(doc)
  const head = headOf(log.second.checkpoint)
  const readAll = async (bytes: Uint8Array) => {
    const read = async (other: string) => (other === path ? bytes : log.bytes(`public/${other}`))
    const tree = createVerifiedTree({ location: "memory", local: true, read }, head)
    if (path.startsWith("tile/entries")) await tree.readEntries(0n)
    else await tree.readNodes([{ level: 0, index: 2n }])
  }
  await readAll(log.bytes(`public/${path}`))
  for (const bytes of flippedBytes(log.bytes(`public/${path}`))) {
    await expect(readAll(bytes)).rejects.toBeInstanceOf(ToolsumError)
  }
})

test("object: every bit is refused", async () => {
  const digest = doc.line("section-digest")
  if (!isDigest(digest)) throw new Error("expected a digest")
  const read = (text: Uint8Array) => fetchObject({ location: "memory", local: true, read: async () => text }, digest)
  expect(await read(encodeUtf8(doc.text("section-text")))).not.toBe(null)
  for (const bytes of flipped(doc.text("section-text"))) await expect(read(bytes)).rejects.toBeInstanceOf(ToolsumError)
})

test.each([
  { key: "private/commits/00000000000000000001", newest: false },
  { key: "private/commits/00000000000000000002", newest: true },
  { key: "private/log", newest: false },
])("$key: a log with a flipped bit does not open, but for the name of a staging file that is gone", async (file) => {
  const log = await exampleLogOf(doc)
  const opens = async (bytes: Uint8Array): Promise<boolean> => {
    const store = createMemoryStore(new Map([...log.files, [file.key, bytes]]))
    const opened = await openLog({ store, signers: [LOG_KEY] }).catch((error: unknown) => error)
    if (opened instanceof ToolsumError) return false
    if (opened instanceof Error) throw opened
    return true
  }
  expect(await opens(log.bytes(file.key))).toBe(true)
  for (const bytes of flippedBytes(log.bytes(file.key))) {
    if (await opens(bytes)) expect([file.newest, textOf(bytes)]).toEqual([true, expect.stringMatching(STAGING_LINE)])
  }
})

/** A commit record in which nothing but the digest of the staging file is another one. */
const STAGING_LINE = /^toolsum-commit\/v1\nseq 2\nprev [0-9a-f]{64}\nstaging sha256:[0-9a-f]{64}\n\n/
