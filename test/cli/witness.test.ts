// A team's witnesses by the commands that a person types: keys, a running witness, a policy, heads that wait and heads that are cosigned.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { cp, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createDirLog } from "../../src/adapters/log-dir.js"
import { main } from "../../src/cli/main.js"
import { parseKeyring } from "../../src/core/keyring.js"
import { type CliWorld, expectOneLine, makeCliWorld, makePinnedWorld, type Outcome } from "../fakes/cli-world.js"
import { validateReport } from "../fakes/report-schema.js"

const ORIGIN = "log.example.com/tools"

let world: CliWorld
let running: Running[]
beforeEach(async () => {
  world = await makeCliWorld()
  running = []
})
afterEach(() => Promise.all(running.map(({ stop }) => stop())))

interface Running {
  readonly url: string
  readonly vkey: string
  stop(): Promise<Outcome>
}

/** `toolsum witness`, until it is stopped as Ctrl-C does. */
async function startWitness(...options: readonly string[]): Promise<Running> {
  const abort = new AbortController()
  const { io, out } = world.io({ signal: abort.signal })
  const ended = main(["witness", "--json", ...options], io)
  const said = await new Promise<string>((resolve, reject) => {
    const look = setInterval(() => out.stdout !== "" && resolve(out.stdout), 5)
    ended.then(() => reject(new Error(out.stderr))).finally(() => clearInterval(look))
  })
  const document = JSON.parse(said)
  validateReport(document)
  const { url, vkey } = document
  const one = {
    url,
    vkey,
    stop: async () => {
      abort.abort("SIGINT")
      return { code: await ended, ...out }
    },
  }
  running.push(one)
  return one
}

const checkpointOf = (folder = "log") => readFileSync(join(world.folder, folder, "public", "checkpoint"), "utf8")
const sizeOf = (folder = "log") => Number(checkpointOf(folder).split("\n")[1])

/** A log in `log`, and the vkey of its key. */
async function makeLog(): Promise<string> {
  const made = await world.json("init", "--log-dir", "log", "--origin", ORIGIN, "--root-key", "root.key")
  expect(made.code).toBe(0)
  await world.write("entry", "an entry")
  const keyring = await createDirLog(join(world.folder, "log")).read("keyring/1", 16_384)
  return parseKeyring(keyring ?? "").logs[0]?.key.vkey ?? ""
}

const adopt = async (policy: string) => {
  await world.write("policy", policy)
  return world.run("log", "policy", "policy", "--log-dir", "log", "--root-key", "root.key", "--yes")
}

const append = (...more: readonly string[]) => world.run("log", "append", "entry", "--raw", "--log-dir", "log", ...more)

test("witness key makes a key for this account alone, once, and shows the vkey", async () => {
  const { document } = await world.json("witness", "key", "ada.example", "--out", "ada.key")
  validateReport(document)
  expect(document.vkey).toMatch(/^ada\.example\+[0-9a-f]{8}\+B[A-Za-z0-9+/]+=*$/)
  expect((await stat(join(world.folder, "ada.key"))).mode & 0o777).toBe(0o600)
  expect((await world.expect(2, "witness", "key", "ada.example", "--out", "ada.key")).stderr).toContain("FILE_EXISTS")
  expect((await world.expect(2, "witness", "key", "a b", "--out", "b.key")).stderr).toContain("KEY_MALFORMED")
  expect(existsSync(join(world.folder, "b.key"))).toBe(false)
  world.env.SECRET = "correct horse"
  await world.expect(0, "witness", "key", "eve.example", "--out", "eve.key", "--passphrase-env", "SECRET")
  expect(readFileSync(join(world.folder, "eve.key"), "utf8")).toContain("toolsum-key/v1")
})

