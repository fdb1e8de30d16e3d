// Every entry of a log by its type: records go to their streams, the index and the archive; keyrings must be those that are served, in their
// order, from the first entry on; everything else is counted.
import { encodeUtf8, equalBytes } from "../../core/bytes.js"
import { attempt, quote, ToolsumError } from "../../core/errors.js"
import { HASH_BYTES, sha256 } from "../../core/hash.js"
import { parseKeyring } from "../../core/keyring.js"
import { KEYRING_TYPE } from "../../core/keyring-text.js"
import { entryType, parseRecord, RECORD_TYPE } from "../../core/record.js"
import { subjectOfEntry } from "../../writer/subject-tail.js"
import type { Findings } from "./findings.js"
import type { ObjectAudit } from "./objects.js"
import type { StreamLedger } from "./streams.js"
import type { IndexAudit } from "./subject-index.js"

const RECORD_FAMILY = "toolsum-record/"
/** What a first line looks like that names a type on purpose, as ours do. */
const TYPE = /^[a-z0-9.-]{1,64}\/[a-z0-9.-]{1,32}$/
/** Other types that are told apart. */
const MAX_TYPES = 8

/** How many entries of each kind. */
export interface EntryCounts {
  readonly records: number
  readonly keyrings: number
  readonly other: number
  /** Other entries by their first line; `""` for those where that looks like no type, and for all types beyond the first 8. */
  readonly types: Readonly<Record<string, number>>
}

/** What takes the entries. Objects and index are null for a log that is not ours. */
export interface EntryTakers {
  readonly streams: StreamLedger
  readonly objects: ObjectAudit | null
  readonly index: IndexAudit | null
}

/** The leaf hash of an entry: that `number` among joined ones. */
export interface LeafPlace {
  readonly leaves: Uint8Array
  readonly number: number
}

/** A keyring that is so old must be in the tree: no cache lies between it and a head for longer, and a writer that was cut off between the two
 *  has been started again. */
const DUE_AFTER_SEC = 86_400n

/** Whether a served keyring must be in the tree by now; of one that cannot be read that is told elsewhere. */
function dueOf(keyring: Uint8Array, nowSec: bigint): "due" | "pending" | "unreadable" {
  const read = attempt(() => parseKeyring(keyring))
  if (read instanceof ToolsumError) return "unreadable"
  return nowSec - read.issued >= DUE_AFTER_SEC ? "due" : "pending"
}

/** The entries of a log, in order. */
export class EntryAudit {
  readonly #findings: Findings
  readonly #takers: EntryTakers
  /** Served keyrings from 1; null for a log without keyrings. */
  readonly #served: readonly Uint8Array[] | null
  #records = 0
  #keyrings = 0
  #other = 0
  /** Keyrings that were met in their order; null: not known before the first of them. */
  #logged: number | null
  readonly #types = new Map<string, number>()

  /** `isStart`: the first entry that comes is that of the log. */
  constructor(p: { findings: Findings; takers: EntryTakers; keyrings: readonly string[] | null; isStart: boolean }) {
    this.#logged = p.isStart ? 0 : null
    this.#findings = p.findings
    this.#takers = p.takers
    this.#served = p.keyrings?.map(encodeUtf8) ?? null
  }

  counts(): EntryCounts {
    const { size } = this.#types
    return {
      ...{ records: this.#records, keyrings: this.#keyrings, other: this.#other },
      types: size === 0 ? {} : Object.fromEntries(this.#types),
    }
  }

  /** Number of served keyrings that were met in their order. */
  get logged(): number {
    return this.#logged ?? 0
  }

  /** Go on from what was kept. */
  restore({ records, keyrings, other, types }: EntryCounts, logged: number): void {
    this.#records = records
    this.#keyrings = keyrings
    this.#other = other
    this.#logged = logged
    for (const [type, count] of Object.entries(types)) this.#types.set(type, count)
  }

  /** Take the next entry. */
  take(index: number, entry: Uint8Array, leaf: LeafPlace): void {
    const type = entryType(entry) ?? ""
    if (type === RECORD_TYPE) this.#takeRecord(index, entry, leaf)
    else if (type === KEYRING_TYPE && this.#served !== null) this.#takeKeyring(index, entry, this.#served)
    else this.#takeOther(index, type)
    if (index === 0 && type !== KEYRING_TYPE && this.#served !== null)
      this.#findings.add("keyring_order", "entry 0", "the first entry is not keyring 1")
  }

  #takeRecord(index: number, entry: Uint8Array, { leaves, number }: LeafPlace): void {
    this.#records++
    const { streams, objects, index: subjects } = this.#takers
    const record = attempt(() => parseRecord(entry))
    if (record instanceof ToolsumError) {
      this.#findings.add("record_malformed", `entry ${index}`, record.message)
      // The index lists what begins as a record, whatever follows.
      const subject = subjectOfEntry(entry)
      if (subject !== null) subjects?.add(sha256(encodeUtf8(subject)), index)
      return
    }
    const leafHash = leaves.subarray(number * HASH_BYTES, (number + 1) * HASH_BYTES)
    const subject = streams.take({ index, entry, leafHash, record })
    subjects?.add(subject, index)
    objects?.take(record, index)
  }

  #takeKeyring(index: number, entry: Uint8Array, served: readonly Uint8Array[]): void {
    this.#keyrings++
    const version = served.findIndex((note) => equalBytes(note, entry)) + 1
    const logged = this.#logged ?? version - 1
    if (version === 0)
      this.#findings.add("keyring_unserved", `entry ${index}`, "is a keyring that the log does not serve")
    else if (version === logged + 1) this.#logged = version
    else if (version <= logged) this.#findings.add("keyring_repeated", `entry ${index}`, `is keyring ${version} again`)
    else
      this.#findings.add(
        "keyring_order",
        `entry ${index}`,
        `is keyring ${version}, where keyring ${logged + 1} should come next`,
      )
  }

  #takeOther(index: number, type: string): void {
    this.#other++
    if (type.startsWith(RECORD_FAMILY))
      this.#findings.add(
        "record_version",
        `entry ${index}`,
        `is of type ${quote(type)}, which this version does not know`,
      )
    const isTold = TYPE.test(type) && (this.#types.has(type) || this.#types.size < MAX_TYPES)
    const key = isTold ? type : ""
    this.#types.set(key, (this.#types.get(key) ?? 0) + 1)
  }

  /** Tell what only the end shows: entries of other types, and keyrings that are in none. `isWhole`: every entry was read, and nothing shows
   *  that the head is an old one. `nowSec`: POSIX seconds. */
  finish(isWhole: boolean, nowSec: bigint): void {
    if (this.#served === null) return
    const types = [...this.#types].map(
      ([type, count]) => `${count} of ${type === "" ? "no type that is told apart" : quote(type)}`,
    )
    if (types.length > 0)
      this.#findings.add("other_entries", "entries", `entries that are no records: ${types.join(", ")}`)
    if (!isWhole) return
    for (const [i, keyring] of this.#served.slice(this.logged).entries()) {
      const where = `keyring/${this.logged + i + 1}`
      const due = dueOf(keyring, nowSec)
      if (due === "due") this.#findings.add("keyring_not_logged", where, "is served and is no entry in its order")
      else if (due === "pending")
        this.#findings.add("keyring_pending", where, "is new and no entry yet: the head may be older, a retry may help")
    }
  }
}
