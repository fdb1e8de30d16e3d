// What a user pins: the fingerprint of the root keys that start a log's keyring (DESIGN 6), how `--root` spells it (formats 26),
// and the 64 hex digits that pin a log of the LEGION dialect. Where roots come from: DESIGN 8. The chain they start: keyring.ts.
import { compareUtf8, encodeUtf8, formatBase64, formatHex, parseBase64, parseDecimal, parseHex } from "./bytes.js"
import { isOrigin } from "./checkpoint.js"
import { type Bad, quote, ToolsumError } from "./errors.js"
import { type Hash, sha256 } from "./hash.js"
import { isKeyName, type VerifierKey } from "./vkey.js"

/** A keyring that the chain must contain: its version and the SHA-256 of its text. */
export interface KeyringFloor {
  readonly version: bigint
  readonly digest: Hash
}

/** One `--root` argument. */
export interface RootArgument {
  readonly dialect: "tlog-tiles" | "legion"
  /** Origin of the log that it is for; null: for any. */
  readonly name: string | null
  /** `SHA256:` and 43 characters of base64; of a LEGION log 64 lower-case hex digits. */
  readonly fingerprint: string
  readonly floor: KeyringFloor | null
}

/** A root that somebody trusts, and who said so: never the lockfile under test. */
export interface PinnedRoot extends RootArgument {
  readonly source: "flag" | "env" | "trust-store" | "vendor-keys" | "base"
}

const malformed: Bad = (why) => new ToolsumError("KEY_MALFORMED", why)

/** Fingerprint of the root keys of keyring 1: `SHA256:` and the unpadded base64 of SHA-256 over type, origin, threshold and the
 *  sorted vkeys, one a line. DESIGN 6. */
export function computeRootFingerprint(p: {
  origin: string
  threshold: number
  roots: readonly VerifierKey[]
}): string {
  const vkeys = p.roots.map(({ vkey }) => vkey).sort(compareUtf8)
  const lines = ["toolsum-root/v1", p.origin, `${p.threshold}`, ...vkeys]
  return `SHA256:${formatBase64(sha256(encodeUtf8(`${lines.join("\n")}\n`))).slice(0, -1)}`
}

// The name may contain `=`, a fingerprint may not.
const TOOLSUM = /^(?:(.*)=)?SHA256:([A-Za-z0-9+/]{43})(?:@([0-9]+):([0-9a-f]{64}))?$/
const LEGION = /^(?:(.*)=)?([0-9a-f]{64})$/

/** Read `[NAME=]SHA256:<43>[@<version>:<64 hex>]` or `[NAME=]<64 hex>` (LEGION). Throws KEY_MALFORMED. */
export function parseRootArgument(text: string): RootArgument {
  const legion = LEGION.exec(text)
  if (legion?.[2] !== undefined) {
    return { dialect: "legion", name: readName(legion[1]), fingerprint: legion[2], floor: null }
  }
  const match = TOOLSUM.exec(text)
  if (match?.[2] === undefined) {
    throw malformed(`expected [NAME=]SHA256:… (43 characters), optionally @version:hex, got ${quote(text)}`)
  }
  const [, name, hash, version, digest] = match
  parseBase64(`${hash}=`, malformed)
  const fingerprint = `SHA256:${hash}`
  return { dialect: "tlog-tiles", name: readName(name), fingerprint, floor: readFloor(version, digest) }
}

/** Exact inverse of `parseRootArgument`. */
export function formatRootArgument({ name, fingerprint, floor }: Omit<RootArgument, "dialect">): string {
  const named = name === null ? fingerprint : `${name}=${fingerprint}`
  return floor === null ? named : `${named}@${floor.version}:${formatHex(floor.digest)}`
}

function readName(name: string | undefined): string | null {
  if (name === undefined) return null
  if (!isKeyName(name) || !isOrigin(name)) throw malformed(`expected the name of a log before =, got ${quote(name)}`)
  return name
}

function readFloor(version: string | undefined, digest: string | undefined): KeyringFloor | null {
  if (version === undefined || digest === undefined) return null
  const floor = { version: parseDecimal(version, malformed), digest: parseHex(digest, malformed) }
  if (floor.version === 0n) throw malformed("keyrings are numbered from 1")
  return floor
}

/** What is needed of a keyring to tell whether a pinned root is its own. */
export interface RootedKeyring {
  readonly origin: string
  readonly fingerprint: string
  requireFloor(floor: KeyringFloor | null): void
}

/** The root that this keyring starts from, among those pinned. A root named for this log must fit; an unnamed one may.
 *  Throws ROOT_MISMATCH, KEYRING_INVALID (floor) or ROOT_NOT_PINNED. Formats 26, 41. */
export function matchRoot(keyring: RootedKeyring, roots: readonly PinnedRoot[]): PinnedRoot {
  const named = roots.filter((root) => root.name === keyring.origin)
  const foreign = named.find((root) => root.fingerprint !== keyring.fingerprint)
  if (foreign) {
    throw new ToolsumError(
      "ROOT_MISMATCH",
      `the log's root is ${keyring.fingerprint}, but ${foreign.fingerprint} is pinned for it (${foreign.source})`,
    )
  }
  const fitting = roots.filter(
    (root) => (root.name ?? keyring.origin) === keyring.origin && root.fingerprint === keyring.fingerprint,
  )
  for (const root of fitting) keyring.requireFloor(root.floor)
  const [first] = fitting
  if (!first)
    throw new ToolsumError(
      "ROOT_NOT_PINNED",
      `no root is pinned for this log; its keyring starts from ${keyring.fingerprint}`,
    )
  return first
}
