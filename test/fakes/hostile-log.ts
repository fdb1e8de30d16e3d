// A log in memory that signs and serves what a test wants: honest by itself, and with forks, older heads, foreign or missing bytes on
// request. Built with core functions and plain arrays. Counts what is read. Keys come from fixed seeds.

import type { KnownHead } from "../../src/client/heads.js"
import { decodeUtf8, encodeUtf8 } from "../../src/core/bytes.js"
import { formatCheckpoint } from "../../src/core/checkpoint.js"
import { computeTextDigest, type Digest, type Hash, hashLeaf, sha256 } from "../../src/core/hash.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { formatKeyringText, type LogKey } from "../../src/core/keyring-text.js"
import { joinHashes } from "../../src/core/merkle.js"
import { computeRoot, computeTreeHash, type NodeReader } from "../../src/core/merkle-tree.js"
import { parseNote, signNote } from "../../src/core/note.js"
import { formatRecord, type Observation, streamKey } from "../../src/core/record.js"
import type { PinnedRoot } from "../../src/core/root.js"
import { computeSurfaceDigest } from "../../src/core/section.js"
import { formatSubjectBucket, subjectBucketName } from "../../src/core/subject-index.js"
import { formatBundle, parseBundlePath, parseTilePath } from "../../src/core/tile.js"
import { computeSigningKey, computeVerifierKey, ED25519_NOTE, type SigningKey } from "../../src/core/vkey.js"
import type { LogSource } from "../../src/ports.js"

/** Stands between the log and its reader: what it returns is served; it may throw as a source does. */
export type Tamper = (path: string, bytes: Uint8Array | null) => Uint8Array | null

/** A key with that name from a label. */
export const makeKey = (name: string, label: string): SigningKey =>
  computeSigningKey({ name, seed: sha256(encodeUtf8(label)) })

const publicHalf = ({ name, publicKey }: SigningKey) => computeVerifierKey({ name, type: ED25519_NOTE, publicKey })

/** Changes nothing. */
const honest: Tamper = (_, bytes) => bytes

export class HostileLog implements LogSource {
  readonly location = "memory"
  local = false
  readonly origin: string
  /** Paths in the order in which they were read. */
  readonly reads: string[] = []
  tamper: Tamper = honest
  /** Records up to here are in the subject index; null: all. */
  indexedSize: bigint | null = null
  /** Size of the served checkpoint; null: the newest. */
  servedSize: bigint | null = null
  keyrings: string[] = []
  logKey: SigningKey
  readonly rootKey: SigningKey
  readonly objects = new Map<string, Uint8Array>()
  readonly #entries: Uint8Array[] = []
  readonly #levels: Hash[][] = [[]]
  readonly #published = new Set<bigint>()
  readonly #streams = new Map<string, { seq: bigint; index: bigint; leafHash: Hash }>()
  readonly #subjects = new Map<string, bigint[]>()

  constructor(origin = "log.example/test") {
    this.origin = origin
    this.rootKey = makeKey(`${origin}/root-a`, "root")
    this.logKey = makeKey(origin, "log-1")
    this.addKeyring([{ key: publicHalf(this.logKey), from: 0n, closing: null, revoked: false }])
    this.#published.add(0n)
  }

  get size(): bigint {
    return BigInt(this.#entries.length)
  }

  /** The pin of this log's root. */
  get root(): PinnedRoot {
    const { fingerprint } = verifyKeyring({ notes: this.keyrings.slice(0, 1) })
    return { dialect: "tlog-tiles", name: this.origin, fingerprint, floor: null, source: "flag" }
  }

  /** Sign the next keyring with these log keys. */
  addKeyring(logs: readonly LogKey[], issued = 1n): void {
    const before = this.keyrings.at(-1)
    const text = formatKeyringText({
      origin: this.origin,
      version: BigInt(this.keyrings.length + 1),
      prev: before === undefined ? null : sha256(encodeUtf8(parseNote(before).text)),
      issued,
      expires: null,
      rootThreshold: 1,
      roots: [publicHalf(this.rootKey)],
      logs,
      policy: null,
    })
    this.keyrings.push(signNote(text, [this.rootKey]))
  }

  /** Let a new key take over at the present size. */
  rotate(label: string): void {
    const closing = { size: this.size, rootHash: this.rootAt(this.size) }
    const old = { key: publicHalf(this.logKey), from: 0n, closing, revoked: false }
    this.logKey = makeKey(this.origin, label)
    this.addKeyring([old, { key: publicHalf(this.logKey), from: this.size, closing: null, revoked: false }])
  }

  /** Append entries and publish the new head. */
  append(...entries: readonly (Uint8Array | string)[]): this {
    for (const entry of entries) {
      const bytes = typeof entry === "string" ? encodeUtf8(entry) : entry
      this.#entries.push(bytes)
      this.#push(0, hashLeaf(bytes))
    }
    this.#published.add(this.size)
    return this
  }

  #push(level: number, hash: Hash): void {
    this.#levels[level] ??= []
    const hashes = this.#levels[level] ?? []
    hashes.push(hash)
    if (hashes.length % 256 === 0) this.#push(level + 1, computeTreeHash(hashes.slice(-256)))
  }

  /** Append a record of a stream, numbered and chained; returns its index. `edit` makes it a bad one. */
  record(observation: Partial<Observation>, edit: (text: string) => string = (text) => text): bigint {
    const seen = makeObservation(observation)
    const before = this.#streams.get(streamKey(seen))
    const seq = before === undefined ? 0n : before.seq + 1n
    const text = edit(formatRecord({ ...seen, seq, prev: before ?? null }))
    const index = this.size
    this.append(text)
    this.#streams.set(streamKey(seen), { seq, index, leafHash: hashLeaf(encodeUtf8(text)) })
    this.index(seen.subject, index)
    return index
  }

