// What kind of file `verify` was given, by its content: a proof file starts with its own line, the others say so in their format or schema.
// Everything else is read as a lockfile, whose reader says what is wrong with it; and so is what is called as a lockfile is: whoever asks for
// the pins of a project must not get the answer to another question.
import { basename } from "node:path"
import { LOCKFILE_NAME } from "../adapters/lockfile-fs.js"
import { readRegularFile } from "../adapters/regular-file.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import { MAX_NOTE_BYTES } from "../core/note.js"

/** Kinds of files that `verify` proves. */
export type FileKind =
  | "lockfile"
  | "proof"
  | "evidence"
  | "fork"
  | "legion-lockfile"
  | "legion-evidence"
  | "legion-head"

/** What LEGION's own tools call their lockfile. */
export const LEGION_LOCKFILE_NAME = ".mcp-tools.lock.json"

/** What a proof file starts with. */
export const PROOF_FILE = /^c2sp\.org\/tlog-proof@/
/** A signed checkpoint: name of the log, size, root hash. */
export const CHECKPOINT_FILE = {
  name: "checkpoint",
  pattern: /^[^\n]+\n[0-9]+\n[A-Za-z0-9+/=]{44}\n/,
  maxBytes: MAX_NOTE_BYTES,
}
/** What an evidence file has in it; a string that merely has these words has its quotes escaped. */
export const EVIDENCE_FILE = /"format"\s*:\s*"toolsum-evidence\//
/** What evidence of a log's fork has in it, whose file name ends so, too. */
export const FORK_FILE = /"format"\s*:\s*"toolsum-fork\//
/** What LEGION's evidence has in it. */
export const LEGION_EVIDENCE_FILE = /"schema"\s*:\s*"legion-verify-evidence\//
const LEGION_LOCKFILE = /"format"\s*:\s*"mcp-tools-lock\//
const LEGION_HEAD = /"schema"\s*:\s*"legion-mcp-tlog-sth\//

/** A file as far as it was looked at. `bytes`: all of it, where it was read; null where its name said enough, or nothing is there. */
export interface LookedAt {
  readonly kind: FileKind
  readonly bytes: Uint8Array | null
}

/** Look at the file at an absolute path; a lockfile where there is none. Throws LOCKFILE_MALFORMED for one that is too long for any. */
export function lookAtFile(path: string): LookedAt {
  if (basename(path) === LOCKFILE_NAME) return { kind: "lockfile", bytes: null }
  if (basename(path) === LEGION_LOCKFILE_NAME) return { kind: "legion-lockfile", bytes: null }
  const bytes = readRegularFile(path, { maxBytes: MAX_JSON_BYTES, code: "LOCKFILE_MALFORMED" })
  return { kind: bytes === null ? "lockfile" : kindOfBytes(bytes, path), bytes }
}

/** The kind of the file at an absolute path. Throws as `lookAtFile`. */
export const kindOfFile = (path: string): FileKind => lookAtFile(path).kind

/** The kind of a file by its bytes and its name. */
export function kindOfBytes(bytes: Uint8Array, path: string): FileKind {
  if (basename(path) === LEGION_LOCKFILE_NAME) return "legion-lockfile"
  // Only a look: whether it is UTF-8 is for its reader to say.
  const text = new TextDecoder().decode(bytes)
  if (PROOF_FILE.test(text) || path.endsWith(".tlog-proof")) return "proof"
  if (path.endsWith(".tlog-fork")) return "fork"
  return KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? "lockfile"
}

/** A LEGION lockfile and LEGION evidence have heads in them: those come last. */
const KINDS: readonly (readonly [FileKind, RegExp])[] = [
  ["evidence", EVIDENCE_FILE],
  ["fork", FORK_FILE],
  ["legion-lockfile", LEGION_LOCKFILE],
  ["legion-evidence", LEGION_EVIDENCE_FILE],
  ["legion-head", LEGION_HEAD],
]
