// Two readings before anything is recorded: what holds still, what does not, and what such an error carries.
import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import type { Mask } from "../../src/core/mask.js"
import { archivedTexts, type ObserveInput, observeServer } from "../../src/features/observe.js"
import { instabilityMembers, instabilityOf } from "../../src/features/unstable-error.js"
import type { ReadRequest, ServerReading } from "../../src/ports.js"
import { readingOf, TARGET } from "../fakes/readings.js"

const tool = (description: string, name = "a") => ({ name, description, inputSchema: { type: "object" } })
const saying = (...descriptions: readonly string[]) => descriptions.map((text) => readingOf({ tools: [tool(text)] }))

/** A server whose readings are these, one after the other, and what it was asked for. */
function serverOf(answers: readonly (ServerReading | Error)[]) {
  const requests: ReadRequest[] = []
  const read = async (request: ReadRequest): Promise<ServerReading> => {
    const answer = answers[requests.length]
    requests.push(request)
    if (answer === undefined) throw new Error("read too often")
    if (answer instanceof Error) throw answer
    return answer
  }
  return { source: { read }, requests }
}

function observe(answers: readonly (ServerReading | Error)[], over: Partial<ObserveInput> = {}) {
  const { source, requests } = serverOf(answers)
  const observed = observeServer({
    name: "notes",
    target: TARGET,
    source,
    placeholders: [],
    environment: {},
    sections: ["tools"],
    masks: [],
    observer: "local",
    nowSec: 1,
    ...over,
  })
  return { observed, requests }
}

const MASK: Mask = {
  section: "tools",
  item: "a",
  pointer: "/description",
  prefix: "Run ",
  suffix: " here",
  class: "digits",
  max: 8,
}

describe("a list that holds still", () => {
  test("is what the first of two readings said; the second asks for the revision of the first", async () => {
    const [first, second] = [
      readingOf({ tools: [tool("x", "a"), tool("y", "b")] }),
      readingOf({ tools: [tool("y", "b"), tool("x", "a")] }),
    ]
    const { observed, requests } = observe([first, second], { protocol: "2025-06-18" })
    expect((await observed).reading.surface).toBe(first.surface)
    expect(requests.map(({ protocol }) => protocol)).toEqual(["2025-06-18", "2025-11-25"])
  })

  test("where a mask covers what moves", async () => {
    const { observed } = observe(saying("Run 1 here", "Run 2 here"), { masks: [MASK] })
    expect((await observed).observation.mask).toMatch(/^sha256:/)
  })
})

describe("a list that moves", () => {
  test("is refused, with what differs and masks under which both readings are one", async () => {
    const error = await observe(saying("Run 1 here", "Run 2 here")).observed.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: "READING_UNSTABLE", kind: "unavailable" })
    const found = instabilityOf(error)
    expect(found?.places).toMatchObject([
      { pointer: "/description", first: "Run 1 here", second: "Run 2 here", problem: null },
    ])
    const { observed } = observe(saying("Run 1 here", "Run 2 here"), { masks: found?.masks ?? [] })
    expect((await observed).observation.mask).toMatch(/^sha256:/)
    expect(found && instabilityMembers(found)).toMatchObject({
      unstable: [{ item: "a", masks: [{ class: "digits" }], problem: null }],
      masks: [{ class: "digits", prefix: expect.stringContaining("Run") }],
    })
  })

  test("offers no masks where those would not be enough", async () => {
    const [first, second] = [
      readingOf({ tools: [tool("Run 1 here"), tool("", "b")] }),
      readingOf({ tools: [tool("Run 2 here"), tool("", "c")] }),
    ]
    const error = await observe([first, second]).observed.catch((thrown: unknown) => thrown)
    const found = instabilityOf(error)
    expect(found?.masks).toBeNull()
    expect(found?.places.map(({ item, masks }) => [item, masks.length])).toEqual([
      ["a", 1],
      ["b", 0],
      ["c", 0],
    ])
  })

  test("names no value that a server was given", async () => {
    const environment = { API_KEY: "geheim-9f8e7d6c5b4a" }
    const target = { command: "x", args: [], env: ["API_KEY"] }
    const { observed } = observe(saying("Run 1", `Run ${environment.API_KEY}`), { target, environment })
    const error = await observed.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: "SURFACE_MALFORMED" })
    expect(String(error)).not.toContain("geheim")
  })

  test("is no other error", () => {
    expect(instabilityOf(new ToolsumError("READING_UNSTABLE", "tools/list changed each time it was read"))).toBeNull()
    expect(instabilityOf(new ToolsumError("TIMEOUT", "x", { cause: { places: [], given: [], masks: [] } }))).toBeNull()
    expect(instabilityOf(new Error("x"))).toBeNull()
  })
})

