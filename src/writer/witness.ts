// Our witness (C2SP tlog-witness): cosigns a checkpoint of a log it knows when that extends the one it cosigned last, in the order of
// checks of the specification. Check and store are one step: two rivals for one size never both get a cosignature, and what is answered
// is durable before. HTTP is witness-http-server.ts's, files are witness-store-fs.ts's.
import { type AddCheckpoint, parseAddCheckpoint } from "../core/add-checkpoint.js"
import { decodeUtf8, encodeUtf8, equalBytes } from "../core/bytes.js"
import { parseCheckpoint } from "../core/checkpoint.js"
import { formatCosignature } from "../core/cosignature.js"
import { ToolsumError } from "../core/errors.js"
import { EMPTY_ROOT, type Hash } from "../core/hash.js"
import { type TreeHead, verifyConsistency } from "../core/merkle.js"
import { formatNote, MAX_NOTE_BYTES, MAX_NOTE_SIGNATURES, type Note, type OpenedNote, openNote } from "../core/note.js"
import { DEFAULT_SKEW_SEC } from "../core/policy.js"
import { parseSignatureLine } from "../core/signature-line.js"
import {
  computeVerifierKey,
  ED25519_COSIGNATURE,
  type SigningKey,
  samePublicKey,
  type VerifierKey,
} from "../core/vkey.js"
import type { Clock, WitnessStore } from "../ports.js"

/** What a witness answers, by the status of the specification. `why` is for people. */
export type WitnessAnswer =
  /** Cosigned, and remembered durably: signature lines without newlines. */
  | { readonly status: 200; readonly lines: readonly string[] }
  /** Another size than `old` was cosigned last, or none: 0. */
  | { readonly status: 409; readonly size: bigint }
  | { readonly status: 400 | 403 | 404 | 422 | 429 | 503; readonly why: string }

/** A witness for some logs. */
export interface Witness {
  /** Its key of type 0x04. */
  readonly key: VerifierKey
  readonly origins: readonly string[]
  /** Judge the body of an add-checkpoint request. Throws STATE_CORRUPT and IO_FAILED of its own store, and then nothing was cosigned. */
  addCheckpoint(body: Uint8Array): Promise<WitnessAnswer>
  /** The tree that was cosigned last, with its note; null before the first and for a log that it does not know. Throws as `addCheckpoint`. */
  latest(origin: string): Promise<WitnessedHead | null>
}

/** What a witness remembers of a log. */
export interface WitnessedHead extends TreeHead {
  /** The checkpoint with the log's signatures and the cosignature. */
  readonly note: string
  /** POSIX seconds of the cosignature. */
  readonly timestamp: bigint
}

/** Most requests of one log that wait for their turn. */
export const MAX_WAITING_REQUESTS = 128
const MAX_SWAPS = 8

/** A witness with the key `key` for the logs whose keys are `logKeys`: the name of each is its log's origin, and one log may have
 *  several. Throws CONFIG_INVALID for keys of another type, without any, and for a log key that is the witness's own. */
