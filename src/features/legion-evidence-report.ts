// What a LEGION evidence file says of its server, as the answer that every report has: live list beside the newest signed one.

import type { LegionEvidence } from "../core/legion/evidence.js"
import { coverTools } from "../core/legion/fingerprint.js"
import { coverageOfLegion } from "../core/legion/judge-log.js"
import type { LegionCorrection, LegionRecord } from "../core/legion/record.js"
import type { VerifiedLegionEvidence } from "../core/legion/verify-evidence.js"
import type { ServerVerdict } from "../core/verdict.js"
import { changesOfLists } from "./legion-changes.js"
import { describeDay, describeSigned } from "./log-answer.js"

/** The answer. `origin`: of the log, where its root is pinned by that name; the file does not say it. `nowSec`: POSIX seconds. */
export function judgeLegionEvidence(p: {
  evidence: LegionEvidence
  verified: VerifiedLegionEvidence
  nowSec: bigint
}): ServerVerdict {
  const { evidence, verified, nowSec } = p
  const { serverId, liveTools, newerUncovered } = evidence
  const { lists } = verified
  const origin = originOf(verified)
  return {
    ...{ name: serverId, subject: serverId, version: null },
    ...conclude(evidence, verified),
    compared: lists ? ["log", "live"] : ["log"],
    ...coverageOfLegion(verified, { origin, nowSec }),
    ...{ newest: "hint", pin: null },
    changes: lists === null || lists.status === "match" ? [] : changesOfLists(lists, textsOf(verified, liveTools)),
    warnings: newerUncovered === null || newerUncovered === 0n ? [] : [`newer_uncovered:${newerUncovered}`],
  }
}

/** Name of the log: that of its pinned root, else that root itself. */
export const originOf = ({ root, rootPin }: Pick<VerifiedLegionEvidence, "root" | "rootPin">): string =>
  root?.name ?? rootPin

/** Both lists in the form in which the log observes them, where the archive has the signed one. */
const textsOf = ({ definitions }: VerifiedLegionEvidence, liveTools: LegionEvidence["liveTools"]) =>
  definitions && liveTools && { before: definitions, after: coverTools(liveTools, "observe") }

type Conclusion = Pick<ServerVerdict, "verdict" | "reason" | "detail">

function conclude(
  { httpStatus }: LegionEvidence,
  { root, rootPin, verdict, record }: VerifiedLegionEvidence,
): Conclusion {
  const signed = describeSigned(record.leafIndex, record.observedSec)
  if (root === null) {
    const detail = `no root is pinned for this log; its keyring starts from ${rootPin}`
    return { verdict: "UNKNOWN", reason: "root_not_pinned", detail }
  }
  switch (verdict) {
    case "UNCHANGED":
      return { verdict, reason: null, detail: `as ${signed}` }
    case "CHANGED":
      return { verdict, reason: "surface", detail: `not as ${signed}` }
    case "AUTH": {
      const status = httpStatus === null ? "" : ` (${httpStatus})`
      return { verdict, reason: "refused", detail: `the server wanted credentials${status}; last list ${signed}` }
    }
    case "UNKNOWN":
      return { verdict, reason: "incomplete", detail: `no list of the server is in the file; last list ${signed}` }
  }
}

/** Earlier entries of the server, oldest first, a line each. */
export const describeHistory = ({ history }: VerifiedLegionEvidence): readonly string[] => history.map(describeEntry)

/** One entry of a log on a line: when, where, what. */
export function describeEntry(entry: LegionRecord | LegionCorrection): string {
  const place = `${describeDay(entry.observedSec)}  leaf ${entry.leafIndex}`
  if (entry.kind === "correction") return `${place}  takes back leaf ${entry.correctsLeafIndex}: ${entry.artifact}`
  const { tools, sha256 } = entry.fingerprint
  return `${place}  ${tools.size} ${tools.size === 1 ? "tool" : "tools"}  ${sha256.slice(0, 16)}…`
}
