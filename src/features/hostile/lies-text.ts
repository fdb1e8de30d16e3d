// Lies about the checkpoint as bytes and text: limits, encodings, spellings. Those about its content are signed by the log's own key, so
// that nothing but a strict reader can notice.
import { concatBytes, formatBase64 } from "../../core/bytes.js"
import { MAX_NOTE_BYTES, MAX_NOTE_SIGNATURES } from "../../core/note.js"
import { formatSignatureLine } from "../../core/signature-line.js"
import { MAX_ENTRY_BYTES, TILE_WIDTH } from "../../core/tile.js"
import { checkpointText } from "./forge.js"
import { LOG_KEYS, OTHER_ORIGIN } from "./keys.js"
import { bundleOf, CHECKPOINT, type Draft, edit, editText, type Lie, liesOf, publishText, tileOf } from "./lie.js"

const SIGNED_NOTE = "C2SP signed-note"
const TLOG_CHECKPOINT = "C2SP tlog-checkpoint"

/** Signature lines by keys that nobody knows. */
const strangers = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `${formatSignatureLine({ name: `stranger-${i}.test`, id: i, blob: new Uint8Array(64) })}\n`,
  ).join("")

const pad = (length: number) => (bytes: Uint8Array) => concatBytes(bytes, new Uint8Array(length))

const LIMITS = liesOf({ kind: "lie", step: "limits" }, [
  {
    name: "oversize-checkpoint",
    says: "a checkpoint longer than any that is read, by signature lines of strangers",
    from: SIGNED_NOTE,
    tell: (draft) => editText(draft, CHECKPOINT, (note) => `${note}${strangers(Math.ceil(MAX_NOTE_BYTES / 100))}`),
  },
  {
    name: "too-many-signatures",
    says: "a checkpoint with more signature lines than are read",
    from: SIGNED_NOTE,
    tell: (draft) => editText(draft, CHECKPOINT, (note) => `${note}${strangers(MAX_NOTE_SIGNATURES)}`),
  },
  {
    name: "oversize-tile",
    says: "a tile with a megabyte behind its hashes",
    from: "C2SP tlog-tiles",
    tell: (draft) => edit(draft, tileOf(draft.world.pinned.index), pad(1024 * 1024)),
  },
  {
    name: "oversize-bundle",
    says: "an entry bundle longer than 256 entries can be",
    from: "C2SP tlog-tiles",
    tell: (draft) => edit(draft, bundleOf(draft.world.pinned.index), pad(TILE_WIDTH * (2 + MAX_ENTRY_BYTES))),
  },
])

const ENCODINGS = liesOf({ kind: "lie", step: "text", from: SIGNED_NOTE }, [
  {
    name: "byte-order-mark",
    says: "a checkpoint with a byte order mark before its origin",
    tell: (draft) => editText(draft, CHECKPOINT, (note) => `\ufeff${note}`),
  },
  {
    name: "carriage-returns",
    says: "a checkpoint whose lines end with carriage return and line feed",
    tell: (draft) => editText(draft, CHECKPOINT, (note) => note.replaceAll("\n", "\r\n")),
  },
  {
    name: "not-utf8",
    says: "a checkpoint that is not UTF-8",
    tell: (draft) => edit(draft, CHECKPOINT, (bytes) => concatBytes(Uint8Array.of(0xff, 0xfe), bytes)),
  },
  {
    name: "trailing-bytes",
    says: "a checkpoint with an unsigned line of text behind its signatures",
    tell: (draft) => editText(draft, CHECKPOINT, (note) => `${note}size 9999\n`),
  },
])

/** A lie in one line of the checkpoint, signed and cosigned all the same. */
const inLine =
  (line: number, change: (text: string) => string) =>
  (draft: Draft): void => {
    const lines = checkpointText(draft.world.heads.now).split("\n")
    lines[line] = change(lines[line] ?? "")
    publishText(draft, lines.join("\n"))
  }

const [SIZE, ROOT] = [1, 2]

const SPELLINGS = liesOf({ kind: "lie", step: "checkpoint", from: TLOG_CHECKPOINT }, [
  {
    name: "size-in-hex",
    says: "a signed size in hexadecimal",
    tell: inLine(SIZE, (size) => `0x${Number(size).toString(16)}`),
  },
  {
    name: "size-with-leading-zero",
    says: "a signed size with a leading zero",
    tell: inLine(SIZE, (size) => `0${size}`),
  },
  { name: "size-with-sign", says: "a signed size with a plus sign", tell: inLine(SIZE, (size) => `+${size}`) },
  { name: "size-with-space", says: "a signed size with a space before it", tell: inLine(SIZE, (size) => ` ${size}`) },
  {
    name: "size-empty",
    says: "a signed checkpoint without a size, which some read as 0",
    tell: inLine(SIZE, () => ""),
  },
  { name: "size-too-large", says: "a signed size that 63 bits do not hold", tell: inLine(SIZE, () => `${2n ** 63n}`) },
  {
    name: "short-root",
    says: "a signed root hash of 31 bytes",
    tell: inLine(ROOT, () => formatBase64(new Uint8Array(31).fill(7))),
  },
  {
    name: "loose-base64",
    says: "a signed root hash in base64 with bits set that no byte has",
    tell: inLine(ROOT, () => `${"A".repeat(42)}B=`),
  },
  {
    name: "size-0-with-root",
    says: "a signed tree of size 0 with the root hash of a larger one",
    tell: inLine(SIZE, () => "0"),
  },
])

const ORIGINS = liesOf({ kind: "lie", step: "origin", from: TLOG_CHECKPOINT }, [
  {
    name: "other-origin",
    says: "the checkpoint of another log, well signed by that log's key",
    tell: (draft) => {
      const text = checkpointText(draft.world.heads.now).replace(/^.*/, OTHER_ORIGIN)
      publishText(draft, text, { signers: [LOG_KEYS.other] })
    },
  },
  {
    name: "other-origin-own-key",
    says: "a checkpoint of another origin, signed by this log's own key",
    tell: inLine(0, () => OTHER_ORIGIN),
  },
])

const HARMLESS = liesOf({ kind: "harmless", step: "signature" }, [
  {
    name: "log-signature-last",
    says: "a true checkpoint whose log signature comes after those of witnesses and strangers",
    from: "sigstore/sigstore-python#1513",
    tell: (draft) =>
      editText(draft, CHECKPOINT, (note) => {
        const [text = "", signatures = ""] = note.split("\n\n")
        const [own = "", ...others] = signatures.slice(0, -1).split("\n")
        return `${text}\n\n${strangers(1)}${[...others, own].map((line) => `${line}\n`).join("")}`
      }),
  },
  {
    name: "extension-line",
    says: "a true checkpoint with an extension line, which is signed and read for nothing",
    from: TLOG_CHECKPOINT,
    tell: (draft) => publishText(draft, checkpointText(draft.world.heads.now, ["size 9999"])),
  },
])

/** Lies about the checkpoint's bytes and text. */
export const TEXT_LIES: readonly Lie[] = [...LIMITS, ...ENCODINGS, ...SPELLINGS, ...ORIGINS, ...HARMLESS]
