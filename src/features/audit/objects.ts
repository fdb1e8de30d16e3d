// The texts behind the digests of records (DESIGN 6, formats 21): section texts, which a log always has, and what its archive may have: items,
// instructions, server information, masks. What is there must hash to its name, and a section text must have as many items as the record counts.
import { fetchObject, objectPath } from "../../client/objects.js"
import { decodeUtf8, encodeUtf8, parseHex } from "../../core/bytes.js"
import { attempt, ToolsumError } from "../../core/errors.js"
import { type Digest, isDigest, sha256 } from "../../core/hash.js"
import type { ToolRecord } from "../../core/record.js"
import { parseSectionText, SECTION_NAMES } from "../../core/section.js"
import type { LogSource } from "../../ports.js"
import type { Findings } from "./findings.js"
import { KEY_BYTES, KeyTable } from "./key-table.js"

const READS_AT_ONCE = 16
/** A log that has none of the first items that are asked for has no archive, and is not asked for more. */
const ARCHIVE_PROBES = 64

interface Wanted {
  readonly digest: Digest
  /** Number of items of a section text; null for an object that need not be there. */
  readonly count: number | null
  /** Entry that names it. */
  readonly entry: number
}

/** How many objects there were. */
export interface ObjectCounts {
  readonly read: number
  readonly missing: number
}

/** The objects of a log, each read once, whoever names it. */
export class ObjectAudit {
  /** Beginnings of digests that were looked at: of objects, surfaces, and section lines. */
  readonly seen = new KeyTable(0)
  readonly #source: LogSource
  readonly #findings: Findings
  #queue: Wanted[] = []
  #read = 0
  #missing = 0
  #probes = 0
  #archived = 0

  constructor(source: LogSource, findings: Findings) {
    this.#source = source
    this.#findings = findings
  }

  counts(): ObjectCounts {
    return { read: this.#read, missing: this.#missing }
  }

  /** Go on from counts that were kept. */
  restore({ read, missing }: ObjectCounts): void {
    this.#read = read
    this.#missing = missing
  }

  /** Note what a record names. */
  take({ surface, lines, mask }: ToolRecord, entry: number): void {
    if (this.#isSeen(surface)) return
    for (const section of SECTION_NAMES) {
      const [count = "", digest = ""] = lines[section].split(" ")
      // By the whole line: the same text may be counted differently by another record.
      if (isDigest(digest) && count !== "0" && this.#isNew(sha256(encodeUtf8(lines[section]))))
        this.#queue.push({ digest, count: Number(count), entry })
    }
    for (const digest of [lines.instructions, lines.server, mask]) this.#wantArchived(digest, entry)
  }

  /** Read all that was noted. */
  async flush(): Promise<void> {
    while (this.#queue.length > 0) {
      const group = this.#queue.slice(0, READS_AT_ONCE)
      this.#queue = this.#queue.slice(READS_AT_ONCE)
      await Promise.all(group.map((wanted) => this.#check(wanted)))
    }
  }

  #wantArchived(digest: string, entry: number): void {
    if (this.#probes >= ARCHIVE_PROBES && this.#archived === 0) return
    if (!isDigest(digest) || this.#isSeen(digest)) return
    this.#probes++
    this.#queue.push({ digest, count: null, entry })
  }

  #isSeen(digest: Digest): boolean {
    const start = "sha256:".length
    return !this.#isNew(parseHex(digest.slice(start, start + 2 * KEY_BYTES), (why) => new RangeError(why) as never))
  }

  #isNew(key: Uint8Array): boolean {
    if (this.seen.find(key) >= 0) return false
    this.seen.add(key)
    return true
  }

  async #check({ digest, count, entry }: Wanted): Promise<void> {
    const path = objectPath(digest)
    try {
      const bytes = await fetchObject(this.#source, digest)
      if (bytes === null) {
        if (count !== null) this.#tellMissing(path, entry)
        return
      }
      this.#read++
      if (count === null) this.#archived++
      else this.#checkSection(bytes, { path, count, entry })
    } catch (error) {
      if (!(error instanceof ToolsumError)) throw error
      const code = error.code === "HASH_MISMATCH" ? "object_differs" : "object_unread"
      this.#findings.add(code, path, `${error.message}; entry ${entry} names it`)
    }
  }

  #tellMissing(path: string, entry: number): void {
    this.#missing++
    this.#findings.add("objects_missing", path, `the log does not have this section text, which entry ${entry} names`)
  }

  #checkSection(bytes: Uint8Array, { path, count, entry }: { path: string; count: number; entry: number }): void {
    const items = attempt(() =>
      parseSectionText(decodeUtf8(bytes, (why) => new ToolsumError("RECORD_INVALID", `section text: ${why}`))),
    )
    if (items instanceof ToolsumError) {
      this.#findings.add("section_differs", path, `${items.message}; entry ${entry} names it`)
      return
    }
    if (items.length !== count)
      this.#findings.add("section_differs", path, `has ${items.length} items, where entry ${entry} counts ${count}`)
    for (const { digest } of items) this.#wantArchived(digest, entry)
  }
}
