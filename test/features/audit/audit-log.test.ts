// Audits of one log: honest, it has nothing to tell; with one thing changed, exactly that is found. Forged trees are signed by the log's own key.
import { beforeAll, describe, expect, test } from "vitest"
import { encodeUtf8 } from "../../../src/core/bytes.js"
import { ToolsumError } from "../../../src/core/errors.js"
import { hashLeaf } from "../../../src/core/hash.js"
import { parseRecord } from "../../../src/core/record.js"
import type { PinnedRoot } from "../../../src/core/root.js"
import { subjectBucketName } from "../../../src/core/subject-index.js"
import { rawEntry } from "../../fakes/writer-fixtures.js"
import {
  type AuditWorld,
  codesOf,
  edit,
  entriesOf,
  flip,
  makeLog,
  makeWorld,
  objectPathOf,
  serveTree,
  text,
} from "./audit-world.js"

// Entries: 0 keyring; 1, 3, n-2 stream of local:test; 2 local:other; n-1 local:late; the rest raw.
const RAW = 1100
let honest: ReadonlyMap<string, Uint8Array>
beforeAll(async () => {
  honest = (await makeLog(RAW)).files
})
const world = () => makeWorld(honest)

const last = (entries: readonly Uint8Array[]): string => text(entries[entries.length - 2])

/** Serve the honest entries and one more. */
function append(log: AuditWorld, entry: string): void {
  serveTree(log, [...entriesOf(log), encodeUtf8(entry)])
}

test("an honest log: everything is read, and nothing is found", async () => {
  const log = world()
  const report = await log.audit()
  expect(codesOf(report)).toEqual([])
  expect(report).toMatchObject({ exitCode: 0, from: 0, isResumed: false, streams: 3 })
  expect(report.entries).toMatchObject({ records: 5, keyrings: 1, other: RAW })
  expect(report.objects.missing).toBe(0)
  const published = [...honest.keys()].filter((path) =>
    /^(?:tile\/(?:0|1|entries)\/[0-9]{3}|subjects\/..|keyring\/1)$/.test(path),
  )
  for (const path of published) expect(log.source.reads).toContain(path)
  expect(report.counts).toEqual({ no_witnesses: 1, other_entries: 1 })
})

test.each([0, 1, 255, 256, 257, 511, 512, 1023, 1024])("an honest log of %i further entries", async (raw) => {
  const report = await makeWorld((await makeLog(raw)).files).audit()
  expect(codesOf(report)).toEqual([])
  expect(report.exitCode).toBe(0)
})

