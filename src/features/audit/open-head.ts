// The head that is audited and the keys behind it, under what the caller trusts: a pinned root and the keyring chain that it starts, or keys
// of a log of another make. As `openLogClient` does, but what does not hold is a finding, and the audit goes on with what does.
import { fetchKeyrings, fetchText } from "../../client/open-log.js"
import { type Checkpoint, parseCheckpoint, verifyCheckpoint } from "../../core/checkpoint.js"
import { attempt, quote, ToolsumError } from "../../core/errors.js"
import { type VerifiedKeyring, verifyKeyring } from "../../core/keyring.js"
import { MAX_NOTE_BYTES, type OpenedNote } from "../../core/note.js"
import type { Policy } from "../../core/policy.js"
import { matchRoot, type PinnedRoot } from "../../core/root.js"
import { computeHeadAge, type VerifiedHead, verifyHead } from "../../core/tree-heads.js"
import type { VerifierKey } from "../../core/vkey.js"
import type { LogIdentity, LogSource } from "../../ports.js"
import type { Findings } from "./findings.js"

/** What the caller trusts. `roots`: a toolsum log, by its root. `keys`: any log, by its origin and keys; `policy`: witnesses that must have
 *  cosigned, null: none. */
export type AuditTrust =
  | {
      readonly kind: "roots"
      readonly roots: readonly PinnedRoot[]
      readonly expectedOrigin?: string
      /** A policy of the caller's own, which the head must meet beside its keyring's. */
      readonly witnessPolicy?: Policy | null
    }
  | {
      readonly kind: "keys"
      readonly origin: string
      readonly keys: readonly VerifierKey[]
      readonly policy: Policy | null
    }

/** The head of the audit: signed by a key of the log. */
export interface AuditedHead {
  readonly identity: LogIdentity
  readonly checkpoint: Checkpoint
  readonly note: OpenedNote
  /** As it was served. */
  readonly text: string
  /** Witnesses that counted. */
  readonly cosigners: number
  /** As `computeHeadAge`; null too where the head does not hold, and without a keyring. */
  readonly ageSec: number | null
  readonly root: PinnedRoot | null
  /** Null for a log without one. */
  readonly keyring: VerifiedKeyring | null
  /** Served keyrings from 1, verbatim, those that do not hold included. */
  readonly keyringNotes: readonly string[]
  /** Checks the note of another head as this one was, but for the quorum. Throws what `verifyCheckpoint` throws. */
  readonly openNote: (note: string | Uint8Array) => Checkpoint
}

/** Read and check the head. Null: what was found leaves nothing to audit. Throws RESOURCE_MISSING and LOG_UNAVAILABLE where no log can be
 *  read, ROOT_NOT_PINNED, and what is malformed. */
export async function openAuditedHead(p: {
  source: LogSource
  trust: AuditTrust
  nowSec: bigint
  findings: Findings
}): Promise<AuditedHead | null> {
  const { source, trust, findings } = p
  const text = await fetchText(source, "checkpoint", MAX_NOTE_BYTES)
  if (text === null)
    throw new ToolsumError(
      "RESOURCE_MISSING",
      `${quote(source.location)} has no checkpoint: is it the public folder of a log?`,
    )
  if (trust.kind === "keys") return openForeign(text, trust, p)
  const keyringNotes = await fetchKeyrings(source)
  const keyring = longestChain(keyringNotes, trust, p)
  if (keyring === null) return null
  const root = attempt(() => matchRoot(keyring, trust.roots))
  if (root instanceof ToolsumError) {
    if (root.kind !== "rejected") throw root
    findings.add("root_mismatch", "keyring/1", root.message)
    return null
  }
  return openUnderKeyring(text, { ...p, keyring, keyringNotes, root, witnessPolicy: trust.witnessPolicy ?? null })
}

/** The chain as far as it holds. */
function longestChain(
  notes: readonly string[],
  { expectedOrigin }: { expectedOrigin?: string },
  { nowSec, findings }: { nowSec: bigint; findings: Findings },
): VerifiedKeyring | null {
  const origin = expectedOrigin === undefined ? {} : { origin: expectedOrigin }
  for (let length = notes.length; length > 0; length--) {
    const chain = attempt(() => verifyKeyring({ notes: notes.slice(0, length), nowSec, ...origin }))
    if (!(chain instanceof ToolsumError)) {
      const { expires } = chain.newest
      if (chain.warnings.includes("keyring_expired"))
        findings.add("keyring_expired", `keyring/${length}`, `the newest keyring expired at ${expires}`)
      return chain
    }
    // A chain that fails at an earlier keyring fails again, and is told once.
    const before = length > 1 ? attempt(() => verifyKeyring({ notes: notes.slice(0, length - 1), ...origin })) : null
    if (before instanceof ToolsumError) continue
    // What cannot be read, such as a page of HTML, is no evidence.
    const code = chain.kind === "malformed" ? "keyring_unreadable" : "keyring_invalid"
    findings.add(code, `keyring/${length}`, chain.message)
  }
  return null
}

