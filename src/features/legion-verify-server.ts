// `verify-server` against a LEGION log: one server, no lockfile. Reads its tools, finds its id where nobody gave one, proves the newest record,
// and judges by the rule of LEGION's evidence, so that what `--save` keeps says the same again offline. Nothing is written here.
import type { LegionClient, ServedBundle } from "../client/legion-log.js"
import { ToolsumError } from "../core/errors.js"
import type { JsonObject, JsonValue } from "../core/json.js"
import type { ProvenDefinitions } from "../core/legion/archive.js"
import { type LegionEvidence, MAX_LEGION_HISTORY } from "../core/legion/evidence.js"
import { coverTools } from "../core/legion/fingerprint.js"
import { coverageOfLegion } from "../core/legion/judge-log.js"
import { verifyLegionEvidence } from "../core/legion/verify-evidence.js"
import type { ServerVerdict } from "../core/verdict.js"
import type { McpRegistry, ReadFinding, ServerReading } from "../ports.js"
import type { LegionState } from "./legion-check.js"
import { judgeLegionEvidence } from "./legion-evidence-report.js"
import { findBackdating } from "./legion-freshness.js"
import { type LegionHistory, readLegionHistory } from "./legion-history.js"
import { compareLegionLive, type LegionLiveList, liveListOf } from "./legion-live.js"
import { isNewest } from "./legion-newest.js"
import { findByList, findByUrl, type LegionHint } from "./legion-subject.js"
import { answerLive, type LiveAnswer } from "./live-answer.js"
import { answerLog, describeSigned } from "./log-answer.js"
import { formatInstant } from "./pins.js"

/** What to verify and where to look. */
export interface LegionVerifyInput {
  /** How the server is called in the answer where its id is not known. */
  readonly name: string
  /** Where it was read; null for a command. */
  readonly url: string | null
  /** Its id in the log; null: it is looked for. */
  readonly serverId: string | null
  /** Opened while the server is read. */
  readonly log: Promise<LegionState>
  /** Name of the log, for the answer. */
  readonly origin: string
  /** Asked which server a URL is; null: nobody is. */
  readonly registry: McpRegistry | null
  readonly read: () => Promise<ServerReading>
  /** True to read every entry of the log after the newest record (`--exhaustive`). */
  readonly exhaustive?: boolean
  /** POSIX seconds. */
  readonly nowSec: number
}

/** The answer, and what it rests on. */
export interface LegionVerified {
  readonly server: ServerVerdict
  /** What shows that the log lies: then there is no verdict on the server. */
  readonly refuted: ToolsumError | null
  readonly findings: readonly ReadFinding[]
  /** Null where no record was found. */
  readonly history: LegionHistory | null
  /** Ids that may be the server's, where several are. */
  readonly candidates: readonly string[]
  /** All of it as evidence. Throws RESOURCE_MISSING where there is no record to save, READING_INCOMPLETE for a list that was not read to its
   *  end, which LEGION's evidence cannot say. */
  readonly evidence: () => LegionEvidence
}

/** Read, look, judge. Errors of server and log become the answer; only faults of ours are thrown. */
export async function verifyLegionServer(input: LegionVerifyInput): Promise<LegionVerified> {
  const [live, state] = await Promise.all([answerLive(() => readTools(input)), input.log])
  const found = await answerLog(state, (log) => lookIntoLog(log, live, input))
  if (found.kind === "read") return found.value
  if (found.kind === "refuted") {
    const { code, message } = found.error
    return {
      ...answerWithout(input, live, { verdict: "REJECTED", reason: code, detail: message }),
      refuted: found.error,
    }
  }
  const reason = found.kind === "unreachable" ? "log_unreachable" : found.reason
  return answerWithout(input, live, { verdict: "UNKNOWN", reason, detail: found.detail })
}

interface LiveTools {
  readonly list: LegionLiveList
  readonly findings: readonly ReadFinding[]
}

async function readTools({ read }: LegionVerifyInput): Promise<LiveTools> {
  const reading = await read()
  const list = liveListOf(reading)
  coverTools(list.tools, "observe") // a list that no record can be of is none
  return { list, findings: reading.findings }
}

type Conclusion = Pick<ServerVerdict, "verdict" | "reason" | "detail">

