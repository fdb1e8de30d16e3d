// Recomputes the examples of FORMAT.md that show a fork: the evidence file of section 20, what such files prove, and the evidence of
// section 21. Second sides are forged with the example's own public keys.

import { exitCodeOfError } from "../../src/cli/exit-codes.js"
import { exitCodeOfFork } from "../../src/cli/verify-fork.js"
import { compareHeads, createLogView, type KnownHead } from "../../src/client/heads.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { formatCheckpoint, headKey } from "../../src/core/checkpoint.js"
import { attempt, ToolsumError } from "../../src/core/errors.js"
import {
  type ForkEvidence,
  forkEvidenceOf,
  formatForkEvidence,
  verifyForkEvidence,
} from "../../src/core/fork-evidence.js"
import { sha256 } from "../../src/core/hash.js"
import { parseKeyring, verifyKeyring } from "../../src/core/keyring.js"
import { formatKeyringText, type Keyring } from "../../src/core/keyring-text.js"
import { parseNote, signNote } from "../../src/core/note.js"
import { type PinnedRoot, parseRootArgument } from "../../src/core/root.js"
import { verifyHeads } from "../../src/core/tree-heads.js"
import type { LogSource } from "../../src/ports.js"
import { headOf, notesOf } from "./checks-log.js"
import { exampleKey, exampleLogOf, LOG_KEY, ORIGIN, ROOT_KEY, verifierOf } from "./example-log.js"
import { type Checks, cases, type FormatDocument } from "./format-document.js"

/** A head of that size that the log never had. */
function forgeHead(size: bigint, key = LOG_KEY): KnownHead {
  const rootHash = new Uint8Array(32)
  return { size, rootHash, note: signNote(formatCheckpoint({ origin: ORIGIN, size, rootHash, extensions: [] }), [key]) }
}

/** The error of a fork between the example's newest head and a forged one, found in a lockfile or in a log. */
async function forkOf(what: string, doc: FormatDocument): Promise<ToolsumError> {
  const { text } = await exampleLogOf(doc)
  const notes = await notesOf(doc)
  const served: KnownHead = { ...headOf(notes["3"] ?? ""), note: notes["3"] ?? "" }
  const source: LogSource = {
    location: "memory",
    local: false,
    read: async (path) => (await exampleLogOf(doc)).bytes(`public/${path}`),
  }
  const keyring = verifyKeyring({ notes: [text("public/keyring/1")] })
  const view = createLogView(source, keyring)
  const fork = forgeHead(what.startsWith("same") ? 3n : 2n)
  const work = what.endsWith("lockfile")
    ? async () =>
        verifyHeads({ keyring, heads: { [headKey(served)]: served.note, [headKey(fork)]: fork.note }, links: {} })
    : () => compareHeads({ view, known: fork, served })
  const error: unknown = await work().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ToolsumError) return error
  throw new Error("no fork")
}

async function evidenceOf(what: string, doc: FormatDocument): Promise<ForkEvidence> {
  const evidence = forkEvidenceOf(await forkOf(what, doc), ORIGIN)
  if (evidence === null) throw new Error("no evidence")
  return evidence
}

/** Keyring 2 of the example, with other keys. */
function nextKeyring(first: string, logs: Keyring["logs"], issued = 1_796_090_400n): string {
  const before = parseKeyring(first)
  const prev = sha256(encodeUtf8(before.note.text))
  return signNote(formatKeyringText({ ...before, version: 2n, prev, issued, logs }), [ROOT_KEY])
}

const NEXT_KEY = exampleKey("example log 2", ORIGIN)
const live = { key: verifierOf(NEXT_KEY), from: 0n, closing: null, revoked: false }
const retired = { ...live, key: verifierOf(LOG_KEY) }

/** Evidence of each kind. */
async function findingCase(what: string, doc: FormatDocument): Promise<ForkEvidence> {
  const same = await evidenceOf("same size, log", doc)
  const larger = await evidenceOf("different sizes, log", doc)
  const first = doc.text("keyring")
  const notes = await notesOf(doc)
  const [two = "", three = ""] = ["2", "3"].map((size) => notes[size])
  switch (what) {
    case "a head, and a larger one without it":
      return larger
    case "a closing tree, and a larger head without it": {
      const closing = { size: 2n, rootHash: new Uint8Array(32) }
      const a = nextKeyring(first, [{ ...retired, closing }, live])
      const b = signNote(parseNote(three).text, [NEXT_KEY])
      return { ...larger, a, b, keyrings: [first, a] }
    }
    case "two keyrings of one version": {
      const [a, b] = [nextKeyring(first, [retired]), nextKeyring(first, [live])]
      return { ...same, a, b, keyrings: [first, b] }
    }
    case "two heads of one size, one by a key that was revoked":
      return {
        ...same,
        b: signNote(parseNote(three).text, [NEXT_KEY]),
        keyrings: [first, nextKeyring(first, [{ ...retired, revoked: true }, live])],
      }
    case "a rollback":
      return { ...same, code: "LOG_ROLLBACK", a: two, b: three }
    case "one head twice":
      return { ...same, a: three }
    case "a head, and one that grew from it":
      return { ...larger, a: two }
    case "two heads of one size, one with another signature":
      return { ...same, b: signNote(parseNote(three).text, [NEXT_KEY]) }
    default:
      return same
  }
}

async function findingOf(what: string, doc: FormatDocument): Promise<string> {
  const evidence = await findingCase(what, doc)
  const root: PinnedRoot = { ...parseRootArgument(doc.line("root")), source: "flag" }
  const roots = what.includes("no pinned root") ? [] : [root]
  const fork = attempt(() => verifyForkEvidence({ evidence, roots, nowSec: 0n }))
  return fork instanceof ToolsumError
    ? `${fork.code}, exit ${exitCodeOfError(fork)}`
    : `${fork.finding}, exit ${exitCodeOfFork(fork)}`
}

export const EVIDENCE_CHECKS: Checks = {
  evidence: cases("evidence", async (what, doc) => {
    const { code, evidence = {} } = await forkOf(what, doc)
    return [code, ...Object.keys(evidence).sort()].join(" ")
  }),
  "evidence-file": async (doc) => formatForkEvidence(await evidenceOf("same size, log", doc)),
  "fork-findings": cases("fork-findings", findingOf),
}
