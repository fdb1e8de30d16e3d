// Cases for notecheck, one kind per operation: what is sent, what we say to the same bytes, and where we are known to be stricter. The
// README beside this file lists these differences.
import fc from "fast-check"
import { encodeUtf8, formatBase64, parseBase64 } from "../../src/core/bytes.js"
import { formatCheckpoint, parseCheckpoint, verifyCheckpoint } from "../../src/core/checkpoint.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { ToolsumError } from "../../src/core/errors.js"
import { type Hash, hashLeaf, sha256 } from "../../src/core/hash.js"
import { verifyConsistency, verifyInclusion } from "../../src/core/merkle.js"
import { addSignatures, formatNote, openNote, parseNote, signNote } from "../../src/core/note.js"
import { parsePolicy } from "../../src/core/policy.js"
import { formatProofFile, parseProofFile } from "../../src/core/proof-file.js"
import {
  computeKeyId,
  computeSigningKey,
  computeVerifierKey,
  ED25519_COSIGNATURE,
  ED25519_NOTE,
  formatKeyId,
  isKeyName,
  parseVkey,
  type SigningKey,
} from "../../src/core/vkey.js"
import { consistency, entry, inclusion, rootOf } from "../core/log-fixtures.js"
import { arbMangled } from "../fakes/mangle.js"

/** One request and our answer to it. */
export interface DifferentialCase {
  readonly request: Readonly<Record<string, unknown>>
  /** True when we accept. */
  readonly ours: boolean
  /** Why we may refuse what the other side accepts; null when we may not. */
  readonly stricter: string | null
}

const signer = (name: string): SigningKey =>
  computeSigningKey({ name, seed: sha256(encodeUtf8(`differential ${name}`)) })
const vkeyOf = (key: SigningKey, type: number) => computeVerifierKey({ name: key.name, publicKey: key.publicKey, type })

const LOG = signer("log.example/a")
const KNOWN = [LOG, signer("exämple.org/b"), signer("c")]
const STRANGER = signer("stranger")
const WITNESSES = ["w1.example", "w2.example", "w3.example"].map(signer)

/** True, or false for a ToolsumError; anything else is a fault of ours. */
function accepts(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof ToolsumError) return false
    throw error
  }
}

const b64 = formatBase64
const bad = (why: string) => new ToolsumError("USAGE", why)
const isUtf8 = (bytes: Uint8Array): boolean => Buffer.from(new TextDecoder().decode(bytes)).equals(bytes)
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

/** x/mod opens the first line of a key only, and takes base64 with stray bits. */
function looseNote(note: Uint8Array): string | null {
  const lines = latin1(note)
    .split("\n")
    .filter((line) => line.startsWith("\u00e2\u0080\u0094 "))
  const fields = lines.map((line) => line.slice(4).split(" "))
  if (fields.some(([, text = ""]) => text !== Buffer.from(text, "base64").toString("base64")))
    return "base64 in more than one spelling"
  const keys = fields.map(([name, text = ""]) => `${name} ${text.slice(0, 6)}`)
  return new Set(keys).size < keys.length ? "a second line of one key" : null
}

/** Notes have no control characters; an origin has no 0x7F either, since policies and keys cannot name it. */
function looseCheckpoint(text: string): string | null {
  if (/[\0-\x09\x0b-\x1f]/.test(text)) return "a control character"
  return /^[^\n]*\x7f/.test(text) ? "0x7F in the origin" : null
}

const arbText = fc
  .array(fc.oneof(fc.string({ unit: "grapheme", maxLength: 20 }), fc.constant("")), { minLength: 1, maxLength: 4 })
  .map((lines) => `${lines.map((line) => line.replace(/[\0-\x1f]/g, "")).join("\n")}\n`)
const arbSigners = fc.subarray([...KNOWN, STRANGER], { minLength: 1 })

const arbNote: fc.Arbitrary<DifferentialCase> = fc
  .tuple(arbText, arbSigners)
  .map(([text, keys]) => encodeUtf8(signNote(text, keys)))
  .chain(arbMangled)
  .map((note) => ({
    request: { op: "verify", note_b64: b64(note), vkeys: KNOWN.map((key) => vkeyOf(key, ED25519_NOTE).vkey) },
    ours: accepts(() =>
      openNote(
        note,
        KNOWN.map((key) => vkeyOf(key, ED25519_NOTE)),
      ),
    ),
    stricter: looseNote(note),
  }))

