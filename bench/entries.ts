// The log that the figures are about, as ../shared/bench describes it.

/** Its origin. */
export const ORIGIN = "log.test/bench"

/** Entry i: 200 bytes, i as 4 bytes little-endian, then 4, 5 … 199. */
export function entryAt(i: number): Uint8Array {
  const entry = Uint8Array.from({ length: 200 }, (_, at) => at)
  new DataView(entry.buffer).setUint32(0, i, true)
  return entry
}
