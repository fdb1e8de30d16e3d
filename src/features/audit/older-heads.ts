// Heads that were seen before, from wherever: each must be the tree of the first entries (DESIGN 8, brief 2.1 step 8). While the entries stream
// by, the root at each of these sizes is computed from them; only what differs is looked at through tiles, for evidence that others can check.
import { compareHeads, createLogView, type KnownHead } from "../../client/heads.js"
import { parseMemory } from "../../client/remember.js"
import { headWentBack, trackLog } from "../../client/track.js"
import { attempt, ToolsumError } from "../../core/errors.js"
import type { Hash } from "../../core/hash.js"
import { formatNote } from "../../core/note.js"
import type { LogSource, State } from "../../ports.js"
import type { Findings } from "./findings.js"
import type { AuditedHead } from "./open-head.js"
import { firstDifference } from "./tiles.js"

/** A head that somebody has seen: a signed note, and where it is from, for people. With `origin` it counts for that log only. */
export interface SeenNote {
  readonly note: string | Uint8Array
  readonly from: string
  readonly origin?: string
}

/** A head from elsewhere that a key of the log has signed, or that its keyring closes a key at. */
export interface OlderHead extends KnownHead {
  readonly from: string
  /** When this user saw it first, POSIX seconds; without it that is not known. */
  readonly seenSec?: bigint
  /** Heads that were proven to be prefixes of this one. */
  readonly earlier?: readonly KnownHead[]
}

/** All heads that the audited one must extend: those given, those that this user remembers, the closing trees of retired keys. What cannot be
 *  used is a finding. */
export async function collectOlderHeads(
  head: AuditedHead,
  p: { given: readonly SeenNote[]; state: State | null; findings: Findings },
): Promise<readonly OlderHead[]> {
  const own = p.given.filter(({ origin }) => (origin ?? head.identity.origin) === head.identity.origin)
  const given = own.flatMap((seen) => openGiven(head, seen, p.findings))
  const remembered = head.keyring === null || p.state === null ? [] : await readMemory(head, p.state, p.findings)
  // Of one note the first is told of: that with a time.
  return [...remembered, ...given, ...closingTrees(head)]
}

function openGiven(head: AuditedHead, { note, from }: SeenNote, findings: Findings): readonly OlderHead[] {
  const opened = attempt(() => head.openNote(note))
  if (opened instanceof ToolsumError) {
    findings.add("older_head_unread", from, `no head of this log: ${opened.message}`)
    return []
  }
  const text = typeof note === "string" ? note : new TextDecoder().decode(note)
  return [{ size: opened.size, rootHash: opened.rootHash, note: text, from }]
}

async function readMemory(head: AuditedHead, state: State, findings: Findings): Promise<readonly OlderHead[]> {
  try {
    const stored = await state.newest(head.identity)
    if (stored === null) return []
    const memory = parseMemory(stored, head.identity)
    const from = "this user's memory"
    const newest = { ...memory.head, earlier: memory.earlier, seenSec: memory.headSeenSec, from }
    return [...memory.earlier.map((known) => ({ ...known, from })), newest]
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    if (error.code === "IO_FAILED") findings.add("state_unavailable", "state", error.message)
    else findings.add("state_corrupt", "state", error.message)
    return []
  }
}

/** Trees that the root keys vouch for. One that is larger than the head is for `holdToMemory` to tell. */
function closingTrees({ keyring }: AuditedHead): readonly OlderHead[] {
  if (keyring === null) return []
  const note = formatNote(keyring.newest.note)
  return keyring.newest.logs.flatMap(({ closing, revoked }) =>
    closing === null || revoked ? [] : [{ ...closing, note, from: `keyring ${keyring.newest.version}` }],
  )
}

/** What comparing takes. `roots`: roots at sizes, from the entries; sizes that were not passed are compared through tiles. */
export interface Comparing {
  readonly head: AuditedHead
  readonly source: LogSource
  readonly nowSec: bigint
  readonly roots: ReadonlyMap<number, Hash>
  readonly findings: Findings
}

/** Compare each of `heads`. */
export async function compareOlderHeads(heads: readonly OlderHead[], comparing: Comparing): Promise<void> {
  const told = new Set<string>()
  for (const known of heads) {
    const root = comparing.roots.get(Number(known.size))
    const { size } = comparing.head.checkpoint
    if (known.size === 0n || told.has(known.note)) continue
    if (known.size <= size && root !== undefined && firstDifference(root, known.rootHash) < 0) continue
    told.add(known.note)
    await compareByTiles(known, root !== undefined, comparing)
  }
}

/** Compare through the tiles of the larger tree, as every reader does. `isRefuted`: the entries have shown another root at its size. */
async function compareByTiles(known: OlderHead, isRefuted: boolean, comparing: Comparing): Promise<void> {
  const { head, source, nowSec, findings } = comparing
  const view = createLogView(source, head.keyring)
  const served = { ...head.checkpoint, note: head.text }
  const where = `size ${known.size}`
  try {
    const relation = await compareHeads({ view, known, served, earlier: known.earlier ?? [] })
    if (relation.kind === "behind")
      throw headWentBack({ view, head: served, local: source.local, nowSec }, known, known.seenSec ?? null)
    // Where the entries say otherwise they do not lead to the signed root, which is told already.
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    if (isRefuted && error.code !== "LOG_INCONSISTENT") {
      const why = `the entries have another root at this size than the head of ${known.from}; what would prove it to others is missing: ${error.message}`
      findings.add("fork", where, why)
    } else tellHead(error, where, known.from, findings)
  }
}

function tellHead(error: ToolsumError, where: string, from: string, findings: Findings): void {
  const message = `${error.message} (from ${from})`
  if (error.code === "LOG_INCONSISTENT") findings.add("fork", where, message, error)
  else if (error.code === "LOG_ROLLBACK") findings.add("rollback", where, message, error)
  else if (error.code === "LOG_BEHIND") findings.add("log_behind", where, message)
  else if (error.code === "HEAD_UNPROVEN") findings.add("head_unproven", where, message)
  else findings.add("older_head_unread", where, message)
}

/** Hold the head and its keyring to what this user remembers of the log, and remember them. */
export async function remember(head: AuditedHead, state: State, comparing: Comparing): Promise<void> {
  const { keyring, identity } = head
  const { source, nowSec, findings } = comparing
  if (keyring === null) return
  const view = createLogView(source, keyring)
  const served = { ...head.checkpoint, note: head.text }
  try {
    const warnings = await trackLog(state, { log: identity, view, head: served, local: source.local, nowSec })
    for (const warning of warnings) findings.add("state_unavailable", "state", `nothing can be remembered: ${warning}`)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    if (error.code === "STATE_CORRUPT") return // told where the memory was read
    tellHead(error, "state", "this user's memory", findings)
  }
}
