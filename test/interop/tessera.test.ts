// Logs that Tessera makes here and now, read by our client: every entry, every pair of checkpoints that were kept. Such a log has no
// keyring: its checkpoint is verified under its key, as a policy names it. Kept logs of Tessera: ../client/vector-log.test.ts.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createDirLog } from "../../src/adapters/log-dir.js"
import { proveConsistency, proveInclusion } from "../../src/client/prove.js"
import { createVerifiedTree } from "../../src/client/tiles.js"
import { formatBase64 } from "../../src/core/bytes.js"
import { verifyCheckpoint } from "../../src/core/checkpoint.js"
import { parseVkey } from "../../src/core/vkey.js"
import { makeTempFolder } from "../fakes/temp-folder.js"
import { rawEntry } from "../fakes/writer-fixtures.js"
import { describeShared } from "../shared.js"
import { runTool } from "./tools.js"

describeShared("a log by Tessera", () => {
  test.each([
    [1, 1],
    [12, 1],
    [300, 50],
    [1000, 111],
  ])("of %i entries, a checkpoint after every %i", async (size, every) => {
    const entries = Array.from({ length: size }, (_, i) => (i === 1 ? new Uint8Array(0) : rawEntry(i)))
    const dir = join(await makeTempFolder(), "log")
    const input = entries.map((entry) => `${formatBase64(entry)}\n`).join("")
    const args = [
      "--dir",
      dir,
      "--entries",
      "-",
      "--checkpoint-every",
      `${every}`,
      "--seed",
      "ours",
      "--origin",
      "t.example/log",
    ]
    const { code, report, stderr } = runTool("makelog", args, input)
    expect(code, stderr).toBe(0)
    const key = parseVkey(String(report?.vkey))
    const headOf = (file: string) =>
      verifyCheckpoint({ note: readFileSync(file), origin: "t.example/log", keys: [key] }).checkpoint
    const source = createDirLog(dir)

    const newest = headOf(join(dir, "checkpoint"))
    expect(newest.size).toBe(BigInt(size))
    const tree = createVerifiedTree(source, newest)
    for (const [i, entry] of entries.entries()) expect((await proveInclusion(tree, BigInt(i))).entry).toEqual(entry)

    const heads = readdirSync(join(dir, "checkpoints")).map((name) => headOf(join(dir, "checkpoints", name)))
    expect(heads.length).toBeGreaterThanOrEqual(Math.floor(size / every))
    for (const newer of heads) {
      const own = createVerifiedTree(source, newer)
      for (const { size: older, rootHash } of heads.filter((head) => head.size <= newer.size)) {
        expect((await proveConsistency(own, older)).older.rootHash).toEqual(rootHash)
      }
    }
  })
})
