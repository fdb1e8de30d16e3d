// Evidence of one reading: written and read back, proven again, and every way in which it can be wrong refused.
import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { beforeAll, describe, expect, test } from "vitest"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { computeJsonDigest } from "../../src/core/canonical.js"
import { ToolsumError } from "../../src/core/errors.js"
import { computeTextDigest, hashLeaf } from "../../src/core/hash.js"
import { isObject, parseJson } from "../../src/core/json.js"
import { parseSurface } from "../../src/core/section.js"
import {
  type EvidenceLog,
  type EvidenceReading,
  type EvidenceRecord,
  formatServerEvidence,
  MAX_EVIDENCE_LOGS,
  parseServerEvidence,
  type ServerEvidence,
} from "../../src/core/server-evidence.js"
import { UNKNOWN_REASONS, VERDICTS } from "../../src/core/verdict.js"
import { verifyServerEvidence } from "../../src/core/verify-server-evidence.js"
import { CASES, evidenceOf, LISTS, makeSignedLog, NOW } from "../fakes/evidence-world.js"
import { HostileLog } from "../fakes/hostile-log.js"
import { surfaceOf } from "../fakes/readings.js"
import { arbJson } from "./arbitrary-json.js"
import { arbInstant } from "./arbitrary-lockfile.js"
import { arbHash, arbProfile } from "./arbitrary-record.js"
import { arbTarget, arbText } from "./arbitrary-target.js"
import { flipEvidence } from "./flipped-evidence.js"
import { everyNth } from "./flips.js"

type Root = Awaited<ReturnType<typeof evidenceOf>>["roots"][number]
type Edit = (evidence: ServerEvidence) => ServerEvidence

const verify = (evidence: ServerEvidence, roots: readonly Root[]) =>
  verifyServerEvidence({ evidence: parseServerEvidence(formatServerEvidence(evidence)), roots, nowSec: BigInt(NOW) })
const answer = (evidence: ServerEvidence, roots: readonly Root[]) => {
  const { verdict, reason } = verify(evidence, roots).judgement
  return reason === null ? verdict : `${verdict}(${reason})`
}
const refuses = (work: () => unknown, code: string) =>
  expect(work).toThrow(expect.objectContaining({ name: "ToolsumError", code }))

/** A good file with its document spoilt, and the sum of that. */
// biome-ignore lint/suspicious/noExplicitAny: a document that is to be spoilt anywhere
async function editedFile(edit: (document: any) => void): Promise<string> {
  const { evidence } = await evidenceOf({})
  const document = JSON.parse(formatServerEvidence(evidence))
  edit(document)
  const { sum: _sum, ...rest } = document
  const value = parseJson(JSON.stringify(rest))
  return JSON.stringify(isObject(value) ? { ...document, sum: computeJsonDigest(value) } : document)
}

/** Files that a reader refuses; `invisible`: for a reason that a schema cannot see. */
// biome-ignore lint/suspicious/noExplicitAny: as above
const BAD_FILES: readonly { name: string; invisible?: true; edit: (document: any) => void }[] = [
  { name: "another format", edit: (d) => (d.format = "toolsum-evidence/v2") },
  { name: "a member more", edit: (d) => (d.more = 1) },
  { name: "a member less", edit: (d) => delete d.unread },
  { name: "a member more in the reading", edit: (d) => (d.reading.more = 1) },
  { name: "a list that is an object", edit: (d) => (d.reading.surface.tools = {}) },
  { name: "a surface with a member less", edit: (d) => delete d.reading.surface.prompts },
  { name: "neither surface nor failure", edit: (d) => (d.reading.surface = null) },
  { name: "both", edit: (d) => (d.reading.failure = { verdict: "AUTH", reason: "refused", detail: "" }) },
  {
    name: "an unknown failure",
    edit: (d) => {
      d.reading.surface = null
      d.reading.failure = { verdict: "CHANGED", reason: "x", detail: "" }
    },
  },
  { name: "a reason that there is not", edit: (d) => (d.unread = [{ log: "x", reason: "why", detail: "" }]) },
  { name: "an instant that there is not", invisible: true, edit: (d) => (d.reading.at = "2026-02-30T00:00:00Z") },
  { name: "a subject with a space", edit: (d) => (d.reading.subject = "a b") },
  { name: "an empty version", edit: (d) => (d.reading.version = "") },
  { name: "an ill-formed profile", invisible: true, edit: (d) => (d.reading.profile = "Env:") },
  { name: "no section", edit: (d) => (d.reading.sections = []) },
  { name: "sections in another order", invisible: true, edit: (d) => d.reading.sections.reverse() },
  {
    name: "an unread section that was not asked for",
    invisible: true,
    edit: (d) => (d.reading.incomplete = { resources: "why" }),
  },
  { name: "an argument that is no template", invisible: true, edit: (d) => d.reading.target.args.push("$x") },
  { name: "private as text", edit: (d) => (d.reading.private = "no") },
  { name: "an index with a zero in front", edit: (d) => (d.logs[0].records[0].index = "01") },
  { name: "a proof with half a hash", invisible: true, edit: (d) => (d.logs[0].records[0].proof = "AAAA") },
  { name: "a record twice", invisible: true, edit: (d) => d.logs[0].records.push(d.logs[0].records[0]) },
  { name: "a keyring that is no text", edit: (d) => (d.logs[0].keyring = [1]) },
  { name: "another way of looking", edit: (d) => (d.logs[0].newest = "maybe") },
  { name: "a verdict that there is not", edit: (d) => (d.verdict.verdict = "FINE") },
  { name: "too many logs", edit: (d) => (d.logs = Array.from({ length: MAX_EVIDENCE_LOGS + 1 }, () => d.logs[0])) },
]

