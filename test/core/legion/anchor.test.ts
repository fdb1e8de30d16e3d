// Anchors of LEGION heads: every case of the shared vectors, and what else an OpenTimestamps proof or a Rekor entry may hold.
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto"
import { describe, expect, test } from "vitest"
import { concatBytes, formatBase64, formatHex, parseHex } from "../../../src/core/bytes.js"
import { canonicalize } from "../../../src/core/canonical.js"
import { signEd25519 } from "../../../src/core/ed25519.js"
import { hashLeaf, sha256 } from "../../../src/core/hash.js"
import {
  type BitcoinHeader,
  MAX_OTS_BYTES,
  MAX_OTS_DEPTH,
  type OtherDigest,
  verifyOtsAnchor,
} from "../../../src/core/legion/anchor-ots.js"
import { type VerifyP256, verifyRekorAnchor } from "../../../src/core/legion/anchor-rekor.js"
import { LOG_KEY } from "../../fakes/legion-log.js"
import { describeShared } from "../../shared.js"
import { legionCases } from "./vectors.js"

const digest: OtherDigest = (name, data) => new Uint8Array(createHash(name).update(data).digest())
const verifyP256: VerifyP256 = ({ publicKeyDer, message, signature }) => {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKeyDer), format: "der", type: "spki" })
    return verify("sha256", message, key, signature)
  } catch {
    return false
  }
}

interface Input {
  readonly artifact: string
  readonly ots_b64?: string
  readonly headers?: Readonly<Record<string, { merkleroot: string; time: number }>>
  readonly rekor_entry?: string
  readonly rekor_pem?: string
  readonly issuer_key?: string
}

const utf8 = (text: string) => new TextEncoder().encode(text)
const base64 = (text = "") => new Uint8Array(Buffer.from(text, "base64"))
const headersOf = (headers: Input["headers"] = {}): Map<bigint, BitcoinHeader> =>
  new Map(
    Object.entries(headers).map(([height, { merkleroot, time }]) => [
      BigInt(height),
      { merkleRoot: parseHex(merkleroot, (why) => new Error(why) as never).reverse(), timeSec: BigInt(time) },
    ]),
  )

function judge({ artifact, ots_b64, headers, rekor_entry, rekor_pem, issuer_key }: Input) {
  if (ots_b64 !== undefined)
    return verifyOtsAnchor({ artifact: utf8(artifact), ots: base64(ots_b64), headers: headersOf(headers), digest })
  const [entry, rekorKey, issuerKey] = [rekor_entry ?? "", rekor_pem ?? "", base64(issuer_key)]
  return verifyRekorAnchor({ artifact: utf8(artifact), entry, rekorKey, issuerKey, verifyP256 })
}

describeShared("LEGION anchor vectors", () => {
  test.each(legionCases<Input, { expect_status?: string; expect_height?: number }>("anchor"))("$id: $desc", (one) => {
    const result = judge(one.input)
    expect(result.status, result.detail).toBe(one.expect_status)
    if (one.expect_height !== undefined) expect(result.detail).toBe(`in block ${one.expect_height}`)
  })
})

const ARTIFACT = utf8('{"tree_size":1}')
const MAGIC = concatBytes(
  utf8("\0OpenTimestamps\0\0Proof\0"),
  parseHex("bf89e2e884e89294", () => new Error() as never),
)
const START = concatBytes(MAGIC, Uint8Array.of(1, 8), sha256(ARTIFACT))
const attest = (tag: string, payload: readonly number[]) =>
  concatBytes(
    Uint8Array.of(0),
    base64(Buffer.from(tag, "hex").toString("base64")),
    Uint8Array.of(payload.length, ...payload),
  )
const bitcoin = (height: number) => attest("0588960d73d71901", [height])
const PENDING = attest("83dfe30d2ef90c8e", [1, 0x78])

