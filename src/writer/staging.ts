// The staging file: all bytes of one step in one file, written before the commit record and published after it (brief 5.2). It is
// named by the number of the step and by its own SHA-256, so that a late write can never put other bytes in its place. Form:
//
//   toolsum-staging/v1 / size <old> <new> / file <key> <length> (one line per file) / (empty line) / the files' bytes, in order
//
// A file of a number that is already committed belongs to nobody who could still use it; the next number's may be a live writer's.
import { concatBytes, decodeUtf8, encodeUtf8, formatHex, parseDecimal } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { type Digest, sha256 } from "../core/hash.js"

/** Largest staging file: a batch is cut long before that. */
export const MAX_STAGING_BYTES = 192 * 1024 * 1024

/** Folder of the staging files. */
export const STAGING_FOLDER = "private/staging"

const STAGING_TYPE = "toolsum-staging/v1"
const SEQ_DIGITS = 20
const NAME = /^([0-9]{20})-[0-9a-f]{64}$/
const KEY = /^(?:public\/(?:tile|objects|keyring)(?:\/[0-9a-z]+(?:\.p)?)+|private\/log)$/

/** A file that a step creates. `key`: its final name. */
export interface StagedFile {
  readonly key: string
  readonly bytes: Uint8Array
}

/** All of one step: the tree grows from `oldSize` to `newSize` entries. */
export interface Staging {
  readonly oldSize: bigint
  readonly newSize: bigint
  readonly files: readonly StagedFile[]
}

const bad = (why: string): ToolsumError => new ToolsumError("COMMIT_MALFORMED", `staging file: ${why}`)

/** Digest of a staging file. */
export const stagingDigest = (bytes: Uint8Array): Digest => `sha256:${formatHex(sha256(bytes))}`

/** Storage key of the staging file of step `seq` with this digest. */
export const stagingKey = (seq: bigint, digest: Digest): string =>
  `${STAGING_FOLDER}/${seq.toString().padStart(SEQ_DIGITS, "0")}-${digest.slice("sha256:".length)}`

/** The step that a name in STAGING_FOLDER belongs to, or null for a foreign name. */
export function stagingSeq(name: string): bigint | null {
  const digits = NAME.exec(name)?.[1]
  return digits === undefined ? null : BigInt(digits)
}

/** Write a staging file; the exact inverse of `parseStaging`. */
export function formatStaging(staging: Staging): Uint8Array {
  const lines = staging.files.map((file) => `file ${file.key} ${file.bytes.length}\n`)
  const head = `${STAGING_TYPE}\nsize ${staging.oldSize} ${staging.newSize}\n${lines.join("")}\n`
  return concatBytes(encodeUtf8(head), ...staging.files.map((file) => file.bytes))
}

/** Read a staging file. Throws COMMIT_MALFORMED. The files' bytes share memory with `bytes`. */
export function parseStaging(bytes: Uint8Array): Staging {
  const end = findEmptyLine(bytes)
  const [type, sizeLine = "", ...fileLines] = decodeUtf8(bytes.subarray(0, end - 1), bad).split("\n")
  if (type !== STAGING_TYPE) throw bad(`expected the first line ${STAGING_TYPE}, got ${quote(type ?? "")}`)
  const [, oldText = "", newText = ""] = fields(sizeLine, "size")
  const oldSize = parseDecimal(oldText, bad)
  const newSize = parseDecimal(newText, bad)
  if (newSize <= oldSize) throw bad("expected the tree to grow")
  return { oldSize, newSize, files: cutFiles(bytes, end + 1, fileLines) }
}

/** Index of the newline that is an empty line of its own. */
function findEmptyLine(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 1
  }
  throw bad("expected an empty line after the list of files")
}

function cutFiles(bytes: Uint8Array, start: number, lines: readonly string[]): readonly StagedFile[] {
  let at = start
  const keys = new Set<string>()
  const files = lines.map((line) => {
    const [, key = "", lengthText = ""] = fields(line, "file")
    const length = Number(parseDecimal(lengthText, bad))
    if (!KEY.test(key) || keys.has(key)) throw bad(`expected each key once, got ${quote(key)}`)
    if (length > bytes.length - at) throw bad("expected all bytes of every file")
    keys.add(key)
    at += length
    return { key, bytes: bytes.subarray(at - length, at) }
  })
  if (at !== bytes.length) throw bad("expected nothing after the last file")
  return files
}

function fields(line: string, label: string): readonly string[] {
  const parts = line.split(" ")
  if (parts.length !== 3 || parts[0] !== label) throw bad(`expected line ${label}, got ${quote(line)}`)
  return parts
}
