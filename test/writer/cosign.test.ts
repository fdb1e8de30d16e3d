import { beforeEach, describe, expect, test } from "vitest"
import { concatBytes, encodeUtf8 } from "../../src/core/bytes.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { signEd25519 } from "../../src/core/ed25519.js"
import { ToolsumError } from "../../src/core/errors.js"
import { sha256 } from "../../src/core/hash.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { formatKeyringText } from "../../src/core/keyring-text.js"
import { parseNote, signNote } from "../../src/core/note.js"
import { parsePolicy } from "../../src/core/policy.js"
import { formatSignatureLine } from "../../src/core/signature-line.js"
import { type VerifiedHead, verifyHead } from "../../src/core/tree-heads.js"
import type { TileStore, WitnessReply, WitnessService } from "../../src/ports.js"
import { type CosignOptions, createCosign } from "../../src/writer/cosign.js"
import { findNewestCommit } from "../../src/writer/history.js"
import { loadKeyrings, loadNewestKeyring } from "../../src/writer/keyrings.js"
import { type LogWriter, type OpenOptions, openLog } from "../../src/writer/log.js"
import { createMemoryStore, type MemoryStore } from "../../src/writer/memory-store.js"
import { createWitness } from "../../src/writer/witness.js"
import { fetchWitnessedHeads } from "../../src/writer/witness-memory.js"
import { signer, witness as witnessKey } from "../core/log-fixtures.js"
import { createFaultyStore, type Fault } from "../fakes/faulty-store.js"
import { createMemoryWitnessStore, serviceOf } from "../fakes/witness-fixtures.js"
import { LOG_KEY, LOG_KEYS, newLog, ORIGIN, ROOT_KEY, rawEntry } from "../fakes/writer-fixtures.js"

const NOW = 1_796_083_200
/** The life of a log is ended at one operation in so many; at an odd number, both before and after its effect. */
const EVERY = 13
const KEYS = [signer("w0.example"), signer("w1.example"), signer("w2.example")] as const
const code = (expected: string) => expect.objectContaining({ code: expected })

/** `k` of the witnesses `which`. */
const policyOf = (k: number, which: readonly number[] = [0, 1, 2]): string =>
  [
    ...which.map((i) => `witness w${i} ${witnessKey(KEYS[i as 0]).vkey} https://w${i}.example/`),
    `group g ${k} ${which.map((i) => `w${i}`).join(" ")}`,
    "quorum g\n",
  ].join("\n")

/** A log, three witnesses, and what stands between them. */
interface World {
  store: MemoryStore
  time: { nowSec: number }
  /** Answers in place of a witness. */
  readonly instead: Map<string, Partial<WitnessService>>
  /** Sizes that each witness was asked from, in order. */
  readonly asked: string[]
  readonly connect: (witness: { name: string }) => WitnessService | null
  /** How the log asks. */
  readonly asking: CosignOptions
  open(more?: Partial<OpenOptions>): Promise<LogWriter>
  /** Let the log take a policy; null: none. */
  adopt(log: LogWriter, policy: string | null): Promise<unknown>
}

async function makeWorld(): Promise<World> {
  const time = { nowSec: NOW }
  const clock = () => time.nowSec
  const services = new Map<string, WitnessService>(
    KEYS.map((key, i) => {
      const witness = createWitness({ key, logKeys: LOG_KEYS, store: createMemoryWitnessStore(), clock })
      return [`w${i}`, serviceOf(witness)] as const
    }),
  )
  const instead: World["instead"] = new Map()
  const asked: string[] = []
  const connect: World["connect"] = ({ name }) => {
    const service = services.get(name)
    if (service === undefined) return null
    const both = { ...service, ...instead.get(name) }
    return {
      ...both,
      addCheckpoint: (body, signal) => {
        asked.push(`${name} ${new TextDecoder().decode(body).split("\n")[0]}`)
        return both.addCheckpoint(body, signal)
      },
    }
  }
  const asking = { connect, clock, timeoutMs: 60, graceMs: 15 }
  const cosign = createCosign(asking)
  const store = createMemoryStore()
  await newLog(store)
  const world: World = {
    store,
    time,
    instead,
    asked,
    connect,
    asking,
    open: (more = {}) => openLog({ store: world.store, signers: [LOG_KEY], cosign, waitMs: 0, ...more }),
    adopt: async (log, policy) => log.appendKeyring(await nextKeyring(world.store, policy)),
  }
  return world
}

