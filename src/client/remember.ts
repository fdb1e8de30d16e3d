// What the client remembers of a log (DESIGN 8, State; brief 2.1 step 12 and 3.3 rule 3): the newest verified head and keyring, when
// each was first seen, and earlier heads, which show where a log that went back went back to. Strict JSON with a checksum, so that
// damage to our own file is told from a log that misbehaves.
import { parseDecimal } from "../core/bytes.js"
import { parseCheckpoint, verifyCheckpoint } from "../core/checkpoint.js"
import type { Bad } from "../core/errors.js"
import { isArray, type JsonObject, type JsonValue, parseJson } from "../core/json.js"
import { type KeyringNote, parseKeyring } from "../core/keyring.js"
import { parseNote } from "../core/note.js"
import type { LogIdentity } from "../ports.js"
import type { KnownHead } from "./heads.js"
import { formatMemoryFile, parseMemoryFile, textMember } from "./memory-file.js"

/** What is remembered of one log. Times are POSIX seconds. */
export interface Memory {
  /** The newest verified head. */
  readonly head: KnownHead
  readonly headSeenSec: bigint
  /** The newest verified keyring: its version and its note. */
  readonly keyring: { readonly version: bigint; readonly note: string }
  readonly keyringSeenSec: bigint
  /** Heads before it, ascending, all prefixes of it. */
  readonly earlier: readonly KnownHead[]
}

/** Most earlier heads. */
const MAX_EARLIER = 64
/** Longest earlier notes together; cosigned ones are long. */
const MAX_EARLIER_CHARS = 256 * 1024

const FORMAT = "toolsum-state/v1"
const MEMBERS = ["format", "origin", "root", "keyring", "keyringSeen", "head", "headSeen", "earlier", "sum"]

/** Read what was remembered of `log`. Throws STATE_CORRUPT for anything else than what `formatMemory` wrote for it. */
export const parseMemory = (bytes: Uint8Array, log: LogIdentity): Memory =>
  parseMemoryFile(bytes, log, {
    format: FORMAT,
    members: MEMBERS,
    parse: (text) => parseJson(text),
    read: readMemory,
    write: formatMemory,
  })

function readMemory(document: JsonObject, log: LogIdentity, bad: Bad): Memory {
  const note = textMember(document, "keyring", bad)
  const keyring = parseKeyring(note)
  const { earlier } = document
  if (!isArray(earlier)) throw bad("expected a list as earlier")
  return {
    head: readHead(textMember(document, "head", bad), keyring, log),
    headSeenSec: parseDecimal(textMember(document, "headSeen", bad), bad),
    keyring: { version: keyring.version, note },
    keyringSeenSec: parseDecimal(textMember(document, "keyringSeen", bad), bad),
    earlier: earlier.map((head) => readEarlier(head, log, bad)),
  }
}

/** The newest head must still verify under the remembered keyring. */
function readHead(note: string, keyring: KeyringNote, { origin }: LogIdentity): KnownHead {
  const { checkpoint } = verifyCheckpoint({ note, origin, keys: keyring.logs.map(({ key }) => key) })
  return { size: checkpoint.size, rootHash: checkpoint.rootHash, note }
}

function readEarlier(note: JsonValue, { origin }: LogIdentity, bad: Bad): KnownHead {
  if (typeof note !== "string") throw bad("expected earlier heads to be text")
  const checkpoint = parseCheckpoint(parseNote(note).text)
  if (checkpoint.origin !== origin) throw bad("expected earlier heads of this log")
  return { size: checkpoint.size, rootHash: checkpoint.rootHash, note }
}

/** Write what is remembered of `log`: JSON in one line, the digest of all before it as its last member. */
export function formatMemory(memory: Memory, log: LogIdentity): Uint8Array {
  return formatMemoryFile({
    format: FORMAT,
    origin: log.origin,
    root: log.root,
    keyring: memory.keyring.note,
    keyringSeen: `${memory.keyringSeenSec}`,
    head: memory.head.note,
    headSeen: `${memory.headSeenSec}`,
    earlier: memory.earlier.map(({ note }) => note),
  })
}

/** What to remember after `head` was proven to extend, or to be, the remembered one. The same value when nothing is new. */
export function advanceMemory(
  memory: Memory | null,
  seen: { head: KnownHead; keyring: Memory["keyring"]; nowSec: bigint },
): Memory {
  const { head, keyring, nowSec } = seen
  if (memory === null) return { head, headSeenSec: nowSec, keyring, keyringSeenSec: nowSec, earlier: [] }
  const isNewHead = head.size > memory.head.size
  const isNewKeyring = keyring.version > memory.keyring.version
  if (!isNewHead && !isNewKeyring) return memory
  return {
    ...(isNewHead
      ? { head, headSeenSec: nowSec, earlier: keepNewest([...memory.earlier, memory.head]) }
      : { head: memory.head, headSeenSec: memory.headSeenSec, earlier: memory.earlier }),
    ...(isNewKeyring
      ? { keyring, keyringSeenSec: nowSec }
      : { keyring: memory.keyring, keyringSeenSec: memory.keyringSeenSec }),
  }
}

/** The newest heads that fit. The empty tree shows nothing. */
function keepNewest(heads: readonly KnownHead[]): readonly KnownHead[] {
  const kept: KnownHead[] = []
  let chars = 0
  for (const head of heads.slice(-MAX_EARLIER).reverse()) {
    chars += head.note.length
    if (chars > MAX_EARLIER_CHARS) break
    if (head.size > 0n) kept.unshift(head)
  }
  return kept
}
