// LEGION evidence files: every case of the shared vectors, one bad file per check, and the bytes that are written.
import { describe, expect, test } from "vitest"
import { parseBundle } from "../../../src/core/legion/bundle.js"
import { formatLegionEvidence, type LegionEvidence, parseLegionEvidence } from "../../../src/core/legion/evidence.js"
import { verifyLegionEvidence } from "../../../src/core/legion/verify-evidence.js"
import type { PinnedRoot } from "../../../src/core/root.js"
import { LOG_KEY, makeLegionKey, makeLegionLog, ROOT, signJson, toolOf } from "../../fakes/legion-log.js"
import { describeShared } from "../../shared.js"
import { everyNth, flipped } from "../flips.js"
import { expectRefusal, legionCases } from "./vectors.js"

const rootOf = (fingerprint: string): PinnedRoot => ({
  dialect: "legion",
  name: null,
  fingerprint,
  floor: null,
  source: "flag",
})
const verify = (text: string | Uint8Array, rootPin = ROOT.pin) =>
  verifyLegionEvidence({ evidence: parseLegionEvidence(text), roots: [rootOf(rootPin)] })

describeShared("LEGION evidence vectors", () => {
  test.each(legionCases<{ evidence: string }, { expect_verdict?: string }>("evidence"))("$id: $desc", (one) => {
    const run = () => verify(one.input.evidence, one.root_pin)
    if (one.expect === "reject") return expectRefusal(run, one)
    const { verdict, root } = run()
    expect([verdict, root?.source]).toEqual([one.expect_verdict, "flag"])
  })

  test.each(legionCases<{ evidence: string }>("evidence").filter(({ expect: e }) => e === "accept"))(
    "$id is read back as it was written",
    ({ input }) => {
      const evidence = parseLegionEvidence(input.evidence)
      const text = formatLegionEvidence(evidence)
      expect(parseLegionEvidence(text)).toEqual(evidence)
      // Only white space is added to what was compact.
      expect(text.replace(/\n */g, "").replaceAll('": ', '":')).toBe(input.evidence)
    },
  )
})

const ID = "io.test/one"
const TOOLS = [toolOf("a"), toolOf("b")]
const LOG = makeLegionLog([
  { serverId: ID, tools: [toolOf("a")] },
  { serverId: "io.test/two", tools: TOOLS },
  { serverId: ID, tools: TOOLS },
])

const evidenceOf = (more: Partial<LegionEvidence> = {}): LegionEvidence => ({
  serverId: ID,
  url: "https://mcp.example.com/mcp",
  fetchedAt: "2026-05-01T00:00:00Z",
  authRequired: false,
  httpStatus: null,
  liveTools: TOOLS,
  bundle: parseBundle(JSON.stringify(LOG.bundle(2))),
  keyring: LOG.keyring,
  history: [LOG.records[2] ?? {}, LOG.records[0] ?? {}],
  signedTools: { a: TOOLS[0] ?? {}, b: TOOLS[1] ?? {} },
  newerUncovered: 0n,
  ...more,
})

