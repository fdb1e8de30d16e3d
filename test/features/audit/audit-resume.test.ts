// An audit goes on where the one before it stood, finished or not, and says the same as one that reads everything.
import { beforeAll, expect, test } from "vitest"
import { ToolsumError } from "../../../src/core/errors.js"
import { subjectBucketName } from "../../../src/core/subject-index.js"
import { LOG_KEYS, ORIGIN, rawEntry } from "../../fakes/writer-fixtures.js"
import { codesOf, edit, entriesOf, flip, growLog, makeLog, makeWorld, NOW, serveTree, text } from "./audit-world.js"

let stored: ReadonlyMap<string, Uint8Array>
let honest: ReadonlyMap<string, Uint8Array>
let grown: ReadonlyMap<string, Uint8Array>
beforeAll(async () => {
  const made = await makeLog(1100)
  ;[stored, honest] = [made.stored, made.files]
  grown = (await growLog(stored, [["x"], ["y"], ["x"]])).files
})

/** What an audit says but for where it started. */
const said = async (audit: ReturnType<ReturnType<typeof makeWorld>["audit"]>) => {
  const { entries, streams, objects, counts, exitCode } = await audit
  return { entries, streams, objects, counts, exitCode }
}

test("a log that has grown: only what is new is read, and the report is that of the whole log", async () => {
  const log = makeWorld(honest)
  await log.audit()
  log.source.reads.length = 0
  for (const [path, bytes] of grown) log.files.set(path, bytes)
  const report = await log.audit()
  expect(report).toMatchObject({ from: 1024, isResumed: true, exitCode: 0 })
  expect(log.source.reads).not.toContain("tile/entries/003")
  const whole = await said(makeWorld(grown).audit())
  expect({ ...(await said(log.audit())), counts: {} }).toEqual({ ...whole, counts: {} })
})

test("--full reads everything again", async () => {
  const log = makeWorld(honest)
  await log.audit()
  expect(await log.audit({ full: true })).toMatchObject({ from: 0, isResumed: false })
})

test("a log that goes on differently is caught by the root, and read again from the start to say where", async () => {
  const log = makeWorld(honest)
  await log.audit()
  const entries = [...entriesOf(log), rawEntry(1)]
  entries[300] = rawEntry(9999)
  serveTree(log, entries)
  const report = await log.audit()
  expect(codesOf(report)).toContain("fork")
  expect(report).toMatchObject({ exitCode: 3, from: 0 })
  expect(report.findings.find(({ code }) => code === "fork")?.evidence?.evidence).toMatchObject({
    a: expect.anything(),
  })
})

test("what an earlier audit found in entries is told again", async () => {
  const log = makeWorld(honest)
  const entries = entriesOf(log)
  const bad = new TextEncoder().encode("toolsum-record/v9\n")
  serveTree(log, [...entries.slice(0, 5), bad, ...entries.slice(5, 1000)])
  const once = codesOf(await log.audit())
  expect(once).toContain("record_version")
  const again = await log.audit()
  expect(again).toMatchObject({ from: 768, isResumed: true })
  expect(codesOf(again)).toEqual(once)
})

test("interrupted at any bundle, it goes on from there and says the same", async () => {
  const whole = await said(makeWorld(honest).audit())
  for (const after of [256, 512, 768, 1024]) {
    const log = makeWorld(honest)
    const abort = new AbortController()
    const read = log.source.read
    log.source.read = async (path, maxBytes) => {
      if (path === `tile/entries/${String(after / 256).padStart(3, "0")}${after === 1024 ? ".p/82" : ""}`) abort.abort()
      return read(path, maxBytes)
    }
    const interrupted = log.audit({ signal: abort.signal })
    await expect(interrupted).rejects.toMatchObject({ code: "READING_INCOMPLETE" })
    log.source.read = read
    expect(await said(log.audit())).toEqual(whole)
  }
})

