// What can be appended, checked before it waits for a batch: observations with the texts behind their digests, entries of other types,
// keyrings. Which texts become objects is decided here (DESIGN 6, formats 21).
import { encodeUtf8 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { computeTextDigest, type Digest, isDigest } from "../core/hash.js"
import { KEYRING_TYPE } from "../core/keyring-text.js"
import {
  entryType,
  formatObservation,
  MAX_RECORD_BYTES,
  type Observation,
  parseObservation,
  RECORD_TYPE,
} from "../core/record.js"
import { MAX_ENTRY_BYTES } from "../core/tile.js"
import type { StagedFile } from "./staging.js"

/** An observation to be recorded. `objects`: the `archive` texts of `computeSurface`, at least the section texts. */
export interface Submission {
  readonly observation: Observation
  readonly objects: readonly string[]
}

/** What waits for a batch. `bytes`: what it adds to the log. */
export type QueuedItem =
  | {
      readonly kind: "observation"
      readonly observation: Observation
      readonly files: readonly StagedFile[]
      readonly bytes: number
    }
  | { readonly kind: "entry"; readonly entry: Uint8Array; readonly bytes: number }
  | { readonly kind: "keyring"; readonly note: string; readonly bytes: number }

/** Most bytes of one observation with its objects. */
export const MAX_SUBMISSION_BYTES = 128 * 1024 * 1024

/** Length of the lines seq and prev with the largest numbers. */
const MAX_ORDER_BYTES = "seq ".length + 19 + 1 + "prev ".length + 19 + 1 + "sha256:".length + 64 + 1

const RECORD_FAMILY = RECORD_TYPE.slice(0, RECORD_TYPE.indexOf("/") + 1)
const KEYRING_FAMILY = KEYRING_TYPE.slice(0, KEYRING_TYPE.indexOf("/") + 1)

/** Check an observation. `archive`: the log keeps canonical items; even then only those of anonymous reads are kept.
 *  Throws RECORD_MALFORMED; USAGE when the text of a section is missing or there is too much. */
export function queueObservation(submission: Submission, archive: boolean): QueuedItem {
  const text = formatObservation(submission.observation)
  const observation = parseObservation(text)
  if (text.length + MAX_ORDER_BYTES > MAX_RECORD_BYTES) {
    throw new ToolsumError("RECORD_MALFORMED", "the record would have more than 4096 bytes")
  }
  const texts = new Map(submission.objects.map((object) => [computeTextDigest(object), object]))
  const sections = sectionTexts(observation, texts)
  const kept = archive && observation.profile === "anonymous" ? itemTexts(observation, sections, texts) : []
  const staged = [...new Map([...sections, ...kept])].map(([digest, object]) => objectFile(digest, object))
  const bytes = staged.reduce((sum, file) => sum + file.bytes.length, text.length + MAX_ORDER_BYTES)
  if (bytes > MAX_SUBMISSION_BYTES)
    throw new ToolsumError("USAGE", `more than ${MAX_SUBMISSION_BYTES} bytes of objects`)
  return { kind: "observation", observation, files: staged, bytes }
}

/** Check an entry of another type. Throws USAGE for more than 65,535 bytes, and for records and keyrings, which have their own way in. */
export function queueEntry(entry: Uint8Array): QueuedItem {
  if (entry.length > MAX_ENTRY_BYTES) {
    throw new ToolsumError("USAGE", `expected an entry of at most ${MAX_ENTRY_BYTES} bytes, got ${entry.length}`)
  }
  const type = entryType(entry) ?? ""
  if (type.startsWith(RECORD_FAMILY))
    throw new ToolsumError("USAGE", "a record gets its place in its stream by the log")
  if (type.startsWith(KEYRING_FAMILY)) throw new ToolsumError("USAGE", "a keyring is appended as a keyring")
  return { kind: "entry", entry: entry.slice(), bytes: entry.length }
}

/** The object that `text` is. */
function objectFile(digest: Digest, text: string): StagedFile {
  const hex = digest.slice("sha256:".length)
  return { key: `public/objects/${hex.slice(0, 2)}/${hex}`, bytes: encodeUtf8(text) }
}

/** The section texts of a record but the empty one, which is not stored. Throws USAGE when one is not among `texts`. */
function sectionTexts(observation: Observation, texts: ReadonlyMap<Digest, string>): readonly [Digest, string][] {
  const { tools, prompts, templates, resources } = observation.lines
  return Object.entries({ tools, prompts, templates, resources }).flatMap(([section, line]) => {
    const digest = line.split(" ").find(isDigest)
    if (digest === undefined || digest === EMPTY_TEXT) return []
    const text = texts.get(digest)
    if (text === undefined) throw new ToolsumError("USAGE", `the section text of ${section} is missing`)
    return [[digest, text]]
  })
}

/** Those of `texts` that the record stands for: items of its sections, instructions, server, masks. Others are no part of it. */
function itemTexts(
  { lines, mask }: Observation,
  sections: readonly [Digest, string][],
  texts: ReadonlyMap<Digest, string>,
): readonly [Digest, string][] {
  const items = sections.flatMap(([, text]) => text.split("\n").map((line) => `sha256:${line.slice(0, 64)}`))
  return [...items, lines.instructions, lines.server, mask].flatMap((name) => {
    const text = isDigest(name) ? texts.get(name) : undefined
    return isDigest(name) && text !== undefined ? [[name, text] as [Digest, string]] : []
  })
}

const EMPTY_TEXT = computeTextDigest("")
