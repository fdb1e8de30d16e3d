import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import {
  type ForkEvidence,
  forkEvidenceOf,
  formatForkEvidence,
  nameForkEvidence,
  parseForkEvidence,
  verifyForkEvidence,
} from "../../src/core/fork-evidence.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import type { PinnedRoot } from "../../src/core/root.js"
import { entries, failureOf, logOf, seen } from "../fakes/client-world.js"
import { HostileLog } from "../fakes/hostile-log.js"
import { KEYRING, LOG_KEY, makeLegionLog, ROOT, register, revoke } from "../fakes/legion-log.js"

const NOW = 1_796_083_200n

/** Evidence by hand: what is left out is that of a fork of `log`. */
const evidenceOf = (log: HostileLog, over: Partial<ForkEvidence>): ForkEvidence => ({
  ...{
    code: "LOG_INCONSISTENT",
    origin: log.origin,
    why: "kept",
    a: "",
    b: "",
    prefix: null,
    keyrings: [...log.keyrings],
  },
  ...over,
})

const prove = (evidence: ForkEvidence, roots: readonly PinnedRoot[]) =>
  verifyForkEvidence({ evidence: parseForkEvidence(formatForkEvidence(evidence)), roots, nowSec: NOW })

/** Two trees of size 10. */
function twoTrees() {
  const log = logOf(10)
  const twin = log.fork(9n).append("other")
  return { log, twin, evidence: evidenceOf(log, { a: log.headAt(10n).note, b: twin.headAt(10n).note }) }
}

/** A tree of size 5, and one of size 7 without it: the error of the client who saw both. */
async function notExtended(kept = 3n) {
  const log = logOf(5)
  const world = await seen(log, 5n)
  const twin = log.fork(kept).append(...entries(100, 107 - Number(kept)))
  const error = await failureOf(world.open({ source: twin }))
  const evidence = forkEvidenceOf(error, log.origin)
  if (evidence === null) throw new Error("no evidence")
  return { log, twin, error, evidence }
}

const liveKeys = (log: HostileLog) => verifyKeyring({ notes: log.keyrings }).newest.logs

describe("proven by what is signed:", () => {
  test("two trees of one size", () => {
    const { log, evidence } = twoTrees()
    const fork = prove(evidence, [log.root])
    expect(fork).toMatchObject({ finding: "two_trees", isProven: true, origin: log.origin, keyringVersion: 1n })
    const key = liveKeys(log)[0]?.key
    expect([fork.a, fork.b]).toMatchObject([
      { kind: "head", size: 10n, rootHash: log.rootAt(10n), signers: [{ key: key?.vkey, standing: "live" }] },
      { kind: "head", size: 10n, signers: [{ key: key?.vkey, standing: "live" }] },
    ])
    expect(nameForkEvidence(evidence)).toMatch(/^[0-9a-f]{16}-10-10\.tlog-fork$/)
  })

  test.each([0n, 1n, 3n, 4n])("a larger tree that kept %d entries only", async (kept) => {
    const { log, evidence } = await notExtended(kept)
    expect(prove(evidence, [log.root])).toMatchObject({ finding: "not_extended", isProven: true })
    expect(nameForkEvidence(evidence)).toMatch(/-5-7\.tlog-fork$/)
  })

  test("a tree without the one that a key was closed with", async () => {
    for (const size of [10, 12]) {
      const log = logOf(10)
      log.rotate("log-2")
      const twin = log.fork(5n).append(...entries(100, 95 + size))
      const error = await failureOf((await seen(log)).open({ source: twin }))
      const evidence = forkEvidenceOf(error, log.origin)
      if (evidence === null) throw new Error("no evidence")
      const fork = prove(evidence, [log.root])
      expect(fork).toMatchObject({ finding: "closing_tree", isProven: true, a: { kind: "closing", size: 10n } })
      expect(fork.a.signers).toMatchObject([{ standing: "root" }])
      expect(nameForkEvidence(evidence)).toMatch(new RegExp(`-k2-${size}\\.tlog-fork$`))
    }
  })

  test.each([1, 2])("two keyrings of version %d", (version) => {
    const [log, twin] = [logOf(1), logOf(1)]
    if (version === 2) for (const [i, one] of [log, twin].entries()) one.addKeyring(liveKeys(log), BigInt(i))
    else {
      // The fingerprint says nothing of the log keys.
      twin.keyrings = []
      twin.addKeyring(liveKeys(log), 7n)
    }
    const evidence = evidenceOf(log, { a: twin.keyrings.at(-1) ?? "", b: log.keyrings.at(-1) ?? "" })
    const fork = prove(evidence, [log.root])
    expect(fork).toMatchObject({ finding: "two_keyrings", isProven: true, a: { version: BigInt(version) } })
    expect(nameForkEvidence(evidence)).toMatch(new RegExp(`-k${version}-k${version}\\.tlog-fork$`))
  })

  test("a second keyring that follows another first one, by the same root keys", () => {
    const [log, twin] = [logOf(1), logOf(1)]
    twin.keyrings = []
    twin.addKeyring(liveKeys(log), 7n)
    for (const one of [log, twin]) one.addKeyring(liveKeys(log), 8n)
    const evidence = evidenceOf(log, { a: twin.keyrings[1] ?? "", b: log.keyrings[1] ?? "" })
    expect(prove(evidence, [log.root])).toMatchObject({ finding: "two_keyrings" })
  })

  test("a second tree by a key that was retired above its size", () => {
    const { log, twin } = twoTrees()
    const [a, b] = [log.headAt(10n).note, twin.headAt(10n).note]
    log.append("eleven").rotate("log-2")
    const fork = prove(evidenceOf(log, { a, b }), [log.root])
    expect(fork).toMatchObject({ finding: "two_trees", isProven: true })
    expect(fork.b.signers).toMatchObject([{ standing: "retired" }])
  })

  test("by a key that a later keyring does not list any more", () => {
    const { log, evidence } = twoTrees()
    log.rotate("log-2")
    log.addKeyring(
      liveKeys(log)
        .slice(-1)
        .concat(liveKeys(log))
        .filter(({ closing }) => closing === null)
        .slice(0, 1),
    )
    expect(liveKeys(log)).toHaveLength(1)
    const fork = prove({ ...evidence, keyrings: log.keyrings }, [log.root])
    expect(fork).toMatchObject({ finding: "two_trees", isProven: true, keyringVersion: 3n })
  })

  test("the file has no order and no white space of its own", () => {
    const { log, evidence } = twoTrees()
    const document = Object.entries(JSON.parse(formatForkEvidence(evidence))).reverse()
    expect(parseForkEvidence(JSON.stringify(Object.fromEntries(document)))).toEqual(evidence)
    expect(prove(evidence, [log.root]).warnings).toEqual([])
  })
})

