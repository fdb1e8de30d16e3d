// Entries that an audit has not read: those before the head that it started from, and those of bundles that the log does not have. What a
// record says about such an entry can be neither confirmed nor refuted.

/** Ranges of entries, ascending. */
export class UnreadEntries {
  readonly #ranges: { from: number; to: number }[] = []

  /** Add entries `from` up to, not including, `to`; none before those added earlier. */
  add(from: number, to: number): void {
    const last = this.#ranges.at(-1)
    if (to <= from) return
    if (last?.to === from) last.to = to
    else this.#ranges.push({ from, to })
  }

  /** Number of entries. */
  get count(): number {
    return this.#ranges.reduce((sum, { from, to }) => sum + (to - from), 0)
  }

  has(index: bigint): boolean {
    return this.#ranges.some(({ from, to }) => index >= BigInt(from) && index < BigInt(to))
  }
}
