// `toolsum audit legion`: what can be audited of a LEGION log from outside: its keyring, its newest head against every head that was seen, and
// what third parties prove of these heads. It serves entries one by one only, and those are not read here, which is said.
import { formatHex } from "../core/bytes.js"
import { attempt, escapeInvisible, ToolsumError } from "../core/errors.js"
import { parseHeadAnswer } from "../core/legion/answers.js"
import { type VerifiedTreeHead, verifyTreeHead } from "../core/legion/tree-head.js"
import { keepEvidence } from "./evidence.js"
import { type ExitCode, worstExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"
import {
  anchorMembers,
  exitCodesOfAnchors,
  judgeAnchors,
  MAX_HEAD_BYTES,
  readInput,
  showAnchors,
} from "./legion-head.js"
import { openLegion, readLegionPlace } from "./legion-logs.js"
import type { Options } from "./options.js"
import { printDocument } from "./report-json.js"
import { showWord } from "./shell-words.js"
import { describeWarning } from "./warnings.js"

const NOT_COVERED =
  "entries: this log serves them one by one; check, history and verify-server prove those of your servers"
/** Options of audits of logs of the other dialect. */
const OTHER_OPTIONS = ["log-dir", "since", "full", "vkey", "policy", "origin", "witness-policy"]

/** Audit the log that `word` names. Throws USAGE for options that say nothing of it, and what shows that it lies. */
export async function auditLegion(word: string, options: Options, io: Io): Promise<ExitCode> {
  for (const name of OTHER_OPTIONS)
    if (options.flag(name)) throw new ToolsumError("USAGE", `--${name} says nothing of a LEGION log`)
  const place = await readLegionPlace(word, io)
  const client = await openLegion(place, { options, io })
  const { keyring, root, origin } = client
  const old = options
    .values("old")
    .map((file) => readHead(file, (bytes) => verifyTreeHead(keyring, parseHeadAnswer(bytes)), io))
  const head = await keepEvidence(origin, io, async () => {
    for (const one of old) client.expect(one)
    return client.newestHead()
  })
  const anchors = judgeAnchors([head, ...old], keyring, options, io)
  const exitCode = worstExitCode(exitCodesOfAnchors(anchors))
  if (options.flag("json")) {
    const nothing = { records: "0", keyrings: "0", other: "0", types: {} }
    printDocument(io, {
      ...{ command: "audit", exitCode, roots: [{ log: origin, fingerprint: root.fingerprint, source: root.source }] },
      ...{ log: origin, location: client.source.location, head: headMember(head), from: "0", resumed: false },
      ...{ entries: nothing, streams: "0", objects: { read: "0", missing: "0" }, olderHeads: old.length },
      ...{ findings: [], findingCounts: {}, notCovered: [NOT_COVERED], anchors: anchorMembers(anchors) },
    })
    return exitCode
  }
  if (options.flag("quiet") && exitCode === 0) return exitCode
  io.stdout(`log   ${showWord(origin)}, at ${showWord(client.source.location)}\n`)
  io.stdout(
    `head  size ${head.size}, root ${formatHex(head.rootHash.subarray(0, 8))}…, by its own clock ${escapeInvisible(head.timestamp)}\n`,
  )
  io.stdout(`      keyring of ${keyring.keys.size} keys under the pinned root; ${describeOld(old.length)}\n`)
  showAnchors(anchors, io)
  for (const warning of client.warnings) io.stderr(`warning: ${describeWarning(warning)}\n`)
  io.stdout(`not covered: ${NOT_COVERED}\n`)
  return exitCode
}

const describeOld = (count: number): string =>
  `the head extends what was seen before${count === 0 ? "" : `, and ${count} by --old`}`

const headMember = (head: VerifiedTreeHead) => ({
  ...{ size: String(head.size), rootHash: formatHex(head.rootHash), cosigners: 0, ageSec: null },
  note: new TextDecoder().decode(head.signed),
})

function readHead(file: string, read: (bytes: Uint8Array) => VerifiedTreeHead, io: Io): VerifiedTreeHead {
  const head = attempt(() => read(readInput(file, MAX_HEAD_BYTES, io)))
  if (!(head instanceof ToolsumError)) return head
  throw new ToolsumError(head.code, `--old ${showWord(file)}: ${head.message}`, { cause: head })
}