const VKEYS = [
  ...KNOWN.map((key) => vkeyOf(key, ED25519_NOTE)),
  ...WITNESSES.map((key) => vkeyOf(key, ED25519_COSIGNATURE)),
].map(({ vkey }) => vkey)

/** The ID of what the key has become, so that more than the ID is looked at. */
const withId = (vkey: string): string => {
  const [name = "", , ...rest] = vkey.split("+")
  const blob = Buffer.from(rest.join("+"), "base64")
  return `${name}+${formatKeyId(computeKeyId({ name, type: blob[0] ?? 0, publicKey: blob.subarray(1) }))}+${rest.join("+")}`
}

const arbVkey: fc.Arbitrary<DifferentialCase> = fc
  .tuple(
    fc.constantFrom(...VKEYS).chain((vkey) => arbMangled(encodeUtf8(vkey))),
    fc.boolean(),
  )
  .map(([bytes, repair]) => (repair ? withId(new TextDecoder().decode(bytes)) : new TextDecoder().decode(bytes)))
  .map((vkey) => ({
    request: { op: "vkey", vkey },
    ours: accepts(() => parseVkey(vkey)),
    stricter: isKeyName(vkey.split("+")[0] ?? "") ? null : "a name that no note can have",
  }))

const arbRoot = fc.uint8Array({ minLength: 32, maxLength: 32 })
const arbHead = fc.record({
  origin: fc.constant(LOG.name),
  size: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
  rootHash: arbRoot,
  extensions: fc.constantFrom<string[]>([], ["x"], ["a b", "c"]),
})

const arbCheckpoint: fc.Arbitrary<DifferentialCase> = arbHead
  .map((head) => encodeUtf8(formatCheckpoint(head)))
  .chain(arbMangled)
  .filter(isUtf8)
  .map((bytes) => ({
    request: { op: "checkpoint", text_b64: b64(bytes) },
    ours: accepts(() => parseCheckpoint(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))),
    stricter: looseCheckpoint(latin1(bytes)),
  }))

const arbProof: fc.Arbitrary<DifferentialCase> = fc
  .record({
    extra: fc.option(fc.uint8Array({ minLength: 1, maxLength: 40 })),
    index: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    proof: fc.oneof(fc.array(arbRoot, { maxLength: 4 }), fc.array(arbRoot, { minLength: 62, maxLength: 63 })),
    checkpoint: arbHead.map((head) => signNote(formatCheckpoint(head), [LOG])),
  })
  .map((file) => encodeUtf8(formatProofFile(file)))
  .chain(arbMangled)
  .map((file) => ({
    request: { op: "proof", note_b64: b64(file) },
    ours: accepts(() => parseProofFile(file)),
    stricter: !isUtf8(file) ? "bytes that are not UTF-8" : /\nextra \n/.test(latin1(file)) ? "empty extra data" : null,
  }))

const POLICIES = [
  "quorum none\n",
  "# all three\n\nwitness W0 $w0 https://w0.example/\nwitness W1 $w1\nwitness W2 $w2\ngroup all-of all W0 W1 W2\nquorum all-of\n",
  "witness a $w0\nwitness b\t$w1\ngroup g 1 a b\nwitness c $w2\ngroup h 2 g c\nquorum h\n",
  "witness w0 $w0\nwitness w1 $w1\ngroup any-of any w0 w1\nquorum any-of\n",
  "witness w0 $w0\nquorum w0\n",
]
const policyText = (text: string): string =>
  `log ${vkeyOf(LOG, ED25519_NOTE).vkey}\n${text}`.replace(
    /\$w([0-2])/g,
    (_, i) => vkeyOf(WITNESSES[i] ?? LOG, ED25519_COSIGNATURE).vkey,
  )

const arbPolicy: fc.Arbitrary<DifferentialCase> = fc
  .constantFrom(...POLICIES)
  .chain((text) => arbMangled(encodeUtf8(policyText(text))))
  .map((text) => ({
    request: { op: "policy", text_b64: b64(text) },
    ours: accepts(() => parsePolicy(text)),
    stricter: null,
  }))

