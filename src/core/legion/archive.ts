// Archived tool definitions of a LEGION log: the texts behind a fingerprint. They come without a signature and count only when they hash back
// to what the log signed. FORMAT.md, "LEGION dialect".
import { type Bad, ToolsumError } from "../errors.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../json.js"
import { MAX_LEGION_ANSWER_BYTES } from "./bundle.js"
import { computeFingerprint, coverTools } from "./fingerprint.js"
import { parseLegionJson } from "./json.js"
import type { LegionFingerprint } from "./record.js"

/** Definitions that hash to the fingerprint of a record: what is covered of each tool, by name. Integers are bigints. */
export type ProvenDefinitions = ReadonlyMap<string, JsonObject>

const malformed: Bad = (why) => new ToolsumError("SURFACE_MALFORMED", why)

/** Read the answer `{tools: [...]}`; nothing of it is checked but its form. Throws JSON_MALFORMED, SURFACE_MALFORMED. */
export function parseArchive(input: Uint8Array | string): readonly JsonValue[] {
  const value = parseLegionJson(input, MAX_LEGION_ANSWER_BYTES)
  const tools = isObject(value) ? value.tools : undefined
  if (!isArray(tools)) throw malformed("expected an object with tools")
  return tools
}

/** Check that archived definitions hash to `signed`. Its table of single tools is not compared: nothing that the log signs binds it to the
 *  hash of the list. Throws HASH_MISMATCH, SURFACE_MALFORMED. */
export function verifyArchive(p: { tools: readonly JsonValue[]; signed: LegionFingerprint }): ProvenDefinitions {
  const { tools, signed } = p
  const { sha256 } = computeFingerprint({ tools, version: signed.version, rule: "archive" })
  if (sha256 !== signed.sha256)
    throw new ToolsumError(
      "HASH_MISMATCH",
      `the archived definitions hash to ${sha256}, the log signed ${signed.sha256}`,
    )
  return coverTools(tools, "archive")
}
