// LEGION lockfiles: every case of the shared vectors, the answer for every fault, flipped bits, and the bytes that are written.
import { describe, expect, test } from "vitest"
import { forkEvidenceOf, verifyForkEvidence } from "../../../src/core/fork-evidence.js"
import { parseBundle } from "../../../src/core/legion/bundle.js"
import { verifyLegionKeyring } from "../../../src/core/legion/keyring.js"
import {
  createLegionLockfile,
  formatLegionLockfile,
  type LegionLockfile,
  parseLegionLockfile,
  pinInLegionLockfile,
} from "../../../src/core/legion/lockfile.js"
import { requireRecord } from "../../../src/core/legion/record.js"
import { verifyBundle } from "../../../src/core/legion/verify-bundle.js"
import { verifyLegionLockfile } from "../../../src/core/legion/verify-lockfile.js"
import type { PinnedRoot } from "../../../src/core/root.js"
import { findPlaces } from "../../fakes/json-places.js"
import {
  formatLegionKeyring,
  KEYRING,
  type LegionTestLog,
  LOG_KEY,
  makeLegionKey,
  makeLegionLog,
  ROOT,
  register,
  revoke,
  toolOf,
} from "../../fakes/legion-log.js"
import { describeShared } from "../../shared.js"
import { everyNth, flipped } from "../flips.js"
import { codesOf, legionCase, legionCases } from "./vectors.js"

const NOW = 1780000000n
const rootOf = (fingerprint: string, name: string | null = null): PinnedRoot => ({
  dialect: "legion",
  name,
  fingerprint,
  floor: null,
  source: "flag",
})

const verify = (lockfile: string | Uint8Array, roots: readonly PinnedRoot[] = [rootOf(ROOT.pin)]) =>
  verifyLegionLockfile({ lockfile: parseLegionLockfile(lockfile), roots, nowSec: NOW })

describeShared("LEGION lockfile vectors", () => {
  test.each(legionCases<{ lockfile: string }>("lockfile"))("$id: $desc", (one) => {
    const outcome = () => {
      const { servers, exitCode } = verify(one.input.lockfile, [rootOf(one.root_pin)])
      return { exitCode, reasons: servers.map(({ reason }) => reason) }
    }
    if (one.expect === "accept") {
      expect(outcome()).toMatchObject({ exitCode: 0 })
      return
    }
    const codes = [...codesOf(one), ...(REASONS[one.id] ?? [])]
    try {
      const { exitCode, reasons } = outcome()
      expect([exitCode > 0, reasons.every((reason) => codes.includes(reason ?? ""))]).toEqual([true, true])
    } catch (error) {
      expect(error).toMatchObject({ code: expect.toBeOneOf(codes) })
    }
  })

  test.each(
    legionCases<{ lockfile: string }>("lockfile").filter(({ id }) =>
      /good|two-pins|old-pin|approved-hash|evidence-missing/.test(id),
    ),
  )("$id is written as it was", ({ input }) => {
    expect(formatLegionLockfile(parseLegionLockfile(input.lockfile))).toBe(input.lockfile)
  })

  test("compact JSON is written in the one form", () => {
    const textOf = (id: string) => legionCase<{ lockfile: string }>("lockfile", id).input.lockfile
    expect(formatLegionLockfile(parseLegionLockfile(textOf("compact")))).toBe(textOf("two-pins"))
  })
})

/** Answers that are no error code. */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  "lockfile/keyring-null": ["malformed"],
  "lockfile/evidence-missing": ["not_logged"],
}

const ORIGIN = "tlog.example.com/mcp/v0"
const LOG = makeLegionLog([
  { serverId: "io.test/one", tools: [toolOf("a"), toolOf("__proto__")] },
  { serverId: "io.test/two", tools: [] },
  { serverId: "io.test/three", tools: [{ name: "10", inputSchema: { default: 1 } }], version: "v1" },
])

