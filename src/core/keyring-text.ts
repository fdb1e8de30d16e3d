// The text of a keyring: which root keys sign the next one, which log keys may sign which tree sizes, which witnesses must cosign.
// One spelling (formats 23). Only form is checked here; the rules and the chain are keyring.ts's.
import { compareUtf8, formatBase64, parseBase64, parseDecimal } from "./bytes.js"
import { isOrigin, parseHash } from "./checkpoint.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import type { Hash } from "./hash.js"
import type { TreeHead } from "./merkle.js"
import { type Policy, parsePolicy } from "./policy.js"
import { ED25519_NOTE, isKeyName, parseVkey, type VerifierKey } from "./vkey.js"

/** First line of a keyring, and its entry type in a log. */
export const KEYRING_TYPE = "toolsum-keyring/v1"
/** Most root keys, and most log keys, of a keyring. */
export const MAX_KEYRING_KEYS = 8

/** A log key and the tree sizes it may sign. */
export interface LogKey {
  readonly key: VerifierKey
  /** Smallest size. */
  readonly from: bigint
  /** The last tree of a retired key; null while it is in use. */
  readonly closing: TreeHead | null
  /** Nothing by a revoked key counts but what a live key's tree contains. */
  readonly revoked: boolean
}

/** What a keyring says. */
export interface Keyring {
  readonly origin: string
  /** From 1, without gaps. */
  readonly version: bigint
  /** SHA-256 of the text of the keyring before; null in version 1. */
  readonly prev: Hash | null
  /** POSIX seconds. */
  readonly issued: bigint
  /** POSIX seconds; null: never. */
  readonly expires: bigint | null
  /** How many of `roots` must sign this keyring and the next one. */
  readonly rootThreshold: number
  readonly roots: readonly VerifierKey[]
  readonly logs: readonly LogKey[]
  readonly policy: Policy | null
}

const malformed: Bad = (why) => new ToolsumError("KEYRING_MALFORMED", why)

/** Read the text of a keyring. Throws KEYRING_MALFORMED, POLICY_MALFORMED for its policy, KEY_LOW_ORDER. */
export function parseKeyringText(text: string): Keyring {
  if (!text.endsWith("\n")) throw malformed("expected a final newline")
  const lines = text.slice(0, -1).split("\n")
  if (lines.shift() !== KEYRING_TYPE) throw malformed(`expected ${KEYRING_TYPE}`)
  const next = (word: string) => readField(lines.shift(), word)
  const keyring: Keyring = {
    origin: readOrigin(next("origin")),
    version: parseDecimal(next("version"), malformed),
    prev: orNull(next("prev"), "-", (field) => parseHash(field, malformed)),
    issued: parseDecimal(next("issued"), malformed),
    expires: orNull(next("expires"), "never", (field) => parseDecimal(field, malformed)),
    rootThreshold: readThreshold(next("root-threshold")),
    roots: readSorted(lines, "root").map(readKey),
    logs: readSorted(lines, "log").map(readLogKey),
    policy: orNull(next("policy"), "-", (field) => parsePolicy(parseBase64(field, malformed))),
  }
  if (lines.length > 0) throw malformed(`unexpected line ${quote(lines[0] ?? "")}`)
  return keyring
}

/** The text of a keyring, its keys sorted: exact inverse of `parseKeyringText`. The rules are not checked: `verifyKeyring` does. */
export function formatKeyringText(keyring: Keyring): string {
  const { origin, version, prev, issued, expires, rootThreshold, policy } = keyring
  const lines = [
    KEYRING_TYPE,
    `origin ${origin}`,
    `version ${version}`,
    `prev ${prev ? formatBase64(prev) : "-"}`,
    `issued ${issued}`,
    `expires ${expires ?? "never"}`,
    `root-threshold ${rootThreshold}`,
    ...keyring.roots.map(({ vkey }) => `root ${vkey}`).sort(compareUtf8),
    ...keyring.logs.map(formatLogKey).sort(compareUtf8),
    `policy ${policy ? formatBase64(policy.source) : "-"}`,
  ]
  return `${lines.join("\n")}\n`
}

function formatLogKey({ key, from, closing, revoked }: LogKey): string {
  const until = closing ? ` until ${closing.size} root ${formatBase64(closing.rootHash)}` : ""
  return `log ${key.vkey} from ${from}${until}${revoked ? " revoked" : ""}`
}

function readField(line: string | undefined, word: string): string {
  if (!line?.startsWith(`${word} `)) throw malformed(`expected ${word}, got ${quote(line ?? "the end")}`)
  return line.slice(word.length + 1)
}

/** The fields of the 1 to 8 lines that start with `word`, taken from the front of `lines`; sorted by bytes, none twice. */
function readSorted(lines: string[], word: string): readonly string[] {
  const end = lines.findIndex((line) => !line.startsWith(`${word} `))
  const own = lines.splice(0, end < 0 ? lines.length : end)
  if (own.length < 1 || own.length > MAX_KEYRING_KEYS)
    throw malformed(`expected 1 to ${MAX_KEYRING_KEYS} ${word} lines`)
  for (const [i, line] of own.entries()) {
    if (i > 0 && compareUtf8(own[i - 1] ?? "", line) >= 0) throw malformed(`expected ${word} lines sorted, none twice`)
  }
  return own.map((line) => line.slice(word.length + 1))
}

function readOrigin(field: string): string {
  if (!isKeyName(field) || !isOrigin(field)) throw malformed(`origin ${quote(field)} cannot name a log key`)
  return field
}

function readThreshold(field: string): number {
  const threshold = parseDecimal(field, malformed)
  if (threshold > BigInt(Number.MAX_SAFE_INTEGER)) throw malformed("root-threshold out of range")
  return Number(threshold)
}

function readKey(field: string): VerifierKey {
  const key = parseVkey(field, malformed)
  if (key.type !== ED25519_NOTE) throw malformed(`expected a key of type 1, got type ${key.type}`)
  return key
}

function readLogKey(field: string): LogKey {
  const words = field.split(" ")
  const revoked = words.at(-1) === "revoked"
  const [vkey, from, start, until, size, root, hash, ...rest] = revoked ? words.slice(0, -1) : words
  if (vkey === undefined || from !== "from" || start === undefined || rest.length > 0) throw badLogLine(field)
  const key = readKey(vkey)
  const first = parseDecimal(start, malformed)
  if (until === undefined) return { key, from: first, closing: null, revoked }
  if (until !== "until" || size === undefined || root !== "root" || hash === undefined) throw badLogLine(field)
  const closing = { size: parseDecimal(size, malformed), rootHash: parseHash(hash, malformed) }
  if (closing.size < first) throw malformed(`log key until ${size} before from ${start}`)
  return { key, from: first, closing, revoked }
}

const badLogLine = (field: string) =>
  malformed(`expected log VKEY from N[ until N root HASH][ revoked], got ${quote(field)}`)

function orNull<T>(field: string, nothing: string, read: (field: string) => T): T | null {
  return field === nothing ? null : read(field)
}
