// Policies (C2SP tlog-policy, brief 1.8): logs, witnesses, nested k-of-n groups, one quorum. The reader is strict where others fail
// open: threshold 0, groups of nobody, a second quorum line, cut comments, duplicate keys, a member in two groups.
// `quorumTolerance` says how many bad witnesses a quorum survives (brief 4.2). Opening the note is checkpoint.ts's.
import { decodeUtf8, encodeUtf8, formatHex } from "./bytes.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import type { OpenedNote } from "./note.js"
import { ED25519_COSIGNATURE, ED25519_NOTE, ML_DSA_COSIGNATURE, parseVkey, type VerifierKey } from "./vkey.js"

/** Longest policy file. */
export const MAX_POLICY_BYTES = 64 * 1024
/** Most logs, witnesses and groups, each. The specification asks for 32. */
export const MAX_POLICY_MEMBERS = 256
/** How far in the future a cosignature may lie when the caller gives a time but no limit: 5 minutes. */
export const DEFAULT_SKEW_SEC = 300n
/** Most witnesses whose subsets are tried by `quorumTolerance`. */
export const MAX_TOLERANCE_WITNESSES = 16

/** A log that the policy accepts; the key's name is its origin. */
export interface PolicyLog {
  readonly key: VerifierKey
  readonly url: string | null
}

/** A witness. A key of type 0x06 is never verified, so it never counts. */
export interface PolicyWitness {
  readonly name: string
  readonly key: VerifierKey
  readonly url: string | null
}

/** A group has witnessed a checkpoint when at least `threshold` of its members (witnesses, earlier groups) have. */
export interface PolicyGroup {
  readonly name: string
  readonly threshold: number
  readonly members: readonly string[]
}

/** A policy. Names are opaque octets: the text of the file's UTF-8 or, where it is none, one character per octet. */
export interface Policy {
  readonly logs: readonly PolicyLog[]
  readonly witnesses: ReadonlyMap<string, PolicyWitness>
  readonly groups: ReadonlyMap<string, PolicyGroup>
  /** Name of a witness or group; null when nobody needs to cosign. */
  readonly quorum: string | null
  /** The file as it was read. */
  readonly source: Uint8Array
}

/** Which witnesses cosigned, and whether that is enough. */
export interface PolicyVerdict {
  readonly satisfied: boolean
  /** Names of the witnesses with a good cosignature, each once. */
  readonly counted: readonly string[]
  /** Names of those whose only cosignatures lie too far in the future; not counted. */
  readonly early: readonly string[]
}

/** What a quorum survives. */
export interface QuorumTolerance {
  /** Witnesses that can count towards it. */
  readonly witnesses: number
  /** Dishonest ones with which it still cannot vouch for two trees; null when two checkpoints need not share a witness at all. */
  readonly dishonest: number | null
  /** Absent ones with which it can still be met; null when it can never be met. */
  readonly down: number | null
}

interface Draft {
  readonly logs: PolicyLog[]
  readonly witnesses: Map<string, PolicyWitness>
  readonly groups: Map<string, PolicyGroup>
  readonly publicKeys: Set<string>
  readonly members: Set<string>
  quorum: string | undefined
}

const malformed: Bad = (why) => new ToolsumError("POLICY_MALFORMED", why)
const NONE = "none"

/** Read a policy file. Throws POLICY_MALFORMED, and KEY_LOW_ORDER for a key that signs any message. */
export function parsePolicy(input: Uint8Array | string): Policy {
  const source = typeof input === "string" ? encodeUtf8(input) : input.slice()
  const draft: Draft = {
    logs: [],
    witnesses: new Map(),
    groups: new Map(),
    publicKeys: new Set(),
    members: new Set(),
    quorum: undefined,
  }
  for (const line of readLines(source)) {
    const fields = line.split(/[ \t]+/).filter((field) => field !== "")
    if (fields[0] !== undefined && !fields[0].startsWith("#")) readLine(draft, fields[0], fields.slice(1))
  }
  const { logs, witnesses, groups, quorum } = draft
  if (quorum === undefined) throw malformed("expected one quorum line")
  return { logs, witnesses, groups, quorum: quorum === NONE ? null : quorum, source }
}

/** Which witnesses of `policy` cosigned `note`, and whether they meet its quorum. A witness counts once, whatever its lines. With
 *  `nowSec` (POSIX seconds), cosignatures later than `nowSec` + `skewSec` do not count. */
