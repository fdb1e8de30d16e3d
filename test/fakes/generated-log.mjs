// A log of as many records as one likes, made while it is read: bundles in ascending order, of which only the last ones are kept. Runs the built
// code. `streams` streams take turns; each says one of two surfaces after the other.
import { computeTileRoot, hashEntries } from "../../dist/core/bulk-hash.js"
import { formatCheckpoint } from "../../dist/core/checkpoint.js"
import { computeTextDigest, hashLeaf, sha256 } from "../../dist/core/hash.js"
import { verifyKeyring } from "../../dist/core/keyring.js"
import { formatKeyringText } from "../../dist/core/keyring-text.js"
import { signNote } from "../../dist/core/note.js"
import { computeSurfaceDigest } from "../../dist/core/section.js"
import { formatBundle, parseBundlePath, parseTilePath } from "../../dist/core/tile.js"
import { computeSigningKey, computeVerifierKey } from "../../dist/core/vkey.js"
import { TreeHasher } from "../../dist/features/audit/tree-hasher.js"

const ORIGIN = "generated.example/log"
const WIDTH = 256
const KEPT_BUNDLES = 64
const START = 1_796_083_200n
const utf8 = new TextEncoder()
const logKey = computeSigningKey({ name: ORIGIN, seed: new Uint8Array(32).fill(1) })
const rootKey = computeSigningKey({ name: `${ORIGIN}/root-a`, seed: new Uint8Array(32).fill(2) })
const publicHalf = ({ name, publicKey }) => computeVerifierKey({ name, type: 1, publicKey })

const KEYRING = signNote(
  formatKeyringText({
    ...{ origin: ORIGIN, version: 1n, prev: null, issued: START, expires: null, rootThreshold: 1 },
    roots: [publicHalf(rootKey)],
    logs: [{ key: publicHalf(logKey), from: 0n, closing: null, revoked: false }],
    policy: null,
  }),
  [rootKey],
)

const TEXTS = ["a", "b"].map((name) => `${"0".repeat(64)}  "${name}"\n`)
const SEEN = TEXTS.map((text) => {
  const lines = { tools: `1 ${computeTextDigest(text)}`, prompts: "none", templates: "none", resources: "-" }
  const all = { ...lines, instructions: "none", server: "none" }
  const members = Object.entries(all).map(([label, value]) => `${label} ${value}\n`)
  return `state listed\n${members.join("")}surface ${computeSurfaceDigest("listed", all)}\n`
})
const HOW = computeTextDigest("how")

/** The log with `streams` streams; `grow` signs a head of a size, which must come before it is read. `spent`: CPU microseconds for making it. */
export class GeneratedLog {
  location = "generated"
  local = false
  spentMicros = 0
  fingerprint = verifyKeyring({ notes: [KEYRING] }).fingerprint
  size = 0

  constructor(streams) {
    this.streams = streams
    this.leafHashes = new Uint8Array(32 * streams) // of the newest record of each stream
    this.next = 0 // bundle that is made next
    this.bundles = new Map()
    this.subjects = Array.from({ length: streams }, (_, k) => `pkg:npm/server-of-stream-${String(k).padStart(7, "0")}`)
    this.bySlot = new Map()
    for (const [k, subject] of this.subjects.entries()) {
      const slot = Buffer.from(sha256(utf8.encode(subject)).subarray(0, 1)).toString("hex")
      this.bySlot.set(slot, [...(this.bySlot.get(slot) ?? []), k])
    }
    this.levels = []
  }

  /** Make all entries up to `size` once, for the root, and sign the head. */
  grow(size) {
    this.size = size
    this.#rewind(0)
    const tree = new TreeHasher()
    const roots = []
    let last = new Uint8Array(0)
    for (let bundle = 0; bundle * WIDTH < size; bundle++) {
      const { leaves } = this.#bundle(bundle)
      if (leaves.length < 8192) last = leaves
      else {
        const root = computeTileRoot(leaves)
        roots.push(root)
        tree.push(root)
      }
    }
    this.levels = [roots]
    while (this.levels.at(-1).length >= WIDTH) {
      const below = this.levels.at(-1)
      const count = Math.floor(below.length / WIDTH)
      const above = Array.from({ length: count }, (_, i) =>
        computeTileRoot(Buffer.concat(below.slice(i * WIDTH, (i + 1) * WIDTH))),
      )
      this.levels.push(above)
    }
    const head = { origin: ORIGIN, size: BigInt(size), rootHash: tree.root(last), extensions: [] }
    this.checkpoint = signNote(formatCheckpoint(head), [logKey])
    this.#rewind(0)
  }

