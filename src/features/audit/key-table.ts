// A table of 16-byte keys with values of one size: open addressing over rows in large chunks, so that a million streams are a few arrays and
// no objects. Keys are the first half of a SHA-256: nobody finds two that collide (2^64 hashes), so a found key is the key that was meant.
// Rows keep the order in which they were added, and are written to the audit state as they lie in memory, little endian.

/** Bytes of a key. */
export const KEY_BYTES = 16
const KEY_WORDS = KEY_BYTES / 4
/** Rows of a chunk: what `parts` gives at a time. */
export const ROWS_PER_CHUNK = 16_384
const MIN_SLOTS = 1024

interface Chunk {
  readonly bytes: Uint8Array
  readonly view: DataView
}

/** Where the value of a row lies. */
export interface Place {
  readonly bytes: Uint8Array
  readonly view: DataView
  /** Offset of the value in both. */
  readonly at: number
}

/** Rows of a key and a value of `valueBytes` bytes each. */
export class KeyTable {
  readonly #rowBytes: number
  readonly #chunks: Chunk[] = []
  #slots = new Int32Array(MIN_SLOTS)
  #size = 0

  constructor(valueBytes: number) {
    this.#rowBytes = KEY_BYTES + valueBytes
  }

  /** Number of rows. */
  get size(): number {
    return this.#size
  }

  /** Row of the key that `key` starts with, or -1. */
  find(key: Uint8Array): number {
    const words = wordsOf(key)
    for (let slot = this.#slotOf(words[0]); ; slot = (slot + 1) & (this.#slots.length - 1)) {
      const row = (this.#slots[slot] ?? 0) - 1
      if (row < 0 || this.#hasKey(row, words)) return row
    }
  }

  /** Add a key that is not there, its value all zero; returns its row. */
  add(key: Uint8Array): number {
    const row = this.#size++
    if (row % ROWS_PER_CHUNK === 0) this.#chunks.push(makeChunk(new Uint8Array(ROWS_PER_CHUNK * this.#rowBytes)))
    const { bytes, at } = this.#rowAt(row)
    bytes.set(key.subarray(0, KEY_BYTES), at)
    if (this.#size * 3 > this.#slots.length * 2) this.#grow(2 * this.#slots.length)
    else this.#place(row)
    return row
  }

  /** The value of a row. */
  value(row: number): Place {
    const { bytes, view, at } = this.#rowAt(row)
    return { bytes, view, at: at + KEY_BYTES }
  }

  /** All rows as bytes, in parts that are views of the table. */
  parts(): readonly Uint8Array[] {
    return this.#chunks.map(({ bytes }, i) =>
      bytes.subarray(0, Math.min(ROWS_PER_CHUNK, this.#size - i * ROWS_PER_CHUNK) * this.#rowBytes),
    )
  }

  /** Take over rows as `parts` gave them. The table must be empty. */
  load(parts: readonly Uint8Array[]): void {
    for (const rows of parts) {
      const bytes = new Uint8Array(ROWS_PER_CHUNK * this.#rowBytes)
      bytes.set(rows)
      this.#chunks.push(makeChunk(bytes))
      this.#size += rows.length / this.#rowBytes
    }
    let slots = MIN_SLOTS
    while (this.#size * 3 > slots * 2) slots *= 2
    this.#grow(slots)
  }

  #rowAt(row: number): Place {
    const chunk = this.#chunks[Math.floor(row / ROWS_PER_CHUNK)]
    if (chunk === undefined) throw new RangeError(`no row ${row} in a table of ${this.#size}`)
    return { ...chunk, at: (row % ROWS_PER_CHUNK) * this.#rowBytes }
  }

  #slotOf(word: number): number {
    return (Math.imul(word, 0x9e3779b1) >>> 0) & (this.#slots.length - 1)
  }

  #hasKey(row: number, words: Words): boolean {
    const { view, at } = this.#rowAt(row)
    for (let i = 0; i < KEY_WORDS; i++) if (view.getUint32(at + 4 * i, true) !== words[i]) return false
    return true
  }

  #place(row: number): void {
    const { view, at } = this.#rowAt(row)
    let slot = this.#slotOf(view.getUint32(at, true))
    while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1)
    this.#slots[slot] = row + 1
  }

  #grow(slots: number): void {
    this.#slots = new Int32Array(slots)
    for (let row = 0; row < this.#size; row++) this.#place(row)
  }
}

type Words = readonly [number, number, number, number]

const wordsOf = (key: Uint8Array): Words => [wordAt(key, 0), wordAt(key, 4), wordAt(key, 8), wordAt(key, 12)]

const wordAt = (key: Uint8Array, at: number): number =>
  ((key[at] ?? 0) | ((key[at + 1] ?? 0) << 8) | ((key[at + 2] ?? 0) << 16) | ((key[at + 3] ?? 0) << 24)) >>> 0

const makeChunk = (bytes: Uint8Array): Chunk => ({ bytes, view: new DataView(bytes.buffer) })
