// The Retry-After header of an answer (RFC 9110 §10.2.3).

/** Milliseconds to wait by a Retry-After header, in seconds or as an HTTP date; null for anything else, which counts as absent. */
export function parseRetryAfter(value: string | readonly string[] | undefined): number | null {
  if (typeof value !== "string") return null
  if (/^[0-9]{1,9}$/.test(value)) return Number(value) * 1000
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now())
}
