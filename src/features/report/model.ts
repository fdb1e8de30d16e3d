// What every report is made of, whoever reads it: servers with their answer, what their lists show and what their changes mean, and what
// that rests on. Pure data, gathered by the commands; sarif.ts, markdown.ts, html.ts and annotations.ts make texts of it and add nothing.
import type { BaseFinding, BaseReport } from "../../core/base-report.js"
import type { Digest } from "../../core/hash.js"
import { type Severity, worstSeverity } from "../../core/severity.js"
import type { Change, ServerVerdict } from "../../core/verdict.js"
import type { ChangeAnalysis, SurfaceAnalysis } from "../../surface/analysis.js"
import type { ChangeFinding, Finding } from "../../surface/finding.js"
import { withRules } from "../../surface/meanings.js"
import type { TokenCost } from "../../surface/token-cost.js"

/** One run of one command. */
export interface Report {
  /** As typed, such as `check`. */
  readonly command: string
  readonly toolVersion: string
  /** RULESET_VERSION. */
  readonly ruleset: string
  readonly exitCode: 0 | 1 | 2 | 3
  /** From which severity on something is a finding; null: any change is. */
  readonly failOn: Severity | null
  /** RFC 3339 in UTC; null: the report says no time, so that equal inputs make equal reports. */
  readonly generatedAt: string | null
  readonly roots: readonly ReportRoot[]
  /** As many as were asked about, those without an answer included. */
  readonly servers: readonly ReportServer[]
  /** What differs from the revision that lockfiles are held to; empty without one. */
  readonly bases: readonly ReportBase[]
}

/** One lockfile beside its base. `acceptLine`: takes all of its open differences at once; null where nothing can be accepted. */
export interface ReportBase extends BaseReport {
  readonly acceptLine: string | null
}

/** What is trusted for a log. */
export interface ReportRoot {
  readonly log: string
  readonly fingerprint: string | null
  /** Where the root was pinned. */
  readonly source: string | null
}

/** One server. Whatever is null is not known, or not what the command asks. */
export interface ReportServer {
  readonly name: string
  readonly subject: string | null
  readonly version: string | null
  /** The answer; null for `scan` and `diff`, which give none. */
  readonly verdict: ServerVerdict | null
  /** Why its list could not be read, in one line; null where it was. */
  readonly problem: string | null
  /** What the list shows by itself. */
  readonly analysis: SurfaceAnalysis | null
  /** What changes mean; null where nothing is compared, or not all texts are at hand: then `verdict.changes` have no severity. */
  readonly changes: ChangeAnalysis | null
  /** The definitions file as it stands in the project, for line numbers. `path` is relative to the repository, with "/". */
  readonly definitions: { readonly path: string; readonly text: string } | null
  /** Where the pin stands: 1-based line; `path` as above. */
  readonly lockfile: { readonly path: string; readonly line: number } | null
  /** The line to paste when the change is wanted: `toolsum approve NAME --to sha256:…`. */
  readonly approve: string | null
  readonly proof: ReportProof | null
  /** Records of the log, oldest first; empty where none were read. */
  readonly history: readonly HistoryRecord[]
  readonly tokens: TokenCost | null
}

/** The entry that proves a pin, and the tree head it is proven in. */
export interface ReportProof {
  readonly origin: string
  readonly size: bigint
  /** Base64, as in the checkpoint. */
  readonly rootHash: string
  readonly index: bigint
  /** Base64. */
  readonly leafHash: string
  /** How many cosignatures counted. */
  readonly cosigners: number
}

/** One record of a server in a log. */
export interface HistoryRecord {
  readonly index: bigint
  /** RFC 3339 in UTC. */
  readonly observed: string
  readonly version: string | null
  /** Pin digest. */
  readonly digest: Digest
  /** How many tools; null where no list was recorded. */
  readonly tools: number | null
}

/** A server with what is known of it; the rest is null or empty. */
export function describeServer(
  known: Pick<ReportServer, "name" | "subject" | "version"> & Partial<ReportServer>,
): ReportServer {
  const nothing = {
    verdict: null,
    problem: null,
    analysis: null,
    changes: null,
    definitions: null,
    lockfile: null,
    approve: null,
    proof: null,
    history: [],
    tokens: null,
  }
  return { ...nothing, ...known }
}

/** A server that has an answer. */
export const describeAnswer = (verdict: ServerVerdict, known: Partial<ReportServer> = {}): ReportServer =>
  describeServer({ name: verdict.name, subject: verdict.subject, version: verdict.version, verdict, ...known })

/** All changes of a server, graded where they can be. */
export const changesOf = ({ changes, verdict }: ReportServer): readonly Change[] =>
  changes ? withRules(changes) : (verdict?.changes ?? [])

/** All there is to say of a server, once: what its changes mean and what appeared with them, else what its list shows. */
export const findingsOf = ({ changes, analysis }: ReportServer): readonly (Finding | ChangeFinding)[] =>
  changes ? [...changes.meanings, ...changes.appeared] : (analysis?.findings ?? [])

/** The gravest there is to say of a server; null where there is nothing, or nothing is graded. */
export const gravestOfServer = (server: ReportServer): Severity | null =>
  worstSeverity([...findingsOf(server), ...(server.changes?.changes ?? [])].map(({ severity }) => severity))

/** Differences from a base that are neither accepted nor pass by themselves. */
export const openFindingsOf = ({ findings }: BaseReport): readonly BaseFinding[] =>
  findings.filter(({ status }) => status === "open")
