// A process that appends to the log in a folder and tells on stdout, one JSON line each, what was acknowledged. Runs the built code.
//   node writer-child.mjs FOLDER create|short|many|endless [NAME] [KILL_AT]
// KILL_AT: it kills itself (SIGKILL) in place of that file system call, counted from 0.
import { writeSync } from "node:fs"
import { nodeFileOps } from "../../dist/adapters/file-ops.js"
import { createFsStore } from "../../dist/adapters/store-fs.js"
import { computeSigningKey } from "../../dist/core/vkey.js"
import { createLog } from "../../dist/writer/create.js"
import { openLog } from "../../dist/writer/log.js"

const [folder = "", mode = "", name = "child", killAt = "-1"] = process.argv.slice(2)
const origin = "toolsum.local/0123456789abcdef0123456789abcdef"
const signers = [computeSigningKey({ name: origin, seed: new Uint8Array(32).fill(1) })]
const rootSigners = [computeSigningKey({ name: `${origin}/root-a`, seed: new Uint8Array(32).fill(2) })]

let calls = 0
const counted =
  (call) =>
  async (...args) => {
    if (calls++ === Number(killAt)) {
      process.kill(process.pid, "SIGKILL")
      await new Promise(() => undefined)
    }
    return call(...args)
  }
const countedFile = (file) => ({ write: counted(file.write), sync: counted(file.sync), close: counted(file.close) })
const ops = Object.fromEntries(Object.entries(nodeFileOps).map(([key, call]) => [key, counted(call)]))
ops.open = counted(async (...args) => countedFile(await nodeFileOps.open(...args)))

const store = createFsStore(folder, { ops })
const log =
  mode === "create"
    ? await createLog({ store, origin, rootSigners, signers, clock: () => 1_796_083_200, archive: true, waitMs: 0 })
    : await openLog({ store, signers, waitMs: 0 })

const tell = (placed, entries) => {
  for (const [i, { index }] of placed.entries()) {
    writeSync(1, `${JSON.stringify({ index: `${index}`, entry: Buffer.from(entries[i]).toString("base64") })}\n`)
  }
}
let next = 0
const append = async (count) => {
  const entries = Array.from({ length: count }, () => Buffer.from(`${name} ${next++}`))
  for (;;) {
    try {
      tell(await log.appendEntries(entries), entries)
      return
    } catch (error) {
      if (error.code !== "LOG_BUSY") throw error
    }
  }
}

tell([{ index: 0n }], [(await log.prove(0n)).entry])
if (mode === "create") await append(1)
if (mode === "short") for (const count of [1, 3]) await append(count)
if (mode === "many") for (let i = 0; i < 25; i++) await append(1 + (i % 3))
if (mode === "endless") for (;;) await append(1 + (next % 40))
await log.close()
writeSync(1, `${JSON.stringify({ calls })}\n`)