/** The answer where no record is at hand. */
function answerWithout(
  { name, serverId, origin, nowSec }: LegionVerifyInput,
  live: LiveAnswer<LiveTools>,
  conclusion: Conclusion,
): LegionVerified {
  const server: ServerVerdict = {
    ...{ name: serverId ?? name, subject: serverId, version: null },
    ...conclusion,
    compared: live.kind === "read" ? ["live"] : [],
    ...coverageOfLegion(null, { origin, nowSec: BigInt(nowSec) }),
    ...{ newest: null, pin: null, changes: [], warnings: [] },
  }
  const evidence = () => {
    throw new ToolsumError("RESOURCE_MISSING", "there is no signed record that evidence could hold")
  }
  const findings = live.kind === "read" ? live.value.findings : []
  return { server, refuted: null, findings, history: null, candidates: [], evidence }
}

async function lookIntoLog(
  log: LegionClient,
  live: LiveAnswer<LiveTools>,
  input: LegionVerifyInput,
): Promise<LegionVerified> {
  const { ids, why } = input.serverId === null ? await findIds(log, live, input) : { ids: [input.serverId], why: null }
  const answer = await answerFor(ids, log, live, input)
  if (why === null) return answer
  const { server } = answer
  return { ...answer, server: { ...server, warnings: [...server.warnings, `registry_unavailable:${why}`] } }
}

async function answerFor(
  ids: readonly string[],
  log: LegionClient,
  live: LiveAnswer<LiveTools>,
  input: LegionVerifyInput,
): Promise<LegionVerified> {
  const [serverId] = ids
  if (serverId === undefined) return answerWithout(input, live, nobody(log, live))
  if (ids.length > 1) {
    const detail = `several servers of the log may be this one: ${ids.join(", ")}`
    const answer = answerWithout(input, live, { verdict: "UNKNOWN", reason: "ambiguous_subject", detail })
    return { ...answer, candidates: ids }
  }
  const newest = await log.latest(serverId)
  if (newest !== null) return judgeRecord(log, await fetchRest(log, newest, live, input))
  const detail = `nobody has signed a list of ${serverId} in ${log.origin}`
  const none = live.kind === "auth" ? authOf(live) : ({ verdict: "UNKNOWN", reason: "never_signed", detail } as const)
  return { ...answerWithout(input, live, none), candidates: ids }
}

const authOf = ({ reason, detail }: Extract<LiveAnswer<unknown>, { kind: "auth" }>): Conclusion => ({
  ...{ verdict: "AUTH", reason, detail },
})

/** Where nothing names the server, what reading it ended in counts, or that nobody signed its list. */
function nobody(log: LegionClient, live: LiveAnswer<LiveTools>): Conclusion {
  if (live.kind === "auth") return authOf(live)
  if (live.kind === "unknown") return { verdict: "UNKNOWN", reason: live.reason, detail: live.detail }
  const detail = `nothing says which server this is, and nobody has signed its list in ${log.origin}`
  return { verdict: "UNKNOWN", reason: "never_signed", detail }
}

/** The registry knows URLs; the log itself knows lists, but none that has changed. */
async function findIds(
  log: LegionClient,
  live: LiveAnswer<LiveTools>,
  { url, registry }: LegionVerifyInput,
): Promise<LegionHint> {
  const byUrl = registry && url !== null ? await findByUrl(registry, url) : { ids: [], why: null }
  if (byUrl.ids.length > 0 || live.kind !== "read" || live.value.list.incomplete !== null) return byUrl
  return { ids: await findByList(log, live.value.list.tools), why: byUrl.why }
}

/** Everything that there is to say of one server. */
interface Found {
  readonly input: LegionVerifyInput
  readonly live: LiveAnswer<LiveTools>
  readonly newest: ServedBundle
  readonly definitions: ProvenDefinitions | null
  readonly history: LegionHistory | null
  /** Whether every later entry of the log was read; null: that was not asked. */
  readonly scanned: boolean | null
}

/** No proofs of history are asked for: only what speaks against the newest record matters here. */
async function fetchRest(
  log: LegionClient,
  newest: ServedBundle,
  live: LiveAnswer<LiveTools>,
  input: LegionVerifyInput,
): Promise<Found> {
  const { serverId, fingerprint } = newest.record
  const definitions = await log.definitions(fingerprint)
  const history = await unlessUnreachable(readLegionHistory(log, { serverId, newest, proofs: 0 }))
  const scanned = input.exhaustive ? await isNewest(log, newest) : null
  return { input, live, newest, definitions, history, scanned }
}

/** History adds to an answer that does not need it. */
async function unlessUnreachable<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ToolsumError && error.code === "LOG_UNAVAILABLE") return null
    throw error
  }
}

