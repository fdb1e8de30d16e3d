// A pin of dialect legion in our own lockfile: its `evidence` is the text of a bundle, and `tools` are the hashes of its record, which cover
// name, description and inputSchema only. FORMAT.md, "LEGION dialect".
import { parseDefinitions } from "../definitions.js"
import { attempt, ToolsumError } from "../errors.js"
import type { Digest } from "../hash.js"
import { isArray, isObject } from "../json.js"
import type { ItemDigests, Pin } from "../lockfile-pin.js"
import { computePinDigest } from "../pin.js"
import { verifyArchive } from "./archive.js"
import { parseBundle } from "./bundle.js"
import { type ProvenRecord, provenRecord } from "./check.js"
import { parseLegionJson } from "./json.js"
import type { LegionKeyring } from "./keyring.js"
import type { LegionRecord } from "./record.js"
import { verifyBundle } from "./verify-bundle.js"

const contradicts = (why: string, cause?: unknown) => new ToolsumError("RECORD_INVALID", why, { cause })

/** Prove the evidence of a pin, and that the pin says the same as its record. The server's id is the record's: what ties it to the target is
 *  the approval. `definitions`: bytes of its definitions file, if any. Throws as `parseBundle` and `verifyBundle`; RECORD_INVALID. */
export function verifyLockedPin(p: {
  pin: Pin
  evidence: string
  keyring: LegionKeyring
  definitions: Uint8Array | null
}): ProvenRecord {
  const { pin, evidence, keyring, definitions } = p
  const bundle = parseBundle(evidence)
  const serverId = bundle.record.server_id
  if (typeof serverId !== "string") throw contradicts("the record names no server")
  const proven = provenRecord(verifyBundle({ bundle, keyring, serverId }))
  requireTools(pin, proven.record)
  if (definitions) requireDefinitions(definitions, proven.record)
  return proven
}

/** The member `tools` of a pin: the record's hashes, as digests. */
export const digestsOf = ({ fingerprint }: LegionRecord): ItemDigests =>
  Object.fromEntries([...fingerprint.tools].map(([name, hash]) => [name, `sha256:${hash}` as const]))

function requireTools(pin: Pin, { fingerprint }: LegionRecord): void {
  const names = Object.keys(pin.tools)
  const same = names.every((name) => pin.tools[name] === `sha256:${fingerprint.tools.get(name)}`)
  if (!same || names.length !== fingerprint.tools.size) throw contradicts("tools are not those of the record")
  const others = [pin.prompts, pin.templates, pin.resources ?? {}].some((items) => Object.keys(items).length > 0)
  if (others || pin.resources !== undefined || pin.masks.length > 0)
    throw contradicts("a record of this dialect covers tools only, and has no masks")
}

/** The definitions file has the archived tools and nothing else, and they hash to the record's fingerprint. */
function requireDefinitions(bytes: Uint8Array, { fingerprint }: LegionRecord): void {
  const definitions = attempt(() => parseDefinitions(bytes))
  if (definitions instanceof ToolsumError) throw contradicts(`definitions: ${definitions.message}`, definitions)
  const document = parseLegionJson(bytes)
  const tools = isObject(document) ? document.tools : undefined
  if (definitions.present.size !== 1 || !isArray(tools))
    throw contradicts("definitions: expected tools and nothing else")
  const proven = attempt(() => verifyArchive({ tools, signed: fingerprint }))
  if (proven instanceof ToolsumError) throw contradicts(`definitions: ${proven.message}`, proven)
}

/** Digest of a pin of this dialect: its surface is the record's fingerprint, its subject the server's id. */
export const computeLockedPinDigest = (pin: Pick<Pin, "log" | "target">, record: LegionRecord): Digest =>
  computePinDigest({
    log: pin.log,
    subject: record.serverId,
    version: "-",
    target: pin.target,
    profile: "anonymous",
    mask: "-",
    surface: `sha256:${record.fingerprint.sha256}`,
  })
