// What the client remembers of a LEGION log (DESIGN 8, State): its newest proven head and the keyring it was proven with. Strict JSON with a
// checksum, so that damage to our own file is told from a log that misbehaves. Who compares it with the log is legion-track.ts.
import { encodeUtf8, equalBytes, parseDecimal } from "../core/bytes.js"
import { canonicalize } from "../core/canonical.js"
import { type Bad, ToolsumError } from "../core/errors.js"
import { computeTextDigest } from "../core/hash.js"
import { isObject, type JsonObject, type JsonValue } from "../core/json.js"
import { parseLegionJson } from "../core/legion/json.js"
import { type LegionKeyring, verifyLegionKeyring } from "../core/legion/keyring.js"
import { parseSignedTreeHead, type VerifiedTreeHead, verifyTreeHead } from "../core/legion/tree-head.js"
import type { LogIdentity } from "../ports.js"

/** What is remembered of one log. `headSeenSec`: POSIX seconds. */
export interface LegionMemory {
  readonly head: VerifiedTreeHead
  readonly headSeenSec: bigint
  readonly keyring: LegionKeyring
  /** As served. */
  readonly keyringText: string
}

const FORMAT = "toolsum-legion-state/v1"
const MEMBERS = ["format", "origin", "root", "keyring", "head", "headSeen", "sum"]

/** Read what was remembered of `log`. Throws STATE_CORRUPT for anything else than what `formatLegionMemory` wrote for it. */
export function parseLegionMemory(bytes: Uint8Array, log: LogIdentity): LegionMemory {
  const bad: Bad = (why) => new ToolsumError("STATE_CORRUPT", `what was remembered of this log is damaged: ${why}`)
  try {
    const memory = readMemory(parseLegionJson(bytes), log, bad)
    if (!equalBytes(formatLegionMemory(memory, log), bytes)) throw bad("expected its own checksum and spelling")
    return memory
  } catch (error) {
    if (error instanceof ToolsumError && error.code !== "STATE_CORRUPT") throw bad(error.message)
    throw error
  }
}

function readMemory(document: JsonValue, { origin, root }: LogIdentity, bad: Bad): LegionMemory {
  if (!isObject(document) || document.format !== FORMAT) throw bad(`expected format ${FORMAT}`)
  if (Object.keys(document).join() !== MEMBERS.join()) throw bad(`expected the members ${MEMBERS.join(", ")}`)
  if (document.origin !== origin || document.root !== root) throw bad("expected another log")
  const keyringText = textOf(document, "keyring", bad)
  // Under the keyring of then: a key that was revoked since takes nothing from what it had signed.
  const keyring = verifyLegionKeyring({ text: keyringText, rootPin: root })
  const head = verifyTreeHead(keyring, parseSignedTreeHead(parseLegionJson(textOf(document, "head", bad))))
  return { head, headSeenSec: parseDecimal(textOf(document, "headSeen", bad), bad), keyring, keyringText }
}

function textOf(document: JsonObject, name: string, bad: Bad): string {
  const value = document[name]
  if (typeof value !== "string") throw bad(`expected ${name} to be text`)
  return value
}

/** Write what is remembered of `log`: JSON in one line, the digest of all before it as its last member. */
export function formatLegionMemory(memory: LegionMemory, { origin, root }: LogIdentity): Uint8Array {
  const body = JSON.stringify({
    format: FORMAT,
    origin,
    root,
    keyring: memory.keyringText,
    head: canonicalize(memory.head.document),
    headSeen: `${memory.headSeenSec}`,
  }).slice(0, -1)
  return encodeUtf8(`${body},"sum":"${computeTextDigest(body)}"}\n`)
}
