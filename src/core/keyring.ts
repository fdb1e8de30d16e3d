// Keyring chains (DESIGN 6, formats 23-26, brief 3.3): from one pinned fingerprint over every rotation to the newest keyring. Each
// is signed by a threshold of its own root keys and of those before. A failure anywhere refuses the whole chain. What the newest
// one's log keys may sign is judged in tree-heads.ts; that a keyring is also a log entry is `audit`'s to check.
import { encodeUtf8, equalBytes, formatHex } from "./bytes.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import { EMPTY_ROOT, type Hash, sha256 } from "./hash.js"
import { type Keyring, parseKeyringText } from "./keyring-text.js"
import { formatNote, type Note, openNote, parseNote } from "./note.js"
import { computeRootFingerprint, type KeyringFloor } from "./root.js"
import { countPublicKeys, samePublicKey, type VerifierKey } from "./vkey.js"

/** Longest keyring note. */
export const MAX_KEYRING_BYTES = 16 * 1024
/** Most keyrings of a chain. */
export const MAX_KEYRINGS = 1024

/** A keyring as it came, signatures unchecked. */
export interface KeyringNote extends Keyring {
  readonly note: Note
}

/** A chain whose every link holds. Trusted only as far as its fingerprint is: compare that with a pinned root. */
export interface VerifiedKeyring {
  readonly origin: string
  /** Fingerprint of the root keys of keyring 1. It stays the same however often keys rotate. */
  readonly fingerprint: string
  /** Every keyring from version 1 on. */
  readonly chain: readonly KeyringNote[]
  /** The last of them: it decides which log keys exist, and which witnesses must cosign. */
  readonly newest: KeyringNote
  /** SHA-256 of the newest keyring's text: with its version the floor to remember. */
  readonly digest: Hash
  /** `keyring_expired` */
  readonly warnings: readonly string[]
  /** Throws KEYRING_INVALID unless the chain reaches `floor` and has exactly that keyring there. */
  requireFloor(floor: KeyringFloor | null): void
}

/** The notes of a chain as an error's evidence has them: the JSON text of a list. Whoever judges signatures needs the keys. */
export const formatKeyrings = ({ chain }: Pick<VerifiedKeyring, "chain">): string =>
  JSON.stringify(chain.map(({ note }) => formatNote(note)))

const malformed: Bad = (why) => new ToolsumError("KEYRING_MALFORMED", why)
const invalid: Bad = (why) => new ToolsumError("KEYRING_INVALID", why)

/** Read a signed keyring of at most 16 KiB. Throws KEYRING_MALFORMED, NOTE_MALFORMED, POLICY_MALFORMED, KEY_LOW_ORDER. */
export function parseKeyring(input: Uint8Array | string): KeyringNote {
  const length =
    typeof input === "string" && input.length <= MAX_KEYRING_BYTES ? encodeUtf8(input).length : input.length
  if (length > MAX_KEYRING_BYTES) throw malformed(`keyring longer than ${MAX_KEYRING_BYTES} bytes`)
  const note = parseNote(input)
  return { ...parseKeyringText(note.text), note }
}

/** Check a chain: `notes` are keyrings 1, 2, 3 … The caller pins it with `root` (a fingerprint) or compares the one returned, and
 *  may name the origin it expects, a floor, and the time (POSIX seconds, for the expiry warning only).
 *  Throws what does not parse as `parseKeyring` does, an empty or too long list as KEYRING_MALFORMED, and else KEYRING_INVALID,
 *  SIGNATURE_INVALID, ORIGIN_MISMATCH or ROOT_MISMATCH. */
export function verifyKeyring(p: {
  notes: readonly (Uint8Array | string)[]
  origin?: string
  root?: string
  floor?: KeyringFloor | null
  nowSec?: bigint
}): VerifiedKeyring {
  if (p.notes.length > MAX_KEYRINGS) throw malformed(`more than ${MAX_KEYRINGS} keyrings`)
  const chain = p.notes.map(parseKeyring)
  const [first] = chain
  const newest = chain.at(-1)
  if (!first || !newest) throw malformed("no keyring")
  const fingerprint = fingerprintOfKeyring(first)
  const origin = p.origin ?? first.origin
  if (p.root !== undefined && p.root !== fingerprint) {
    throw new ToolsumError("ROOT_MISMATCH", `expected root ${quote(p.root)}, the keyring starts from ${fingerprint}`)
  }
  for (const [i, keyring] of chain.entries()) verifyLink(keyring, chain[i - 1] ?? null, origin)
  const requireFloor = (floor: KeyringFloor | null) => checkFloor(chain, floor)
  requireFloor(p.floor ?? null)
  return {
    origin,
    fingerprint,
    chain,
    newest,
    digest: computeKeyringDigest(newest),
    warnings: expiry(newest, p.nowSec),
    requireFloor,
  }
}

/** Fingerprint that a first keyring claims, for showing what to compare: nothing is verified. Throws as `parseKeyring`. */
export const fingerprintOf = (note: Uint8Array | string): string => fingerprintOfKeyring(parseKeyring(note))

const fingerprintOfKeyring = ({ origin, rootThreshold, roots }: Keyring): string =>
  computeRootFingerprint({ origin, threshold: rootThreshold, roots })

