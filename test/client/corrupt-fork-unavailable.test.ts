// Three things that must never be taken for one another (DESIGN 8, brief 4.4): our own damaged memory (corrupt), a log that signed two
// histories (fork), and bytes that do not come (unavailable). Each cause with the one code it may have; "fork" only with evidence that
// `verifyForkEvidence` proves from its own bytes. The same table for the commands: test/cli/corrupt-fork-unavailable.slow.test.ts.
import { describe, expect, test } from "vitest"
import { formatMemory } from "../../src/client/remember.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { type ErrorCode, ToolsumError } from "../../src/core/errors.js"
import {
  forkEvidenceOf,
  formatForkEvidence,
  parseForkEvidence,
  type VerifiedFork,
  verifyForkEvidence,
} from "../../src/core/fork-evidence.js"
import { parseKeyring, verifyKeyring } from "../../src/core/keyring.js"
import { formatKeyringText } from "../../src/core/keyring-text.js"
import { signNote } from "../../src/core/note.js"
import { computeVerifierKey, ED25519_NOTE } from "../../src/core/vkey.js"
import { DAY, entries, failureOf, logOf, START, seen } from "../fakes/client-world.js"
import { flipBit, type HostileLog, makeKey, type Tamper, withhold } from "../fakes/hostile-log.js"

type World = Awaited<ReturnType<typeof seen>>
type Happening = (log: HostileLog, world: World) => HostileLog | Promise<HostileLog>

/** What happens to a reader who has seen a log at 100 and at 700 entries, which gives what is served to it then, and the error. */
interface Case {
  readonly name: string
  readonly happens: Happening
  readonly code: ErrorCode
}

const changeState =
  (change: (before: Uint8Array) => Uint8Array): Happening =>
  (log, { state }) => {
    for (const [key, before] of state.stored) state.stored.set(key, change(before))
    return log
  }

/** The log has grown, and this stands before it. */
const behind =
  (tamper: Tamper): Happening =>
  (log) => {
    log.append(...entries(700, 710))
    log.tamper = tamper
    return log
  }

const truncate =
  (pattern: RegExp, bytesLost: number): Tamper =>
  (path, bytes) =>
    bytes !== null && pattern.test(path) ? bytes.subarray(0, Math.max(0, bytes.length - bytesLost)) : bytes

const liveKeys = (log: HostileLog) => verifyKeyring({ notes: log.keyrings }).newest.logs

/** Seen with a second key, after which the first keyring is all that is served. */
const rotated =
  (serve: (log: HostileLog, old: HostileLog) => HostileLog): Happening =>
  async (log, world) => {
    const old = log.fork(700n)
    log.rotate("log-2")
    await world.open()
    return serve(log, old)
  }

const CORRUPT: readonly Case[] = [
  { name: "a state file of zeros", happens: changeState((b) => new Uint8Array(b.length)), code: "STATE_CORRUPT" },
  { name: "an empty state file", happens: changeState(() => new Uint8Array(0)), code: "STATE_CORRUPT" },
  { name: "a state file cut short", happens: changeState((b) => b.subarray(0, 300)), code: "STATE_CORRUPT" },
  { name: "a flipped bit in it", happens: changeState((b) => b.with(900, (b[900] ?? 0) ^ 1)), code: "STATE_CORRUPT" },
  { name: "another document in its place", happens: changeState(() => encodeUtf8("{}\n")), code: "STATE_CORRUPT" },
]

