// Values of variables never leave: not to stdout or stderr, not into lockfile, definitions, log, trust, consent or state, even when a server
// prints all it was given and fails (DESIGN 5 and 10).
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import {
  type CliWorld,
  type Document,
  type ListedServer,
  makeCliWorld,
  makeServer,
  type Outcome,
  tool,
} from "../fakes/cli-world.js"
import { type Handler, route, say, sayJson, serveHttp } from "../fixtures/servers/http-server.js"

const PEM = Array.from({ length: 200 }, (_, i) => `${i}`.padStart(64, "k"))
const VALUES = {
  API_KEY: "geheim-9f8e7d6c5b4a",
  QUOTED: 'a "quoted" \\ value',
  Z_PEM: PEM.join("\n"),
  TOKEN: "zugang-1a2b3c4d5e6f",
  WIDE: "breites-geheimnis/".repeat(2000),
}
// Every line of a value of several lines is one to keep.
const SECRETS = Object.values(VALUES)
  .flatMap((value) => value.split("\n").filter((line) => line.length > 8))
  .concat("breites-geheimnis/breites-geheimnis/")

/** A world with the values set, and a server that gets all of them. */
async function makeSecretWorld(lists?: Document): Promise<{ world: CliWorld; server: ListedServer; words: string[] }> {
  const world = await makeCliWorld()
  Object.assign(world.env, VALUES)
  const server = makeServer(join(world.folder, "..", "lists.json"), lists)
  const env = ["API_KEY", "QUOTED", "TOKEN", "WIDE", "Z_PEM"].flatMap((name) => ["--env", name])
  return { world, server, words: [...env, "--", ...server.launch, "--auth=${TOKEN}"] }
}

function expectNoSecret(text: string, where: string): void {
  const found = SECRETS.filter((secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)))
  expect(found, where).toEqual([])
}

/** Neither in what was said nor in any file below the world's folders. */
function expectKept(world: CliWorld, outcomes: readonly Outcome[]): void {
  for (const { stdout, stderr } of outcomes) expectNoSecret(stdout + stderr, "output")
  const base = join(world.folder, "..")
  const files = readdirSync(base, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(base, name)).isFile(),
  )
  for (const name of files) expectNoSecret(readFileSync(join(base, name), "latin1"), name)
}

/** The same command line for people, for programs, and with everything explained. */
async function runAllWays(world: CliWorld, command: string, words: readonly string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const option of [[], ["--json"]]) outcomes.push(await world.run(command, ...option, ...words))
  return outcomes
}

const FAILURES = [
  { name: "prints them and ends", lists: { fail: true, tools: [] } },
  { name: "prints them as JSON and ends", lists: { fail: "json", tools: [] } },
  { name: "prints a long value without an end of line", lists: { fail: "WIDE", tools: [] } },
  { name: "answers with them as an error", lists: { refuse: true, tools: [tool("a")] } },
]

test.each(FAILURES)("add, when the server $name", async ({ lists }) => {
  const { world, server, words } = await makeSecretWorld(lists)
  const outcomes = await runAllWays(world, "add", ["notes", ...words])
  expect(outcomes.map(({ code }) => code)).toEqual([2, 2])
  expect(server.starts()[0]?.env).toEqual(expect.arrayContaining(Object.keys(VALUES)))
  if (lists.fail !== "WIDE") expect(outcomes[0]?.stderr).toContain("${")
  expectKept(world, outcomes)
})

test.each(FAILURES)("check and update, when the server $name", async ({ lists }) => {
  const { world, server, words } = await makeSecretWorld()
  const outcomes = [await world.run("add", "notes", ...words)]
  outcomes.push(await world.run("check"))
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0])
  server.say(lists)
  for (const words of [
    ["check", "--explain"],
    ["check", "--json"],
    ["update", "notes"],
    ["update", "notes", "--json"],
  ])
    outcomes.push(await world.run(...words))
  expect(outcomes.slice(2).map(({ code }) => code)).toEqual([2, 2, 2, 2])
  for (const words of [["show"], ["show", "--json"], ["verify", "--json"]]) outcomes.push(await world.run(...words))
  expectKept(world, outcomes)
})

test("names are kept, values are not", async () => {
  const { world, words } = await makeSecretWorld()
  await world.expect(0, "add", "notes", ...words)
  const { target, record } = (await world.readLock()).servers.notes
  expect(target.env).toEqual(["API_KEY", "QUOTED", "TOKEN", "WIDE", "Z_PEM"])
  expect(target.args.at(-1)).toBe("--auth=${TOKEN}")
  expect(record).toContain("\nprofile env:API_KEY+env:QUOTED+env:TOKEN+env:WIDE+env:Z_PEM\n")
})

test("a variable that is not set is named", async () => {
  const { world, words } = await makeSecretWorld()
  world.env.TOKEN = undefined
  const { stderr } = await world.expect(2, "add", "notes", ...words)
  expect(stderr).toContain("missing: TOKEN")
  world.env.TOKEN = VALUES.TOKEN
  await world.expect(0, "add", "notes", ...words)
  world.env.TOKEN = ""
  const { document } = await world.json("check")
  expect(document.servers[0]).toMatchObject({ verdict: "AUTH", reason: "missing: TOKEN" })
})

