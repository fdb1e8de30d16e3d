// The subject index of a log against its records (formats 22): below its size every bucket must list exactly the records of its subjects. The
// sums of subject-sums.ts tell whether it does; which pair is wrong is looked up afterwards, in a second reading, for a few buckets.
import { createVerifiedTree } from "../../client/tiles.js"
import { encodeUtf8 } from "../../core/bytes.js"
import { attempt, quote, ToolsumError } from "../../core/errors.js"
import { sha256 } from "../../core/hash.js"
import type { TreeHead } from "../../core/merkle.js"
import {
  MAX_SUBJECT_BUCKET_BYTES,
  parseSubjectBucket,
  SUBJECT_BUCKET_NAMES,
  SUBJECT_INDEX_INTERVAL,
  type SubjectBucket,
  subjectBucketName,
  subjectBucketPath,
} from "../../core/subject-index.js"
import { parseBundle, TILE_WIDTH } from "../../core/tile.js"
import type { LogSource } from "../../ports.js"
import { subjectOfEntry } from "../../writer/subject-tail.js"
import type { Findings } from "./findings.js"
import { readBundles, readFile } from "./read-bundles.js"
import { SubjectSums } from "./subject-sums.js"

/** Buckets read at the same time. */
const READS_AT_ONCE = 8
/** Entries that are read again because a bucket ends before the part that was audited earlier. */
const MAX_TAKEN_BACK = 65_536
/** Buckets that are looked up in a second reading. */
const MAX_EXPLAINED = 4
/** Wrong pairs that are told of in each of them. */
const MAX_PAIRS = 3
/** A bucket that is further behind the head has missed more than the rewriting that may just be under way. */
const MAX_BEHIND = 2 * Number(SUBJECT_INDEX_INTERVAL)

/** What the index of a log says, and the records beside it. */
export class IndexAudit {
  readonly #source: LogSource
  readonly #findings: Findings
  readonly #head: TreeHead
  readonly #from: number
  /** Size of each bucket as far as it is compared: 0 for one that is absent or unusable. */
  readonly #sizes = new Float64Array(SUBJECT_BUCKET_NAMES.length)
  readonly #ahead: { readonly number: number; readonly size: bigint }[] = []
  readonly #listed: SubjectSums
  /** Of the records below the size of their bucket. */
  #below: SubjectSums
  /** Of all records. */
  readonly all: SubjectSums

  /** `from`: entries before it are not read, and nothing is said of them. `seed`: 16 random bytes, the same as those of the sums that were
   *  kept of earlier records, if any. */
  constructor(p: { source: LogSource; findings: Findings; head: TreeHead; from: number; seed: Uint8Array }) {
    this.#source = p.source
    this.#findings = p.findings
    this.#head = p.head
    this.#from = p.from
    this.#listed = new SubjectSums(p.seed)
    this.#below = new SubjectSums(p.seed)
    this.all = new SubjectSums(p.seed)
  }