describe("verifyLegionEvidence", () => {
  const judge = (more: Partial<LegionEvidence>, roots = [rootOf(ROOT.pin)]) =>
    verifyLegionEvidence({ evidence: evidenceOf(more), roots })

  test.each<{ name: string; more: Partial<LegionEvidence>; verdict: string }>([
    { name: "the signed list", more: {}, verdict: "UNCHANGED" },
    { name: "another list", more: { liveTools: [toolOf("a", "Else."), toolOf("c")] }, verdict: "CHANGED" },
    { name: "no list", more: { liveTools: null }, verdict: "UNKNOWN" },
    { name: "a wish for credentials", more: { liveTools: null, authRequired: true, httpStatus: 401 }, verdict: "AUTH" },
    { name: "no history and no archive", more: { history: null, signedTools: null }, verdict: "UNCHANGED" },
  ])("$name is $verdict", ({ more, verdict }) => expect(judge(more).verdict).toBe(verdict))

  test("names what changed, with fields where the archive is there", () => {
    const liveTools = [toolOf("a", "Else."), toolOf("c")]
    expect(judge({ liveTools }).lists).toMatchObject({
      added: ["c"],
      removed: ["b"],
      modified: [{ name: "a", fields: ["description"] }],
    })
    expect(judge({ liveTools, signedTools: null }).lists?.modified).toEqual([{ name: "a", fields: null }])
  })

  test("gives the history by leaf, and no root where none is pinned", () => {
    const { history, root, rootPin } = judge({}, [])
    expect([history.map(({ leafIndex }) => leafIndex), root, rootPin]).toEqual([[0n, 2n], null, ROOT.pin])
  })

  const unsigned = { ...LOG.records[0], signature_ed25519: signJson(LOG_KEY, {}) }
  const twin = makeLegionLog([{ serverId: ID, tools: [] }]).records[0] ?? {}

  test.each<{ name: string; more: Partial<LegionEvidence>; code: string }>([
    { name: "another server's id", more: { serverId: "io.test/two" }, code: "RECORD_INVALID" },
    { name: "a live list beside a wish for credentials", more: { authRequired: true }, code: "EVIDENCE_INVALID" },
    { name: "a live tool without name", more: { liveTools: [{}] }, code: "EVIDENCE_INVALID" },
    { name: "history that is not signed", more: { history: [unsigned] }, code: "EVIDENCE_INVALID" },
    { name: "history of another server", more: { history: [LOG.records[1] ?? {}] }, code: "EVIDENCE_INVALID" },
    {
      name: "history with two records at one leaf",
      more: { history: [twin, LOG.records[0] ?? {}] },
      code: "EVIDENCE_INVALID",
    },
    { name: "another archive", more: { signedTools: { a: TOOLS[0] ?? {} } }, code: "HASH_MISMATCH" },
    {
      name: "definitions under other names",
      more: { signedTools: { b: TOOLS[0] ?? {}, a: TOOLS[1] ?? {} } },
      code: "EVIDENCE_INVALID",
    },
    {
      name: "another head",
      more: { bundle: { ...evidenceOf().bundle, head: parseBundle(JSON.stringify(LOG.bundle(1, 2))).head } },
      code: "INCLUSION_INVALID",
    },
  ])("refuses $name", ({ more, code }) => expect(() => judge(more)).toThrow(expect.objectContaining({ code })))

  test("a flipped bit is refused, or is in the saver's own word", () => {
    const bytes = new TextEncoder().encode(formatLegionEvidence(evidenceOf()))
    const good = verify(bytes)
    for (const flip of everyNth(bytes, 29)) {
      try {
        const { verdict, record, head } = verify(flipped(bytes, flip))
        expect([record, head]).toEqual([good.record, good.head])
        expect(verdict).toMatch(/^(?:UNCHANGED|CHANGED)$/)
      } catch (error) {
        expect(error, `bit ${flip.bit} of byte ${flip.at}`).toMatchObject({ name: "ToolsumError" })
      }
    }
  })
})

describe("parseLegionEvidence", () => {
  const text = formatLegionEvidence(evidenceOf())

  test.each<{ name: string; from: string; to: string }>([
    { name: "another schema", from: "evidence/0.1", to: "evidence/0.2" },
    { name: "an id that is no text", from: `"server_id": "${ID}",\n "url"`, to: '"server_id": 1,\n "url"' },
    { name: "a flag that is no flag", from: '"auth_required": false', to: '"auth_required": 0' },
    { name: "another status", from: '"http_status": null', to: '"http_status": 500' },
    { name: "tools that are no list", from: '"live_tools": [', to: '"live_tools": {}, "x": [' },
    { name: "history that is no list", from: '"history": [', to: '"history": [1,' },
    { name: "definitions that are a list", from: '"signed_tools": {', to: '"signed_tools": [], "y": {' },
    { name: "a count that is none", from: '"newer_uncovered_records": 0', to: '"newer_uncovered_records": "0"' },
    { name: "what is no JSON", from: "{", to: "" },
  ])("refuses $name", ({ from, to }) => {
    expect(text).toContain(from)
    const run = () => parseLegionEvidence(text.replace(from, to))
    expect(run).toThrow(expect.objectContaining({ code: "EVIDENCE_MALFORMED" }))
  })

  test("a key of another log proves nothing", () => {
    const strange = makeLegionKey("strange")
    const bundle = parseBundle(JSON.stringify({ ...LOG.bundle(2), sth: LOG.head(3, { key: strange }) }))
    const run = () => verify(formatLegionEvidence(evidenceOf({ bundle })))
    expect(run).toThrow(expect.objectContaining({ code: "SIGNATURE_INVALID" }))
  })
})