const UNAVAILABLE: readonly Case[] = [
  {
    name: "an old checkpoint from a cache, within a day",
    happens: (log, { time }) => {
      time.nowSec += DAY - 1
      log.servedSize = 300n
      return log
    },
    code: "LOG_BEHIND",
  },
  { name: "a stale mirror at a size that was seen", happens: (log) => log.fork(100n), code: "LOG_BEHIND" },
  { name: "a stale mirror at one that was not", happens: (log) => log.fork(300n), code: "HEAD_UNPROVEN" },
  { name: "a stale mirror of before a rotation", happens: rotated((_, old) => old), code: "LOG_BEHIND" },
  {
    name: "a new head beside a cached 404 of the keyring with its key",
    happens: rotated((log) => {
      log.append("after").tamper = withhold(/^keyring\/2$/)
      return log
    }),
    code: "LOG_BEHIND",
  },
  { name: "missing tiles", happens: behind(withhold(/^tile\/0\//)), code: "RESOURCE_MISSING" },
  { name: "a cached 404 of one tile", happens: behind(withhold(/^tile\/0\/002/)), code: "RESOURCE_MISSING" },
  { name: "an empty tile", happens: behind(truncate(/^tile\/0\//, 10_000)), code: "TILE_MALFORMED" },
  { name: "a tile cut short", happens: behind(truncate(/^tile\/0\//, 5)), code: "TILE_MALFORMED" },
  { name: "a missing checkpoint", happens: behind(withhold(/^checkpoint$/)), code: "RESOURCE_MISSING" },
  {
    name: "a host that is gone",
    happens: behind(() => {
      throw new ToolsumError("LOG_UNAVAILABLE", "no route")
    }),
    code: "LOG_UNAVAILABLE",
  },
]

/** Evidence says no, and yet not that the log signed two histories. */
const REJECTED: readonly Case[] = [
  { name: "tiles of another tree", happens: behind(flipBit(/^tile\/0\//)), code: "HASH_MISMATCH" },
  { name: "a flipped bit in the checkpoint", happens: behind(flipBit(/^checkpoint$/, 22)), code: "SIGNATURE_INVALID" },
  {
    name: "an old backup of a log's folder",
    happens: (log) => {
      log.local = true
      return log.fork(100n)
    },
    code: "LOG_ROLLBACK",
  },
  {
    name: "an old checkpoint, still after a day",
    happens: (log, { time }) => {
      time.nowSec += DAY
      log.servedSize = 300n
      return log
    },
    code: "LOG_ROLLBACK",
  },
  {
    name: "a remembered tree of a key that was revoked since",
    happens: (log) => {
      const honest = log.fork(600n)
      const [stolen] = liveKeys(log)
      if (stolen === undefined) throw new Error("no key")
      honest.rotate("log-2")
      const live = liveKeys(honest).filter(({ closing }) => closing === null)
      honest.addKeyring([...live, { ...stolen, revoked: true }])
      return honest.append(...entries(10_000, 10_200))
    },
    code: "KEY_NOT_VALID_AT_SIZE",
  },
  {
    name: "a remembered head that no key of the log signed",
    happens: (log, world) => {
      const forged = log.fork(50n).append(...entries(1, 51))
      forged.logKey = makeKey(log.origin, "stranger")
      const memory = world.remembered()
      if (memory === null) throw new Error("nothing remembered")
      const identity = { origin: log.origin, root: log.root.fingerprint }
      changeState(() => formatMemory({ ...memory, earlier: [forged.headAt(100n)] }, identity))(log, world)
      return log.fork(300n)
    },
    code: "SIGNATURE_INVALID",
  },
  {
    name: "another second keyring than the remembered one, by root keys that nobody here knows",
    happens: (log, world) => {
      const memory = world.remembered()
      if (memory === null) throw new Error("nothing remembered")
      const key = makeKey("log.example/test/root-b", "root-b")
      const roots = [computeVerifierKey({ ...key, type: ED25519_NOTE })]
      const text = formatKeyringText({
        ...parseKeyring(memory.keyring.note),
        version: 2n,
        prev: new Uint8Array(32),
        roots,
      })
      const keyring = { version: 2n, note: signNote(text, [key]) }
      const identity = { origin: log.origin, root: log.root.fingerprint }
      changeState(() => formatMemory({ ...memory, keyring }, identity))(log, world)
      log.addKeyring(liveKeys(log))
      return log
    },
    code: "KEYRING_INVALID",
  },
]

const FORKS: readonly Case[] = [
  { name: "another tree of one size", happens: (log) => log.fork(699n).append("other"), code: "LOG_INCONSISTENT" },
  {
    name: "a larger tree without ours",
    happens: (log) => log.fork(300n).append(...entries(10_000, 10_500)),
    code: "LOG_INCONSISTENT",
  },
  {
    name: "a smaller tree beside ours",
    happens: (log) => log.fork(50n).append(...entries(10_000, 10_300)),
    code: "LOG_INCONSISTENT",
  },
  {
    name: "a tree without the one that a key was closed with",
    happens: rotated((log) => log.fork(300n).append(...entries(10_000, 10_500))),
    code: "LOG_INCONSISTENT",
  },
  {
    name: "two keyrings of one version",
    happens: async (log, world) => {
      const twin = log.fork(700n)
      log.addKeyring(liveKeys(log), 1n)
      twin.addKeyring(liveKeys(log), 2n)
      await world.open()
      return twin
    },
    code: "LOG_INCONSISTENT",
  },
]

/** The error that the reader ends in; whatever it is, what is remembered stays as it was. */
async function outcomeOf({ happens }: Case): Promise<{ error: ToolsumError; log: HostileLog }> {
  const log = logOf(700)
  const world = await seen(log, 100n, 700n)
  const source = await happens(log, world)
  const before = [...world.state.stored]
  const error = await failureOf(world.open({ source }))
  expect([...world.state.stored]).toEqual(before)
  return { error, log }
}

/** What the evidence of an error shows to somebody who has the root only; null where it has none. */
function prove(error: ToolsumError, log: HostileLog): VerifiedFork | null {
  const evidence = forkEvidenceOf(error, log.origin)
  if (evidence === null) return null
  const read = parseForkEvidence(formatForkEvidence(evidence))
  return verifyForkEvidence({ evidence: read, roots: [log.root], nowSec: BigInt(START) })
}

const isCalledFork = ({ code, message }: ToolsumError) => code === "LOG_INCONSISTENT" || /\bfork/.test(message)

describe("corrupt:", () => {
  test.each(CORRUPT)("$name", async (one) => {
    const { error } = await outcomeOf(one)
    expect(error).toMatchObject({ code: one.code, kind: "malformed", evidence: undefined })
    expect(isCalledFork(error)).toBe(false)
    expect(error.message).toContain('it is kept in "memory of log.example/test": compare the log with others first')
  })
})

describe("unavailable:", () => {
  test.each(UNAVAILABLE)("$name", async (one) => {
    const { error } = await outcomeOf(one)
    expect(error.code).toBe(one.code)
    expect(["unavailable", "malformed"]).toContain(error.kind)
    expect(isCalledFork(error)).toBe(false)
  })

  test("a state that cannot be read or written is a warning, and the log is answered for", async () => {
    for (const broken of ["read", "write"] as const) {
      const log = logOf(700)
      const world = await seen(log, 100n)
      world.state.broken = broken
      expect((await world.open()).warnings).toEqual(["state_unavailable"])
    }
  })
})

describe("refused, and no fork:", () => {
  test.each(REJECTED)("$name", async (one) => {
    const { error, log } = await outcomeOf(one)
    expect(error).toMatchObject({ code: one.code, kind: "rejected" })
    expect(isCalledFork(error)).toBe(false)
    // Whoever gets the evidence of a rollback is not told that it proves one.
    expect(prove(error, log)?.isProven ?? null).toBe(one.code === "LOG_ROLLBACK" ? false : null)
  })

  test("who is stuck with a revoked key's tree is told where that is remembered", async () => {
    const one = REJECTED.find(({ code }) => code === "KEY_NOT_VALID_AT_SIZE")
    if (one === undefined) throw new Error("no such case")
    expect((await outcomeOf(one)).error.message).toContain('it is kept in "memory of log.example/test"')
  })
})

describe("a fork, proven by its own bytes:", () => {
  test.each(FORKS)("$name", async (one) => {
    const { error, log } = await outcomeOf(one)
    expect(error).toMatchObject({ code: one.code, kind: "rejected" })
    expect(prove(error, log)?.isProven).toBe(true)
  })
})

describe("keyrings that a lockfile has:", () => {
  test("a log that serves fewer is behind; in a folder it went back", async () => {
    const log = logOf(10)
    log.rotate("log-2")
    const old = logOf(10)
    const { open } = await seen(old)
    const previousKeyrings = log.keyrings
    expect((await failureOf(open({ previousKeyrings }))).code).toBe("LOG_BEHIND")
    old.local = true
    const error = await failureOf(open({ previousKeyrings }))
    expect(error.code).toBe("LOG_ROLLBACK")
    expect(prove(error, log)).toMatchObject({ finding: "went_back", isProven: false })
    await expect(open({ source: log, previousKeyrings: log.keyrings.slice(0, 1) })).resolves.toBeDefined()
  })

  test("other ones of a version are a fork, and nothing is remembered", async () => {
    const [log, twin] = [logOf(10), logOf(10)]
    log.addKeyring(liveKeys(log), 1n)
    twin.addKeyring(liveKeys(log), 2n)
    const { open, state } = await seen(log)
    const error = await failureOf(open({ previousKeyrings: twin.keyrings }))
    expect(error.code).toBe("LOG_INCONSISTENT")
    expect(prove(error, log)).toMatchObject({ finding: "two_keyrings", isProven: true })
    expect(state.stored.size).toBe(0)
  })
})