const FILES: readonly {
  name: string
  tell: (log: AuditWorld) => void
  codes: readonly string[]
  exit: number
  where?: string
}[] = [
  {
    name: "a bit of a full tile",
    tell: (log) => edit(log, "tile/0/001", flip(40)),
    codes: ["tile_differs"],
    exit: 3,
    where: "tile/0/001",
  },
  {
    name: "a bit of the last tile",
    tell: (log) => edit(log, "tile/0/004.p/82", flip(3)),
    codes: ["tile_differs"],
    exit: 3,
    where: "tile/0/004.p/82",
  },
  {
    name: "a bit of a tile of level 1",
    tell: (log) => edit(log, "tile/1/000.p/4", flip(99)),
    codes: ["tile_differs"],
    exit: 3,
    where: "tile/1/000.p/4",
  },
  {
    name: "a cut tile",
    tell: (log) => edit(log, "tile/0/002", (bytes) => bytes.slice(0, -32)),
    codes: ["tile_differs"],
    exit: 3,
  },
  {
    name: "no tile",
    tell: (log) => log.files.delete("tile/0/002"),
    codes: ["tile_missing"],
    exit: 2,
    where: "tile/0/002",
  },
  {
    name: "a bit of an entry",
    tell: (log) => edit(log, "tile/entries/001", flip(60)),
    codes: ["entry_differs", "root_differs", "index_not_compared"],
    exit: 3,
    where: "entry 257",
  },
  {
    name: "a cut bundle",
    tell: (log) => edit(log, "tile/entries/001", (bytes) => bytes.slice(0, -1)),
    codes: ["bundle_malformed", "index_not_compared"],
    exit: 3,
  },
  {
    name: "no bundle",
    tell: (log) => log.files.delete("tile/entries/001"),
    codes: ["bundle_missing", "index_not_compared"],
    exit: 2,
  },
  {
    name: "neither a bundle nor its tile",
    tell: (log) => {
      for (const path of ["tile/entries/001", "tile/0/001"]) log.files.delete(path)
    },
    codes: ["bundle_missing", "index_not_compared"],
    exit: 2,
  },
  {
    name: "no last bundle and tile",
    tell: (log) => {
      for (const path of ["tile/entries/004.p/82", "tile/0/004.p/82"]) log.files.delete(path)
    },
    codes: ["bundle_missing", "rest_unread", "index_not_compared"],
    exit: 2,
  },
  {
    name: "a bit of a tile and of its bundle",
    tell: (log) => {
      for (const path of ["tile/entries/001", "tile/0/001"]) edit(log, path, flip(64))
    },
    codes: ["root_differs", "tile_differs", "index_not_compared"],
    exit: 3,
  },
  {
    name: "another signature",
    tell: (log) =>
      edit(log, "checkpoint", (bytes) =>
        encodeUtf8(
          text(bytes)
            .replace(/ ([^ ]+)A(.{10})\n$/, " $1B$2\n")
            .replace(/(.)(.{30})\n$/, (_, a, b) => `${a === "A" ? "B" : "A"}${b}\n`),
        ),
      ),
    codes: ["head_invalid"],
    exit: 3,
  },
  {
    name: "another text of an object",
    tell: (log) => edit(log, firstSection(log), flip(0)),
    codes: ["object_differs"],
    exit: 1,
  },
  { name: "no section text", tell: (log) => log.files.delete(firstSection(log)), codes: ["objects_missing"], exit: 0 },
  {
    name: "a bit of an archived item",
    tell: (log) => edit(log, anItem(log), flip(5)),
    codes: ["object_differs"],
    exit: 1,
  },
  {
    name: "an index that leaves a record out",
    tell: (log) =>
      edit(log, bucketOf("local:test"), (bytes) => encodeUtf8(text(bytes).replace("local:test 1 3", "local:test 1"))),
    codes: ["index_omits"],
    exit: 1,
  },
  {
    name: "an index that lists another record",
    tell: (log) =>
      edit(log, bucketOf("local:test"), (bytes) =>
        encodeUtf8(text(bytes).replace("local:test 1 3", "local:test 1 2 3")),
      ),
    codes: ["index_false"],
    exit: 1,
  },
  {
    name: "an index of nothing",
    tell: (log) => edit(log, bucketOf("local:test"), () => encodeUtf8("1104\n")),
    codes: ["index_omits"],
    exit: 1,
  },
  {
    name: "an index of a larger tree",
    tell: (log) => edit(log, bucketOf("local:test"), (bytes) => encodeUtf8(text(bytes).replace(/^[0-9]+/, "9999"))),
    codes: ["index_ahead", "index_omits"],
    exit: 1,
  },
  {
    name: "an index that is none",
    tell: (log) => edit(log, bucketOf("local:test"), () => encodeUtf8("x\n")),
    codes: ["index_malformed"],
    exit: 1,
  },
  {
    name: "an index that stopped growing",
    tell: (log) => {
      serveTree(log, [...entriesOf(log), ...Array.from({ length: 2400 }, (_, i) => rawEntry(i))])
    },
    codes: ["index_behind"],
    exit: 1,
  },
]

const firstSection = ({ files }: AuditWorld): string => {
  const [path] = [...files].filter(
    ([path, bytes]) => path.startsWith("objects/") && /^[0-9a-f]{64} {2}/.test(text(bytes)),
  )
  return path?.[0] ?? ""
}
const anItem = ({ files }: AuditWorld): string =>
  [...files].find(([path, bytes]) => path.startsWith("objects/") && text(bytes).includes('"the tool a"'))?.[0] ?? ""
const bucketOf = (subject: string): string => `subjects/${subjectBucketName(subject)}`

test.each(FILES)("served with $name", async ({ tell, codes, exit, where }) => {
  const log = world()
  tell(log)
  const report = await log.audit()
  expect([...new Set(codesOf(report))].sort()).toEqual([...codes].sort())
  expect(report.exitCode).toBe(exit)
  if (where !== undefined) expect(report.findings.map((finding) => finding.where)).toContain(where)
})

