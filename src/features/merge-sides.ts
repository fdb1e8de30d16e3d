// The two sides of a three-way merge and what they had in common: which of them brought something in, and nothing about what it is.

/** One thing on both sides of a merge and in their common ancestor. */
export interface Sides<T> {
  readonly base: T
  readonly ours: T
  readonly theirs: T
}

/** The same part of all three. */
export const mapSides = <T, U>({ base, ours, theirs }: Sides<T>, part: (value: T) => U): Sides<U> => ({
  base: part(base),
  ours: part(ours),
  theirs: part(theirs),
})

/** The value that one side, or both alike, brought in; null when both did and differently. `textOf` gives equal texts to equal values. */
export function mergeValue<T>(sides: Sides<T>, textOf: (value: T) => string): { readonly value: T } | null {
  const { base, ours, theirs } = mapSides(sides, textOf)
  if (ours === theirs || theirs === base) return { value: sides.ours }
  return ours === base ? { value: sides.theirs } : null
}

/** The member `name` of a record, null when it has none; names such as `__proto__` are names like any other. */
export const ownMember = <T>(record: Readonly<Record<string, T>>, name: string): T | null =>
  Object.hasOwn(record, name) ? (record[name] ?? null) : null

/** Every name in any of these records, sorted. */
export const namesOf = (...records: readonly Readonly<Record<string, unknown>>[]): readonly string[] =>
  [...new Set(records.flatMap((record) => Object.keys(record)))].sort()

/** The first of two in an order of texts: the same one whichever way round they come. */
export const firstByText = <T>(a: T, b: T, textOf: (value: T) => string): T => (textOf(b) < textOf(a) ? b : a)