/** What `pinInLegionLockfile` takes, for a leaf of the tree of all records. */
function pinOf(log: LegionTestLog, leaf: number, keyring = log.keyring): Parameters<typeof pinInLegionLockfile>[1] {
  const bundle = parseBundle(JSON.stringify(log.bundle(leaf)))
  const keys = verifyLegionKeyring({ text: log.keyring })
  const { entry, head } = verifyBundle({ bundle, keyring: keys, serverId: String(bundle.record.server_id) })
  const evidence = bundle.document
  return { record: requireRecord(entry), treeSize: head.size, evidence, keyring, pinnedAt: "2026-05-01T00:00:00Z" }
}

function pinned(log: LegionTestLog, leaves: readonly number[], keyring = log.keyring): LegionLockfile {
  const empty = createLegionLockfile({ base: "https://tlog.example.com/tlog/v1", origin: ORIGIN, rootPin: ROOT.pin })
  return leaves.reduce((lockfile, leaf) => pinInLegionLockfile(lockfile, pinOf(log, leaf, keyring)), empty)
}

const GOOD = formatLegionLockfile(pinned(LOG, [0, 1, 2]))
type Draft = { [name: string]: Draft & string }
const edited = (edit: (document: Draft) => void): string => {
  const document = JSON.parse(GOOD) as Draft
  edit(document)
  return JSON.stringify(document)
}
const one = (document: Draft) => document.servers?.["io.test/one"] as Draft

