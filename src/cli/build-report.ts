// Gathers what renderers make a report of: answers and analyses of a command, and where their pins are in the project. Decides nothing.
import type { LockfileReport } from "../core/lockfile-report.js"
import type { Severity } from "../core/severity.js"
import type { ReviewedServer } from "../features/gate.js"
import {
  describeAnswer,
  describeServer,
  type Report,
  type ReportBase,
  type ReportServer,
} from "../features/report/model.js"
import type { Scanned } from "../features/scan.js"
import type { LockfileStore } from "../ports.js"
import { RULESET_VERSION } from "../surface/rules.js"
import { readVersion } from "./help.js"
import { type LockfilePart, pinCommand } from "./lockfile-reports.js"
import { findReportFiles } from "./report-files.js"

/** What a run came to. */
export interface Run {
  readonly command: string
  readonly exitCode: Report["exitCode"]
  readonly failOn: Severity | null
  readonly roots: LockfileReport["roots"]
  readonly servers: readonly ReportServer[]
  /** Of commands that take `--base`. */
  readonly bases?: readonly ReportBase[]
}

/** A report says no time: equal lockfiles make equal reports. */
export const buildReport = (run: Run): Report => ({
  bases: [],
  ...run,
  toolVersion: readVersion(),
  ruleset: RULESET_VERSION,
  generatedAt: null,
})

/** One server that was checked. `place`: its part of the report and its lockfile; null where it has none. */
export function reportChecked(
  server: ReviewedServer,
  place: { readonly part: LockfilePart; readonly store: LockfileStore } | null,
): ReportServer {
  const known = { changes: server.analysis ?? null, tokens: server.tokens ?? null }
  if (place === null) return describeAnswer(server, known)
  const name = place.part.file === null ? server.name : server.name.slice(place.part.file.length + 1)
  return describeAnswer(server, {
    ...known,
    ...findReportFiles(place.store, name),
    approve: approveLine(server, place.part),
  })
}

/** The line that approves a pin as it stands; null where it needs none, or cannot be pasted. */
const approveLine = (server: ReviewedServer, part: LockfilePart): string | null =>
  server.reason === "unapproved" && server.pin ? pinCommand(server, part, "approve", "--to", server.pin) : null

/** One list that was scanned. */
export function reportScanned(server: Scanned, store: LockfileStore): ReportServer {
  const { name, subject, version, pin } = server
  const files = pin === null ? {} : findReportFiles(store, pin)
  if (!server.ok) return describeServer({ name, subject, version, ...files, problem: server.error.message })
  return describeServer({
    name,
    subject,
    version,
    ...files,
    analysis: server.analysis,
    problem: describeUnread(server.unread),
  })
}

function describeUnread(unread: Extract<Scanned, { ok: true }>["unread"]): string | null {
  const parts = Object.entries(unread).map(([section, why]) => `${section} not read to the end: ${why}`)
  return parts.length === 0 ? null : parts.join("; ")
}