describe("what two honest-looking statements do not prove:", () => {
  test("that the smaller head was served later", async () => {
    const log = logOf(5)
    log.local = true
    const world = await seen(log, 5n)
    log.servedSize = 3n
    const error = await failureOf(world.open())
    expect(error.code).toBe("LOG_ROLLBACK")
    const evidence = forkEvidenceOf(error, log.origin)
    if (evidence === null) throw new Error("no evidence")
    expect(prove(evidence, [log.root])).toMatchObject({ finding: "went_back", isProven: false })
    expect(nameForkEvidence(evidence)).toMatch(/-3-5\.tlog-fork$/)
  })

  test("that the shorter list of keyrings was", () => {
    const log = logOf(1)
    const keyrings = [...log.keyrings]
    log.addKeyring(liveKeys(log))
    const evidence = evidenceOf(log, { code: "LOG_ROLLBACK", a: keyrings[0] ?? "", b: log.keyrings[1] ?? "", keyrings })
    expect(prove(evidence, [log.root])).toMatchObject({ finding: "went_back", isProven: false, b: { version: 2n } })
  })

  test("that the log signed a tree which only a revoked key signed", () => {
    const { log, evidence } = twoTrees()
    const [stolen] = liveKeys(log)
    if (stolen === undefined) throw new Error("no key")
    log.rotate("log-2")
    const live = liveKeys(log).filter(({ key }) => key.vkey !== stolen.key.vkey)
    log.addKeyring([...live.map((key) => ({ ...key, from: 0n })), { ...stolen, revoked: true }])
    const b = log.headAt(10n).note
    const fork = prove({ ...evidence, a: evidence.b, b, keyrings: log.keyrings }, [log.root])
    expect(fork).toMatchObject({ finding: "revoked_key", isProven: false })
    expect([fork.a.signers[0]?.standing, fork.b.signers[0]?.standing]).toEqual(["revoked", "live"])
    // Whoever has only the older keyrings sees a fork: the file says up to which keyring it looks.
    expect(prove(evidence, [log.root])).toMatchObject({ isProven: true, keyringVersion: 1n })
  })
})

