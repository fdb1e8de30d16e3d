// One flipped bit in any file that a log serves is refused, or harmless by design: signature lines that do not count, and the subject
// index, which may hide a record but never make one. Here a sample; bit-flips.slow.test.ts flips every bit.
import { beforeAll, describe, expect, test } from "vitest"
import { createVerifiedTree } from "../../src/client/tiles.js"
import { formatBundlePath, formatTilePath } from "../../src/core/tile.js"
import { createMemoryStore } from "../../src/writer/memory-store.js"
import { everyNth, type Flip, flipped } from "../core/flips.js"
import { tilesForSize } from "../core/tiles-for-size.js"
import { type CompleteLog, makeCompleteLog, memoryLog } from "../fakes/complete-log.js"
import { isLooseByte } from "../fakes/loose-signature.js"
import { newLog, rawEntry } from "../fakes/writer-fixtures.js"
import { type FlippedLog, flipLog } from "./flipped-log.js"

let log: CompleteLog
let flips: FlippedLog
beforeAll(async () => {
  log = await makeCompleteLog()
  flips = await flipLog(log.store.files, log.root, log.subjects)
})

const fileOf = (path: string): Uint8Array => log.store.files.get(path) ?? new Uint8Array()

test("a reader looks at every kind of file", () => {
  const kinds = new Set(
    [...flips.read].map((path) =>
      path
        .split("/")
        .slice(1, 3)
        .join("/")
        .replace(/\/[0-9a-f]+$/, ""),
    ),
  )
  expect([...kinds].sort()).toEqual(["checkpoint", "keyring", "objects", "subjects", "tile", "tile/entries"])
})

describe("flips of files that are read", () => {
  test("of tiles, bundles, keyrings and objects are refused", async () => {
    const bound = [...flips.read].filter((path) => /\/(?:tile|keyring|objects)\//.test(path))
    for (const path of bound) {
      for (const flip of everyNth(fileOf(path), 23)) {
        expect(await flips.outcome(path, flip), `${path} ${flip.at} ${flip.bit}`).toBe("refused")
      }
    }
  })

  test("of the checkpoint are refused, but for signature lines that do not count", async () => {
    const bytes = fileOf("public/checkpoint")
    const note = new TextDecoder().decode(bytes)
    for (const flip of everyNth(bytes, 5)) {
      const before = new TextDecoder().decode(bytes.subarray(0, flip.at))
      if ((await flips.outcome("public/checkpoint", flip)) !== "refused") expect(isLooseByte(note, before)).toBe(true)
    }
  })

  test("of the subject index hide records at most", async () => {
    for (const path of [...flips.read].filter((path) => path.startsWith("public/subjects/"))) {
      for (const flip of everyNth(fileOf(path), 1)) expect(await flips.outcome(path, flip)).not.toBe("refused")
    }
  })
})

describe("flips of full and partial tiles of a larger log", () => {
  const makeLarge = async () => {
    const store = createMemoryStore()
    const log = await newLog(store)
    await log.appendEntries(Array.from({ length: 300 }, (_, i) => rawEntry(i)))
    const { size, rootHash } = log.head()
    const treeWith = (path: string, flip: Flip) => {
      const file = store.files.get(`public/${path}`) ?? new Uint8Array()
      return createVerifiedTree(memoryLog(new Map([...store.files, [`public/${path}`, flipped(file, flip)]])), {
        size,
        rootHash,
      })
    }
    return { files: store.files, size, treeWith }
  }
  const refused = (code: string) => expect.objectContaining({ code })

  test("of every tile", async () => {
    const { files, size, treeWith } = await makeLarge()
    for (const ref of tilesForSize(size)) {
      const path = formatTilePath(ref)
      const nodes = [{ level: 8 * ref.level, index: 256n * ref.index }]
      for (const flip of everyNth(files.get(`public/${path}`) ?? new Uint8Array(), 211)) {
        await expect(treeWith(path, flip).readNodes(nodes)).rejects.toEqual(refused("HASH_MISMATCH"))
      }
    }
  })

  test("of every bundle", async () => {
    const { files, size, treeWith } = await makeLarge()
    for (const ref of [...tilesForSize(size)].filter(({ level }) => level === 0)) {
      const path = formatBundlePath(ref)
      for (const flip of everyNth(files.get(`public/${path}`) ?? new Uint8Array(), 211)) {
        const error = await treeWith(path, flip)
          .readEntries(ref.index)
          .catch((error: unknown) => error)
        expect([refused("HASH_MISMATCH"), refused("TILE_MALFORMED")]).toContainEqual(error)
      }
    }
  })
})
