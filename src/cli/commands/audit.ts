// `toolsum audit`: reads a whole log and reports every rule that does not hold. Nothing in the log is believed, and nothing is written but what
// this user remembers of it.
import { randomBytes } from "node:crypto"
import { createFileAuditState } from "../../adapters/audit-state-fs.js"
import { findUserDirs } from "../../adapters/user-dirs.js"
import { escapeInvisible, ToolsumError } from "../../core/errors.js"
import { type AuditFinding, type AuditReport, auditLog } from "../../features/audit/audit-log.js"
import { SEED_BYTES } from "../../features/audit/subject-sums.js"
import { collectSeenNotes, findAuditedLog, readAuditTrust, readSince } from "../audited-log.js"
import type { CommandSpec } from "../commands.js"
import { keepErrorEvidence } from "../evidence.js"
import type { Io } from "../io.js"
import { isLegionLog, LEGION_LOG_OPTION } from "../legion-logs.js"
import { LOG_OPTIONS, openState } from "../logs.js"
import type { Options } from "../options.js"
import { loadPaint } from "../paint.js"
import { startCounting } from "../progress.js"
import {
  announceWitnessPolicy,
  LOCKFILES_OPTIONS,
  ROOT_OPTIONS,
  WITNESS_POLICY_OPTIONS,
  witnessPolicyMembers,
} from "../project.js"
import { auditMembers, renderAudit, type ToldFinding } from "../render-audit.js"
import { printDocument } from "../report-json.js"

const LEGION_OPTIONS = ["anchors", "bitcoin-headers", "rekor-key"]

export const auditCommand: CommandSpec = {
  usage: "audit [log]",
  words: [0, 1],
  options: [
    ...LOG_OPTIONS,
    ...ROOT_OPTIONS,
    ...WITNESS_POLICY_OPTIONS,
    ...LOCKFILES_OPTIONS,
    ["--old <file>", "A signed checkpoint that the log must extend; repeatable"],
    [
      "--since <head>",
      "Read entries from there on only: a file with a signed checkpoint, or size or key of a lockfile's head",
    ],
    ["--full", "Read everything, also what an earlier audit has read"],
    ["--vkey <vkey>", "Audit a log of another make: its key; repeatable"],
    ["--policy <file>", "Audit a log of another make: a tlog-policy with its key and witnesses"],
    ["--origin <name>", "For --vkey and --policy: the log's origin, where it is not the key's name"],
    LEGION_LOG_OPTION,
    ["--anchors <file>", "Of a LEGION log: an OpenTimestamps or Rekor proof of a head; repeatable"],
    ["--bitcoin-headers <file>", 'For --anchors: {"HEIGHT": {"merkleroot", "time"}} from a node of your own'],
    ["--rekor-key <file>", "For --anchors: the Rekor log's public key, PEM"],
  ],
  examples: [
    "toolsum audit",
    "toolsum audit legion --anchors head.ots --bitcoin-headers headers.json",
    "toolsum audit https://log.example.com/tools/ --old yesterday.checkpoint",
    "toolsum audit ./mirror --vkey log.example.com+c74f20a3+ARpc2QcU…",
  ],
  run: async ({ words: [word], options }, io) => {
    const legion = options.value("log") ?? (word !== undefined && (await isLegionLog(word, io)) ? word : null)
    if (legion !== null) return (await import("../audit-legion.js")).auditLegion(legion, options, io)
    for (const name of LEGION_OPTIONS)
      if (options.flag(name)) throw new ToolsumError("USAGE", `--${name} is for a LEGION log`)
    await announceWitnessPolicy(options, io)
    const report = await audit(word, options, io)
    const told = await Promise.all(report.findings.map((finding) => keepFinding(finding, report.origin, io)))
    const { exitCode } = report
    if (options.flag("json")) {
      const members = { ...auditMembers(report, told), ...(await witnessPolicyMembers(options, io)) }
      printDocument(io, { command: "audit", exitCode, roots: rootsOf(report), ...members })
    } else if (!options.flag("quiet") || exitCode !== 0)
      io.stdout(renderAudit(report, told, await loadPaint(io.colour)))
    return exitCode
  },
}

async function audit(word: string | undefined, options: Options, io: Io): Promise<AuditReport> {
  const { source, origin, partials } = await findAuditedLog(word, options, io)
  const olderHeads = await collectSeenNotes(options, io)
  const counting = startCounting(io, "auditing entry")
  try {
    return await auditLog({
      ...{ source, trust: await readAuditTrust(origin, options, io), clock: io.nowSec },
      ...{ seed: randomBytes(SEED_BYTES), state: openState(io) },
      ...{ auditState: createFileAuditState(findUserDirs(io.env, io.platform).state), full: options.flag("full") },
      ...{ olderHeads, since: readSince(olderHeads, options, io), partials: partials ?? null },
      ...{ onProgress: counting.reach, signal: io.signal },
    })
  } catch (error) {
    if (!(error instanceof ToolsumError) || error.code !== "STATE_CORRUPT") throw error
    throw new ToolsumError(error.code, `${error.message}; with --full everything is read again`, { cause: error })
  } finally {
    counting.end()
  }
}

const rootsOf = ({ head }: AuditReport) =>
  head?.root ? [{ log: head.identity.origin, fingerprint: head.root.fingerprint, source: head.root.source }] : []

/** Keep what proves a finding to others. */
async function keepFinding(finding: AuditFinding, origin: string | null, io: Io): Promise<ToldFinding> {
  const { evidence } = finding
  if (evidence === undefined || origin === null) return { finding, file: null }
  try {
    return { finding, file: await keepErrorEvidence(evidence, origin, io) }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    io.stderr(`toolsum: the evidence could not be kept: ${escapeInvisible(error.message)}\n`)
    return { finding, file: null }
  }
}
