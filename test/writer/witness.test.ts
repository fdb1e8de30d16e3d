import { describe, expect, test } from "vitest"
import { verifyCosignature } from "../../src/core/cosignature.js"
import { sha256 } from "../../src/core/hash.js"
import {
  addSignatures,
  formatNote,
  MAX_NOTE_BYTES,
  MAX_NOTE_SIGNATURES,
  openNote,
  parseNote,
  signNote,
} from "../../src/core/note.js"
import { parseSignatureLine } from "../../src/core/signature-line.js"
import { computeSigningKey, parseSigningKey, parseVkey } from "../../src/core/vkey.js"
import { createWitness, type WitnessAnswer } from "../../src/writer/witness.js"
import { base64, bytesOf, head, ORIGIN, rootOf, signer, verifier, witness as witnessKey } from "../core/log-fixtures.js"
import { createMemoryWitnessStore, requestBody } from "../fakes/witness-fixtures.js"
import { describeShared, readShared } from "../shared.js"

const LOG = signer(ORIGIN)
const OLD_KEY = signer(ORIGIN, "an older key of the log")
const OTHER = signer("log.example/b")
const KEY = signer("w.example")
const NOW = 1_796_083_200

function makeWitness(store = createMemoryWitnessStore()) {
  const time = { nowSec: NOW }
  const logKeys = [LOG, OLD_KEY, OTHER].map((key) => verifier(key))
  const witness = createWitness({ key: KEY, logKeys, store, clock: () => time.nowSec })
  const ask = (old: number, size: number, rest: Partial<Parameters<typeof requestBody>[0]> = {}) =>
    witness.addCheckpoint(requestBody({ old, size, ...rest }))
  return { witness, store, time, ask }
}

const timeOf = (answer: WitnessAnswer, size: number, rootHash = rootOf(size)): bigint => {
  if (answer.status !== 200) throw new Error(`status ${answer.status}`)
  const [line = ""] = answer.lines
  const text = parseNote(head(ORIGIN, size, [LOG], rootHash)).text
  const signature = parseSignatureLine(line, (why) => new Error(why) as never)
  return verifyCosignature({ text, signature, key: witnessKey(KEY) }).timestamp
}

test("first contact, growth, and the same tree again: each is cosigned, and remembered before it is answered", async () => {
  const { witness, ask, time, store } = makeWitness()
  expect(await witness.latest(ORIGIN)).toBe(null)
  expect(timeOf(await ask(0, 5), 5)).toBe(BigInt(NOW))
  time.nowSec += 10
  expect(timeOf(await ask(5, 12), 12)).toBe(BigInt(NOW + 10))
  time.nowSec += 10
  expect(timeOf(await ask(12, 12), 12)).toBe(BigInt(NOW + 20))
  expect(await witness.latest(ORIGIN)).toMatchObject({ size: 12n, rootHash: rootOf(12), timestamp: BigInt(NOW + 20) })
  expect(store.swaps).toBe(3)
  const note = openNote((await witness.latest(ORIGIN))?.note ?? "", [verifier(LOG), witnessKey(KEY)])
  expect(note.verified).toHaveLength(2)
})

test("the empty tree can be cosigned, and everything extends it", async () => {
  const { ask } = makeWitness()
  expect((await ask(0, 0)).status).toBe(200)
  expect((await ask(0, 0)).status).toBe(200)
  expect((await ask(0, 7)).status).toBe(200)
  expect(await ask(0, 7)).toEqual({ status: 409, size: 7n })
})

test("logs do not know of one another", async () => {
  const { witness, ask } = makeWitness()
  await ask(0, 9)
  const note = head("log.example/b", 4, [OTHER])
  expect((await witness.addCheckpoint(requestBody({ old: 0, size: 4, note }))).status).toBe(200)
  expect(await witness.latest("log.example/b")).toMatchObject({ size: 4n })
  expect(await witness.latest(ORIGIN)).toMatchObject({ size: 9n })
  expect(await witness.latest("log.example/c")).toBe(null)
})

test("an older key of a log counts as well; foreign lines are neither judged nor kept", async () => {
  const { witness, ask } = makeWitness()
  const foreign = signNote(parseNote(head(ORIGIN, 5, [LOG])).text, [signer("somebody.example")])
  const foreignLine = parseNote(foreign).signatures[0]?.line ?? ""
  const broken = foreignLine.replace(/ [A-Za-z0-9+/]{4}/, " AAAA")
  const note = formatNote(addSignatures(parseNote(head(ORIGIN, 5, [OLD_KEY])), [broken]))
  expect((await ask(0, 5, { note })).status).toBe(200)
  const kept = parseNote((await witness.latest(ORIGIN))?.note ?? "")
  expect(kept.signatures.map(({ name }) => name)).toEqual([ORIGIN, "w.example"])
})

