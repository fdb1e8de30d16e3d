// A pin against what its log serves now: every check case of the shared vectors, with answers fetched from their table as a client would.
import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../../src/core/errors.js"
import { parseConsistencyAnswer } from "../../../src/core/legion/answers.js"
import { type ProvenDefinitions, parseArchive, verifyArchive } from "../../../src/core/legion/archive.js"
import { parseBundle } from "../../../src/core/legion/bundle.js"
import {
  checkLatest,
  compareLists,
  listNeeds,
  type ProvenRecord,
  provenRecord,
} from "../../../src/core/legion/check.js"
import { computeFingerprint } from "../../../src/core/legion/fingerprint.js"
import { type LegionKeyring, requireKeyringExtends, verifyLegionKeyring } from "../../../src/core/legion/keyring.js"
import { parseLegionLockfile } from "../../../src/core/legion/lockfile.js"
import type { FingerprintVersion, LegionFingerprint } from "../../../src/core/legion/record.js"
import { requireOneRootPerSize } from "../../../src/core/legion/tree-head.js"
import { verifyBundle } from "../../../src/core/legion/verify-bundle.js"
import { verifyLegionPin } from "../../../src/core/legion/verify-pin.js"
import { formatArchive, type LegionTestLog, makeLegionLog, type RecordPlan, toolOf } from "../../fakes/legion-log.js"
import { describeShared } from "../../shared.js"
import { expectRefusal, type LegionCase, legionCases } from "./vectors.js"

interface Input {
  readonly lockfile: string
  readonly responses: Readonly<Record<string, readonly [number, string]>>
  readonly strict: boolean
}
interface More {
  readonly expect_verdict?: string
  readonly by_turn?: Readonly<Record<string, readonly string[]>>
}

/** One run of a client over the answers of a case: match, drift or stale. */
function runCheck({ input, root_pin: rootPin, by_turn = {} }: LegionCase<Input> & More): string {
  const turns = new Map<string, number>()
  const fetchPath = (path: string): string | null => {
    const [status, body] = input.responses[path] ?? [404, ""]
    if (status !== 200) return null
    if (body !== "@by-turn") return body
    const turn = turns.get(path) ?? 0
    turns.set(path, turn + 1)
    return by_turn[path]?.[turn] ?? null
  }
  const need = (path: string): string => {
    const body = fetchPath(path)
    if (body === null) throw new ToolsumError("LOG_UNAVAILABLE", path)
    return body
  }
  const lockfile = parseLegionLockfile(input.lockfile)
  if (lockfile.servers.size === 0) throw new ToolsumError("NO_PINS", "nothing to check")
  const stored = verifyLegionKeyring({ text: lockfile.keyring ?? "", rootPin })
  const keyring = verifyLegionKeyring({ text: need("/keyring"), rootPin })
  requireKeyringExtends({ stored, served: keyring })
  const pins = [...lockfile.servers].map(([serverId, pin]) => verifyLegionPin({ serverId, pin, keyring }))
  const checked = pins.map((pinned) => checkOne(pinned, keyring, { need, fetchPath }))
  requireOneRootPerSize([...pins, ...checked.map(({ served }) => served)].map(({ head }) => head))
  if (checked.some(({ lists }) => lists.status === "drift")) return "drift"
  return input.strict && checked.some(({ served }) => (served.newerUncovered ?? 0n) !== 0n) ? "stale" : "match"
}

type Fetch = { need: (path: string) => string; fetchPath: (path: string) => string | null }

function checkOne(pinned: ProvenRecord, keyring: LegionKeyring, { need, fetchPath }: Fetch) {
  const latest = parseBundle(need(`/servers/${encodeURIComponent(pinned.record.serverId)}/latest`))
  const needs = listNeeds(pinned, latest)
  const { from, to } = needs.consistency ?? {}
  const answer = needs.consistency && need(`/proof/consistency?old_size=${from}&new_size=${to}`)
  const proof = answer === null ? [] : parseConsistencyAnswer(answer)
  const served = checkLatest({ pinned, latest, keyring, proof })
  const fetchDefinitions = (signed: LegionFingerprint): ProvenDefinitions | null => {
    const body = needs.archives.includes(signed.sha256) ? fetchPath(`/tools/${signed.sha256}`) : null
    return body === null ? null : verifyArchive({ tools: parseArchive(body), signed })
  }
  const before = pinned.record.fingerprint
  const after = served.record.fingerprint
  const archives = { pinned: fetchDefinitions(before), served: fetchDefinitions(after) }
  const definitions = archives.pinned && archives.served ? { pinned: archives.pinned, served: archives.served } : null
  return { served, lists: compareLists({ pinned: before, served: after, definitions }) }
}

describeShared("LEGION check vectors", () => {
  test.each(legionCases<Input, More>("check"))("$id: $desc", (one) => {
    if (one.expect === "accept") expect(runCheck(one)).toBe(one.expect_verdict)
    else expectRefusal(() => runCheck(one), one)
  })
})

