// What `toolsum.json` asks of `check`, `add` and `update`: private subjects, `live`, `allow`, `failOn`. What is let pass is told.
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import {
  type CliWorld,
  makeCliWorld,
  makePackage,
  makePinnedWorld,
  makeServer,
  report,
  tool,
} from "../fakes/cli-world.js"

const settings = (world: CliWorld, value: unknown) => world.write("toolsum.json", JSON.stringify(value))

/** A world with a log that others can read, which has "notes" of a package. */
async function makeSharedWorld() {
  const world = await makeCliWorld()
  const server = await makePackage(world, { tools: [tool("search")] })
  const logDir = join(world.folder, "..", "team-log")
  await world.expect(0, "log", "create", "--log-dir", logDir, "--origin", "log.example.com/team")
  await world.expect(0, "add", "notes", "--log-dir", logDir, "--", ...server.launch)
  return { world, server, logDir }
}

test("a private subject is not looked up in a log that others can read, nor appended to it", async () => {
  const { world, server, logDir } = await makeSharedWorld()
  await settings(world, { private: ["pkg:npm/%40acme/*"] })
  const asked = await report(world, "check", "--log-only", "--log-dir", logDir)
  expect(asked.servers[0]).toMatchObject({ verdict: "UNKNOWN", reason: "private" })
  server.say({ tools: [tool("search", "Another text.")] })
  const live = await report(world, "check", "--log-dir", logDir)
  expect(live.servers[0]).toMatchObject({ verdict: "CHANGED", compared: ["lock", "live"] })
  const outcome = await world.expect(2, "update", "notes", "--log-dir", logDir)
  expect(outcome.stderr).toContain("SUBJECT_PRIVATE")
  await settings(world, { private: ["pkg:npm/%40acme/*"], logs: { "log.example.com/team": { private: true } } })
  expect((await report(world, "check", "--log-only", "--log-dir", logDir)).servers[0].verdict).toBe("UNCHANGED")
})

test("a log that the settings do not name is not asked", async () => {
  const { world, logDir } = await makeSharedWorld()
  await settings(world, { logs: {} })
  const { servers } = await report(world, "check", "--log-dir", logDir)
  expect(servers[0]).toMatchObject({ verdict: "UNCHANGED", compared: ["lock", "live"] })
})

test("live: never, and if-credentials without them, start no server and say so", async () => {
  const world = await makeCliWorld()
  const server = makeServer(join(world.folder, "..", "lists.json"))
  world.env.TOKEN = "value"
  await world.expect(0, "add", "notes", "--env", "TOKEN", "--", ...server.launch)
  const before = server.starts().length
  await settings(world, { servers: { notes: { live: "never" } } })
  expect((await report(world, "check")).servers[0]).toMatchObject({ verdict: "UNCHANGED", compared: ["lock", "log"] })
  await settings(world, { servers: { notes: { live: "if-credentials" } } })
  world.env.TOKEN = undefined
  const { servers } = await report(world, "check")
  expect(servers[0].warnings.join()).toMatch(/^not_read:.*TOKEN/)
  expect(server.starts().length).toBe(before)
  world.env.TOKEN = "value"
  expect((await report(world, "check")).servers[0].compared).toContain("live")
})

test("allow lets a server pass that did not answer, keeps the answer, and lets no change pass", async () => {
  const { world, server } = await makePinnedWorld()
  const gone = join(world.folder, "..", "lists.json")
  await writeFile(gone, "no lists")
  const strict = await report(world, "check")
  expect(strict).toMatchObject({ exitCode: 2, servers: [{ verdict: "UNKNOWN" }] })
  const { reason } = strict.servers[0]
  await settings(world, { allow: ["server_unreachable", "timeout"] })
  const lax = await report(world, "check")
  const passes = ["server_unreachable", "timeout"].includes(reason)
  expect(lax).toMatchObject({ exitCode: passes ? 0 : 2, servers: [{ verdict: "UNKNOWN", reason }] })
  if (passes) expect((await world.expect(0, "check")).stdout).toContain(`allow in toolsum.json has ${reason}`)
  server.say({ tools: [tool("search", "Another text.")] })
  expect(await report(world, "check")).toMatchObject({ exitCode: 1, servers: [{ verdict: "CHANGED" }] })
})

test("allow never lets a server pass that wants a credential for what it listed before", async () => {
  const world = await makeCliWorld()
  const server = makeServer(join(world.folder, "..", "lists.json"))
  world.env.TOKEN = "value"
  await world.expect(0, "add", "notes", "--env", "TOKEN", "--", ...server.launch)
  await settings(world, { allow: ["auth:missing"] })
  world.env.TOKEN = undefined
  expect(await report(world, "check")).toMatchObject({
    exitCode: 2,
    servers: [{ verdict: "AUTH", reason: "missing: TOKEN" }],
  })
})

test("settings that nobody understands end a check", async () => {
  const { world } = await makePinnedWorld()
  await settings(world, { alow: ["timeout"] })
  const outcome = await world.expect(2, "check")
  expect(outcome.stderr).toContain("CONFIG_INVALID")
})
