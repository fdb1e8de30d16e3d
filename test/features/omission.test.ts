// A log that holds back a newer record of a pinned server: what its index may hide, what `check` says of it, and that every entry read
// brings it to light.
import { describe, expect, test } from "vitest"
import { describeOmission } from "../../src/cli/render.js"
import { openLogClient } from "../../src/client/open-log.js"
import { formatRecord, streamKey } from "../../src/core/record.js"
import { formatSubjectBucket, subjectBucketName } from "../../src/core/subject-index.js"
import type { ServerVerdict } from "../../src/core/verdict.js"
import { checkPin } from "../../src/features/check.js"
import { readHistory } from "../../src/features/history.js"
import { HostileLog } from "../fakes/hostile-log.js"
import { MemoryState } from "../fakes/memory-state.js"
import { observedOf, pinOf, readingOf } from "../fakes/readings.js"

const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" } })
const PINNED = observedOf(readingOf({ tools: [tool("a")] }))
const LATER = observedOf(readingOf({ tools: [tool("b")] }))
const { subject } = PINNED.observation

/** A log in which the pinned list is leaf 301 and a later one leaf 602; its index claims to be whole and lists `listed` of them. */
async function makeLog(listed: readonly ("pinned" | "later")[]) {
  const log = new HostileLog()
  const filler = () => log.append(...Array.from({ length: 300 }, (_, i) => `filler ${i}`))
  filler()
  const pinned = log.record(PINNED.observation)
  filler()
  const later = log.record(LATER.observation)
  filler()
  const indexes = listed.map((which) => (which === "pinned" ? pinned : later))
  const subjects = new Map(indexes.length === 0 ? [] : [[subject, indexes]])
  const path = `subjects/${subjectBucketName(subject)}`
  log.tamper = (read, bytes) => (read === path ? formatSubjectBucket({ size: log.size, subjects }) : bytes)
  const open = () =>
    openLogClient({ source: log, roots: [log.root], state: new MemoryState(), clock: () => 1_796_083_200 })
  return { log, pinned, later, client: await open() }
}

type Log = Awaited<ReturnType<typeof makeLog>>

async function check({ log, client, pinned }: Log, exhaustive: boolean): Promise<ServerVerdict> {
  const { entry, proof } = await client.proveInclusion(pinned)
  const record = new TextDecoder().decode(entry)
  const offline: ServerVerdict = {
    ...{ name: "notes", subject, version: "1.2.3", verdict: "PROVEN", reason: null, detail: null },
    ...{ compared: ["lock"], covered: [], notCovered: [], head: null, record: null, newest: null },
    ...{ pin: `sha256:${"0".repeat(64)}`, items: {}, changes: [], warnings: [] },
  }
  return checkPin({
    ...{ name: "notes", offline, log: client, needsLog: true, exhaustive, readLive: null, approved: async () => null },
    pin: {
      ...pinOf(PINNED),
      log: log.origin,
      record,
      index: pinned,
      proof,
      head: "1-0000000000000000",
      observation: null,
    },
  })
}

describe("an index that leaves out the later record only", () => {
  test("is believed by check, which says that it believes; every entry read shows the record", async () => {
    const log = await makeLog(["pinned"])
    const believed = await check(log, false)
    expect(believed).toMatchObject({
      verdict: "UNCHANGED",
      newest: "hint",
      searched: { from: log.log.size },
      warnings: [],
    })
    expect(describeOmission([believed], false)).toEqual([
      "not shown: that the log holds back no newer record; --exhaustive looks at every entry",
    ])
    const looked = await check(log, true)
    expect(looked).toMatchObject({
      ...{ verdict: "CHANGED", reason: "surface", newest: "scanned", record: { index: log.later } },
      searched: { from: log.pinned, size: log.log.size },
    })
    expect(describeOmission([looked], true)).toEqual([
      `every later entry up to head ${log.log.size} was looked at: no newer record is held back`,
    ])
  })

  test("hides it from history without --exhaustive, which says so, and not with it", async () => {
    const { client, pinned, later } = await makeLog(["pinned"])
    const question = { subject, choice: { stream: streamKey(PINNED.observation) }, known: pinned }
    const lastOf = async (exhaustive: boolean) => {
      const { streams } = await readHistory(client, { ...question, exhaustive })
      return [streams[0]?.entries.at(-1)?.index, streams[0]?.newest]
    }
    expect(await lastOf(false)).toEqual([pinned, "hint"])
    expect(await lastOf(true)).toEqual([later, "scanned"])
  })
})

describe("an index that leaves out the pinned record", () => {
  test.each([{ listed: [] }, { listed: ["later"] as const }])(
    "and lists $listed counts as none",
    async ({ listed }) => {
      const log = await makeLog(listed)
      const answer = await check(log, false)
      expect(answer).toMatchObject({ verdict: "CHANGED", newest: "scanned", record: { index: log.later } })
      expect(answer.warnings).toEqual([`index_omits:${log.pinned}`])
      const { client, pinned } = log
      const history = await readHistory(client, { subject, choice: "all", exhaustive: false, known: pinned })
      expect(history.streams[0]?.entries.map(({ index }) => index)).toEqual([log.pinned, log.later])
      expect(history.warnings).toEqual([`index_omits:${log.pinned}`])
    },
  )
})

test("an honest index is as good, and still a hint", async () => {
  const answer = await check(await makeLog(["pinned", "later"]), false)
  expect(answer).toMatchObject({ verdict: "CHANGED", newest: "hint" })
})

test("a later record that does not follow the pinned one refutes the log, when every entry is read", async () => {
  const log = new HostileLog()
  const pinned = log.record(PINNED.observation)
  log.append(formatRecord({ ...LATER.observation, seq: 0n, prev: null }))
  const client = await openLogClient({
    ...{ source: log, roots: [log.root], state: new MemoryState(), clock: () => 1_796_083_200 },
  })
  const answer = await check({ log, client, pinned, later: pinned + 1n }, true)
  expect(answer).toMatchObject({ verdict: "REJECTED", reason: "RECORD_INVALID" })
})

describe("what is said of several servers", () => {
  const one = (name: string, newest: ServerVerdict["newest"], size = 5n): ServerVerdict => ({
    ...{ name, subject, version: null, verdict: "UNCHANGED", reason: null, detail: null, compared: ["lock", "log"] },
    ...{ covered: [], notCovered: [], head: null, record: null, newest, searched: { from: 0n, size } },
    ...{ pin: null, items: {}, changes: [], warnings: [] },
  })

  test.each([
    { servers: [one("a", null)], exhaustive: true, says: [] },
    { servers: [one("a", "scanned")], exhaustive: false, says: [] },
    {
      servers: [one("a", "scanned"), one("b", "hint"), one("c", null)],
      exhaustive: false,
      says: ["not shown for b: that the log holds back no newer record; --exhaustive looks at every entry"],
    },
    { servers: [one("a", "hint")], exhaustive: true, says: ["not shown: that the log holds back no newer record"] },
    {
      servers: [one("a", "scanned"), one("b", "scanned", 9n)],
      exhaustive: true,
      says: ["every later entry up to head 5, 9 was looked at: no newer record is held back"],
    },
    { servers: [{ ...one("a", "hint"), verdict: "REJECTED" as const }], exhaustive: false, says: [] },
  ])("$#", ({ servers, exhaustive, says }) => {
    expect(describeOmission(servers, exhaustive)).toEqual(says)
  })
})