/** SHA-256 of the text of a keyring, which the next one and a floor name. */
export const computeKeyringDigest = ({ note }: KeyringNote): Hash => sha256(encodeUtf8(note.text))

function verifyLink(keyring: KeyringNote, before: KeyringNote | null, origin: string): void {
  requireNext(keyring, before, origin)
  const { verified } = openNote(keyring.note, rootsThatSign(keyring, before))
  for (const { version, threshold, signed } of countRootSignatures(keyring, before, verified)) {
    const signers = countPublicKeys(signed)
    if (signers < threshold) {
      throw invalid(
        `keyring ${keyring.version} is signed by ${signers} of the ${threshold} root keys that keyring ${version} wants`,
      )
    }
  }
}

/** Check all of a keyring but its signatures: its own rules, and that it follows `before` (null: it is the first). Throws
 *  KEYRING_INVALID, ORIGIN_MISMATCH. */
export function requireNext(keyring: Keyring, before: KeyringNote | null, origin: string): void {
  if (keyring.origin !== origin) {
    throw new ToolsumError("ORIGIN_MISMATCH", `expected origin ${quote(origin)}, got ${quote(keyring.origin)}`)
  }
  checkRules(keyring)
  const version = (before?.version ?? 0n) + 1n
  if (keyring.version !== version) throw invalid(`expected keyring ${version}, got ${keyring.version}`)
  if (before && !(keyring.prev && equalBytes(keyring.prev, computeKeyringDigest(before)))) {
    throw invalid(`keyring ${version} does not follow the keyring before it`)
  }
}

/** The root keys whose lines a keyring may carry: its own and those before. A bad line of any of them refuses it. Throws KEYRING_INVALID
 *  for two that cannot be told apart. */
export function rootsThatSign(keyring: Keyring, before: Keyring | null): readonly VerifierKey[] {
  const older = before?.roots.filter(({ vkey }) => !keyring.roots.some((key) => key.vkey === vkey)) ?? []
  refuseSharedIdentity([...keyring.roots, ...older])
  return [...keyring.roots, ...older]
}

/** A set of root keys that must sign a keyring: the one before's and its own. */
export interface RootSet {
  /** Of the keyring that has this set. */
  readonly version: bigint
  readonly threshold: number
  readonly roots: readonly VerifierKey[]
  /** Those of `roots` that have signed, each public key under whatever name. */
  readonly signed: readonly VerifierKey[]
}

/** The sets that must sign a keyring, the older first, and who of them is among `verified`. */
export const countRootSignatures = (
  keyring: Keyring,
  before: Keyring | null,
  verified: readonly VerifierKey[],
): readonly RootSet[] =>
  (before ? [before, keyring] : [keyring]).map(({ version, roots, rootThreshold }) => ({
    version,
    threshold: rootThreshold,
    roots,
    signed: roots.filter((root) => verified.some((key) => samePublicKey(key, root))),
  }))

/** What must hold inside one keyring. */
function checkRules(keyring: Keyring): void {
  const { version, prev, issued, expires, rootThreshold, roots, logs } = keyring
  if (version < 1n || (version === 1n) !== (prev === null)) throw invalid("prev is missing in version 1 only")
  if (expires !== null && expires <= issued) throw invalid("expires before it is issued")
  if (rootThreshold < 1 || rootThreshold > roots.length) {
    throw invalid(`expected a root-threshold of 1 to ${roots.length}, got ${rootThreshold}`)
  }
  for (const { key, closing } of logs) {
    if (key.name !== keyring.origin) throw invalid(`log key ${quote(key.vkey)} is not named after the origin`)
    if (closing?.size === 0n && !equalBytes(closing.rootHash, EMPTY_ROOT))
      throw invalid("closing tree of size 0 with a root")
  }
  checkKeys(keyring)
}

function checkKeys({ roots, logs, policy }: Keyring): void {
  const logKeys = logs.map(({ key }) => key)
  for (const { key } of policy?.logs ?? []) {
    if (!logKeys.some(({ vkey }) => vkey === key.vkey))
      throw invalid(`policy names another log key: ${quote(key.vkey)}`)
  }
  const witnesses = [...(policy?.witnesses.values() ?? [])].map(({ key }) => key)
  const all = [...roots, ...logKeys, ...witnesses]
  if (countPublicKeys(all) < all.length) throw invalid("one public key has two places among root, log and witness keys")
  refuseSharedIdentity(all)
}

// Two keys of one name and ID cannot be told apart in a signature line.
function refuseSharedIdentity(keys: readonly VerifierKey[]): void {
  if (new Set(keys.map(({ name, id }) => `${id} ${name}`)).size < keys.length)
    throw invalid("two keys with one name and ID")
}

function checkFloor(chain: readonly KeyringNote[], floor: KeyringFloor | null): void {
  if (floor === null) return
  const there = chain.find(({ version }) => version === floor.version)
  if (!there) throw invalid(`expected keyring ${floor.version} or later, the newest is ${chain.at(-1)?.version}`)
  if (!equalBytes(computeKeyringDigest(there), floor.digest)) {
    throw invalid(`keyring ${floor.version} has digest ${formatHex(computeKeyringDigest(there))}, not the pinned one`)
  }
}

const expiry = ({ expires }: Keyring, nowSec: bigint | undefined): readonly string[] =>
  expires !== null && nowSec !== undefined && nowSec >= expires ? ["keyring_expired"] : []