describe("checkLatest", () => {
  const plans: RecordPlan[] = [
    { serverId: "io.test/one", tools: [toolOf("a")] },
    { serverId: "io.test/two", tools: [] },
    { serverId: "io.test/one", tools: [toolOf("a"), toolOf("b")] },
    { serverId: "io.test/two", tools: [toolOf("c")] },
  ]
  const log = makeLegionLog(plans)
  const keyring = verifyLegionKeyring({ text: log.keyring })
  const bundleOf = (from: LegionTestLog, leaf: number, size: number) =>
    parseBundle(JSON.stringify(from.bundle(leaf, size)))
  const pinAt = (leaf: number, size: number) =>
    provenRecord(verifyBundle({ bundle: bundleOf(log, leaf, size), keyring, serverId: "io.test/one" }))
  const proofOf = (from: number, to: number) =>
    parseConsistencyAnswer(JSON.stringify({ proof: log.consistency(from, to) }))

  test("takes a newer record under a larger head", () => {
    const pinned = pinAt(0, 1)
    const latest = bundleOf(log, 2, 4)
    expect(listNeeds(pinned, latest)).toMatchObject({ consistency: { from: 1n, to: 4n } })
    expect(listNeeds(pinned, latest).archives).toHaveLength(2)
    const served = checkLatest({ pinned, latest, keyring, proof: proofOf(1, 4) })
    expect([served.record.leafIndex, served.newerUncovered]).toEqual([2n, null])
  })

  test("needs nothing more for the same record under the same head", () => {
    const pinned = pinAt(2, 4)
    const latest = bundleOf(log, 2, 4)
    expect(listNeeds(pinned, latest)).toEqual({ consistency: null, archives: [] })
    expect(checkLatest({ pinned, latest, keyring, proof: [] }).record).toEqual(pinned.record)
  })

  const at = (leaf: number, size: number) => ({ leaf, size })

  test.each([
    { name: "an older record under a larger head", pin: at(2, 3), served: at(0, 4), from: 3, code: "LOG_ROLLBACK" },
    { name: "a smaller head", pin: at(2, 4), served: at(2, 3), from: 4, code: "LOG_ROLLBACK" },
    { name: "another server's record", pin: at(2, 4), served: at(3, 4), from: 4, code: "RECORD_INVALID" },
    { name: "a wrong proof", pin: at(2, 3), served: at(2, 4), from: 2, code: "CONSISTENCY_INVALID" },
  ])("refuses $name", ({ pin, served, from, code }) => {
    const proof = from < served.size ? proofOf(from, served.size) : []
    const latest = bundleOf(log, served.leaf, served.size)
    const run = () => checkLatest({ pinned: pinAt(pin.leaf, pin.size), latest, keyring, proof })
    expect(run).toThrow(expect.objectContaining({ code }))
  })

  test("refuses a correction as the newest record: it has no list", () => {
    const edit: NonNullable<RecordPlan["edit"]> = (record) => {
      delete record.tools_fingerprint
      const more = { kind: "canonicalization_artifact", corrects_leaf_index: 0, artifact: "number_format" }
      Object.assign(record, { schema: "legion-mcp-tlog-correction/0.1" }, more)
    }
    const corrected = makeLegionLog([...plans.slice(0, 2), { serverId: "io.test/one", tools: [], edit }])
    const latest = bundleOf(corrected, 2, 3)
    const run = () => checkLatest({ pinned: pinAt(0, 1), latest, keyring, proof: [...proofOf(1, 3)] })
    expect(run).toThrow(expect.objectContaining({ code: "PROOF_MALFORMED" }))
  })
})

describe("compareLists", () => {
  const print = (tools: Parameters<typeof computeFingerprint>[0]["tools"], version: FingerprintVersion = "v2") =>
    computeFingerprint({ tools, version, rule: "observe" })
  const definitionsOf = (tools: readonly ReturnType<typeof toolOf>[], version: FingerprintVersion = "v2") =>
    verifyArchive({ tools: parseArchive(formatArchive(tools)), signed: print(tools, version) })
  const before = [toolOf("a"), toolOf("b"), toolOf("c")]
  const after = [toolOf("a"), toolOf("b", "Does another thing."), toolOf("d")]

  test("names what differs by hash alone", () => {
    expect(compareLists({ pinned: print(before), served: print(after, "v3"), definitions: null })).toEqual({
      status: "drift",
      added: ["d"],
      removed: ["c"],
      modified: [{ name: "b", fields: null }],
      note: null,
    })
  })

  test("names the fields where the definitions are there", () => {
    const definitions = { pinned: definitionsOf(before), served: definitionsOf(after) }
    const { modified } = compareLists({ pinned: print(before), served: print(after), definitions })
    expect(modified).toEqual([{ name: "b", fields: ["description"] }])
  })

  test("hashes of v1 and v2 cannot be compared: every tool may have changed", () => {
    const { status, modified } = compareLists({
      pinned: print(before, "v1"),
      served: print(before.slice(0, 2)),
      definitions: null,
    })
    // Without a number in it a tool hashes alike in both, and that is no proof either.
    expect([status, modified.map(({ name }) => name)]).toEqual(["drift", ["a", "b"]])
  })

  test("definitions that say the same are no drift, whatever their hashes", () => {
    const number = (value: number) => ({ ...toolOf("a"), inputSchema: { x: value } })
    const respelled = { ...print([number(1)], "v1"), sha256: "0".repeat(64) }
    const definitions = { pinned: definitionsOf([number(1)]), served: definitionsOf([number(1)]) }
    const result = compareLists({ pinned: print([number(1)]), served: respelled, definitions })
    expect(result).toMatchObject({ status: "match", note: "respelled" })
  })

  test("another hash over the same table is a drift that nothing explains", () => {
    const other = { ...print(before), sha256: "0".repeat(64) }
    const result = compareLists({ pinned: print(before), served: other, definitions: null })
    expect(result).toEqual({ status: "drift", added: [], removed: [], modified: [], note: "unexplained" })
  })

  test("one hash over two tables is the log's contradiction", () => {
    const other = { ...print(after), sha256: print(before).sha256 }
    const run = () => compareLists({ pinned: print(before), served: other, definitions: null })
    expect(run).toThrow(expect.objectContaining({ code: "RECORD_INVALID" }))
  })
})
