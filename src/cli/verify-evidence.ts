// `toolsum verify FILE` and `verify-server --offline FILE` of an evidence file: everything in it proven again, without network, under roots
// from outside of it.
import { resolve } from "node:path"
import { readRegularFile } from "../adapters/regular-file.js"
import { decodeUtf8 } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { computeEvidenceSum, parseServerEvidence, type ServerEvidence } from "../core/server-evidence.js"
import { exitCodeOfVerdict } from "../core/verdict.js"
import { verifyServerEvidence } from "../core/verify-server-evidence.js"
import { buildServerReport, type ServerReport } from "../features/server-report.js"
import type { ExitCode } from "./exit-codes.js"
import { EVIDENCE_FILE, LEGION_EVIDENCE_FILE } from "./file-kind.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { loadPaint } from "./paint.js"
import { announceWitnessPolicy, collectRoots, collectWitnessPolicy, witnessPolicyMembers } from "./project.js"
import { renderServers } from "./render.js"
import {
  pinSteps,
  renderReport,
  reportDetails,
  rootMembers,
  shownVerdictOf,
  verdictOf,
} from "./render-server-report.js"
import { printDocument, reportMembers } from "./report-json.js"
import { showWord } from "./shell-words.js"

/** Read a file that must be there as text. Throws FILE_MISSING, EVIDENCE_MALFORMED. */
function readEvidenceText(file: string, io: Io): string {
  const bytes = readRegularFile(resolve(io.cwd, file), { maxBytes: MAX_JSON_BYTES, code: "EVIDENCE_MALFORMED" })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected a file at ${quote(file, 400)}`)
  return decodeUtf8(bytes, (why) => new ToolsumError("EVIDENCE_MALFORMED", why))
}

/** Prove one evidence file, ours or LEGION's, and print what it proves. Throws FILE_MISSING, what proves it wrong, and what makes it
 *  unreadable. */
export async function verifyEvidenceFile(
  p: { command: string; file: string },
  options: Options,
  io: Io,
): Promise<ExitCode> {
  await announceWitnessPolicy(options, io)
  const text = readEvidenceText(p.file, io)
  if (EVIDENCE_FILE.test(text) || !LEGION_EVIDENCE_FILE.test(text)) return verifyEvidence({ ...p, text }, options, io)
  return (await import("./legion-evidence.js")).verifyLegionEvidenceFile({ ...p, text }, options, io)
}

async function verifyEvidence(
  { command, file, text }: { command: string; file: string; text: string },
  options: Options,
  io: Io,
): Promise<ExitCode> {
  const evidence = parseServerEvidence(text)
  const roots = await collectRoots(options, io)
  const witnessPolicy = await collectWitnessPolicy(options, io)
  const { judgement, logs } = verifyServerEvidence({ evidence, roots, nowSec: BigInt(io.nowSec()), witnessPolicy })
  const { reading, unread } = evidence
  const report = await withMeanings(buildServerReport({ reading, logs, unread, judgement }))
  const exitCode = exitCodeOfVerdict(report.verdict)
  const sum = computeEvidenceSum(evidence)
  if (options.flag("json")) {
    const members = { ...reportMembers([verdictOf(report)]), ...reportDetails(report), evidence: { file, sum } }
    const policy = await witnessPolicyMembers(options, io)
    printDocument(io, { command, exitCode, roots: rootMembers(logs), ...members, ...policy })
  } else if (!options.flag("quiet") || exitCode !== 0) await show(report, { evidence, file, sum }, options, io)
  return exitCode
}

/** The report with what its changes mean; what finds that out loads only for a list that changed. */
async function withMeanings(report: ServerReport): Promise<ServerReport> {
  if (report.changes.length === 0) return report
  const { reviewChanges } = await import("../features/review.js")
  return { ...report, ...(await reviewChanges(report.changes, report.difference, { given: [] })) }
}

async function show(
  report: ServerReport,
  { evidence, file, sum }: { evidence: ServerEvidence; file: string; sum: string },
  options: Options,
  io: Io,
): Promise<void> {
  const [paint, explain] = [await loadPaint(io.colour), options.flag("explain")]
  const lines = await renderReport(report, { paint, explain })
  const below = () => [
    ...lines,
    `read ${evidence.reading.at}; from ${showWord(file)}, ${sum}`,
    ...(report.logs.length > 0
      ? ["proven: these records are in their log, and this is how what was read compares with them"]
      : []),
    "not proven: that the server said this, and that no newer record was there",
    ...pinSteps(report),
  ]
  io.stdout(renderServers([shownVerdictOf(report)], { paint, explain, below }))
}
