// Opens a log for reading: keyring chain under a pinned root, head under the keyring, head against everything seen before, and only
// then an answer (brief 2.1, DESIGN 8). Trust comes from the caller; nothing that the log says about itself counts.
import { decodeUtf8 } from "../core/bytes.js"
import { type Bad, quote, ToolsumError } from "../core/errors.js"
import type { Hash } from "../core/hash.js"
import { MAX_KEYRING_BYTES, MAX_KEYRINGS, type VerifiedKeyring, verifyKeyring } from "../core/keyring.js"
import { MAX_NOTE_BYTES } from "../core/note.js"
import type { Policy } from "../core/policy.js"
import { matchRoot, type PinnedRoot } from "../core/root.js"
import { computeHeadAge, type VerifiedHead, verifyHead } from "../core/tree-heads.js"
import type { Clock, LogSource, State } from "../ports.js"
import { compareHeads, createLogView, type KnownHead } from "./heads.js"
import { type ProvenEntry, type ProvenPrefix, proveConsistency, proveInclusion } from "./prove.js"
import type { VerifiedTree } from "./tiles.js"
import { headWentBack, holdKeyrings, holdToState, type SeenLog, trackLog } from "./track.js"

/** What opening a log takes. */
export interface OpenLogOptions {
  readonly source: LogSource
  /** Roots from outside the log and the project under test. */
  readonly roots: readonly PinnedRoot[]
  /** Origin that the caller expects; without it the pinned root decides, which commits to the origin. */
  readonly expectedOrigin?: string
  readonly state: State
  readonly clock: Clock
  /** Heads from elsewhere, such as a lockfile's, verified under this log's keyring: the served head must extend each. */
  readonly previousHeads?: readonly PreviousHead[]
  /** Keyring notes from elsewhere, a verified chain under this root: the served chain must contain each. */
  readonly previousKeyrings?: readonly string[]
  /** A quorum of cosignatures that the head must have, beyond the keyring's. */
  readonly witnessPolicy?: Policy | null
}

/** A head from elsewhere. `earlier`: heads proven to be prefixes of it; a log that is behind it is held to those. */
export interface PreviousHead extends KnownHead {
  readonly earlier?: readonly KnownHead[]
}

/** A consistency proof between two heads, as a lockfile's `links` hold it. */
export interface HeadLink {
  readonly older: bigint
  readonly newer: bigint
  readonly proof: readonly Hash[]
}

/** A log whose newest head is verified, compared and remembered. */
export interface LogClient {
  readonly source: LogSource
  readonly origin: string
  /** The pinned root that it was opened under. */
  readonly root: PinnedRoot
  readonly keyring: VerifiedKeyring
  /** Keyring notes from 1, verbatim. */
  readonly keyringNotes: readonly string[]
  readonly head: VerifiedHead
  /** The head's note, verbatim. */
  readonly headNote: string
  /** What the head was held to beside its keyring's policy. */
  readonly witnessPolicy: Policy | null
  /** Seconds since the newest cosignature that the head has; null without one: a checkpoint has no time. */
  readonly ageSec: number | null
  readonly tree: VerifiedTree
  /** From each of the previous heads that is smaller to the head. */
  readonly links: readonly HeadLink[]
  /** `keyring_expired`, `state_unavailable`. */
  readonly warnings: readonly string[]
  /** Entry `index` with its proof under the head. Throws as `proveInclusion` in prove.ts. */
  proveInclusion(index: bigint): Promise<ProvenEntry>
  /** The tree at an earlier size with the proof that the head extends it. Throws as `proveConsistency` in prove.ts. */
  proveConsistency(olderSize: bigint): Promise<ProvenPrefix>
}

/** Open a log. Throws RESOURCE_MISSING (no checkpoint or keyring there), ROOT_NOT_PINNED (with the fingerprint to compare), ROOT_MISMATCH,
 *  what `verifyKeyring`, `verifyHead`, `compareHeads` and `trackLog` throw, HEAD_UNPROVEN for a head that only a retired key signed below
 *  its closing tree, and LOG_UNAVAILABLE. When it returns, the head is remembered. */
export async function openLogClient(options: OpenLogOptions): Promise<LogClient> {
  try {
    return await openOnce(options)
  } catch (error) {
    if (!(error instanceof ToolsumError) || !RACES.includes(error.code)) throw error
    return openOnce(options)
  }
}

const WENT_BACK: readonly string[] = ["LOG_BEHIND", "LOG_ROLLBACK", "HEAD_UNPROVEN"]
/** A head that was read just before another process remembered the next one looks like one that went back; one that was read just before a
 *  keyring was published may miss its quorum or its keys. What is no race shows again. */