const arbCosigned: fc.Arbitrary<DifferentialCase> = fc
  .tuple(fc.constantFrom(...POLICIES), arbHead, fc.subarray(WITNESSES), fc.bigInt({ min: 1n, max: 2n ** 40n }))
  .chain(([policy, head, witnesses, timestamp]) => {
    const text = formatCheckpoint(head)
    const lines = witnesses.map((key) => formatCosignature({ text, key, timestamp }))
    const note = formatNote(addSignatures(parseNote(signNote(text, [LOG])), lines))
    return fc.tuple(fc.constant(policyText(policy)), arbMangled(encodeUtf8(note)))
  })
  .map(([policy, note]) => {
    const origin = new TextDecoder().decode(note).split("\n")[0] ?? ""
    return {
      request: { op: "policy-verify", note_b64: b64(note), text: policy },
      ours: accepts(() => verifyCheckpoint({ note, origin, policy: parsePolicy(policy) })),
      stricter: looseNote(note),
    }
  })

/** Hashes of a proof, perhaps wrong: one flipped, dropped, doubled, or the order turned. */
const arbHashes = (proof: readonly Hash[]): fc.Arbitrary<readonly Hash[]> =>
  fc.tuple(fc.nat(6), fc.nat(proof.length), fc.nat(255)).map(([how, at, bit]) => {
    if (how === 0)
      return proof.map((hash, i) =>
        i === at ? hash.map((byte, j) => (j === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)) : hash,
      )
    if (how === 1) return proof.filter((_, i) => i !== at)
    if (how === 2) return [...proof.slice(0, at), ...proof.slice(Math.max(0, at - 1))]
    return how === 3 ? proof.toReversed() : proof
  })

const near = (n: number) =>
  fc.oneof({ arbitrary: fc.constant(0), weight: 5 }, fc.integer({ min: -2, max: 2 })).map((by) => Math.max(0, n + by))

const arbInclusion: fc.Arbitrary<DifferentialCase> = fc
  .integer({ min: 1, max: 70 })
  .chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)))
  .chain(([size, index]) =>
    fc.record({
      leaf: fc.constant(hashLeaf(entry(index))),
      root: fc.constant(rootOf(size)),
      size: near(size),
      index: near(index),
      proof: arbHashes(inclusion(index, size)),
    }),
  )
  .map(({ leaf, root, size, index, proof }) => ({
    request: { op: "inclusion", index, size, leaf: b64(leaf), root: b64(root), proof: proof.map(b64) },
    ours: accepts(() =>
      verifyInclusion({ leafHash: leaf, index: BigInt(index), proof, head: { size: BigInt(size), rootHash: root } }),
    ),
    stricter: null,
  }))

const split = (joined: Uint8Array): readonly Hash[] =>
  Array.from({ length: joined.length / 32 }, (_, i) => joined.slice(32 * i, 32 * i + 32))

const arbConsistency: fc.Arbitrary<DifferentialCase> = fc
  .integer({ min: 1, max: 70 })
  .chain((size) => fc.tuple(fc.constant(size), fc.integer({ min: 1, max: size })))
  .chain(([size, old]) =>
    fc.record({
      oldRoot: fc.constant(rootOf(old)),
      root: fc.constant(rootOf(size)),
      size: near(size),
      old: near(old),
      proof: arbHashes(split(consistency(old, size))),
    }),
  )
  .map(({ oldRoot, root, size, old, proof }) => ({
    request: { op: "consistency", old, size, old_root: b64(oldRoot), root: b64(root), proof: proof.map(b64) },
    ours: accepts(() =>
      verifyConsistency({
        older: { size: BigInt(old), rootHash: oldRoot },
        newer: { size: BigInt(size), rootHash: root },
        proof,
      }),
    ),
    stricter: old === 0 ? "the empty tree, which any tree extends" : null,
  }))

/** Cases by operation. */
export const CASES: Readonly<Record<string, fc.Arbitrary<DifferentialCase>>> = {
  note: arbNote,
  vkey: arbVkey,
  checkpoint: arbCheckpoint,
  proof: arbProof,
  policy: arbPolicy,
  "policy-verify": arbCosigned,
  inclusion: arbInclusion,
  consistency: arbConsistency,
}

/** Bytes of a request's member, for a message. */
export const decodeRequest = (text: unknown): string => (typeof text === "string" ? latin1(parseBase64(text, bad)) : "")
