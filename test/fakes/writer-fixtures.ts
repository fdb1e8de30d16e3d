// Keys, observations and a whole-log check for tests of the writer. The check shares no code with the writer beyond core/: it reads
// public/ as anybody would.
import { expect } from "vitest"
import { encodeUtf8, equalBytes } from "../../src/core/bytes.js"
import { type Checkpoint, verifyCheckpoint } from "../../src/core/checkpoint.js"
import { type Hash, hashLeaf } from "../../src/core/hash.js"
import { parseJson } from "../../src/core/json.js"
import { joinHashes } from "../../src/core/merkle.js"
import { computeTreeHash } from "../../src/core/merkle-tree.js"
import type { Observation } from "../../src/core/record.js"
import { computeSurface, computeSurfaceDigest, parseSurface } from "../../src/core/section.js"
import { formatBundlePath, formatTilePath, parseBundle, parseTile } from "../../src/core/tile.js"
import { computeSigningKey } from "../../src/core/vkey.js"
import type { TileStore } from "../../src/ports.js"
import { createLog } from "../../src/writer/create.js"
import { verifiersOf } from "../../src/writer/follow.js"
import { type LogWriter, openLog } from "../../src/writer/log.js"
import type { Submission } from "../../src/writer/submission.js"
import { tilesForSize } from "../core/tiles-for-size.js"

export const ORIGIN = "toolsum.local/0123456789abcdef0123456789abcdef"
export const LOG_KEY = computeSigningKey({ name: ORIGIN, seed: new Uint8Array(32).fill(1) })
export const ROOT_KEY = computeSigningKey({ name: `${ORIGIN}/root-a`, seed: new Uint8Array(32).fill(2) })
export const OTHER_KEY = computeSigningKey({ name: ORIGIN, seed: new Uint8Array(32).fill(3) })
export const LOG_KEYS = verifiersOf([LOG_KEY])

/** Options of a new log for tests; a batch waits for nobody. */
export const newLogOptions = (store: TileStore) => ({
  store,
  origin: ORIGIN,
  rootSigners: [ROOT_KEY],
  signers: [LOG_KEY],
  clock: () => 1_796_083_200,
  archive: true,
  waitMs: 0,
})

export const newLog = (store: TileStore): Promise<LogWriter> => createLog(newLogOptions(store))
export const reopen = (store: TileStore): Promise<LogWriter> => openLog({ store, signers: [LOG_KEY], waitMs: 0 })

/** What was seen of a server with these tools. */
export function submission(tools: readonly string[], changes: Partial<Observation> = {}): Submission {
  const list = tools.map((name) => ({ name, description: `the tool ${name}`, inputSchema: { type: "object" } }))
  const value = parseJson(JSON.stringify({ tools: list, serverInfo: { name: "test", version: "1" } }))
  const { lines, archive } = computeSurface(parseSurface(value), ["tools"])
  const observation: Observation = {
    subject: "local:test",
    version: "-",
    profile: "anonymous",
    how: `sha256:${"0".repeat(64)}`,
    observer: "local",
    mask: "-",
    state: "listed",
    lines,
    surface: computeSurfaceDigest("listed", lines),
    observed: 1_796_083_200n,
    ...changes,
  }
  return { observation, objects: archive }
}

/** A raw entry with a number in it. */
export const rawEntry = (i: number): Uint8Array => encodeUtf8(`raw entry ${i} `.padEnd(40, "."))

/** Everything that is public: signature, bundles, every tile of the size, root. Returns the entries. */
export async function checkPublic(store: TileStore): Promise<{ head: Checkpoint; entries: readonly Uint8Array[] }> {
  const read = async (path: string): Promise<Uint8Array> => {
    const bytes = await store.read(`public/${path}`)
    if (bytes === null) throw new Error(`public/${path} is missing`)
    return bytes
  }
  const { checkpoint: head } = verifyCheckpoint({ note: await read("checkpoint"), origin: ORIGIN, keys: LOG_KEYS })
  const levels: Hash[][] = []
  for (const ref of tilesForSize(head.size)) {
    const row = levels[ref.level] ?? []
    levels[ref.level] = row
    row.push(...parseTile(await read(formatTilePath(ref)), ref))
  }
  const entries: Uint8Array[] = []
  for (const ref of tilesForSize(head.size)) {
    if (ref.level === 0) entries.push(...parseBundle(await read(formatBundlePath(ref)), ref.width))
  }
  const leaves = entries.map(hashLeaf)
  let below = leaves
  for (const [level, row] of levels.entries()) {
    const expected = level === 0 ? leaves : row.map((_, i) => computeTreeHash(below.slice(i * 256, (i + 1) * 256)))
    expect(equalBytes(joinHashes(row), joinHashes(expected)), `tiles of level ${level}`).toBe(true)
    below = expected
  }
  expect(head.size).toBe(BigInt(entries.length))
  expect(computeTreeHash(leaves)).toEqual(head.rootHash)
  return { head, entries }
}
