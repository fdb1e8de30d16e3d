// Keyrings of the log (DESIGN 6): root-signed notes, numbered from 1, each also an entry of the log. The writer publishes a new one only
// when it follows the others and lets one of its own keys go on signing.
import { decodeUtf8, encodeUtf8, equalBytes } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { type KeyringNote, MAX_KEYRING_BYTES, parseKeyring, verifyKeyring } from "../core/keyring.js"
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

/** The file of the next keyring; or why `note` cannot be it. `waiting`: files of the same batch. */
export async function planKeyring(
  log: { readonly store: Pick<TileStore, "read">; readonly tree: StoredTree; readonly signers: readonly SigningKey[] },
  note: string,
  waiting: ReadonlyMap<string, Uint8Array>,
): Promise<StagedFile | ToolsumError> {
  const stored = await loadKeyrings(log.store)
  const next = resultOf(() => {
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
  return falseTree ?? { key: keyringKey(next.version), bytes: encodeUtf8(note) }
}

function resultOf<T>(work: () => T): T | ToolsumError {
  try {
    return work()
  } catch (error) {
    if (error instanceof ToolsumError) return error
    throw error
  }
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

/** Check that the next checkpoint of the log in `store`, whose newest tree has `size` entries, would count under its newest keyring.
 *  Throws USAGE when none of `signers` may sign it, STATE_CORRUPT without a readable keyring. */
export async function requireLiveSigner(
  store: Pick<TileStore, "read">,
  size: bigint,
  signers: readonly SigningKey[],
): Promise<void> {
  const newest = (await loadKeyrings(store)).at(-1)
  if (newest === undefined) throw new ToolsumError("STATE_CORRUPT", `${keyringKey(1n)} is missing`)
  const keyring = resultOf(() => parseKeyring(newest))
  if (keyring instanceof ToolsumError) {
    throw new ToolsumError("STATE_CORRUPT", `a stored keyring: ${keyring.message}`, { cause: keyring })
  }
  requireSigner(keyring, size + 1n, signers)
}

/** The next checkpoint must count: at least one of our keys is live at its size. */
function requireSigner(keyring: KeyringNote, size: bigint, signers: readonly SigningKey[]): void {
  const live = keyring.logs.filter(({ from, closing, revoked }) => from <= size && closing === null && !revoked)
  if (
    live.some(({ key }) =>
      signers.some((signer) => signer.name === key.name && equalBytes(signer.publicKey, key.publicKey)),
    )
  )
    return
  throw new ToolsumError(
    "USAGE",
    `none of this log's signing keys may sign size ${size} under keyring ${keyring.version}`,
  )
}
