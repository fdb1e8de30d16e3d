// The one error type. Programs switch on `code`, people read `message`; the kind alone decides the exit code (DESIGN 9).
// Messages are lower case without a full stop and say what was expected and what came; quote untrusted text with `quote`.

/** Why something could not be done. `rejected` means that evidence says no; everything else could not be checked. */
export type ErrorKind = "unavailable" | "malformed" | "rejected" | "usage" | "refused"

/** Stable codes and their kind. A code is a promise: it is never renamed and never changes its kind. */
export const ERROR_KINDS = {
  // unreadable input
  JSON_MALFORMED: "malformed",
  SURFACE_MALFORMED: "malformed",
  MASK_MALFORMED: "malformed",
  RECORD_MALFORMED: "malformed",
  TARGET_MALFORMED: "malformed",
  KEY_MALFORMED: "malformed",
  NOTE_MALFORMED: "malformed",
  CHECKPOINT_MALFORMED: "malformed",
  COSIGNATURE_MALFORMED: "malformed",
  POLICY_MALFORMED: "malformed",
  TILE_MALFORMED: "malformed",
  PROOF_MALFORMED: "malformed",
  KEYRING_MALFORMED: "malformed",
  INDEX_MALFORMED: "malformed",
  COMMIT_MALFORMED: "malformed",
  LOCKFILE_MALFORMED: "malformed",
  DEFINITIONS_MALFORMED: "malformed",
  EVIDENCE_MALFORMED: "malformed",
  PROTOCOL_MALFORMED: "malformed",
  STATE_CORRUPT: "malformed",
  // evidence says no
  SIGNATURE_INVALID: "rejected",
  INCLUSION_INVALID: "rejected",
  CONSISTENCY_INVALID: "rejected",
  HASH_MISMATCH: "rejected",
  ORIGIN_MISMATCH: "rejected",
  ROOT_MISMATCH: "rejected",
  KEY_LOW_ORDER: "rejected",
  KEYRING_INVALID: "rejected",
  KEY_NOT_VALID_AT_SIZE: "rejected",
  QUORUM_NOT_MET: "rejected",
  RECORD_INVALID: "rejected",
  EVIDENCE_INVALID: "rejected",
  LOG_INCONSISTENT: "rejected",
  LOG_ROLLBACK: "rejected",
  // could not check
  LOG_UNAVAILABLE: "unavailable",
  LOG_BEHIND: "unavailable",
  LOG_BUSY: "unavailable",
  LOG_CLOSED: "unavailable",
  LOG_REFUSED: "unavailable",
  RESOURCE_MISSING: "unavailable",
  HEAD_UNPROVEN: "unavailable",
  SERVER_UNREACHABLE: "unavailable",
  SERVER_AUTH: "unavailable",
  SERVER_REDIRECTED: "unavailable",
  READING_INCOMPLETE: "unavailable",
  READING_UNSTABLE: "unavailable",
  PROFILE_MISMATCH: "unavailable",
  TARGET_NOT_ACCEPTED: "unavailable",
  ROOT_NOT_PINNED: "unavailable",
  SUBJECT_PRIVATE: "unavailable",
  TIMEOUT: "unavailable",
  IO_FAILED: "unavailable",
  // caller's mistake
  USAGE: "usage",
  CONFIG_INVALID: "usage",
  FILE_MISSING: "usage",
  FILE_EXISTS: "usage",
  NO_PINS: "usage",
  NOT_PINNED: "usage",
  MERGE_CONFLICT: "usage",
} as const satisfies Record<string, ErrorKind>

/** A stable error code. */
export type ErrorCode = keyof typeof ERROR_KINDS

/** The one error type of this package. `evidence` carries what lets somebody else judge a rejection (raw notes, proofs). */
export class ToolsumError extends Error {
  override readonly name = "ToolsumError"
  readonly code: ErrorCode
  readonly kind: ErrorKind
  readonly evidence: Readonly<Record<string, string>> | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; evidence?: Readonly<Record<string, string>> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.kind = ERROR_KINDS[code]
    this.evidence = options.evidence
  }
}

/** The value, or the ToolsumError thrown instead of it: only for judging many logs or pins side by side. */
export function attempt<T>(work: () => T): T | ToolsumError {
  try {
    return work()
  } catch (error) {
    if (error instanceof ToolsumError) return error
    throw error
  }
}

/** The same for work that takes time. */
export async function attemptAsync<T>(work: () => Promise<T>): Promise<T | ToolsumError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolsumError) return error
    throw error
  }
}

/** Makes the error of a parser: `parseDecimal(text, bad)` lets the format that is being read choose the code. */
export type Bad = (why: string) => ToolsumError

/** Untrusted text for a message: JSON quoted, clipped to `max` code points, control and invisible characters escaped. */
export function quote(untrusted: string, max = 80): string {
  const head = untrusted.slice(0, max * 2)
  const points = [...head]
  const clipped = points.length > max || head.length < untrusted.length
  return `${escapeInvisible(JSON.stringify(points.slice(0, max).join("")))}${clipped ? "…" : ""}`
}

// Control, format, private, unassigned; separators but the space; default ignorable (fillers, variation selectors, tags); blank Braille.
const INVISIBLE = "(?! )[\\p{C}\\p{Z}\\p{DI}\\u2800]"
let invisible: RegExp | undefined

// Most text is, and then the expression above is not even made: its tables cost a millisecond, as a literal at every start.
const VISIBLE_ASCII = /^[ -~]*$/

/** Replaces every control, format, bidi, separator, surrogate, private-use, unassigned and ignorable character with a `\u` escape. */
export function escapeInvisible(text: string): string {
  if (VISIBLE_ASCII.test(text)) return text
  invisible ??= new RegExp(INVISIBLE, "gu")
  return text.replace(invisible, escapeUnits)
}

/** A character as `\u` escapes of its UTF-16 units. */
export const escapeUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("")
