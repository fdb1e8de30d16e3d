// What a rule found in one text, before anybody knows where the text stands.
import type { Severity } from "../../core/severity.js"
import type { Finding } from "../finding.js"

/** A finding without its place. */
export type Hit = Pick<Finding, "rule" | "severity" | "message" | "decoded">

/** Most characters of a text that are looked at. Of longer ones `oversized-text` says that the rest was not read. */
export const MAX_READ_CHARS = 100_000
/** Most characters shown of what was decoded. */
export const MAX_DECODED_CHARS = 2_000

/** The hit, with what was decoded where that is more than nothing. */
export const hit = (rule: string, severity: Severity, message: string, decoded: string | null = null): Hit =>
  decoded === null || decoded === ""
    ? { rule, severity, message }
    : { rule, severity, message, decoded: decoded.slice(0, MAX_DECODED_CHARS) }

/** `3 times`, for messages. */
export const times = (count: number): string => (count === 1 ? "once" : `${count} times`)
