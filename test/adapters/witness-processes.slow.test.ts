// Witnesses as processes of their own, on one folder: whoever is killed when, no two trees of one size are cosigned, and none goes back.
import { type ChildProcess, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createHttpWitness } from "../../src/adapters/witness-http.js"
import { formatHex } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { type Hash, sha256 } from "../../src/core/hash.js"
import { formatSigningKey } from "../../src/core/vkey.js"
import { bytesOf, head, ORIGIN, rootOf, signer, verifier } from "../core/log-fixtures.js"
import { buildCli } from "../fakes/built-cli.js"
import { makeTempFolder } from "../fakes/temp-folder.js"
import { requestBody } from "../fakes/witness-fixtures.js"

const LOG = signer(ORIGIN)
let build: string
let bin: string
beforeAll(async () => {
  build = await mkdtemp(join(tmpdir(), "toolsum-witness-"))
  bin = await buildCli(build)
})
afterAll(() => rm(build, { recursive: true, force: true }))

interface Started {
  readonly child: ChildProcess
  readonly url: string
  readonly ended: Promise<number | null>
}

async function start(folder: string): Promise<Started> {
  const args = [
    "witness",
    "--json",
    "--key",
    join(folder, "w.key"),
    "--log",
    verifier(LOG).vkey,
    "--state",
    join(folder, "state"),
  ]
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH, TOOLSUM_HOME: join(folder, "home") },
  })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const text = await new Promise<string>((resolve, reject) => {
    let said = ""
    child.stdout?.on("data", (part) => {
      said += part
      if (said.trimEnd().endsWith("}")) resolve(said)
    })
    child.once("close", () => reject(new Error("ended at once")))
  })
  return { child, url: JSON.parse(text).url, ended }
}

async function makeFolder(): Promise<string> {
  const folder = await makeTempFolder()
  writeFileSync(join(folder, "w.key"), `${formatSigningKey(signer("w.example"))}\n`, { mode: 0o600 })
  return folder
}

/** Everything that was answered with a cosignature. */
class Answered {
  readonly roots = new Map<number, Set<string>>()
  largest = 0
  count = 0
  add(size: number, rootHash: Hash): void {
    this.roots.set(size, (this.roots.get(size) ?? new Set()).add(formatHex(rootHash)))
    this.count++
    this.largest = Math.max(this.largest, size)
  }
}

/** Ask for a tree, true or forked, from wherever the witness says that it is. False when nobody answers. */
async function submit(url: string, tree: { size: number; rootHash: Hash }, answered: Answered): Promise<boolean> {
  const client = createHttpWitness(url, { env: {}, timeoutMs: 5_000 })
  const note = head(ORIGIN, tree.size, [LOG], tree.rootHash)
  let old = 0
  try {
    for (let asked = 0; asked < 10; asked++) {
      const reply = await client.addCheckpoint(requestBody({ old, size: tree.size, note }))
      if (reply.status === 200) answered.add(tree.size, tree.rootHash)
      if (reply.status !== 409) return true
      old = Number(new TextDecoder().decode(reply.body))
      if (old > tree.size) return true
    }
    return true
  } catch (error) {
    if (error instanceof ToolsumError) return false
    throw error
  } finally {
    await client.close()
  }
}

const treeOf = (i: number, spread: number) => {
  const size = 1 + (i % spread)
  return { size, rootHash: i % 3 === 0 ? sha256(bytesOf(`fork ${i}`)) : rootOf(size) }
}

const expectOneHistory = (answered: Answered): void => {
  for (const [size, roots] of answered.roots) expect([size, roots.size]).toEqual([size, 1])
}

test("two processes, a hundred submissions at once", async () => {
  const folder = await makeFolder()
  const both = [await start(folder), await start(folder)]
  const answered = new Answered()
  try {
    await Promise.all(Array.from({ length: 100 }, (_, i) => submit(both[i % 2]?.url ?? "", treeOf(i, 25), answered)))
    expectOneHistory(answered)
    expect(answered.largest).toBeGreaterThan(0)
    // Both know where they are: one size for all, and nobody takes a step back.
    const sizes = both.map(async ({ url }) => {
      const client = createHttpWitness(url, { env: {} })
      const latest = await client.latest(ORIGIN).finally(() => client.close())
      return Number(new TextDecoder().decode(latest ?? undefined).split("\n")[1])
    })
    expect(await Promise.all(sizes)).toEqual([answered.largest, answered.largest])
  } finally {
    for (const { child } of both) child.kill("SIGTERM")
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0])
  }
}, 120_000)

test("killed again and again while it works: what it has answered, the next one knows", async () => {
  const folder = await makeFolder()
  const answered = new Answered()
  for (let life = 0; life < 6; life++) {
    const { child, url, ended } = await start(folder)
    const work = Promise.all(
      Array.from({ length: 30 }, (_, i) => submit(url, treeOf(30 * life + i, 20 * (life + 1)), answered)),
    )
    // In the middle of the work: after the first cosignatures of this life, or when nobody gets any.
    const enough = answered.count + 1 + (life % 3)
    let isOver = false
    void work.then(() => {
      isOver = true
    })
    while (!isOver && answered.count < enough) await new Promise((resolve) => setTimeout(resolve, 1))
    child.kill("SIGKILL")
    await ended
    await work
    expectOneHistory(answered)
  }
  const last = await start(folder)
  try {
    const client = createHttpWitness(last.url, { env: {} })
    const latest = await client.latest(ORIGIN).finally(() => client.close())
    expect(Number(new TextDecoder().decode(latest ?? undefined).split("\n")[1])).toBeGreaterThanOrEqual(
      answered.largest,
    )
    expect(answered.largest).toBeGreaterThan(0)
  } finally {
    last.child.kill("SIGINT")
    expect(await last.ended).toBe(0)
  }
}, 120_000)