describe("evidence that does not hold is EVIDENCE_INVALID:", () => {
  const flip = (note: string) => note.replace(/(\S{8})=\n$/, "AAAAAAAA=\n")
  const shown = (evidence: ForkEvidence) => evidence.prefix ?? { rootHash: new Uint8Array(32), proof: [] }
  const cases: Readonly<Record<string, (e: ForkEvidence, log: HostileLog) => Partial<ForkEvidence>>> = {
    "a signature on the first note": ({ a }) => ({ a: flip(a) }),
    "a signature on the second note": ({ b }) => ({ b: flip(b) }),
    "a keyring's signature": ({ keyrings }) => ({ keyrings: keyrings.map(flip) }),
    "another origin than the notes'": () => ({ origin: "log.example/other" }),
    "one tree twice": ({ b }) => ({ a: b }),
    "no proof": () => ({ prefix: null }),
    "a proof one hash short": (e) => ({ prefix: { ...shown(e), proof: shown(e).proof.slice(1) } }),
    "a proof of another root": (e) => ({ prefix: { ...shown(e), rootHash: new Uint8Array(32) } }),
    "the larger note first": ({ a, b }) => ({ a: b, b: a }),
    "a tree that contains the smaller one": (_, log) => {
      const b = log.headAt(5n)
      return { a: log.headAt(3n).note, b: b.note, prefix: { rootHash: log.rootAt(3n), proof: [] } }
    },
    "a head of another log": () => ({ a: new HostileLog("log.example/other").append("x").headAt(1n).note }),
    "a keyring without closing trees": ({ keyrings }) => ({ a: keyrings[0] ?? "" }),
    "one keyring twice": ({ keyrings }) => ({ a: keyrings[0] ?? "", b: keyrings[0] ?? "" }),
    "a keyring of another log": ({ keyrings }) => ({
      a: new HostileLog("log.example/other").keyrings[0] ?? "",
      b: keyrings[0] ?? "",
    }),
    "keyrings of two versions": ({ keyrings }, log) => {
      log.addKeyring(liveKeys(log))
      return { a: keyrings[0] ?? "", b: log.keyrings[1] ?? "", keyrings: log.keyrings }
    },
    "a key that may not sign that size": (_, log) => {
      const note = log.headAt(5n).note
      const late = log.fork(3n)
      late.rotate("log-2")
      return { b: note, keyrings: late.keyrings }
    },
  }
  test.each(Object.keys(cases))("%s", async (name) => {
    const { log, evidence } = await notExtended()
    expect(prove(evidence, [log.root]).isProven).toBe(true)
    const bad = { ...evidence, ...cases[name]?.({ ...evidence, keyrings: [...evidence.keyrings] }, log) }
    expect(() => prove(bad, [log.root])).toThrow(expect.objectContaining({ code: "EVIDENCE_INVALID" }))
  })

  test("a keyring that other root keys signed", () => {
    const log = logOf(1)
    const other = new HostileLog(log.origin)
    const stranger = { ...log.root }
    log.addKeyring(liveKeys(log))
    const forged = new ForgedLog(log)
    const evidence = evidenceOf(log, { a: forged.keyring, b: log.keyrings[1] ?? "" })
    expect(other.root.fingerprint).toBe(stranger.fingerprint)
    expect(() => prove(evidence, [log.root])).toThrow(expect.objectContaining({ code: "EVIDENCE_INVALID" }))
  })

  test("every flipped bit of what is signed or proven", async () => {
    const { log, evidence } = await notExtended()
    const text = formatForkEvidence(evidence)
    const ends = ["a", "b", "prefixRoot", "proof", "keyrings"].map((name) => {
      const start = text.indexOf(`"${name}": "`) + name.length + 5
      return [start, text.indexOf('"', text.indexOf("\n", start) - 3)] as const
    })
    await fc.assert(
      fc.property(fc.constantFrom(...ends), fc.nat(), fc.integer({ min: 0, max: 6 }), ([start, end], n, bit) => {
        const at = start + (n % (end - start))
        const flipped = String.fromCharCode(text.charCodeAt(at) ^ (1 << bit))
        const bad = text.slice(0, at) + flipped + text.slice(at + 1)
        expect(() => verifyForkEvidence({ evidence: parseForkEvidence(bad), roots: [log.root], nowSec: NOW })).toThrow(
          ToolsumError,
        )
      }),
      { numRuns: 300 },
    )
  })
})

