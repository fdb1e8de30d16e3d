// The log's side of witnessing (C2SP tlog-witness, brief 4.3): asks all witnesses of a policy at the same time, each from the size that it
// has, and takes only cosignatures that verify. One that does not answer in time, or refuses, is absent; one that has seen more of this
// log than there is stops it. Whether what came is enough is quorum.ts's to say, and when it is published publish.ts's.

import { formatAddCheckpoint } from "../core/add-checkpoint.js"
import { decodeUtf8, parseDecimal } from "../core/bytes.js"
import { verifyCosignature } from "../core/cosignature.js"
import { attempt, quote, ToolsumError } from "../core/errors.js"
import type { Hash } from "../core/hash.js"
import { type Note, parseNote } from "../core/note.js"
import { DEFAULT_SKEW_SEC, evaluatePolicy, type Policy, type PolicyWitness } from "../core/policy.js"
import { type NoteSignature, parseSignatureLine } from "../core/signature-line.js"
import { ED25519_COSIGNATURE, samePublicKey, type VerifierKey } from "../core/vkey.js"
import { createDeadline } from "../deadline.js"
import type { Clock, WitnessReply, WitnessService } from "../ports.js"
import { parseHead } from "./history.js"
import { type Cosign, type Cosigned, type CosignRequest, readCosignatures } from "./quorum.js"
import { refused } from "./refused.js"
import type { StoredTree } from "./stored-tree.js"

/** How witnesses are asked. */
export interface CosignOptions {
  /** The way to a witness, or null where none leads there. */
  readonly connect: (witness: PolicyWitness) => WitnessService | null
  readonly clock: Clock
  /** The policy of the keyring that is published next, if one is. A witness that it leaves out is not asked any more: one that says, without
   *  any proof, that it has seen more stops the log, but not the keyring that removes it. What it shows signed by the log still counts
   *  (witness-memory.ts). */
  readonly next?: { readonly policy: Policy | null } | undefined
  /** For all that one witness does. */
  readonly timeoutMs?: number
  /** How long those that are late are waited for once the quorum is met. */
  readonly graceMs?: number
}

const TIMEOUT_MS = 10_000
const GRACE_MS = 1_000
/** Questions to one witness: it may have another size than thought, and a rival may be asking it too. */
const MAX_QUESTIONS = 3
const SIZE_TYPE = "text/x.tlog.size"
const MAX_SIZE_BODY = 20

/** A way to collect cosignatures over `connect`. */
export function createCosign(options: CosignOptions): Cosign {
  return async (request) => {
    const { policy } = request
    if (policy === null) return { lines: [], absent: [] }
    const note = parseNote(request.checkpoint)
    const present = request.refresh
      ? new Set<string>()
      : new Set(readCosignatures(note, [policy]).map(({ key }) => key.vkey))
    const wanted = [...policy.witnesses.values()].filter(({ key }) => !present.has(key.vkey))
    const staying = wanted.filter(({ key }) => stays(key, options))
    const { lines, absent: away } = await askAll(staying, { ...request, policy, note }, options)
    const leaving = wanted.filter((witness) => !staying.includes(witness))
    return {
      lines,
      absent: [...away, ...leaving.map((one) => `${nameOf(one)}: left out of the next policy, not asked`)],
    }
  }
}

const stays = (key: VerifierKey, { next }: CosignOptions): boolean =>
  next === undefined || [...(next.policy?.witnesses.values() ?? [])].some((other) => samePublicKey(other.key, key))

interface Asking extends CosignRequest {
  readonly policy: Policy
  readonly note: Note
}

type Outcome = { readonly line: string } | { readonly absent: string }

/** Ask at the same time; when the quorum is met, the rest has `graceMs` left. */
async function askAll(witnesses: readonly PolicyWitness[], asking: Asking, options: CosignOptions): Promise<Cosigned> {
  const { timeoutMs = TIMEOUT_MS, graceMs = GRACE_MS } = options
  const late = new AbortController()
  let timer: NodeJS.Timeout | null = null
  const proofs = shareProofs(asking.tree)
  const lines: string[] = []
  const take = (outcome: Outcome): Outcome => {
    if ("line" in outcome) lines.push(outcome.line)
    if (timer === null && isMet(asking, lines)) timer = setTimeout(() => late.abort(), graceMs)
    return outcome
  }
  const ask = async (witness: PolicyWitness): Promise<Outcome> => {
    const signal = AbortSignal.any([late.signal, createDeadline(timeoutMs)])
    const nowSec = () => BigInt(Math.floor(options.clock()))
    const question = { ...asking, proofs, signal, nowSec }
    return take(
      await unlessAbsent(witness, signal, async () => {
        const service = options.connect(witness)
        return service === null ? absent(witness, "no URL") : askWitness(witness, service, question)
      }),
    )
  }
  try {
    const outcomes = await Promise.all(witnesses.map(ask))
    return { lines, absent: outcomes.flatMap((outcome) => ("absent" in outcome ? [outcome.absent] : [])) }
  } finally {
    if (timer !== null) clearTimeout(timer)
    late.abort() // when one has stopped the log, the others need not be waited for
  }
}

function isMet({ policy, note }: Asking, lines: readonly string[]): boolean {
  const signatures = [...note.signatures, ...lines.map(readLine)]
  return evaluatePolicy(policy, { cosignatures: readCosignatures({ ...note, signatures }, [policy]) }).satisfied
}