  /** Read every bucket. `isLater`: whether the log has grown to that size since its head was read. */
  async read(isLater: (size: bigint) => Promise<boolean>): Promise<void> {
    for (let at = 0; at < SUBJECT_BUCKET_NAMES.length; at += READS_AT_ONCE) {
      const names = SUBJECT_BUCKET_NAMES.slice(at, at + READS_AT_ONCE)
      const read = await Promise.all(names.map((name) => this.#readBucket(name)))
      for (const [i, bucket] of read.entries()) if (bucket !== null) await this.#take(at + i, bucket, isLater)
    }
  }

  async #readBucket(name: string): Promise<SubjectBucket | null> {
    const path = subjectBucketPath(name)
    const bytes = await readFile(this.#source, path, MAX_SUBJECT_BUCKET_BYTES)
    if (bytes === null) return null
    const bucket = bytes instanceof ToolsumError ? bytes : attempt(() => parseSubjectBucket(bytes, name))
    if (!(bucket instanceof ToolsumError)) return bucket
    const code = bucket.code === "INDEX_MALFORMED" ? "index_malformed" : "index_unread"
    this.#findings.add(code, path, bucket.message)
    return null
  }

  async #take(number: number, bucket: SubjectBucket, isLater: (size: bigint) => Promise<boolean>): Promise<void> {
    const { size } = this.#head
    if (bucket.size > size && !(await isLater(bucket.size))) this.#ahead.push({ number, size: bucket.size })
    this.#sizes[number] = Math.min(Number(bucket.size), Number(size))
    for (const [subject, indexes] of bucket.subjects) {
      const hash = sha256(encodeUtf8(subject))
      for (const index of indexes) {
        const place = Number(index)
        if (index < size && place >= this.#from) this.#listed.add(hash, place)
      }
    }
  }

  /** Go on from the sums of the first `position` entries, which an earlier audit read. False: entries of them that are wanted again cannot be
   *  read, or are others now. Throws STATE_CORRUPT. */
  async resume(sums: readonly string[], position: number): Promise<boolean> {
    if (!this.all.load(sums)) throw new ToolsumError("STATE_CORRUPT", "the audit state of this log has other sums")
    this.#below = this.all.clone()
    const start = this.#sizes.reduce((least, size) => (size > 0 && size < least ? size : least), position)
    const from = Math.max(start, position - MAX_TAKEN_BACK)
    try {
      if (from < position) await this.#takeBack(from, position)
    } catch (error) {
      if (error instanceof ToolsumError) return false
      throw error
    }
    for (const [bucket, size] of this.#sizes.entries()) if (size < from) this.#sizes[bucket] = 0
    return true
  }

  /** Take those records out of the sums that come after what their bucket knows. */
  async #takeBack(from: number, to: number): Promise<void> {
    const tree = createVerifiedTree(this.#source, this.#head)
    for (let bundle = Math.floor(from / TILE_WIDTH); bundle * TILE_WIDTH < to; bundle++) {
      const entries = await tree.readEntries(BigInt(bundle))
      for (const [i, entry] of entries.entries()) {
        const index = bundle * TILE_WIDTH + i
        const subject = subjectOfEntry(entry)
        if (subject === null || index >= to) continue
        const hash = sha256(encodeUtf8(subject))
        if (index >= (this.#sizes[hash[0] ?? 0] ?? 0)) this.#below.add(hash, index, -1)
      }
    }
  }

  /** Take a record; `subject`: the first 16 bytes of its subject's SHA-256. */
  add(subject: Uint8Array, index: number): void {
    this.all.add(subject, index)
    if (index < (this.#sizes[subject[0] ?? 0] ?? 0)) this.#below.add(subject, index)
  }

  /** Compare. `isWhole`: every entry from `from` on was read, and is the signed one. `isOld`: the log has been seen with a larger head. */
  async finish({ isWhole, isOld }: { isWhole: boolean; isOld: boolean }): Promise<void> {
    if (!isOld) this.#tellAhead()
    if (!isWhole) {
      this.#findings.add(
        "index_not_compared",
        "subjects/",
        "entries are missing or wrong, so that nothing can be said of it",
      )
      return
    }
    this.#tellBehind()
    const wrong = SUBJECT_BUCKET_NAMES.flatMap((name, bucket) =>
      (this.#sizes[bucket] ?? 0) > 0 && !this.#listed.isSame(this.#below, bucket) ? [{ name, bucket }] : [],
    )
    const told = wrong.length > 0 ? await this.#explain(wrong.slice(0, MAX_EXPLAINED)) : new Set()
    for (const one of wrong) if (!told.has(one.name)) this.#tellWrong(one)
  }

  #tellWrong({ name, bucket }: { name: string; bucket: number }): void {
    const [has, lists] = [this.#below.count(bucket), this.#listed.count(bucket)]
    const code = lists < has ? "index_omits" : "index_false"
    this.#findings.add(code, subjectBucketPath(name), `lists ${lists} records, where the log has ${has}, or others`)
  }

  #tellAhead(): void {
    const [first, ...more] = this.#ahead
    if (first === undefined) return
    const others = more.length === 0 ? "" : `, and so are ${more.length} other buckets`
    this.#findings.add(
      "index_ahead",
      subjectBucketPath(SUBJECT_BUCKET_NAMES[first.number] ?? ""),
      `is as of size ${first.size}${others}, and the head has ${this.#head.size}`,
    )
  }

  #tellBehind(): void {
    const total = this.all.total()
    const behind = SUBJECT_BUCKET_NAMES.filter(
      (_, bucket) => this.all.count(bucket) > 0 && Number(this.#head.size) - (this.#sizes[bucket] ?? 0) > MAX_BEHIND,
    )
    const [first] = behind
    if (total === 0 || first === undefined) return
    this.#findings.add(
      "index_behind",
      subjectBucketPath(first),
      `${behind.length} of ${SUBJECT_BUCKET_NAMES.length} buckets are absent, unusable or more than ${MAX_BEHIND} entries behind the head`,
    )
  }

  /** Read the log again beside these buckets and name what is wrong in them. Returns the buckets of which something was told: one that a log
   *  serves otherwise by now may show nothing. */
  async #explain(wrong: readonly { name: string; bucket: number }[]): Promise<ReadonlySet<string>> {
    const open = new Map<string, { path: string; size: number; left: Map<string, Set<number>>; omitted: number }>()
    for (const { name, bucket } of wrong) {
      const read = await this.#readBucket(name)
      const left = new Map([...(read?.subjects ?? [])].map(([subject, all]) => [subject, new Set(all.map(Number))]))
      open.set(name, { path: subjectBucketPath(name), size: this.#sizes[bucket] ?? 0, left, omitted: 0 })
    }
    const first = Math.floor(this.#from / TILE_WIDTH)
    for await (const wave of readBundles(this.#source, first, Number(this.#head.size)))
      for (const { index, bundle, bundleWidth, width } of wave) {
        if (!(bundle instanceof Uint8Array)) continue
        const entries = attempt(() => parseBundle(bundle, bundleWidth))
        if (entries instanceof ToolsumError) continue
        for (const [i, entry] of entries.slice(0, width).entries()) this.#holdEntry(open, index * TILE_WIDTH + i, entry)
      }
    const told = new Set<string>()
    for (const [name, { path, size, left, omitted }] of open) {
      const pairs = [...left]
        .flatMap(([subject, all]) => [...all].map((index) => ({ subject, index })))
        .filter(({ index }) => index >= this.#from && index < size)
      for (const { subject, index } of pairs.slice(0, MAX_PAIRS))
        this.#findings.add("index_false", path, `lists entry ${index} under ${quote(subject)}, whose record it is not`)
      if (pairs.length + omitted > 0) told.add(name)
    }
    return told
  }

  #holdEntry(
    open: ReadonlyMap<string, { path: string; size: number; left: Map<string, Set<number>>; omitted: number }>,
    index: number,
    entry: Uint8Array,
  ): void {
    const subject = subjectOfEntry(entry)
    const bucket = subject === null ? undefined : open.get(subjectBucketName(subject))
    if (subject === null || bucket === undefined || index >= bucket.size) return
    if (bucket.left.get(subject)?.delete(index) || bucket.omitted >= MAX_PAIRS) return
    bucket.omitted++
    this.#findings.add("index_omits", bucket.path, `does not list entry ${index}, a record of ${quote(subject)}`)
  }
}
