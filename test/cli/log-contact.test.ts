// Which logs are contacted: those that the user named, and the URL of a lockfile only where its log stands under a root of the user, over
// https, at a public address (DESIGN 8). A proxy and a listener on this machine count who is asked for.
import { mkdir, rename, writeFile } from "node:fs/promises"
import { type AddressInfo, createServer, type Server } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { type CliWorld, makePinnedWorld } from "../fakes/cli-world.js"

/** Counts connections, and the first line of each. */
async function listen(): Promise<{ port: number; lines: string[] }> {
  const lines: string[] = []
  const server: Server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", (chunk) => {
      const line = chunk.toString("latin1").split("\r\n")[0] ?? ""
      lines.push(line.startsWith("CONNECT") ? line : "other bytes")
      socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, lines }
}

/** A checkout whose log is not on this machine, with a URL for it in the lockfile. */
async function makeRemoteWorld(url: string): Promise<{ world: CliWorld; root: string }> {
  const { world } = await makePinnedWorld()
  const { roots } = (await world.json("verify")).document
  const lock = await world.readLock()
  lock.logs[roots[0].log].url = url
  await writeFile(world.lockfile, JSON.stringify(lock))
  world.env.TOOLSUM_HOME = join(world.home, "..", "stranger")
  return { world, root: `${roots[0].log}=${roots[0].fingerprint}` }
}

const check = async (world: CliWorld, ...argv: readonly string[]) => {
  const { code, document } = await world.json("check", "--log-only", ...argv)
  return { code, verdict: document.servers[0].verdict, reason: document.servers[0].reason }
}

test("a log under a trusted root is asked at the lockfile's URL, and nobody else is", async () => {
  const proxy = await listen()
  const { world, root } = await makeRemoteWorld("https://log.example.com/tools/")
  world.env.HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`
  expect(await check(world, "--root", root)).toEqual({ code: 2, verdict: "UNKNOWN", reason: "log_unreachable" })
  expect(new Set(proxy.lines)).toEqual(new Set(["CONNECT log.example.com:443 HTTP/1.1"]))
})

test("without a root for its log, the lockfile's URL is not contacted", async () => {
  const proxy = await listen()
  const { world } = await makeRemoteWorld("https://log.example.com/tools/")
  world.env.HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`
  expect(await check(world)).toEqual({ code: 2, verdict: "UNKNOWN", reason: "root_not_pinned" })
  await world.run("update", "notes", "--accept-targets")
  await world.run("diff", "notes", "notes")
  expect(proxy.lines).toEqual([])
})

test("with another root for its log, the lockfile's URL is not contacted", async () => {
  const proxy = await listen()
  const { world, root } = await makeRemoteWorld("https://log.example.com/tools/")
  world.env.HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`
  const other = root.replace(/SHA256:./, (head) => (head.endsWith("A") ? "SHA256:B" : "SHA256:A"))
  expect(await check(world, "--root", other)).toMatchObject({ code: 3, verdict: "REJECTED" })
  expect(proxy.lines).toEqual([])
})

test.each(["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])("a lockfile's URL at %s is not contacted", async (host) => {
  const listener = await listen()
  const { world, root } = await makeRemoteWorld(`https://${host}:${listener.port}/`)
  expect(await check(world, "--root", root)).toEqual({ code: 2, verdict: "UNKNOWN", reason: "target_not_accepted" })
  expect(listener.lines).toEqual([])
})

test("a private address is contacted when the user named it", async () => {
  const listener = await listen()
  const { world, root } = await makeRemoteWorld("https://log.example.com/")
  await world.expect(0, "trust", "add", root, "--log", `https://127.0.0.1:${listener.port}/`)
  expect(await check(world)).toEqual({ code: 2, verdict: "UNKNOWN", reason: "log_unreachable" })
  expect(new Set(listener.lines)).toEqual(new Set(["other bytes"]))
})

test("a log in a folder is read where the user said it is", async () => {
  const { world, root } = await makeRemoteWorld("https://log.example.com/")
  const moved = join(world.folder, "..", "moved")
  await mkdir(moved)
  await rename(join(world.home, "data", "log"), join(moved, "log"))
  await world.expect(0, "trust", "add", root, "--log", "../moved/log")
  expect(await check(world)).toEqual({ code: 0, verdict: "UNCHANGED", reason: null })
})

test("http is no place for a log", async () => {
  const { world, root } = await makeRemoteWorld("https://log.example.com/")
  const { stderr } = await world.expect(2, "trust", "add", root, "--log", "http://log.example.com/")
  expect(stderr).toContain("expected an https URL")
  const lock = await world.readLock()
  for (const log of Object.values(lock.logs)) Object.assign(log as object, { url: "http://log.example.com/" })
  await writeFile(world.lockfile, JSON.stringify(lock))
  expect((await world.run("check", "--root", root)).stderr).toContain("LOCKFILE_MALFORMED")
})

test("a folder that --log-dir names and that has no log is not passed over", async () => {
  const { world } = await makePinnedWorld()
  expect(await check(world)).toEqual({ code: 0, verdict: "UNCHANGED", reason: null })
  const missing = join(world.home, "no-log-here")
  expect(await check(world, "--log-dir", missing)).toEqual({ code: 2, verdict: "UNKNOWN", reason: "log_unreachable" })
})