describe("each refusal, and nothing changes", () => {
  const unsigned = (size: number) => signNote(parseNote(head(ORIGIN, size, [LOG])).text, [signer("somebody.example")])
  const twisted = (note: string) => {
    const parsed = parseNote(note)
    const line = parsed.signatures[0]?.line ?? ""
    return line.replace(/.(..)$/, (_, end) => `${line.at(-3) === "A" ? "B" : "A"}${end}`)
  }
  const good = head(ORIGIN, 9, [LOG])
  const bad = twisted(good)
  const cases: { name: string; status: number; body: Uint8Array }[] = [
    { name: "no request", status: 400, body: bytesOf("old 5\n") },
    { name: "no note", status: 400, body: bytesOf("old 5\n\nnothing\n") },
    { name: "no checkpoint", status: 400, body: requestBody({ old: 5, size: 9, note: signNote("a\nb\n", [LOG]) }) },
    {
      name: "an empty line before the note",
      status: 400,
      body: bytesOf(new TextDecoder().decode(requestBody({ old: 5, size: 5 })).replace("\n\n", "\n\n\n")),
    },
    {
      name: "an unknown log",
      status: 404,
      body: requestBody({ old: 5, size: 9, note: head("log.example/x", 9, [LOG]) }),
    },
    { name: "no signature of the log", status: 403, body: requestBody({ old: 5, size: 9, note: unsigned(9) }) },
    {
      name: "the signature of another known log",
      status: 403,
      body: requestBody({ old: 5, size: 9, note: signNote(parseNote(good).text, [OTHER]) }),
    },
    {
      name: "a bad line by a key of the log beside a good one",
      status: 403,
      body: requestBody({ old: 5, size: 9, note: formatNote(addSignatures(parseNote(good), [bad])) }),
    },
    {
      name: "a bad line by one key of the log beside a good one by another",
      status: 403,
      body: requestBody({
        old: 5,
        size: 9,
        note: formatNote(addSignatures(parseNote(head(ORIGIN, 9, [OLD_KEY])), [bad])),
      }),
    },
    { name: "old above the size", status: 400, body: requestBody({ old: 5, size: 4 }) },
    { name: "old that is not the latest size", status: 409, body: requestBody({ old: 4, size: 9 }) },
    { name: "old 0 again", status: 409, body: requestBody({ old: 0, size: 9 }) },
    {
      name: "size 0 with a root hash, which comes after what was seen",
      status: 409,
      body: requestBody({ old: 0, size: 0, note: emptyTree() }),
    },
    { name: "another root of the same size", status: 422, body: requestBody({ old: 5, size: 5, note: forked(5) }) },
    { name: "a proof for the same size", status: 422, body: requestBody({ old: 5, size: 5, proof: [rootOf(1)] }) },
    { name: "no proof", status: 422, body: requestBody({ old: 5, size: 9, proof: [] }) },
    { name: "a fork", status: 422, body: requestBody({ old: 5, size: 9, note: forked(9) }) },
  ]
  function forked(size: number): string {
    return head(ORIGIN, size, [LOG], sha256(bytesOf(`fork ${size}`)))
  }
  function emptyTree(): string {
    return signNote(`${ORIGIN}\n0\n${Buffer.alloc(32, 1).toString("base64")}\n`, [LOG])
  }

  test.each(cases)("$name: $status", async ({ status, body }) => {
    const { witness, ask, store } = makeWitness()
    await ask(0, 5)
    const before = new Map(store.files)
    expect((await witness.addCheckpoint(body)).status).toBe(status)
    expect(store.files).toEqual(before)
    expect((await ask(5, 9)).status).toBe(200)
  })

  test("of two faults the earlier check answers", async () => {
    const { witness, ask } = makeWitness()
    await ask(0, 5)
    const text = parseNote(head("log.example/x", 4, [LOG])).text
    const answers = [
      requestBody({ old: 5, size: 4, note: signNote(text, [signer("somebody.example")]) }),
      requestBody({ old: 5, size: 4, note: unsigned(4) }),
      requestBody({ old: 4, size: 4, note: forked(4) }),
      requestBody({ old: 0, size: 0, note: emptyTree(), proof: [rootOf(1)] }),
    ].map(async (body) => (await witness.addCheckpoint(body)).status)
    expect(await Promise.all(answers)).toEqual([404, 403, 409, 409])
  })

  test("on first contact: size 0 with a root hash, a proof from size 0, an old size", async () => {
    const { witness, ask } = makeWitness()
    expect((await witness.addCheckpoint(requestBody({ old: 0, size: 0, note: emptyTree() }))).status).toBe(422)
    expect((await ask(0, 9, { proof: [rootOf(1)] })).status).toBe(422)
    expect(await ask(5, 9)).toEqual({ status: 409, size: 0n })
    expect(await witness.latest(ORIGIN)).toBe(null)
  })
})

