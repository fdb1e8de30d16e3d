// Witnesses in memory for tests: a store whose swaps can be made to lose, and requests over the small trees of the log fixtures.
import { formatAddCheckpoint } from "../../src/core/add-checkpoint.js"
import { encodeUtf8, equalBytes } from "../../src/core/bytes.js"
import { splitHashes } from "../../src/core/merkle.js"
import { parseNote } from "../../src/core/note.js"
import type { WitnessService, WitnessStore } from "../../src/ports.js"
import type { Witness } from "../../src/writer/witness.js"
import { consistency, head, ORIGIN, rootOf, signer } from "../core/log-fixtures.js"

/** A store in memory; every call gives way to others, as a file system does. */
export function createMemoryWitnessStore(): WitnessStore & { readonly files: Map<string, Uint8Array>; swaps: number } {
  const files = new Map<string, Uint8Array>()
  const keyOf = (vkey: string, origin: string) => JSON.stringify([vkey, origin])
  const store = {
    files,
    swaps: 0,
    read: async (vkey: string, origin: string) => {
      await new Promise(setImmediate)
      return files.get(keyOf(vkey, origin)) ?? null
    },
    compareAndSwap: async (vkey: string, origin: string, expected: Uint8Array | null, next: Uint8Array) => {
      await new Promise(setImmediate)
      const now = files.get(keyOf(vkey, origin)) ?? null
      if (expected === null || now === null ? expected !== now : !equalBytes(now, expected)) return false
      store.swaps++
      files.set(keyOf(vkey, origin), next)
      return true
    },
  }
  return store
}

/** The body of a request of the fixtures' log: its tree of `size`, from `old`. */
export function requestBody(p: {
  old: number
  size: number
  note?: string
  proof?: readonly Uint8Array[]
}): Uint8Array {
  const { old, size } = p
  const joined = old > 0 && old < size ? consistency(old, size) : new Uint8Array(0)
  const proof = p.proof ?? splitHashes(joined, (why) => new Error(why) as never)
  const note = parseNote(p.note ?? head(ORIGIN, size, [signer(ORIGIN)], rootOf(size)))
  return formatAddCheckpoint({ old: BigInt(old), proof, note })
}

/** A witness as others reach it, without HTTP in between. */
export function serviceOf(witness: Witness): WitnessService {
  return {
    location: witness.key.name,
    addCheckpoint: async (body) => {
      const answer = await witness.addCheckpoint(body)
      const text = answer.status === 200 ? answer.lines.join("\n") : answer.status === 409 ? answer.size : answer.why
      const contentType = answer.status === 409 ? "text/x.tlog.size" : "text/plain"
      return { status: answer.status, contentType, body: encodeUtf8(`${text}\n`) }
    },
    latest: async (origin) => {
      const latest = await witness.latest(origin)
      return latest === null ? null : encodeUtf8(latest.note)
    },
  }
}
