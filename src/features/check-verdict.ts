// What `check` concludes from what pin, log and server say: one table, first row that fits (DESIGN 9). Data and one look-up; who finds
// these things out is check.ts.
import type { UnknownReason, Verdict } from "../core/verdict.js"

/** What the lockfile proves by itself. A pin that is REJECTED is not checked any further. */
export type OfflineFact = "PROVEN" | "CHANGED" | "UNKNOWN"

/** What the pin's log says. `none`: there is none to ask; `unreachable`: nothing came; `unknown`: what came decides nothing; `empty`: no
 *  record of the stream; `pinned`: the newest one has the pinned list; `newer`: it has another. */
export const LOG_FACTS = ["none", "unreachable", "unknown", "empty", "pinned", "newer"] as const
/** One of them. */
export type LogFact = (typeof LOG_FACTS)[number]

/** What the server says. `none`: it was not asked; `pinned`: the pinned list; `partial`: nothing else, as far as it came; `newest`: the list
 *  of the newest record, which is not the pinned one; `otherVersion`: the list of the newest record of another version; `otherHere`: a
 *  list that neither pin nor log has, in other circumstances than the pinned one, while others write that log too; `other`: any other. */
export const LIVE_FACTS = [
  "none",
  "auth",
  "unknown",
  "pinned",
  "partial",
  "newest",
  "otherVersion",
  "otherHere",
  "other",
] as const
/** One of them. */
export type LiveFact = (typeof LIVE_FACTS)[number]

/** All that the conclusion depends on. */
export interface CheckFacts {
  readonly offline: OfflineFact
  readonly log: LogFact
  readonly live: LiveFact
  /** True when the log alone is asked (`--log-only`), so that one that does not answer leaves nothing. */
  readonly needsLog: boolean
}

/** What the sentences speak of; a member is there whenever a fact says so. */
export interface CheckWords {
  /** `signed 2026-07-04, leaf 5120`, of the newest record of the stream. */
  readonly newest: string
  /** True for a log that others write too: what it has, others got. */
  readonly isShared: boolean
  /** `version 2.0.0, signed 2026-07-04, leaf 5120`, of the other version that the server gives. */
  readonly otherVersion: string
  readonly offline: Conclusion
  readonly log: { readonly reason: UnknownReason; readonly detail: string }
  readonly live: { readonly reason: string; readonly detail: string }
  /** Which sections were not read to their end, and why. */
  readonly partial: string
  /** What is said of a list that did not change; null: nothing. */
  readonly unchanged: string | null
}

/** An answer and its sentence. */
export interface Conclusion {
  readonly verdict: Verdict
  readonly reason: string | null
  readonly detail: string | null
}

interface Rule {
  /** Facts that must hold; one that is left out may be any. */
  readonly when: {
    readonly offline?: readonly OfflineFact[]
    readonly log?: readonly LogFact[]
    readonly live?: readonly LiveFact[]
    readonly needsLog?: boolean
  }
  readonly say: (words: CheckWords) => Conclusion
}

const changed = (sentence: (words: CheckWords) => string): Rule["say"] => {
  return (words) => ({ verdict: "CHANGED", reason: "surface", detail: sentence(words) })
}
const unknown =
  (reason: UnknownReason, sentence: (words: CheckWords) => string): Rule["say"] =>
  (words) => ({ verdict: "UNKNOWN", reason, detail: sentence(words) })

// A change survives whatever else fails; nothing but a whole reading, or a log that was read, is ever UNCHANGED.
const RULES: readonly Rule[] = [
  {
    when: { live: ["newest"] },
    say: changed(({ newest, isShared }) => `upstream changed${isShared ? " for everyone" : ""}: ${newest}`),
  },
  {
    when: { live: ["otherVersion"] },
    say: changed(({ otherVersion }) => `you are pinned to an older version; the server is ${otherVersion}`),
  },
  {
    when: { live: ["otherHere", "other"], log: ["newer"] },
    say: changed(({ newest }) => `upstream changed: ${newest}; this server gives yet another list`),
  },
  { when: { live: ["otherHere"], log: ["pinned"] }, say: changed(() => "only you get this list") },
  {
    when: { live: ["otherHere", "other"], log: ["pinned", "empty"] },
    say: changed(() => "the log has not seen this list yet"),
  },
  { when: { live: ["otherHere", "other"] }, say: changed(() => "the live list is not the pinned one") },
  {
    when: { live: ["pinned"], log: ["newer"] },
    say: changed(({ newest }) => `the log has a newer list: ${newest}; this server still gives the pinned one`),
  },
  { when: { log: ["newer"] }, say: changed(({ newest }) => `the log has a newer list: ${newest}`) },
  { when: { offline: ["CHANGED", "UNKNOWN"] }, say: ({ offline }) => offline },
  { when: { live: ["auth"] }, say: ({ live }) => ({ verdict: "AUTH", ...live }) },
  { when: { live: ["unknown"] }, say: ({ live }) => ({ verdict: "UNKNOWN", ...live }) },
  {
    when: { live: ["partial"] },
    say: unknown("incomplete", ({ partial }) => partial),
  },
  { when: { log: ["unknown"] }, say: ({ log }) => ({ verdict: "UNKNOWN", ...log }) },
  { when: { log: ["unreachable"], needsLog: true }, say: unknown("log_unreachable", ({ log }) => log.detail) },
  {
    when: { live: ["none"], log: ["empty"] },
    say: unknown("not_in_log", () => "the log's index names no record of it; --exhaustive looks at every entry"),
  },
  {
    when: { live: ["none"], log: ["none", "unreachable"] },
    say: unknown("log_unreachable", () => "neither the log nor the server was compared"),
  },
  { when: {}, say: ({ unchanged }) => ({ verdict: "UNCHANGED", reason: null, detail: unchanged }) },
]

/** The conclusion from these facts, in these words. */
export function concludeCheck(facts: CheckFacts, words: CheckWords): Conclusion {
  const fits = <T>(allowed: readonly T[] | undefined, fact: T) => allowed === undefined || allowed.includes(fact)
  const rule = RULES.find(
    ({ when }) =>
      fits(when.offline, facts.offline) &&
      fits(when.log, facts.log) &&
      fits(when.live, facts.live) &&
      (when.needsLog ?? facts.needsLog) === facts.needsLog,
  )
  if (rule === undefined) throw new Error("the last rule fits everything")
  return rule.say(words)
}