  /** Be ready to be read from `bundle` on. */
  seek(bundle) {
    this.#rewind(0)
    for (let i = 0; i < bundle; i++) this.#bundle(i)
    this.bundles.clear()
  }

  #rewind(bundle) {
    this.next = bundle
    this.bundles.clear()
  }

  async read(path) {
    const before = process.cpuUsage()
    const bytes = this.#file(path)
    const { user, system } = process.cpuUsage(before)
    this.spentMicros += user + system
    return bytes
  }

  #file(path) {
    const [folder, name] = path.split("/")
    if (path === "checkpoint") return utf8.encode(this.checkpoint)
    if (folder === "keyring") return name === "1" ? utf8.encode(KEYRING) : null
    if (folder === "objects") return this.#object(path)
    if (folder === "subjects") return this.#bucket(name)
    if (name === "entries") return this.#entries(parseBundlePath(path))
    return this.#tile(parseTilePath(path))
  }

  #object(path) {
    const text = TEXTS.find((one) => path.endsWith(computeTextDigest(one).slice(7)))
    return text === undefined ? null : utf8.encode(text)
  }

  #bucket(slot) {
    const lines = (this.bySlot.get(slot) ?? []).flatMap((k) => {
      const indexes = []
      for (let index = k + 1; index < this.size; index += this.streams) indexes.push(index)
      return indexes.length === 0 ? [] : [`${this.subjects[k]} ${indexes.join(" ")}\n`]
    })
    return utf8.encode(`${this.size}\n${lines.join("")}`)
  }

  #entries({ index, width }) {
    if (Number(index) * WIDTH + width > this.size) return null
    const { entries } = this.#bundle(Number(index))
    return entries.length === width ? formatBundle(entries) : null
  }

  #tile({ level, index, width }) {
    if (level === 0) {
      const { leaves } = this.#bundle(Number(index))
      return leaves.length === 32 * width ? leaves : null
    }
    const hashes = (this.levels[level - 1] ?? []).slice(Number(index) * WIDTH, Number(index) * WIDTH + width)
    return hashes.length === width ? Buffer.concat(hashes) : null
  }

  #bundle(number) {
    while (this.next <= number) this.#make(this.next++)
    const made = this.bundles.get(number)
    if (made === undefined) throw new Error(`bundle ${number} is gone`)
    return made
  }

  #make(number) {
    const entries = []
    for (let i = number * WIDTH; i < Math.min(this.size, (number + 1) * WIDTH); i++) entries.push(this.#entry(i))
    const leaves = new Uint8Array(32 * entries.length)
    hashEntries(entries, leaves)
    this.bundles.set(number, { entries, leaves })
    this.bundles.delete(number - KEPT_BUNDLES)
  }

  #entry(index) {
    if (index === 0) return utf8.encode(KEYRING)
    const stream = (index - 1) % this.streams
    const seq = Math.floor((index - 1) / this.streams)
    const hash = Buffer.from(this.leafHashes.buffer, 32 * stream, 32)
    const prev = seq === 0 ? "-" : `${index - this.streams} sha256:${hash.toString("hex")}`
    const text =
      `toolsum-record/v1\nsubject ${this.subjects[stream]}\nversion 1.0.0\nprofile anonymous\nhow ${HOW}\nobserver generated\n` +
      `mask -\nseq ${seq}\nprev ${prev}\n${SEEN[seq % 2]}observed ${START + BigInt(seq)}\n`
    const entry = utf8.encode(text)
    this.leafHashes.set(hashLeaf(entry), 32 * stream)
    return entry
  }
}
