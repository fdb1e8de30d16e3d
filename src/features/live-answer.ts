// Looking at a live server: what became of it, as an answer. The one table from a reader's errors to a verdict, which `check` and
// `verify-server` share, and what else is not as it was (DESIGN 9). What a list is compared with is the caller's.
import { type ErrorCode, ToolsumError } from "../core/errors.js"
import type { SectionName } from "../core/section.js"
import type { UnknownReason } from "../core/verdict.js"
import type { ServerReading } from "../ports.js"

/** What looking at a server ended in. `read`: what the caller made of the reading. */
export type LiveAnswer<T> =
  | { readonly kind: "auth"; readonly reason: string; readonly detail: string }
  | { readonly kind: "unknown"; readonly reason: UnknownReason; readonly detail: string }
  | { readonly kind: "read"; readonly value: T }

/** Do `look`, which reads a server and makes something of what it said. Errors of the reading, and of lists that cannot be hashed or
 *  compared, are an answer; only faults of ours are thrown. */
export async function answerLive<T>(look: () => Promise<T>): Promise<LiveAnswer<T>> {
  try {
    return { kind: "read", value: await look() }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    if (error.code === "SERVER_AUTH") return { kind: "auth", reason: error.message, detail: describeWants(error) }
    return { kind: "unknown", reason: reasonOfServerError(error), detail: error.message }
  }
}

/** Why one of these lists was refused, when a credential is wanted for it; else null. What came of such a reading can show a change; where it
 *  shows none the answer is AUTH. */
export const findRefusal = (
  { failures }: Pick<ServerReading, "failures">,
  sections: readonly SectionName[],
): ToolsumError | null =>
  sections.map((section) => failures[section]).find((failure) => failure?.code === "SERVER_AUTH") ?? null

/** What a server that wants credentials asks for, when it told (`evidence.wants`, see `ToolSource`). */
function describeWants({ message, evidence }: ToolsumError): string {
  const wants = evidence?.wants
  if (wants === undefined && message.startsWith("missing: ")) return "it is not set here, so the server was not asked"
  return wants === undefined || wants === "" ? "the server wants credentials" : `the server wants credentials: ${wants}`
}

const SERVER_REASONS: Readonly<Partial<Record<ErrorCode, UnknownReason>>> = {
  TARGET_NOT_ACCEPTED: "target_not_accepted",
  TIMEOUT: "timeout",
  PROTOCOL_MALFORMED: "malformed",
  JSON_MALFORMED: "malformed",
  SURFACE_MALFORMED: "malformed",
  READING_INCOMPLETE: "incomplete",
  READING_UNSTABLE: "unstable",
  SERVER_REDIRECTED: "redirected",
  PROFILE_MISMATCH: "profile_mismatch",
  // Our own consent store; the message names it.
  STATE_CORRUPT: "malformed",
}

const reasonOfServerError = (error: ToolsumError): UnknownReason => SERVER_REASONS[error.code] ?? "server_unreachable"

/** Circumstances of a reading that a changed list may come from, in the order in which they are told. */
const CIRCUMSTANCES = ["platform", "node", "protocol", "dependencies", "integrity"] as const

/** What is not as it was when a list was read before: `node 22.1.0 instead of 20.20.2`, a phrase each; none where nothing is known to
 *  differ. `version`: that of the package then, `-` where none was known. */
export function listCircumstances(
  before: { readonly read: Readonly<Record<string, unknown>>; readonly version: string },
  { read, resolved }: Pick<ServerReading, "read" | "resolved">,
): readonly string[] {
  const { version } = resolved
  const other = version !== null && before.version !== "-" && version !== before.version
  const moved = CIRCUMSTANCES.filter((name) => {
    return before.read[name] !== undefined && read[name] !== undefined && before.read[name] !== read[name]
  })
  const phrases = moved.map((name) => {
    const [now, then] = [spellable(read[name]), spellable(before.read[name])]
    return now === null || then === null ? `other ${name}` : `${name} ${now} instead of ${then}`
  })
  return [...(other ? [`version ${version} instead of ${before.version}`] : []), ...phrases]
}

/** A value that says something to a person; a digest does not. */
const spellable = (value: unknown): string | null =>
  typeof value === "string" && !/^sha\d+[:-]/.test(value) ? value : null
