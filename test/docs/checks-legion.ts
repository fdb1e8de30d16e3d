// Recomputes the examples of FORMAT.md, section 24: numbers and fingerprints of the LEGION dialect, what is remembered of such a log, and a pin of it.
import { formatLegionMemory, parseLegionMemory } from "../../src/client/legion-memory.js"
import { decodeUtf8, encodeUtf8 } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { ToolsumError } from "../../src/core/errors.js"
import { readBundle } from "../../src/core/legion/bundle.js"
import { provenRecord } from "../../src/core/legion/check.js"
import { computeFingerprint } from "../../src/core/legion/fingerprint.js"
import { parseLegionJson } from "../../src/core/legion/json.js"
import { verifyLegionKeyring } from "../../src/core/legion/keyring.js"
import { formatPythonJson } from "../../src/core/legion/python-json.js"
import type { FingerprintVersion } from "../../src/core/legion/record.js"
import { parseSignedTreeHead, verifyTreeHead } from "../../src/core/legion/tree-head.js"
import { verifyBundle } from "../../src/core/legion/verify-bundle.js"
import { formatLockfile, parseLockfile } from "../../src/core/lockfile.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import { approvalOf } from "../../src/features/approve.js"
import { buildLegionPin, placeLegionPins } from "../../src/features/legion-pins.js"
import { makeLegionLog, ROOT, register, toolOf } from "../fakes/legion-log.js"
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

/** The one record of such a log, pinned and approved. */
function lockfileText(): string {
  const plan = { serverId: "io.test/one", tools: [toolOf("search")], key: ROOT }
  const made = makeLegionLog([plan], [register(ROOT, "root")])
  const keyring = verifyLegionKeyring({ text: made.keyring })
  const bundle = readBundle(parseLegionJson(JSON.stringify({ ...made.bundle(0), sth: made.head(1, { key: ROOT }) })))
  const proven = provenRecord(verifyBundle({ bundle, keyring, serverId: plan.serverId }))
  const origin = "log.test/legion"
  const actor = { by: "ada@example.com", reason: "read and wanted", nowSec: 1_796_086_900 }
  const request = { name: "one", proven, evidence: bundle.document, target: null, from: [] }
  const { pin } = buildLegionPin({ ...request, approve: (digest) => approvalOf(digest, null, actor) }, origin)
  const root = { dialect: "legion", name: origin, fingerprint: ROOT.pin, floor: null, source: "flag" } as const
  const log = { origin, url: "https://log.test/tlog/v1", keyring: made.keyring }
  const lockfile = placeLegionPins(null, [{ name: "one", pin }], { log, roots: [root] })
  const { servers } = verifyLockfile({ lockfile: parseLockfile(formatLockfile(lockfile)), roots: [root], nowSec: 0n })
  if (servers[0]?.verdict !== "PROVEN") throw new Error(`expected the example to be proven: ${servers[0]?.detail}`)
  return formatLockfile(lockfile)
}

export const LEGION_CHECKS: Checks = {
  "legion-lockfile": lockfileText,
  "legion-numbers": cases("legion-numbers", spellings),
  "legion-fingerprints": cases("legion-fingerprints", fingerprint),
  "legion-state": stateText,
}