test("a log under a policy of two witnesses: cosigned, held back while one is away, published when it is back", async () => {
  const vkey = await makeLog()
  await world.expect(0, "witness", "key", "a.example", "--out", "a.key")
  await world.expect(0, "witness", "key", "b.example", "--out", "b.key")
  const a = await startWitness("--key", "a.key", "--log", vkey, "--state", "state-a")
  const b = await startWitness("--key", "b.key", "--log", vkey, "--state", "state-b")
  const policy = `witness a ${a.vkey} ${a.url}\nwitness b ${b.vkey} ${b.url}\ngroup g all a b\nquorum g\n`
  expect((await adopt(policy)).code).toBe(0)
  expect(checkpointOf().match(/^— /gm)).toHaveLength(3)
  expect(await append()).toMatchObject({ code: 0, stdout: "leaf 2\n" })

  expect((await b.stop()).code).toBe(0)
  const held = await append()
  expect(held).toMatchObject({ code: 2, stdout: "" })
  expect(held.stderr).toMatch(
    /^toolsum: leaf 3 is in the log, but not published yet: .*1 of 2 witnesses cosigned; "b": .*\(LOG_UNAVAILABLE\)\n$/,
  )
  expect(sizeOf()).toBe(3)
  expect((await append()).stderr).toMatch(/^toolsum: nothing was appended: /)
  // Who reads the log goes on with what is public.
  await world.expect(0, "log", "cat", "2", "--log-dir", "log")

  // Without a server: the witness cosigns the file, from the tiles that are public.
  validateReport((await world.json("log", "cosign", "--log-dir", "log", "--out", "head.checkpoint")).document)
  const cosign = [
    "witness",
    "cosign",
    "head.checkpoint",
    "--key",
    "b.key",
    "--log",
    "policy-with-log",
    "--state",
    "state-b",
  ]
  await world.write("policy-with-log", `log ${vkey}\nquorum none\n`)
  expect((await world.expect(2, ...cosign)).stderr).toContain("--from")
  const line = await world.expect(0, ...cosign, "--from", "log")
  expect(line.stdout).toMatch(/^— b\.example [A-Za-z0-9+/=]+\n$/)
  await world.expect(0, ...cosign, "--out", "cosigned")
  const again = await world.json(...cosign, "--out", "cosigned")
  expect(again.document).toMatchObject({ origin: ORIGIN, size: "4", file: "cosigned" })
  const done = await world.json("log", "cosign", "cosigned", "--log-dir", "log")
  for (const { document } of [again, done]) validateReport(document)
  expect(done.document).toMatchObject({
    origin: ORIGIN,
    size: "4",
    cosigners: ["a", "b"],
    absent: [expect.stringMatching(/^"b": /)],
  })
  expect(sizeOf()).toBe(4)
  expect((await world.expect(2, "log", "cosign", "entry", "--log-dir", "log")).stderr).toContain("MALFORMED")

  const open = await append("--fail-open")
  expect(open).toMatchObject({ code: 0, stdout: "leaf 4\n" })
  expect(open.stderr).toMatch(/^warning: published all the same \(--fail-open\): .*1 of 2 witnesses/)
  expect((await world.run("log", "cat", "1", "--log-dir", "log")).stderr).toContain("QUORUM_NOT_MET")
})

test("a policy whose witnesses do not answer is not published", async () => {
  const vkey = await makeLog()
  const { vkey: witness } = (await world.json("witness", "key", "a.example", "--out", "a.key")).document
  const refused = await adopt(`witness a ${witness} http://127.0.0.1:1/\nquorum a\n`)
  expect(refused.code).toBe(2)
  expect(refused.stderr).toMatch(/nothing was appended: .*"a": /)
  expect(vkey).not.toBe("")
  expect(await append()).toMatchObject({ code: 0, stdout: "leaf 1\n" })
  expect((await world.expect(2, "log", "cosign", "--log-dir", "log")).stderr).toContain("has no policy")
})

test("a log that was restored from a backup is refused by what its witness has seen", async () => {
  const vkey = await makeLog()
  await world.expect(0, "witness", "key", "a.example", "--out", "a.key")
  const a = await startWitness("--key", "a.key", "--log", vkey, "--state", "state-a")
  expect((await adopt(`witness a ${a.vkey} ${a.url}\nquorum a\n`)).code).toBe(0)
  await cp(join(world.folder, "log"), join(world.folder, "backup"), { recursive: true })
  await append()
  await rm(join(world.home, "state"), { recursive: true, force: true })
  await rm(join(world.folder, "log"), { recursive: true })
  await cp(join(world.folder, "backup"), join(world.folder, "log"), { recursive: true })
  const refused = await append()
  expect(refused.code).toBe(2)
  expect(refused.stderr).toMatch(/witness "a" has size 3, this log only 2: .*\(LOG_REFUSED\)/)
})

