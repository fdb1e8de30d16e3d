// The Retry-After header of an answer (RFC 9110 §10.2.3).

/** Milliseconds to wait by a Retry-After header, in seconds or as an HTTP date; null for anything else, which counts as absent. */
export function parseRetryAfter(value: string | readonly string[] | undefined): number | null {
  if (typeof value !== "string") return null
  if (/^[0-9]{1,9}$/.test(value)) return Number(value) * 1000
  // A date starts with a day of the week; the reader of dates takes `-5` for a year.
  const atMs = /^[A-Z][a-z]/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now())
}
