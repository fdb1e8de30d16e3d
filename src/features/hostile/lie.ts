// What a lie is, and the draft that it is told in: the honest files and the client's memory, to be changed in exactly one way.
import { encodeUtf8 } from "../../core/bytes.js"
import { formatLockfile } from "../../core/lockfile.js"
import type { TreeHead } from "../../core/merkle.js"
import { formatBundlePath, formatTilePath, TILE_WIDTH } from "../../core/tile.js"
import type { SigningKey } from "../../core/vkey.js"
import { checkpointText, type ForgedTree, forgeTree, signText, type Witnessing } from "./forge.js"
import { LOG_KEYS, WITNESSES } from "./keys.js"
import { type HonestWorld, keyringPath } from "./world.js"

/** What a client does with a log, in its order; each lie names the step that should notice it. */
export const STEPS = {
  limits: "bound every input before working on it",
  text: "read text strictly: UTF-8, no control characters, one spelling",
  keyring: "walk the chain of keyrings from the pinned root",
  origin: "choose the origin, and the keys for it; the input never does",
  signature: "open the note: the log's key signed, and no known key signed badly",
  quorum: "count the witnesses that the policy wants, each once",
  checkpoint: "read origin, size and root hash strictly, from the signed text only",
  freshness: "hold the newest cosignatures to an age",
  memory: "hold the head to everything seen before: smaller, equal, larger",
  tiles: "hash tiles and entries up to the signed root",
  records: "number and chain the records of a stream",
  subject: "hold a record to the subject that was asked for",
  index: "take the index for a hint",
  objects: "hash objects to their names",
  history: "read all entries, also those that nobody asked for",
  state: "tell damage of one's own files from a log that misbehaves",
} as const

/** A lie of the log; damage on the client's own side, which is nobody's lie; or what is unusual and true. */
export type LieKind = "lie" | "damage" | "harmless"

/** One lie. */
export interface Lie {
  /** Lower case and dashes. */
  readonly name: string
  readonly kind: LieKind
  /** For people: what is served, in one sentence. */
  readonly says: string
  /** The step that should notice. */
  readonly step: keyof typeof STEPS
  /** Where it is from: a specification, an incident, a line of SECURITY.md. */
  readonly from: string
  /** Change the draft so. */
  readonly tell: (draft: Draft) => void
}

/** Lies that share something. */
export const liesOf = <const T extends Partial<Lie>>(shared: T, lies: readonly Omit<Lie, keyof T>[]): readonly Lie[] =>
  lies.map((lie) => ({ ...shared, ...lie }) as unknown as Lie) // what the one leaves out the other has

/** How an HTTP server misbehaves, whatever the bytes: `drip`: a byte a second; `stall`: no answer; `endless`: a body without end; `bomb`:
 *  gzip that inflates to more than is allowed; `elsewhere`: a redirect to another host; `loop`: redirects without end; `page`: status 200
 *  and a page of HTML for everything; `failing`: status 500; `stale404`: 404 until a cache is asked to look again. */
export type HttpTrick = "drip" | "stall" | "endless" | "bomb" | "elsewhere" | "loop" | "page" | "failing" | "stale404"

/** A log and its client before one is told about the other. */
export interface Draft {
  readonly world: HonestWorld
  /** What is served, by path below public/. */
  readonly files: Map<string, Uint8Array>
  /** The client's memory of the log, as its state file holds it; null: none. */
  state: Uint8Array | null
  /** Text of the client's lockfile. */
  lockfile: string
  /** How paths that fit are answered over HTTP. */
  trick: { readonly paths: RegExp; readonly how: HttpTrick } | null
}

/** The honest log and its client. */
export const createDraft = (world: HonestWorld): Draft => ({
  world,
  files: new Map(world.files),
  state: world.state,
  lockfile: formatLockfile(world.lockfile),
  trick: null,
})

/** Path of the checkpoint. */
export const CHECKPOINT = "checkpoint"
/** Path of the full bundle that holds entry `index`. */
export const bundleOf = (index: bigint): string =>
  formatBundlePath({ index: index / BigInt(TILE_WIDTH), width: TILE_WIDTH })
/** Path of the full tile that holds its leaf hash. */
export const tileOf = (index: bigint): string =>
  formatTilePath({ level: 0, index: index / BigInt(TILE_WIDTH), width: TILE_WIDTH })
