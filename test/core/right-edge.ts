// The right edge of a growing tree: the roots of its complete subtrees, one a level at most, which is all that the next leaves
// and the root need (a compact range that starts at leaf 0). Reading nodes back is merkle-tree.ts's, storing them tile.ts's.
import { ToolsumError } from "../../src/core/errors.js"
import { EMPTY_ROOT, HASH_BYTES, type Hash, hashNode } from "../../src/core/hash.js"
import { nodesForRoot } from "../../src/core/merkle-tree.js"

/** A tree that grows at its right edge. */
export interface RightEdge {
  /** Number of leaves. */
  readonly size: bigint
  /** Adds a leaf. Returns the roots of the subtrees that it completes, the leaf hash itself first: element `l` is the one of
   *  2^l leaves, number `(size >> l) - 1` of its level. */
  append(leafHash: Hash): readonly Hash[]
  /** Root hash of the tree as it is now. */
  root(): Hash
}

/**
 * The right edge of a tree of `size` whose complete subtrees hash to `nodes`: those that `nodesForRoot(size)` names, left to
 * right. Without arguments: the empty tree. Throws USAGE when `nodes` are not as many, or not 32 bytes each.
 */
export function createRightEdge(size = 0n, nodes: readonly Hash[] = []): RightEdge {
  const edge = placeNodes(size, nodes)
  let leaves = size
  return {
    get size() {
      return leaves
    },
    append(leafHash) {
      leaves++
      return appendTo(edge, leafHash)
    },
    root: () => foldEdge(edge),
  }
}

// Per level the root of the complete subtree that waits for one on its right, or null.
type Edge = (Hash | null)[]

function placeNodes(size: bigint, nodes: readonly Hash[]): Edge {
  const refs = nodesForRoot(size)
  if (refs.length !== nodes.length || nodes.some((node) => node.length !== HASH_BYTES)) {
    throw new ToolsumError("USAGE", `expected the ${refs.length} hashes of a tree of size ${size}, got ${nodes.length}`)
  }
  const edge: Edge = Array.from({ length: (refs[0]?.level ?? -1) + 1 }, () => null)
  for (const [i, { level }] of refs.entries()) edge[level] = nodes[i] ?? null
  return edge
}

function appendTo(edge: Edge, leafHash: Hash): readonly Hash[] {
  const completed = [leafHash]
  let hash = leafHash
  let level = 0
  for (let left = edge[level]; left; left = edge[level]) {
    hash = hashNode(left, hash)
    completed.push(hash)
    edge[level] = null
    level++
  }
  edge[level] = hash
  return completed
}

function foldEdge(edge: Edge): Hash {
  let root: Hash | null = null
  for (const left of edge) if (left) root = root === null ? left : hashNode(left, root)
  return root ?? EMPTY_ROOT
}
