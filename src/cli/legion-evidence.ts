// `toolsum verify FILE` and `verify-server --offline FILE` of evidence that LEGION's tools saved: everything signed in it proven again,
// without network, under roots from outside of it.
import { escapeInvisible } from "../core/errors.js"
import { computeTextDigest } from "../core/hash.js"
import type { JsonObject, JsonValue } from "../core/json.js"
import { type LegionEvidence, parseLegionEvidence } from "../core/legion/evidence.js"
import type { LegionCorrection, LegionRecord } from "../core/legion/record.js"
import { type VerifiedLegionEvidence, verifyLegionEvidence } from "../core/legion/verify-evidence.js"
import { exitCodeOfVerdict, type ServerVerdict } from "../core/verdict.js"
import { refuseWithoutWitnesses } from "../core/witness-policy.js"
import { describeHistory, judgeLegionEvidence, originOf } from "../features/legion-evidence-report.js"
import type { ExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { loadPaint, type Paint } from "./paint.js"
import { collectRoots, collectWitnessPolicy } from "./project.js"
import { BELOW_WIDTH, formatSec, renderServers } from "./render.js"
import { printDocument, reportMembers } from "./report-json.js"
import { pasteLine, showWord } from "./shell-words.js"
import { withVendorRoots } from "./vendor-roots.js"
import { describeWarning } from "./warnings.js"

/** Prove one evidence file and print what it proves. Throws what proves it wrong, and what makes it unreadable. */
export async function verifyLegionEvidenceFile(
  { command, file, text }: { command: string; file: string; text: string },
  options: Options,
  io: Io,
): Promise<ExitCode> {
  const evidence = parseLegionEvidence(text)
  const roots = withVendorRoots(await collectRoots(options, io), null)
  const verified = verifyLegionEvidence({ evidence, roots })
  const policy = await collectWitnessPolicy(options, io)
  if (policy !== null) refuseWithoutWitnesses(policy, originOf(verified))
  const server = judgeLegionEvidence({ evidence, verified, nowSec: BigInt(io.nowSec()) })
  const exitCode = exitCodeOfVerdict(server.verdict)
  if (options.flag("json")) {
    const members = { ...reportMembers([server]), ...evidenceMembers(evidence, verified) }
    const sum = computeTextDigest(text)
    printDocument(io, { command, exitCode, roots: [rootMember(verified)], ...members, evidence: { file, sum } })
  } else if (!options.flag("quiet") || exitCode !== 0) await show({ evidence, verified, server }, options, io)
  return exitCode
}

const rootMember = ({ root, rootPin, ...verified }: VerifiedLegionEvidence): JsonValue => ({
  log: originOf({ root, rootPin, ...verified }),
  fingerprint: rootPin,
  source: root?.source ?? null,
})

/** What is in LEGION evidence besides the answer, for a document. */
export const evidenceMembers = (
  { url, fetchedAt, newerUncovered }: LegionEvidence,
  { history }: VerifiedLegionEvidence,
): { readonly [name: string]: JsonValue } => ({
  read: { url, at: fetchedAt },
  newerUncovered: newerUncovered === null ? null : String(newerUncovered),
  history: historyMembers(history),
})

/** Signed entries, for a document. */
export const historyMembers = (history: readonly (LegionRecord | LegionCorrection)[]): JsonValue =>
  history.map(entryMember)

/** One signed entry, for a document. */
export const entryMember = (entry: LegionRecord | LegionCorrection): JsonObject => ({
  index: String(entry.leafIndex),
  observed: formatSec(entry.observedSec),
  ...(entry.kind === "record"
    ? { kind: "record", tools: entry.fingerprint.tools.size, list: `sha256:${entry.fingerprint.sha256}` }
    : { kind: "correction", corrects: String(entry.correctsLeafIndex), artifact: entry.artifact }),
})

interface Shown {
  readonly evidence: LegionEvidence
  readonly verified: VerifiedLegionEvidence
  readonly server: ServerVerdict
}

async function show(shown: Shown, options: Options, io: Io): Promise<void> {
  const { server, verified } = shown
  const [paint, explain] = [await loadPaint(io.colour), options.flag("explain")]
  const lines = await describe(shown, paint)
  io.stdout(renderServers([server], { paint, explain, below: () => lines }))
  if (explain || verified.root === null)
    io.stdout(`root ${verified.rootPin} of ${showWord(originOf(verified))}: ${verified.root?.source ?? "not pinned"}\n`)
  for (const warning of server.warnings) io.stderr(`warning: ${describeWarning(warning)}\n`)
}

/** Lines under the answer: what changed, what was signed before, and what nobody signed. */
async function describe({ evidence, verified, server }: Shown, paint: Paint): Promise<readonly string[]> {
  const { changes } = server
  const diff =
    changes.length === 0
      ? []
      : (await import("./render-diff.js")).renderDiff({ changes, unchanged: {} }, { paint, width: BELOW_WIDTH })
  const line = verified.root === null && pasteLine("toolsum", "trust", "add", verified.rootPin)
  const source = evidence.url === null ? "" : ` from ${showWord(evidence.url)}`
  return [
    ...diff,
    ...describeHistory(verified).map(escapeInvisible),
    `read ${escapeInvisible(evidence.fetchedAt)}${source}: the list, and that no newer record was there, stay the word of whoever saved this`,
    ...(line ? [`compare with the log's owner, then: ${line}`] : []),
  ]
}
