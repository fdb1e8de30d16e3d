// Witnesses both ways: Go's cosigns our log through our client, ours cosigns a log by Tessera through its client, and Go's readers take
// what came of it under a policy.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { createFsStore } from "../../src/adapters/store-fs.js"
import { createHttpWitness, type HttpWitness } from "../../src/adapters/witness-http.js"
import { startWitnessServer } from "../../src/adapters/witness-http-server.js"
import { createFileWitnessStore } from "../../src/adapters/witness-store-fs.js"
import { encodeUtf8, formatBase64 } from "../../src/core/bytes.js"
import { verifyCheckpoint } from "../../src/core/checkpoint.js"
import { sha256 } from "../../src/core/hash.js"
import { formatKeyringText } from "../../src/core/keyring-text.js"
import { signNote } from "../../src/core/note.js"
import { parsePolicy } from "../../src/core/policy.js"
import { computeSigningKey, parseSigningKey, parseVkey, type SigningKey } from "../../src/core/vkey.js"
import { createCosign } from "../../src/writer/cosign.js"
import { loadNewestKeyring } from "../../src/writer/keyrings.js"
import { openLog } from "../../src/writer/log.js"
import { createWitness } from "../../src/writer/witness.js"
import { makeTempFolder } from "../fakes/temp-folder.js"
import { LOG_KEY, newLog, ROOT_KEY, rawEntry } from "../fakes/writer-fixtures.js"
import { describeShared, readShared, sharedPath } from "../shared.js"
import { VKEY, writeFile } from "./logs.js"
import { runTool, startGoWitness, startTool } from "./tools.js"

const OUR_KEY = computeSigningKey({ name: "ours.example", seed: sha256(encodeUtf8("a witness of ours")) })
const clock = () => Math.floor(Date.now() / 1000)
const closers: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

/** Our witness for a log, on a port of its own. */
async function serveOurs(vkey: string, key: SigningKey = OUR_KEY): Promise<{ url: string; vkey: string }> {
  const store = createFileWitnessStore(await makeTempFolder())
  const witness = createWitness({ key, logKeys: [parseVkey(vkey)], store, clock })
  const fail = (error: unknown) => {
    throw error
  }
  const server = await startWitnessServer(witness, { host: "127.0.0.1", port: 0, onFailure: fail })
  closers.push(server.close)
  return { url: server.url, vkey: witness.key.vkey }
}

describeShared("witnesses", () => {
  test("ours answers all exchanges of the recorded session as the specification says", async () => {
    const { log_vkey, skey } = JSON.parse(readShared("interop/vectors/witness/session.json"))
    const { url } = await serveOurs(log_vkey, parseSigningKey(skey))
    const child = spawn(process.execPath, [sharedPath("interop/replay.mjs"), url], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    let said = ""
    child.stdout.on("data", (part) => {
      said += part
    })
    const code = await new Promise((resolve) => child.once("close", resolve))
    expect(said.trim()).toBe('{"ok":true,"exchanges":28,"differ":0}')
    expect(code).toBe(0)
  })

  test("Go's and ours cosign our log through our client; Go's reader takes it under the policy, and not under a stricter one", async () => {
    const folder = await makeTempFolder()
    const store = createFsStore(folder)
    await (await newLog(store)).close()
    const [go, ours] = [await startGoWitness(VKEY), await serveOurs(VKEY)]
    closers.push(go.stop)
    const witnesses = `witness go ${go.vkey} ${go.url}\nwitness ours ${ours.vkey} ${ours.url}\n`
    const policy = `${witnesses}group both all go ours\nquorum both\n`

    const services = new Map<string, HttpWitness>()
    const connect = ({ url }: { url: string | null }) => {
      const service = services.get(url ?? "") ?? createHttpWitness(url ?? "", { env: {} })
      services.set(url ?? "", service)
      return service
    }
    const log = await openLog({ store, signers: [LOG_KEY], cosign: createCosign({ connect, clock }), waitMs: 0 })
    const { note, ...newest } = await loadNewestKeyring(store)
    const change = { version: 2n, prev: sha256(encodeUtf8(note.text)), policy: parsePolicy(policy) }
    await log.appendKeyring(signNote(formatKeyringText({ ...newest, ...change }), [ROOT_KEY]))
    for (const count of [1, 5, 300]) await log.appendEntries(Array.from({ length: count }, (_, i) => rawEntry(i)))
    const { checkpoint, size } = log.head()
    expect(size).toBe(308n)
    const fresh = await log.cosign([])
    expect(fresh).toMatchObject({ cosigners: ["go", "ours"], absent: [] })
    await log.close()
    for (const service of services.values()) await service.close()

    const counted = verifyCheckpoint({
      note: checkpoint,
      origin: log.origin,
      keys: [parseVkey(VKEY)],
      policy: parsePolicy(policy),
    })
    expect(counted.counted).toEqual(["go", "ours"])
    const check = (text: string, name: string) =>
      startTool("checklog", [
        "--log",
        join(folder, "public"),
        "--vkey",
        VKEY,
        "--policy",
        writeFile(join(folder, name), text),
      ])
    const whole = await check(`log ${VKEY}\n${policy}`, "policy")
    expect(whole.code, JSON.stringify(whole.report)).toBe(0)
    const stranger = createWitness({
      key: computeSigningKey({ name: "w.example", seed: sha256(encodeUtf8("w")) }),
      logKeys: [parseVkey(VKEY)],
      store: createFileWitnessStore(folder),
      clock,
    })
    const strict = `log ${VKEY}\n${witnesses}witness w ${stranger.key.vkey}\ngroup all-three all go ours w\nquorum all-three\n`
    expect((await check(strict, "strict")).code).toBe(1)
  })

  test("ours cosigns every checkpoint of a log by Tessera, which asks for it", async () => {
    const origin = "t.example/log"
    const key = runTool("notecheck", [], `${JSON.stringify({ op: "key", seed: "ours", name: origin })}\n`).report
    const vkey = String(key?.vkey)
    const ours = await serveOurs(vkey)
    const folder = await makeTempFolder()
    const text = `log ${vkey}\nwitness ours ${ours.vkey} ${ours.url}\nquorum ours\n`
    const policy = writeFile(join(folder, "policy"), text)
    const lines = Array.from({ length: 300 }, (_, i) => `${formatBase64(rawEntry(i))}\n`).join("")
    const entries = writeFile(join(folder, "entries"), lines)
    const dir = join(folder, "log")
    const args = ["--dir", dir, "--entries", entries, "--checkpoint-every", "75", "--seed", "ours", "--origin", origin]
    const made = await startTool("makelog", [...args, "--policy", policy])
    expect(made.code, made.stderr).toBe(0)
    const cosigned = verifyCheckpoint({
      note: readFileSync(join(dir, "checkpoint")),
      origin,
      keys: [parseVkey(vkey)],
      policy: parsePolicy(text),
      nowSec: BigInt(clock()),
    })
    expect(cosigned.checkpoint.size).toBe(300n)
    expect(cosigned.counted).toEqual(["ours"])
    const checked = await startTool("checklog", ["--log", dir, "--vkey", vkey, "--policy", policy])
    expect(checked.code, JSON.stringify(checked.report)).toBe(0)
  })
})