/** The record that honestly follows the last one of the first stream, with its text changed. */
function following(log: AuditWorld, change: (record: string) => string): string {
  const entries = entriesOf(log)
  const index = entries.length - 2
  const { seq } = parseRecord(last(entries))
  const hash = leafHashHex(entries[index] ?? new Uint8Array(0))
  return change(
    text(entries[3])
      .replace(/^seq .*$/m, `seq ${seq + 1n}`)
      .replace(/^prev .*$/m, `prev ${index} sha256:${hash}`)
      .replace(/^observed .*$/m, "observed 1796083205"),
  )
}

const RECORDS: readonly { name: string; change: (record: string) => string; codes: readonly string[]; exit: number }[] =
  [
    { name: "nothing changed", change: (record) => record, codes: [], exit: 0 },
    {
      name: "a seq too high",
      change: (record) => record.replace(/^seq .*$/m, "seq 9"),
      codes: ["chain_broken"],
      exit: 3,
    },
    {
      name: "a seq that was there",
      change: (record) => record.replace(/^seq .*$/m, "seq 1"),
      codes: ["chain_broken"],
      exit: 3,
    },
    {
      name: "a second beginning",
      change: (record) => record.replace(/^seq .*$/m, "seq 0").replace(/^prev .*$/m, "prev -"),
      codes: ["chain_broken"],
      exit: 3,
    },
    {
      name: "an older record before it",
      change: (record) => record.replace(/^prev [0-9]+/m, "prev 3"),
      codes: ["chain_broken"],
      exit: 3,
    },
    {
      name: "another hash before it",
      change: (record) => record.replace(/^prev (.*)(.)$/m, (_, a, b) => `prev ${a}${b === "0" ? "1" : "0"}`),
      codes: ["chain_broken"],
      exit: 3,
    },
    {
      name: "a record to come before it",
      change: (record) => record.replace(/^prev [0-9]+/m, "prev 99999"),
      codes: ["chain_broken"],
      exit: 3,
    },
    {
      name: "an earlier time",
      change: (record) => record.replace(/^observed .*$/m, "observed 1796082000"),
      codes: ["time_backwards"],
      exit: 1,
    },
    {
      name: "a time just before, as clocks differ",
      change: (record) => record.replace(/^observed .*$/m, "observed 1796083100"),
      codes: [],
      exit: 0,
    },
    {
      name: "a time to come",
      change: (record) => record.replace(/^observed .*$/m, "observed 1796090000"),
      codes: ["time_future"],
      exit: 1,
    },
    { name: "a line too many", change: (record) => `${record}x\n`, codes: ["record_malformed"], exit: 1 },
    {
      name: "another version of the format",
      change: (record) => record.replace("toolsum-record/v1", "toolsum-record/v2"),
      codes: ["record_version"],
      exit: 1,
    },
    {
      name: "a subject that looks like another",
      change: (record) =>
        record
          .replace("local:test", "Local:test")
          .replace(/^seq .*$/m, "seq 0")
          .replace(/^prev .*$/m, "prev -"),
      codes: ["subject_lookalike"],
      exit: 1,
    },
    {
      name: "a stream that begins in the middle",
      change: (record) => record.replace("local:test", "local:new"),
      codes: ["chain_broken"],
      exit: 3,
    },
    { name: "an entry of another type", change: () => "example-note/v1\nx\n", codes: [], exit: 0 },
  ]

test.each(RECORDS)("a record with $name", async ({ change, codes, exit }) => {
  const log = world()
  append(log, following(log, change))
  const report = await log.audit()
  expect(codesOf(report)).toEqual(codes)
  expect(report.exitCode).toBe(exit)
  if (codes.length > 0) expect(report.findings[0]?.where).toBe("entry 1106")
})

test("the same surface again", async () => {
  const log = world()
  const entries = entriesOf(log)
  const again = last(entries)
    .replace(/^seq .*$/m, "seq 3")
    .replace(/^prev .*$/m, `prev 1104 sha256:${leafHashHex(entries[1104] ?? new Uint8Array(0))}`)
  append(log, again)
  expect(codesOf(await log.audit())).toEqual(["record_repeated"])
})

