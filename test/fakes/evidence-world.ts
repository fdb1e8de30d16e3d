// A server as data, logs in memory, and what verify-server makes of them: for tests of its answer and of the evidence that it keeps.
import { openLogClient } from "../../src/client/open-log.js"
import { ToolsumError } from "../../src/core/errors.js"
import { computeTextDigest } from "../../src/core/hash.js"
import type { Observation } from "../../src/core/record.js"
import { computeSurface } from "../../src/core/section.js"
import type { ServerEvidence } from "../../src/core/server-evidence.js"
import type { Target } from "../../src/core/target.js"
import { profileOf } from "../../src/features/profile.js"
import { type AskedLog, chooseSubject, type VerifiedServer, verifyServer } from "../../src/features/verify-server.js"
import type { ServerReading } from "../../src/ports.js"
import { HostileLog } from "./hostile-log.js"
import { MemoryState } from "./memory-state.js"
import { observedOf, readingOf, TARGET } from "./readings.js"

/** 2026-12-01T00:00:00Z. */
export const NOW = 1_796_083_200

const tool = (name: string, description = `Does ${name}.`) => ({ name, description, inputSchema: { type: "object" } })
/** A list, the same with a changed word, and one more. */
export const LISTS = {
  one: { tools: [tool("a"), tool("b")], instructions: "Use it.", serverInfo: { name: "notes", version: "1" } },
  changed: { tools: [tool("a", "Does more."), tool("b")], instructions: "Use it.", serverInfo: { name: "notes" } },
  other: { tools: [tool("a"), tool("b"), tool("c")], instructions: "Use it.", serverInfo: { name: "notes" } },
} as const

/** What a log has: a list, and what of its stream is not that of the target. */
export interface Signed extends Partial<Observation> {
  readonly lists: object
}

/** Options of a case. */
export interface ServerCase {
  readonly target?: Target
  readonly subject?: string
  /** What the server says, or why it says nothing. */
  readonly live?: object | ServerReading | ToolsumError
  /** Records of each log, in order; an error: it cannot be opened. */
  readonly logs?: readonly (readonly Signed[] | HostileLog | ToolsumError)[]
  /** True to look at every entry. */
  readonly exhaustive?: boolean
  /** True where the logs keep all texts; else section texts only. */
  readonly archive?: boolean
}

/** A log with these records, signed two days before NOW and later, a second after one another. */
export function makeSignedLog(
  records: readonly Signed[],
  {
    target = TARGET,
    origin = "log.example/test",
    archive = false,
  }: { target?: Target; origin?: string; archive?: boolean } = {},
): HostileLog {
  const log = new HostileLog(origin)
  log.append("another entry")
  records.forEach(({ lists, ...over }, i) => {
    const { observation, surface } = observedOf(readingOf(lists), { target })
    log.record({ ...observation, observer: "ci.example.com", observed: BigInt(NOW - 172_800 + i), ...over })
    const sections = Object.values(computeSurface(readingOf(lists).surface, ["tools", "prompts", "templates"]).sections)
    for (const text of archive ? surface.archive : sections.map((section) => section.text)) log.archive(text)
  })
  return log
}

/** The logs of a case, each of its own origin. */
export const logsOf = ({ logs = [[{ lists: LISTS.one }]], target = TARGET, archive = true }: ServerCase) =>
  logs.map((log, i) =>
    log instanceof HostileLog || log instanceof ToolsumError
      ? log
      : makeSignedLog(log, { target, archive, origin: i === 0 ? "log.example/test" : `log${i + 1}.example/test` }),
  )

/** Verify a server. */
export async function verifyCase(c: ServerCase, logs = logsOf(c)): Promise<VerifiedServer> {
  const { target = TARGET, live = LISTS.one } = c
  return verifyServer({
    target,
    subject: chooseSubject(target, c.subject ?? null),
    profile: profileOf(target, []),
    sections: ["tools", "prompts", "templates"],
    nowSec: NOW,
    exhaustive: c.exhaustive ?? false,
    read: async () => {
      if (live instanceof ToolsumError) throw live
      return "surface" in live ? (live as ServerReading) : readingOf(live, { read: { node: "20.20.2" } })
    },
    logs: Promise.all(logs.map(openCase)),
  })
}

async function openCase(log: HostileLog | ToolsumError): Promise<AskedLog> {
  if (log instanceof ToolsumError) return { name: "log.example/gone", state: log }
  const state = await openLogClient({
    source: log,
    roots: [log.root],
    state: new MemoryState(),
    clock: () => NOW,
  }).catch((error: unknown) => {
    if (error instanceof ToolsumError) return error
    throw error
  })
  return { name: log.origin, state }
}

/** The answer of a case that has one. */
export async function answerCase(c: ServerCase) {
  const verified = await verifyCase(c)
  if (verified.kind === "refuted") throw verified.error
  return verified
}

