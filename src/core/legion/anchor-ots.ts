// OpenTimestamps proofs of a LEGION head: a tree of hash operations from the head's digest to Merkle roots of Bitcoin blocks, checked against
// block headers that the user supplies. No proof of work is looked at: the headers are believed. FORMAT.md, "LEGION dialect".
import { concatBytes, decodeUtf8, equalBytes, formatHex } from "../bytes.js"
import { type Bad, quote, ToolsumError } from "../errors.js"
import { type Hash, sha256 } from "../hash.js"
import { type AnchorStatus, failedAnchor } from "./anchor.js"

/** Bytes of a proof. */
export const MAX_OTS_BYTES = 1024 * 1024
/** Operations between a digest and an attestation. */
export const MAX_OTS_DEPTH = 256
/** Operations of a proof. */
export const MAX_OTS_OPERATIONS = 16384
const MAX_MESSAGE_BYTES = 8192
const MAX_VARUINT_BYTES = 10

/** A block as its header has it. `merkleRoot`: 32 bytes in the order that is hashed, the reverse of what block explorers print. */
export interface BitcoinHeader {
  readonly merkleRoot: Hash
  readonly timeSec: bigint
}

/** Hash functions that such proofs may use and that this package has no other use for. */
export type OtherDigest = (name: "sha1" | "ripemd160", data: Uint8Array) => Uint8Array

/** Where a branch of the proof ends. */
export type OtsAttestation =
  | { readonly kind: "bitcoin"; readonly message: Uint8Array; readonly height: bigint }
  | { readonly kind: "pending"; readonly calendar: string }
  | { readonly kind: "unknown"; readonly tag: string }

const malformed: Bad = (why) => new ToolsumError("PROOF_MALFORMED", why)

/** Judge the proof `ots` of `artifact`, the signed bytes of a head. `headers`: by height. Never throws a ToolsumError. */
export function verifyOtsAnchor(p: {
  artifact: Uint8Array
  ots: Uint8Array
  headers: ReadonlyMap<bigint, BitcoinHeader>
  digest: OtherDigest
}): AnchorStatus {
  try {
    return judge(readOts(p), p.headers)
  } catch (error) {
    if (error instanceof ToolsumError) return failedAnchor(error.message)
    throw error
  }
}

function judge(found: readonly OtsAttestation[], headers: ReadonlyMap<bigint, BitcoinHeader>): AnchorStatus {
  const blocks = found.flatMap((attestation) => (attestation.kind === "bitcoin" ? [attestation] : []))
  if (blocks.length === 0) {
    const calendar = found.find(({ kind }) => kind === "pending")
    if (calendar?.kind !== "pending") return failedAnchor("it leads to no block")
    return { status: "pending", detail: `promised by ${quote(calendar.calendar)}, in no block yet` }
  }
  const wrong = blocks.find(({ height, message }) => {
    const header = headers.get(height)
    return header !== undefined && !equalBytes(header.merkleRoot, message)
  })
  if (wrong) return failedAnchor(`block ${wrong.height} has another Merkle root`)
  const known = blocks.flatMap(({ height }) => {
    const header = headers.get(height)
    return header ? [{ height, timeSec: header.timeSec }] : []
  })
  const [first, ...rest] = known
  if (!first) return { status: "unverified", detail: `the header of block ${blocks[0]?.height} was not supplied` }
  const lowest = rest.reduce((best, one) => (one.height < best.height ? one : best), first)
  return { status: "verified", timeSec: lowest.timeSec, detail: `in block ${lowest.height}` }
}

const MAGIC = concatBytes(
  Uint8Array.of(0),
  new TextEncoder().encode("OpenTimestamps"),
  Uint8Array.of(0, 0),
  new TextEncoder().encode("Proof"),
  Uint8Array.of(0, 0xbf, 0x89, 0xe2, 0xe8, 0x84, 0xe8, 0x92, 0x94),
)

const BITCOIN = "0588960d73d71901"
const PENDING = "83dfe30d2ef90c8e"

const SHA1 = 0x02
const RIPEMD160 = 0x03
const SHA256 = 0x08
const APPEND = 0xf0
const PREPEND = 0xf1
const REVERSE = 0xf2
const HEX = 0xf3
const ATTESTATION = 0x00
const FORK = 0xff

/** Every attestation in the proof `ots` of `artifact`. Throws PROOF_MALFORMED for what cannot be read to its end, HASH_MISMATCH for a proof
 *  of something else. */
