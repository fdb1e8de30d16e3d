// Step 1 of brief 5.2: which items of a batch become entries, at which index, and which are in the log already.
import { encodeUtf8, equalBytes } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { type Hash, hashLeaf } from "../core/hash.js"
import type { KeyringNote } from "../core/keyring.js"
import { type Observation, streamKey } from "../core/record.js"
import type { SigningKey } from "../core/vkey.js"
import type { TileStore } from "../ports.js"
import { planKeyring } from "./keyrings.js"
import type { StagedFile } from "./staging.js"
import type { StoredTree } from "./stored-tree.js"
import { extendStream, findDuplicate, type PlacedRecord, placeRecord, type StreamEnd, type Streams } from "./streams.js"
import type { QueuedItem } from "./submission.js"

/** Where an item is, or will be when the step is committed. */
export interface Placed {
  readonly index: bigint
  readonly leafHash: Hash
  readonly duplicate: boolean
}

/** What a batch adds. */
export interface BatchPlan {
  readonly entries: readonly Uint8Array[]
  /** Objects and keyrings that are not there yet. */
  readonly files: readonly StagedFile[]
  /** The keyrings among the entries, in order. */
  readonly keyrings: readonly KeyringNote[]
  /** Where the streams with new records end. */
  readonly ends: readonly StreamEnd[]
  /** Per item, in order; the error of an item that cannot be appended. */
  readonly placed: readonly (Placed | ToolsumError)[]
}

/** The log that a batch is planned for. */
export interface PlanContext {
  readonly store: Pick<TileStore, "read">
  readonly streams: Streams
  readonly tree: StoredTree
  readonly signers: readonly SigningKey[]
}

/** Give each item its place after the tree. Writes nothing. Throws what reading throws. */
export async function planBatch(context: PlanContext, items: readonly QueuedItem[]): Promise<BatchPlan> {
  const { store, tree } = context
  const entries: Uint8Array[] = []
  const files = new Map<string, Uint8Array>()
  const keyrings: KeyringNote[] = []
  const ends = new Map<string, StreamEnd>()
  const add = (entry: Uint8Array): Placed => {
    entries.push(entry)
    return { index: tree.head.size + BigInt(entries.length - 1), leafHash: hashLeaf(entry), duplicate: false }
  }
  const placeObservation = async (observation: Observation): Promise<Placed> => {
    const key = streamKey(observation)
    const end = ends.get(key) ?? (await context.streams.end(observation, tree))
    const duplicate = findDuplicate(observation, end)
    if (duplicate !== null) return { ...placeOf(duplicate), duplicate: true }
    const placed = placeRecord(observation, tree.head.size + BigInt(entries.length), end?.newest ?? null)
    ends.set(key, extendStream(end, placed))
    return add(encodeUtf8(placed.text))
  }
  const place = async (item: QueuedItem): Promise<Placed | ToolsumError> => {
    if (item.kind === "entry") return add(item.entry)
    if (item.kind === "observation") {
      const placed = await placeObservation(item.observation)
      if (!placed.duplicate) for (const { key, bytes } of item.files) files.set(key, bytes)
      return placed
    }
    const planned = await planKeyring(context, item.note, files)
    if (planned instanceof ToolsumError) return planned
    const { key, bytes } = planned.file
    files.set(key, bytes)
    keyrings.push(planned.keyring)
    return add(bytes)
  }
  const placed: (Placed | ToolsumError)[] = []
  for (const item of items) placed.push(await place(item))
  return { entries, files: await withoutPresent(store, files), keyrings, ends: [...ends.values()], placed }
}

const placeOf = ({ index, leafHash }: PlacedRecord) => ({ index, leafHash })

/** Files that are not stored yet. One that is there belongs to a committed step, and lasts: the newest step has been finished before, which
 *  creates all its files again as long as they are staged, and each step before that was finished by whoever built on it. */
async function withoutPresent(
  store: Pick<TileStore, "read">,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<readonly StagedFile[]> {
  const missing: StagedFile[] = []
  for (const [key, bytes] of files) {
    const present = await store.read(key)
    if (present === null || !equalBytes(present, bytes)) missing.push({ key, bytes })
  }
  return missing
}