/** A log that is alive has its head cosigned again well within this time. */
const OLD_HEAD_SEC = 7 * 86_400

interface Opened {
  readonly checkpoint: Checkpoint
  readonly note: OpenedNote
}

function openUnderKeyring(
  text: string,
  p: {
    keyring: VerifiedKeyring
    keyringNotes: readonly string[]
    root: PinnedRoot
    witnessPolicy: Policy | null
    nowSec: bigint
    findings: Findings
  },
): AuditedHead | null {
  const { keyring, keyringNotes, root, witnessPolicy, nowSec, findings } = p
  const keys = keyring.newest.logs.map(({ key }) => key)
  const { origin } = keyring
  const head = attempt(() => verifyHead({ keyring, note: text, nowSec, witnessPolicy }))
  const opened =
    head instanceof ToolsumError
      ? reopen(head, text, { origin, keys, findings })
      : { note: head.note, cosigners: head.cosigners }
  if (opened === null) return null
  if ((keyring.newest.policy?.quorum ?? null) === null)
    findings.add(
      "no_witnesses",
      "checkpoint",
      "the log's keyring asks for no witnesses: nobody else vouches that all see the same log",
    )
  const ageSec = head instanceof ToolsumError ? null : computeHeadAge(head, nowSec)
  if (!(head instanceof ToolsumError)) noteHead(head, ageSec, findings)
  return {
    identity: { origin, root: keyring.fingerprint },
    checkpoint: parseCheckpoint(opened.note.text),
    ...opened,
    text,
    ageSec,
    root,
    keyring,
    keyringNotes,
    openNote: (note) => verifyCheckpoint({ note, origin, keys }).checkpoint,
  }
}

/** What is worth knowing of a head that holds. */
function noteHead({ state, size }: VerifiedHead, ageSec: number | null, findings: Findings): void {
  if (state === "unproven")
    findings.add("head_unproven", "checkpoint", `the head of size ${size} is signed by a retired key only`)
  if (ageSec !== null && ageSec >= OLD_HEAD_SEC)
    findings.add("head_old", "checkpoint", `the quorum cosigned the head ${ageSec} s ago: there may be a newer one`)
}

/** What is wrong with a head is a finding; one that a key of the log signed is audited all the same. */
function reopen(
  error: ToolsumError,
  note: string,
  { origin, keys, findings }: { origin: string; keys: readonly VerifierKey[]; findings: Findings },
): { note: OpenedNote; cosigners: number } | null {
  if (error.kind !== "rejected") throw error
  findings.add(error.code === "QUORUM_NOT_MET" ? "quorum_not_met" : "head_invalid", "checkpoint", error.message)
  const signed = keys
    .map((key) => attempt((): Opened => verifyCheckpoint({ note, origin, keys: [key] })))
    .find((opened) => !(opened instanceof ToolsumError))
  return signed === undefined || signed instanceof ToolsumError ? null : { note: signed.note, cosigners: 0 }
}

function openForeign(
  text: string,
  { origin, keys, policy }: AuditTrust & { kind: "keys" },
  { nowSec, findings }: { nowSec: bigint; findings: Findings },
): AuditedHead | null {
  const head = attempt(() => verifyCheckpoint({ note: text, origin, keys, policy, nowSec }))
  const opened =
    head instanceof ToolsumError
      ? reopen(head, text, { origin, keys, findings })
      : { note: head.note, cosigners: head.counted.length }
  if (opened === null) return null
  if (policy === null || policy.quorum === null)
    findings.add("no_witnesses", "checkpoint", "no policy says which witnesses must have cosigned the head")
  return {
    identity: { origin, root: keys.map(({ vkey }) => vkey).join(" ") },
    checkpoint: parseCheckpoint(opened.note.text),
    ...opened,
    text,
    ageSec: null,
    root: null,
    keyring: null,
    keyringNotes: [],
    openNote: (note) => verifyCheckpoint({ note, origin, keys }).checkpoint,
  }
}