describe("verifyLegionLockfile", () => {
  test("proves every pin, and says what a LEGION record covers", () => {
    const report = verify(GOOD)
    expect(report).toMatchObject({
      exitCode: 0,
      refuted: [],
      roots: [{ log: ORIGIN, fingerprint: ROOT.pin, source: "flag" }],
    })
    expect(report.servers).toHaveLength(3)
    expect(report.servers.find(({ name }) => name === "io.test/one")).toMatchObject({
      subject: "io.test/one",
      verdict: "PROVEN",
      covered: [{ section: "tools", fields: ["description", "inputSchema", "name"] }],
      notCovered: expect.arrayContaining(["tools.annotations", "tools.outputSchema", "tools._meta", "instructions"]),
      head: { origin: ORIGIN, size: 3n, cosigners: 0, ageSec: 4998400 },
      record: { index: 0n },
      items: { tools: 2 },
    })
  })

  const unnamed = [rootOf(ROOT.pin)]
  const other = makeLegionKey("x")

  test.each<{ name: string; lockfile: string; roots?: readonly PinnedRoot[]; answer: string; exit: number }>([
    { name: "no root pinned", lockfile: GOOD, roots: [], answer: "UNKNOWN(root_not_pinned)", exit: 2 },
    {
      name: "a root for no log of this file",
      lockfile: GOOD,
      roots: [rootOf(other.pin)],
      answer: "UNKNOWN(root_not_pinned)",
      exit: 2,
    },
    {
      name: "another root pinned by name",
      lockfile: GOOD,
      roots: [rootOf(other.pin, ORIGIN)],
      answer: "REJECTED(ROOT_MISMATCH)",
      exit: 3,
    },
    {
      name: "the claim of another root",
      lockfile: edited((d) => {
        Object.assign(d.log ?? {}, { root_pin_sha256: other.pin })
      }),
      answer: "REJECTED(ROOT_MISMATCH)",
      exit: 3,
    },
    {
      name: "no keyring",
      lockfile: edited((d) => {
        Object.assign(d, { keyring: null })
      }),
      answer: "UNKNOWN(malformed)",
      exit: 2,
    },
    {
      name: "an approval of another hash",
      lockfile: edited((d) => {
        Object.assign(one(d).approved as Draft, { tools_sha256: "0".repeat(64) })
      }),
      answer: "REJECTED(RECORD_INVALID)",
      exit: 3,
    },
    {
      name: "an approval of another tool",
      lockfile: edited((d) => {
        Object.assign(one(d).approved?.tools as Draft, { a: "0".repeat(64) })
      }),
      answer: "REJECTED(RECORD_INVALID)",
      exit: 3,
    },
    {
      name: "an approval by another algorithm",
      lockfile: edited((d) => {
        Object.assign(one(d).approved as Draft, { algo: "x" })
      }),
      answer: "REJECTED(RECORD_INVALID)",
      exit: 3,
    },
    {
      name: "an approval of another count",
      lockfile: edited((d) => {
        Object.assign(one(d).approved as Draft, { tool_count: 3 })
      }),
      answer: "REJECTED(RECORD_INVALID)",
      exit: 3,
    },
    {
      name: "an approval of a count that is true",
      lockfile: edited((d) => {
        Object.assign(one(d).approved as Draft, { tool_count: true })
      }),
      answer: "REJECTED(RECORD_INVALID)",
      exit: 3,
    },
    {
      name: "an approval of no tools",
      lockfile: edited((d) => {
        Object.assign(one(d).approved as Draft, { tools: null })
      }),
      answer: "REJECTED(RECORD_INVALID)",
      exit: 3,
    },
    {
      name: "pinned from another time",
      lockfile: edited((d) => {
        Object.assign(one(d).pinned_from as Draft, { observed_at: "2026-03-01T00:00:01Z" })
      }),
      answer: "REJECTED(RECORD_INVALID)",
      exit: 3,
    },
    {
      name: "pinned from another tree",
      lockfile: edited((d) => {
        Object.assign(one(d).pinned_from as Draft, { tree_size: 2 })
      }),
      answer: "REJECTED(RECORD_INVALID)",
      exit: 3,
    },
    {
      name: "an edited record",
      lockfile: edited((d) => {
        Object.assign(one(d).evidence?.record as Draft, { observed_at: "x" })
      }),
      answer: "REJECTED(SIGNATURE_INVALID)",
      exit: 3,
    },
    {
      name: "a proof that cannot be read",
      lockfile: edited((d) => {
        Object.assign(one(d).evidence?.inclusion as Draft, { audit_path: ["x"] })
      }),
      answer: "UNKNOWN(malformed)",
      exit: 2,
    },
    {
      name: "an entry that legion-guard wrote",
      lockfile: edited((d) => {
        Object.assign(one(d), { evidence: undefined, approved_at: "2026-05-01T00:00:00Z", source: "seen" })
      }),
      answer: "UNKNOWN(not_logged)",
      exit: 2,
    },
  ])("$name is $answer", ({ lockfile, roots = unnamed, answer, exit }) => {
    const { servers, exitCode } = verify(lockfile, roots)
    const found = servers.find(({ name }) => name === "io.test/one")
    expect([`${found?.verdict}(${found?.reason})`, exitCode]).toEqual([answer, exit])
  })

  test("two roots of one size refute the log for every pin", () => {
    const fork = makeLegionLog([0, 1, 2].map((n) => ({ serverId: `io.fork/${n}`, tools: [] })))
    const strange = JSON.parse(formatLegionLockfile(pinned(fork, [0]))) as Draft
    const mixed = edited((d) => {
      Object.assign(d.servers ?? {}, strange.servers)
    })
    const { servers, refuted, exitCode } = verify(mixed)
    expect([servers.length, exitCode, refuted[0]?.error.code]).toEqual([4, 3, "LOG_INCONSISTENT"])
    expect(servers.every(({ reason }) => reason === "LOG_INCONSISTENT")).toBe(true)
    const evidence = refuted[0] && forkEvidenceOf(refuted[0].error, refuted[0].origin)
    expect(evidence && verifyForkEvidence({ evidence, roots: [rootOf(ROOT.pin)], nowSec: NOW }).isProven).toBe(true)
  })

  test("a pin of a fingerprint that this version does not know is UNKNOWN(newer_format)", () => {
    const log = makeLegionLog([
      {
        serverId: "io.test/one",
        tools: [],
        edit: (record) => {
          record.schema = "legion-mcp-tlog-record/0.2"
        },
      },
    ])
    const lockfile = edited((d) => {
      Object.assign(d, { servers: { "io.test/one": { ...one(d), evidence: log.bundle(0) } } })
    })
    expect(verify(lockfile).servers).toMatchObject([{ verdict: "UNKNOWN", reason: "newer_format" }])
  })

  test("a key that was revoked after the pin was made proves nothing any more", () => {
    const keyring = formatLegionKeyring([...KEYRING, revoke(LOG_KEY.id)])
    const { servers } = verify(formatLegionLockfile(pinned(LOG, [0], keyring)))
    expect(servers).toMatchObject([{ verdict: "REJECTED", reason: "KEY_NOT_VALID_AT_SIZE" }])
  })

  test("a file without pins is nothing to prove; with a refuted keyring it is refuted", () => {
    const empty = pinned(LOG, [])
    expect(() => verifyLegionLockfile({ lockfile: empty, roots: [], nowSec: NOW })).toThrow(
      expect.objectContaining({ code: "NO_PINS" }),
    )
    const keyring = formatLegionKeyring([register(other, "root")])
    expect(() => verifyLegionLockfile({ lockfile: { ...empty, keyring }, roots: [], nowSec: NOW })).toThrow(
      expect.objectContaining({ code: "ROOT_MISMATCH" }),
    )
  })

  test("a flipped bit is refused, or lies where nothing is proven", () => {
    const bytes = new TextEncoder().encode(GOOD)
    const places = findPlaces(GOOD)
    for (const flip of everyNth(bytes, 37)) {
      const where = places[flip.at]?.path.join("/") ?? ""
      try {
        const { exitCode } = verify(flipped(bytes, flip))
        if (exitCode === 0) expect(where, `bit ${flip.bit} of byte ${flip.at}`).toMatch(UNBOUND)
      } catch (error) {
        expect(error).toMatchObject({ name: "ToolsumError" })
      }
    }
  })
})

