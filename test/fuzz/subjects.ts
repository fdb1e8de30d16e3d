// Every reader that is fuzzed: those of src/core, and those of the files and arguments of the other layers.
import fc from "fast-check"
import { formatLockfile, parseLockfile } from "../../src/core/lockfile.js"
import { formatServerEvidence, parseServerEvidence, type ServerEvidence } from "../../src/core/server-evidence.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import { verifyServerEvidence } from "../../src/core/verify-server-evidence.js"
import type { CompleteLog } from "../fakes/complete-log.js"
import { ARGUMENTS } from "./argument-subjects.js"
import { CLIENT } from "./client-subjects.js"
import { CODECS, JSON_FORMATS } from "./json-subjects.js"
import { LEGION } from "./legion-subjects.js"
import { KEPT_FILES, LOG_FORMATS } from "./log-subjects.js"
import { NOTES, PROOFS } from "./note-subjects.js"
import { bytesOf, type Fuzzed, fuzzed, normal } from "./subject.js"
import { TARGETS } from "./target-subjects.js"
import { WITNESSED } from "./witness-subjects.js"

/** Everything that is fuzzed; `log` lends a lockfile that verifies, and its definitions; `evidence` is of one reading. */
export function listFuzzed(log: CompleteLog, evidence: ServerEvidence): readonly Fuzzed[] {
  const { lockfile, root, definitions } = log
  const name = "package"
  const verifying = [
    fuzzed({
      name: "verifying a lockfile",
      valid: fc.constant(formatLockfile(lockfile)),
      parse: (x) => verifyLockfile({ lockfile: parseLockfile(x), roots: [root], nowSec: 0n }),
    }),
    fuzzed({
      name: "verifying definitions",
      valid: fc.constant(definitions[name] ?? ""),
      parse: (x) => verifyLockfile({ lockfile, roots: [root], definitions: { [name]: bytesOf(x) }, nowSec: 0n }),
    }),
  ]
  const readings = [
    normal({
      name: "evidence of a reading",
      valid: fc.constant(formatServerEvidence(evidence)),
      parse: (x) => parseServerEvidence(x),
      format: formatServerEvidence,
    }),
    fuzzed({
      name: "verifying evidence",
      valid: fc.constant(formatServerEvidence(evidence)),
      parse: (x) => verifyServerEvidence({ evidence: parseServerEvidence(x), roots: [root], nowSec: 0n }),
    }),
  ]
  return [
    ...CODECS,
    ...JSON_FORMATS,
    ...LOG_FORMATS,
    ...NOTES,
    ...PROOFS,
    ...TARGETS,
    ...KEPT_FILES,
    ...LEGION,
    ...WITNESSED,
    ...CLIENT,
    ...ARGUMENTS,
    ...verifying,
    ...readings,
  ]
}
