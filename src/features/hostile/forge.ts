// Makes what a log signs and serves from nothing but entries and keys: a whole tree with its tiles and bundles, a checkpoint with any
// signers and witnesses, a keyring. Whether any of it is true is the caller's business. Pure.
import { encodeUtf8 } from "../../core/bytes.js"
import { formatCheckpoint } from "../../core/checkpoint.js"
import { formatCosignature } from "../../core/cosignature.js"
import { signEd25519 } from "../../core/ed25519.js"
import { type Hash, hashLeaf, sha256 } from "../../core/hash.js"
import { formatKeyringText, type Keyring, parseKeyringText } from "../../core/keyring-text.js"
import { joinHashes, type TreeHead } from "../../core/merkle.js"
import { computeRoot, computeTreeHash, type NodeReader } from "../../core/merkle-tree.js"
import { parseNote } from "../../core/note.js"
import { formatSignatureLine } from "../../core/signature-line.js"
import { formatBundle, formatBundlePath, formatTilePath, TILE_WIDTH, type TileRef } from "../../core/tile.js"
import type { SigningKey } from "../../core/vkey.js"
import { ORIGIN } from "./keys.js"

/** A tree with everything that is served of it, by path. */
export interface ForgedTree {
  readonly files: ReadonlyMap<string, Uint8Array>
  /** The head of a size up to the tree's. */
  headAt(size: bigint): TreeHead
}

/** The tree of `entries`: bundles, full tiles, and the partial ones of its own size. `leafHashes` stand in for those of the entries. */
export function forgeTree(
  entries: readonly Uint8Array[],
  leafHashes: readonly Hash[] = entries.map(hashLeaf),
): ForgedTree {
  const levels = hashLevels(leafHashes)
  const read: NodeReader = (level, index) => {
    const count = 2 ** (level % 8)
    const from = Number(index) * count
    return computeTreeHash((levels[Math.floor(level / 8)] ?? []).slice(from, from + count))
  }
  const files = new Map<string, Uint8Array>()
  for (const [level, hashes] of levels.entries()) {
    for (const ref of refsOf(level, hashes.length)) {
      const from = Number(ref.index) * TILE_WIDTH
      files.set(formatTilePath(ref), joinHashes(hashes.slice(from, from + ref.width)))
      if (level === 0) files.set(formatBundlePath(ref), formatBundle(entries.slice(from, from + ref.width)))
    }
  }
  return { files, headAt: (size) => ({ size, rootHash: computeRoot(size, read) }) }
}

/** Hashes of each tile level: leaves, then roots of full tiles. */
function hashLevels(leafHashes: readonly Hash[]): readonly (readonly Hash[])[] {
  const levels: (readonly Hash[])[] = []
  for (let hashes = leafHashes; hashes.length > 0; ) {
    levels.push(hashes)
    const below = hashes
    hashes = Array.from({ length: Math.floor(below.length / TILE_WIDTH) }, (_, i) =>
      computeTreeHash(below.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH)),
    )
  }
  return levels
}

const refsOf = (level: number, count: number): readonly TileRef[] =>
  Array.from({ length: Math.ceil(count / TILE_WIDTH) }, (_, i) => ({
    level,
    index: BigInt(i),
    width: Math.min(TILE_WIDTH, count - i * TILE_WIDTH),
  }))

/** Who cosigns, and when (POSIX seconds). */
export interface Witnessing {
  readonly key: SigningKey
  readonly timestamp: bigint
}

/** A checkpoint of a head. */
export const checkpointText = (head: TreeHead, extensions: readonly string[] = []): string =>
  formatCheckpoint({ origin: ORIGIN, ...head, extensions })

/** Sign a text, which need be no checkpoint, and have it cosigned. */
export function signText(text: string, signers: readonly SigningKey[], witnesses: readonly Witnessing[]): string {
  return joinNote(text, [...signatureLines(text, signers), ...cosignatureLines(text, witnesses)])
}

/** A note of a text and signature lines, well formed or not. */
export const joinNote = (text: string, lines: readonly string[]): string =>
  `${text}\n${lines.map((line) => `${line}\n`).join("")}`

/** Signature lines by these keys, without newlines. */
export const signatureLines = (text: string, signers: readonly SigningKey[]): readonly string[] =>
  signers.map(({ name, id, seed }) =>
    formatSignatureLine({ name, id, blob: signEd25519({ seed, message: encodeUtf8(text) }) }),
  )

/** Signature lines of these witnesses, without newlines. */
export const cosignatureLines = (text: string, witnesses: readonly Witnessing[]): readonly string[] =>
  witnesses.map(({ key, timestamp }) => formatCosignature({ text, key, timestamp }))

/** What is to differ in the next keyring. */
export type KeyringChange = Partial<Keyring>

/** The text of the keyring after `before`, changed so. Its rules are not checked. */
export function nextKeyringText(before: string, change: KeyringChange): string {
  const { text } = parseNote(before)
  const keyring = parseKeyringText(text)
  return formatKeyringText({ ...keyring, version: keyring.version + 1n, prev: sha256(encodeUtf8(text)), ...change })
}
