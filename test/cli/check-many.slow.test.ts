// `check` of many servers: side by side, one package at a time, questions first, and every pin gets its answer in the order of the lockfile.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type CliWorld, makeCliWorld, makeServer, tool } from "../fakes/cli-world.js"

const LISTED = new URL("../fixtures/servers/listed.mjs", import.meta.url).href

/** A server that runs `before` and then is one with a list. */
function makeWaiting(world: CliWorld, name: string, before: string): readonly string[] {
  const lists = join(world.folder, "..", `${name}.lists`)
  makeServer(lists)
  const file = join(world.folder, "..", `${name}.mjs`)
  const serve = `process.argv[2] = ${JSON.stringify(lists)}\nawait import(${JSON.stringify(LISTED)})\n`
  writeFileSync(
    file,
    `import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"\n${before}\n${serve}`,
  )
  return ["node", file]
}

const answers = async (world: CliWorld, ...argv: readonly string[]) => {
  const { code, document } = await world.json("check", ...argv)
  return {
    code,
    servers: document.servers.map((one: { name: string; verdict: string }) => `${one.name} ${one.verdict}`),
  }
}

describe("several servers", () => {
  test("are read side by side: each waits until the other has started", async () => {
    const world = await makeCliWorld()
    const meeting = join(world.folder, "..", "meeting")
    const meet = (own: string, other: string) => `
      if (existsSync(${JSON.stringify(meeting)})) {
        writeFileSync(${JSON.stringify(join(meeting, own))}, "")
        for (let i = 0; i < 400 && !existsSync(${JSON.stringify(join(meeting, other))}); i++)
          await new Promise((resolve) => setTimeout(resolve, 50))
        if (!existsSync(${JSON.stringify(join(meeting, other))})) process.exit(1)
      }`
    const [a, b] = [makeWaiting(world, "a", meet("a", "b")), makeWaiting(world, "b", meet("b", "a"))]
    await world.expect(0, "add", "first", "--", ...a)
    await world.expect(0, "add", "second", "--", ...b)
    mkdirSync(meeting)
    expect(await answers(world)).toEqual({ code: 0, servers: ["first UNCHANGED", "second UNCHANGED"] })
    rmSync(meeting, { recursive: true })
    // In the order in which they were typed, where they were.
    expect((await answers(world, "second", "first")).servers).toEqual(["second UNCHANGED", "first UNCHANGED"])
  })

  test("of one package are started one after the other", async () => {
    const world = await makeCliWorld()
    const turns = join(world.folder, "..", "turns")
    mkdirSync(turns)
    const alone = `
      const alive = readdirSync(${JSON.stringify(turns)}).filter((pid) => {
        try { process.kill(Number(pid), 0); return true } catch { return false }
      })
      if (alive.length > 0) process.exit(1)
      writeFileSync(${JSON.stringify(turns)} + "/" + process.pid, "")
      await new Promise((resolve) => setTimeout(resolve, 200))`
    const [node, file] = makeWaiting(world, "package", alone)
    const bin = join(world.folder, "..", "bin")
    mkdirSync(bin)
    writeFileSync(join(bin, "npx"), `#!/bin/sh\nexec ${node} '${file}'\n`, { mode: 0o755 })
    world.env.PATH = `${bin}:${process.env.PATH}`
    const names = ["one", "two", "three"]
    for (const name of names) await world.expect(0, "add", name, "--", "npx", "-y", "@acme/notes@1.2.3", name)
    expect(await answers(world)).toEqual({ code: 0, servers: ["one UNCHANGED", "three UNCHANGED", "two UNCHANGED"] })
  })

  test("one that fails hides no other, and all answers are counted", async () => {
    const world = await makeCliWorld()
    const servers = ["a", "b", "c", "d", "e"].map((name) => {
      const server = makeServer(join(world.folder, "..", `${name}.json`))
      return { name, server }
    })
    for (const { name, server } of servers) await world.expect(0, "add", name, "--", ...server.launch)
    servers[0]?.server.say({ fail: true })
    servers[2]?.server.say({ tools: [tool("other")] })
    const { code, document } = await world.json("check")
    expect(code).toBe(1)
    expect(document.counts).toMatchObject({ UNCHANGED: 3, CHANGED: 1, UNKNOWN: 1 })
    expect(document.servers.map((one: { verdict: string }) => one.verdict)).toEqual([
      "UNKNOWN",
      "UNCHANGED",
      "CHANGED",
      "UNCHANGED",
      "UNCHANGED",
    ])
  })

  test("are all asked about before any is started, and one that is refused stops no other", async () => {
    const world = await makeCliWorld()
    const servers = ["a", "b"].map((name) => makeServer(join(world.folder, "..", `${name}.json`)))
    for (const [i, server] of servers.entries()) await world.expect(0, "add", `${"ab"[i]}`, "--", ...server.launch)
    rmSync(join(world.home, "config", "consent.json"))
    for (const name of ["a", "b"]) rmSync(join(world.folder, "..", `${name}.json.starts`))
    world.ask = (question) => {
      for (const name of ["a", "b"]) expect(existsSync(join(world.folder, "..", `${name}.json.starts`))).toBe(false)
      return question.includes("a.json") ? "no" : "yes"
    }
    const { document } = await world.json("check")
    expect(world.questions).toHaveLength(2)
    expect(
      document.servers.map(({ verdict, reason }: { verdict: string; reason: string | null }) => [verdict, reason]),
    ).toEqual([
      ["UNKNOWN", "target_not_accepted"],
      ["UNCHANGED", null],
    ])
  })
})

test("progress of several is one line on a terminal, and goes away", async () => {
  const world = await makeCliWorld()
  for (const name of ["a", "b"])
    await world.expect(0, "add", name, "--", ...makeServer(join(world.folder, "..", `${name}.json`)).launch)
  const { io, out } = world.io({ progress: true })
  const { main } = await import("../../src/cli/main.js")
  expect(await main(["check"], io)).toBe(0)
  expect(out.stderr).toContain("checking 1 of 2: a, b …")
  expect(out.stderr).toMatch(/\r\u001b\[2K$/)
  expect(out.stderr).not.toContain("\n")
})