describe("verifyOtsAnchor", () => {
  const run = (tree: Uint8Array, headers = new Map<bigint, BitcoinHeader>(), artifact = ARTIFACT) =>
    verifyOtsAnchor({ artifact, ots: concatBytes(START, tree), headers, digest })
  const headerOf = (merkleRoot: Uint8Array) => new Map([[7n, { merkleRoot, timeSec: 99n }]])

  test.each<{ name: string; operations: readonly number[]; result: (message: Uint8Array) => Uint8Array }>([
    { name: "append", operations: [0xf0, 1, 0xaa], result: (m) => concatBytes(m, Uint8Array.of(0xaa)) },
    { name: "prepend", operations: [0xf1, 1, 0xaa], result: (m) => concatBytes(Uint8Array.of(0xaa), m) },
    { name: "reverse", operations: [0xf2], result: (m) => m.slice().reverse() },
    { name: "hex", operations: [0xf3], result: (m) => utf8(formatHex(m)) },
    { name: "SHA-1", operations: [0x02], result: (m) => digest("sha1", m) },
    { name: "RIPEMD-160", operations: [0x03], result: (m) => digest("ripemd160", m) },
    { name: "SHA-256", operations: [0x08], result: sha256 },
  ])("follows $name", ({ operations, result }) => {
    const tree = concatBytes(Uint8Array.of(...operations, 0x08), bitcoin(7))
    const headers = headerOf(sha256(result(sha256(ARTIFACT))))
    expect(run(tree, headers)).toEqual({ status: "verified", timeSec: 99n, detail: "in block 7" })
  })

  test("a promise is no block, and what is unknown is neither", () => {
    expect(run(PENDING)).toEqual({ status: "pending", detail: 'promised by "x", in no block yet' })
    expect(run(attest("0000000000000000", [])).status).toBe("failed")
    expect(run(concatBytes(Uint8Array.of(0xff), PENDING, bitcoin(7))).status).toBe("unverified")
  })

  test("a header that disagrees fails, even if another agrees", () => {
    const tree = concatBytes(Uint8Array.of(0xff), bitcoin(7), bitcoin(8))
    const headers = headerOf(sha256(ARTIFACT)).set(8n, { merkleRoot: new Uint8Array(32), timeSec: 1n })
    expect(run(tree, headers).status).toBe("failed")
  })

  test.each<{ name: string; tree: Uint8Array }>([
    { name: "another artifact's proof", tree: PENDING },
    { name: "a proof that ends too early", tree: Uint8Array.of(0xff) },
    { name: "an unknown operation", tree: Uint8Array.of(0x67) },
    { name: "bytes after the proof", tree: concatBytes(PENDING, Uint8Array.of(0)) },
    { name: "bytes after a height", tree: attest("0588960d73d71901", [7, 7]) },
    { name: "a height without end", tree: attest("0588960d73d71901", Array(11).fill(0xff)) },
    { name: "too many operations in a row", tree: concatBytes(new Uint8Array(MAX_OTS_DEPTH + 1).fill(0xf2), PENDING) },
    { name: "too long a message", tree: concatBytes(Uint8Array.of(0xf0, 0x81, 0x40), new Uint8Array(8193), PENDING) },
    { name: "too many bytes", tree: new Uint8Array(MAX_OTS_BYTES) },
  ])("fails $name", ({ name, tree }) => {
    const artifact = name.startsWith("another") ? utf8("x") : ARTIFACT
    expect(run(tree, new Map(), artifact).status).toBe("failed")
  })
})

