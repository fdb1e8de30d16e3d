// Which changes of a diff a meaning accounts for: those at its places, in them, and those that name a whole which holds them.

/** Changes of a diff by pointer, and which of them are accounted for. */
export interface Cover {
  /** The changes at, below and above these places. */
  covered(places: readonly string[]): readonly string[]
  /** Those that no call of `covered` has named yet. */
  left(): readonly string[]
}

/** `pointers`: those of the changes, none within another. */
export function createCover(pointers: readonly string[]): Cover {
  const all = [...new Set(pointers)]
  const known = new Set(all)
  const sorted = [...all].sort()
  const named = new Set<string>()
  const coveredBy = (place: string): readonly string[] => [...above(place, known), ...below(place, sorted)]
  return {
    covered(places) {
      const found = [...new Set(places.flatMap(coveredBy))]
      for (const pointer of found) named.add(pointer)
      return found
    },
    left: () => all.filter((pointer) => !named.has(pointer)),
  }
}

/** The pointers at and above a place. */
function above(place: string, known: ReadonlySet<string>): readonly string[] {
  const found: string[] = []
  for (let end = place.length; end >= 0; end = end === 0 ? -1 : place.lastIndexOf("/", end - 1)) {
    const pointer = place.slice(0, end)
    if (known.has(pointer)) found.push(pointer)
  }
  return found
}

/** The pointers below a place, which stand together in order. */
function below(place: string, sorted: readonly string[]): readonly string[] {
  const prefix = `${place}/`
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? "") < prefix) low = middle + 1
    else high = middle
  }
  const found: string[] = []
  for (let i = low; sorted[i]?.startsWith(prefix); i++) found.push(sorted[i] ?? "")
  return found
}
