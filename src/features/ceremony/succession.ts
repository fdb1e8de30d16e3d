// The entry with which a log says that it goes on where another one ended (FORMAT.md 12): the root that the other one was known by, and its
// last checkpoint that was still proven, verbatim. It is the word of the new log's owner; whoever has the old keyring can check the
// checkpoint, and nothing else in it counts for anything. Lines: toolsum-succession/v1 / root R / (empty line) / the checkpoint.
import { decodeUtf8, encodeUtf8 } from "../../core/bytes.js"
import { type Checkpoint, parseCheckpoint } from "../../core/checkpoint.js"
import { ToolsumError } from "../../core/errors.js"
import { parseNote } from "../../core/note.js"
import { parseRootArgument } from "../../core/root.js"
import { MAX_ENTRY_BYTES } from "../../core/tile.js"

/** First line of the entry, its type. */
export const SUCCESSION_TYPE = "toolsum-succession/v1"

/** What the entry says of the log before. */
export interface Succession {
  /** Fingerprint of its root. */
  readonly root: string
  /** Its last proven checkpoint, verbatim. */
  readonly checkpoint: string
  readonly head: Checkpoint
}

const bad = (why: string) => new ToolsumError("RECORD_MALFORMED", `succession: ${why}`)

/** Write the entry; the exact inverse of `parseSuccession`. Throws as it does. */
export function formatSuccession({ root, checkpoint }: Omit<Succession, "head">): Uint8Array {
  const bytes = encodeUtf8(`${SUCCESSION_TYPE}\nroot ${root}\n\n${checkpoint}`)
  parseSuccession(bytes)
  return bytes
}

/** Read the entry; signatures are unchecked. Throws RECORD_MALFORMED, KEY_MALFORMED, NOTE_MALFORMED, CHECKPOINT_MALFORMED. */
export function parseSuccession(bytes: Uint8Array): Succession {
  if (bytes.length > MAX_ENTRY_BYTES) throw bad(`expected at most ${MAX_ENTRY_BYTES} bytes`)
  const [type, rootLine = "", empty, ...rest] = decodeUtf8(bytes, bad).split("\n")
  if (type !== SUCCESSION_TYPE || !rootLine.startsWith("root ") || empty !== "")
    throw bad(`expected ${SUCCESSION_TYPE}, a root line and an empty line`)
  const { name, fingerprint, floor, dialect } = parseRootArgument(rootLine.slice("root ".length))
  if (name !== null || floor !== null || dialect !== "tlog-tiles") throw bad("expected a fingerprint, SHA256:…")
  const checkpoint = rest.join("\n")
  return { root: fingerprint, checkpoint, head: parseCheckpoint(parseNote(checkpoint).text) }
}