/** What a LEGION lockfile says without proof: the log's names, and when a pin was made. */
const UNBOUND = /^(?:|log\/(?:base|origin)|servers\/[^/]+\/[^/]+\/pinned_at)$/

describe("parseLegionLockfile", () => {
  test.each<{ name: string; edit: (document: Draft) => void }>([
    {
      name: "another format",
      edit: (d) => {
        Object.assign(d, { format: "mcp-tools-lock/0.2" })
      },
    },
    {
      name: "no log",
      edit: (d) => {
        Object.assign(d, { log: undefined })
      },
    },
    {
      name: "servers that are a list",
      edit: (d) => {
        Object.assign(d, { servers: [] })
      },
    },
    {
      name: "a root that is no hash",
      edit: (d) => {
        Object.assign(d.log ?? {}, { root_pin_sha256: "X" })
      },
    },
    {
      name: "a pin without approval",
      edit: (d) => {
        Object.assign(one(d), { approved: undefined })
      },
    },
    {
      name: "a pin without time",
      edit: (d) => {
        Object.assign(one(d), { pinned_at: "now" })
      },
    },
    {
      name: "a pin from nowhere",
      edit: (d) => {
        Object.assign(one(d), { pinned_from: undefined })
      },
    },
  ])("refuses $name", ({ edit }) =>
    expect(() => parseLegionLockfile(edited(edit))).toThrow(expect.objectContaining({ code: "LOCKFILE_MALFORMED" })),
  )

  test("says so when git has left conflict markers", () => {
    const text = GOOD.replace("\n", "\n<<<<<<< HEAD\n")
    expect(() => parseLegionLockfile(text)).toThrow(/conflict markers/)
  })

  test("keeps what it does not know, and numbers as they were spelled", () => {
    const extra = ' "extra": {\n  "a": 1.0,\n  "b": 1e+16,\n  "c": 12345678901234567890\n },\n'
    const text = GOOD.replace(' "format"', `${extra} "format"`)
    expect(formatLegionLockfile(parseLegionLockfile(text))).toBe(text)
  })
})

test("the written form and any other are read alike", () => {
  const { source: _written, ...written } = parseLegionLockfile(GOOD)
  const { source: _compact, ...compact } = parseLegionLockfile(JSON.stringify(JSON.parse(GOOD)))
  expect(compact).toEqual(written)
  for (const twice of [GOOD.replace(' "keyring"', ' "format": "x",\n "keyring"'), GOOD.replace("{", "\ufeff{")])
    expect(() => parseLegionLockfile(twice)).toThrow(expect.objectContaining({ code: "LOCKFILE_MALFORMED" }))
})

test("a pin that is added again takes the place of the old one", () => {
  const again = pinInLegionLockfile(parseLegionLockfile(GOOD), pinOf(LOG, 0))
  expect(formatLegionLockfile(again)).toBe(GOOD)
  expect(again.servers.size).toBe(3)
})