async function nextKeyring(store: MemoryStore, policy: string | null): Promise<string> {
  const { note, ...newest } = await loadNewestKeyring(store)
  const prev = sha256(encodeUtf8(note.text))
  const changed = { version: newest.version + 1n, prev, policy: policy === null ? null : parsePolicy(policy) }
  return signNote(formatKeyringText({ ...newest, ...changed }), [ROOT_KEY])
}

/** The head as a reader sees it: checkpoint first, then the keyrings. */
async function readAsAnybody(store: Pick<TileStore, "read">): Promise<VerifiedHead> {
  const note = (await store.read("public/checkpoint")) ?? new Uint8Array()
  const keyring = verifyKeyring({ notes: await loadKeyrings(store), origin: ORIGIN })
  return verifyHead({ keyring, note, nowSec: BigInt(NOW) })
}

const DOWN: Partial<WitnessService> = {
  addCheckpoint: async () => {
    throw new ToolsumError("LOG_UNAVAILABLE", "connection refused")
  },
  latest: async () => {
    throw new ToolsumError("LOG_UNAVAILABLE", "connection refused")
  },
}

/** One that never answers, until it is told to stop. */
const SILENT: Partial<WitnessService> = {
  addCheckpoint: (_body, signal) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted")))),
}

const answering = (reply: Partial<WitnessReply> & { text?: string }): Partial<WitnessService> => ({
  addCheckpoint: async () => ({ status: 200, contentType: null, body: encodeUtf8(reply.text ?? ""), ...reply }),
})

let world: World
let log: LogWriter
beforeEach(async () => {
  world = await makeWorld()
  log = await world.open()
})

const append = (i: number, to = log) => to.appendEntries([rawEntry(i)])

describe("a log under a policy", () => {
  test("is cosigned by all who answer; each is asked once from where it is", async () => {
    await world.adopt(log, policyOf(2))
    expect(world.asked.splice(0).sort()).toEqual(
      ["old 0", "old 1"].flatMap((old) => [0, 1, 2].map((i) => `w${i} ${old}`)).sort(),
    )
    const [placed] = await append(1)
    expect(world.asked.sort()).toEqual(["w0 old 2", "w1 old 2", "w2 old 2"])
    const head = await readAsAnybody(world.store)
    expect(head).toMatchObject({ size: 3n, cosigners: 3 })
    expect(placed?.checkpoint).toBe(log.head().checkpoint)
  })

  test("one that is away, one that is slow: the quorum is enough, and nobody is waited for for long", async () => {
    await world.adopt(log, policyOf(1))
    world.instead.set("w0", DOWN).set("w1", SILENT)
    await append(1)
    expect(await readAsAnybody(world.store)).toMatchObject({ size: 3n, cosigners: 1 })
  })

  test("without its quorum a head is not published: what was appended stays, nothing more is taken, a later try publishes it", async () => {
    await world.adopt(log, policyOf(2))
    world.instead.set("w0", DOWN).set("w1", SILENT)
    const before = world.store.files.get("public/checkpoint")
    await expect(append(1)).rejects.toMatchObject({
      code: "LOG_UNAVAILABLE",
      message: expect.stringMatching(/leaf 2 .*1 of 3.*"w0": connection refused.*"w1": no answer/),
    })
    expect((await findNewestCommit(world.store))?.seq).toBe(2n)
    await expect(append(2)).rejects.toMatchObject({
      code: "LOG_UNAVAILABLE",
      message: expect.stringContaining("nothing was appended"),
    })
    expect(() => log.head()).toThrow(code("LOG_UNAVAILABLE"))
    await expect(log.prove(0n)).rejects.toEqual(code("LOG_UNAVAILABLE"))
    expect(world.store.files.get("public/checkpoint")).toEqual(before)
    expect((await readAsAnybody(world.store)).size).toBe(2n)
    const again = await world.open()
    await expect(append(2, again)).rejects.toEqual(code("LOG_UNAVAILABLE"))
    world.instead.clear()
    const [placed] = await append(2, again)
    expect(placed?.index).toBe(3n)
    expect(await readAsAnybody(world.store)).toMatchObject({ size: 4n, cosigners: 3 })
  })

  test("published all the same where that was typed out, and said so; the next writer makes it good", async () => {
    await world.adopt(log, policyOf(2))
    world.instead.set("w0", DOWN).set("w1", DOWN)
    const said: string[] = []
    const open = await world.open({ failOpen: ({ message }) => said.push(message) })
    await append(1, open)
    expect(said).toEqual([expect.stringContaining("1 of 3 witnesses")])
    await expect(readAsAnybody(world.store)).rejects.toEqual(code("QUORUM_NOT_MET"))
    world.instead.clear()
    await world.open()
    expect(await readAsAnybody(world.store)).toMatchObject({ size: 3n, cosigners: 3 })
  })

  test("a policy with nobody's quorum takes what it gets", async () => {
    await world.adopt(log, policyOf(2).replace("quorum g", "quorum none"))
    world.instead.set("w0", DOWN)
    await append(1)
    expect(await readAsAnybody(world.store)).toMatchObject({ size: 3n, cosigners: 2 })
  })
})

