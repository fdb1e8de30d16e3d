// Readers of what witnesses are asked and answer, and of evidence against a log, with documents of a small log.
import fc from "fast-check"
import { formatAddCheckpoint, parseAddCheckpoint } from "../../src/core/add-checkpoint.js"
import { formatCosignature, verifyCosignature } from "../../src/core/cosignature.js"
import { ToolsumError } from "../../src/core/errors.js"
import { formatForkEvidence, parseForkEvidence, verifyForkEvidence } from "../../src/core/fork-evidence.js"
import { splitHashes } from "../../src/core/merkle.js"
import { parseNote } from "../../src/core/note.js"
import { computeRootFingerprint, type PinnedRoot } from "../../src/core/root.js"
import { parseSignatureLine } from "../../src/core/signature-line.js"
import {
  arbHash,
  consistency,
  head,
  keyring,
  keyringNote,
  ORIGIN,
  rootOf,
  signer,
  witness,
} from "../core/log-fixtures.js"
import { resign } from "./repair.js"
import { bytesOf, exact, exactText, type Fuzzed, fuzzed, normal } from "./subject.js"

const bad = (why: string) => new ToolsumError("COSIGNATURE_MALFORMED", why)
const SIGNER = signer(ORIGIN)
const WITNESS = signer("w1.example")
const HEAD = head(ORIGIN, 5, [SIGNER])
const { text } = parseNote(HEAD)
const arbTime = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n })

const RINGS = keyring()
const ROOT: PinnedRoot = {
  dialect: "tlog-tiles",
  name: null,
  fingerprint: computeRootFingerprint({ origin: ORIGIN, threshold: 1, roots: RINGS.roots }),
  floor: null,
  source: "flag",
}
const arbFork = fc
  .constantFrom(
    { b: head(ORIGIN, 5, [SIGNER], rootOf(4)), prefix: null },
    { b: head(ORIGIN, 7, [SIGNER]), prefix: { rootHash: rootOf(4), proof: splitHashes(consistency(5, 7), bad) } },
  )
  .map((sides) => ({
    ...{ code: "LOG_INCONSISTENT" as const, origin: ORIGIN, why: "two trees", a: HEAD, ...sides },
    keyrings: [keyringNote(RINGS)],
  }))

/** All of them. */
export const WITNESSED: readonly Fuzzed[] = [
  exactText({
    name: "cosignature",
    valid: arbTime.map((timestamp) => formatCosignature({ text, key: WITNESS, timestamp })),
    parse: (line) => verifyCosignature({ text, signature: parseSignatureLine(line, bad), key: witness(WITNESS) }),
    format: ({ timestamp }) => formatCosignature({ text, key: WITNESS, timestamp }),
  }),
  exact({
    name: "add-checkpoint",
    valid: fc
      .record({
        old: fc.bigInt({ min: 0n, max: 4n }),
        proof: fc.array(arbHash, { maxLength: 3 }),
        note: fc.constant(parseNote(HEAD)),
      })
      .map(formatAddCheckpoint),
    parse: (x) => parseAddCheckpoint(bytesOf(x)),
    format: formatAddCheckpoint,
    repair: resign([SIGNER], () => [], ORIGIN),
  }),
  normal({
    name: "fork evidence",
    valid: arbFork.map(formatForkEvidence),
    parse: (x) => parseForkEvidence(x),
    format: formatForkEvidence,
  }),
  fuzzed({
    name: "verifying fork evidence",
    valid: arbFork.map(formatForkEvidence),
    parse: (x) => verifyForkEvidence({ evidence: parseForkEvidence(x), roots: [ROOT], nowSec: 0n }),
    refusals: ["malformed", "rejected", "unavailable"], // the root may be that of nobody we know
  }),
]