const arbSurface = fc
  .record({
    instructions: arbJson,
    tools: fc.option(fc.array(arbJson, { maxLength: 2 })),
    prompts: fc.constant(null),
    resourceTemplates: fc.constant([]),
    resources: fc.constant(null),
    serverInfo: arbJson,
  })
  .map((value) => parseSurface(value))

const arbReading: fc.Arbitrary<EvidenceReading> = fc
  .record({
    at: arbInstant,
    target: arbTarget,
    subject: fc.constantFrom(null, "pkg:npm/x", "https://example.com/"),
    version: fc.constantFrom("-", "1.2.3"),
    profile: arbProfile,
    sections: fc.constantFrom(["tools"] as const, ["tools", "prompts", "templates", "resources"] as const),
    protocol: fc.option(arbText),
    read: fc.dictionary(fc.constantFrom("node", "platform", "__proto__"), arbText),
    isPrivate: fc.boolean(),
    surface: arbSurface,
    incomplete: fc.constantFrom({}, { tools: "why" }),
  })
  .chain((reading) =>
    fc.constantFrom<EvidenceReading>(
      { ...reading, failure: null },
      {
        ...reading,
        surface: null,
        incomplete: {},
        failure: { verdict: "UNKNOWN", reason: "timeout", detail: "late" },
      },
      { ...reading, surface: null, incomplete: {}, failure: { verdict: "AUTH", reason: "refused", detail: "who?" } },
    ),
  )

const arbRecords: fc.Arbitrary<readonly EvidenceRecord[]> = fc
  .uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), { maxLength: 3 })
  .chain((indexes) =>
    fc.tuple(
      ...[...indexes]
        .sort((a, b) => (a < b ? -1 : 1))
        .map((index) =>
          fc.record({
            index: fc.constant(index),
            entry: arbText,
            proof: fc.array(arbHash, { maxLength: 3 }),
            lists: fc.constantFrom({}, { tools: "", resources: "x" }),
            surface: fc.option(arbSurface),
          }),
        ),
    ),
  )

const arbLog: fc.Arbitrary<EvidenceLog> = fc.record({
  keyring: fc.array(arbText, { maxLength: 2 }),
  checkpoint: arbText,
  newest: fc.constantFrom("scanned" as const, "hint" as const),
  records: arbRecords,
})

const arbEvidence: fc.Arbitrary<ServerEvidence> = fc.record({
  reading: arbReading,
  logs: fc.array(arbLog, { maxLength: 2 }),
  unread: fc.array(fc.record({ log: arbText, reason: fc.constantFrom(...UNKNOWN_REASONS), detail: arbText }), {
    maxLength: 2,
  }),
  verdict: fc.record({ verdict: fc.constantFrom(...VERDICTS), reason: fc.option(arbText) }),
})

