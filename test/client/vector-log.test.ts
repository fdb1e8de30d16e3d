// The client on logs that others wrote: one by an independent implementation, with two log keys one after another, a keyring chain of
// three and an unknown entry type; and plain ones by Tessera.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { createDirLog } from "../../src/adapters/log-dir.js"
import { walkStream } from "../../src/client/history.js"
import { fetchArchivedSurface } from "../../src/client/objects.js"
import { openLogClient } from "../../src/client/open-log.js"
import { proveConsistency, proveInclusion } from "../../src/client/prove.js"
import { findSubjectRecords, newestOfStreams } from "../../src/client/streams.js"
import { createVerifiedTree } from "../../src/client/tiles.js"
import { formatBase64, formatHex } from "../../src/core/bytes.js"
import { parseCheckpoint, verifyCheckpoint } from "../../src/core/checkpoint.js"
import { hashLeaf } from "../../src/core/hash.js"
import { parseNote } from "../../src/core/note.js"
import { parseRootArgument } from "../../src/core/root.js"
import { parseVkey } from "../../src/core/vkey.js"
import { MemoryState } from "../fakes/memory-state.js"
import { describeShared, readShared, sharedPath } from "../shared.js"

const FOLDER = "vectors/toolsum/log"

interface About {
  readonly origin: string
  readonly root: string
  readonly sizes: readonly number[]
  readonly leafHashes: readonly string[]
  readonly subjects: Readonly<Record<string, readonly number[]>>
}

describeShared("a log made elsewhere", () => {
  const about = (): About => JSON.parse(readShared(`${FOLDER}/about.json`))
  const open = async (state = new MemoryState()) => {
    const roots = [{ ...parseRootArgument(about().root), source: "flag" as const }]
    const previousHeads = about().sizes.map((size) => {
      const note = readFileSync(sharedPath(`${FOLDER}/checkpoints/${size}`), "utf8")
      return { ...parseCheckpoint(parseNote(note).text), note }
    })
    const source = createDirLog(sharedPath(FOLDER))
    return openLogClient({ source, roots, previousHeads, state, clock: () => 0, expectedOrigin: about().origin })
  }

  test("opens, and every published head is linked to the newest", async () => {
    const state = new MemoryState()
    const client = await open(state)
    expect(client.head).toMatchObject({ size: 303n, state: "live" })
    expect(client.keyringNotes).toHaveLength(3)
    expect(client.links.map(({ older }) => Number(older))).toEqual(about().sizes.slice(0, -1))
    expect((await open(state)).warnings).toEqual([])
    expect(state.swaps).toBe(1)
  })

  test("every entry is proven, and hashes to what its maker says", async () => {
    const client = await open()
    for (const [i, expected] of about().leafHashes.entries()) {
      const { entry, leafHash } = await client.proveInclusion(BigInt(i))
      expect(formatHex(leafHash)).toBe(expected)
      expect(hashLeaf(entry)).toEqual(leafHash)
    }
  })

  test("every subject has the records that its maker says, by the index and without it, in complete streams", async () => {
    const client = await open()
    for (const [subject, indexes] of Object.entries(about().subjects)) {
      const listed = await findSubjectRecords(client, { subject })
      const scanned = await findSubjectRecords(client, { subject, exhaustive: true })
      expect(scanned.records.map(({ index }) => Number(index))).toEqual(indexes)
      expect(listed.records).toEqual(scanned.records)
      let counted = 0
      for (const newest of newestOfStreams(scanned).values()) {
        counted++
        for await (const _ of walkStream(client.tree, newest)) counted++
      }
      expect(counted).toBe(indexes.length)
    }
  })

  test("archived surfaces hash to their records, where they are complete", async () => {
    const client = await open()
    const [subject = ""] = Object.keys(about().subjects)
    const { records } = await findSubjectRecords(client, { subject, exhaustive: true })
    for (const { record } of records.slice(-3)) await fetchArchivedSurface(client.source, record.lines)
  })
})

describeShared("logs that Tessera wrote", () => {
  const LOGS = "interop/vectors/logs"
  const key = () => parseVkey(JSON.parse(readShared("interop/vectors/keys.json")).log.vkey)

  test.each(["5", "256", "1000", "70000"].filter((size) => existsSync(sharedPath(`${LOGS}/${size}`))))(
    "size %s: entries and every pair of published sizes are proven",
    async (size) => {
      const source = createDirLog(sharedPath(`${LOGS}/${size}`))
      const headOf = (note: string) => verifyCheckpoint({ note, origin: key().name, keys: [key()] }).checkpoint
      const heads = readdirSync(sharedPath(`${LOGS}/${size}/checkpoints`)).map((name) =>
        headOf(readShared(`${LOGS}/${size}/checkpoints/${name}`)),
      )
      const entries = readShared(`${LOGS}/${size}/entries.b64`).trimEnd().split("\n")
      const tree = createVerifiedTree(source, headOf(readShared(`${LOGS}/${size}/checkpoint`)))
      for (let i = 0; i < entries.length; i += Math.ceil(entries.length / 200)) {
        const { entry } = await proveInclusion(tree, BigInt(i))
        expect(formatBase64(entry)).toBe(entries[i])
      }
      for (const newer of heads) {
        const own = createVerifiedTree(source, newer)
        for (const { size: older, rootHash } of heads) {
          if (older <= newer.size) expect((await proveConsistency(own, older)).older.rootHash).toEqual(rootHash)
        }
      }
    },
  )
})