/** A keyring of a log's name and next version, by root keys of somebody else. */
class ForgedLog {
  readonly keyring: string
  constructor(log: HostileLog) {
    const other = new HostileLog("log.example/forger")
    const text = (log.keyrings[1] ?? "").replace(/issued \d+/, "issued 9")
    this.keyring = `${text.slice(0, text.lastIndexOf("\n\n"))}\n\n${(other.keyrings[0] ?? "").split("\n\n")[1]}`
  }
}

describe("roots", () => {
  test.each([
    { name: "none", roots: () => [], code: "ROOT_NOT_PINNED" },
    { name: "another one by that name", roots: (log: HostileLog) => [otherRoot(log)], code: "ROOT_MISMATCH" },
  ])("$name: $code, with the fingerprint to compare", ({ roots, code }) => {
    const { log, evidence } = twoTrees()
    const message = expect.stringContaining(log.root.fingerprint)
    expect(() => prove(evidence, roots(log))).toThrow(expect.objectContaining({ code, message }))
  })
})

const otherRoot = (log: HostileLog): PinnedRoot => ({ ...new HostileLog("log.example/o").root, name: log.origin })

describe("the file", () => {
  const { evidence } = twoTrees()
  const edit = (change: (document: Record<string, unknown>) => void) => {
    const document: Record<string, unknown> = JSON.parse(formatForkEvidence(evidence))
    change(document)
    return JSON.stringify(document)
  }
  test.each<{ name: string; text: string }>([
    { name: "no JSON", text: "fork" },
    { name: "a list", text: "[]" },
    { name: "another format", text: edit((d) => Object.assign(d, { format: "toolsum-fork/v2" })) },
    { name: "an unknown code", text: edit((d) => Object.assign(d, { code: "LOG_BEHIND" })) },
    { name: "a member that is not known", text: edit((d) => Object.assign(d, { note: "x" })) },
    { name: "no side b", text: edit((d) => delete d.b) },
    { name: "a number as origin", text: edit((d) => Object.assign(d, { origin: 1 })) },
    { name: "one side of each dialect", text: edit((d) => Object.assign(d, { a: "{}" })) },
    {
      name: "a root without its proof",
      text: edit((d) => Object.assign(d, { prefixRoot: "A".repeat(43).concat("=") })),
    },
    { name: "a proof of half a hash", text: edit((d) => Object.assign(d, { prefixRoot: "", proof: "AAAA" })) },
    { name: "keyrings as a list", text: edit((d) => Object.assign(d, { keyrings: [] })) },
    { name: "keyrings that are no texts", text: edit((d) => Object.assign(d, { keyrings: "[1]" })) },
    { name: "a member twice", text: formatForkEvidence(evidence).replace('"code"', '"a": "", "code"') },
  ])("with $name is EVIDENCE_MALFORMED", ({ text }) => {
    expect(() => parseForkEvidence(text)).toThrow(expect.objectContaining({ code: "EVIDENCE_MALFORMED" }))
  })

  test.each(["a", "b"] as const)("with side %s unreadable too", (side) => {
    const { log } = twoTrees()
    const bad = { ...evidence, [side]: "x" }
    expect(() => prove(bad, [log.root])).toThrow(expect.objectContaining({ code: "EVIDENCE_MALFORMED" }))
  })

  test("of an early version without keyrings can be read, and not proven", () => {
    const early = parseForkEvidence(edit((d) => delete d.keyrings))
    expect(early).toEqual({ ...evidence, keyrings: [] })
    expect(() => prove(early, [])).toThrow(expect.objectContaining({ code: "EVIDENCE_MALFORMED" }))
  })

  test("format and parse are inverses", () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
    const text = fc.string({ unit: "grapheme", maxLength: 40 }).filter((s) => !s.startsWith("{"))
    const arbitrary: fc.Arbitrary<ForkEvidence> = fc.record({
      code: fc.constantFrom("LOG_INCONSISTENT", "LOG_ROLLBACK", "CONSISTENCY_INVALID"),
      ...{ origin: text, why: text, a: text, b: text, keyrings: fc.array(text, { maxLength: 3 }) },
      prefix: fc.option(fc.record({ rootHash: hash, proof: fc.array(hash, { maxLength: 4 }) })),
    })
    fc.assert(
      fc.property(arbitrary, (one) => {
        expect(parseForkEvidence(formatForkEvidence(one))).toEqual(one)
      }),
    )
  })

  test.each([
    { name: "without evidence", error: new ToolsumError("LOG_INCONSISTENT", "fork") },
    { name: "with other evidence", error: new ToolsumError("LOG_INCONSISTENT", "fork", { evidence: { stderr: "x" } }) },
    { name: "of another kind", error: new ToolsumError("LOG_BEHIND", "late", { evidence: { a: "x", b: "y" } }) },
  ])("an error $name leaves none", ({ error }) => {
    expect(forkEvidenceOf(error, "log.example")).toBeNull()
  })

  test("an error with more in it than a file can say is EVIDENCE_MALFORMED", () => {
    const error = new ToolsumError("LOG_INCONSISTENT", "fork", { evidence: { a: "x", b: "y", stderr: "x" } })
    expect(() => forkEvidenceOf(error, "log.example")).toThrow(expect.objectContaining({ code: "EVIDENCE_MALFORMED" }))
  })
})