test("format and parse are inverses", () => {
  fc.assert(
    fc.property(arbEvidence, (evidence) => {
      const text = formatServerEvidence(evidence)
      expect(formatServerEvidence(parseServerEvidence(text))).toBe(text)
    }),
    { numRuns: 50 },
  )
})

describe("good evidence", () => {
  test.each(Object.entries(CASES))("%s", async (_, { says, ...c }) => {
    const { evidence, roots } = await evidenceOf(c)
    expect(parseServerEvidence(formatServerEvidence(evidence))).toEqual(evidence)
    expect(answer(evidence, roots)).toBe(says)
  })

  test("exact numbers of the wire survive", async () => {
    const { evidence, roots } = await evidenceOf({ live: { tools: [{ name: "a", inputSchema: { maximum: 1 } }] } })
    const huge = parseSurface(parseJson('{"tools":[{"name":"a","inputSchema":{"maximum":9223372036854775807}}]}'))
    const edited = { ...evidence, reading: { ...evidence.reading, surface: huge } }
    expect(formatServerEvidence(edited)).toContain("9223372036854775807")
    expect(answer(edited, roots)).toBe("CHANGED(surface)")
  })
})

describe("the schema", () => {
  const schema = JSON.parse(
    readFileSync(new URL("../../schemas/toolsum-evidence.schema.json", import.meta.url), "utf8"),
  )
  const fits = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false }).compile(schema)

  test.each(Object.entries(CASES))("%s fits", async (_, c) => {
    const { evidence } = await evidenceOf(c)
    expect(fits(JSON.parse(formatServerEvidence(evidence))), JSON.stringify(fits.errors)).toBe(true)
  })

  test.each(BAD_FILES.filter(({ invisible }) => !invisible))("refuses $name", async ({ edit }) => {
    expect(fits(JSON.parse(await editedFile(edit)))).toBe(false)
  })
})

describe("roots", () => {
  const pinned = async () => {
    const { evidence, roots } = await evidenceOf({ logs: [[{ lists: LISTS.one }], [{ lists: LISTS.other }]] })
    const [first, second] = roots
    if (!first || !second) throw new Error("expected two logs")
    return { evidence, first, second }
  }

  test("none: nothing is proven, and nothing is refuted", async () => {
    const { evidence, first, second } = await pinned()
    expect(answer(evidence, [])).toBe("UNKNOWN(root_not_pinned)")
    expect(answer(evidence, [first])).toBe("UNKNOWN(root_not_pinned)")
    expect(answer(evidence, [second])).toBe("CHANGED(surface)")
    expect(answer(evidence, [first, second])).toBe("CHANGED(surface)")
  })

  test("another one by name is refused, and so is a floor that is not met", async () => {
    const { evidence, first, second } = await pinned()
    refuses(() => verify(evidence, [{ ...first, fingerprint: second.fingerprint }]), "ROOT_MISMATCH")
    const floor = { version: 2n, digest: new Uint8Array(32) }
    refuses(() => verify(evidence, [{ ...first, floor }]), "KEYRING_INVALID")
  })
})