function judgeRecord(log: LegionClient, found: Found): LegionVerified {
  const { input, live, newest, history } = found
  const evidence = makeEvidence(log, found)
  const verified = verifyLegionEvidence({ evidence, roots: [log.root] })
  const judged = judgeLegionEvidence({ evidence, verified, nowSec: BigInt(input.nowSec) })
  const backdated = findBackdating(newest, null)
  const { origin } = log
  const server: ServerVerdict = {
    ...judged,
    ...overrule(judged, found, backdated),
    head: judged.head && { ...judged.head, origin },
    newest: found.scanned ? "scanned" : "hint",
    ...(found.scanned ? { searched: { from: newest.record.leafIndex + 1n, size: newest.head.size } } : {}),
    warnings: [
      ...log.warnings,
      ...judged.warnings,
      ...(backdated ? [`head_backdated:${backdated}`] : []),
      ...historyWarnings(history),
      ...(found.scanned === false ? ["records_unread"] : []),
    ],
  }
  const incomplete = live.kind === "read" ? live.value.list.incomplete : null
  return {
    server,
    refuted: null,
    findings: live.kind === "read" ? live.value.findings : [],
    history,
    candidates: [newest.record.serverId],
    evidence: () => {
      if (incomplete === null) return evidence
      const why = `LEGION's evidence cannot say that a list was not read to its end: ${incomplete}`
      throw new ToolsumError("READING_INCOMPLETE", why)
    },
  }
}

/** What came as history and counts for nothing, and what did not come. */
export const historyWarnings = (history: LegionHistory | null): readonly string[] =>
  history === null
    ? ["history_unavailable"]
    : [
        ...history.ignored.map(({ leaf, why }) => `history_ignored:leaf ${leaf ?? "?"}: ${why}`),
        ...history.missing.map((leaf) => `history_missing:${leaf}`),
      ]

/** What LEGION's evidence has no words for. */
function overrule(judged: ServerVerdict, { live, newest, definitions }: Found, backdated: string | null) {
  const { record } = newest
  const signed = `last ${describeSigned(record.leafIndex, record.observedSec)}`
  if (live.kind === "auth") return { ...authOf(live), detail: `${live.detail}; ${signed}` }
  if (live.kind === "unknown") return { reason: live.reason, detail: `${live.detail}; ${signed}` }
  const { incomplete } = live.value.list
  if (incomplete !== null) {
    const { is, changes } = compareLegionLive(live.value.list, { signed: record.fingerprint, definitions })
    const compared: ServerVerdict["compared"] = ["log", "live"]
    const detail = `tools could not be read to the end: ${incomplete}`
    if (is !== "other") return { compared, reason: "incomplete", detail: `what came is what was signed, but ${detail}` }
    return { compared, changes, ...CHANGED, detail: `not as ${describeSigned(record.leafIndex, record.observedSec)}` }
  }
  return judged.verdict === "UNCHANGED" && backdated !== null
    ? { verdict: "UNKNOWN" as const, reason: "log_behind", detail: backdated }
    : {}
}

const CHANGED = { verdict: "CHANGED", reason: "surface" } as const

/** LEGION's evidence of it. A list that was not read to its end is none there. */
function makeEvidence(log: LegionClient, found: Found): LegionEvidence {
  const { input, live, newest, definitions, history } = found
  const list = live.kind === "read" && live.value.list.incomplete === null ? live.value.list : null
  const authRequired = live.kind === "auth"
  return {
    serverId: newest.record.serverId,
    url: input.url,
    fetchedAt: formatInstant(input.nowSec),
    authRequired,
    httpStatus: authRequired ? (live.reason === "insufficient_scope" ? 403 : 401) : null,
    liveTools: list && observedTools(list, newest, definitions),
    bundle: newest.bundle,
    keyring: log.keyringText,
    history: history?.entries.slice(-MAX_LEGION_HISTORY).map(({ entry }) => entry.document) ?? null,
    signedTools: definitions && Object.fromEntries(definitions),
    newerUncovered: newest.bundle.newerUncovered ?? 0n,
  }
}

/** The tools as the log observes them. A list that is the signed one but for how its numbers were spelled, which a reading does not keep, is
 *  spelled as signed. */
function observedTools(
  list: LegionLiveList,
  { record }: ServedBundle,
  definitions: ProvenDefinitions | null,
): readonly JsonValue[] {
  const isSigned = compareLegionLive(list, { signed: record.fingerprint, definitions }).is === "same"
  const tools = isSigned && definitions ? definitions : coverTools(list.tools, "observe")
  return [...tools.values()].map(inWrittenOrder)
}

const inWrittenOrder = ({ name = "", description = "", inputSchema = {} }: JsonObject): JsonObject => ({
  ...{ name, description, inputSchema },
})