describe("time", () => {
  test("a clock that is a little behind goes on from the last cosignature, one that is far behind knows no time", async () => {
    const { ask, time, witness } = makeWitness()
    await ask(0, 5)
    time.nowSec = NOW - 300
    expect(timeOf(await ask(5, 9), 9)).toBe(BigInt(NOW))
    time.nowSec = NOW - 301
    expect((await ask(9, 12)).status).toBe(503)
    expect(await witness.latest(ORIGIN)).toMatchObject({ size: 9n, timestamp: BigInt(NOW) })
    time.nowSec = NOW + 1
    expect(timeOf(await ask(9, 12), 12)).toBe(BigInt(NOW + 1))
  })

  test("there is no cosignature of time 0", async () => {
    const { ask, time, store } = makeWitness()
    time.nowSec = 0
    expect((await ask(0, 5)).status).toBe(503)
    expect(store.files.size).toBe(0)
  })

  test("the same tree in the same second is one cosignature, stored once", async () => {
    const { ask, store } = makeWitness()
    const first = await ask(0, 5)
    expect(await ask(5, 5)).toEqual(first)
    expect(store.swaps).toBe(1)
  })
})

describe("races", () => {
  test("a hundred submissions at once: one root per size, never backwards", async () => {
    const store = createMemoryWitnessStore()
    // Two witnesses of one key on one store, as two processes are.
    const rivals = [makeWitness(store), makeWitness(store)]
    const roots = new Map<bigint, Set<string>>()
    let largest = 0n
    const work = Array.from({ length: 100 }, async (_, i) => {
      const size = 1 + (i % 20)
      const rootHash = i % 3 === 0 ? sha256(bytesOf(`fork ${i}`)) : rootOf(size)
      const note = head(ORIGIN, size, [LOG], rootHash)
      let old = i % 2 === 0 ? 0 : size
      for (let attempt = 0; attempt < 12; attempt++) {
        const answer = await (rivals[i % 2] ?? makeWitness(store)).ask(old, size, { note })
        if (answer.status === 200) {
          const known = roots.get(BigInt(size)) ?? new Set()
          roots.set(BigInt(size), known.add(Buffer.from(rootHash).toString("hex")))
          largest = largest > BigInt(size) ? largest : BigInt(size)
          return
        }
        if (answer.status !== 409 || answer.size > BigInt(size)) return
        old = Number(answer.size)
      }
    })
    await Promise.all(work)
    expect([...roots.values()].map(({ size }) => size).filter((size) => size !== 1)).toEqual([])
    expect(await rivals[0]?.witness.latest(ORIGIN)).toMatchObject({ size: largest })
  })

  test("a rival that is faster between check and store wins; the slow one judges again", async () => {
    const { store, ask } = makeWitness()
    await ask(0, 5)
    const rival = makeWitness(store)
    const swap = store.compareAndSwap
    store.compareAndSwap = async (...args) => {
      store.compareAndSwap = swap
      await rival.ask(5, 12)
      return swap(...args)
    }
    expect(await ask(5, 9)).toEqual({ status: 409, size: 12n })
  })

  test("who asks when too many wait is told to come back", async () => {
    const { ask } = makeWitness()
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(0, 5)))
    const statuses = new Set(answers.map(({ status }) => status))
    expect(statuses).toEqual(new Set([200, 409, 429]))
    expect((await ask(5, 5)).status).toBe(200)
  })
})