describe("keyrings", () => {
  const keyring = () => text(honest.get("keyring/1"))

  test.each([
    {
      name: "the first entry is none",
      edit: (entries: Uint8Array[]) => void entries.splice(0, 1, rawEntry(0)),
      codes: ["keyring_order", "keyring_not_logged"],
    },
    {
      name: "one is there twice",
      edit: (entries: Uint8Array[]) => void entries.push(encodeUtf8(keyring())),
      codes: ["keyring_repeated"],
    },
    {
      name: "one is not served",
      edit: (entries: Uint8Array[]) => void entries.push(encodeUtf8(keyring().replace("issued 1", "issued 2"))),
      codes: ["keyring_unserved"],
    },
  ])("$name", async ({ edit, codes }) => {
    const log = world()
    const entries = [...entriesOf(log)]
    edit(entries)
    serveTree(log, entries)
    expect(codesOf(await log.audit({ clock: () => 1_796_083_201 + 86_400 }))).toEqual(codes)
  })

  test.each([false, true])("one that is new need not be logged yet (in a folder: %s)", async (local) => {
    const log = world()
    log.source.local = local
    serveTree(log, [rawEntry(0), ...entriesOf(log).slice(4, 900)])
    const pending = await log.audit({ clock: () => 1_796_083_201, state: null })
    expect(codesOf(pending)).toContain("keyring_pending")
    const due = await log.audit({ clock: () => 1_796_083_201 + 86_400, state: null, auditState: null })
    expect(codesOf(due)).toContain("keyring_not_logged")
  })

  test.each(["<!doctype html><title>Sign in</title>\n", ""])(
    "one that cannot be read is no evidence: %j",
    async (page) => {
      const log = world()
      log.files.set("keyring/2", encodeUtf8(page))
      const report = await log.audit()
      expect(report.findings.map(({ code, where }) => [code, where])).toContainEqual([
        "keyring_unreadable",
        "keyring/2",
      ])
      expect(report.exitCode).toBe(2)
    },
  )

  test("a chain that does not hold is read as far as it does", async () => {
    const log = world()
    log.files.set("keyring/2", encodeUtf8(keyring()))
    const report = await log.audit()
    expect(codesOf(report)).toContain("keyring_invalid")
    expect(report.head?.checkpoint.size).toBe(1106n)
  })
})

test("roots: one that is not pinned is no finding, another one is", async () => {
  const log = world()
  const pinned = log.trust.kind === "roots" ? log.trust.roots[0] : undefined
  if (pinned === undefined) throw new Error("the log has a root")
  const other: PinnedRoot = { ...pinned, fingerprint: `SHA256:${"A".repeat(42)}E` }
  await expect(log.audit({ trust: { kind: "roots", roots: [] } })).rejects.toMatchObject({ code: "ROOT_NOT_PINNED" })
  const report = await log.audit({ trust: { kind: "roots", roots: [other] } })
  expect(report).toMatchObject({ exitCode: 3, head: null, counts: { root_mismatch: 1 } })
})

test("a log that is not there", async () => {
  const log = world()
  log.files.delete("checkpoint")
  await expect(log.audit()).rejects.toMatchObject({ code: "RESOURCE_MISSING" })
})

test("what could not be read is told, and reading goes on to the end of a gap", async () => {
  const log = world()
  const read = log.source.read
  log.source.read = async (path, maxBytes) => {
    if (/^tile\/entries\/00[0-3]$/.test(path)) throw new ToolsumError("LOG_UNAVAILABLE", "the disk is broken")
    return read(path, maxBytes)
  }
  const report = await log.audit()
  expect(report.counts).toMatchObject({ bundle_missing: 4 })
  expect(report.entries.records).toBe(2)
  expect(report.exitCode).toBe(2)
})

test("findings of one kind are counted beyond those that are told", async () => {
  const log = world()
  serveTree(log, [...entriesOf(log), ...Array.from({ length: 30 }, (_, i) => encodeUtf8(`toolsum-record/v1\n${i}\n`))])
  const report = await log.audit()
  expect(report.counts.record_malformed).toBe(30)
  expect(report.findings.filter(({ code }) => code === "record_malformed")).toHaveLength(20)
})

test("a section text with another number of items than a record counts", async () => {
  const log = world()
  const wrong = following(log, (record) => record.replace(/^tools 2 /m, "tools 7 "))
  const surface = /^state[\s\S]*?(?=surface )/m.exec(wrong)?.[0] ?? ""
  append(log, wrong.replace(/^surface .*$/m, `surface sha256:${objectPathOf(surface).slice(-64)}`))
  expect(codesOf(await log.audit())).toEqual(["section_differs"])
})

const leafHashHex = (entry: Uint8Array): string => Buffer.from(hashLeaf(entry)).toString("hex")