const readLine = (line: string): NoteSignature =>
  parseSignatureLine(line, (why) => new ToolsumError("COSIGNATURE_MALFORMED", why))

/** The proof from each size once, however many witnesses have it. */
function shareProofs(tree: StoredTree): (old: bigint) => Promise<readonly Hash[]> {
  const proofs = new Map<bigint, Promise<readonly Hash[]>>()
  return (old) => {
    const known = proofs.get(old) ?? tree.proveFrom(old)
    proofs.set(old, known)
    return known
  }
}

/** Whatever keeps a witness from answering makes it absent; what is wrong with the log itself, or with this program, does not. */
async function unlessAbsent(
  witness: PolicyWitness,
  signal: AbortSignal,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted) return absent(witness, "no answer in time")
    if (error instanceof ToolsumError && ABSENT.includes(error.code)) return absent(witness, error.message)
    throw error
  }
}

const ABSENT: readonly string[] = ["LOG_UNAVAILABLE", "TIMEOUT", "TARGET_NOT_ACCEPTED", "CONFIG_INVALID"]

/** What to do about an answer, by its status (the witness protocol's: 403 is a note without a known good signature, 404 an unknown origin). */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [403, ", so its --log wants the log's newest key (toolsum log keyring shows it)"],
  [404, ", so its --log wants this log's key (toolsum log keyring shows it)"],
])

const nameOf = ({ name }: PolicyWitness): string => quote(name)
const absent = (witness: PolicyWitness, why: string): Outcome => ({ absent: `${nameOf(witness)}: ${why}` })

interface Question extends Asking {
  readonly proofs: (old: bigint) => Promise<readonly Hash[]>
  readonly signal: AbortSignal
  readonly nowSec: () => bigint
}

async function askWitness(witness: PolicyWitness, service: WitnessService, question: Question): Promise<Outcome> {
  const { note, committed, signal } = question
  const { size } = parseHead(question.checkpoint)
  let old = lastSeenBy(witness, question)
  for (let asked = 0; asked < MAX_QUESTIONS; asked++) {
    const proof = old === 0n || old === size ? [] : await question.proofs(old)
    const reply = await service.addCheckpoint(formatAddCheckpoint({ old, proof, note }), signal)
    if (reply.status === 200) return readCosignature(witness, reply, question)
    if (reply.status !== 409)
      return absent(witness, `HTTP status ${reply.status}${reasonOf(reply)}${ADVICE.get(reply.status) ?? ""}`)
    const seen = readSize(reply)
    if (seen === null) return absent(witness, "HTTP status 409 without a size")
    if (seen > committed)
      throw refused(
        `witness ${nameOf(witness)} says that it has cosigned size ${seen}, this log has only ${committed}`,
        undefined,
        "; if it is neither, the witness is wrong: toolsum log policy with a policy that leaves it out",
      )
    if (seen > size) return absent(witness, `has cosigned size ${seen} already`)
    if (seen === old) break
    old = seen
  }
  return absent(witness, "cannot say which size it has cosigned last")
}

/** What the published checkpoint says of how far a witness is: its size where it cosigned that, else nothing. */
function lastSeenBy({ key }: PolicyWitness, { published, policy }: Question): bigint {
  if (published === null) return 0n
  const own = readCosignatures(parseNote(published), [policy]).some((cosignature) => cosignature.key.vkey === key.vkey)
  return own ? parseHead(published).size : 0n
}

/** Its own cosignature among the lines of a 200. */
function readCosignature(witness: PolicyWitness, { body }: WitnessReply, { note, nowSec }: Question): Outcome {
  const { key } = witness
  try {
    const bad = (why: string) => new ToolsumError("COSIGNATURE_MALFORMED", why)
    const text = decodeUtf8(body, bad)
    const lines = text.endsWith("\n") ? text.slice(0, -1).split("\n") : []
    const own = lines.map(readLine).find(({ name, id }) => name === key.name && id === key.id)
    if (own === undefined || key.type !== ED25519_COSIGNATURE) return absent(witness, "answers without its cosignature")
    const { timestamp } = verifyCosignature({ text: note.text, signature: own, key })
    if (timestamp === 0n) return absent(witness, "cosigns without a time")
    if (timestamp > nowSec() + DEFAULT_SKEW_SEC) return absent(witness, `its clock is ahead, at ${timestamp}`)
    return { line: own.line }
  } catch (error) {
    if (error instanceof ToolsumError) return absent(witness, error.message)
    throw error
  }
}

/** The size in a 409: one decimal and a newline, of the content type that says so; null for anything else. */
function readSize({ contentType, body }: WitnessReply): bigint | null {
  if (contentType !== SIZE_TYPE || body.length > MAX_SIZE_BODY) return null
  const bad = (why: string) => new ToolsumError("PROTOCOL_MALFORMED", why)
  const size = attempt(() => parseDecimal(decodeUtf8(body, bad).replace(/\n$/, ""), bad))
  return size instanceof ToolsumError || body.at(-1) !== 0x0a ? null : size
}

const MAX_REASON_CHARS = 120

/** What a witness says why it refuses: its word, quoted. */
function reasonOf({ body }: WitnessReply): string {
  const text = new TextDecoder().decode(body).trim()
  return text === "" ? "" : `, ${quote(text, MAX_REASON_CHARS)}`
}