export function createWitness(p: {
  readonly key: SigningKey
  readonly logKeys: readonly VerifierKey[]
  readonly store: WitnessStore
  readonly clock: Clock
}): Witness {
  const { key: signer, store, clock } = p
  const key = computeVerifierKey({ name: signer.name, type: ED25519_COSIGNATURE, publicKey: signer.publicKey })
  const logs = groupByOrigin(p.logKeys, key)
  const takeTurn = createTurns()

  const read = async (origin: string): Promise<Remembered> => {
    const bytes = await store.read(key.vkey, origin)
    return { bytes, head: bytes === null ? null : parseWitnessed(bytes, origin, key) }
  }
  const cosign = async (claim: Claim): Promise<WitnessAnswer> => {
    for (let swaps = 0; swaps < MAX_SWAPS; swaps++) {
      const { bytes, head } = await read(claim.origin)
      const refusal = judgeExtension(claim, head)
      if (refusal !== null) return refusal
      const timestamp = chooseTime(BigInt(Math.floor(clock())), head)
      if (timestamp === null) return unavailable("the clock of this witness is behind its last cosignature")
      const line = formatCosignature({ text: claim.request.note.text, key: signer, timestamp })
      const next = formatKept(claim, line)
      if (next === null) return { status: 400, why: "the note leaves no room for a cosignature" }
      const isStored = bytes !== null && equalBytes(bytes, next)
      if (isStored || (await store.compareAndSwap(key.vkey, claim.origin, bytes, next)))
        return { status: 200, lines: [line] }
    }
    return busy()
  }
  return {
    key,
    origins: [...logs.keys()],
    latest: async (origin) => (logs.has(origin) ? (await read(origin)).head : null),
    addCheckpoint: async (body) => {
      const claim = readClaim(body, logs)
      if ("status" in claim) return claim
      return (await takeTurn(claim.origin, () => cosign(claim))) ?? busy()
    },
  }
}

function groupByOrigin(keys: readonly VerifierKey[], own: VerifierKey): ReadonlyMap<string, readonly VerifierKey[]> {
  const logs = new Map<string, VerifierKey[]>()
  for (const key of keys) {
    const why = samePublicKey(key, own) ? "the witness's own key, which must sign nothing else" : null
    if (why !== null || key.type === ED25519_COSIGNATURE)
      throw new ToolsumError("CONFIG_INVALID", `expected keys of logs, got ${why ?? "a cosigner's"}`)
    const known = logs.get(key.name) ?? []
    if (!known.some(({ vkey }) => vkey === key.vkey)) known.push(key)
    logs.set(key.name, known)
  }
  if (logs.size === 0) throw new ToolsumError("CONFIG_INVALID", "expected the key of at least one log")
  return logs
}

interface Remembered {
  readonly bytes: Uint8Array | null
  readonly head: WitnessedHead | null
}

/** A request that a key of the log has signed. `head`: null where the tree is said to be empty and its root hash says otherwise. */
interface Claim {
  readonly origin: string
  readonly size: bigint
  readonly rootHash: Hash | null
  readonly request: AddCheckpoint
  readonly opened: OpenedNote
}

type Refusal = Exclude<WitnessAnswer, { readonly status: 200 }>

/** Everything that can be judged without what is remembered: form, origin, signature, and whether the sizes are in order. */
function readClaim(body: Uint8Array, logs: ReadonlyMap<string, readonly VerifierKey[]>): Claim | Refusal {
  try {
    const request = parseAddCheckpoint(body)
    const head = parseHead(request.note)
    const keys = logs.get(head.origin)
    if (keys === undefined) return { status: 404, why: "this witness does not know the log" }
    const opened = openSigned(request.note, keys)
    if (opened === null) return { status: 403, why: "expected a good signature by a key of the log, and no bad one" }
    if (request.old > head.size) return { status: 400, why: `old ${request.old} is above the size ${head.size}` }
    return { ...head, request, opened }
  } catch (error) {
    if (error instanceof ToolsumError && error.kind === "malformed") return { status: 400, why: error.message }
    throw error
  }
}

/** A wrong root hash of the empty tree is refused in its turn only, after the checks of who signed and what was seen. */
function parseHead({ text }: Note): Pick<Claim, "origin" | "size" | "rootHash"> {
  try {
    return parseCheckpoint(text)
  } catch (error) {
    if (!(error instanceof ToolsumError && error.code === "HASH_MISMATCH")) throw error
    return { origin: text.slice(0, text.indexOf("\n")), size: 0n, rootHash: null }
  }
}

/** Null when no key of the log has signed, or a line of one is bad. */
function openSigned(note: Note, keys: readonly VerifierKey[]): OpenedNote | null {
  try {
    return openNote(note, keys)
  } catch (error) {
    if (error instanceof ToolsumError && error.code === "SIGNATURE_INVALID") return null
    throw error
  }
}