describe("what a witness may answer", () => {
  const outcome = async (service: Partial<WitnessService>) => {
    await world.adopt(log, policyOf(3))
    world.instead.set("w0", service)
    return append(1).then(
      () => null,
      (error: unknown) => error,
    )
  }
  const absentBecause = (why: RegExp) => ({ code: "LOG_UNAVAILABLE", message: expect.stringMatching(why) })
  const textNow = async () => parseNote((await findNewestCommit(world.store))?.checkpoint ?? "").text
  const line = async (p: { time: number; key?: (typeof KEYS)[number] }) =>
    formatCosignature({ text: await textNow(), key: p.key ?? KEYS[0], timestamp: BigInt(p.time) })
  /** A cosignature of time 0, which `formatCosignature` does not make. */
  const timeless = async () => {
    const { seed, name } = KEYS[0]
    const signature = signEd25519({ seed, message: encodeUtf8(`cosignature/v1\ntime 0\n${await textNow()}`) })
    return formatSignatureLine({ name, id: witnessKey(KEYS[0]).id, blob: concatBytes(new Uint8Array(8), signature) })
  }
  const answeringWith = (make: () => Promise<string>): Partial<WitnessService> => ({
    addCheckpoint: async () => ({ status: 200, contentType: null, body: encodeUtf8(await make()) }),
  })

  test.each([
    { name: "nothing", service: answering({}), why: /"w0": .*/ },
    { name: "no signature line", service: answering({ text: "yes\n" }), why: /signature line/ },
    { name: "status 429", service: answering({ status: 429 }), why: /status 429/ },
    {
      name: "status 500 and why",
      service: answering({ status: 500, text: "oh\u001b[31m" }),
      why: /status 500, "oh\\u001b\[31m"/,
    },
    { name: "a redirect", service: answering({ status: 302 }), why: /status 302/ },
    { name: "status 422", service: answering({ status: 422, text: "no" }), why: /status 422, "no"/ },
    { name: "409 without a size", service: answering({ status: 409, text: "2\n" }), why: /409 without a size/ },
    {
      name: "409 with a word for a size",
      service: answering({ status: 409, contentType: "text/x.tlog.size", text: "two\n" }),
      why: /409 without a size/,
    },
    {
      name: "409 with a size in another spelling",
      service: answering({ status: 409, contentType: "text/x.tlog.size", text: "02\n" }),
      why: /409 without a size/,
    },
    {
      name: "409 for ever",
      service: answering({ status: 409, contentType: "text/x.tlog.size", text: "2\n" }),
      why: /cannot say which size/,
    },
  ])("$name: absent", async ({ service, why }) => {
    expect(await outcome(service)).toMatchObject(absentBecause(why))
  })

  test("cosignatures that are another's, of another text, without a time or from the future: absent", async () => {
    const cases: readonly [string, () => Promise<string>, RegExp][] = [
      ["another's", async () => `${await line({ time: NOW, key: KEYS[1] })}\n`, /without its cosignature/],
      ["no newline", () => line({ time: NOW }), /without its cosignature/],
      [
        "another text",
        async () => `${formatCosignature({ text: "x\n", key: KEYS[0], timestamp: 5n })}\n`,
        /bad cosignature/,
      ],
      ["no time", async () => `${await timeless()}\n`, /cosigns without a time/],
      ["the future", async () => `${await line({ time: NOW + 301 })}\n`, /clock is ahead/],
    ]
    await world.adopt(log, policyOf(3))
    for (const [, make, why] of cases) {
      world.instead.set("w0", answeringWith(make))
      await expect(append(1)).rejects.toMatchObject(absentBecause(why))
    }
    world.instead.set(
      "w0",
      answeringWith(async () => `${await line({ time: NOW, key: KEYS[2] })}\n${await line({ time: NOW + 300 })}\n`),
    )
    await log.cosign([])
    expect(await readAsAnybody(world.store)).toMatchObject({ size: 3n, cosigners: 3 })
  })

  test("409 with a larger size than ours stops the log: somebody has seen more", async () => {
    const error = await outcome(answering({ status: 409, contentType: "text/x.tlog.size", text: "9\n" }))
    expect(error).toMatchObject({
      code: "LOG_REFUSED",
      message: expect.stringContaining('"w0" says that it has cosigned size 9'),
    })
    await expect(append(2)).rejects.toEqual(code("LOG_CLOSED"))
    expect((await readAsAnybody(world.store)).size).toBe(2n)
  })

  test("who says so without a proof cannot keep the keyring out that removes it; who shows it signed can", async () => {
    const liar = answering({ status: 409, contentType: "text/x.tlog.size", text: "9223372036854775807\n" })
    expect(await outcome(liar)).toMatchObject({
      code: "LOG_REFUSED",
      message: expect.stringContaining("toolsum log policy with a policy that leaves it out"),
    })
    await expect(world.open()).rejects.toEqual(code("LOG_REFUSED"))
    const policy = parsePolicy(policyOf(2, [1, 2]))
    const leavingOut = await world.open({ cosign: createCosign({ ...world.asking, next: { policy } }) })
    await world.adopt(leavingOut, policyOf(2, [1, 2]))
    expect(await readAsAnybody(world.store)).toMatchObject({ size: 4n, cosigners: 2 })
    await append(2, await world.open())

    const knownHeads = [{ size: 9n, rootHash: sha256(new Uint8Array(1)), from: "witness" }]
    await expect(
      world.open({ cosign: createCosign({ ...world.asking, next: { policy: null } }), knownHeads }),
    ).rejects.toEqual(code("LOG_REFUSED"))
  })

  test("409 with another size: asked again from there", async () => {
    await world.adopt(log, policyOf(3))
    world.instead.set("w2", DOWN)
    await expect(append(1)).rejects.toEqual(code("LOG_UNAVAILABLE"))
    world.instead.clear()
    world.asked.length = 0
    await append(2)
    expect(world.asked.filter((one) => one.startsWith("w0"))).toEqual(["w0 old 2", "w0 old 3", "w0 old 3"])
    expect(world.asked.filter((one) => one.startsWith("w2"))).toEqual(["w2 old 2", "w2 old 3"])
    expect(await readAsAnybody(world.store)).toMatchObject({ size: 4n, cosigners: 3 })
  })
})

