// The lockfile of somebody who believes a log: takes what is served as it is, with the kindest decoders there are, and checks nothing. What
// `verify` says of it is what a colleague would be told.
import { formatLockfile } from "../../src/core/lockfile.js"
import { buildInclusionProof, computeTreeHash } from "../../src/core/merkle-tree.js"
import { formatBundlePath, formatTilePath, TILE_WIDTH, tileForNode } from "../../src/core/tile.js"
import type { Draft } from "../../src/features/hostile/lie.js"
import { keyringPath, lockRecord, PINNED_SUBJECT } from "../../src/features/hostile/world.js"

/** The lockfile; null where nothing can be made of what is served. */
export function believe(draft: Draft): string | null {
  try {
    return formatLockfile(
      lockRecord({ ...readNewest(draft), keyrings: readKeyrings(draft), atSec: draft.world.nowSec }),
    )
  } catch (error) {
    if (error instanceof NothingThere || error instanceof SyntaxError || error instanceof RangeError) return null
    throw error
  }
}

class NothingThere extends Error {}

const text = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)

function read({ files }: Draft, path: string): Uint8Array {
  const bytes = files.get(path)
  if (bytes === undefined) throw new NothingThere(path)
  return bytes
}

function readNewest(draft: Draft) {
  const note = text(read(draft, "checkpoint"))
  const [, size = "", root = ""] = note.split("\n")
  const head = { size: BigInt(size), rootHash: new Uint8Array(Buffer.from(root, "base64")), note }
  const { index, entry } = findNewest(draft, head.size)
  return { head, index, text: text(entry), proof: buildInclusionProof(index, head.size, readerOf(draft, head.size)) }
}

/** The last entry that says it is a list of the pinned server. */
function findNewest(draft: Draft, size: bigint): { index: bigint; entry: Uint8Array } {
  const entries = Array.from({ length: Math.ceil(Number(size) / TILE_WIDTH) }, (_, i) => readBundle(draft, i, size))
  const all = entries.flat().slice(0, Number(size))
  const isList = (said: string) => said.includes(`\nsubject ${PINNED_SUBJECT}\n`) && said.includes("\nstate listed\n")
  const index = all.findLastIndex((entry) => isList(text(entry)))
  const entry = all[index]
  if (entry === undefined) throw new NothingThere(PINNED_SUBJECT)
  return { index: BigInt(index), entry }
}

function readBundle(draft: Draft, index: number, size: bigint): readonly Uint8Array[] {
  const width = Math.min(TILE_WIDTH, Number(size) - index * TILE_WIDTH)
  const bytes = read(draft, formatBundlePath({ index: BigInt(index), width }))
  const entries: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)
    entries.push(bytes.subarray(at + 2, end))
    at = end
  }
  return entries
}

const readerOf = (draft: Draft, size: bigint) => (level: number, index: bigint) => {
  const { ref, from, count } = tileForNode({ level, index }, size)
  const bytes = read(draft, formatTilePath(ref))
  return computeTreeHash(Array.from({ length: count }, (_, i) => bytes.slice(32 * (from + i), 32 * (from + i + 1))))
}

function readKeyrings({ files }: Draft): readonly string[] {
  const notes: string[] = []
  for (let bytes = files.get(keyringPath(1)); bytes !== undefined; bytes = files.get(keyringPath(notes.length + 1)))
    notes.push(text(bytes))
  return notes
}