test("nothing is kept beyond what could not be read: it is looked at again", async () => {
  const log = makeWorld(honest)
  log.files.delete("tile/0/001")
  expect(codesOf(await log.audit())).toEqual(["tile_missing"])
  for (const [path, bytes] of honest) log.files.set(path, bytes)
  expect(codesOf(await log.audit())).toEqual([])
})

test("a damaged audit state is nobody's lie", async () => {
  const log = makeWorld(honest)
  await log.audit()
  const [[name = "", bytes = new Uint8Array()] = []] = [...log.auditState.stored]
  for (const at of [0, 40, 300, bytes.length - 1]) {
    log.auditState.stored.set(name, flip(at)(bytes.slice()))
    await expect(log.audit(), `byte ${at}`).rejects.toMatchObject({ code: "STATE_CORRUPT" })
  }
  log.auditState.stored.set(name, bytes.slice(0, -1))
  await expect(log.audit()).rejects.toMatchObject({ code: "STATE_CORRUPT" })
  expect(await log.audit({ full: true })).toMatchObject({ exitCode: 0 })
})

test("a damaged memory of heads is told and touched by nothing", async () => {
  const log = makeWorld(honest)
  await log.audit()
  const [[key = "", bytes = new Uint8Array()] = []] = [...log.state.stored]
  log.state.stored.set(key, flip(30)(bytes.slice()))
  const report = await log.audit()
  expect(codesOf(report)).toEqual(["state_corrupt"])
  expect(report.exitCode).toBe(2)
})

test("a smaller head than the audited one is a rollback in a folder, and may be a cache elsewhere", async () => {
  for (const [local, code, exit] of [
    [true, "rollback", 3],
    [false, "log_behind", 2],
  ] as const) {
    const log = makeWorld(grown)
    log.source.local = local
    await log.audit()
    const older = honest.get("checkpoint")
    if (older === undefined) throw new Error("the log has a checkpoint")
    log.files.set("checkpoint", older)
    const report = await log.audit()
    expect(codesOf(report)).toEqual([code])
    expect(report.exitCode).toBe(exit)
  }
})

test("a partial tile of an earlier head that is there must begin the full one", async () => {
  const log = makeWorld(honest)
  await log.audit()
  for (const [path, bytes] of grown) log.files.set(path, bytes)
  edit(log, "tile/0/004.p/82", flip(0))
  const partials = async function* () {
    yield { level: 0, index: 4, width: 82 } as const
    yield { level: "entries", index: 4, width: 82 } as const
  }
  expect(codesOf(await log.audit())).toEqual(["partial_differs"])
  expect(codesOf(await log.audit({ state: null, partials }))).toEqual(["partial_differs"])
})

test("since a head: earlier entries are neither read nor judged", async () => {
  const log = makeWorld(grown)
  const since = { note: honest.get("checkpoint") ?? "", from: "old.checkpoint" }
  const report = await log.audit({ since, auditState: null })
  expect(codesOf(report)).toEqual([])
  expect(report).toMatchObject({ from: 1024, exitCode: 0 })
  expect(report.notCovered).toContain("entries before 1024")
  expect(log.source.reads).not.toContain("tile/entries/002")
  const foreign = await log.audit({ since: { note: "no note", from: "x" } })
  expect(foreign).toMatchObject({ from: 0, exitCode: 2 })
})

test("a partial file that is wrong is told of again, however often one asks", async () => {
  const log = makeWorld(honest)
  log.files.set("tile/0/000.p/9", new Uint8Array(9 * 32))
  const partials = async function* () {
    yield { level: 0, index: 0, width: 9 } as const
  }
  for (const time of ["first", "second", "third"])
    expect(codesOf(await log.audit({ partials })), time).toEqual(["partial_differs"])
  log.files.delete("tile/0/000.p/9")
  expect(codesOf(await log.audit({ partials }))).toEqual([])
})

