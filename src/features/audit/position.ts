// Keeps where an audit stands, at the end of full bundles: now and then while it runs, when it is interrupted, and when it has come to a root
// that is the signed one. Nothing is kept beyond what could not be read, or differed: the next audit looks there again.
import { ToolsumError } from "../../core/errors.js"
import { TILE_WIDTH } from "../../core/tile.js"
import type { AuditState } from "../../ports.js"
import type { EntryAudit } from "./entries.js"
import { ENTRY_CODES, type Findings } from "./findings.js"
import type { ObjectAudit } from "./objects.js"
import type { AuditedHead } from "./open-head.js"
import { type AuditPosition, formatAuditState, type TableRows } from "./state.js"
import type { StreamLedger } from "./streams.js"
import type { IndexAudit } from "./subject-index.js"
import type { TileAudit } from "./tiles.js"
import type { TreeHasher } from "./tree-hasher.js"
import type { UnreadEntries } from "./unread.js"

/** Everything that takes entries. */
export interface Takers {
  readonly tree: TreeHasher
  readonly tiles: TileAudit
  readonly streams: StreamLedger
  readonly objects: ObjectAudit
  readonly index: IndexAudit | null
  readonly entries: EntryAudit
  readonly unread: UnreadEntries
  readonly seed: Uint8Array
}

/** Where an earlier audit stood. */
export interface StoredAudit {
  readonly at: AuditPosition
  readonly tables: TableRows
}

/** Entries after which a position is kept; in a large log a share of it, so that keeping costs a share of reading. */
const KEEP_EVERY = 512 * TILE_WIDTH
const KEEP_SHARE = 8

/** Keeps positions of one audit. */
export interface Keeper {
  /** Everything before `position` was taken. */
  reach(position: number): Promise<void>
  /** Keep `position` and return the error that ends the audit. */
  interrupt(position: number): Promise<ToolsumError>
  /** The tree of all full bundles was taken, it is the signed one, and all earlier heads were compared with it. */
  finish(): Promise<void>
}

/** A keeper. `start`: where the audit started; one that skipped entries keeps nothing. `known`: the head that was kept before. */
export function createKeeper(p: {
  options: { readonly auditState?: AuditState | null; readonly since?: unknown }
  head: AuditedHead
  findings: Findings
  takers: Takers
  start: number
  known: string
}): Keeper {
  const { head, findings, takers, start, known } = p
  const state = p.options.since ? null : (p.options.auditState ?? null)
  const size = Number(head.checkpoint.size)
  let kept = start
  const keep = async (position: number, note: string): Promise<void> => {
    if (state === null || takers.unread.count > 0 || isUnsettled(findings)) return
    const rows = rowsOf(takers)
    try {
      await state.save(head.identity, formatAuditState(positionOf(p, position, note), rows, head.identity))
      kept = position
    } catch (error) {
      if (!(error instanceof ToolsumError)) throw error
      // What was found is told all the same; the next audit starts where this one did.
      const why = `where this audit stands cannot be kept: ${error.message}`
      if (!findings.has("state_unavailable")) findings.add("state_unavailable", "state", why)
    }
  }
  return {
    reach: async (position) => {
      if (!takers.tiles.differs && position - kept >= Math.max(KEEP_EVERY, position / KEEP_SHARE))
        await keep(position, known)
    },
    interrupt: async (position) => {
      if (!takers.tiles.differs && position > kept) await keep(position, known)
      return interrupted(kept, size)
    },
    finish: () => keep(Math.floor(size / TILE_WIDTH) * TILE_WIDTH, newestHead(head, known, findings)),
  }
}

/** The head to hold a log without keyrings to; others are remembered with their keyrings. One that contradicts the known head, or is not signed
 *  as it should be, does not take its place. */
function newestHead({ keyring, text }: AuditedHead, known: string, findings: Findings): string {
  if (keyring !== null) return ""
  return findings.has("fork", "rollback", "log_behind", "head_unproven", "head_invalid", "quorum_not_met")
    ? known
    : text
}

/** The error of an audit that was interrupted; `kept`: where the next one starts. */
export const interrupted = (kept: number, size: number): ToolsumError =>
  new ToolsumError("READING_INCOMPLETE", `interrupted; the next audit goes on from entry ${kept} of ${size}`)

/** True when something could not be read, or a partial file is wrong: the next audit looks there again. */
const isUnsettled = (findings: Findings): boolean =>
  findings.has("bundle_missing", "tile_missing", "object_unread", "rest_unread", "partial_differs")

function positionOf(
  { findings, takers }: { findings: Findings; takers: Takers },
  position: number,
  note: string,
): AuditPosition {
  const { tree, index, entries, objects, seed } = takers
  const isKept = (code: string) => ENTRY_CODES.some((one) => one === code)
  return {
    ...{ position, head: note, edge: tree.edge(), seed, sums: index?.all.save() ?? [] },
    ...{ entries: entries.counts(), logged: entries.logged, objects: objects.counts() },
    findings: findings.list().filter(({ code }) => isKept(code)),
    counts: Object.fromEntries(Object.entries(findings.counts()).filter(([code]) => isKept(code))),
  }
}

const rowsOf = ({ streams, objects }: Takers): TableRows => ({
  streams: streams.streams.parts(),
  subjects: streams.lookalikes.bySkeleton.parts(),
  told: streams.lookalikes.told.parts(),
  objects: objects.seen.parts(),
})
