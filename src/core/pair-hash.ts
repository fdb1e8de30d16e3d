// Node hashes in bulk (RFC 6962 §2.1): a row of joined hashes, of which each pair becomes the hash of its node. One at a time with
// `#crypto`, or four at a time in WebAssembly SIMD, which takes half the time but has to be compiled first. Both give the same bytes.
import { sha256Into } from "#crypto"
import { parseBase64 } from "./bytes.js"
import { ToolsumError } from "./errors.js"
import { HASH_BYTES } from "./hash.js"
import { ROW_ADDRESS, ROW_HASHES, SHA256_WASM } from "./sha256-wasm.js"

export { ROW_HASHES }

/** A row to fill, hash and read again at once: every user of the module shares it. */
export interface PairHasher {
  /** Room for `ROW_HASHES` joined hashes. */
  readonly row: Uint8Array
  /** Replace the first `pairs` pairs of `row` by their node hashes, joined from its start. What lies behind these is lost. */
  hashPairs(pairs: number): void
}

/** Below this many hashes in a process, compiling the module costs more than it saves. Measured. */
const WASM_FROM = 1024

let asked = 0
let plain: PairHasher | undefined
let best: PairHasher | undefined

/** The hasher for so many pairs more. */
export function choosePairHasher(pairs: number): PairHasher {
  asked += pairs
  if (asked >= WASM_FROM) best ??= createWasmPairHasher() ?? undefined
  if (best) return best
  plain ??= createPlainPairHasher()
  return plain
}

/** One pair after another. */
export function createPlainPairHasher(): PairHasher {
  const row = new Uint8Array(ROW_HASHES * HASH_BYTES)
  const node = new Uint8Array(1 + 2 * HASH_BYTES)
  node[0] = 1
  return {
    row,
    hashPairs: (pairs) => {
      for (let i = 0; i < pairs; i++) {
        node.set(row.subarray(2 * i * HASH_BYTES, 2 * (i + 1) * HASH_BYTES), 1)
        sha256Into(node, row, i * HASH_BYTES)
      }
    },
  }
}

/** What of WebAssembly is used here; the compiler's own types come with a browser's alone. */
export interface WasmApi {
  validate(bytes: Uint8Array): boolean
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

/** What scripts/sha256-wasm.mjs exports. `hashPairs` takes the bytes of the pairs, one or more, and does four pairs at a time. */
interface WasmExports {
  readonly memory: { readonly buffer: ArrayBuffer }
  hashPairs(bytes: number): void
}

const { WebAssembly: platform } = globalThis as { readonly WebAssembly?: WasmApi }

/** Four pairs at a time; null where there is no WebAssembly with SIMD, or compiling it is forbidden. */
export function createWasmPairHasher(wasm: WasmApi | null = platform ?? null): PairHasher | null {
  const bytes = parseBase64(SHA256_WASM, (why) => new ToolsumError("USAGE", why))
  if (!wasm?.validate(bytes)) return null
  const exported = instantiate(wasm, bytes)
  if (exported === null) return null
  const row = new Uint8Array(exported.memory.buffer, ROW_ADDRESS, ROW_HASHES * HASH_BYTES)
  return {
    row,
    hashPairs: (pairs) => {
      if (pairs > 0) exported.hashPairs(2 * pairs * HASH_BYTES)
    },
  }
}

function instantiate(wasm: WasmApi, bytes: Uint8Array): WasmExports | null {
  try {
    return new wasm.Instance(new wasm.Module(bytes)).exports as WasmExports // as the module was written
  } catch {
    return null // a page's content security policy
  }
}