/** Why the claimed tree is not known to extend the one that was cosigned last; null when it does. */
function judgeExtension(claim: Claim, last: WitnessedHead | null): Refusal | null {
  const { size, rootHash, request } = claim
  const known = last ?? { size: 0n, rootHash: EMPTY_ROOT }
  if (request.old !== known.size) return { status: 409, size: known.size }
  if (rootHash === null) return unprocessable("the root hash of size 0 is not that of the empty tree")
  if (known.size === 0n) {
    return request.proof.length === 0 ? null : unprocessable("expected no proof from size 0")
  }
  try {
    verifyConsistency({ older: known, newer: { size, rootHash }, proof: request.proof })
    return null
  } catch (error) {
    if (error instanceof ToolsumError && error.code === "CONSISTENCY_INVALID") return unprocessable(error.message)
    throw error
  }
}

const unprocessable = (why: string): Refusal => ({ status: 422, why })
const unavailable = (why: string): Refusal => ({ status: 503, why })
const busy = (): Refusal => ({ status: 429, why: "too many requests for this log; try again" })

/** Never earlier than the last cosignature of the log. A clock that is behind it by what readers allow clocks to differ goes on from
 *  there; one that is further behind knows no time at all: null. */
function chooseTime(nowSec: bigint, last: WitnessedHead | null): bigint | null {
  if (nowSec < 1n) return null
  if (last === null || nowSec >= last.timestamp) return nowSec
  return last.timestamp - nowSec <= DEFAULT_SKEW_SEC ? last.timestamp : null
}

/** What is kept of a note: one line of each key that was checked, and the cosignature. Null when that is longer than a note may be, so that
 *  nobody, this witness included, could read it again. */
function formatKept({ opened }: Claim, line: string): Uint8Array | null {
  const checked = opened.verified.flatMap(
    (key) => opened.signatures.find(({ name, id }) => key.name === name && key.id === id) ?? [],
  )
  const own = parseSignatureLine(line, (why) => new ToolsumError("COSIGNATURE_MALFORMED", why))
  const note = encodeUtf8(formatNote({ text: opened.text, signatures: [...checked, own] }))
  return note.length > MAX_NOTE_BYTES || checked.length >= MAX_NOTE_SIGNATURES ? null : note
}

/** Read what is remembered of a log: a note that vouches for itself by the witness's own cosignature. Throws STATE_CORRUPT. */
function parseWitnessed(bytes: Uint8Array, origin: string, key: VerifierKey): WitnessedHead {
  const bad = (why: string, cause?: unknown) =>
    new ToolsumError("STATE_CORRUPT", `what this witness remembers of a log is damaged: ${why}`, { cause })
  try {
    const note = decodeUtf8(bytes, bad)
    const opened = openNote(note, [key])
    const head = parseCheckpoint(opened.text)
    const [own, ...more] = opened.cosignatures
    if (head.origin !== origin || own === undefined || more.length > 0)
      throw bad("expected one cosignature of this log")
    return { size: head.size, rootHash: head.rootHash, note, timestamp: own.timestamp }
  } catch (error) {
    if (!(error instanceof ToolsumError) || error.code === "STATE_CORRUPT") throw error
    throw bad(error.message, error)
  }
}

/** One request of a log at a time within this process, in the order they came; null for one more than may wait. Among processes the
 *  store's compare-and-swap decides. */
function createTurns(): <T>(origin: string, work: () => Promise<T>) => Promise<T | null> {
  const lanes = new Map<string, { last: Promise<unknown>; waiting: number }>()
  return async (origin, work) => {
    const lane = lanes.get(origin) ?? { last: Promise.resolve(), waiting: 0 }
    lanes.set(origin, lane)
    if (lane.waiting >= MAX_WAITING_REQUESTS) return null
    lane.waiting++
    const turn = lane.last.then(work)
    lane.last = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      lane.waiting--
    }
  }
}
