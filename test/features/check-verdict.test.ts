// The decision table of `check`, by exhaustion: every combination of facts has one answer, and the answers keep the promises of DESIGN 9.
import { describe, expect, test } from "vitest"
import {
  type CheckFacts,
  type CheckWords,
  concludeCheck,
  LIVE_FACTS,
  type LiveFact,
  LOG_FACTS,
  type LogFact,
  type OfflineFact,
} from "../../src/features/check-verdict.js"

const OFFLINE: readonly OfflineFact[] = ["PROVEN", "CHANGED", "UNKNOWN"]

const wordsOf = (offline: OfflineFact): CheckWords => ({
  newest: "NEWEST",
  isShared: true,
  otherVersion: "VERSION",
  offline: { verdict: offline, reason: "offline", detail: "OFFLINE" },
  log: { reason: "log_behind", detail: "LOG" },
  live: { reason: "live", detail: "LIVE" },
  partial: "tools could not be read to the end: page 2",
  unchanged: null,
})

const ALL: readonly CheckFacts[] = OFFLINE.flatMap((offline) =>
  LOG_FACTS.flatMap((log) =>
    LIVE_FACTS.flatMap((live) => [false, true].map((needsLog) => ({ offline, log, live, needsLog }))),
  ),
)

const conclude = (facts: CheckFacts) => concludeCheck(facts, wordsOf(facts.offline))
const differs = (live: LiveFact) => ["newest", "otherVersion", "otherHere", "other"].includes(live)

test("every combination of facts, for a pin that is proven", () => {
  const row = (log: LogFact) =>
    LIVE_FACTS.map((live) => {
      const { verdict, reason } = conclude({ offline: "PROVEN", log, live, needsLog: live === "none" })
      return reason === null || reason === "surface" ? verdict : `${verdict}(${reason})`
    }).join(" ")
  expect(Object.fromEntries(LOG_FACTS.map((log) => [log, row(log)]))).toEqual({
    none: "UNKNOWN(log_unreachable) AUTH(live) UNKNOWN(live) UNCHANGED UNKNOWN(incomplete) CHANGED CHANGED CHANGED CHANGED",
    unreachable:
      "UNKNOWN(log_unreachable) AUTH(live) UNKNOWN(live) UNCHANGED UNKNOWN(incomplete) CHANGED CHANGED CHANGED CHANGED",
    unknown:
      "UNKNOWN(log_behind) AUTH(live) UNKNOWN(live) UNKNOWN(log_behind) UNKNOWN(incomplete) CHANGED CHANGED CHANGED CHANGED",
    empty: "UNKNOWN(not_in_log) AUTH(live) UNKNOWN(live) UNCHANGED UNKNOWN(incomplete) CHANGED CHANGED CHANGED CHANGED",
    pinned: "UNCHANGED AUTH(live) UNKNOWN(live) UNCHANGED UNKNOWN(incomplete) CHANGED CHANGED CHANGED CHANGED",
    newer: "CHANGED CHANGED CHANGED CHANGED CHANGED CHANGED CHANGED CHANGED CHANGED",
  })
})

describe("promises, in every combination", () => {
  test.each(ALL)("$offline, log $log, live $live, needs the log: $needsLog", (facts) => {
    const { offline, log, live, needsLog } = facts
    const { verdict, reason } = conclude(facts)
    // A change survives whatever fails besides.
    if (differs(live) || log === "newer") expect([verdict, reason]).toEqual(["CHANGED", "surface"])
    else if (offline !== "PROVEN") expect([verdict, reason]).toEqual([offline, "offline"])
    if (verdict === "UNCHANGED") {
      expect(offline).toBe("PROVEN")
      expect(["pinned", "none"]).toContain(live)
      if (live === "none") expect(log).toBe("pinned")
      expect(["unknown", "newer"]).not.toContain(log)
      if (needsLog) expect(log).not.toBe("unreachable")
    }
    if (verdict === "AUTH") expect(live).toBe("auth")
  })
})

test.each<[Partial<CheckFacts>, string]>([
  [{ live: "newest", log: "newer" }, "upstream changed for everyone: NEWEST"],
  [{ live: "otherVersion", log: "pinned" }, "you are pinned to an older version; the server is VERSION"],
  [{ live: "otherVersion", log: "newer" }, "you are pinned to an older version; the server is VERSION"],
  [{ live: "otherHere", log: "pinned" }, "only you get this list"],
  [{ live: "other", log: "pinned" }, "the log has not seen this list yet"],
  [{ live: "otherHere", log: "empty" }, "the log has not seen this list yet"],
  [{ live: "other", log: "newer" }, "upstream changed: NEWEST; this server gives yet another list"],
  [{ live: "otherHere", log: "unreachable" }, "the live list is not the pinned one"],
  [{ live: "other", log: "none" }, "the live list is not the pinned one"],
  [{ live: "pinned", log: "newer" }, "the log has a newer list: NEWEST; this server still gives the pinned one"],
  [{ live: "none", log: "newer", needsLog: true }, "the log has a newer list: NEWEST"],
  [{ live: "partial", log: "pinned" }, "tools could not be read to the end: page 2"],
  [{ live: "pinned", log: "unknown" }, "LOG"],
  [{ live: "none", log: "unreachable", needsLog: true }, "LOG"],
  [{ live: "none", log: "none" }, "neither the log nor the server was compared"],
  [
    { live: "none", log: "empty", needsLog: true },
    "the log's index names no record of it; --exhaustive looks at every entry",
  ],
  [{ live: "auth", log: "pinned" }, "LIVE"],
])("the sentence of %j", (given, sentence) => {
  const facts: CheckFacts = { offline: "PROVEN", log: "pinned", live: "pinned", needsLog: false, ...given }
  expect(conclude(facts).detail).toBe(sentence)
})

test("a personal log knows of nobody else", () => {
  const facts: CheckFacts = { offline: "PROVEN", log: "newer", live: "newest", needsLog: false }
  expect(concludeCheck(facts, { ...wordsOf("PROVEN"), isShared: false }).detail).toBe("upstream changed: NEWEST")
})
