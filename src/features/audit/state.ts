// The audit state (FORMAT.md, Audits): where an audit stood at the end of a full bundle, so that the next one goes on from there. A line of
// JSON as other memories are, then the rows of its tables as they lie in memory, whose digests are in the line. An unfinished audit leaves the
// same: what was hashed so far decides the root in the end, so that a state which does not fit shows.
import { formatMemoryFile, parseMemoryFile, textMember } from "../../client/memory-file.js"
import { concatBytes, formatBase64, formatHex, parseBase64, parseDecimal, parseHex } from "../../core/bytes.js"
import { type Bad, ToolsumError } from "../../core/errors.js"
import { HASH_BYTES, sha256 } from "../../core/hash.js"
import { isArray, type JsonObject, parseJson } from "../../core/json.js"
import { MAX_TILE_BYTES, TILE_WIDTH } from "../../core/tile.js"
import type { LogIdentity } from "../../ports.js"
import type { EntryCounts } from "./entries.js"
import { AUDIT_CODES, type AuditCode, type AuditFinding, type FindingCounts } from "./findings.js"
import { KEY_BYTES, ROWS_PER_CHUNK } from "./key-table.js"
import { LOOKALIKE_ROW_BYTES } from "./lookalikes.js"
import type { ObjectCounts } from "./objects.js"
import { STREAM_ROW_BYTES } from "./streams.js"
import { SEED_BYTES } from "./subject-sums.js"

/** The tables, in this order. */
export const TABLES = ["streams", "subjects", "told", "objects"] as const
/** One of them. */
export type TableName = (typeof TABLES)[number]

const ROW_BYTES: Readonly<Record<TableName, number>> = {
  streams: STREAM_ROW_BYTES,
  subjects: LOOKALIKE_ROW_BYTES,
  told: KEY_BYTES,
  objects: KEY_BYTES,
}

/** Where an audit stood. Everything is of the first `position` entries, a multiple of 256. */
export interface AuditPosition {
  readonly position: number
  /** Of a log without keyrings the newest head that was audited to its end, which no other memory has; else empty. */
  readonly head: string
  /** Unfinished tiles of level 1 and up, joined hashes each. */
  readonly edge: readonly Uint8Array[]
  readonly seed: Uint8Array
  /** As `SubjectSums` saves them. */
  readonly sums: readonly string[]
  readonly entries: EntryCounts
  /** Keyrings that were met in their order. */
  readonly logged: number
  readonly objects: ObjectCounts
  readonly findings: readonly AuditFinding[]
  readonly counts: FindingCounts
}

/** Rows of all tables: when written in parts, when read each in one piece. */
export type TableRows = Readonly<Record<TableName, readonly Uint8Array[]>>

interface StoredLine extends AuditPosition {
  /** `<table> <rows> sha256:<hex>` */
  readonly rows: readonly string[]
}

const FORMAT = "toolsum-audit/v1"
/** Most bytes of the line. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
const MEMBERS = [
  ...["format", "origin", "root", "position", "head", "edge", "seed", "sums", "records", "keyrings", "others"],
  ...["types", "logged", "objects", "missing", "findings", "counts", "rows", "sum"],
]

/** Write where an audit of `log` stands, in parts that are to be joined. */
export function formatAuditState(at: AuditPosition, tables: TableRows, log: LogIdentity): readonly Uint8Array[] {
  const rows = TABLES.map((name) => describeTable(name, tables[name]))
  return [formatLine({ ...at, rows }, log), ...TABLES.flatMap((name) => tables[name])]
}

/** Digest of a table: SHA-256 over those of its rows, 16,384 at a time, which is how they come. */
function describeTable(name: TableName, parts: readonly Uint8Array[]): string {
  const count = parts.reduce((sum, part) => sum + part.length, 0) / ROW_BYTES[name]
  return `${name} ${count} sha256:${formatHex(sha256(concatBytes(...parts.map(sha256))))}`
}

function formatLine(at: StoredLine, log: LogIdentity): Uint8Array {
  const { entries, objects } = at
  return formatMemoryFile({
    ...{ format: FORMAT, origin: log.origin, root: log.root },
    ...{ position: `${at.position}`, head: at.head, edge: at.edge.map(formatBase64) },
    ...{ seed: formatHex(at.seed), sums: at.sums },
    ...{ records: `${entries.records}`, keyrings: `${entries.keyrings}`, others: `${entries.other}` },
    types: Object.entries(entries.types).map(([type, count]) => `${count} ${type}`),
    ...{ logged: `${at.logged}`, objects: `${objects.read}`, missing: `${objects.missing}` },
    findings: at.findings.flatMap(({ code, where, message }) => [code, where, message]),
    counts: Object.entries(at.counts).map(([code, count]) => `${count} ${code}`),
    rows: at.rows,
  })
}

