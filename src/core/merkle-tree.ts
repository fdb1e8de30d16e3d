// Roots and proofs from a tree's nodes (RFC 9162 §2.1.1, §2.1.3.1, §2.1.4.1): the plain recursive definition over leaf hashes, and
// the same over complete subtrees, which is what tiles store. Checking a proof is merkle.ts's.
import { ToolsumError } from "./errors.js"
import { EMPTY_ROOT, type Hash, hashNode } from "./hash.js"

/** The complete subtree number `index` of 2^`level` leaves. */
export interface NodeRef {
  readonly level: number
  readonly index: bigint
}

/** Gives the hash of a complete subtree: number `index` of those with 2^`level` leaves. */
export type NodeReader = (level: number, index: bigint) => Hash

/** Root hash by the recursive definition: split at the largest power of two below the size. RFC 9162 §2.1.1. */
export function computeTreeHash(leafHashes: readonly Hash[]): Hash {
  return leafHashes.length === 0 ? EMPTY_ROOT : hashLeaves(leafHashes, 0, leafHashes.length)
}

function hashLeaves(leafHashes: readonly Hash[], start: number, end: number): Hash {
  if (end - start === 1) return leafHashes[start] ?? EMPTY_ROOT
  let half = 1
  while (half * 2 < end - start) half *= 2
  return hashNode(hashLeaves(leafHashes, start, start + half), hashLeaves(leafHashes, start + half, end))
}

/** Leaves [start, end) of a tree; `start` is a multiple of the size of the largest complete subtree in it. */
interface Range {
  readonly start: bigint
  readonly end: bigint
}

/** Complete subtrees that make up a range, left to right, which is largest first. */
function subtreesOf({ start, end }: Range): readonly NodeRef[] {
  const nodes: NodeRef[] = []
  for (let at = start; at < end; ) {
    const level = bitLength(end - at) - 1
    nodes.push({ level, index: at >> BigInt(level) })
    at += 1n << BigInt(level)
  }
  return nodes
}

/** Root hash of a range: its complete subtrees joined from the right. */
function computeRange(range: Range, read: NodeReader): Hash {
  const hashes = subtreesOf(range).map(({ level, index }) => read(level, index))
  const last = hashes.pop()
  return last === undefined ? EMPTY_ROOT : hashes.reduceRight((right, left) => hashNode(left, right), last)
}

/** Ranges whose hashes prove leaf `index` in the tree of `size`, leaf side first. RFC 9162 §2.1.3.1. */
function inclusionRanges(index: bigint, size: bigint): readonly Range[] {
  if (index < 0n || index >= size) {
    throw new ToolsumError("USAGE", `expected an index below the tree size ${size}, got ${index}`)
  }
  const ranges: Range[] = []
  for (let start = 0n, end = size; end - start > 1n; ) {
    const middle = start + halfOf(end - start)
    const below = index < middle
    ranges.push(below ? { start: middle, end } : { start, end: middle })
    if (below) end = middle
    else start = middle
  }
  return ranges.reverse()
}

/** Ranges whose hashes prove that the tree of size `older` begins that of size `newer`. RFC 9162 §2.1.4.1. */
function consistencyRanges(older: bigint, newer: bigint): readonly Range[] {
  if (older <= 0n || older > newer) {
    throw new ToolsumError("USAGE", `expected sizes 0 < older <= newer, got ${older} and ${newer}`)
  }
  const ranges: Range[] = []
  let start = 0n
  let end = newer
  while (end !== older) {
    const middle = start + halfOf(end - start)
    const below = older <= middle
    ranges.push(below ? { start: middle, end } : { start, end: middle })
    if (below) end = middle
    else start = middle
  }
  // What is left is the last subtree of the older tree; where it is the whole older tree, its hash is the older root.
  if (start !== 0n) ranges.push({ start, end })
  return ranges.reverse()
}

const bitLength = (value: bigint): number => value.toString(2).length

/** Largest power of two below `count` (2 or more): the size of the left half. */
const halfOf = (count: bigint): bigint => 1n << BigInt(bitLength(count - 1n) - 1)

/** Root hash of the tree of `size`. */
export const computeRoot = (size: bigint, read: NodeReader): Hash => computeRange({ start: 0n, end: size }, read)

/** Inclusion proof of leaf `index`: sibling hashes, leaf side first. Throws USAGE for an index outside the tree. */
export const buildInclusionProof = (index: bigint, size: bigint, read: NodeReader): Hash[] =>
  inclusionRanges(index, size).map((range) => computeRange(range, read))

/** Consistency proof between two sizes; empty when they are equal. Throws USAGE unless 0 < older <= newer. */
export const buildConsistencyProof = (older: bigint, newer: bigint, read: NodeReader): Hash[] =>
  consistencyRanges(older, newer).map((range) => computeRange(range, read))

/** The nodes that `computeRoot` reads, left to right. */
export const nodesForRoot = (size: bigint): readonly NodeRef[] => subtreesOf({ start: 0n, end: size })

/** The nodes that `buildInclusionProof` reads. Throws as it does. */
export const nodesForInclusion = (index: bigint, size: bigint): readonly NodeRef[] =>
  inclusionRanges(index, size).flatMap(subtreesOf)

/** The nodes that `buildConsistencyProof` reads. Throws as it does. */
export const nodesForConsistency = (older: bigint, newer: bigint): readonly NodeRef[] =>
  consistencyRanges(older, newer).flatMap(subtreesOf)