export function evaluatePolicy(
  policy: Policy,
  note: Pick<OpenedNote, "cosignatures">,
  options: { nowSec?: bigint; skewSec?: bigint } = {},
): PolicyVerdict {
  const latest = options.nowSec === undefined ? null : options.nowSec + (options.skewSec ?? DEFAULT_SKEW_SEC)
  const counted: string[] = []
  const early: string[] = []
  for (const { name, key } of policy.witnesses.values()) {
    const own = note.cosignatures.filter((cosignature) => cosignature.key.vkey === key.vkey)
    if (own.some(({ timestamp }) => latest === null || timestamp <= latest)) counted.push(name)
    else if (own.length > 0) early.push(name)
  }
  return { satisfied: isSatisfied(policy, new Set(counted)), counted, early }
}

/** When the quorum last stood: the newest time T (POSIX seconds) such that the cosignatures from T on satisfy it, which for k of n is the
 *  k-th newest (brief 2.1, step 7). Cosignatures later than `latestSec` do not count. Null when the quorum is not met, or is nobody's. */
export function computeQuorumTime(
  policy: Policy,
  { cosignatures }: Pick<OpenedNote, "cosignatures">,
  latestSec: bigint,
): bigint | null {
  const newestOf = (name: string): bigint | null => {
    const vkey = policy.witnesses.get(name)?.key.vkey
    const own = cosignatures.filter(({ key, timestamp }) => key.vkey === vkey && timestamp <= latestSec)
    return newest(own.map(({ timestamp }) => timestamp))[0] ?? null
  }
  const timeOf = (name: string): bigint | null => {
    const group = policy.groups.get(name)
    if (!group) return newestOf(name)
    return newest(group.members.map(timeOf).filter((time) => time !== null))[group.threshold - 1] ?? null
  }
  return policy.quorum === null ? null : timeOf(policy.quorum)
}

const newest = (times: readonly bigint[]): readonly bigint[] => [...times].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))

/** How many dishonest and how many absent witnesses the quorum survives, by trying every subset of its witnesses; null when there
 *  are more than 16 of them. Two conflicting trees need two satisfying sets, and only a dishonest witness is in both. */
export function quorumTolerance(policy: Policy): QuorumTolerance | null {
  const names = quorumWitnesses(policy)
  const n = names.length
  if (n > MAX_TOLERANCE_WITNESSES) return null
  const full = 2 ** n - 1
  // missing[set]: how many more witnesses the set needs; counted down from the full set.
  const missing = new Uint8Array(full + 1)
  for (let set = full; set >= 0; set--) missing[set] = stillMissing(policy, names, set, missing)
  if ((missing[full] ?? NEVER) === NEVER) return { witnesses: n, dishonest: null, down: null }
  let shared = n
  let blocking = n + 1
  for (let set = 0; set <= full; set++) {
    const absent = n - countBits(set)
    if (missing[set] === 0) shared = Math.min(shared, missing[full ^ set] ?? n)
    else blocking = Math.min(blocking, absent)
  }
  return { witnesses: n, dishonest: shared === 0 ? null : shared - 1, down: blocking - 1 }
}

const NEVER = 255

function stillMissing(policy: Policy, names: readonly string[], set: number, missing: Uint8Array): number {
  if (isSatisfied(policy, new Set(names.filter((_, i) => set & (1 << i))))) return 0
  let least = NEVER
  for (let i = 0; i < names.length; i++) {
    if (!(set & (1 << i))) least = Math.min(least, (missing[set | (1 << i)] ?? NEVER) + 1)
  }
  return Math.min(least, NEVER)
}

const countBits = (set: number): number => set.toString(2).replaceAll("0", "").length

// The witnesses below the quorum that can count. Each name is a member once, so that nothing is met twice.
function quorumWitnesses(policy: Policy): readonly string[] {
  const below = (name: string): readonly string[] =>
    policy.groups.get(name)?.members.flatMap(below) ??
    (policy.witnesses.get(name)?.key.type === ED25519_COSIGNATURE ? [name] : [])
  return policy.quorum === null ? [] : below(policy.quorum)
}

function isSatisfied(policy: Policy, cosigned: ReadonlySet<string>): boolean {
  const met = (name: string): boolean => {
    const group = policy.groups.get(name)
    return group ? group.members.filter(met).length >= group.threshold : cosigned.has(name)
  }
  return policy.quorum === null || met(policy.quorum)
}

