// The history of a server over a log in memory: which streams, what changed in each record, and searches that agree with looking at every list.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { objectPath } from "../../src/client/objects.js"
import { openLogClient } from "../../src/client/open-log.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { computeTextDigest } from "../../src/core/hash.js"
import { streamKey } from "../../src/core/record.js"
import { findText, parseTextQuery } from "../../src/features/find-text.js"
import { readHistory, type StreamChoice } from "../../src/features/history.js"
import { archivedTexts } from "../../src/features/observe.js"
import { HostileLog } from "../fakes/hostile-log.js"
import { MemoryState } from "../fakes/memory-state.js"
import { observedOf, readingOf } from "../fakes/readings.js"

interface Step {
  readonly lists?: object
  readonly auth?: boolean
  readonly observer?: string
  /** False: only the section texts are archived. */
  readonly archive?: boolean
}

/** A log of these records, each of which differs from the one before it. */
function logOf(steps: readonly Step[]): HostileLog {
  const log = new HostileLog()
  for (const { lists = {}, auth = false, observer = "local", archive = true } of steps) {
    const observed = observedOf(readingOf(lists))
    const nothing = {
      tools: "-",
      prompts: "-",
      templates: "-",
      resources: "-",
      instructions: "-",
      server: "-",
    } as const
    log.record({ ...observed.observation, observer, ...(auth ? { state: "auth" as const, lines: nothing } : {}) })
    const sections = Object.values(observed.surface.sections).map((section) => section?.text ?? "")
    for (const text of auth ? [] : archive ? archivedTexts(observed) : sections) store(log, text)
  }
  return log
}

const store = (log: HostileLog, text: string) => log.objects.set(objectPath(computeTextDigest(text)), encodeUtf8(text))

const { subject } = observedOf(readingOf({})).observation
const STREAM = streamKey(observedOf(readingOf({})).observation)

const read = async (log: HostileLog, choice: StreamChoice = { stream: STREAM }) => {
  const client = await openLogClient({ source: log, roots: [log.root], state: new MemoryState(), clock: () => 1 })
  return readHistory(client, { subject, choice, exhaustive: false, known: null })
}

const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: "object" } })
const A = { tools: [tool("a", "one")] }
const B = { tools: [tool("a", "two"), tool("b", "two")] }

describe("what changed", () => {
  test("is against the list before, records without one left out", async () => {
    const { streams } = await read(logOf([{ lists: A }, { auth: true }, { lists: B }, { lists: A }]))
    expect(streams[0]?.entries.map(({ record, changes }) => [record.state, changes?.items.length ?? null])).toEqual([
      ["listed", null],
      ["auth", null],
      ["listed", 2],
      ["listed", 2],
    ])
  })

  test("is named by item without the archive, and not at all without the section texts", async () => {
    const log = logOf([{ lists: A }, { lists: B, archive: false }])
    const changesOf = async () => (await read(log)).streams[0]?.entries[1]?.changes
    expect(await changesOf()).toMatchObject({
      differs: ["tools"],
      items: [
        { section: "tools", item: "a", kind: "changed" },
        { section: "tools", item: "b", kind: "added" },
      ],
      diff: { changes: [] },
      notCovered: ["tools"],
    })
    log.objects.clear()
    expect(await changesOf()).toMatchObject({
      differs: ["tools"],
      items: [],
      diff: { changes: [] },
      notCovered: ["tools"],
    })
  })

  test("reads an object that several records share once", async () => {
    const log = logOf([{ lists: A }, { lists: B }, { lists: A }, { lists: B }, { lists: A }])
    await read(log)
    const objects = log.reads.filter((path) => path.startsWith("objects/"))
    expect(new Set(objects).size).toBe(objects.length)
  })

  test("counts an object that is wrong, or cannot be had, as missing", async () => {
    const log = logOf([{ lists: A }, { lists: B }])
    log.tamper = (path, bytes) => (path.startsWith("objects/") && bytes !== null ? encodeUtf8("{}") : bytes)
    const { streams, warnings } = await read(log)
    expect(streams[0]?.entries[1]?.changes).toMatchObject({ differs: ["tools"], notCovered: ["tools"], items: [] })
    expect(warnings.every((warning) => warning.startsWith("object_wrong:objects/"))).toBe(true)
    expect(warnings.length).toBeGreaterThan(1)
  })
})