test("a server that cannot be read the second time is not recorded", async () => {
  const gone = new ToolsumError("SERVER_UNREACHABLE", "gone")
  await expect(observe([...saying("x"), gone]).observed).rejects.toBe(gone)
  const failed = readingOf({}, { failures: { tools: new ToolsumError("READING_INCOMPLETE", "page 2") } })
  await expect(observe([...saying("x"), failed]).observed).rejects.toMatchObject({ code: "READING_INCOMPLETE" })
})

describe("a mask that matches nothing", () => {
  const typo = { ...MASK, prefix: "run " }

  test("is a slip where it is new, and names itself", async () => {
    const error = await observe(saying("Run 1 here", "Run 1 here"), { masks: [MASK, typo] }).observed.catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({
      code: "USAGE",
      message: expect.stringContaining('tool "a" "/description" between "run "'),
    })
  })

  test("is a note where a pin has had it", async () => {
    const { observed } = observe(saying("Other", "Other"), { masks: [MASK], keptMasks: [MASK] })
    expect((await observed).reading.findings).toMatchObject([{ code: "mask_idle", section: "tools" }])
  })

  test("in one reading only is unstable", async () => {
    const { observed } = observe(saying("Run 1 here", "Run x here"), { masks: [MASK] })
    await expect(observed).rejects.toMatchObject({ code: "READING_UNSTABLE" })
  })
})

describe("a private list", () => {
  const isPrivate = true

  test.each([
    { name: "in the first reading", at: 0 },
    { name: "in the second", at: 1 },
  ])("$name: its texts go into no archive, and that is said", async ({ at }) => {
    const readings = [0, 1].map((i) =>
      readingOf({ tools: [tool("x")], instructions: "y" }, { isPrivate: i === at && isPrivate }),
    )
    const observed = await observe(readings).observed
    expect(observed.reading.findings).toMatchObject([{ code: "list_private" }])
    expect(archivedTexts(observed)).toEqual([observed.surface.sections.tools?.text])
  })

  test("is not every list", async () => {
    const observed = await observe(saying("x", "x")).observed
    expect(observed.reading.findings).toEqual([])
    expect(archivedTexts(observed)).toBe(observed.surface.archive)
    expect(observed.surface.archive.length).toBeGreaterThan(1)
  })
})

describe("a chosen name for the profile", () => {
  test("is the profile", async () => {
    const observed = await observe(saying("x", "x"), { profile: "work" }).observed
    expect(observed.observation.profile).toBe("work")
  })

  test.each([
    { name: "anonymous", profile: "anonymous", placeholders: [] },
    { name: "a name that is none", profile: "env:A", placeholders: [] },
    { name: "one that would hide a placeholder", profile: "work", placeholders: ["A"] },
  ])("is not $name", async ({ profile, placeholders }) => {
    const { observed, requests } = observe(saying("x", "x"), { profile, placeholders })
    await expect(observed).rejects.toMatchObject({ code: "USAGE" })
    expect(requests).toEqual([])
  })
})
