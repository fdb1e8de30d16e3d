// A TileStore that fails at one operation, and then for good, as if the process had died there or the disk had.

import { formatHex } from "../../src/core/bytes.js"
import { parseCheckpoint } from "../../src/core/checkpoint.js"
import { ToolsumError } from "../../src/core/errors.js"
import { parseNote } from "../../src/core/note.js"
import type { TileStore } from "../../src/ports.js"
import { parseCommit } from "../../src/writer/commit.js"

/** "before": the operation does nothing; "after": it takes effect and its answer is lost. */
export type Fault = "before" | "after"

/** A store and how many operations it has seen. */
export interface FaultyStore extends TileStore {
  readonly operations: () => number
  readonly failed: () => boolean
}

/** `inner`, failing at operation `at` (from 0; never when it is negative) and at every later one. */
export function createFaultyStore(inner: TileStore, at: number, fault: Fault): FaultyStore {
  let count = 0
  const failed = () => at >= 0 && count > at
  const failure = () => new ToolsumError("IO_FAILED", `injected at operation ${at}`)
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    const own = count++
    if (at < 0 || own < at) return work()
    if (own === at && fault === "after") await work()
    throw failure()
  }
  return {
    read: (key, maxBytes) => run(() => inner.read(key, maxBytes)),
    create: (key, bytes) => run(() => inner.create(key, bytes)),
    replace: (key, bytes) => run(() => inner.replace(key, bytes)),
    remove: (key) => run(() => inner.remove(key)),
    list: (prefix) => run(() => inner.list(prefix)),
    operations: () => count,
    failed,
  }
}

/** `inner`, remembering every checkpoint that is committed or published. */
export function createRecordingStore(inner: TileStore): TileStore & { readonly heads: Map<string, Set<string>> } {
  const heads = new Map<string, Set<string>>()
  const note = (text: string) => {
    const { size, rootHash } = parseCheckpoint(parseNote(text).text)
    const roots = heads.get(`${size}`) ?? new Set()
    roots.add(formatHex(rootHash))
    heads.set(`${size}`, roots)
  }
  return {
    ...inner,
    heads,
    create: async (key, bytes) => {
      const made = await inner.create(key, bytes)
      if (made && key.startsWith("private/commits/")) note(parseCommit(bytes).checkpoint)
      return made
    },
    replace: async (key, bytes) => {
      if (key === "public/checkpoint") note(new TextDecoder().decode(bytes))
      await inner.replace(key, bytes)
    },
  }
}
