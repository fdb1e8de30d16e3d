// Builds inclusion and consistency proofs from verified tiles (RFC 9162 §2.1.3, §2.1.4) and checks them as anybody else would before
// they leave: a proof that is handed out is one that verifies.
import { ToolsumError } from "../core/errors.js"
import { EMPTY_ROOT, type Hash, hashLeaf } from "../core/hash.js"
import { type TreeHead, verifyConsistency, verifyInclusion } from "../core/merkle.js"
import {
  buildConsistencyProof,
  buildInclusionProof,
  computeRoot,
  nodesForConsistency,
  nodesForInclusion,
  nodesForRoot,
} from "../core/merkle-tree.js"
import { TILE_WIDTH } from "../core/tile.js"
import type { VerifiedTree } from "./tiles.js"

/** An entry and the proof that it is number `index` of the tree `head`. */
export interface ProvenEntry {
  readonly index: bigint
  readonly entry: Uint8Array
  readonly leafHash: Hash
  /** Sibling hashes, leaf side first. */
  readonly proof: readonly Hash[]
  readonly head: TreeHead
}

/** The tree of an earlier size, and the proof that `newer` extends it. */
export interface ProvenPrefix {
  readonly older: TreeHead
  readonly newer: TreeHead
  /** Empty when the sizes are equal and when `older` is the empty tree. */
  readonly proof: readonly Hash[]
}

/** Entry `index` of the tree with its inclusion proof. Throws INCLUSION_INVALID when the tree has no such entry, and what reading throws. */
export async function proveInclusion(tree: VerifiedTree, index: bigint): Promise<ProvenEntry> {
  const { head } = tree
  if (index < 0n || index >= head.size) {
    throw new ToolsumError("INCLUSION_INVALID", `expected an index below the tree size ${head.size}, got ${index}`)
  }
  const width = BigInt(TILE_WIDTH)
  const reading = tree.readEntries(index / width)
  // The bundle's hashes are in memory by then, so that the tile below it is not read as well.
  const entry = (await reading)[Number(index % width)]
  if (entry === undefined) throw new ToolsumError("RESOURCE_MISSING", `entry ${index} is not in its bundle`)
  const read = await tree.readNodes(nodesForInclusion(index, head.size))
  const proof = buildInclusionProof(index, head.size, read)
  const leafHash = hashLeaf(entry)
  verifyInclusion({ leafHash, index, proof, head })
  return { index, entry, leafHash, proof, head }
}

/** What the tree was at `olderSize`, with the consistency proof. Throws CONSISTENCY_INVALID when the tree is smaller than that, and what
 *  reading throws. */
export async function proveConsistency(tree: VerifiedTree, olderSize: bigint): Promise<ProvenPrefix> {
  const { head: newer } = tree
  if (olderSize < 0n || olderSize > newer.size) {
    throw new ToolsumError("CONSISTENCY_INVALID", `expected a size up to ${newer.size}, got ${olderSize}`)
  }
  if (olderSize === newer.size) return { older: newer, newer, proof: [] }
  if (olderSize === 0n) return { older: { size: 0n, rootHash: EMPTY_ROOT }, newer, proof: [] }
  const read = await tree.readNodes([...nodesForRoot(olderSize), ...nodesForConsistency(olderSize, newer.size)])
  const older = { size: olderSize, rootHash: computeRoot(olderSize, read) }
  const proof = buildConsistencyProof(olderSize, newer.size, read)
  verifyConsistency({ older, newer, proof })
  return { older, newer, proof }
}