describe("evidence that contradicts itself, sealed again", () => {
  let base: Awaited<ReturnType<typeof evidenceOf>>
  let long: Awaited<ReturnType<typeof evidenceOf>>
  beforeAll(async () => {
    base = await evidenceOf({ live: LISTS.changed })
    long = await evidenceOf({ logs: [[LISTS.one, LISTS.other, LISTS.one].map((lists) => ({ lists }))] })
  })

  const reading =
    (over: Partial<EvidenceReading>): Edit =>
    (e) => ({ ...e, reading: { ...e.reading, ...over } })
  const log =
    (edit: (log: EvidenceLog) => EvidenceLog): Edit =>
    (e) => ({ ...e, logs: e.logs.map(edit) })
  const record = (edit: (record: EvidenceRecord) => EvidenceRecord): Edit =>
    log((l) => ({ ...l, records: l.records.map(edit) }))
  const foreign = makeSignedLog([{ lists: LISTS.one }], { origin: "log.example/foreign" })

  test.each<{ name: string; edit: Edit; code: string }>([
    {
      name: "another verdict",
      edit: (e) => ({ ...e, verdict: { verdict: "UNCHANGED", reason: null } }),
      code: "EVIDENCE_INVALID",
    },
    {
      name: "another reason",
      edit: (e) => ({ ...e, verdict: { ...e.verdict, reason: "target" } }),
      code: "EVIDENCE_INVALID",
    },
    {
      name: "the recorded list as the one that was read",
      edit: reading({ surface: surfaceOf(LISTS.one) }),
      code: "EVIDENCE_INVALID",
    },
    {
      name: "a failure invented",
      edit: reading({ surface: null, failure: { verdict: "AUTH", reason: "refused", detail: "" } }),
      code: "EVIDENCE_INVALID",
    },
    {
      name: "another package",
      edit: reading({ target: { command: "npx", args: ["-y", "x@1.2.3"], env: [] } }),
      code: "EVIDENCE_INVALID",
    },
    {
      name: "another version of it",
      edit: reading({ target: { command: "npx", args: ["-y", "@acme/notes@1.2.4"], env: [] } }),
      code: "EVIDENCE_INVALID",
    },
    {
      name: "an argument more",
      edit: reading({ target: { command: "npx", args: ["-y", "@acme/notes@1.2.3", "x"], env: [] } }),
      code: "EVIDENCE_INVALID",
    },
    {
      name: "a list asked for more",
      edit: reading({ sections: ["tools", "prompts", "templates", "resources"] }),
      code: "EVIDENCE_INVALID",
    },
    { name: "a profile that the target has not", edit: reading({ profile: "env:TOKEN" }), code: "EVIDENCE_INVALID" },
    { name: "another subject", edit: reading({ subject: "pkg:npm/x" }), code: "EVIDENCE_INVALID" },
    { name: "no subject", edit: reading({ subject: null }), code: "EVIDENCE_INVALID" },
    {
      name: "a log that did not answer after all",
      edit: (e) => ({ ...e, logs: [], unread: [{ log: "x", reason: "timeout", detail: "" }] }),
      code: "EVIDENCE_INVALID",
    },
    { name: "a record left out", edit: log((l) => ({ ...l, records: [] })), code: "EVIDENCE_INVALID" },
    { name: "the log twice", edit: (e) => ({ ...e, logs: [...e.logs, ...e.logs] }), code: "EVIDENCE_INVALID" },
    {
      name: "the record edited",
      edit: record((r) => ({ ...r, entry: r.entry.replace("observer ci", "observer co") })),
      code: "INCLUSION_INVALID",
    },
    { name: "its index", edit: record((r) => ({ ...r, index: 0n })), code: "INCLUSION_INVALID" },
    {
      name: "its proof",
      edit: record((r) => ({ ...r, proof: r.proof.map(() => new Uint8Array(32)) })),
      code: "INCLUSION_INVALID",
    },
    {
      name: "a section text",
      edit: record((r) => ({ ...r, lists: { tools: `${r.lists.tools}x` } })),
      code: "HASH_MISMATCH",
    },
    {
      name: "a section text of a list that was not asked for",
      edit: record((r) => ({ ...r, lists: { resources: "" } })),
      code: "HASH_MISMATCH",
    },
    {
      name: "a recorded text",
      edit: record((r) => ({ ...r, surface: surfaceOf(LISTS.other) })),
      code: "HASH_MISMATCH",
    },
    {
      name: "a recorded text with a list more",
      edit: record((r) => ({ ...r, surface: r.surface && { ...r.surface, prompts: [] } })),
      code: "HASH_MISMATCH",
    },
    {
      name: "the checkpoint of another log",
      edit: log((l) => ({ ...l, checkpoint: foreign.headAt(foreign.size).note })),
      code: "ORIGIN_MISMATCH",
    },
    {
      name: "a checkpoint that is not signed",
      edit: log((l) => ({ ...l, checkpoint: l.checkpoint.replace(/\n2\n/, "\n3\n") })),
      code: "SIGNATURE_INVALID",
    },
    {
      name: "a keyring that is not signed",
      edit: log((l) => ({ ...l, keyring: l.keyring.map((note) => note.replace("issued 1", "issued 2")) })),
      code: "SIGNATURE_INVALID",
    },
    {
      name: "the keyring of another log",
      edit: log((l) => ({ ...l, keyring: foreign.keyrings })),
      code: "ORIGIN_MISMATCH",
    },
    { name: "no keyring", edit: log((l) => ({ ...l, keyring: [] })), code: "KEYRING_MALFORMED" },
  ])("$name", ({ edit, code }) => {
    refuses(() => verify(edit(base.evidence), base.roots), code)
  })

  test("a record of the history left out, from the middle or the end", () => {
    expect(answer(long.evidence, long.roots)).toBe("UNCHANGED")
    const without = (index: bigint): Edit => log((l) => ({ ...l, records: l.records.filter((r) => r.index !== index) }))
    refuses(() => verify(without(2n)(long.evidence), long.roots), "RECORD_INVALID")
    // What is missing at the beginning takes nothing from what is there.
    expect(answer(without(1n)(long.evidence), long.roots)).toBe("UNCHANGED")
    // The newest one left out: the list before it is another, and the verdict is not what it says any more.
    refuses(() => verify(without(3n)(long.evidence), long.roots), "EVIDENCE_INVALID")
  })

  test("an entry that is no record", () => {
    const other = new HostileLog()
    other.append("one", "two")
    const proof = [hashLeaf(encodeUtf8("one"))]
    const edit = log(() => ({
      keyring: other.keyrings,
      checkpoint: other.headAt(2n).note,
      newest: "scanned",
      records: [{ index: 1n, entry: "two", proof, lists: {}, surface: null }],
    }))
    refuses(() => verify(edit(base.evidence), [other.root]), "RECORD_INVALID")
  })

  test("texts of a record that is masked", async () => {
    const mask = computeTextDigest("masks")
    const masked = await evidenceOf({ logs: [[{ lists: LISTS.one, mask }]] })
    expect(answer(masked.evidence, masked.roots)).toBe("UNKNOWN(not_in_log)")
    const edit = record((r) => ({ ...r, surface: surfaceOf(LISTS.one) }))
    refuses(() => verify(edit(masked.evidence), masked.roots), "EVIDENCE_INVALID")
  })

  test("a checkpoint by a retired key that nothing ties to its closing tree", async () => {
    const rotated = makeSignedLog([{ lists: LISTS.one }])
    const old = rotated.headAt(rotated.size).note
    rotated.append("more")
    rotated.rotate("log-2")
    const edit = log((l) => ({ ...l, keyring: rotated.keyrings, checkpoint: old }))
    const evidence = (await evidenceOf({ logs: [makeSignedLog([{ lists: LISTS.one }])] })).evidence
    refuses(() => verify(edit(evidence), [rotated.root]), "HEAD_UNPROVEN")
  })
})

