// Logs that Tessera made, rebuilt from their entries by the writer's own steps: the same bundles and tiles, byte for byte, and the roots
// that the kept checkpoints sign, in both of the writer's ways.
import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { parseBase64 } from "../../src/core/bytes.js"
import { type Checkpoint, verifyCheckpoint } from "../../src/core/checkpoint.js"
import { ToolsumError } from "../../src/core/errors.js"
import { parsePolicy } from "../../src/core/policy.js"
import { parseVkey } from "../../src/core/vkey.js"
import { type Edge, EMPTY_EDGE, extendEdge } from "../../src/writer/edge.js"
import { recomputeHead } from "../../src/writer/second-root.js"
import { describeShared, readShared, sharedPath } from "../shared.js"

const LOGS = "interop/vectors/logs"
const bad = (why: string) => new ToolsumError("USAGE", why)

interface Keys {
  readonly log: { readonly name: string; readonly vkey: string }
  readonly witnesses: readonly { readonly name: string; readonly vkey: string }[]
}

/** Kept checkpoints by size, each signed by the log and three of five witnesses. */
function readHeads(log: string): readonly Checkpoint[] {
  const { log: key, witnesses }: Keys = JSON.parse(readShared("interop/vectors/keys.json"))
  const lines = witnesses.map(({ vkey }, i) => `witness w${i} ${vkey}\n`)
  const policy = parsePolicy(`${lines.join("")}group three 3 ${lines.map((_, i) => `w${i}`).join(" ")}\nquorum three\n`)
  const folder = `${LOGS}/${log}/checkpoints`
  const heads = readdirSync(sharedPath(folder)).map((name) => {
    const note = readShared(`${folder}/${name}`)
    return verifyCheckpoint({ note, origin: key.name, keys: [parseVkey(key.vkey)], policy }).checkpoint
  })
  return heads.sort((a, b) => Number(a.size - b.size))
}

describeShared("logs by Tessera, step by step", () => {
  test.each(["5", "300", "1000"])("%s entries", async (log) => {
    const lines = readShared(`${LOGS}/${log}/entries.b64`).replace(/\n$/, "").split("\n")
    const entries = lines.map((line) => parseBase64(line, bad))
    const files = new Map<string, Uint8Array>()
    let edge: Edge = EMPTY_EDGE
    for (const head of readHeads(log)) {
      const before = edge.head.size
      if (head.size === before) continue
      const step = extendEdge(edge, entries.slice(Number(before), Number(head.size)))
      const read = async (key: string) => files.get(key) ?? null
      const staging = { oldSize: before, newSize: head.size, files: step.files }
      expect(step.edge.head.rootHash).toEqual(head.rootHash)
      expect((await recomputeHead(read, staging)).rootHash).toEqual(head.rootHash)
      for (const { key, bytes } of step.files) files.set(key, bytes)
      edge = step.edge
    }
    expect(edge.head.size).toBe(BigInt(entries.length))
    const names = readdirSync(sharedPath(`${LOGS}/${log}/tile`), { recursive: true, withFileTypes: true })
    const stored = names.filter((name) => name.isFile()).map((name) => `${name.parentPath}/${name.name}`)
    const prefix = sharedPath(`${LOGS}/${log}`).length + 1
    expect([...files.keys()].sort()).toEqual(stored.map((path) => `public/${path.slice(prefix)}`).sort())
    for (const path of stored) {
      expect(files.get(`public/${path.slice(prefix)}`)).toEqual(new Uint8Array(readFileSync(path)))
    }
  })
})
