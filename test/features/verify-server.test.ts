// One server without a pin: which answer, which sentence, what is told besides; and that all of it can be proven again.
import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import { verifyServerEvidence } from "../../src/core/verify-server-evidence.js"
import { buildServerReport } from "../../src/features/server-report.js"
import { chooseSubject, MAX_HISTORY } from "../../src/features/verify-server.js"
import {
  answerCase,
  CASES,
  evidenceOf,
  LISTS,
  makeSignedLog,
  NOW,
  partOf,
  type ServerCase,
  verifyCase,
} from "../fakes/evidence-world.js"
import { flipBit, type HostileLog, withhold } from "../fakes/hostile-log.js"
import { observedOf, readingOf } from "../fakes/readings.js"

const reportOf = async (c: ServerCase) => (await answerCase(c)).report
/** Another package. */
const Y = { command: "npx", args: ["-y", "y@1.2.3"], env: [] }
const said = ({ verdict, reason }: { verdict: string; reason: string | null }) =>
  reason === null ? verdict : `${verdict}(${reason})`

describe("answers", () => {
  test.each(Object.entries(CASES))("%s", async (_, { says, ...c }) => {
    expect(said(await reportOf(c))).toBe(says)
  })

  test.each(Object.entries(CASES))("%s: evidence gives the same report again", async (_, c) => {
    const { evidence, roots } = await evidenceOf(c)
    const { judgement, logs } = verifyServerEvidence({ evidence, roots, nowSec: BigInt(NOW) })
    const { reading, unread } = evidence
    const again = buildServerReport({ reading, logs, unread, judgement })
    const live = await reportOf(c)
    const plain = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value, (key, part) =>
          typeof part === "bigint" ? `${part}n` : key === "note" || key === "source" ? undefined : part,
        ),
      )
    expect(plain(again)).toEqual(plain(live))
  })
})

