// Logs that Tessera wrote, rebuilt by the writer's own way to the next tree: the same roots, the same tiles and bundles byte for byte at every
// kept size, no file more or less; and an inclusion proof of every entry, from the tiles, holds.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { expect, test } from "vitest"
import { formatBase64, parseBase64 } from "../../src/core/bytes.js"
import { parseCheckpoint } from "../../src/core/checkpoint.js"
import { ToolsumError } from "../../src/core/errors.js"
import { type Hash, hashLeaf } from "../../src/core/hash.js"
import { verifyInclusion } from "../../src/core/merkle.js"
import { buildInclusionProof, type NodeReader } from "../../src/core/merkle-tree.js"
import { parseNote } from "../../src/core/note.js"
import { type Edge, EMPTY_EDGE, extendEdge } from "../../src/writer/edge.js"
import { tileReader } from "../core/tiled-log.js"
import { describeShared, readShared, sharedPath } from "../shared.js"

const bad = (why: string) => new ToolsumError("TILE_MALFORMED", why)
const LOGS = "interop/vectors/logs"

const readEntries = (log: string): readonly Uint8Array[] =>
  readShared(`${log}/entries.b64`)
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => parseBase64(line, bad))

const readHeads = (log: string) =>
  readdirSync(sharedPath(`${log}/checkpoints`))
    .map((size) => parseCheckpoint(parseNote(readShared(`${log}/checkpoints/${size}`)).text))
    .toSorted((a, b) => Number(a.size - b.size))

/** The same nodes, each read from its tile once. */
function remember(read: NodeReader): NodeReader {
  const known = new Map<string, Hash>()
  return (level, index) => {
    const hash = known.get(`${level} ${index}`) ?? read(level, index)
    known.set(`${level} ${index}`, hash)
    return hash
  }
}

/** Extend the empty tree to each size in turn; all files that come up on the way. */
function rebuild(entries: readonly Uint8Array[], sizes: readonly bigint[]) {
  const files = new Map<string, Uint8Array>()
  const edges: Edge[] = []
  let edge = EMPTY_EDGE
  for (const size of sizes) {
    const step = extendEdge(edge, entries.slice(Number(edge.head.size), Number(size)))
    for (const { key, bytes } of step.files) files.set(key.replace(/^public\//, ""), bytes)
    edge = step.edge
    edges.push(edge)
  }
  return { files, edges }
}

describeShared("logs that Tessera wrote", () => {
  test.each(existsSync(sharedPath(LOGS)) ? readdirSync(sharedPath(LOGS)) : [])("%s entries", (name) => {
    const log = `${LOGS}/${name}`
    const entries = readEntries(log)
    const heads = readHeads(log)
    const { files, edges } = rebuild(
      entries,
      heads.map(({ size }) => size),
    )
    expect(edges.map(({ head }) => formatBase64(head.rootHash))).toEqual(
      heads.map(({ rootHash }) => formatBase64(rootHash)),
    )
    const served = readdirSync(sharedPath(`${log}/tile`), { recursive: true, encoding: "utf8" })
      .map((path) => `tile/${path}`)
      .filter((path) => statSync(sharedPath(`${log}/${path}`)).isFile())
    expect([...files.keys()].toSorted()).toEqual(served.toSorted())
    for (const path of served)
      expect(files.get(path), path).toEqual(new Uint8Array(readFileSync(sharedPath(`${log}/${path}`))))
    for (const head of heads) {
      const read = remember(tileReader(files, head.size))
      for (let index = 0n; index < head.size; index++) {
        const proof = buildInclusionProof(index, head.size, read)
        verifyInclusion({ leafHash: hashLeaf(entries[Number(index)] ?? new Uint8Array(0)), index, proof, head })
      }
    }
  })
})
