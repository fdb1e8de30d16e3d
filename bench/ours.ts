// Our side of the benchmarks: one round of all figures that are computed in one process, as ../shared/bench/README.md names them.
// Usage: ours FOLDER, with the inputs that ../shared/bench/run.sh makes.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createDirLog } from "../src/adapters/log-dir.js"
import { createFsStore } from "../src/adapters/store-fs.js"
import { computeTileRoot, hashEntries } from "../src/core/bulk-hash.js"
import { parseBase64 } from "../src/core/bytes.js"
import { canonicalize, computeJsonDigest } from "../src/core/canonical.js"
import { parseCheckpoint, verifyCheckpoint } from "../src/core/checkpoint.js"
import { computePublicKey, signEd25519, verifyEd25519 } from "../src/core/ed25519.js"
import { HASH_BYTES, type Hash, hashLeaf, sha256 } from "../src/core/hash.js"
import { parseJson } from "../src/core/json.js"
import { verifyConsistency, verifyInclusion } from "../src/core/merkle.js"
import { openNote } from "../src/core/note.js"
import { MAX_TILE_BYTES, TILE_WIDTH } from "../src/core/tile.js"
import { computeSigningKey, parseVkey } from "../src/core/vkey.js"
import { auditLog } from "../src/features/audit/audit-log.js"
import { SEED_BYTES } from "../src/features/audit/subject-sums.js"
import { createLog } from "../src/writer/create.js"
import { entryAt, ORIGIN } from "./entries.js"
import { measure, measureOnce, skip } from "./measure.js"

/** `inputs.json` of ../shared/bench; hashes and proofs are base64. */
interface Inputs {
  readonly size: number
  readonly root: string
  readonly vkey: string
  readonly witness_vkeys: readonly string[]
  readonly checkpoint_1sig: string
  readonly checkpoint_4sigs: string
  readonly inclusion: readonly { readonly index: number; readonly leaf: string; readonly path: readonly string[] }[]
  readonly consistency: readonly { readonly old: number; readonly root: string; readonly path: readonly string[] }[]
}

/** Until V8 has optimized all of a larger function, which it does beside it and which counts as CPU time. */
const WARM = 6000

const folder = process.argv[2] ?? "."
const inputs: Inputs = JSON.parse(readFileSync(join(folder, "inputs.json"), "utf8"))
const decode = (text: string): Hash => parseBase64(text, (why) => new Error(why) as never)
const head = { size: BigInt(inputs.size), rootHash: decode(inputs.root) }

function primitives(): void {
  const node = new Uint8Array(65).fill(1)
  measure("sha256-65", { ops: 100_000 }, () => {
    node[1] = sha256(node)[0] ?? 0
  })
  const seed = new Uint8Array(32)
  const message = new Uint8Array(200).fill(7)
  const signed = { publicKey: computePublicKey(seed), message, signature: signEd25519({ seed, message }) }
  measure("ed25519-verify-200", { ops: 1500 }, () => {
    if (!verifyEd25519(signed)) throw new Error("bad signature")
  })
}

const logKey = parseVkey(inputs.vkey)
const openOne = () => verifyCheckpoint({ note: inputs.checkpoint_1sig, origin: logKey.name, keys: [logKey] })

function checkpoints(): void {
  measure("checkpoint-open-1sig", { ops: 1500, warm: WARM }, openOne)
  const keys = [logKey, ...inputs.witness_vkeys.map((vkey) => parseVkey(vkey))]
  measure("checkpoint-open-4sigs", { ops: 600, warm: WARM / 4 }, () => {
    const note = openNote(inputs.checkpoint_4sigs, keys)
    if (note.verified.length !== keys.length) throw new Error("a signature is missing")
    parseCheckpoint(note.text)
  })
}

function proofs(): void {
  const all = inputs.inclusion.map(({ index, leaf, path }) => ({
    index: BigInt(index),
    leafHash: decode(leaf),
    entry: entryAt(index),
    proof: path.map(decode),
  }))
  const at = (i: number) => all[i % all.length] ?? raise()
  const check = (i: number) => {
    const { index, leafHash, proof } = at(i)
    verifyInclusion({ leafHash, index, proof, head })
  }
  const checkEntry = (i: number) => {
    const { index, entry, proof } = at(i)
    verifyInclusion({ leafHash: hashLeaf(entry), index, proof, head })
  }
  measure("inclusion-20", { ops: 20_000 }, check)
  measure("inclusion-20-entry", { ops: 20_000 }, checkEntry)
  measure("verify-1000", { ops: 10 }, () => {
    openOne()
    for (let i = 0; i < all.length; i++) check(i)
  })
  measure("verify-1000-entries", { ops: 10 }, () => {
    openOne()
    for (let i = 0; i < all.length; i++) checkEntry(i)
  })
  const older = inputs.consistency.map(({ old, root, path }) => ({
    older: { size: BigInt(old), rootHash: decode(root) },
    newer: head,
    proof: path.map(decode),
  }))
  measure("consistency", { ops: 10_000 }, (i) => verifyConsistency(older[i % older.length] ?? raise()))
}