/** The evidence of a case, and the roots that prove it. */
export async function evidenceOf(
  c: ServerCase,
): Promise<{ evidence: ServerEvidence; roots: readonly HostileLog["root"][] }> {
  const logs = logsOf(c)
  const verified = await verifyCase(c, logs)
  if (verified.kind === "refuted") throw verified.error
  return {
    evidence: await verified.evidence(),
    roots: logs.flatMap((log) => (log instanceof HostileLog ? [log.root] : [])),
  }
}

/** A reading that stopped in its list of tools. */
export const partOf = (lists: object): ServerReading =>
  readingOf(lists, { failures: { tools: new ToolsumError("READING_INCOMPLETE", "page 2 is missing") } })

/** A reading whose list of tools wants a credential from some page on. */
const refusedPartOf = (lists: object): ServerReading =>
  readingOf(lists, { failures: { tools: new ToolsumError("SERVER_AUTH", "refused") } })

/** Every kind of answer that verify-server gives, with what it rests on. */
export const CASES: Readonly<Record<string, ServerCase & { says: string }>> = {
  "the same list": { says: "UNCHANGED" },
  "another list": { live: LISTS.changed, says: "CHANGED(surface)" },
  "another list, without texts": { live: LISTS.changed, archive: false, says: "CHANGED(surface)" },
  "an older list": { logs: [[{ lists: LISTS.one }, { lists: LISTS.other }]], says: "CHANGED(surface)" },
  "a list there and back": {
    logs: [[{ lists: LISTS.one }, { lists: LISTS.other }, { lists: LISTS.one }]],
    says: "UNCHANGED",
  },
  "two observers agree": {
    logs: [[{ lists: LISTS.one }, { lists: LISTS.one, observer: "b.example.com" }]],
    says: "UNCHANGED",
  },
  "one of two observers disagrees": {
    logs: [[{ lists: LISTS.one }, { lists: LISTS.other, observer: "b.example.com" }]],
    says: "CHANGED(surface)",
  },
  "one of two logs disagrees": { logs: [[{ lists: LISTS.one }], [{ lists: LISTS.other }]], says: "CHANGED(surface)" },
  "one of two logs has nothing": { logs: [[{ lists: LISTS.one }], []], says: "UNCHANGED" },
  "one of two logs does not answer": {
    logs: [[{ lists: LISTS.one }], new ToolsumError("LOG_UNAVAILABLE", "no answer")],
    says: "UNKNOWN(log_unreachable)",
  },
  "one log disagrees, the other does not answer": {
    logs: [[{ lists: LISTS.other }], new ToolsumError("LOG_UNAVAILABLE", "no answer")],
    says: "CHANGED(surface)",
  },
  "no log": { logs: [], says: "UNKNOWN(not_in_log)" },
  "another version only": { logs: [[{ lists: LISTS.other, version: "1.0.0" }]], says: "UNKNOWN(not_in_log)" },
  "other conditions only": {
    logs: [[{ lists: LISTS.one, how: computeTextDigest("how") }]],
    says: "UNKNOWN(not_in_log)",
  },
  "another server only": { logs: [[{ lists: LISTS.other, subject: "pkg:npm/y" }]], says: "UNKNOWN(never_signed)" },
  "the same list under another name": {
    logs: [[{ lists: LISTS.one, subject: "pkg:npm/y" }]],
    says: "UNKNOWN(never_signed)",
  },
  "a command of one's own": {
    target: { command: "node", args: ["server.mjs"], env: [] },
    logs: [[{ lists: LISTS.one, subject: "pkg:npm/y" }]],
    says: "UNKNOWN(not_in_log)",
  },
  "a command of one's own with several names": {
    target: { command: "node", args: ["server.mjs"], env: [] },
    logs: [
      [
        { lists: LISTS.one, subject: "pkg:npm/y" },
        { lists: LISTS.one, subject: "pkg:npm/z" },
      ],
    ],
    says: "UNKNOWN(ambiguous_subject)",
  },
  credentials: { live: new ToolsumError("SERVER_AUTH", "refused"), says: "AUTH(refused)" },
  "no server": { live: new ToolsumError("SERVER_UNREACHABLE", "it ended"), says: "UNKNOWN(server_unreachable)" },
  "credentials for a list": { live: refusedPartOf({ ...LISTS.one, tools: null }), says: "AUTH(refused)" },
  "credentials for the rest of the same list": { live: refusedPartOf(LISTS.one), says: "AUTH(refused)" },
  "credentials for the rest of another list": { live: refusedPartOf(LISTS.changed), says: "CHANGED(surface)" },
  "part of the same list": { live: partOf(LISTS.one), says: "UNKNOWN(incomplete)" },
  "part of another list": { live: partOf(LISTS.changed), says: "CHANGED(surface)" },
  "part of another list, by section texts": { live: partOf(LISTS.other), archive: false, says: "CHANGED(surface)" },
}