describe("of a LEGION log:", () => {
  const tools = (word: string) => [{ name: word, description: word, inputSchema: {} }]
  const log = makeLegionLog(["one", "two", "three"].map((id) => ({ serverId: `io.test/${id}`, tools: tools(id) })))
  const twin = makeLegionLog(["one", "2", "3"].map((id) => ({ serverId: `io.test/${id}`, tools: tools(id) })))
  const root: PinnedRoot = { dialect: "legion", name: null, fingerprint: ROOT.pin, floor: null, source: "flag" }
  const legion = (over: Partial<ForkEvidence>): ForkEvidence => ({
    ...{ code: "LOG_INCONSISTENT", origin: "log.test/legion", why: "kept", prefix: null, keyrings: [log.keyring] },
    ...{ a: JSON.stringify(log.head(2)), b: JSON.stringify(twin.head(2)) },
    ...over,
  })

  test("two heads of one size prove a fork", () => {
    const fork = prove(legion({}), [root])
    expect(fork).toMatchObject({ finding: "two_trees", isProven: true, keyringVersion: null })
    expect(fork.a.signers).toEqual([{ key: LOG_KEY.pin, standing: "live" }])
    expect(nameForkEvidence(legion({}))).toMatch(/-2-2\.tlog-fork$/)
  })

  test.each([
    { code: "LOG_ROLLBACK", a: 3, b: 2, finding: "went_back" },
    { code: "CONSISTENCY_INVALID", a: 2, b: 3, finding: "rewritten" },
  ] as const)("$code of two sizes is $finding, and not proven", ({ code, a, b, finding }) => {
    const evidence = legion({ code, a: JSON.stringify(log.head(a)), b: JSON.stringify(twin.head(b)) })
    expect(prove(evidence, [root])).toMatchObject({ finding, isProven: false, a: { size: 2n }, b: { size: 3n } })
  })

  test("with the root that the larger tree had, it is", () => {
    const proof = twin.consistency(2, 3).map((hash) => Uint8Array.from(Buffer.from(hash, "hex")))
    const rootHash = Uint8Array.from(
      Buffer.from(String((twin.head(2).tree_head as { root_sha256: string }).root_sha256), "hex"),
    )
    const evidence = legion({ b: JSON.stringify(twin.head(3)), prefix: { rootHash, proof } })
    expect(prove(evidence, [root])).toMatchObject({ finding: "not_extended", isProven: true })
  })

  test.each<{ name: string; over: Partial<ForkEvidence>; code: string; roots?: readonly PinnedRoot[] }>([
    { name: "one head twice", over: { b: JSON.stringify(log.head(2)) }, code: "EVIDENCE_INVALID" },
    { name: "two sizes without a word", over: { b: JSON.stringify(twin.head(3)) }, code: "EVIDENCE_INVALID" },
    {
      name: "a head that a stranger's key signed",
      over: { keyrings: [makeLegionLog([], KEYRING.slice(0, 1)).keyring] },
      code: "EVIDENCE_INVALID",
    },
    {
      name: "a revoked key",
      over: { keyrings: [makeLegionLog([], [...KEYRING, revoke(LOG_KEY.id)]).keyring] },
      code: "EVIDENCE_INVALID",
    },
    {
      name: "a keyring that does not hold",
      over: { keyrings: [makeLegionLog([], [register(LOG_KEY, "root"), ...KEYRING]).keyring] },
      code: "EVIDENCE_INVALID",
    },
    { name: "two keyrings", over: { keyrings: [log.keyring, log.keyring] }, code: "EVIDENCE_MALFORMED" },
    { name: "no root", over: {}, code: "ROOT_NOT_PINNED", roots: [] },
  ])("$name: $code", ({ over, code, roots = [root] }) => {
    expect(() => prove(legion(over), roots)).toThrow(expect.objectContaining({ code }))
  })
})
