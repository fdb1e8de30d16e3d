// Asking a log: what became of it, as an answer. The one table from a log's errors to a verdict, which `check` and `verify-server`
// share (DESIGN 8 and 9). What is looked for in a log is the caller's.
import type { LogClient } from "../client/open-log.js"
import type { FoundRecord } from "../client/streams.js"
import { type ErrorCode, ToolsumError } from "../core/errors.js"
import type { UnknownReason } from "../core/verdict.js"

/** A log: open, or why it is not. LOG_UNAVAILABLE and TIMEOUT: nothing came from it, and no more than that. */
export type LogState = LogClient | ToolsumError

/** What asking a log ended in. `unreachable`: nothing came from it; `refuted`: what came contradicts itself or what was seen before. */
export type LogAnswer<T> =
  | { readonly kind: "unreachable"; readonly detail: string }
  | { readonly kind: "unknown"; readonly reason: UnknownReason; readonly detail: string }
  | { readonly kind: "refuted"; readonly error: ToolsumError }
  | { readonly kind: "read"; readonly value: T }

/** Ask an open log, of either dialect. Its errors are an answer; only faults of ours are thrown. */
export async function answerLog<L, T>(log: L | ToolsumError, ask: (log: L) => Promise<T>): Promise<LogAnswer<T>> {
  try {
    if (log instanceof ToolsumError) throw log
    return { kind: "read", value: await ask(log) }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    if (error.kind === "rejected") return { kind: "refuted", error }
    if (UNREACHABLE.includes(error.code)) return { kind: "unreachable", detail: error.message }
    return { kind: "unknown", reason: reasonOfLogError(error), detail: error.message }
  }
}

/** Nothing came from the log: what is known without it can still be an answer. Whatever did come must be in order. */
const UNREACHABLE: readonly ErrorCode[] = ["LOG_UNAVAILABLE", "TIMEOUT"]

const LOG_REASONS: Readonly<Partial<Record<ErrorCode, UnknownReason>>> = {
  LOG_BEHIND: "log_behind",
  // Bytes are missing that would prove or refute what the log serves (DESIGN 8).
  HEAD_UNPROVEN: "incomplete",
  RESOURCE_MISSING: "incomplete",
  ROOT_NOT_PINNED: "root_not_pinned",
  TARGET_NOT_ACCEPTED: "target_not_accepted",
  SUBJECT_PRIVATE: "private",
}

const reasonOfLogError = ({ code, kind }: ToolsumError): UnknownReason =>
  LOG_REASONS[code] ?? (kind === "malformed" ? "malformed" : "log_unreachable")

/** Origins of the logs that `init` makes: one account writes such a log, and nobody else (DESIGN 6). */
const PERSONAL = "toolsum.local/"

/** True for somebody's personal log, which knows of nobody else's readings. */
export const isPersonalLog = (origin: string): boolean => origin.startsWith(PERSONAL)

/** `signed 2026-07-04, leaf 5120`. */
export const describeSigned = (index: bigint, observedSec: bigint): string =>
  `signed ${describeDay(observedSec)}, leaf ${index}`

/** The same for a record that was found. */
export const signedAt = ({ record, index }: FoundRecord): string => describeSigned(index, record.observed)

/** The day of a record's time, which is what its observer says. */
export function describeDay(sec: bigint): string {
  const date = new Date(Number(sec) * 1000)
  return Number.isNaN(date.getTime()) ? "at an unreadable time" : date.toISOString().slice(0, 10)
}
