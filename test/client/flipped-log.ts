// What a reader gets from a log when one bit of one served file is flipped: everything is read, as records, proofs, tiles, archived
// texts and index, and compared with what the unflipped log gives.
import { isDeepStrictEqual } from "node:util"
import { expect } from "vitest"
import { fetchArchivedSurface } from "../../src/client/objects.js"
import { type LogClient, openLogClient } from "../../src/client/open-log.js"
import { findSubjectRecords, newestOfStreams, type SubjectRecords } from "../../src/client/streams.js"
import { createVerifiedTree } from "../../src/client/tiles.js"
import { formatHex } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { ToolsumError } from "../../src/core/errors.js"
import { streamKey } from "../../src/core/record.js"
import type { PinnedRoot } from "../../src/core/root.js"
import { type Flip, flipped } from "../core/flips.js"
import { tilesForSize } from "../core/tiles-for-size.js"
import { memoryLog } from "../fakes/complete-log.js"
import { MemoryState } from "../fakes/memory-state.js"

/** Files of a log below public/, with that in the path. */
export type LogFiles = ReadonlyMap<string, Uint8Array>

/** What was read. `proven` must be the same or nothing at all; `hints` may be less. */
interface Everything {
  readonly proven: readonly string[]
  readonly hints: readonly SubjectRecords[]
}

/** A log whose files can be flipped. */
export interface FlippedLog {
  /** Paths of the files that a reader looks at. */
  readonly read: ReadonlySet<string>
  /** "refused": an error that says so. "same": nothing that was read differs. "fewer": the index gave fewer records, and said so. */
  outcome(path: string, flip: Flip): Promise<"refused" | "same" | "fewer">
}

/** A log under the pinned `root`; `subjects`: whose records are looked for. */
export async function flipLog(files: LogFiles, root: PinnedRoot, subjects: readonly string[]): Promise<FlippedLog> {
  const read = new Set<string>()
  const good = await readEverything(files, root, subjects, (path) => read.add(path))
  return {
    read: new Set([...read].filter((path) => files.has(path))),
    outcome: async (path, flip) => {
      const bytes = files.get(path)
      if (bytes === undefined) throw new Error(`${path} is no file of this log`)
      const found = await readEverything(new Map([...files, [path, flipped(bytes, flip)]]), root, subjects).catch(
        refusal,
      )
      if (found === "refused") return found
      expect(found.proven).toEqual(good.proven)
      if (isDeepStrictEqual(found.hints, good.hints)) return "same"
      for (const [i, hint] of found.hints.entries()) expectNoMore(hint, good.hints[i])
      return "fewer"
    },
  }
}

function refusal(error: unknown): "refused" {
  if (!(error instanceof ToolsumError)) throw error
  expect(["malformed", "rejected"], error.message).toContain(error.kind)
  return "refused"
}

/** The index is a hint: it may hide records, and then nobody calls the newest one that is left the newest. */
function expectNoMore(found: SubjectRecords, good: SubjectRecords | undefined): void {
  for (const record of found.records) expect(good?.records).toContainEqual(record)
  if (found.records.length === good?.records.length) return
  const after = found.records.at(-1)?.index ?? -1n
  expect(found.scannedFrom).toBeGreaterThan(after + 1n)
}

async function readEverything(
  files: LogFiles,
  root: PinnedRoot,
  subjects: readonly string[],
  note: (path: string) => void = () => {},
): Promise<Everything> {
  const log = memoryLog(files)
  const read: typeof log.read = (path, maxBytes) => {
    note(`public/${path}`)
    return log.read(path, maxBytes)
  }
  const client = await openLogClient({
    source: { ...log, read },
    roots: [root],
    state: new MemoryState(),
    clock: () => 1_796_083_300, // when its witnesses cosigned
  })
  const hints: SubjectRecords[] = []
  const proven = [
    `${client.origin} ${client.head.size} ${formatHex(client.head.rootHash)} ${client.keyring.newest.version}`,
  ]
  proven.push(...(await readTiles(client)), ...(await readEntries(client)))
  for (const subject of subjects) {
    const all = await findSubjectRecords(client, { subject, exhaustive: true })
    proven.push(...[...newestOfStreams(all).values()].map(({ index, record }) => `${streamKey(record)} ${index}`))
    hints.push(await findSubjectRecords(client, { subject }))
    for (const { record } of all.records) {
      const { surface, missing } = await fetchArchivedSurface(client.source, record.lines)
      proven.push(canonicalize({ ...surface, missing }))
    }
  }
  return { proven, hints }
}

/** Every hash of every tile, in a tree of its own that has read no bundle. */
async function readTiles({ source, head }: LogClient): Promise<readonly string[]> {
  const tree = createVerifiedTree(source, head)
  const nodes = [...tilesForSize(head.size)].flatMap(({ level, index, width }) =>
    Array.from({ length: width }, (_, i) => ({ level: 8 * level, index: 256n * index + BigInt(i) })),
  )
  const read = await tree.readNodes(nodes)
  return nodes.map(({ level, index }) => formatHex(read(level, index)))
}

async function readEntries(client: LogClient): Promise<readonly string[]> {
  const texts: string[] = []
  for (let i = 0n; i < client.head.size; i++) {
    const { leafHash, proof } = await client.proveInclusion(i)
    texts.push([leafHash, ...proof].map(formatHex).join(" "))
  }
  for (let size = 1n; size < client.head.size; size++) {
    const { older, proof } = await client.proveConsistency(size)
    texts.push([older.rootHash, ...proof].map(formatHex).join(" "))
  }
  return texts
}
