// Recomputes the examples of FORMAT.md, section 24: numbers and fingerprints of the LEGION dialect, and what is remembered of such a log.
import { formatLegionMemory, parseLegionMemory } from "../../src/client/legion-memory.js"
import { decodeUtf8, encodeUtf8 } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { ToolsumError } from "../../src/core/errors.js"
import { computeFingerprint } from "../../src/core/legion/fingerprint.js"
import { parseLegionJson } from "../../src/core/legion/json.js"
import { verifyLegionKeyring } from "../../src/core/legion/keyring.js"
import { formatPythonJson } from "../../src/core/legion/python-json.js"
import type { FingerprintVersion } from "../../src/core/legion/record.js"
import { parseSignedTreeHead, verifyTreeHead } from "../../src/core/legion/tree-head.js"
import { makeLegionLog, ROOT, register } from "../fakes/legion-log.js"
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

/** The state after the only head of a log was seen whose root key signs it, with a line break after each member. */
function stateText(): string {
  const made = makeLegionLog([{ serverId: "io.test/one", tools: [], key: ROOT }], [register(ROOT, "root")])
  const keyring = verifyLegionKeyring({ text: made.keyring })
  const head = verifyTreeHead(
    keyring,
    parseSignedTreeHead(parseLegionJson(JSON.stringify(made.head(1, { key: ROOT })))),
  )
  const log = { origin: "log.test/legion", root: ROOT.pin }
  const bytes = formatLegionMemory({ head, headSeenSec: 1_796_086_900n, keyring, keyringText: made.keyring }, log)
  const text = decodeUtf8(bytes, (why) => new ToolsumError("STATE_CORRUPT", why))
  const shown = text.replace(/,"(?=[A-Za-z]+":"(?!Ed))/g, ',\n"')
  parseLegionMemory(encodeUtf8(shown.replaceAll(",\n", ",")), log)
  return shown
}

export const LEGION_CHECKS: Checks = {
  "legion-numbers": cases("legion-numbers", spellings),
  "legion-fingerprints": cases("legion-fingerprints", fingerprint),
  "legion-state": stateText,
}