function raise(): never {
  throw new Error("the inputs are empty")
}

/** Root of a million entries, bundle by bundle: in memory are one bundle, and the roots of the tiles below. */
function root(): void {
  measure("root-1m", { ops: 1, warm: 0 }, () => {
    const entries = Array.from({ length: TILE_WIDTH }, entryAt)
    const numbers = entries.map(({ buffer }) => new DataView(buffer))
    const tile = new Uint8Array(MAX_TILE_BYTES)
    let row = new Uint8Array(Math.ceil(inputs.size / TILE_WIDTH) * HASH_BYTES)
    for (let start = 0; start < inputs.size; start += TILE_WIDTH) {
      const width = Math.min(TILE_WIDTH, inputs.size - start)
      for (let i = 0; i < width; i++) numbers[i]?.setUint32(0, start + i, true)
      hashEntries(width === TILE_WIDTH ? entries : entries.slice(0, width), tile)
      row.set(computeTileRoot(tile.subarray(0, width * HASH_BYTES)), (start / TILE_WIDTH) * HASH_BYTES)
    }
    while (row.length > HASH_BYTES) row = rootsOf(row)
    if (row.some((byte, i) => byte !== head.rootHash[i])) throw new Error("another root")
  })
}

/** Roots of the tiles that joined hashes make up, the last of which may be partial. */
function rootsOf(row: Uint8Array): Uint8Array<ArrayBuffer> {
  const tiles = Math.ceil(row.length / MAX_TILE_BYTES)
  const at = Array.from({ length: tiles }, (_, i) => row.subarray(i * MAX_TILE_BYTES, (i + 1) * MAX_TILE_BYTES))
  return Uint8Array.from(at.flatMap((tile) => [...computeTileRoot(tile)]))
}

function json(): void {
  const text = readFileSync(join(folder, "doc.json"), "utf8")
  const bytes = Buffer.byteLength(text)
  const document = parseJson(text)
  measure("jcs-100k", { ops: 150, bytes }, () => void canonicalize(document))
  measure("jcs-100k-digest", { ops: 100, bytes }, () => void computeJsonDigest(document))
  measure("json-parse-100k", { ops: 100, bytes }, () => void parseJson(text))
}

/** Append to a new log, durable and published when it ends: batches of 256, as many as are handed in. */
async function append(count: number): Promise<void> {
  const parent = mkdtempSync(join(folder, "ours-"))
  const key = (fill: number) => computeSigningKey({ name: ORIGIN, seed: new Uint8Array(32).fill(fill) })
  const log = await createLog({
    store: createFsStore(join(parent, "log")),
    origin: ORIGIN,
    archive: false,
    signers: [key(1)],
    rootSigners: [computeSigningKey({ name: "root", seed: new Uint8Array(32).fill(2) })],
    clock: () => 0,
    waitMs: 0,
  })
  const entries = Array.from({ length: count }, (_, i) => entryAt(i))
  await measureOnce(`append-${count / 1000}k`, count, async () => {
    await log.appendEntries(entries)
  })
  await log.close()
  rmSync(parent, { recursive: true })
}

/** Read and check a whole log of another make, with entries that no format of ours describes, from disk. Partial tiles of earlier heads are
 *  left out, as Tessera leaves them out. */
async function audit(log: string): Promise<void> {
  if (!existsSync(log)) return skip("audit-100k", "the log is made by ../shared/bench")
  await measureOnce("audit-100k", 1, async () => {
    const { exitCode, entries } = await auditLog({
      source: createDirLog(log),
      trust: { kind: "keys", origin: logKey.name, keys: [logKey], policy: null },
      clock: () => 0,
      seed: new Uint8Array(SEED_BYTES),
    })
    if (exitCode !== 0 || entries.other !== 100_000) throw new Error("expected a log that holds")
  })
}

primitives()
checkpoints()
proofs()
root()
json()
await append(10_000)
await append(100_000)
await audit(join(folder, "log-100k"))
