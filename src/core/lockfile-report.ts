// What proving a lockfile gives, ours or LEGION's: an answer for every pin and what it rests on. Data only.
import type { ToolsumError } from "./errors.js"
import type { PinnedRoot } from "./root.js"
import type { ServerVerdict } from "./verdict.js"

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
  readonly exitCode: 0 | 1 | 2 | 3
}
