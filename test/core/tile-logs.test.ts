// Logs made by others (Tessera; an independent Python implementation): rebuilt byte for byte from their entries, and the roots
// that their checkpoints sign come out of the plain definition, of the right edge and of the tiles.
import { readdirSync, readFileSync, statSync } from "node:fs"
import { expect, test } from "vitest"
import { formatBase64, parseBase64, parseDecimal } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { hashLeaf } from "../../src/core/hash.js"
import { computeTreeHash } from "../../src/core/merkle-tree.js"
import { parseBundlePath, parseTilePath } from "../../src/core/tile.js"
import { describeShared, hasShared, readShared, sharedPath } from "../shared.js"
import { entriesOf, type Files, isWhole, tileLog } from "./tiled-log.js"

const bad = (why: string) => new ToolsumError("CHECKPOINT_MALFORMED", why)

/** Files below tile/ of a log, by path. */
function readTiles(folder: string): Files {
  const names = readdirSync(sharedPath(`${folder}/tile`), { recursive: true }).map((name) => `tile/${String(name)}`)
  const files = names.filter((name) => statSync(sharedPath(`${folder}/${name}`)).isFile())
  return new Map(files.map((name) => [name, new Uint8Array(readFileSync(sharedPath(`${folder}/${name}`)))]))
}

/** Tree heads of a folder of checkpoints: size and root are lines 2 and 3. */
const readHeads = (folder: string): { size: bigint; root: string }[] =>
  readdirSync(sharedPath(folder)).map((name) => {
    const [, size = "", root = ""] = readShared(`${folder}/${name}`).split("\n")
    return { size: parseDecimal(size, bad), root }
  })

const logs = [
  ...["5", "300", "1000"].map((n) => ({ name: `interop/vectors/logs/${n}`, tiles: "", entries: true })),
  { name: "vectors/toolsum/log", tiles: "/public", entries: false },
]

describeShared("logs made by others", () => {
  for (const { name, tiles, entries: listed } of hasShared ? logs : []) {
    const files = readTiles(`${name}${tiles}`)
    const heads = readHeads(`${name}/checkpoints`)
    const newest = BigInt(Math.max(...heads.map(({ size }) => Number(size))))
    const entries = listed
      ? readShared(`${name}/entries.b64`)
          .replace(/\n$/, "")
          .split("\n")
          .map((line) => parseBase64(line, bad))
      : entriesOf(files, newest)

    test(`${name}: tiles and bundles of every checkpoint are rebuilt byte for byte, and no file is left over`, () => {
      const sizes = heads.map(({ size }) => Number(size))
      const rebuilt = tileLog(entries, sizes)
      expect([...rebuilt.files.keys()].toSorted()).toEqual([...files.keys()].toSorted())
      for (const [path, bytes] of rebuilt.files) expect(files.get(path)).toEqual(bytes)
      for (const { size, root } of heads) {
        expect(formatBase64(rebuilt.roots.get(Number(size)) ?? new Uint8Array(0))).toBe(root)
      }
    })

    test(`${name}: every checkpoint's root comes out of its bundles and tiles`, () => {
      const leaves = entriesOf(files, newest).map(hashLeaf)
      for (const { size, root } of heads) {
        const rootHash = parseBase64(root, bad)
        expect(computeTreeHash(leaves.slice(0, Number(size)))).toEqual(rootHash)
        expect(isWhole(files, { size, rootHash })).toBe(true)
      }
    })

    test(`${name}: every path is in its one spelling`, () => {
      for (const path of files.keys()) {
        expect(path.startsWith("tile/entries/") ? parseBundlePath(path) : parseTilePath(path)).toBeTruthy()
      }
    })
  }
})