describe("sentences", () => {
  test.each<{ name: string; of: ServerCase; says: string }>([
    { name: "unchanged", of: {}, says: "as ci.example.com signed it 2026-11-29, leaf 1" },
    {
      name: "one's own log",
      of: { logs: [[{ lists: LISTS.one, observer: "local" }]] },
      says: "as signed 2026-11-29, leaf 1",
    },
    {
      name: "changed, and whose record says so",
      of: { live: LISTS.changed, logs: [[{ lists: LISTS.one }, { lists: LISTS.changed, observer: "b.example.com" }]] },
      says: "tools differ from what ci.example.com signed 2026-11-29, leaf 1",
    },
    {
      name: "in one of two logs",
      of: { logs: [[{ lists: LISTS.one }], [{ lists: { ...LISTS.one, serverInfo: { name: "x" } } }]] },
      says: "server differs from what ci.example.com signed 2026-11-29, leaf 1 of log2.example/test",
    },
    {
      name: "credentials, with what was signed before",
      of: { live: new ToolsumError("SERVER_AUTH", "refused", { evidence: { wants: "a token" } }) },
      says: "the server wants credentials: a token; last signed 2026-11-29, leaf 1",
    },
    {
      name: "a list that was not read to its end",
      of: { live: partOf(LISTS.one) },
      says: "what came is what was signed, but tools could not be read to the end: page 2 is missing",
    },
    {
      name: "never signed",
      of: { logs: [[]] },
      says: "nobody has signed a list of pkg:npm/%40acme/notes in log.example/test",
    },
    { name: "no log", of: { logs: [] }, says: "no log was asked" },
    {
      name: "a command of one's own that somebody's list is that of",
      of: CASES["a command of one's own"] ?? {},
      says: "the target has no name of its own; pkg:npm/y has this list",
    },
    {
      name: "a command of one's own that nobody's list is that of",
      of: { ...CASES["a command of one's own"], live: LISTS.other },
      says: "the target has no name of its own, and nobody has signed this list in log.example/test",
    },
    {
      name: "other reading conditions",
      of: CASES["other conditions only"] ?? {},
      says: "no list of pkg:npm/%40acme/notes was signed under these reading conditions in log.example/test",
    },
    {
      name: "several names",
      of: CASES["a command of one's own with several names"] ?? {},
      says: "several servers have this list, and the target names none of them: pkg:npm/y, pkg:npm/z",
    },
  ])("$name", async ({ of, says }) => {
    expect((await reportOf(of)).detail).toBe(says)
  })

  test.each<{ name: string; of: ServerCase; says: readonly string[] }>([
    { name: "nothing else is known", of: {}, says: [] },
    {
      name: "another version, with what differs",
      of: { logs: [[{ lists: LISTS.one }, { lists: LISTS.other, version: "2.0.0" }]] },
      says: ["version 2.0.0 is in the log: 1 tool differs, signed 2026-11-29, leaf 2"],
    },
    {
      name: "the same list under other conditions",
      of: CASES["other conditions only"] ?? {},
      says: [
        "the same list was signed under other reading conditions (other arguments, variables or sections): signed 2026-11-29, leaf 1",
      ],
    },
    {
      name: "the same list of another profile",
      of: { logs: [[{ lists: LISTS.one, profile: "env:TOKEN" }]] },
      says: ["the same list was signed under other reading conditions (profile env:TOKEN): signed 2026-11-29, leaf 1"],
    },
    {
      name: "the same list under another name",
      of: CASES["the same list under another name"] ?? {},
      says: ["the same list is signed under the subject pkg:npm/y: signed 2026-11-29, leaf 1"],
    },
    {
      name: "names of one account, in a log of others",
      of: { logs: [[{ lists: LISTS.one, subject: "local:notes" }]] },
      says: [],
    },
  ])("notes: $name", async ({ of, says }) => {
    expect((await reportOf(of)).notes).toEqual(says)
  })

  test("another list of another server, put into a file by hand, is not told of as this one", async () => {
    const logs = [makeSignedLog([{ lists: LISTS.one }, { lists: LISTS.other, subject: "pkg:npm/y" }])]
    const own = await evidenceOf({ logs })
    const other = await evidenceOf({ logs, target: Y, live: LISTS.other })
    const [log, more] = [own.evidence.logs[0], other.evidence.logs[0]]
    if (!log || !more) throw new Error("expected a log each")
    const evidence = { ...own.evidence, logs: [{ ...log, records: [...log.records, ...more.records] }] }
    const { judgement, logs: proven } = verifyServerEvidence({ evidence, roots: own.roots, nowSec: BigInt(NOW) })
    expect(proven[0]?.records.map(({ record }) => record.subject)).toEqual(["pkg:npm/%40acme/notes", "pkg:npm/y"])
    expect(buildServerReport({ reading: evidence.reading, logs: proven, unread: [], judgement }).notes).toEqual([])
  })

  test("a version that the log does not keep texts of is only named", async () => {
    const log = makeSignedLog([{ lists: LISTS.one }, { lists: LISTS.other, version: "2.0.0" }])
    log.tamper = withhold(/^objects\//)
    expect((await reportOf({ logs: [log] })).notes).toEqual([
      "version 2.0.0 is in the log: another list, signed 2026-11-29, leaf 2",
    ])
  })
})

describe("what is told besides", () => {
  test("changes in words where the archive has them, else by name, else by section", async () => {
    const words = await reportOf({ live: LISTS.changed })
    expect(words.changes).toMatchObject([
      { section: "tools", item: "a", pointer: "/description", before: "Does a.", after: "Does more." },
    ])
    const names = await reportOf({ live: LISTS.changed, archive: false })
    expect(names.changes).toMatchObject([{ section: "tools", item: "a", kind: "changed", pointer: "" }])
    const log = makeSignedLog([{ lists: LISTS.one }])
    log.tamper = withhold(/^objects\//)
    expect((await reportOf({ live: LISTS.changed, logs: [log] })).changes).toEqual([
      { section: "tools", item: null, kind: "changed", from: null, pointer: "" },
    ])
  })

  test("a damaged archive costs words, not the answer", async () => {
    const log = makeSignedLog([{ lists: LISTS.one }], { archive: true })
    log.tamper = flipBit(/^objects\//)
    expect(said(await reportOf({ live: LISTS.changed, logs: [log] }))).toBe("CHANGED(surface)")
  })

  test("history of the stream, newest first, not without end", async () => {
    const lists = Array.from({ length: MAX_HISTORY + 5 }, (_, i) => ({ lists: { instructions: `${i}` } }))
    const { logs, verdict } = await reportOf({ live: { instructions: `${lists.length - 1}` }, logs: [lists] })
    expect(verdict).toBe("UNCHANGED")
    const [stream] = logs[0]?.compared ?? []
    expect(stream?.signed.index).toBe(BigInt(lists.length))
    expect(stream?.history.map(({ index }) => Number(index))).toEqual(
      Array.from({ length: MAX_HISTORY }, (_, i) => lists.length - 1 - i),
    )
  })

  test("the resolved version of a floating package decides which stream is compared", async () => {
    const target = { command: "npx", args: ["-y", "@acme/notes"], env: [] }
    const live = readingOf(LISTS.one, { resolved: { version: "1.2.3", integrity: null } })
    const logs = [[{ lists: LISTS.one, version: "1.2.3" }]]
    expect(said(await reportOf({ target, live, logs }))).toBe("UNCHANGED")
    expect(said(await reportOf({ target, live: LISTS.one, logs }))).toBe("UNKNOWN(not_in_log)")
  })

  test("records that only say that credentials were wanted replace no list", async () => {
    const log = makeSignedLog([{ lists: LISTS.one }])
    const [record] = (await reportOf({ logs: [log] })).logs[0]?.compared ?? []
    const none = { tools: "-", prompts: "-", templates: "-", resources: "-", instructions: "-", server: "-" }
    log.record({ ...record?.signed.record, state: "auth", lines: none })
    expect(said(await reportOf({ logs: [log] }))).toBe("UNCHANGED")
  })

  test("an index that hides another observer is believed only unless every entry is looked at", async () => {
    const log = makeSignedLog([{ lists: LISTS.one }, { lists: LISTS.other, observer: "b.example.com" }])
    log.tamper = (path, bytes) =>
      path.startsWith("subjects/") && bytes
        ? new TextEncoder().encode(new TextDecoder().decode(bytes).replace(" 1 2\n", " 1\n"))
        : bytes
    const [believed, looked] = [await reportOf({ logs: [log] }), await reportOf({ logs: [log], exhaustive: true })]
    expect([said(believed), believed.logs[0]?.log.newest]).toEqual(["UNCHANGED", "hint"])
    expect([said(looked), looked.logs[0]?.log.newest]).toEqual(["CHANGED(surface)", "scanned"])
  })

  test("a record of a format that this version does not read", async () => {
    const log = makeSignedLog([{ lists: LISTS.one }])
    log.index("pkg:npm/%40acme/notes", log.size)
    log.append("toolsum-record/v9\nsubject pkg:npm/%40acme/notes\n")
    expect(said(await reportOf({ logs: [log] }))).toBe("UNKNOWN(newer_format)")
  })

  test("a local name is looked up in a personal log only", async () => {
    const target = { command: "node", args: ["server.mjs"], env: [] }
    const signed = [{ lists: LISTS.one, subject: "local:notes" }]
    const personal = makeSignedLog(signed, { target, origin: `toolsum.local/${"0".repeat(32)}` })
    const of = { target, subject: "local:notes" }
    expect(said(await reportOf({ ...of, logs: [personal] }))).toBe("UNCHANGED")
    expect(said(await reportOf({ ...of, logs: [makeSignedLog(signed, { target })] }))).toBe("UNKNOWN(never_signed)")
  })
})

test("who else has a list is not looked for without end, and that is told", async () => {
  const target = { command: "node", args: ["server.mjs"], env: [] }
  const logWith = (subjects: number) =>
    makeSignedLog(Array.from({ length: subjects }, (_, i) => ({ lists: LISTS.one, subject: `pkg:npm/y${i}` })))
  const told = async (subjects: number) => {
    const { logs } = await reportOf({ target, logs: [logWith(subjects)] })
    return [logs[0]?.log.newest, logs[0]?.log.warnings]
  }
  expect(await told(2)).toEqual(["scanned", []])
  expect(await told(17)).toEqual(["hint", ["records_unread"]])
})

test("a log that is named twice is asked once, where it has come further", async () => {
  const [behind, log] = [
    makeSignedLog([{ lists: LISTS.one }]),
    makeSignedLog([{ lists: LISTS.one }, { lists: LISTS.other }]),
  ]
  for (const logs of [
    [behind, log, log],
    [log, behind],
  ]) {
    const { evidence, roots } = await evidenceOf({ live: LISTS.other, logs })
    expect(evidence.logs.map(({ records }) => records.map(({ index }) => index))).toEqual([[1n, 2n]])
    expect(verifyServerEvidence({ evidence, roots, nowSec: BigInt(NOW) }).judgement.verdict).toBe("UNCHANGED")
  }
})

describe("logs that misbehave", () => {
  test.each<{ name: string; tamper: HostileLog["tamper"]; code: string }>([
    { name: "an entry that is not what was signed", tamper: flipBit(/^tile\/entries/, 20), code: "HASH_MISMATCH" },
    { name: "a head that is not signed", tamper: flipBit(/^checkpoint/, 30), code: "SIGNATURE_INVALID" },
  ])("$name leaves no answer", async ({ tamper, code }) => {
    const log = makeSignedLog([{ lists: LISTS.one }])
    log.tamper = tamper
    expect(await verifyCase({}, [log])).toMatchObject({ kind: "refuted", log: "log.example/test", error: { code } })
  })

  test("a gap in a stream", async () => {
    const log = makeSignedLog([{ lists: LISTS.one }])
    const [first] = (await reportOf({ logs: [log] })).logs[0]?.compared ?? []
    log.record({ ...first?.signed.record, lines: observedOf(readingOf(LISTS.other)).observation.lines }, (text) =>
      text.replace("\nseq 1\n", "\nseq 7\n"),
    )
    expect(await verifyCase({}, [log])).toMatchObject({ kind: "refuted", error: { code: "RECORD_INVALID" } })
  })

  test("without a root nothing is compared", async () => {
    const error = new ToolsumError("ROOT_NOT_PINNED", "its root is SHA256:x")
    expect(said(await reportOf({ logs: [error] }))).toBe("UNKNOWN(root_not_pinned)")
  })
})

describe("subjects", () => {
  const npm = { command: "npx", args: ["-y", "@acme/notes@1.2.3"], env: [] }
  const url = { url: "https://Example.com/mcp?x=1", headers: {} }
  const own = { command: "node", args: ["server.mjs"], env: [] }
  test.each([
    { target: npm, given: null, says: "pkg:npm/%40acme/notes" },
    { target: npm, given: "pkg:npm/%40acme/notes", says: "pkg:npm/%40acme/notes" },
    { target: npm, given: "pkg:npm/other", says: "USAGE" },
    { target: npm, given: "com.example/notes", says: "USAGE" },
    { target: npm, given: "local:notes", says: "USAGE" },
    { target: url, given: null, says: "https://example.com/mcp" },
    { target: url, given: "com.example/notes", says: "com.example/notes" },
    { target: url, given: "https://example.com/other", says: "USAGE" },
    { target: own, given: null, says: null },
    { target: own, given: "local:notes", says: "local:notes" },
    { target: own, given: "pkg:npm/notes", says: "USAGE" },
    { target: own, given: "local:", says: "USAGE" },
    { target: own, given: "local:$(id)", says: "USAGE" },
  ])("$given for $target", ({ target, given, says }) => {
    if (says === "USAGE") expect(() => chooseSubject(target, given)).toThrow(expect.objectContaining({ code: "USAGE" }))
    else expect(chooseSubject(target, given)).toBe(says)
  })
})
