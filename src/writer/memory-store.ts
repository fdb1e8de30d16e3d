// A TileStore in memory: for tests of the writer, and for logs that are made to be looked at and thrown away.
import { ToolsumError } from "../core/errors.js"
import type { TileStore } from "../ports.js"

/** The store and what is in it. */
export interface MemoryStore extends TileStore {
  readonly files: Map<string, Uint8Array>
}

/** A store that holds copies of `files`. Each call takes effect in one step, after one turn of the event loop at most. */
export function createMemoryStore(files: ReadonlyMap<string, Uint8Array> = new Map()): MemoryStore {
  const map = new Map([...files].map(([key, bytes]) => [key, bytes.slice()]))
  return {
    files: map,
    async read(key, maxBytes = Number.POSITIVE_INFINITY) {
      const bytes = map.get(key)
      if (bytes !== undefined && bytes.length > maxBytes) throw new ToolsumError("IO_FAILED", "too long")
      return bytes?.slice() ?? null
    },
    async create(key, bytes) {
      if (map.has(key)) return false
      map.set(key, bytes.slice())
      return true
    },
    async replace(key, bytes) {
      map.set(key, bytes.slice())
    },
    async remove(key) {
      map.delete(key)
    },
    async list(prefix) {
      const below = [...map.keys()].filter((key) => key.startsWith(`${prefix}/`))
      return [...new Set(below.map((key) => key.slice(prefix.length + 1).split("/")[0] ?? ""))].sort()
    },
  }
}