const bad: Bad = (why) => new ToolsumError("STATE_CORRUPT", `the audit state of this log is damaged: ${why}`)

/** Read what `formatAuditState` wrote for `log`. Throws STATE_CORRUPT for anything else. */
export function parseAuditState(bytes: Uint8Array, log: LogIdentity): { at: AuditPosition; tables: TableRows } {
  const end = bytes.subarray(0, MAX_LINE_BYTES).indexOf(10) + 1
  if (end === 0) throw bad("expected a line of JSON")
  const { rows, ...at } = parseMemoryFile(bytes.subarray(0, end), log, {
    ...{ format: FORMAT, members: MEMBERS },
    parse: (line) => parseJson(line),
    read: readLine,
    write: formatLine,
  })
  return { at, tables: cutTables(bytes.subarray(end), rows) }
}

function readLine(document: JsonObject, _log: LogIdentity, bad: Bad): StoredLine {
  const text = (name: string) => textMember(document, name, bad)
  const count = (name: string) => readCount(text(name), bad)
  const list = (name: string) => listMember(document, name, bad)
  const position = count("position")
  if (position % TILE_WIDTH !== 0) throw bad("expected a position at the end of a full bundle")
  return {
    ...{ position, head: text("head"), edge: list("edge").map((level) => readLevel(level, bad)) },
    ...{
      seed: sized(parseHex(text("seed"), bad), SEED_BYTES, bad),
      sums: list("sums"),
    },
    entries: {
      ...{ records: count("records"), keyrings: count("keyrings"), other: count("others") },
      types: Object.fromEntries(list("types").map((line) => readCounted(line, bad))),
    },
    ...{ logged: count("logged"), objects: { read: count("objects"), missing: count("missing") } },
    findings: readFindings(list("findings"), bad),
    counts: Object.fromEntries(list("counts").map((line) => readCounted(line, bad))),
    rows: list("rows"),
  }
}

function readFindings(texts: readonly string[], bad: Bad): readonly AuditFinding[] {
  const findings: AuditFinding[] = []
  for (let i = 0; i < texts.length; i += 3) {
    const [code = "", where = "", message = ""] = texts.slice(i, i + 3)
    if (!isCode(code)) throw bad("expected the code of a finding")
    findings.push({ code, kind: AUDIT_CODES[code], where, message })
  }
  return findings
}

const isCode = (text: string): text is AuditCode => Object.hasOwn(AUDIT_CODES, text)

function cutTables(bytes: Uint8Array, rows: readonly string[]): TableRows {
  const tables: Record<TableName, readonly Uint8Array[]> = { streams: [], subjects: [], told: [], objects: [] }
  let at = 0
  for (const [i, name] of TABLES.entries()) {
    const [, count = ""] = rows[i]?.split(" ") ?? []
    const end = at + readCount(count, bad) * ROW_BYTES[name]
    tables[name] = cutRows(bytes.subarray(at, end), ROWS_PER_CHUNK * ROW_BYTES[name])
    if (describeTable(name, tables[name]) !== rows[i]) throw bad(`expected other rows of ${name}`)
    at = end
  }
  if (at !== bytes.length) throw bad(`expected ${at} bytes of rows, got ${bytes.length}`)
  return tables
}

function cutRows(bytes: Uint8Array, partBytes: number): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += partBytes) parts.push(bytes.subarray(at, at + partBytes))
  return parts
}

function listMember(document: JsonObject, name: string, bad: Bad): readonly string[] {
  const value = document[name]
  const texts = isArray(value) ? value.flatMap((one) => (typeof one === "string" ? [one] : [])) : []
  if (!isArray(value) || texts.length !== value.length) throw bad(`expected ${name} to be a list of texts`)
  return texts
}

function readCount(text: string, bad: Bad): number {
  const count = parseDecimal(text, bad)
  if (count > BigInt(Number.MAX_SAFE_INTEGER)) throw bad("expected a smaller number")
  return Number(count)
}

/** A count, a space, and what is counted. */
function readCounted(line: string, bad: Bad): readonly [string, number] {
  const space = line.indexOf(" ")
  return [line.slice(space + 1), readCount(line.slice(0, Math.max(space, 0)), bad)]
}

function readLevel(text: string, bad: Bad): Uint8Array {
  const hashes = parseBase64(text, bad)
  if (hashes.length >= MAX_TILE_BYTES || hashes.length % HASH_BYTES !== 0)
    throw bad("expected hashes of an unfinished tile")
  return hashes
}

function sized(bytes: Uint8Array, length: number, bad: Bad): Uint8Array {
  if (bytes.length !== length) throw bad(`expected ${length} bytes`)
  return bytes
}