/** Path of the partial bundle at the end of a tree. */
export const lastBundleOf = ({ size }: TreeHead): string => formatBundlePath(lastOf(size))
/** Path of the partial tile of leaf hashes there. */
export const lastTileOf = ({ size }: TreeHead): string => formatTilePath({ level: 0, ...lastOf(size) })

const lastOf = (size: bigint) => ({ index: size / BigInt(TILE_WIDTH), width: Number(size % BigInt(TILE_WIDTH)) })

/** Serve text. */
export const putText = ({ files }: Draft, path: string, text: string): void => void files.set(path, encodeUtf8(text))

/** Serve other bytes than now. */
export function edit({ files }: Draft, path: string, change: (bytes: Uint8Array) => Uint8Array): void {
  const bytes = files.get(path)
  if (bytes === undefined) throw new RangeError(`the honest log has no ${path}`)
  files.set(path, change(bytes.slice()))
}

/** Serve other text than now. */
export const editText = (draft: Draft, path: string, change: (text: string) => string): void =>
  edit(draft, path, (bytes) => encodeUtf8(change(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))))

/** Serve nothing at a path. */
export function withhold({ files }: Draft, path: string): void {
  if (!files.delete(path)) throw new RangeError(`the honest log has no ${path}`)
}

/** Change one bit. */
export const flipBit =
  (at: number) =>
  (bytes: Uint8Array): Uint8Array => {
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return bytes
  }

/** Who signs, and who cosigns; the log's live key and all witnesses, just now, when left out. */
export interface Signing {
  readonly signers?: readonly SigningKey[]
  readonly witnesses?: readonly Witnessing[]
}

/** Seconds between the newest cosignature and the client's present. */
const JUST_NOW = 30n

/** These witnesses, at `ageSec` before the client's present. */
export const witnessing = ({ world }: Draft, keys: readonly SigningKey[], ageSec = JUST_NOW): readonly Witnessing[] =>
  keys.map((key) => ({ key, timestamp: world.nowSec - ageSec }))

/** Serve this text, signed and cosigned, as the checkpoint. */
export function publishText(draft: Draft, text: string, { signers, witnesses }: Signing = {}): void {
  const all = witnesses ?? witnessing(draft, Object.values(WITNESSES))
  putText(draft, CHECKPOINT, signText(text, signers ?? [LOG_KEYS.second], all))
}

/** Serve a checkpoint of this head. */
export const publish = (draft: Draft, head: TreeHead, signing?: Signing): void =>
  publishText(draft, checkpointText(head), signing)

/** Serve no index: it would be that of another tree. */
function dropIndex({ files }: Draft): void {
  for (const path of files.keys()) if (path.startsWith("subjects/")) files.delete(path)
}

/** Serve the log as it was at its early head, as from a backup. */
export function goBack(draft: Draft): void {
  withhold(draft, keyringPath(draft.world.keyrings.length))
  dropIndex(draft)
  putText(draft, CHECKPOINT, draft.world.heads.early.note)
}

/** Serve the tree of these entries in place of the honest one, without an index. */
export function replaceTree(draft: Draft, entries: readonly Uint8Array[], signing?: Signing): ForgedTree {
  for (const path of draft.files.keys()) if (path.startsWith("tile/")) draft.files.delete(path)
  dropIndex(draft)
  const tree = forgeTree(entries)
  for (const [path, bytes] of tree.files) draft.files.set(path, bytes)
  publish(draft, tree.headAt(BigInt(entries.length)), signing)
  return tree
}

/** Let the honest log grow by these entries, signed by its own key: the past stays what it was. */
export function append(draft: Draft, entries: readonly (Uint8Array | string)[], signing?: Signing): ForgedTree {
  const added = entries.map((entry) => (typeof entry === "string" ? encodeUtf8(entry) : entry))
  const all = [...draft.world.entries, ...added]
  const tree = forgeTree(all)
  for (const [path, bytes] of tree.files) draft.files.set(path, bytes)
  publish(draft, tree.headAt(BigInt(all.length)), signing)
  return tree
}

/** Serve a keyring after the honest ones, and enter it in the log. */
export function appendKeyring(draft: Draft, note: string, signing?: Signing): ForgedTree {
  putText(draft, keyringPath(draft.world.keyrings.length + 1), note)
  return append(draft, [note], signing)
}
