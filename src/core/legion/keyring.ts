// The keyring of a LEGION log (`keyring.jsonl`): a hash chain of entries, each endorsed by the root key that somebody pins. What may sign
// records and heads, and up to which tree size, follows from all entries together. FORMAT.md, "LEGION dialect".
import { encodeUtf8, parseBase64 } from "../bytes.js"
import { isLowOrderPoint, isReducedPoint, verifyEd25519 } from "../ed25519.js"
import { type Bad, quote, ToolsumError } from "../errors.js"
import { entryText, type KeyringEntry, keyIdOf, parseKeyringEntry, type RegisterEntry } from "./keyring-entry.js"

/** Bytes of a keyring. */
export const MAX_LEGION_KEYRING_BYTES = 1024 * 1024
/** Entries of a keyring. */
export const MAX_LEGION_KEYRING_ENTRIES = 1024

/** A key that is not revoked. `limit`: of a retired key the tree size up to which it counts. `signsLog`: registered for records and heads, or
 *  the root. */
export interface LegionKey {
  readonly pin: string
  readonly publicKey: Uint8Array
  readonly limit: bigint | null
  readonly signsLog: boolean
}

/** A keyring whose chain holds. It means something only under a root that was pinned elsewhere. */
export interface LegionKeyring {
  /** Hex of SHA-256 of the root key. */
  readonly rootPin: string
  /** By pin. */
  readonly keys: ReadonlyMap<string, LegionKey>
  /** Ids of keys that are gone for good. */
  readonly revoked: ReadonlySet<string>
  /** Hash of each entry, in order. */
  readonly hashes: readonly string[]
}

const invalid: Bad = (why) => new ToolsumError("KEYRING_INVALID", why)
const malformed: Bad = (why) => new ToolsumError("KEYRING_MALFORMED", why)

/** The purpose that lets a key sign records and heads. */
const LOG_PURPOSE = "mcp-tlog"

/** Check a keyring from its first entry on. `rootPin`: 64 hex digits that its root key must hash to; without it the caller compares.
 *  Throws ROOT_MISMATCH, KEYRING_MALFORMED, KEYRING_INVALID, and KEY_LOW_ORDER for keys that sign anything or that have two spellings. */
export function verifyLegionKeyring({ text, rootPin }: { text: string; rootPin?: string }): LegionKeyring {
  const [first, ...rest] = parseEntries(text)
  if (first?.type !== "key_register")
    throw invalid("expected a keyring that starts with the registration of its root key")
  if (rootPin !== undefined && first.pin !== rootPin)
    throw new ToolsumError("ROOT_MISMATCH", `the log's root is ${first.pin}, but ${rootPin} is pinned for it`)
  requireRoot(first)
  const hashes = [first.bodyHash]
  rest.forEach((entry, i) => {
    requireEndorsed(entry, { number: i + 2, previous: hashes[i] ?? "", root: first })
    hashes.push(entry.bodyHash)
  })
  const entries = [first, ...rest]
  const revoked = new Set(entries.flatMap((e) => (e.type === "key_revoke" && e.limit === null ? [e.keyId] : [])))
  return { rootPin: first.pin, keys: collectKeys(entries, first, revoked), revoked, hashes }
}

/** The entries of a keyring's text: lines end at U+000A only, blank ones are skipped. Throws KEYRING_MALFORMED. */
function parseEntries(text: string): readonly KeyringEntry[] {
  if (text.length > MAX_LEGION_KEYRING_BYTES || encodeUtf8(text).length > MAX_LEGION_KEYRING_BYTES)
    throw malformed(`expected a keyring of at most ${MAX_LEGION_KEYRING_BYTES} bytes`)
  const lines = text.split("\n").filter((line) => !/^[ \t\r]*$/.test(line))
  if (lines.length > MAX_LEGION_KEYRING_ENTRIES)
    throw malformed(`expected at most ${MAX_LEGION_KEYRING_ENTRIES} entries`)
  return lines.map((line, i) => parseKeyringEntry(line, i + 1))
}

/** The first entry is vouched for by the pin of its key. Its hash and its proof of possession may be missing, but not wrong. */
function requireRoot(root: RegisterEntry): void {
  requireStrong(root, 1)
  const hash = root.document.hash
  if (hash !== undefined && hash !== null && hash !== root.bodyHash)
    throw invalid("entry 1: its hash is that of another entry")
  if (root.document.self_sig !== undefined && root.document.self_sig !== null) requirePossession(root, 1)
}

function requireEndorsed(
  entry: KeyringEntry,
  { number, previous, root }: { number: number; previous: string; root: RegisterEntry },
): void {
  if (entryText(entry, "prev_hash") !== previous)
    throw invalid(`entry ${number}: it does not follow entry ${number - 1}`)
  if (entryText(entry, "hash") !== entry.bodyHash) throw invalid(`entry ${number}: its hash is that of another entry`)
  if (!isSigned(entry, { member: "endorsement_sig", publicKey: root.publicKey, number }))
    throw invalid(`entry ${number}: the root key did not endorse it`)
  if (entry.type !== "key_register") return
  requireStrong(entry, number)
  if (entryText(entry, "key_id") !== keyIdOf(entry.pin)) throw invalid(`entry ${number}: its id is not that of its key`)
  requirePossession(entry, number)
}

