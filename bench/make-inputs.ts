// Inputs for ours.ts where ../shared/bench is not there to make them: of the same kind, made with our own code. Usage: make-inputs FOLDER.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { formatBase64 } from "../src/core/bytes.js"
import { formatCheckpoint } from "../src/core/checkpoint.js"
import { formatCosignature } from "../src/core/cosignature.js"
import { EMPTY_ROOT, type Hash, hashLeaf, hashNode } from "../src/core/hash.js"
import { buildConsistencyProof, buildInclusionProof, computeRoot, type NodeReader } from "../src/core/merkle-tree.js"
import { addSignatures, formatNote, parseNote, signNote } from "../src/core/note.js"
import { computeSigningKey, ED25519_COSIGNATURE, ED25519_NOTE, formatVkey } from "../src/core/vkey.js"
import { entryAt, ORIGIN } from "./entries.js"

const SIZE = 1_000_000
const TREE = BigInt(SIZE)

/** The hash of every complete subtree. */
function readTree(): NodeReader {
  const levels: Hash[][] = [Array.from({ length: SIZE }, (_, i) => hashLeaf(entryAt(i)))]
  for (let below = levels[0] ?? []; below.length > 1; ) {
    const row: Hash[] = []
    for (let i = 1; i < below.length; i += 2) row.push(hashNode(below[i - 1] ?? EMPTY_ROOT, below[i] ?? EMPTY_ROOT))
    levels.push(row)
    below = row
  }
  return (level, index) => levels[level]?.[Number(index)] ?? EMPTY_ROOT
}

/** Numbers below `limit`, the same each time. */
function createPicker(): (limit: number) => number {
  let state = 12345
  return (limit) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state % limit
  }
}

const encodeAll = (hashes: readonly Hash[]): string[] => hashes.map(formatBase64)

function proofs(read: NodeReader) {
  const pick = createPicker()
  const inclusion: unknown[] = []
  while (inclusion.length < 1000) {
    const index = pick(SIZE)
    const path = buildInclusionProof(BigInt(index), TREE, read)
    if (path.length !== 20) continue
    inclusion.push({ index, leaf: formatBase64(read(0, BigInt(index))), path: encodeAll(path) })
  }
  const consistency = Array.from({ length: 200 }, () => {
    const old = 1 + pick(SIZE - 1)
    const path = buildConsistencyProof(BigInt(old), TREE, read)
    return { old, root: formatBase64(computeRoot(BigInt(old), read)), path: encodeAll(path) }
  })
  return { inclusion, consistency }
}

function notes(rootHash: Hash) {
  const key = (name: string, fill: number) => computeSigningKey({ name, seed: new Uint8Array(32).fill(fill) })
  const log = key(ORIGIN, 1)
  const witnesses = [1, 2, 3].map((i) => key(`witness${i}.test`, 1 + i))
  const text = formatCheckpoint({ origin: ORIGIN, size: TREE, rootHash, extensions: [] })
  const signed = signNote(text, [log])
  const cosignatures = witnesses.map((witness) => formatCosignature({ text, key: witness, timestamp: 1796083200n }))
  return {
    vkey: formatVkey({ ...log, type: ED25519_NOTE }),
    witness_vkeys: witnesses.map((witness) => formatVkey({ ...witness, type: ED25519_COSIGNATURE })),
    checkpoint_1sig: signed,
    checkpoint_4sigs: formatNote(addSignatures(parseNote(signed), cosignatures)),
  }
}

/** A tools/list of about 100 KiB, some of it outside ASCII. */
function makeDocument(): string {
  const text = (i: number) => `Reads a list of matching items état 日本語 → ${i} 😀 from the given repository. `
  const tools = Array.from({ length: 52 }, (_, i) => ({
    name: `tool_${i}`,
    title: text(i),
    description: text(i).repeat(8),
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 6 }, (_, p) => [
          `p${6 - p}`,
          { type: "string", description: text(p), default: [null, 0.5, 1e21, -1][p % 4] },
        ]),
      ),
      additionalProperties: false,
    },
  }))
  return JSON.stringify({ tools })
}

const folder = process.argv[2] ?? "."
const read = readTree()
const rootHash = computeRoot(TREE, read)
mkdirSync(folder, { recursive: true })
writeFileSync(
  join(folder, "inputs.json"),
  JSON.stringify({ size: SIZE, root: formatBase64(rootHash), ...notes(rootHash), ...proofs(read) }),
)
writeFileSync(join(folder, "doc.json"), makeDocument())
