// Seeded pseudo-random numbers for the mutators: the same seed, the same changes.

/** A source of numbers: an integer from 0 to `n` - 1; 0 when `n` is 0. */
export type Random = (n: number) => number

/** Numbers of mulberry32; `seed` is taken modulo 2^32. Numbers of a linear generator would not do: of bits that depend on each other, such as
 *  which change, where and which bit, some combinations never come. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0
    const mixed = Math.imul(state ^ (state >>> 15), state | 1)
    const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61))
    return Math.floor((((more ^ (more >>> 14)) >>> 0) / 2 ** 32) * n)
  }
}

/** One of `items`, or `otherwise` where there is none. */
export const pick = <T>(random: Random, items: ArrayLike<T>, otherwise: T): T =>
  items[random(items.length)] ?? otherwise
