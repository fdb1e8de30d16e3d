// What is proven of the order of several trees of one log: which are prefixes of which, by proofs that chain, and which contradict one
// another. Two trees that are both prefixes of a third are ordered by that; two that both extend a third are not.

import { formatHex } from "../core/bytes.js"
import type { TreeHead } from "../core/merkle.js"

/** Trees and what is proven of them. */
export interface Order<T extends TreeHead> {
  /** Each once, ascending by size. */
  readonly trees: readonly T[]
  /** Trees of a size in decimal. */
  ofSize(size: string): readonly T[]
  /** Pairs of different trees of one size. */
  rivals(): readonly (readonly [T, T])[]
  /** `older` is a prefix of `newer`. */
  add(older: TreeHead, newer: TreeHead): void
  /** The two cannot be of one history. */
  contradict(a: TreeHead, b: TreeHead): void
  /** True for the same tree, and for one that proofs lead up from. The empty tree is a prefix of any. */
  isPrefix(older: TreeHead, newer: TreeHead): boolean
  /** True where it is known whether the two are of one history. */
  isSettled(a: TreeHead, b: TreeHead): boolean
}

/** Name of a tree. */
export const treeKey = ({ size, rootHash }: TreeHead): string => `${size} ${formatHex(rootHash)}`

/** An order of `trees`, of which nothing is proven yet. */
export function createOrder<T extends TreeHead>(trees: readonly T[]): Order<T> {
  const sorted = [...trees].sort((a, b) => (a.size < b.size ? -1 : a.size > b.size ? 1 : 0))
  const above = new Map<string, Set<string>>()
  const contradicted = new Map<string, Set<string>>()
  const upFrom = (tree: TreeHead): ReadonlySet<string> => {
    const reached = new Set([treeKey(tree)])
    for (const key of reached) for (const next of above.get(key) ?? []) reached.add(next) // a set yields what is added meanwhile
    return reached
  }
  const isPrefix = (older: TreeHead, newer: TreeHead) => older.size === 0n || upFrom(older).has(treeKey(newer))
  return {
    trees: sorted,
    ofSize: (size) => sorted.filter((tree) => `${tree.size}` === size),
    rivals: () =>
      sorted.flatMap((a, i) =>
        sorted
          .slice(i + 1)
          .filter(({ size }) => size === a.size)
          .map((b) => [a, b] as const),
      ),
    add: (older, newer) => addTo(above, treeKey(older), treeKey(newer)),
    contradict: (a, b) => {
      addTo(contradicted, treeKey(a), treeKey(b))
      addTo(contradicted, treeKey(b), treeKey(a))
    },
    isPrefix,
    isSettled: (a, b) =>
      isPrefix(a, b) ||
      isPrefix(b, a) ||
      contradicted.get(treeKey(a))?.has(treeKey(b)) === true ||
      meet(upFrom(a), upFrom(b)),
  }
}

const meet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => [...a].some((key) => b.has(key))

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key) ?? new Set()
  sets.set(key, set.add(value))
}