describe("changing the policy", () => {
  test("one whose witnesses do not answer is not taken, and nothing has happened", async () => {
    world.instead.set("w0", DOWN)
    const files = new Map(world.store.files)
    await expect(world.adopt(log, policyOf(3))).rejects.toMatchObject({
      code: "LOG_UNAVAILABLE",
      message: expect.stringContaining("nothing was appended"),
    })
    expect(world.store.files).toEqual(files)
    await append(1)
    expect((await readAsAnybody(world.store)).size).toBe(2n)
  })

  test("one that lost its witnesses can be replaced, also while a head waits for them", async () => {
    await world.adopt(log, policyOf(2, [0, 1]))
    world.instead.set("w0", DOWN)
    await expect(append(1)).rejects.toEqual(code("LOG_UNAVAILABLE"))
    const again = await world.open()
    await world.adopt(again, policyOf(2, [1, 2])).catch((error: unknown) => expect(error).toBe(null))
    expect(await readAsAnybody(world.store)).toMatchObject({ size: 4n, cosigners: 2 })
    await append(2, again)
    await world.adopt(again, null)
    expect(await readAsAnybody(world.store)).toMatchObject({ size: 6n, cosigners: 0 })
  })

  test("keyrings and checkpoints never become public in an order that readers refuse, whatever ends the writer when", async () => {
    // One life: a first policy, an entry, another policy with a witness less, none.
    const live = async (w: World, store: TileStore) => {
      const writer = await openLog({
        store,
        signers: [LOG_KEY],
        cosign: createCosign({ connect: w.connect, clock: () => NOW }),
        waitMs: 0,
      })
      await w.adopt(writer, policyOf(2, [0, 1]))
      await append(1, writer)
      await w.adopt(writer, policyOf(2, [1, 2]))
      await w.adopt(writer, null)
    }
    const count = createFaultyStore(world.store, -1, "before")
    await live(world, count)
    let checked = 0
    const watch = (store: MemoryStore): TileStore => {
      const check = async () => {
        await readAsAnybody(store)
        checked++
      }
      return {
        ...store,
        create: async (key, bytes) => {
          const made = await store.create(key, bytes)
          if (made && key.startsWith("public/")) await check()
          return made
        },
        replace: async (key, bytes) => {
          await store.replace(key, bytes)
          await check()
        },
      }
    }
    for (let at = 0; at < count.operations(); at += EVERY) {
      const fault: Fault = at % 2 === 0 ? "before" : "after"
      const w = await makeWorld()
      await live(w, createFaultyStore(watch(w.store), at, fault)).catch((error: unknown) => {
        if (!(error instanceof ToolsumError && ["IO_FAILED", "LOG_CLOSED"].includes(error.code))) throw error
      })
      await readAsAnybody(w.store)
      const next = await w.open()
      await append(7, next)
      await readAsAnybody(w.store)
    }
    expect(checked).toBeGreaterThan(50)
  })
})

