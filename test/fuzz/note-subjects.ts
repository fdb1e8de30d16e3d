// Readers of keys, notes, checkpoints, policies, keyrings and proof files, with well-formed documents of a small log.
import fc from "fast-check"
import { formatCheckpoint, parseCheckpoint } from "../../src/core/checkpoint.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { ToolsumError } from "../../src/core/errors.js"
import { parseKeyring, verifyKeyring } from "../../src/core/keyring.js"
import { formatKeyringText, parseKeyringText } from "../../src/core/keyring-text.js"
import { formatNote, openNote, parseNote, signNote } from "../../src/core/note.js"
import { evaluatePolicy, parsePolicy } from "../../src/core/policy.js"
import { formatProofFile, parseProofFile, verifyProofFile } from "../../src/core/proof-file.js"
import { formatRootArgument, parseRootArgument } from "../../src/core/root.js"
import { formatSignatureLine, parseSignatureLine } from "../../src/core/signature-line.js"
import { formatSigningKey, parseSigningKey, parseVkey } from "../../src/core/vkey.js"
import { arbHash } from "../core/arbitrary-record.js"
import {
  entry,
  head,
  inclusion,
  keyring,
  keyringNote,
  nextKeyring,
  ORIGIN,
  signer,
  verifier,
  witness,
} from "../core/log-fixtures.js"
import { inTurn, repairKeys, resign } from "./repair.js"
import { exact, exactText, type Fuzzed, fuzzed } from "./subject.js"

const bad = (why: string) => new ToolsumError("NOTE_MALFORMED", why)
const arbIndex = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })
const SIGNER = signer(ORIGIN)
const WITNESSES = ["w1.example", "w2.example"].map((name) => witness(signer(name)))
const POLICY = `log ${verifier(SIGNER).vkey}\n${WITNESSES.map(({ vkey }, i) => `witness w${i} ${vkey} https://w.example/\n`).join("")}group g any w0 w1\nquorum g\n`

const arbCheckpoint = fc.record({
  origin: fc.constant(ORIGIN),
  size: arbIndex.map((n) => n + 1n).filter((n) => n < 2n ** 63n),
  rootHash: arbHash,
  extensions: fc.constantFrom<string[]>([], ["x y"]),
})
/** Signed checkpoints. */
export const arbSigned = arbCheckpoint.map((checkpoint) => signNote(formatCheckpoint(checkpoint), [SIGNER]))
const KEYRING = keyring({ policy: parsePolicy(POLICY) })

/** All of them. */
export const NOTES: readonly Fuzzed[] = [
  exactText({
    name: "vkey",
    valid: fc.constantFrom(...WITNESSES, verifier(SIGNER)).map(({ vkey }) => vkey),
    parse: parseVkey,
    format: ({ vkey }) => vkey,
    repair: repairKeys,
  }),
  exactText({
    name: "signing key",
    valid: fc.constant(formatSigningKey(SIGNER)),
    parse: parseSigningKey,
    format: formatSigningKey,
  }),
  exactText({
    name: "signature line",
    valid: arbHash.map((blob) => formatSignatureLine({ name: "n.example", id: 77, blob })),
    parse: (x) => parseSignatureLine(x, bad),
    format: formatSignatureLine,
  }),
  exact({ name: "note", valid: arbSigned, parse: parseNote, format: formatNote }),
  exactText({
    name: "checkpoint",
    valid: arbCheckpoint.map(formatCheckpoint),
    parse: parseCheckpoint,
    format: formatCheckpoint,
  }),
  exact({
    name: "policy",
    valid: fc.constant(POLICY),
    parse: parsePolicy,
    format: ({ source }) => source,
    repair: repairKeys,
  }),
  fuzzed({
    name: "note under a policy",
    valid: arbSigned,
    parse: (x) => evaluatePolicy(parsePolicy(POLICY), openNote(x, [verifier(SIGNER), ...WITNESSES])),
    repair: resign([SIGNER], (text) => [formatCosignature({ text, key: signer("w1.example"), timestamp: 9n })]),
  }),
  exactText({
    name: "root argument",
    valid: fc.constantFrom(
      `log.example=SHA256:${"A".repeat(43)}@3:${"0".repeat(64)}`,
      "0".repeat(64),
      `a=b=SHA256:${"A".repeat(43)}`,
    ),
    parse: parseRootArgument,
    format: formatRootArgument,
  }),
  exactText({
    name: "keyring text",
    valid: fc.constant(formatKeyringText(KEYRING)),
    parse: parseKeyringText,
    format: formatKeyringText,
    repair: repairKeys,
  }),
  exact({
    name: "keyring",
    valid: fc.constant(keyringNote(KEYRING)),
    parse: parseKeyring,
    format: ({ note }) => formatNote(note),
    repair: repairKeys,
  }),
  fuzzed({
    name: "keyring chain",
    valid: fc.constant(
      keyringNote(nextKeyring({ version: 1n, text: formatKeyringText(KEYRING) }, { issued: 1796000001n })),
    ),
    parse: (x) => verifyKeyring({ notes: [keyringNote(KEYRING), x] }),
    repair: inTurn(repairKeys, resign([signer("root-a")])),
  }),
]

const arbProofFile = fc
  .record({
    extra: fc.option(fc.uint8Array({ minLength: 1, maxLength: 50 })),
    index: arbIndex,
    proof: fc.array(arbHash, { maxLength: 4 }),
    checkpoint: arbSigned,
  })
  .map(formatProofFile)

const PROVEN = formatProofFile({
  extra: entry(3),
  index: 3n,
  proof: inclusion(3, 7),
  checkpoint: head(ORIGIN, 7, [SIGNER]),
})

/** Proof files. */
export const PROOFS: readonly Fuzzed[] = [
  exact({ name: "proof file", valid: arbProofFile, parse: parseProofFile, format: formatProofFile }),
  fuzzed({
    name: "verifying a proof file",
    valid: fc.oneof(fc.constant(PROVEN), arbProofFile),
    parse: (file) => verifyProofFile({ file, origin: ORIGIN, keys: [verifier(SIGNER)] }),
    repair: resign([SIGNER], () => [], ORIGIN),
  }),
]