describe("verifyRekorAnchor", () => {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const rekorKey = pair.publicKey.export({ format: "pem", type: "spki" }).toString()
  const der = new Uint8Array(pair.publicKey.export({ format: "der", type: "spki" }))
  const signP256 = (text: string) => new Uint8Array(sign("sha256", utf8(text), pair.privateKey))
  const spki = concatBytes(base64("MCowBQYDK2VwAyEA"), LOG_KEY.publicKey)
  const pem = `-----BEGIN PUBLIC KEY-----\n${formatBase64(spki)}\n-----END PUBLIC KEY-----\n`

  interface Plan {
    readonly kind?: string
    readonly hash?: string
    readonly key?: string
    readonly signed?: Uint8Array
    readonly logID?: string
    readonly promised?: number
    readonly name?: string
    readonly id?: Uint8Array
    readonly checkpointSize?: number
    readonly root?: Uint8Array
  }

  /** An entry in a tree of one leaf. */
  function entryOf(plan: Plan = {}): string {
    const {
      kind = "rekord",
      hash = formatHex(sha256(ARTIFACT)),
      signed = ARTIFACT,
      logID = formatHex(sha256(der)),
    } = plan
    const content = formatBase64(signEd25519({ seed: LOG_KEY.seed, message: signed }))
    const publicKey = { content: formatBase64(utf8(plan.key ?? pem)) }
    const spec = { data: { hash: { algorithm: "sha256", value: hash } }, signature: { content, publicKey } }
    const bytes = utf8(JSON.stringify({ kind, spec }))
    const body = formatBase64(bytes)
    const promise = { body, integratedTime: plan.promised ?? 5, logID, logIndex: 900 }
    const root = plan.root ?? hashLeaf(bytes)
    const text = `rekor.test - 1\n${plan.checkpointSize ?? 1}\n${formatBase64(root)}\n`
    const id = plan.id ?? sha256(der).subarray(0, 4)
    const line = `— ${plan.name ?? "rekor.test"} ${formatBase64(concatBytes(id, signP256(text)))}\n`
    const inclusionProof = {
      logIndex: 0,
      treeSize: 1,
      rootHash: formatHex(root),
      hashes: [],
      checkpoint: `${text}\n${line}`,
    }
    const signedEntryTimestamp = formatBase64(signP256(canonicalize(promise)))
    return JSON.stringify({ ...promise, integratedTime: 5, verification: { signedEntryTimestamp, inclusionProof } })
  }
  const run = (entry: string, key = rekorKey) =>
    verifyRekorAnchor({ artifact: ARTIFACT, entry, rekorKey: key, issuerKey: LOG_KEY.publicKey, verifyP256 })

  test("verifies an entry, bare and under its UUID, under the name or the whole origin", () => {
    expect(run(entryOf())).toMatchObject({ status: "verified", timeSec: 5n })
    expect(run(`{"24296fb24b8ad77a":${entryOf()}}`).status).toBe("verified")
    expect(run(entryOf({ name: "rekor.test" })).status).toBe("verified")
  })

  test.each<{ name: string; plan: Plan }>([
    { name: "another kind", plan: { kind: "hashedrekord" } },
    { name: "another head", plan: { hash: "0".repeat(64) } },
    { name: "another key", plan: { key: pem.replace(formatBase64(spki), formatBase64(spki.with(43, 1))) } },
    { name: "a key that is none", plan: { key: "x" } },
    { name: "a signature over something else", plan: { signed: utf8("x") } },
    { name: "another log", plan: { logID: "0".repeat(64) } },
    { name: "a promise of another time", plan: { promised: 6 } },
    { name: "another root than the leaf's", plan: { root: new Uint8Array(32) } },
    { name: "a checkpoint of another size", plan: { checkpointSize: 2 } },
    { name: "a checkpoint signed by another name", plan: { name: "rekor" } },
    { name: "a checkpoint signed under another key id", plan: { id: new Uint8Array(4) } },
  ])("fails $name", ({ plan }) => expect(run(entryOf(plan)).status).toBe("failed"))

  test("fails under another Rekor key, and what is no entry", () => {
    const other = generateKeyPairSync("ec", { namedCurve: "P-256" })
    expect(run(entryOf(), other.publicKey.export({ format: "pem", type: "spki" }).toString()).status).toBe("failed")
    for (const entry of ["", "[]", "{}", '{"a":{},"b":{}}', entryOf().replace("\\n\\n", "\\n")])
      expect(run(entry).status).toBe("failed")
  })
})