describe("cosigning the same head again", () => {
  test("brings newer times, keeps one line of each witness, and says who was away", async () => {
    await world.adopt(log, policyOf(2))
    world.time.nowSec += 500
    world.instead.set("w1", DOWN)
    const done = await log.cosign([])
    expect(done).toMatchObject({ size: 2n, cosigners: ["w0", "w1", "w2"], absent: ['"w1": connection refused'] })
    expect(done.quorumTime).toBe(BigInt(NOW + 500))
    const note = verifyHead({
      keyring: verifyKeyring({ notes: await loadKeyrings(world.store) }),
      note: done.checkpoint,
    }).note
    const times = note.cosignatures.map(({ key, timestamp }) => [key.name, Number(timestamp) - NOW])
    expect(Object.fromEntries(times)).toEqual({ "w0.example": 500, "w1.example": 0, "w2.example": 500 })
    expect(times).toHaveLength(3)
    expect(new TextDecoder().decode(world.store.files.get("public/checkpoint"))).toBe(done.checkpoint)
  })

  test("tells the time that the quorum vouches for: it stays where too many were away", async () => {
    await world.adopt(log, policyOf(2))
    world.time.nowSec += 500
    for (const name of ["w1", "w2"]) world.instead.set(name, DOWN)
    expect(await log.cosign([])).toMatchObject({
      quorumTime: BigInt(NOW),
      absent: [/w1/, /w2/].map((who) => expect.stringMatching(who)),
    })
  })

  test("takes lines that somebody brought, of this head and by its witnesses only", async () => {
    await world.adopt(log, policyOf(3))
    world.instead.set("w0", DOWN)
    await expect(append(1)).rejects.toEqual(code("LOG_UNAVAILABLE"))
    const { text } = parseNote((await findNewestCommit(world.store))?.checkpoint ?? "")
    const line = (key = KEYS[0] as ReturnType<typeof signer>, of = text) =>
      formatCosignature({ text: of, key, timestamp: BigInt(NOW) })
    for (const wrong of [line(signer("stranger.example")), line(KEYS[0], "other\n"), "no line"]) {
      await expect(log.cosign([wrong])).rejects.toMatchObject({ kind: expect.stringMatching(/usage|malformed/) })
    }
    expect((await readAsAnybody(world.store)).size).toBe(2n)
    await log.cosign([line()])
    expect(await readAsAnybody(world.store)).toMatchObject({ size: 3n, cosigners: 3 })
    await append(2).catch((error: unknown) => expect(error).toEqual(code("LOG_UNAVAILABLE")))
  })

  test("has nothing to do without witnesses", async () => {
    await expect(log.cosign([])).rejects.toEqual(code("USAGE"))
    await append(1)
  })
})

describe("what the witnesses remember", () => {
  const witnessed = async () =>
    fetchWitnessedHeads({ keyring: await loadNewestKeyring(world.store), connect: world.connect, timeoutMs: 50 })

  test("holds a log to it: one that was restored from a backup is not opened", async () => {
    await world.adopt(log, policyOf(2))
    const backup = createMemoryStore(world.store.files)
    await append(1)
    expect((await witnessed()).map(({ size, from }) => [size, from])).toEqual(
      [0, 1, 2].map((i) => [3n, `witness "w${i}"`]),
    )
    world.store = backup
    await expect(world.open({ knownHeads: await witnessed() })).rejects.toMatchObject({
      code: "LOG_REFUSED",
      message: expect.stringContaining('witness "w0" has size 3, this log only 2'),
    })
  })

  test("counts only what the log has signed, and nobody is waited for", async () => {
    await world.adopt(log, policyOf(2))
    const forged = signNote(`${ORIGIN}\n99\n${Buffer.alloc(32, 1).toString("base64")}\n`, [signer(ORIGIN)])
    world.instead.set("w0", { latest: async () => encodeUtf8(forged) })
    world.instead.set("w1", DOWN)
    world.instead.set("w2", { latest: async () => null })
    expect(await witnessed()).toEqual([])
  })
})