describe("texts that hash to what a record names and are none", () => {
  const BROKEN = ["{", "\u0000", '{"a":1,"a":2}', "\n", "5", "null", "[]", '"x"', '{"name":5}']

  /** A log whose second record names `list` as its tools, and `instructions`. */
  function brokenLog(list: string, instructions: string): HostileLog {
    const log = logOf([{ lists: A }])
    const { observation } = observedOf(readingOf(A))
    const lines = {
      ...observation.lines,
      tools: `1 ${computeTextDigest(list)}`,
      instructions: computeTextDigest(instructions),
    }
    log.record({ ...observation, lines })
    for (const text of [list, instructions]) store(log, text)
    return log
  }

  const itemOf = (text: string) => `${computeTextDigest(text).slice("sha256:".length)}  a\n`

  test.each(BROKEN)("%j: as items, lists, and instructions", async (text) => {
    for (const [list, item] of [
      [text, null],
      [itemOf(text), text],
    ] as const) {
      const log = brokenLog(list, text)
      if (item !== null) store(log, item)
      const { streams } = await read(log)
      const [stream] = streams
      expect(stream?.entries).toHaveLength(2)
      expect(stream?.entries[1]?.changes?.differs).toContain("tools")
      for (const query of ["/tools/a/description=one", "*=one", "/instructions=[1]", "/tools=[]"]) {
        const found = await findText(log, stream?.entries ?? [], parseTextQuery(query))
        expect(found.records).toHaveLength(2)
        if (item === null && query.startsWith("/tools")) expect(found.records[1]?.presence).toBe("not_covered")
      }
    }
  })
})

describe("streams", () => {
  const log = logOf([{ lists: A }, { lists: B, observer: "ci" }, { lists: B }, { auth: true, observer: "third" }])
  log.append("no record")

  test.each([
    { choice: { stream: STREAM }, shown: [["0", "2"]], others: ["1", "3"] },
    { choice: { leaf: 1n }, shown: [["1"]], others: ["2", "3"] },
    { choice: "all" as const, shown: [["1"], ["0", "2"], ["3"]], others: [] },
  ])("$choice", async ({ choice, shown, others }) => {
    const history = await read(log, choice)
    expect(history.streams.map(({ entries }) => entries.map(({ index }) => String(index)))).toEqual(shown)
    expect(history.others.map(({ index }) => String(index))).toEqual(others)
  })

  test.each([
    { choice: { leaf: 4n }, code: "USAGE" },
    { choice: { leaf: 99n }, code: "USAGE" },
    { choice: { stream: "another" }, code: "RESOURCE_MISSING" },
  ])("$choice is $code", async ({ choice, code }) => {
    await expect(read(log, choice)).rejects.toMatchObject({ code })
  })
})

test("a search agrees with looking at every list", async () => {
  const word = fc.constantFrom("one", "two", "")
  const list = fc.record({
    instructions: fc.option(word, { nil: null }),
    tools: fc.option(
      fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "=", "c/d"), word), {
        selector: ([name]) => name,
        maxLength: 3,
      }),
      { nil: null },
    ),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(list, { minLength: 1, maxLength: 5 }),
      fc.constantFrom("a", "=", "c/d"),
      async (said, name) => {
        const lists = said.map(({ instructions, tools }) => ({
          ...(instructions === null ? {} : { instructions }),
          ...(tools === null ? {} : { tools: tools.map(([key, description]) => tool(key, description)) }),
        }))
        const log = logOf(lists.map((one) => ({ lists: one })))
        const { streams } = await read(log)
        const token = encodeURIComponent(name.replaceAll("/", "~1"))
        const entries = streams[0]?.entries ?? []
        const ask = async (find: string) =>
          (await findText(log, entries, parseTextQuery(find))).records.map((r) => r.presence === "present")
        const descriptionIn = (one: (typeof lists)[number]) =>
          one.tools?.find((item) => item.name === name)?.description
        expect(await ask(`#/tools/${token}/description=one`)).toEqual(
          lists.map((one) => descriptionIn(one)?.includes("one") === true),
        )
        expect(await ask(`#/tools/${token}/description=""`)).toEqual(lists.map((one) => descriptionIn(one) === ""))
        expect(await ask("/instructions=two")).toEqual(lists.map((one) => one.instructions === "two"))
        expect(await ask("=two")).toEqual(lists.map((one) => JSON.stringify(one).includes("two")))
      },
    ),
    { numRuns: 25 },
  )
})
