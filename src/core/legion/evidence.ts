// LEGION's evidence file `legion-verify-evidence/0.1`: what one server said once, beside the signed record of it. Form only; what it proves is
// verify-evidence.ts's. FORMAT.md, "LEGION dialect".
import { ToolsumError } from "../errors.js"
import { isArray, isObject, type JsonObject, type JsonValue, MAX_JSON_BYTES } from "../json.js"
import { type LegionBundle, readBundle, readUncovered } from "./bundle.js"
import { parseLegionJson, readCount } from "./json.js"
import { formatPythonJson } from "./python-json.js"

/** The `schema` of an evidence file. */
export const LEGION_EVIDENCE_SCHEMA = "legion-verify-evidence/0.1"
/** Records of one history. */
export const MAX_LEGION_HISTORY = 4096

/** An evidence file. `liveTools`: in the observation rule's form, null where none were read. `history`: records as the log served them, in any
 *  order. `signedTools`: archived definitions by name. All tools were read with integers as bigints. `url`, `fetchedAt`, `liveTools` and
 *  `authRequired` are the unsigned word of whoever saved it. */
export interface LegionEvidence {
  readonly serverId: string
  readonly url: string | null
  readonly fetchedAt: string
  readonly authRequired: boolean
  readonly httpStatus: 401 | 403 | null
  readonly liveTools: readonly JsonValue[] | null
  readonly bundle: LegionBundle
  readonly keyring: string
  readonly history: readonly JsonObject[] | null
  readonly signedTools: JsonObject | null
  readonly newerUncovered: bigint | null
}

const malformed = (why: string) => new ToolsumError("EVIDENCE_MALFORMED", why)

/** Read an evidence file. Throws EVIDENCE_MALFORMED. */
export function parseLegionEvidence(input: Uint8Array | string): LegionEvidence {
  try {
    return readEvidence(parseLegionJson(input, MAX_JSON_BYTES))
  } catch (cause) {
    if (!(cause instanceof ToolsumError) || cause.code === "EVIDENCE_MALFORMED") throw cause
    throw new ToolsumError("EVIDENCE_MALFORMED", cause.message, { cause })
  }
}

/** In the order in which they are written. */
const MEMBERS = [
  ...["schema", "server_id", "url", "fetched_at", "auth_required", "http_status", "live_tools", "bundle", "keyring"],
  ...["history", "signed_tools", "newer_uncovered_records"],
]

/** A missing member is not a null one: it would say that a list was not read. */
function readEvidence(value: JsonValue): LegionEvidence {
  if (!isObject(value)) throw malformed("expected an object")
  if (value.schema !== LEGION_EVIDENCE_SCHEMA) throw malformed(`expected the schema "${LEGION_EVIDENCE_SCHEMA}"`)
  const missing = MEMBERS.find((name) => value[name] === undefined)
  if (missing !== undefined) throw malformed(`expected member "${missing}"`)
  const { server_id: serverId, url, fetched_at: fetchedAt, auth_required: authRequired, keyring } = value
  if (typeof serverId !== "string" || typeof fetchedAt !== "string" || typeof keyring !== "string")
    throw malformed("expected server_id, fetched_at and keyring as text")
  if (url !== null && typeof url !== "string") throw malformed("expected url as text or null")
  if (typeof authRequired !== "boolean") throw malformed("expected true or false as auth_required")
  return {
    serverId,
    url,
    fetchedAt,
    authRequired,
    httpStatus: readStatus(value.http_status),
    liveTools: readLiveTools(value.live_tools),
    bundle: readBundle(value.bundle),
    keyring,
    history: readHistory(value.history),
    signedTools: readSignedTools(value.signed_tools),
    newerUncovered: readUncovered(value.newer_uncovered_records),
  }
}

function readStatus(value: JsonValue | undefined): 401 | 403 | null {
  if (value === null) return null
  const status = readCount(value)
  if (status !== 401n && status !== 403n) throw malformed("expected 401, 403 or null as http_status")
  return status === 401n ? 401 : 403
}

function readLiveTools(value: JsonValue | undefined): readonly JsonValue[] | null {
  if (value === null) return null
  if (!isArray(value)) throw malformed("expected a list or null as live_tools")
  return value
}

function readHistory(value: JsonValue | undefined): readonly JsonObject[] | null {
  if (value === null) return null
  if (!isArray(value) || !value.every(isObject)) throw malformed("expected a list of records or null as history")
  if (value.length > MAX_LEGION_HISTORY) throw malformed(`expected at most ${MAX_LEGION_HISTORY} records of history`)
  return value
}

function readSignedTools(value: JsonValue | undefined): JsonObject | null {
  if (value === null) return null
  if (!isObject(value)) throw malformed("expected an object or null as signed_tools")
  return value
}

/** Write an evidence file as `legion-verify --save` does: members in its order, one space of indent per level, no final newline. */
export function formatLegionEvidence(evidence: LegionEvidence): string {
  const { bundle } = evidence
  const { record, inclusion, sth } = bundle.document
  const document: JsonObject = {
    schema: LEGION_EVIDENCE_SCHEMA,
    server_id: evidence.serverId,
    url: evidence.url,
    fetched_at: evidence.fetchedAt,
    auth_required: evidence.authRequired,
    http_status: evidence.httpStatus === null ? null : BigInt(evidence.httpStatus),
    live_tools: evidence.liveTools,
    bundle: { record: record ?? null, inclusion: inclusion ?? null, sth: sth ?? null },
    keyring: evidence.keyring,
    history: evidence.history,
    signed_tools: evidence.signedTools,
    newer_uncovered_records: evidence.newerUncovered,
  }
  return formatPythonJson(document, { sort: false, indent: true })
}