const RACES: readonly string[] = [...WENT_BACK, "QUORUM_NOT_MET", "KEY_NOT_VALID_AT_SIZE", "SIGNATURE_INVALID"]

async function openOnce(options: OpenLogOptions): Promise<LogClient> {
  const { source, roots, expectedOrigin, state, witnessPolicy = null } = options
  const nowSec = BigInt(Math.floor(options.clock()))
  const { headNote, keyringNotes } = await fetchSigned(source)
  const origin = expectedOrigin === undefined ? {} : { origin: expectedOrigin }
  const keyring = verifyKeyring({ notes: keyringNotes, nowSec, ...origin })
  const root = matchRoot(keyring, roots)
  const view = createLogView(source, keyring)
  const log = { origin: keyring.origin, root: keyring.fingerprint }
  const seenKeys = { log, view, nowSec, local: source.local }
  // Before the head: to keyrings that are behind, the key of a newer head is unknown.
  await holdKeyrings(state, seenKeys, options.previousKeyrings ?? [])
  const head = requireProven(verifyHead({ keyring, note: headNote, nowSec, witnessPolicy }))
  const known = { size: head.size, rootHash: head.rootHash, note: headNote }
  const seen = { ...seenKeys, head: known }
  const links = await linkHeads(seen, options.previousHeads ?? []).catch(async (error: unknown) => {
    // What these heads leave open may be refuted by what is remembered.
    if (error instanceof ToolsumError && WENT_BACK.includes(error.code)) await holdToState(state, seen)
    throw error
  })
  const warnings = [...keyring.warnings, ...(await trackLog(state, seen))]
  const tree = view.treeOf(head)
  return {
    source,
    origin: keyring.origin,
    root,
    keyring,
    keyringNotes,
    head,
    headNote,
    witnessPolicy,
    ageSec: computeHeadAge(head, nowSec),
    tree,
    links,
    warnings,
    proveInclusion: (index) => proveInclusion(tree, index),
    proveConsistency: (olderSize) => proveConsistency(tree, olderSize),
  }
}

interface SignedNotes {
  readonly headNote: string
  readonly keyringNotes: readonly string[]
}

/** Checkpoint first: a keyring is published before the keys in it sign, so that the keyrings read after a head know its keys. */
async function fetchSigned(source: LogSource): Promise<SignedNotes> {
  const headNote = await fetchText(source, "checkpoint", MAX_NOTE_BYTES)
  if (headNote === null) throw missing(source, "checkpoint")
  return { headNote, keyringNotes: await fetchKeyrings(source) }
}

const missing = (source: LogSource, path: string) =>
  new ToolsumError("RESOURCE_MISSING", `${quote(source.location)} has no ${path}: is it the public folder of a log?`)

const notUtf8: Bad = (why) => new ToolsumError("NOTE_MALFORMED", why)

/** Text of a file below public/, or null where nothing is. Throws NOTE_MALFORMED for what is no UTF-8, LOG_UNAVAILABLE. */
export async function fetchText(source: LogSource, path: string, maxBytes: number): Promise<string | null> {
  const bytes = await source.read(path, maxBytes)
  return bytes === null ? null : decodeUtf8(bytes, notUtf8)
}

/** Keyring notes from 1 to the first that is not there, read in growing groups: most logs have one or two. Throws RESOURCE_MISSING where
 *  there is none, and as `fetchText`. */
export async function fetchKeyrings(source: LogSource): Promise<readonly string[]> {
  const notes: string[] = []
  for (let group = 2; notes.length < MAX_KEYRINGS; group *= 2) {
    const versions = Array.from(
      { length: Math.min(group, MAX_KEYRINGS - notes.length) },
      (_, i) => notes.length + i + 1,
    )
    const read = await Promise.all(versions.map((n) => fetchText(source, `keyring/${n}`, MAX_KEYRING_BYTES)))
    for (const note of read) {
      if (note !== null) notes.push(note)
      else if (notes.length > 0) return notes
      else throw missing(source, "keyring/1")
    }
  }
  return notes
}

function requireProven(head: VerifiedHead): VerifiedHead {
  if (head.state !== "unproven") return head
  throw new ToolsumError("HEAD_UNPROVEN", `the head of size ${head.size} is signed by a retired key only`)
}

async function linkHeads(seen: SeenLog, heads: readonly PreviousHead[]): Promise<readonly HeadLink[]> {
  const links: HeadLink[] = []
  for (const known of heads) {
    const relation = await compareHeads({ view: seen.view, known, served: seen.head, earlier: known.earlier ?? [] })
    if (relation.kind === "behind") throw headWentBack(seen, known, null)
    if (relation.kind !== "ahead" || known.size === 0n) continue
    links.push({ older: known.size, newer: seen.head.size, proof: relation.proof })
  }
  return links
}