function requirePossession(entry: RegisterEntry, number: number): void {
  if (!isSigned(entry, { member: "self_sig", publicKey: entry.publicKey, number }))
    throw invalid(`entry ${number}: the key did not sign its own registration`)
}

function requireStrong({ publicKey }: RegisterEntry, number: number): void {
  if (!isLowOrderPoint(publicKey) && isReducedPoint(publicKey)) return
  throw new ToolsumError(
    "KEY_LOW_ORDER",
    `keyring entry ${number}: a key that signs anything, or not a key's one spelling`,
  )
}

function isSigned(
  entry: KeyringEntry,
  { member, publicKey, number }: { member: string; publicKey: Uint8Array; number: number },
): boolean {
  const text = entryText(entry, member)
  if (text === null) return false
  const signature = parseBase64(text, (why) => malformed(`entry ${number}: ${member}: ${why}`))
  return verifyEd25519({ publicKey, message: entry.signed, signature })
}

function collectKeys(
  entries: readonly KeyringEntry[],
  root: RegisterEntry,
  revoked: ReadonlySet<string>,
): ReadonlyMap<string, LegionKey> {
  const limits = new Map<string, bigint>()
  for (const entry of entries) {
    if (entry.type !== "key_revoke" || entry.limit === null) continue
    const known = limits.get(entry.keyId)
    if (known === undefined || entry.limit < known) limits.set(entry.keyId, entry.limit)
  }
  const keys = new Map<string, LegionKey>()
  for (const entry of entries) {
    if (entry.type !== "key_register") continue
    const { pin, publicKey, purpose } = entry
    const id = keyIdOf(pin)
    if (revoked.has(id)) continue
    keys.set(pin, {
      pin,
      publicKey,
      limit: limits.get(id) ?? null,
      signsLog: pin === root.pin || purpose === LOG_PURPOSE,
    })
  }
  return keys
}

/** What a signature is under. A record counts below a retired key's limit, a head up to it. */
export interface SignedPlace {
  readonly kind: "record" | "head"
  /** Leaf index of a record, tree size of a head. */
  readonly at: bigint
}

/** Check that `signature` (base64) over `message` is by the key `keyPin`, and that this key may sign there. Throws SIGNATURE_INVALID, and
 *  KEY_NOT_VALID_AT_SIZE for a key that is revoked, retired before that, or registered for something else. */
export function requireLogSignature(
  keyring: LegionKeyring,
  p: { keyPin: string; message: Uint8Array; signature: string; place: SignedPlace },
): void {
  const { keyPin, message, place } = p
  const what = place.kind === "record" ? `record ${place.at}` : `the head of size ${place.at}`
  const key = keyring.keys.get(keyPin)
  if (!key) throw keyMissing(keyring, keyPin, what)
  const usable = key.limit === null || (place.kind === "record" ? place.at < key.limit : place.at <= key.limit)
  if (!key.signsLog || !usable) {
    const why = key.signsLog ? `was retired at tree size ${key.limit}` : "is registered for something else"
    throw new ToolsumError("KEY_NOT_VALID_AT_SIZE", `${what} is signed by the key ${quote(keyPin)}, which ${why}`)
  }
  const signature = parseBase64(p.signature, (why) => new ToolsumError("SIGNATURE_INVALID", `${what}: ${why}`))
  if (verifyEd25519({ publicKey: key.publicKey, message, signature })) return
  throw new ToolsumError("SIGNATURE_INVALID", `${what} is not what its key signed`)
}

function keyMissing({ revoked }: LegionKeyring, keyPin: string, what: string): ToolsumError {
  if (revoked.has(keyIdOf(keyPin)))
    return new ToolsumError("KEY_NOT_VALID_AT_SIZE", `${what} is signed by the key ${quote(keyPin)}, which is revoked`)
  return new ToolsumError(
    "SIGNATURE_INVALID",
    `${what} is signed by the key ${quote(keyPin)}, which is not in the keyring`,
  )
}

/** The keyring that a log serves must begin with the entries that were stored: a shorter one would bring revoked keys back. Throws
 *  ROOT_MISMATCH, LOG_ROLLBACK for a shorter one, LOG_INCONSISTENT for another history of keys. */
export function requireKeyringExtends({ stored, served }: { stored: LegionKeyring; served: LegionKeyring }): void {
  if (stored.rootPin !== served.rootPin)
    throw new ToolsumError(
      "ROOT_MISMATCH",
      `the log's root is ${served.rootPin}, the stored keyring's ${stored.rootPin}`,
    )
  const fork = stored.hashes.findIndex((hash, i) => served.hashes[i] !== undefined && served.hashes[i] !== hash)
  if (fork >= 0)
    throw new ToolsumError("LOG_INCONSISTENT", `entry ${fork + 1} of the keyring is another one than before`)
  if (served.hashes.length >= stored.hashes.length) return
  const lost = `${served.hashes.length} entries, ${stored.hashes.length} before`
  throw new ToolsumError("LOG_ROLLBACK", `the log serves a keyring that is shorter than the stored one: ${lost}`)
}
