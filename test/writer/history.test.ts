import { expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { type Commit, commitKey, formatCommit } from "../../src/writer/commit.js"
import { findNewestCommit } from "../../src/writer/history.js"
import { createMemoryStore } from "../../src/writer/memory-store.js"
import { formatSettings, loadSettings, parseSettings, SETTINGS_KEY } from "../../src/writer/settings.js"

const code = (expected: string) => expect.objectContaining({ code: expected })

const commit = (seq: bigint): Commit => ({
  seq,
  prev: seq === 0n ? null : new Uint8Array(32),
  staging: `sha256:${"0".repeat(64)}`,
  checkpoint: "log.example\n1\nroot\n\n— log.example AAAA\n",
})

test("the newest record is found in few reads, whatever their number", async () => {
  const store = createMemoryStore()
  expect(await findNewestCommit(store)).toBeNull()
  let reads = 0
  const read = (key: string) => {
    reads++
    return store.read(key)
  }
  for (let seq = 0n; seq < 300n; seq++) {
    store.files.set(commitKey(seq), formatCommit(commit(seq)))
    reads = 0
    expect((await findNewestCommit({ read }))?.seq).toBe(seq)
    expect(reads).toBeLessThan(25)
  }
})

test("what is added while looking is found too", async () => {
  const store = createMemoryStore()
  for (let seq = 0n; seq < 5n; seq++) store.files.set(commitKey(seq), formatCommit(commit(seq)))
  let next = 5n
  const read = async (key: string) => {
    const bytes = await store.read(key)
    if (bytes === null && next < 8n) {
      store.files.set(commitKey(next), formatCommit(commit(next)))
      next++
    }
    return bytes
  }
  expect((await findNewestCommit({ read }))?.seq).toBeGreaterThan(4n)
})

test("settings read and write", async () => {
  for (const archive of [true, false]) {
    const settings = { origin: "toolsum.local/x", archive }
    expect(parseSettings(formatSettings(settings))).toEqual(settings)
    const store = createMemoryStore(new Map([[SETTINGS_KEY, formatSettings(settings)]]))
    expect(await loadSettings(store.read)).toEqual(settings)
  }
  await expect(loadSettings(async () => null)).rejects.toEqual(code("STATE_CORRUPT"))
})

test.each([
  "",
  "toolsum-log/v1\norigin x\narchive on",
  "toolsum-log/v2\norigin x\narchive on\n",
  "toolsum-log/v1\norigin \narchive on\n",
  "toolsum-log/v1\norigin x\narchive yes\n",
  "toolsum-log/v1\norigin x\narchive on\n\n",
  `toolsum-log/v1\norigin ${"x".repeat(256)}\narchive on\n`,
])("settings %j are refused", (text) => {
  expect(() => parseSettings(encodeUtf8(text))).toThrow(code("STATE_CORRUPT"))
})
