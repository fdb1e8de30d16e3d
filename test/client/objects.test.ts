import { expect, test } from "vitest"
import { fetchArchivedSurface, fetchObject, fetchSectionTexts, objectPath } from "../../src/client/objects.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { computeTextDigest } from "../../src/core/hash.js"
import { parseJson } from "../../src/core/json.js"
import { computeSurface, parseSurface, type Surface } from "../../src/core/section.js"
import { flipBit, HostileLog, withhold } from "../fakes/hostile-log.js"

const SURFACE = parseSurface(
  parseJson(
    JSON.stringify({
      instructions: "read me",
      tools: Array.from({ length: 40 }, (_, i) => ({ name: `tool ${i}`, inputSchema: { type: "object" } })),
      prompts: [],
      resourceTemplates: [{ description: "nameless" }],
      serverInfo: { name: "x", version: "1" },
    }),
  ),
)

function archived(surface: Surface) {
  const log = new HostileLog()
  const { lines, archive } = computeSurface(surface, ["tools", "prompts", "templates"])
  for (const text of archive) log.archive(text)
  return { log, lines }
}

test("an archived surface comes back as it was recorded", async () => {
  const { log, lines } = archived(SURFACE)
  const { surface, missing } = await fetchArchivedSurface(log, lines)
  expect(missing).toEqual([])
  expect(computeSurface(surface, ["tools", "prompts", "templates"]).lines).toEqual(lines)
  expect(surface.serverInfo).toEqual(parseJson('{"name":"x"}'))
  expect(surface).toMatchObject({ instructions: "read me", prompts: [], resources: null })
})

test("what was deleted from the archive is missing, and only that", async () => {
  const { log, lines } = archived(SURFACE)
  log.tamper = withhold(new RegExp(objectPath(computeTextDigest('{"inputSchema":{"type":"object"},"name":"tool 7"}'))))
  const { surface, missing } = await fetchArchivedSurface(log, lines)
  expect(missing).toEqual(["tools"])
  expect(surface.tools).toBeNull()
  log.tamper = withhold(/^objects/)
  expect((await fetchArchivedSurface(log, lines)).missing).toEqual([
    "tools",
    "resourceTemplates",
    "instructions",
    "serverInfo",
  ])
})

test("an object counts only if it hashes to its name", async () => {
  const log = new HostileLog()
  const digest = log.archive("text")
  expect(await fetchObject(log, digest)).toEqual(encodeUtf8("text"))
  expect(await fetchObject(log, computeTextDigest("other"))).toBeNull()
  log.tamper = flipBit(/^objects/)
  await expect(fetchObject(log, digest)).rejects.toMatchObject({ code: "HASH_MISMATCH" })
})

test.each(["no lines", `${"0".repeat(64)} "one space"\n`, `${"0".repeat(64)}  null`])(
  "a recorded section text %j that is none counts as missing",
  async (text) => {
    const log = new HostileLog()
    const lines = {
      tools: `1 ${log.archive(text)}`,
      prompts: "-",
      templates: "-",
      resources: "-",
      instructions: "-",
      server: "-",
    }
    expect((await fetchArchivedSurface(log, lines)).missing).toEqual(["tools"])
    expect(await fetchSectionTexts(log, lines)).toEqual({})
  },
)
