// The tree as RFC 9162 §2.1 defines it, written down once more without any code of ours: on numbers, with node:crypto, by recursion.
import { createHash } from "node:crypto"

type Bytes = Uint8Array

const sha256 = (...parts: readonly Bytes[]): Bytes => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}

/** Hash of a leaf. */
export const leafOf = (entry: Bytes): Bytes => sha256(Uint8Array.of(0), entry)
/** Hash of a node. */
export const nodeOf = (left: Bytes, right: Bytes): Bytes => sha256(Uint8Array.of(1), left, right)

const splitOf = (size: number): number => 2 ** Math.floor(Math.log2(size - 1))

/** MTH over leaf hashes. */
export function rootOf(leaves: readonly Bytes[]): Bytes {
  const [first] = leaves
  if (first === undefined) return sha256()
  if (leaves.length === 1) return first
  const k = splitOf(leaves.length)
  return nodeOf(rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)))
}

/** PATH(m, D_n). */
export function pathOf(m: number, leaves: readonly Bytes[]): Bytes[] {
  if (leaves.length === 1) return []
  const k = splitOf(leaves.length)
  return m < k
    ? [...pathOf(m, leaves.slice(0, k)), rootOf(leaves.slice(k))]
    : [...pathOf(m - k, leaves.slice(k)), rootOf(leaves.slice(0, k))]
}

/** PROOF(m, D_n). */
export const proofOf = (m: number, leaves: readonly Bytes[]): Bytes[] => subproof(m, leaves, true)

function subproof(m: number, leaves: readonly Bytes[], whole: boolean): Bytes[] {
  if (m === leaves.length) return whole ? [] : [rootOf(leaves)]
  const k = splitOf(leaves.length)
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), whole), rootOf(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), rootOf(leaves.slice(0, k))]
}

/** Root that an inclusion proof leads to, step by step as in RFC 9162 §2.1.3.2; null when it fails. */
export function rootFromInclusion(p: {
  leaf: Bytes
  index: bigint
  size: bigint
  proof: readonly Bytes[]
}): Bytes | null {
  if (p.index >= p.size) return null
  let [fn, sn, r] = [p.index, p.size - 1n, p.leaf]
  for (const sibling of p.proof) {
    if (sn === 0n) return null
    if (fn % 2n === 1n || fn === sn) {
      r = nodeOf(sibling, r)
      while (fn % 2n === 0n && fn !== 0n) [fn, sn] = [fn / 2n, sn / 2n]
    } else r = nodeOf(r, sibling)
    ;[fn, sn] = [fn / 2n, sn / 2n]
  }
  return sn === 0n ? r : null
}

/** Both roots that a consistency proof leads to, step by step as in RFC 9162 §2.1.4.2 (0 < m < n); null when it fails. */
export function rootsFromConsistency(p: {
  m: bigint
  n: bigint
  older: Bytes
  proof: readonly Bytes[]
}): [Bytes, Bytes] | null {
  const path = (p.m & (p.m - 1n)) === 0n ? [p.older, ...p.proof] : [...p.proof]
  let [fn, sn] = [p.m - 1n, p.n - 1n]
  while (fn % 2n === 1n) [fn, sn] = [fn / 2n, sn / 2n]
  const first = path.shift()
  if (p.proof.length === 0 || first === undefined) return null
  let [fr, sr] = [first, first]
  for (const c of path) {
    if (sn === 0n) return null
    if (fn % 2n === 1n || fn === sn) {
      ;[fr, sr] = [nodeOf(c, fr), nodeOf(c, sr)]
      while (fn % 2n === 0n && fn !== 0n) [fn, sn] = [fn / 2n, sn / 2n]
    } else sr = nodeOf(sr, c)
    ;[fn, sn] = [fn / 2n, sn / 2n]
  }
  return sn === 0n ? [fr, sr] : null
}
