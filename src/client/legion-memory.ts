// What the client remembers of a LEGION log (DESIGN 8, State): its newest proven head and the keyring it was proven with. Strict JSON with a
// checksum, so that damage to our own file is told from a log that misbehaves. Who compares it with the log is legion-track.ts.
import { parseDecimal } from "../core/bytes.js"
import { canonicalize } from "../core/canonical.js"
import type { Bad } from "../core/errors.js"
import type { JsonObject } from "../core/json.js"
import { parseLegionJson } from "../core/legion/json.js"
import { type LegionKeyring, verifyLegionKeyring } from "../core/legion/keyring.js"
import { parseSignedTreeHead, type VerifiedTreeHead, verifyTreeHead } from "../core/legion/tree-head.js"
import type { LogIdentity } from "../ports.js"
import { formatMemoryFile, parseMemoryFile, textMember } from "./memory-file.js"

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
export const parseLegionMemory = (bytes: Uint8Array, log: LogIdentity): LegionMemory =>
  parseMemoryFile(bytes, log, {
    format: FORMAT,
    members: MEMBERS,
    parse: (text) => parseLegionJson(text),
    read: readMemory,
    write: formatLegionMemory,
  })

function readMemory(document: JsonObject, { root }: LogIdentity, bad: Bad): LegionMemory {
  const keyringText = textMember(document, "keyring", bad)
  // Under the keyring of then: a key that was revoked since takes nothing from what it had signed.
  const keyring = verifyLegionKeyring({ text: keyringText, rootPin: root })
  const head = verifyTreeHead(keyring, parseSignedTreeHead(parseLegionJson(textMember(document, "head", bad))))
  return { head, headSeenSec: parseDecimal(textMember(document, "headSeen", bad), bad), keyring, keyringText }
}

/** Write what is remembered of `log`: JSON in one line, the digest of all before it as its last member. */
export function formatLegionMemory(memory: LegionMemory, { origin, root }: LogIdentity): Uint8Array {
  return formatMemoryFile({
    format: FORMAT,
    origin,
    root,
    keyring: memory.keyringText,
    head: canonicalize(memory.head.document),
    headSeen: `${memory.headSeenSec}`,
  })
}
