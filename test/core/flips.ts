// Which bits are flipped.

/** One bit of a file. */
export interface Flip {
  readonly at: number
  readonly bit: number
}

/** One bit, always another one, of every `n`th byte. */
export const everyNth = (bytes: Uint8Array, n: number): readonly Flip[] =>
  Array.from({ length: Math.ceil(bytes.length / n) }, (_, i) => ({ at: n * i, bit: (5 * i + (i >> 3)) & 7 }))

/** Every bit. */
export const everyBit = (bytes: Uint8Array): readonly Flip[] =>
  Array.from({ length: 8 * bytes.length }, (_, i) => ({ at: i >> 3, bit: i & 7 }))

/** A copy with that bit flipped. */
export function flipped(bytes: Uint8Array, { at, bit }: Flip): Uint8Array {
  const copy = bytes.slice()
  copy[at] = (copy[at] ?? 0) ^ (1 << bit)
  return copy
}
