// What the client remembers of a log (DESIGN 8, State; brief 2.1 step 12 and 3.3 rule 3): the newest verified head and keyring, when
// each was first seen, and earlier heads, which show where a log that went back went back to. Strict JSON with a checksum, so that
// damage to our own file is told from a log that misbehaves.
import { encodeUtf8, equalBytes, parseDecimal } from "../core/bytes.js"
import { parseCheckpoint, verifyCheckpoint } from "../core/checkpoint.js"
import { type Bad, ToolsumError } from "../core/errors.js"
import { computeTextDigest } from "../core/hash.js"
import { isArray, isObject, type JsonObject, type JsonValue, parseJson } from "../core/json.js"
import { type KeyringNote, parseKeyring } from "../core/keyring.js"
import { parseNote } from "../core/note.js"
import type { LogIdentity } from "../ports.js"
import type { KnownHead } from "./heads.js"

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
export function parseMemory(bytes: Uint8Array, log: LogIdentity): Memory {
  const bad: Bad = (why) => new ToolsumError("STATE_CORRUPT", `what was remembered of this log is damaged: ${why}`)
  try {
    const memory = readMemory(parseJson(bytes), log, bad)
    if (!equalBytes(formatMemory(memory, log), bytes)) throw bad("expected its own checksum and spelling")
    return memory
  } catch (error) {
    if (error instanceof ToolsumError && error.code !== "STATE_CORRUPT") throw bad(error.message)
    throw error
  }
}

function readMemory(document: JsonValue, log: LogIdentity, bad: Bad): Memory {
  if (!isObject(document) || document.format !== FORMAT) throw bad(`expected format ${FORMAT}`)
  if (Object.keys(document).join() !== MEMBERS.join()) throw bad(`expected the members ${MEMBERS.join(", ")}`)
  if (document.origin !== log.origin || document.root !== log.root) throw bad("expected another log")
  const keyring = parseKeyring(textOf(document, "keyring", bad))
  const { earlier } = document
  if (!isArray(earlier)) throw bad("expected a list as earlier")
  return {
    head: readHead(textOf(document, "head", bad), keyring, log),
    headSeenSec: parseDecimal(textOf(document, "headSeen", bad), bad),
    keyring: { version: keyring.version, note: textOf(document, "keyring", bad) },
    keyringSeenSec: parseDecimal(textOf(document, "keyringSeen", bad), bad),
    earlier: earlier.map((note) => readEarlier(note, log, bad)),
  }
}

function textOf(document: JsonObject, name: string, bad: Bad): string {
  const value = document[name]
  if (typeof value !== "string") throw bad(`expected ${name} to be text`)
  return value
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
  const body = JSON.stringify({
    format: FORMAT,
    origin: log.origin,
    root: log.root,
    keyring: memory.keyring.note,
    keyringSeen: `${memory.keyringSeenSec}`,
    head: memory.head.note,
    headSeen: `${memory.headSeenSec}`,
    earlier: memory.earlier.map(({ note }) => note),
  }).slice(0, -1)
  return encodeUtf8(`${body},"sum":"${computeTextDigest(body)}"}\n`)
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
