// Recomputes the examples of FORMAT.md, section 24: numbers and fingerprints of the LEGION dialect.
import { canonicalize } from "../../src/core/canonical.js"
import { computeFingerprint } from "../../src/core/legion/fingerprint.js"
import { parseLegionJson } from "../../src/core/legion/json.js"
import { formatPythonJson } from "../../src/core/legion/python-json.js"
import type { FingerprintVersion } from "../../src/core/legion/record.js"
import { type Checks, cases } from "./format-document.js"

function spellings(token: string): string {
  const value = parseLegionJson(token)
  return `${formatPythonJson(value, { sort: true, indent: false })} and ${canonicalize(value)}`
}

/** `v1 TOOL` or `v1 archive TOOL`. */
function fingerprint(what: string): string {
  const [, version = "", archive, tool = ""] = /^(v[123])( archive)? (.*)$/.exec(what) ?? []
  const rule = archive === undefined ? "observe" : "archive"
  const tools = [parseLegionJson(tool)]
  return computeFingerprint({ tools, version: version as FingerprintVersion, rule }).sha256 // the expression has three
}

export const LEGION_CHECKS: Checks = {
  "legion-numbers": cases("legion-numbers", spellings),
  "legion-fingerprints": cases("legion-fingerprints", fingerprint),
}
