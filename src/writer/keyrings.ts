// Keyrings of the log (DESIGN 6): root-signed notes, numbered from 1, each also an entry of the log. The writer publishes a new one only
// when it follows the others and lets one of its own keys go on signing. Which of our keys sign a step is decided here too.
import { decodeUtf8, encodeUtf8, equalBytes } from "../core/bytes.js"
import { attempt, ToolsumError } from "../core/errors.js"
import { type KeyringNote, MAX_KEYRING_BYTES, parseKeyring, verifyKeyring } from "../core/keyring.js"
import type { Policy } from "../core/policy.js"
import type { SigningKey } from "../core/vkey.js"
import type { TileStore } from "../ports.js"
import type { StagedFile } from "./staging.js"
import { beginsWith, type StoredTree } from "./stored-tree.js"

/** Storage key of keyring `version`. */
export const keyringKey = (version: bigint): string => `public/keyring/${version}`

/** All keyrings of the log, from 1. */
export async function loadKeyrings(store: Pick<TileStore, "read">): Promise<readonly string[]> {
  const notes: string[] = []
  for (;;) {
    const bytes = await store.read(keyringKey(BigInt(notes.length + 1)), MAX_KEYRING_BYTES)
    if (bytes === null) return notes
    notes.push(decodeUtf8(bytes, (why) => new ToolsumError("STATE_CORRUPT", `a stored keyring: ${why}`)))
  }
}

/** The policy that readers hold the log to: that of its newest keyring; null without one. Throws STATE_CORRUPT. */
export const loadPolicy = async (store: Pick<TileStore, "read">): Promise<Policy | null> =>
  (await loadNewestKeyring(store)).policy

/** The newest keyring. Throws STATE_CORRUPT when there is none that can be read. */
export async function loadNewestKeyring(store: Pick<TileStore, "read">): Promise<KeyringNote> {
  const newest = (await loadKeyrings(store)).at(-1)
  if (newest === undefined) throw new ToolsumError("STATE_CORRUPT", `${keyringKey(1n)} is missing`)
  const keyring = attempt(() => parseKeyring(newest))
  if (!(keyring instanceof ToolsumError)) return keyring
  throw new ToolsumError("STATE_CORRUPT", `a stored keyring: ${keyring.message}`, { cause: keyring })
}

/** A keyring that a step publishes. */
export interface PlannedKeyring {
  readonly file: StagedFile
  readonly keyring: KeyringNote
}

/** The next keyring and its file; or why `note` cannot be it. `waiting`: files of the same batch. */
export async function planKeyring(
  log: { readonly store: Pick<TileStore, "read">; readonly tree: StoredTree; readonly signers: readonly SigningKey[] },
  note: string,
  waiting: ReadonlyMap<string, Uint8Array>,
): Promise<PlannedKeyring | ToolsumError> {
  const stored = await loadKeyrings(log.store)
  const next = attempt(() => {
    const { version } = parseKeyring(note)
    if (version !== BigInt(stored.length + 1) || waiting.has(keyringKey(version))) {
      throw new ToolsumError("USAGE", `expected keyring ${stored.length + 1}, got ${version}`)
    }
    const { newest } = verifyKeyring({ notes: [...stored, note] })
    requireSigner(newest, log.tree.head.size + 1n, log.signers)
    return newest
  })
  if (next instanceof ToolsumError) return next
  const falseTree = await findFalseClosing(next, log.tree)
  return falseTree ?? { file: { key: keyringKey(next.version), bytes: encodeUtf8(note) }, keyring: next }
}

/** The error for a closing tree that this log never had: readers would take the log for a fork, for ever. Throws STATE_CORRUPT. */
async function findFalseClosing(keyring: KeyringNote, tree: StoredTree): Promise<ToolsumError | null> {
  const closing = keyring.logs.flatMap((entry) => (entry.closing === null ? [] : [entry.closing]))
  for (const head of closing) {
    if (await beginsWith(tree, head)) continue
    const why =
      head.size > tree.head.size ? `the log has only ${tree.head.size} entries` : "the log has another tree there"
    return new ToolsumError("USAGE", `keyring ${keyring.version} closes a key at size ${head.size}: ${why}`)
  }
  return null
}

/** The newest keyring of the log in `store`, whose newest tree has `size` entries, after a check that the next checkpoint would count.
 *  `next`: the keyring that is published next, which then decides. Throws USAGE when none of `signers` may sign it, STATE_CORRUPT
 *  without a readable keyring, and what `parseKeyring` throws for `next`. */
export async function loadLiveKeyring(
  store: Pick<TileStore, "read">,
  size: bigint,
  { signers, next }: { readonly signers: readonly SigningKey[]; readonly next?: string | undefined },
): Promise<KeyringNote> {
  const keyring = await loadNewestKeyring(store)
  requireSigner(next === undefined ? keyring : parseKeyring(next), size + 1n, signers)
  return keyring
}

/** Our keys that sign the checkpoint of `size`: those that may sign it under one of the keyrings. A step that brings a keyring is signed
 *  by the keys of the one before, too: whoever follows the log with an old key learns that way that it was replaced. Throws USAGE when
 *  the last keyring lets none of them sign. */
export function signersAt(
  keyrings: readonly KeyringNote[],
  size: bigint,
  signers: readonly SigningKey[],
): readonly SigningKey[] {
  for (const keyring of keyrings.slice(-1)) requireSigner(keyring, size, signers)
  return signers.filter((signer) => keyrings.some((keyring) => maySign(keyring, size, signer)))
}

/** The next checkpoint must count: at least one of our keys is live at its size. */
function requireSigner(keyring: KeyringNote, size: bigint, signers: readonly SigningKey[]): void {
  if (signers.some((signer) => maySign(keyring, size, signer))) return
  throw new ToolsumError(
    "USAGE",
    `none of this log's signing keys may sign size ${size} under keyring ${keyring.version}`,
  )
}

/** True when the key is in use at that size. */
const maySign = ({ logs }: KeyringNote, size: bigint, signer: SigningKey): boolean =>
  logs.some(
    ({ key, from, closing, revoked }) =>
      from <= size &&
      closing === null &&
      !revoked &&
      signer.name === key.name &&
      equalBytes(signer.publicKey, key.publicKey),
  )
