// Recomputes the examples of FORMAT.md, sections 10 to 14: notes, log, keyrings, heads, proof files.
import { witnessFileName } from "../../src/adapters/witness-store-fs.js"
import { formatAddCheckpoint } from "../../src/core/add-checkpoint.js"
import { encodeUtf8, formatBase64, formatHex, parseBase64 } from "../../src/core/bytes.js"
import { headKey, parseCheckpoint } from "../../src/core/checkpoint.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { ToolsumError } from "../../src/core/errors.js"
import { computeTextDigest, type Hash, hashLeaf, sha256 } from "../../src/core/hash.js"
import { parseKeyring, verifyKeyring } from "../../src/core/keyring.js"
import { joinHashes, splitHashes, type TreeHead } from "../../src/core/merkle.js"
import { buildConsistencyProof, computeTreeHash, type NodeReader } from "../../src/core/merkle-tree.js"
import { addSignatures, formatNote, parseNote } from "../../src/core/note.js"
import { parsePolicy } from "../../src/core/policy.js"
import { formatProofFile } from "../../src/core/proof-file.js"
import { computeRootFingerprint, parseRootArgument } from "../../src/core/root.js"
import { formatSubjectBucket, subjectBucketName } from "../../src/core/subject-index.js"
import { formatBundle, formatBundlePath, formatTilePath } from "../../src/core/tile.js"
import { createWitness, type Witness } from "../../src/writer/witness.js"
import { createMemoryWitnessStore } from "../fakes/witness-fixtures.js"
import { exampleLogOf, LOG_KEY, ORIGIN, outcome, ROOT_KEY, verifierOf, WITNESS_KEY, witnessOf } from "./example-log.js"
import { type Checks, cases, type FormatDocument } from "./format-document.js"

const COSIGNED_SEC = 1_796_090_460n

/** Tree head of a note. */
export const headOf = (note: string): TreeHead => parseCheckpoint(parseNote(note).text)

/** Checkpoints of the example log by size. */
export const notesOf = async (doc: FormatDocument): Promise<Readonly<Record<string, string>>> => {
  const { first, second } = await exampleLogOf(doc)
  return { "2": first.checkpoint, "3": second.checkpoint }
}

/** Leaf hashes of the example log. */
export async function leavesOf(doc: FormatDocument): Promise<readonly Hash[]> {
  const { first, second, bytes } = await exampleLogOf(doc)
  return [hashLeaf(bytes("public/keyring/1")), first.leafHash, second.leafHash]
}

/** The consistency proof from size 2 to size 3, as a lockfile holds it. */
export async function linkOf(doc: FormatDocument): Promise<string> {
  const leaves = await leavesOf(doc)
  const read: NodeReader = (level, index) => {
    const from = Number(index) << level
    return computeTreeHash(leaves.slice(from, from + (1 << level)))
  }
  return formatBase64(joinHashes(buildConsistencyProof(2n, 3n, read)))
}

const computeTree = (line: string): string => {
  const [what, ...entries] = line.split(" ")
  const leaves = entries.map((entry) => hashLeaf(encodeUtf8(entry)))
  return formatHex(what === "leaf" ? (leaves[0] ?? new Uint8Array()) : computeTreeHash(leaves))
}

const tilePath = (line: string): string => {
  const [level, index = "", width] = line.split(" ")
  const ref = { index: BigInt(index), width: Number(width) }
  return level === "entries" ? formatBundlePath(ref) : formatTilePath({ level: Number(level), ...ref })
}

function describeRoot(text: string): string {
  const { name, fingerprint, floor } = parseRootArgument(text)
  return `${name ?? "-"} ${fingerprint} ${floor?.version ?? "-"}`
}

const subjectOf = (doc: FormatDocument): string => doc.text("bucket-name").split(" => ")[0] ?? ""

const malformed = (why: string) => new ToolsumError("PROOF_MALFORMED", why)

/** A witness that has cosigned the log of the examples at size 2. */
async function askedWitness(doc: FormatDocument): Promise<Witness> {
  const store = createMemoryWitnessStore()
  const clock = () => Number(COSIGNED_SEC)
  const witness = createWitness({ key: WITNESS_KEY, logKeys: [verifierOf(LOG_KEY)], store, clock })
  const first = parseNote((await notesOf(doc))["2"] ?? "")
  await witness.addCheckpoint(formatAddCheckpoint({ old: 0n, proof: [], note: first }))
  return witness
}