function readLines(source: Uint8Array): readonly string[] {
  if (source.length > MAX_POLICY_BYTES) throw malformed("policy too long")
  if (source.some((octet) => (octet < 0x20 && octet !== 0x09 && octet !== 0x0a) || octet === 0x7f)) {
    throw malformed("policy with a control character")
  }
  const text = decodeOctets(source)
  if (!text.endsWith("\n")) throw malformed("expected a newline after the last line")
  return text.slice(0, -1).split("\n")
}

// One decoding for the whole file, so that different octets stay different names.
function decodeOctets(source: Uint8Array): string {
  try {
    return decodeUtf8(source, malformed)
  } catch {
    return Array.from(source, (octet) => String.fromCharCode(octet)).join("")
  }
}

function readLine(draft: Draft, keyword: string, fields: readonly string[]): void {
  if (keyword === "log") readLog(draft, fields)
  else if (keyword === "witness") readWitness(draft, fields)
  else if (keyword === "group") readGroup(draft, fields)
  else if (keyword === "quorum") readQuorum(draft, fields)
  else throw malformed(`unknown line ${quote(keyword)}`)
}

function readLog(draft: Draft, [vkey, url, ...rest]: readonly string[]): void {
  if (vkey === undefined || rest.length > 0) throw malformed("expected: log VKEY [URL]")
  if (draft.logs.length >= MAX_POLICY_MEMBERS) throw malformed(`more than ${MAX_POLICY_MEMBERS} logs`)
  draft.logs.push({ key: readKey(draft, vkey, [ED25519_NOTE]), url: url ?? null })
}

function readWitness(draft: Draft, [name, vkey, url, ...rest]: readonly string[]): void {
  if (name === undefined || vkey === undefined || rest.length > 0) throw malformed("expected: witness NAME VKEY [URL]")
  define(draft, name)
  const key = readKey(draft, vkey, [ED25519_COSIGNATURE, ML_DSA_COSIGNATURE])
  draft.witnesses.set(name, { name, key, url: url ?? null })
}

function readGroup(draft: Draft, [name, k, ...members]: readonly string[]): void {
  if (name === undefined || k === undefined || members.length === 0) throw malformed("expected: group NAME K MEMBER…")
  define(draft, name)
  for (const member of members) {
    if (!isDefined(draft, member)) throw malformed(`group member ${quote(member)} is not defined above`)
    if (draft.members.has(member)) throw malformed(`${quote(member)} is a group member twice`)
    draft.members.add(member)
  }
  // Set after its members are read, so that no group contains itself.
  draft.groups.set(name, { name, threshold: readThreshold(k, members.length), members })
}

function readThreshold(k: string, n: number): number {
  if (k === "any") return 1
  if (k === "all") return n
  const threshold = /^[1-9][0-9]{0,4}$/.test(k) ? Number(k) : 0
  if (threshold < 1 || threshold > n) throw malformed(`expected a threshold of 1 to ${n}, any or all, got ${quote(k)}`)
  return threshold
}

function readQuorum(draft: Draft, [name, ...rest]: readonly string[]): void {
  if (name === undefined || rest.length > 0) throw malformed("expected: quorum NAME")
  if (draft.quorum !== undefined) throw malformed("a second quorum line")
  if (name !== NONE && !isDefined(draft, name)) throw malformed(`quorum ${quote(name)} is not defined above`)
  draft.quorum = name
}

function readKey(draft: Draft, text: string, types: readonly number[]): VerifierKey {
  const key = parseVkey(text, malformed)
  if (!types.includes(key.type)) throw malformed(`a key of type ${key.type} has no place there`)
  const publicKey = formatHex(key.publicKey)
  if (draft.publicKeys.has(publicKey)) throw malformed(`public key of ${quote(text)} is there twice`)
  draft.publicKeys.add(publicKey)
  return key
}

const isDefined = (draft: Draft, name: string): boolean => draft.witnesses.has(name) || draft.groups.has(name)

function define(draft: Draft, name: string): void {
  if (name === NONE || isDefined(draft, name)) throw malformed(`name ${quote(name)} is taken`)
  if (Math.max(draft.witnesses.size, draft.groups.size) >= MAX_POLICY_MEMBERS) {
    throw malformed(`more than ${MAX_POLICY_MEMBERS} witnesses or groups`)
  }
}
