// Proof files both ways: ours are accepted by checkproof, those that Tessera's proof builder makes by verifyProofFile, and both write the same
// bytes; for every entry of small logs and some of a larger one. And what the command writes, from a log that the command made.
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createDirLog } from "../../src/adapters/log-dir.js"
import { openLogClient } from "../../src/client/open-log.js"
import { formatBase64 } from "../../src/core/bytes.js"
import { fingerprintOf } from "../../src/core/keyring.js"
import { parseKeyringText } from "../../src/core/keyring-text.js"
import { parseNote } from "../../src/core/note.js"
import { parsePolicy } from "../../src/core/policy.js"
import { formatProofFile, verifyProofFile } from "../../src/core/proof-file.js"
import { makeCliWorld, makeServer, tool } from "../fakes/cli-world.js"
import { MemoryState } from "../fakes/memory-state.js"
import { ORIGIN } from "../fakes/writer-fixtures.js"
import { describeShared } from "../shared.js"
import { expectWhole, makeFolderLog, VKEY, writeFile } from "./logs.js"
import { runTool, startTool } from "./tools.js"

const POLICY = `log ${VKEY}\nquorum none\n`

/** A reader of the log in `folder`, under its own root. */
async function openFolder(folder: string) {
  const source = createDirLog(folder)
  const fingerprint = fingerprintOf((await source.read("keyring/1", 16_384)) ?? "")
  const root = { dialect: "tlog-tiles" as const, name: null, fingerprint, floor: null, source: "flag" as const }
  return openLogClient({ source, roots: [root], state: new MemoryState(), clock: () => 0 })
}

describeShared("proof files", () => {
  const bothWays = async (folder: string, index: number) => {
    const client = await openFolder(folder)
    const policy = writeFile(join(folder, "policy"), POLICY)
    const { entry, proof } = await client.proveInclusion(BigInt(index))
    const parts = { index: BigInt(index), proof, checkpoint: client.headNote }
    const plain = formatProofFile({ ...parts, extra: null })
    const file = writeFile(join(folder, `${index}.tlog-proof`), formatProofFile({ ...parts, extra: entry }))
    const entryFile = writeFile(join(folder, `${index}.entry`), entry)

    const checked = await startTool("checkproof", [
      "--proof",
      file,
      "--entry",
      entryFile,
      "--policy",
      policy,
      "--origin",
      ORIGIN,
    ])
    expect(checked.code, JSON.stringify(checked.report)).toBe(0)
    const made = await startTool("makeproof", ["--log", join(folder, "public"), "--index", `${index}`])
    expect(new TextDecoder().decode(made.stdout)).toBe(plain)
    const proven = verifyProofFile({ file: made.stdout, entry, origin: ORIGIN, policy: parsePolicy(POLICY) })
    expect(proven.index).toBe(BigInt(index))
  }

  test.each([1, 2, 3, 4, 7, 8, 13])("of every entry of a log of %i entries", async (size) => {
    const { folder } = await makeFolderLog(size)
    for (let index = 0; index < size; index++) await bothWays(folder, index)
  })

  test("of entries around the borders of tiles", async () => {
    const { folder } = await makeFolderLog(70_000)
    for (const index of [0, 1, 255, 256, 257, 65_535, 65_536, 69_887, 69_888, 69_999]) await bothWays(folder, index)
  })

  test("under an earlier checkpoint", async () => {
    const { folder, kept } = await makeFolderLog(300, [5, 299])
    const log = join(folder, "public")
    for (const file of kept) {
      const { stdout } = runTool("makeproof", ["--log", log, "--index", "0", "--checkpoint", file])
      const entry = (await openFolder(folder).then((client) => client.proveInclusion(0n))).entry
      expect(verifyProofFile({ file: stdout, entry, origin: ORIGIN, policy: parsePolicy(POLICY) }).index).toBe(0n)
    }
  })

  test("both sides refuse another entry, another index, another origin and another key", async () => {
    const { folder } = await makeFolderLog(7)
    const client = await openFolder(folder)
    const { entry, proof } = await client.proveInclusion(3n)
    const other = (await client.proveInclusion(4n)).entry
    const text = formatProofFile({ extra: null, index: 3n, proof, checkpoint: client.headNote })
    const cases = [
      { file: text, entry: other, policy: POLICY, code: "INCLUSION_INVALID" },
      { file: text.replace("index 3", "index 4"), entry, policy: POLICY, code: "INCLUSION_INVALID" },
      { file: text.replace(ORIGIN, `${ORIGIN}x`), entry, policy: POLICY, code: "ORIGIN_MISMATCH" },
      { file: text, entry, policy: POLICY.replace(VKEY, OTHER_VKEY), code: "CONFIG_INVALID" },
    ]
    for (const { file, entry, policy, code } of cases) {
      const paths = [
        ["--proof", writeFile(join(folder, "p"), file)],
        ["--entry", writeFile(join(folder, "e"), entry)],
        ["--policy", writeFile(join(folder, "policy"), policy)],
      ]
      expect(runTool("checkproof", paths.flat()).code).toBe(1)
      expect(() => verifyProofFile({ file, entry, origin: ORIGIN, policy: parsePolicy(policy) })).toThrow(
        expect.objectContaining({ code }),
      )
    }
  })
})

const OTHER_VKEY = "shared.toolsum.test/log+f0837c47+ATPLDA8GIEqPjXT3bLwGprGqFfN5aNX5HPaBvHfgLFTO"

describeShared("a personal log made by the command", () => {
  describe("init, add, update", () => {
    test("is whole, and the proof files that the command writes are accepted", async () => {
      const world = await makeCliWorld()
      const server = makeServer(join(world.folder, "..", "lists.json"))
      await world.expect(0, "init")
      const { document } = await world.json("log", "path")
      const folder: string = document.log
      const keyring = parseKeyringText(parseNote((await createDirLog(folder).read("keyring/1", 16_384)) ?? "").text)
      const vkey = keyring.logs[0]?.key.vkey ?? ""
      expect(await expectWhole(folder, { vkey })).toBe(1)
      const first = writeFile(
        join(world.folder, "first"),
        (await createDirLog(folder).read("checkpoint", 65_536)) ?? "",
      )

      await world.expect(0, "add", "notes", "--", ...server.launch)
      server.say({ tools: [tool("search"), tool("find")] })
      await world.run("update", "notes")
      expect(await expectWhole(folder, { vkey, old: [first] })).toBe(3)

      const policy = writeFile(join(world.folder, "policy"), `log ${vkey}\nquorum none\n`)
      for (const index of ["0", "1", "2"]) {
        const proof = join(world.folder, `${index}.tlog-proof`)
        await world.expect(0, "log", "proof", index, "--out", proof)
        const { entry } = await (await openFolder(folder)).proveInclusion(BigInt(index))
        const entryFile = writeFile(join(world.folder, `${index}.entry`), entry)
        const { document } = await world.json("log", "cat", index)
        expect(document.data).toBe(formatBase64(entry))
        expect(runTool("checkproof", ["--proof", proof, "--entry", entryFile, "--policy", policy]).code).toBe(0)
      }
    })
  })
})