export function readOts({
  artifact,
  ots,
  digest,
}: {
  artifact: Uint8Array
  ots: Uint8Array
  digest: OtherDigest
}): readonly OtsAttestation[] {
  if (ots.length > MAX_OTS_BYTES) throw malformed(`expected at most ${MAX_OTS_BYTES} bytes`)
  const reader = new OtsReader(ots, digest)
  if (!equalBytes(reader.take(MAGIC.length), MAGIC)) throw malformed("expected an OpenTimestamps proof")
  if (reader.takeVaruint() !== 1n) throw malformed("expected version 1")
  if (reader.takeByte() !== SHA256) throw malformed("expected a proof of a SHA-256 digest")
  const message = reader.take(32)
  if (!equalBytes(message, sha256(artifact))) throw new ToolsumError("HASH_MISMATCH", "the proof is about another head")
  reader.readNode(message, 0)
  reader.requireEnd()
  return reader.found
}

class OtsReader {
  readonly found: OtsAttestation[] = []
  private readonly bytes: Uint8Array
  private readonly digest: OtherDigest
  private at = 0
  private operations = 0

  constructor(bytes: Uint8Array, digest: OtherDigest) {
    this.bytes = bytes
    this.digest = digest
  }

  take(length: number): Uint8Array {
    const end = this.at + length
    if (end > this.bytes.length) throw malformed("the proof ends too early")
    const part = this.bytes.subarray(this.at, end)
    this.at = end
    return part
  }

  takeByte(): number {
    return this.take(1)[0] ?? 0
  }

  takeVaruint(): bigint {
    let value = 0n
    for (let i = 0; i < MAX_VARUINT_BYTES; i++) {
      const byte = this.takeByte()
      value |= BigInt(byte & 0x7f) << BigInt(7 * i)
      if (byte < 0x80) return value
    }
    throw malformed(`expected a number of at most ${MAX_VARUINT_BYTES} bytes`)
  }

  takeArgument(): Uint8Array {
    const length = this.takeVaruint()
    if (length > BigInt(MAX_MESSAGE_BYTES)) throw malformed(`expected at most ${MAX_MESSAGE_BYTES} bytes`)
    return this.take(Number(length))
  }

  requireEnd(): void {
    if (this.at !== this.bytes.length) throw malformed("expected the end of the proof")
  }

  /** A list of branches: each but the last is preceded by 0xff. */
  readNode(message: Uint8Array, depth: number): void {
    if (depth > MAX_OTS_DEPTH) throw malformed(`expected at most ${MAX_OTS_DEPTH} operations in a row`)
    for (;;) {
      const tag = this.takeByte()
      this.readBranch(tag === FORK ? this.takeByte() : tag, message, depth)
      if (tag !== FORK) return
    }
  }

  private readBranch(tag: number, message: Uint8Array, depth: number): void {
    if (tag === ATTESTATION) this.found.push(this.readAttestation(message))
    else this.readNode(this.apply(tag, message), depth + 1)
  }

  private apply(operation: number, message: Uint8Array): Uint8Array {
    if (++this.operations > MAX_OTS_OPERATIONS) throw malformed(`expected at most ${MAX_OTS_OPERATIONS} operations`)
    switch (operation) {
      case APPEND:
        return requireShort(concatBytes(message, this.takeArgument()))
      case PREPEND:
        return requireShort(concatBytes(this.takeArgument(), message))
      case REVERSE:
        return message.slice().reverse()
      case HEX:
        return requireShort(new TextEncoder().encode(formatHex(message)))
      case SHA256:
        return sha256(message)
      case SHA1:
        return this.digest("sha1", message)
      case RIPEMD160:
        return this.digest("ripemd160", message)
      default:
        throw malformed(`expected a known operation, got 0x${operation.toString(16).padStart(2, "0")}`)
    }
  }

  private readAttestation(message: Uint8Array): OtsAttestation {
    const tag = formatHex(this.take(8))
    const payload = new OtsReader(this.takeArgument(), this.digest)
    if (tag !== BITCOIN && tag !== PENDING) return { kind: "unknown", tag }
    const attestation: OtsAttestation =
      tag === BITCOIN
        ? { kind: "bitcoin", message, height: payload.takeVaruint() }
        : { kind: "pending", calendar: decodeUtf8(payload.takeArgument(), malformed) }
    payload.requireEnd()
    return attestation
  }
}

function requireShort(message: Uint8Array): Uint8Array {
  if (message.length > MAX_MESSAGE_BYTES) throw malformed(`expected messages of at most ${MAX_MESSAGE_BYTES} bytes`)
  return message
}