test("a placeholder in a header stays one though a token could be had, until the token is asked for", async () => {
  const answer = (result: object): Handler => {
    return (hit, ...rest) => sayJson({ jsonrpc: "2.0", id: hit.rpc?.id, result })(hit, ...rest)
  }
  const server = await serveHttp(
    route({
      initialize: answer({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: {} }),
      "notifications/initialized": say(202),
      "tools/list": answer({ tools: [tool("a")] }),
      "/token": sayJson({ access_token: VALUES.TOKEN, token_type: "bearer" }),
      "/.well-known/oauth-authorization-server": (...args) =>
        sayJson({ issuer: server.origin, token_endpoint: `${server.origin}/token` })(...args),
    }),
  )
  onTestFinished(() => server.close())
  const world = await makeCliWorld()
  Object.assign(world.env, { JOB_CLIENT_ID: "job", JOB_CLIENT_SECRET: VALUES.API_KEY })
  const given = ["--header", "Authorization: Bearer ${JOB}", server.url]
  const grant = ["--client-credentials", "JOB"]
  const { stderr } = await world.expect(2, "add", "notes", "--placeholder", "JOB", ...grant, ...given)
  expect(stderr).toContain("got both")
  await world.expect(0, "add", "notes", "--placeholder", "JOB", ...given)
  await world.expect(0, "check", ...grant)
  expect(server.lines()).not.toContain("POST /token")
  await world.expect(1, "update", "notes", ...grant)
  expect(server.lines()).toContain("POST /token")
  expect((await world.readLock()).servers.notes.record).toContain("\nprofile env:JOB+header:authorization\n")
})

test("a placeholder stands in for a value, and the record says so", async () => {
  const world = await makeCliWorld()
  world.env.API_KEY = VALUES.API_KEY
  const server = makeServer(join(world.folder, "..", "lists.json"), { fail: true })
  const { stderr } = await world.expect(2, "add", "notes", "--placeholder", "API_KEY", "--", ...server.launch)
  expect(stderr).not.toContain(VALUES.API_KEY)
  server.say({ tools: [tool("a")] })
  await world.expect(0, "add", "notes", "--placeholder", "API_KEY", "--", ...server.launch)
  expect((await world.readLock()).servers.notes.record).toContain("\nprofile placeholder:API_KEY\n")
  await world.expect(0, "check")
})

describe("a server that repeats a value in its list", () => {
  const echo = { tools: [tool("search", `Searches with ${VALUES.API_KEY}.`), tool("b")] }

  test.each([
    { name: "add", argv: ["add", "other"] },
    { name: "add --dry-run", argv: ["add", "other", "--dry-run"] },
    { name: "observe", argv: ["observe", "other", "--out", "seen.json"] },
    { name: "update", argv: ["update", "notes"] },
  ])("$name refuses it in one line that names variable and tool", async ({ argv }) => {
    const { world, server, words } = await makeSecretWorld()
    await world.expect(0, "add", "notes", ...words)
    server.say(echo)
    const { stdout, stderr } = await world.expect(2, ...argv, ...(argv[0] === "update" ? [] : words))
    expect(stdout).toBe("")
    expect(stderr).toMatch(/^toolsum: [^\n]*tool "search" has the value of API_KEY in it[^\n]*\(SURFACE_MALFORMED\)\n$/)
    server.say({ tools: [] })
    expectKept(world, [{ code: 2, stdout, stderr }])
  })

  test("check compares it, and shows the name in its place", async () => {
    const { world, server, words } = await makeSecretWorld()
    await world.expect(0, "add", "notes", ...words)
    server.say(echo)
    const outcomes = await runAllWays(world, "check", [])
    expect(outcomes.map(({ code }) => code)).toEqual([1, 1])
    for (const { stdout } of outcomes) expect(stdout).toContain("Searches with ${API_KEY}.")
    server.say({ tools: [] })
    expectKept(world, outcomes)
  })

  test("with a dummy text in its place it is read", async () => {
    const world = await makeCliWorld()
    Object.assign(world.env, VALUES)
    const server = makeServer(join(world.folder, "..", "lists.json"), { tools: [tool("a", "toolsum-placeholder")] })
    await world.expect(0, "add", "notes", "--placeholder", "API_KEY", "--", ...server.launch)
  })
})

test("variables that templates ask for are in the record, by name", async () => {
  const world = await makeCliWorld()
  Object.assign(world.env, VALUES)
  const server = makeServer(join(world.folder, "..", "lists.json"))
  await world.expect(0, "add", "notes", "--", ...server.launch, "--auth=${TOKEN}")
  expect((await world.readLock()).servers.notes.record).toContain("\nprofile env:TOKEN\n")
  await world.expect(0, "verify")
  await world.expect(0, "check")
})

test("a value typed as an option's second word is refused", async () => {
  const world = await makeCliWorld()
  const server = makeServer(join(world.folder, "..", "lists.json"))
  const { stderr } = await world.expect(2, "add", "notes", "--", ...server.launch, "--api-key", VALUES.TOKEN)
  expect(stderr).toContain("--api-key")
  expectKept(world, [{ code: 2, stdout: "", stderr }])
})

test("the folder that npx was started in may be typed", async () => {
  const world = await makeCliWorld()
  world.env.npm_config_local_prefix = world.folder
  const server = makeServer(join(world.folder, "..", "lists.json"))
  await world.expect(0, "add", "fs", "--", ...server.launch, world.folder)
})