test("entries that are wanted again and are others now: everything is read", async () => {
  const bucket = `subjects/${subjectBucketName("local:test")}`
  const stale = (bytes: Uint8Array) =>
    new TextEncoder().encode(
      text(bytes)
        .replace(/^[0-9]+/, "300")
        .replace(/local:test.*/, "local:test 1 3"),
    )
  const log = makeWorld(honest)
  await log.audit()
  edit(log, bucket, stale)
  edit(log, "tile/entries/001", flip(60))
  expect(codesOf(await log.audit())).toEqual(["entry_differs", "root_differs", "index_not_compared"])
  log.files.delete("tile/entries/001")
  expect(codesOf(await log.audit())).toEqual(["bundle_missing", "index_not_compared"])
})

test("what was not read again is said", async () => {
  const log = makeWorld(honest)
  await log.audit()
  edit(log, "tile/entries/001", flip(60))
  const report = await log.audit()
  expect(report.exitCode).toBe(0)
  expect(report.notCovered[0]).toMatch(/^bundles, tiles and objects of entries before 1024/)
  expect(codesOf(await log.audit({ full: true }))).toContain("entry_differs")
})

test("an index that lies at first and is honest when it is looked at again", async () => {
  const bucket = `subjects/${subjectBucketName("local:test")}`
  const log = makeWorld(honest)
  const { read } = log.source
  let reads = 0
  log.source.read = async (path, maxBytes) => {
    const bytes = await read(path, maxBytes)
    return path === bucket && bytes !== null && reads++ === 0
      ? new TextEncoder().encode(text(bytes).replace("local:test 1 3", "local:test 1"))
      : bytes
  }
  expect(codesOf(await log.audit())).toEqual(["index_omits"])
})

test("a head that becomes garbage while a bucket that is ahead is looked at", async () => {
  const log = makeWorld(honest)
  edit(log, `subjects/${subjectBucketName("local:test")}`, (bytes) =>
    new TextEncoder().encode(text(bytes).replace(/^[0-9]+/, "9999")),
  )
  const { read } = log.source
  let heads = 0
  log.source.read = async (path, maxBytes) =>
    path === "checkpoint" && heads++ > 0 ? new Uint8Array(9) : read(path, maxBytes)
  expect(codesOf(await log.audit())).toContain("index_ahead")
})

test("a rollback by time, also where a lockfile has the same head", async () => {
  const log = makeWorld(grown)
  await log.audit()
  const newest = grown.get("checkpoint") ?? ""
  log.files.set("checkpoint", honest.get("checkpoint") ?? new Uint8Array(0))
  const older = { olderHeads: [{ note: text(newest || undefined), from: "toolsum.lock.json" }] }
  expect(codesOf(await log.audit(older))).toEqual(["log_behind"])
  const report = await log.audit({ ...older, clock: () => NOW + 2 * 86_400 })
  expect(codesOf(report)).toEqual(["rollback"])
  expect(report.exitCode).toBe(3)
})

test("a log without keyrings is held to the head of the audit before, however often one asks", async () => {
  const trust = { kind: "keys", origin: ORIGIN, keys: LOG_KEYS, policy: null } as const
  const log = makeWorld(honest)
  log.source.local = true
  expect(await log.audit({ trust })).toMatchObject({ exitCode: 0 })
  const entries = [...entriesOf(log), rawEntry(1)]
  entries[1100] = rawEntry(9999) // behind the last full bundle
  serveTree(log, entries)
  for (const full of [false, true, false]) expect(codesOf(await log.audit({ trust, full }))[0]).toBe("fork")
  for (const [path, bytes] of grown) log.files.set(path, bytes)
  expect(codesOf(await log.audit({ trust }))).toEqual([])
  log.files.set("checkpoint", honest.get("checkpoint") ?? new Uint8Array(0))
  for (const full of [false, true]) expect(codesOf(await log.audit({ trust, full }))).toEqual(["rollback"])
})

test("a place that keeps nothing costs no finding", async () => {
  const log = makeWorld(honest)
  edit(log, "tile/0/000", flip(9))
  log.auditState.save = async () => {
    throw new ToolsumError("IO_FAILED", "read-only file system")
  }
  expect([...codesOf(await log.audit())].sort()).toEqual(["state_unavailable", "tile_differs"])
})
