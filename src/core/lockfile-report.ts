// What proving a lockfile gives, ours or LEGION's: an answer for every pin and what it rests on.
import { type BaseReport, exitCodeOfBase } from "./base-report.js"
import type { ToolsumError } from "./errors.js"
import type { PinnedRoot } from "./root.js"
import { exitCodeOfServer, type ServerVerdict, worstExitCode } from "./verdict.js"

/** The answer for every pin, and what it rests on. */
export interface LockfileReport<Server extends ServerVerdict = ServerVerdict> {
  readonly servers: readonly Server[]
  readonly roots: readonly {
    readonly log: string
    readonly fingerprint: string | null
    readonly source: PinnedRoot["source"] | null
  }[]
  /** Logs with evidence that fails, whether or not a pin rests on them. */
  readonly refuted: readonly { readonly origin: string; readonly error: ToolsumError }[]
  readonly warnings: readonly string[]
  /** How it differs from the revision that `--base` names. */
  readonly base?: BaseReport
  readonly exitCode: 0 | 1 | 2 | 3
}

/** What a report ends with: evidence that fails, then the worst answer or difference. */
export const exitCodeOfReport = ({ servers, refuted, base }: Omit<LockfileReport, "exitCode">): 0 | 1 | 2 | 3 =>
  refuted.length > 0 ? 3 : worstExitCode([...servers.map(exitCodeOfServer), base ? exitCodeOfBase(base) : 0])
