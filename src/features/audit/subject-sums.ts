// Whether the subject index is what the records say, without keeping either: of each bucket the number of pairs (subject, index) and a sum of
// hashes over them, once from the records as they come by and once from the bucket. Equal sums are equal sets, since nobody outside knows the
// seed that goes into the hashes. A sum can be taken back, so that it holds at any size.
import { sha256 } from "../../core/hash.js"
import { SUBJECT_BUCKET_NAMES } from "../../core/subject-index.js"

/** Length of a seed, which is secret: it never leaves the user's state. */
export const SEED_BYTES = 16
const BUCKETS = SUBJECT_BUCKET_NAMES.length
const LANES = 2
/** A saved sum. */
const SAVED = /^([0-9a-f]{2}) ([1-9][0-9]{0,15}) ([0-9a-f]{8})([0-9a-f]{8})$/

/** Sums of all buckets. */
export class SubjectSums {
  readonly #seed: Int32Array
  readonly #counts = new Float64Array(BUCKETS)
  readonly #lanes = new Int32Array(BUCKETS * LANES)

  constructor(seed: Uint8Array) {
    const wide = sha256(seed)
    this.#seed = new Int32Array(wide.buffer, wide.byteOffset, 8)
  }

  /** Add the pair of a subject (the first 16 bytes of its SHA-256) and an index; with `times` -1 take it back. */
  add(subject: Uint8Array, index: number, times: 1 | -1 = 1): void {
    const bucket = subject[0] ?? 0
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + times
    for (let lane = 0; lane < LANES; lane++) {
      const at = LANES * bucket + lane
      this.#lanes[at] = ((this.#lanes[at] ?? 0) + times * this.#hash(subject, index, lane)) | 0
    }
  }

  /** Number of pairs in a bucket. */
  count(bucket: number): number {
    return this.#counts[bucket] ?? 0
  }

  /** Number of all pairs. */
  total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  isSame(other: SubjectSums, bucket: number): boolean {
    const own = (lane: number) => this.#lanes[LANES * bucket + lane] === other.#lanes[LANES * bucket + lane]
    return this.count(bucket) === other.count(bucket) && own(0) && own(1)
  }

  clone(): SubjectSums {
    const copy = new SubjectSums(new Uint8Array(0))
    copy.#seed.set(this.#seed)
    copy.#counts.set(this.#counts)
    copy.#lanes.set(this.#lanes)
    return copy
  }

  /** The sums that are not empty: `<bucket> <count> <lanes>`, bucket and lanes in hex. */
  save(): readonly string[] {
    return SUBJECT_BUCKET_NAMES.flatMap((name, bucket) =>
      this.count(bucket) === 0
        ? []
        : [`${name} ${this.count(bucket)} ${this.#hexOf(bucket, 0)}${this.#hexOf(bucket, 1)}`],
    )
  }

  /** Take over what `save` gave under the same seed; the sums must be empty. False when a line is none of its. */
  load(lines: readonly string[]): boolean {
    for (const line of lines) {
      const [, name = "", count = "", first = "", second = ""] = SAVED.exec(line) ?? []
      const bucket = SUBJECT_BUCKET_NAMES.indexOf(name)
      if (bucket < 0) return false
      this.#counts[bucket] = Number(count)
      this.#lanes[LANES * bucket] = Number.parseInt(first, 16)
      this.#lanes[LANES * bucket + 1] = Number.parseInt(second, 16)
    }
    return true
  }

  #hexOf(bucket: number, lane: number): string {
    return ((this.#lanes[LANES * bucket + lane] ?? 0) >>> 0).toString(16).padStart(8, "0")
  }

  /** 32 bits of a hash under the seed: the words of the subject and of the index, each mixed in by multiplication (as xxHash does). */
  #hash(subject: Uint8Array, index: number, lane: number): number {
    let hash = this.#seed[4 * lane] ?? 0
    for (let word = 0; word < 4; word++) {
      const at = 4 * word
      const bits =
        (subject[at] ?? 0) |
        ((subject[at + 1] ?? 0) << 8) |
        ((subject[at + 2] ?? 0) << 16) |
        ((subject[at + 3] ?? 0) << 24)
      hash = mix(hash, bits, this.#seed[4 * lane + 1] ?? 0)
    }
    hash = mix(hash, index | 0, this.#seed[4 * lane + 2] ?? 0)
    hash = mix(hash, Math.floor(index / 2 ** 32), this.#seed[4 * lane + 3] ?? 0)
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77)
    return (Math.imul(hash ^ (hash >>> 13), 0xc2b2ae3d) ^ (hash >>> 16)) | 0
  }
}

function mix(hash: number, bits: number, key: number): number {
  const next = (hash + Math.imul(bits ^ key, 0x9e3779b1)) | 0
  return Math.imul((next << 13) | (next >>> 19), 0x85ebca6b)
}
