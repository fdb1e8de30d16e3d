// The fast part of the matrix: every lie to `check`, and no damage of one's own files is called a fork in words. The rest is slow.
import { beforeAll, describe, expect, test } from "vitest"
import { startHostileServer } from "../../src/cli/hostile-server.js"
import { LIES, tellLie } from "../../src/features/hostile/lies.js"
import { type HonestWorld, makeHonestWorld } from "../../src/features/hostile/world.js"
import { COLUMNS, makeClient } from "./columns.js"
import { expectCells, readMatrix, tellTo } from "./matrix.js"

const NOW = 1_796_083_200n
/** These wait for a server that does not answer. */
const SLOW: readonly string[] = ["http-drip", "http-stall", "http-failing", "http-endless", "http-bomb"]
const CHECK = COLUMNS.filter(({ name }) => name === "check")

let world: HonestWorld
beforeAll(async () => {
  world = await makeHonestWorld({ nowSec: NOW })
})

describe("check, told", () => {
  test.each(LIES.filter(({ name }) => !SLOW.includes(name)))("$name", async (lie) => {
    expectCells(lie, await tellTo(lie, world, CHECK), readMatrix())
  })
})

describe("nobody is accused of a fork for", () => {
  const lies = LIES.filter(({ kind, name }) => kind === "damage" || name === "tile-truncated" || name === "delayed-put")
  test.each(lies)("$name", async (lie) => {
    const draft = tellLie(lie, world)
    const server = await startHostileServer(draft, { host: "127.0.0.1", port: 0 })
    const client = await makeClient({ lie, draft, url: server.url })
    const said = await Promise.all([client.run("check", "--log-only"), client.run("update", "--proofs")])
    await server.close()
    for (const { stdout, stderr } of said) expect(stdout + stderr).not.toMatch(/fork|rollback|LOG_INCONSISTENT/)
  })
})

test("a frozen log is noticed where an age is asked for", async () => {
  const lie = LIES.find(({ name }) => name === "freeze")
  if (lie === undefined) throw new Error("there is a lie called freeze")
  const draft = tellLie(lie, world)
  const server = await startHostileServer(draft, { host: "127.0.0.1", port: 0 })
  const client = await makeClient({ lie, draft, url: server.url })
  const { code, document } = await client.json("check", "--log-only", "--max-age", "86400")
  await server.close()
  expect([code, document.servers[0].verdict, document.servers[0].reason]).toEqual([2, "UNKNOWN", "log_behind"])
})
