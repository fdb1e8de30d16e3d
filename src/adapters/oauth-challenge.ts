// Reads a WWW-Authenticate header (RFC 9110 §11.6.1, RFC 6750 §3, RFC 9728 §5.1): what a server says of the credential that it wants.
// Lenient where servers are: what cannot be read is left out. Pure.

/** What the first Bearer challenge of a header says, or its first challenge of any kind; null for what it does not say. */
export interface Challenge {
  /** Lower case, such as `bearer`. */
  readonly scheme: string
  /** Such as `invalid_token` or `insufficient_scope`. */
  readonly error: string | null
  readonly description: string | null
  readonly scope: string | null
  /** Where the server says its RFC 9728 metadata is; untrusted. */
  readonly resourceMetadata: string | null
}

const MAX_HEADER_CHARS = 8192
/** Longer values are left out. */
const MAX_VALUE_CHARS = 2048

// A parameter, or the name of a scheme that begins a challenge.
const PIECE =
  /([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|([!#$%&'*+.^_`|~0-9A-Za-z-]+)/g

/** Read a header, several lines joined by commas; null where there is no challenge in it. */
export function parseChallenge(header: string | null): Challenge | null {
  const challenges = splitChallenges((header ?? "").slice(0, MAX_HEADER_CHARS))
  const chosen = challenges.find(({ scheme }) => scheme === "bearer") ?? challenges[0]
  if (chosen === undefined) return null
  const value = (name: string) => chosen.values.get(name) ?? null
  return {
    scheme: chosen.scheme,
    error: value("error"),
    description: value("error_description"),
    scope: value("scope"),
    resourceMetadata: value("resource_metadata"),
  }
}

function splitChallenges(header: string): readonly { scheme: string; values: Map<string, string> }[] {
  const challenges: { scheme: string; values: Map<string, string> }[] = []
  for (const [, name, quoted, bare, scheme] of header.matchAll(PIECE)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), values: new Map() })
    const values = challenges.at(-1)?.values
    const value = quoted?.replace(/\\(.)/g, "$1") ?? bare ?? ""
    const key = name?.toLowerCase()
    if (key !== undefined && values && !values.has(key) && value.length <= MAX_VALUE_CHARS) values.set(key, value)
  }
  return challenges
}
