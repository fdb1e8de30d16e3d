// Logs in folders, made by the writer, for the Go tools to read.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect } from "vitest"
import { createFsStore } from "../../src/adapters/store-fs.js"
import { makeTempFolder } from "../fakes/temp-folder.js"
import { LOG_KEYS, newLog, rawEntry } from "../fakes/writer-fixtures.js"
import { startTool } from "./tools.js"

/** A log with its kept checkpoints. */
export interface FolderLog {
  readonly folder: string
  /** Files with the signed checkpoints of earlier sizes. */
  readonly kept: readonly string[]
}

/** The log key of the writer's fixtures. */
export const VKEY = LOG_KEYS[0]?.vkey ?? ""

/** A log of `size` entries: its keyring, then raw ones, appended in steps that end at each of `sizes`. */
export async function makeFolderLog(size: number, sizes: readonly number[] = []): Promise<FolderLog> {
  const folder = await makeTempFolder()
  const log = await newLog(createFsStore(folder))
  const kept: string[] = []
  const keep = () => {
    const { size, checkpoint } = log.head()
    kept.push(writeFile(join(folder, "kept", `${size}`), checkpoint))
  }
  keep()
  let at = 1
  for (const end of [...sizes.filter((one) => one > 1 && one < size), size]) {
    if (end <= at) continue
    await log.appendEntries(Array.from({ length: end - at }, (_, i) => rawEntry(at + i)))
    at = end
    keep()
  }
  expect(log.head().size).toBe(BigInt(size))
  await log.close()
  return { folder, kept: kept.slice(0, -1) }
}

/** Write a file, its folders first; returns its path. */
export function writeFile(path: string, bytes: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, bytes)
  return path
}

/** Let four Go implementations check a log; all must agree that it is whole. Returns the size that they saw. */
export async function expectWhole(
  folder: string,
  { vkey = VKEY, old = [], sample }: { vkey?: string; old?: readonly string[]; sample?: number } = {},
): Promise<number> {
  const args = ["--log", join(folder, "public"), "--vkey", vkey, ...old.flatMap((file) => ["--old", file])]
  const { code, report, stderr } = await startTool(
    "checklog",
    sample === undefined ? args : [...args, "--sample", `${sample}`],
  )
  expect(code, `${JSON.stringify(report, null, 1)}${stderr}`).toBe(0)
  return Number(report?.size)
}