export const LOG_CHECKS: Checks = {
  checkpoint: async (doc) => (await exampleLogOf(doc)).text("public/checkpoint"),
  "checkpoint-cosigned": (doc) => {
    const note = parseNote(doc.text("checkpoint"))
    return formatNote(
      addSignatures(note, [formatCosignature({ text: note.text, key: WITNESS_KEY, timestamp: COSIGNED_SEC })]),
    )
  },
  policy: (doc) => {
    const text = `# two lines make a policy\nwitness w1 ${witnessOf(WITNESS_KEY).vkey}\nquorum w1\n`
    return parsePolicy(text).quorum === "w1" ? text : doc.text("policy")
  },
  "tree-hashes": cases("tree-hashes", computeTree),
  "tile-paths": cases("tile-paths", tilePath),
  bundle: () => `${formatHex(formatBundle([encodeUtf8("a"), encodeUtf8("bc")]))}\n`,
  "object-path": async (doc) => {
    const hex = formatHex(sha256(encodeUtf8(doc.text("section-text"))))
    const path = `objects/${hex.slice(0, 2)}/${hex}`
    if ((await exampleLogOf(doc)).text(`public/${path}`) !== doc.text("section-text")) throw new Error("another object")
    return `${path}\n`
  },
  "bucket-name": cases("bucket-name", subjectBucketName),
  bucket: (doc) =>
    new TextDecoder().decode(formatSubjectBucket({ size: 3n, subjects: new Map([[subjectOf(doc), [1n, 2n]]]) })),
  "root-lines": () => `toolsum-root/v1\n${ORIGIN}\n1\n${verifierOf(ROOT_KEY).vkey}\n`,
  root: (doc) => {
    const root = computeRootFingerprint({ origin: ORIGIN, threshold: 1, roots: [verifierOf(ROOT_KEY)] })
    const shown = formatBase64(sha256(encodeUtf8(doc.text("root-lines")))).slice(0, -1)
    return `SHA256:${shown}` === root ? `${root}\n` : "the lines shown do not give the root"
  },
  "root-arguments": cases("root-arguments", (text) => outcome(() => describeRoot(text))),
  keyring: async (doc) => (await exampleLogOf(doc)).text("public/keyring/1"),
  "keyring-digest": (doc) => {
    const { digest, newest } = verifyKeyring({ notes: [doc.text("keyring")], root: doc.line("root") })
    if (newest.logs[0]?.key.vkey !== verifierOf(LOG_KEY).vkey) throw new Error("another log key")
    return `${computeTextDigest(parseKeyring(doc.text("keyring")).note.text)}\n`.replace(
      /^sha256:.*/,
      formatHex(digest),
    )
  },
  "head-keys": cases("head-keys", async (line, doc) => headKey(headOf((await notesOf(doc))[line.slice(5)] ?? ""))),
  "add-checkpoint": (doc) => {
    const proof = splitHashes(parseBase64(doc.line("link"), malformed), malformed)
    return new TextDecoder().decode(formatAddCheckpoint({ old: 2n, proof, note: parseNote(doc.text("checkpoint")) }))
  },
  "add-checkpoint-answer": async (doc) => {
    const witness = await askedWitness(doc)
    const answer = await witness.addCheckpoint(encodeUtf8(doc.text("add-checkpoint")))
    const shown = (await witness.latest(ORIGIN))?.note
    if (shown !== doc.text("checkpoint-cosigned")) throw new Error("another state")
    return answer.status === 200 ? `${answer.lines.join("\n")}\n` : `status ${answer.status}\n`
  },
  "witness-state-name": () => `${witnessFileName(witnessOf(WITNESS_KEY).vkey, ORIGIN)}\n`,
  link: async (doc) => `${await linkOf(doc)}\n`,
  "proof-file": async (doc) => {
    const { second } = await exampleLogOf(doc)
    const { index, proof, checkpoint, record } = second
    return formatProofFile({ extra: encodeUtf8(record), index, proof, checkpoint })
  },
}