describe("what is remembered", () => {
  test("a note that has no room for a cosignature is refused, and spoils nothing", async () => {
    const { witness, ask } = makeWitness()
    await ask(0, 5)
    const text = parseNote(head(ORIGIN, 5, [LOG])).text
    const room = MAX_NOTE_BYTES - bytesOf(signNote(`${text}\n`.replace("\n\n", "\ne\n"), [LOG])).length
    const whole = (free: number) => signNote(`${text}${"e".repeat(room - free + 1)}\n`, [LOG])
    const answer = await witness.addCheckpoint(requestBody({ old: 5, size: 5, note: whole(0) }))
    expect(answer).toMatchObject({ status: 400, why: expect.stringContaining("no room") })
    expect((await witness.addCheckpoint(requestBody({ old: 5, size: 5, note: whole(150) }))).status).toBe(200)
    expect((await ask(5, 9)).status).toBe(200)
  })

  test("the lines of a key that signs a hundred times count, and are kept, once", async () => {
    const { witness, ask } = makeWitness()
    const { text, signatures } = parseNote(head(ORIGIN, 5, [LOG, OLD_KEY]))
    const note = formatNote({
      text,
      signatures: Array(MAX_NOTE_SIGNATURES / 2)
        .fill(signatures)
        .flat(),
    })
    expect((await witness.addCheckpoint(requestBody({ old: 0, size: 5, note }))).status).toBe(200)
    expect(parseNote((await witness.latest(ORIGIN))?.note ?? "").signatures).toHaveLength(3)
    expect((await ask(5, 9)).status).toBe(200)
  })

  test.each([
    { name: "zeros", twist: (bytes: Uint8Array) => new Uint8Array(bytes.length) },
    { name: "nothing", twist: () => new Uint8Array(0) },
    { name: "half of it", twist: (bytes: Uint8Array) => bytes.subarray(0, bytes.length / 2) },
    {
      name: "another size",
      twist: (bytes: Uint8Array) => bytesOf(new TextDecoder().decode(bytes).replace("\n5\n", "\n4\n")),
    },
    { name: "a note without the cosignature", twist: () => bytesOf(head(ORIGIN, 5, [LOG])) },
    { name: "another log", twist: () => bytesOf(head("log.example/b", 5, [KEY])) },
  ])("$name in its place is damage, and then nothing is cosigned", async ({ twist }) => {
    const { ask, store, witness } = makeWitness()
    await ask(0, 5)
    for (const [key, bytes] of store.files) store.files.set(key, twist(bytes))
    const before = new Map(store.files)
    await expect(ask(0, 9)).rejects.toMatchObject({ code: "STATE_CORRUPT" })
    await expect(witness.latest(ORIGIN)).rejects.toMatchObject({ code: "STATE_CORRUPT" })
    expect(store.files).toEqual(before)
  })

  test("a store that fails cosigns nothing", async () => {
    const { ask, store } = makeWitness()
    store.compareAndSwap = async () => {
      throw new Error("disk full")
    }
    await expect(ask(0, 5)).rejects.toThrow("disk full")
  })
})

test("keys that are no log's are refused at once", () => {
  const make = (logKeys: Parameters<typeof createWitness>[0]["logKeys"]) => () =>
    createWitness({ key: KEY, logKeys, store: createMemoryWitnessStore(), clock: () => NOW })
  const own = computeSigningKey({ name: ORIGIN, seed: KEY.seed })
  for (const keys of [[], [witnessKey(LOG)], [verifier(LOG), verifier(own)]])
    expect(make(keys)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }))
  expect(make([verifier(LOG), verifier(LOG)])).not.toThrow()
})

describeShared("a recorded session of another witness, by the specification", () => {
  const session: {
    log_vkey: string
    skey: string
    witness: string
    exchanges: { name: string; body_b64: string; want: number[]; stale_size?: number }[]
  } = JSON.parse(readShared("interop/vectors/witness/session.json"))

  test(`all ${session.exchanges.length} exchanges, in order`, async () => {
    const key = parseSigningKey(session.skey)
    const logKeys = [parseVkey(session.log_vkey)]
    const witness = createWitness({ key, logKeys, store: createMemoryWitnessStore(), clock: () => NOW })
    expect(witness.key.vkey).toBe(session.witness)
    expect(session.exchanges).toHaveLength(28)
    for (const { name, body_b64, want, stale_size } of session.exchanges) {
      const answer = await witness.addCheckpoint(base64(body_b64))
      expect(want, name).toContain(answer.status)
      if (answer.status === 409) expect(answer.size, name).toBe(BigInt(stale_size ?? -1))
      if (answer.status !== 200) continue
      const note = new TextDecoder().decode(base64(body_b64)).split("\n\n").slice(1).join("\n\n")
      const cosigned = addSignatures(parseNote(note), answer.lines)
      expect(openNote(cosigned, [...logKeys, witness.key]).cosignatures, name).toMatchObject([
        { timestamp: BigInt(NOW) },
      ])
    }
  })
})
