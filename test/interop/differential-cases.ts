// Random and mangled cases for notecheck, one kind per operation. What is asked about them: differential-requests.ts.
import fc from "fast-check"
import { encodeUtf8, formatBase64 } from "../../src/core/bytes.js"
import { formatCheckpoint } from "../../src/core/checkpoint.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { type Hash, hashLeaf, sha256 } from "../../src/core/hash.js"
import { verifyConsistency, verifyInclusion } from "../../src/core/merkle.js"
import { addSignatures, formatNote, parseNote, signNote } from "../../src/core/note.js"
import { formatProofFile } from "../../src/core/proof-file.js"
import {
  computeKeyId,
  computeSigningKey,
  ED25519_COSIGNATURE,
  ED25519_NOTE,
  formatKeyId,
  type SigningKey,
} from "../../src/core/vkey.js"
import { arbKeyName, consistency, entry, inclusion, rootOf } from "../core/log-fixtures.js"
import { arbMangled } from "../fakes/mangle.js"
import {
  accepts,
  answerOf,
  askCheckpoint,
  askCosigned,
  askNote,
  askPolicy,
  askProof,
  askVkey,
  type DifferentialCase,
  LOG,
  SIGNERS,
  signer,
  vkeyOf,
  WITNESSES,
} from "./differential-requests.js"

const STRANGER = signer("stranger")
const b64 = formatBase64

const arbText = fc
  .array(fc.oneof(fc.string({ unit: "grapheme", maxLength: 20 }), fc.constant("")), { minLength: 1, maxLength: 4 })
  .map((lines) => `${lines.map((line) => line.replace(/[\0-\x1f]/g, "")).join("\n")}\n`)
const arbSigners = fc.subarray([...SIGNERS, STRANGER], { minLength: 1 })

const arbNote: fc.Arbitrary<DifferentialCase> = fc
  .tuple(arbText, arbSigners)
  .map(([text, keys]) => encodeUtf8(signNote(text, keys)))
  .chain(arbMangled)
  .map(askNote)

const VKEYS = [
  ...SIGNERS.map((key) => vkeyOf(key, ED25519_NOTE)),
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
  .map(askVkey)

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
  .map(askCheckpoint)
  .filter((asked) => asked !== null)

const arbProof: fc.Arbitrary<DifferentialCase> = fc
  .record({
    extra: fc.option(fc.uint8Array({ minLength: 1, maxLength: 40 })),
    index: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    proof: fc.oneof(fc.array(arbRoot, { maxLength: 4 }), fc.array(arbRoot, { minLength: 62, maxLength: 63 })),
    checkpoint: arbHead.map((head) => signNote(formatCheckpoint(head), [LOG])),
  })
  .map((file) => encodeUtf8(formatProofFile(file)))
  .chain(arbMangled)
  .map(askProof)

/** Policies with `$w0` to `$w2` for the keys of the witnesses. */
export const POLICIES = [
  "quorum none\n",
  "# all three\n\nwitness W0 $w0 https://w0.example/\nwitness W1 $w1\nwitness W2 $w2\ngroup all-of all W0 W1 W2\nquorum all-of\n",
  "witness a $w0\nwitness b\t$w1\ngroup g 1 a b\nwitness c $w2\ngroup h 2 g c\nquorum h\n",
  "witness w0 $w0\nwitness w1 $w1\ngroup any-of any w0 w1\nquorum any-of\n",
  "witness w0 $w0\nquorum w0\n",
]
export const policyText = (text: string): string =>
  `log ${vkeyOf(LOG, ED25519_NOTE).vkey}\n${text}`.replace(
    /\$w([0-2])/g,
    (_, i) => vkeyOf(WITNESSES[i] ?? LOG, ED25519_COSIGNATURE).vkey,
  )

const arbPolicy: fc.Arbitrary<DifferentialCase> = fc
  .constantFrom(...POLICIES)
  .chain((text) => arbMangled(encodeUtf8(policyText(text))))
  .map(askPolicy)

const arbCosigned: fc.Arbitrary<DifferentialCase> = fc
  .tuple(fc.constantFrom(...POLICIES), arbHead, fc.subarray(WITNESSES), fc.bigInt({ min: 1n, max: 2n ** 40n }))
  .chain(([policy, head, witnesses, timestamp]) => {
    const text = formatCheckpoint(head)
    const lines = witnesses.map((key) => formatCosignature({ text, key, timestamp }))
    const note = formatNote(addSignatures(parseNote(signNote(text, [LOG])), lines))
    return fc.tuple(fc.constant(policyText(policy)), arbMangled(encodeUtf8(note)))
  })
  .map(([policy, note]) => askCosigned(encodeUtf8(policy), note))

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
    said: null,
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
    said: null,
    stricter: old === 0 ? "the empty tree, which any tree extends" : null,
  }))

/** The test key that the tools derive from a label and a name. */
const derivedKey = (seed: string, name: string): SigningKey =>
  computeSigningKey({ name, seed: sha256(encodeUtf8(`toolsum interop test key\n${seed}\n${name}\n`)) })

/** x/mod signs any text that ends with a newline. */
const unsignable = (text: string): string | null => (/[\0-\x09\x0b-\x1f]/.test(text) ? "a control character" : null)

const arbSigned: fc.Arbitrary<DifferentialCase> = fc
  .record({ text: fc.oneof(arbText, arbText, fc.string({ unit: "binary", maxLength: 20 })), name: arbKeyName })
  .map(({ text, name }) => {
    const note = answerOf(() => signNote(text, [derivedKey("ours", name)]))
    return {
      request: { op: "sign", text_b64: b64(encodeUtf8(text)), seed: "ours", name },
      ...{ ours: note !== null, said: note, stricter: unsignable(text) },
    }
  })

const arbCosigning: fc.Arbitrary<DifferentialCase> = fc
  .record({ head: arbHead, name: arbKeyName, time: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) })
  .map(({ head, name, time }) => {
    const text = formatCheckpoint(head)
    const note = signNote(text, [LOG])
    const line = formatCosignature({ text, key: derivedKey("ours", name), timestamp: BigInt(time) })
    return {
      request: { op: "cosign", note, seed: "ours", name, time },
      ...{ ours: true, said: formatNote(addSignatures(parseNote(note), [line])), stricter: null },
    }
  })

/** Cases by operation. */
export const RANDOM_CASES: Readonly<Record<string, fc.Arbitrary<DifferentialCase>>> = {
  note: arbNote,
  vkey: arbVkey,
  checkpoint: arbCheckpoint,
  proof: arbProof,
  policy: arbPolicy,
  "policy-verify": arbCosigned,
  sign: arbSigned,
  cosign: arbCosigning,
  inclusion: arbInclusion,
  consistency: arbConsistency,
}
