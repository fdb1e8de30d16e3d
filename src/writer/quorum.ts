// Whether a signed checkpoint has the cosignatures that readers will demand: those of the policy in the newest keyring. Nothing that such
// readers would refuse is published, unless the owner typed out that it may be (brief 4.3). Asking witnesses is cosign.ts's.
import { type Cosignature, verifyCosignature } from "../core/cosignature.js"
import { attempt, quote, ToolsumError } from "../core/errors.js"
import { addSignatures, formatNote, type Note, parseNote } from "../core/note.js"
import { evaluatePolicy, type Policy } from "../core/policy.js"
import { ED25519_COSIGNATURE, type VerifierKey } from "../core/vkey.js"
import type { StoredTree } from "./stored-tree.js"

/** What to have cosigned, and by whom. */
export interface CosignRequest {
  /** The signed checkpoint, with the cosignatures that it has. */
  readonly checkpoint: string
  /** Its witnesses are asked; null: nobody. */
  readonly policy: Policy | null
  /** The checkpoint's tree. */
  readonly tree: StoredTree
  /** Size of the newest committed tree: nobody can have seen more. */
  readonly committed: bigint
  /** The published checkpoint, which tells how far each witness was; null where none is. */
  readonly published: string | null
  /** Ask also those whose cosignature is there: for a new time. */
  readonly refresh: boolean
}

/** What came of it. */
export interface Cosigned {
  /** Verified signature lines, without newlines. */
  readonly lines: readonly string[]
  /** Who did not cosign, and why, for people. */
  readonly absent: readonly string[]
}

/** Collects cosignatures. Throws LOG_REFUSED when somebody has seen more of the log than there is; what else it throws closes the log. */
export type Cosign = (request: CosignRequest) => Promise<Cosigned>

/** A cosignature and the line that it stands in. */
export interface CosignatureLine extends Cosignature {
  readonly line: string
}

/** The good cosignatures of a note by witnesses of `policies`, in the order of their lines. What does not verify is left out. */
export function readCosignatures(note: Note, policies: readonly (Policy | null)[]): readonly CosignatureLine[] {
  const keys = policies.flatMap((policy) => [...(policy?.witnesses.values() ?? [])].map(({ key }) => key))
  return note.signatures.flatMap((signature) => {
    const key = keys.find(
      ({ name, id, type }) => name === signature.name && id === signature.id && type === ED25519_COSIGNATURE,
    )
    const cosignature = key === undefined ? null : verified(note.text, signature, key)
    return cosignature === null ? [] : [{ ...cosignature, line: signature.line }]
  })
}

function verified(text: string, signature: Note["signatures"][number], key: VerifierKey): Cosignature | null {
  const cosignature = attempt(() => verifyCosignature({ text, signature, key }))
  return cosignature instanceof ToolsumError ? null : cosignature
}

/** True when readers under `policy` (null: none) take the note. */
export const meetsPolicy = (note: string, policy: Policy | null): boolean =>
  policy === null || evaluatePolicy(policy, { cosignatures: readCosignatures(parseNote(note), [policy]) }).satisfied

/** The note without the good cosignatures of `policies`: what the log itself signed, and lines of keys that nobody here knows. */
export function withoutCosignatures(note: string, policies: readonly (Policy | null)[]): string {
  const parsed = parseNote(note)
  const lines = readCosignatures(parsed, policies).map(({ line }) => line)
  return formatNote({ ...parsed, signatures: parsed.signatures.filter(({ line }) => !lines.includes(line)) })
}

/** A checkpoint with the cosignatures that could be had. `unmet`: why they are not enough. */
export interface GatheredNote {
  readonly note: string
  readonly unmet: ToolsumError | null
  readonly absent: readonly string[]
}

/** The checkpoint `request.checkpoint`, whose own lines are the log's, with the good cosignatures of `present` (a note of the same text, or
 *  null), `given` (lines that somebody brought) and of the witnesses that `cosign` asks: of each witness the newest. `kept`: policies whose
 *  cosignatures in `present` are kept as well. Throws as `cosign`. */
export async function gatherCosignatures(
  cosign: Cosign | undefined,
  request: Omit<CosignRequest, "checkpoint"> & {
    readonly signed: string
    readonly present: string | null
    readonly given: readonly string[]
    readonly kept: readonly (Policy | null)[]
  },
): Promise<GatheredNote> {
  const { policy, signed, present, kept, given } = request
  const own = parseNote(signed)
  const policies = kept.includes(policy) ? kept : [...kept, policy]
  const known = present === null ? [] : readCosignatures(parseNote(present), policies)
  const before = [...known.map(({ line }) => line), ...given]
  const asked = cosign ? await cosign({ ...request, checkpoint: withLines(own, before) }) : { lines: [], absent: [] }
  const all = readCosignatures(parseNote(withLines(own, [...before, ...asked.lines])), policies)
  const foreign = asked.lines.filter((line) => !all.some((one) => one.line === line))
  const note = withLines(own, [...newestOfEach(all), ...foreign])
  return {
    note,
    absent: asked.absent,
    unmet: meetsPolicy(note, policy) ? null : quorumUnmet(policy, note, asked.absent),
  }
}

const withLines = (note: Note, lines: readonly string[]): string => formatNote(addSignatures(note, lines))

/** The error for a line that somebody brought and that is no good cosignature of the checkpoint by a witness of the policy. Null: all are. */
export function findForeign(checkpoint: string, lines: readonly string[], policy: Policy): ToolsumError | null {
  const { text } = parseNote(checkpoint)
  const isCosignature = (line: string): boolean => {
    const note = attempt(() => addSignatures({ text, signatures: [] }, [line]))
    return !(note instanceof ToolsumError) && readCosignatures(note, [policy]).length > 0
  }
  const other = lines.find((line) => !isCosignature(line))
  if (other === undefined) return null
  return new ToolsumError(
    "USAGE",
    `expected a cosignature of the newest head by a witness of the policy, got ${quote(other)}`,
  )
}

/** One line of each witness, the newest. */
function newestOfEach(all: readonly CosignatureLine[]): readonly string[] {
  const newest = new Map<string, CosignatureLine>()
  for (const one of all) {
    const known = newest.get(one.key.vkey)
    if (known === undefined || known.timestamp < one.timestamp) newest.set(one.key.vkey, one)
  }
  return [...newest.values()].map(({ line }) => line)
}

/** Names of the witnesses of `policy` that have cosigned the note. */
export const countCosigners = (note: string, policy: Policy): readonly string[] =>
  evaluatePolicy(policy, { cosignatures: readCosignatures(parseNote(note), [policy]) }).counted

function quorumUnmet(policy: Policy | null, note: string, absent: readonly string[]): ToolsumError {
  const cosigners = policy === null ? [] : countCosigners(note, policy)
  const why = absent.length === 0 ? "" : `; ${absent.join("; ")}`
  return new ToolsumError(
    "LOG_UNAVAILABLE",
    `the quorum of the log's policy is not met: ${cosigners.length} of ${policy?.witnesses.size ?? 0} witnesses cosigned${why}`,
  )
}