describe("files that cannot be read", () => {
  test.each(BAD_FILES)("$name", async ({ edit }) => {
    const text = await editedFile(edit)
    refuses(() => parseServerEvidence(text), "EVIDENCE_MALFORMED")
  })

  test("no JSON, another document, a byte order mark", () => {
    for (const text of ["", "{", "[]", "null", '{"format":1}', `\ufeff{}`])
      refuses(() => parseServerEvidence(text), "EVIDENCE_MALFORMED")
  })

  test("a sum of something else is a contradiction", async () => {
    const { evidence } = await evidenceOf({})
    const text = formatServerEvidence(evidence).replace(/"sum": "sha256:../, '"sum": "sha256:00')
    refuses(() => parseServerEvidence(text), "HASH_MISMATCH")
  })

  test("what a reader would not take is not written", async () => {
    const { evidence } = await evidenceOf({})
    const many = Array.from({ length: MAX_EVIDENCE_LOGS }, () => ({ log: "x", reason: "timeout" as const, detail: "" }))
    refuses(() => formatServerEvidence({ ...evidence, unread: many }), "EVIDENCE_MALFORMED")
    const long = { ...evidence.reading, protocol: "x".repeat(2 ** 24) }
    refuses(() => formatServerEvidence({ ...evidence, reading: long }), "EVIDENCE_MALFORMED")
  })
})

test("one flipped bit is refused, or another spelling of the same", async () => {
  const { evidence, roots } = await evidenceOf({ live: LISTS.changed })
  const { bytes, outcome } = flipEvidence(evidence, roots)
  const seen = new Set(everyNth(bytes, 9).map(({ at, bit }) => outcome(at, bit)))
  expect([...seen].filter((one) => one !== "malformed" && one !== "rejected" && one !== "spelling")).toEqual([])
  expect(seen).toContain("rejected")
})

test("a fault of ours is no evidence against anybody", () => {
  expect(() => parseServerEvidence(null as never)).toThrow(TypeError)
  expect(new ToolsumError("EVIDENCE_INVALID", "").kind).toBe("rejected")
})
