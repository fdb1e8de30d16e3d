// What a crash leaves: the writer's storage fails for good at every operation of a short life, or the process is killed at every call of
// the file system. What is public then, and what is public after the log has been opened again, is a whole log for Go.
import { spawnSync } from "node:child_process"
import { cpSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { createFsStore } from "../../src/adapters/store-fs.js"
import { ToolsumError } from "../../src/core/errors.js"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import { type Acknowledged, openOrCreate, shortLife } from "../fakes/crash-scenario.js"
import { createFaultyStore, type Fault } from "../fakes/faulty-store.js"
import { makeTempFolder } from "../fakes/temp-folder.js"
import { reopen } from "../fakes/writer-fixtures.js"
import { describeShared } from "../shared.js"
import { expectWhole, makeFolderLog, writeFile } from "./logs.js"

const CHILD = fileURLToPath(new URL("../fakes/writer-child.mjs", import.meta.url))

/** Live until operation `at` and what it did until then. False when the life was over before that. */
async function dieAt(memory: MemoryStore, at: number, fault: Fault): Promise<boolean> {
  const faulty = createFaultyStore(memory, at, fault)
  const acknowledged: Acknowledged = { entries: new Map(), head: null }
  try {
    await shortLife(await openOrCreate(faulty, true), acknowledged)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
  }
  return faulty.failed()
}

async function writeLog({ files }: MemoryStore, folder: string): Promise<void> {
  for (const [key, bytes] of files) writeFile(join(folder, ...key.split("/")), bytes)
}

const sizeOf = ({ files }: MemoryStore): number =>
  Number(new TextDecoder().decode(files.get("public/checkpoint") ?? new Uint8Array()).split("\n")[1] ?? 0)

describeShared("checklog after a crash", () => {
  test.each<Fault>(["before", "after"])("%s each operation of the storage", async (fault) => {
    const base = await makeTempFolder()
    const checked = new Set<string>()
    for (let at = 0; ; at++) {
      const memory = createMemoryStore()
      const died = await dieAt(memory, at, fault)
      const served = await check(memory, join(base, `${at}`), checked)
      const isCommitted = [...memory.files.keys()].some((key) => key.startsWith("private/commits/"))
      const log = await openOrCreate(memory, !isCommitted)
      const opened = await check(memory, join(base, `${at}-opened`), checked)
      expect(opened).toBe(Number(log.head().size))
      expect(opened).toBeGreaterThanOrEqual(served)
      if (died) continue
      expect(checked.size).toBeGreaterThan(5)
      return
    }
  })

  test("a process killed at every call of the file system", async () => {
    const { folder: base } = await makeFolderLog(254)
    const root = await makeTempFolder()
    const checked = new Set<string>()
    const checkFolder = async (folder: string) => {
      const names = readdirSync(join(folder, "public"), { recursive: true, encoding: "utf8" }).sort()
      const name = `${names.join("\n")}\n${readFileSync(join(folder, "public/checkpoint"), "utf8")}`
      if (!checked.has(name)) await expectWhole(folder, { sample: 20 })
      checked.add(name)
    }
    for (let at = 0; ; at++) {
      const folder = join(root, `${at}`)
      cpSync(base, folder, { recursive: true })
      const child = spawnSync(process.execPath, [CHILD, folder, "short", "child", `${at}`], { encoding: "utf8" })
      await checkFolder(folder)
      await (await reopen(createFsStore(folder))).close()
      await checkFolder(folder)
      if (child.signal === "SIGKILL") continue
      expect(child.stderr).toBe("")
      expect(checked.size).toBeGreaterThan(5)
      return
    }
  })

  /** Check what is public, unless the very same was checked before. */
  async function check(memory: MemoryStore, folder: string, checked: Set<string>): Promise<number> {
    const size = sizeOf(memory)
    const content = [...memory.files]
      .filter(([key]) => key.startsWith("public/"))
      .map(([key, bytes]) => `${key} ${bytes.length}`)
    const name = content.sort().join("\n")
    if (size === 0 || checked.has(name)) return size
    checked.add(name)
    await writeLog(memory, folder)
    expect(await expectWhole(folder)).toBe(size)
    return size
  }
})