test("witness cosign answers for a file as the server does", async () => {
  const vkey = await makeLog()
  await append()
  await world.expect(0, "witness", "key", "a.example", "--out", "a.key")
  const cosign = (file: string, ...more: readonly string[]) =>
    world.run("witness", "cosign", file, "--key", "a.key", "--log", vkey, "--state", "state", ...more)
  await world.write("two", checkpointOf())
  await append()
  await world.write("three", checkpointOf())
  await world.write("tampered", checkpointOf().replace("\n3\n", "\n4\n"))
  await world.write("other", checkpointOf().replace(ORIGIN, "log.example.com/other"))
  expect((await cosign("three")).code).toBe(0)
  expect(await cosign("two", "--from", "log")).toMatchObject({ code: 2, stderr: expect.stringContaining("LOG_BEHIND") })
  expect(await cosign("tampered", "--from", "log")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("SIGNATURE_INVALID"),
  })
  expect(await cosign("other")).toMatchObject({ code: 2, stderr: expect.stringContaining("expected a log of --log") })
  expect(await cosign("nothing")).toMatchObject({ code: 2, stderr: expect.stringContaining("FILE_MISSING") })
  expect((await cosign("three", "--out", "three")).code).toBe(0)
  expect(readFileSync(join(world.folder, "three"), "utf8")).toMatch(/\n— a\.example /)
  await writeFile(join(world.folder, "precious"), "not a checkpoint")
  expect(await cosign("three", "--out", "precious")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("FILE_EXISTS"),
  })
})

test.each([
  { name: "no key", argv: [], says: "expected --key FILE" },
  { name: "no log", argv: ["--key", "a.key"], says: "expected --log" },
  { name: "a policy without logs", argv: ["--key", "a.key", "--log", "empty"], says: "expected log lines" },
  {
    name: "a port alone",
    argv: ["--key", "a.key", "--log", "VKEY", "--listen", "4711"],
    says: "expected an address and a port",
  },
  { name: "its own key as a log's", argv: ["--key", "log.key", "--log", "VKEY"], says: "must sign nothing else" },
])("witness with $name is a mistake", async ({ argv, says }) => {
  const vkey = await makeLog()
  await world.expect(0, "witness", "key", "a.example", "--out", "a.key")
  await world.write("empty", "quorum none\n")
  const keys = join(world.home, "keys")
  const folder = existsSync(keys) ? keys : join(world.home, "config", "keys")
  const key = readdirSync(folder).find((name) => name.endsWith(".log.key")) ?? ""
  await cp(join(folder, key), join(world.folder, "log.key"))
  const { code, stderr } = await world.run("witness", ...argv.map((word) => (word === "VKEY" ? vkey : word)))
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
})

test("a lockfile from before the policy: the next pin says how its heads are renewed, and after that it is pinned", async () => {
  const { world: pinned, server } = await makePinnedWorld()
  world = pinned
  const [{ vkey = "" } = {}] = (await world.json("log", "keyring")).document.logs[0].keyrings[0].logKeys
  await world.expect(0, "witness", "key", "a.example", "--out", "../a.key")
  const a = await startWitness("--key", "../a.key", "--log", vkey, "--state", "../state-a")
  await world.write("../policy", `witness a ${a.vkey} ${a.url}\nquorum a\n`)
  const [rootKey = ""] = readdirSync(join(world.home, "config", "keys")).filter((name) => name.endsWith(".root.key"))
  const root = join(world.home, "config", "keys", rootKey)
  const adopted = await world.expect(0, "log", "policy", "../policy", "--root-key", root, "--yes")
  expect(adopted.stdout).toContain("  toolsum update --proofs\n")

  const early = await world.expect(2, "add", "more", "--", ...server.launch)
  expectOneLine(early, "HEAD_UNPROVEN", "toolsum update --proofs")
  await world.expect(0, "update", "--proofs")
  await world.expect(0, "add", "more", "--", ...server.launch)
  await world.expect(0, "verify", "--witness-policy", "../policy")

  // A witness knows the keys that it was told: the change of keys says which comes next, a refusal what to do.
  const rotated = await world.expect(0, "log", "rotate", "--root-key", root, "--yes")
  const [, next = ""] = /^ {2}--log (\S+)$/m.exec(rotated.stdout) ?? []
  expect((await world.expect(0, "log", "keyring")).stdout).toContain(`\n    ${next}\n`)
  await world.write("../entry", "an entry")
  await world.expect(0, "log", "append", "../entry", "--raw")
  await world.expect(0, "log", "rotate", "--finish", "--root-key", root, "--yes")
  const refused = await world.expect(2, "log", "append", "../entry", "--raw")
  expectOneLine(refused, "LOG_UNAVAILABLE", "toolsum log keyring shows it")
  await a.stop()
  const listen = ["--listen", new URL(a.url).host]
  await startWitness("--key", "../a.key", "--log", vkey, "--log", next, "--state", "../state-a", ...listen)
  await world.expect(0, "log", "cosign")

  // A log that takes its place starts without witnesses, and says so.
  await rm(join(world.home, "config", "keys"), { recursive: true })
  const succession = await world.expect(0, "log", "succeed", "--dry-run")
  expect(succession.stdout).toContain("no witness has to cosign the new log until toolsum log policy says so")
})