  /** List an entry in the subject index. */
  index(subject: string, index: bigint): void {
    this.#subjects.set(subject, [...(this.#subjects.get(subject) ?? []), index])
  }

  readonly #node: NodeReader = (level, index) => {
    const count = 2 ** (level % 8)
    const from = Number(index) * count
    return computeTreeHash((this.#levels[Math.floor(level / 8)] ?? []).slice(from, from + count))
  }

  rootAt(size: bigint): Hash {
    return computeRoot(size, this.#node)
  }

  /** The signed head of a size, this log's own. */
  headAt(size: bigint, extensions: readonly string[] = []): KnownHead {
    const rootHash = this.rootAt(size)
    const note = signNote(formatCheckpoint({ origin: this.origin, size, rootHash, extensions }), [this.logKey])
    return { size, rootHash, note }
  }

  /** The head of a size, and from then on the partial tiles that it implies. */
  publish(size: bigint): KnownHead {
    this.#published.add(size)
    return this.headAt(size)
  }

  /** Another log with the same keys and the first `size` entries: a fork once something else is appended. */
  fork(size: bigint): HostileLog {
    const other = new HostileLog(this.origin)
    other.keyrings = [...this.keyrings]
    other.logKey = this.logKey
    other.local = this.local
    if (size > 0n) other.append(...this.#entries.slice(0, Number(size)))
    for (const published of this.#published) if (published <= size) other.#published.add(published)
    return other
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array | null> {
    this.reads.push(path)
    const bytes = this.tamper(path, this.#file(path))
    if (bytes !== null && bytes.length > maxBytes)
      throw new Error(`asked for ${maxBytes}, serves ${bytes.length} bytes`)
    return bytes
  }

  #file(path: string): Uint8Array | null {
    const [folder, name = ""] = path.split("/")
    if (path === "checkpoint") return encodeUtf8(this.publish(this.servedSize ?? this.size).note)
    if (folder === "keyring") {
      const note = this.keyrings[Number(name) - 1]
      return note === undefined ? null : encodeUtf8(note)
    }
    if (folder === "subjects") return this.#bucket(name)
    if (folder === "objects") return this.objects.get(path) ?? null
    return name === "entries" ? this.#bundle(path) : this.#tile(path)
  }

  #bucket(name: string): Uint8Array | null {
    const size = this.indexedSize ?? this.size
    const subjects = [...this.#subjects]
      .filter(([subject]) => subjectBucketName(subject) === name)
      .map(([subject, indexes]) => [subject, indexes.filter((index) => index < size)] as const)
      .filter(([, indexes]) => indexes.length > 0)
    return size === 0n ? null : formatSubjectBucket({ size, subjects: new Map(subjects) })
  }

  #bundle(path: string): Uint8Array | null {
    const { index, width } = parseBundlePath(path)
    if (!this.#isPublished(0, index, width)) return null
    return formatBundle(this.#entries.slice(256 * Number(index), 256 * Number(index) + width))
  }

  #tile(path: string): Uint8Array | null {
    const { level, index, width } = parseTilePath(path)
    if (!this.#isPublished(level, index, width)) return null
    const from = 256 * Number(index)
    return joinHashes((this.#levels[level] ?? []).slice(from, from + width))
  }

  #isPublished(level: number, index: bigint, width: number): boolean {
    return [...this.#published].some((size) => {
      const count = (size >> BigInt(8 * level)) - 256n * index
      return width === 256 ? count >= 256n : count === BigInt(width)
    })
  }

  /** Forget the partial tiles of all sizes but the newest, as a log does once they are full. */
  collectPartials(): void {
    for (const size of this.#published) if (size !== this.size) this.#published.delete(size)
  }

  /** Put a text into the archive. */
  archive(text: string): Digest {
    const digest = computeTextDigest(text)
    const hex = digest.slice(7)
    this.objects.set(`objects/${hex.slice(0, 2)}/${hex}`, encodeUtf8(text))
    return digest
  }
}

const LINES = {
  tools: "none",
  prompts: "none",
  templates: "none",
  resources: "-",
  instructions: "none",
  server: "none",
}

/** An observation; what is left out is `pkg:npm/x` with nothing in it. */
export function makeObservation(given: Partial<Observation>): Observation {
  const lines = given.lines ?? LINES
  return {
    subject: "pkg:npm/x",
    version: "1.0.0",
    profile: "anonymous",
    how: computeTextDigest("how"),
    observer: "local",
    mask: "-",
    state: "listed",
    observed: 1796083200n,
    ...given,
    lines,
    surface: computeSurfaceDigest(given.state ?? "listed", lines),
  }
}

/** Flips one bit of a file whose path fits. */
export const flipBit =
  (pattern: RegExp, at = 0): Tamper =>
  (path, bytes) => {
    if (bytes === null || !pattern.test(path)) return bytes
    const flipped = bytes.slice()
    flipped[at] = (flipped[at] ?? 0) ^ 1
    return flipped
  }

/** Withholds files whose path fits. */
export const withhold =
  (pattern: RegExp): Tamper =>
  (path, bytes) =>
    pattern.test(path) ? null : bytes

/** Changes text files whose path fits. */
export const rewrite =
  (pattern: RegExp, edit: (text: string) => string): Tamper =>
  (path, bytes) => {
    if (bytes === null || !pattern.test(path)) return bytes
    return encodeUtf8(edit(decodeUtf8(bytes, (why) => new RangeError(why) as never)))
  }
