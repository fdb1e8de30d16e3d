// Real servers from npm, started as users start them. Lists are compared with the shared captures: names always, bytes where the
// same dependencies were resolved (zod moves between minor versions, real-servers.md 1.1).
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { createStdioToolSource } from "../../src/adapters/mcp-stdio.js"
import { listProcesses, readCommandLine } from "../../src/adapters/process-tree.js"
import { isObject, type JsonValue, parseJson } from "../../src/core/json.js"
import { computeSurface, parseSurface, SECTION_NAMES, surfaceItems } from "../../src/core/section.js"
import { DEFAULT_READ_LIMITS } from "../../src/ports.js"
import { describeShared, readShared } from "../shared.js"

const folder = mkdtempSync(join(tmpdir(), "toolsum-real-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// `npm run --silent` hands its log level on, and then npx does not say what is wrong.
const { npm_config_loglevel: _silent, ...environment } = process.env

const read = (args: readonly string[]) =>
  createStdioToolSource({
    target: { command: "npx", args, env: [] },
    cwd: folder,
    environment,
    placeholders: [],
    clientVersion: "0.0.0",
  }).read({ sections: SECTION_NAMES, limits: DEFAULT_READ_LIMITS })

const names = (items: readonly JsonValue[] | null) => items?.map((item) => (isObject(item) ? item.name : item)).sort()

describeShared("servers from npm", () => {
  test.each([
    { name: "@modelcontextprotocol/server-memory", version: "2026.1.26", args: [] },
    { name: "@modelcontextprotocol/server-sequential-thinking", version: "2026.8.31", args: [] },
    { name: "@modelcontextprotocol/server-filesystem", version: "2025.8.21", args: [tmpdir()] },
    { name: "@modelcontextprotocol/server-everything", version: "2025.8.18", args: [] },
  ])("$name@$version", async ({ name, version, args }) => {
    const reading = await read(["-y", `${name}@${version}`, ...args])
    expect(reading.failures).toEqual({})
    expect(reading.resolved).toEqual({ version, integrity: expect.stringMatching(/^sha512-/) })
    expect(reading.read.dependencies).toMatch(/^sha256:[0-9a-f]{64}$/)
    const capture = parseJson(readShared(`captures/${name.replaceAll("/", "__")}@${version}.json`))
    const expected = parseSurface(capture)
    for (const section of SECTION_NAMES)
      expect(names(surfaceItems(reading.surface, section))).toEqual(names(surfaceItems(expected, section)))
    const again = await read(["-y", `${name}@${version}`, ...args])
    expect(computeSurface(again.surface, SECTION_NAMES).lines).toEqual(
      computeSurface(reading.surface, SECTION_NAMES).lines,
    )
    const left = listProcesses().map(({ pid }) => readCommandLine(pid).join(" "))
    expect(left.filter((line) => line.includes(`${name}@${version}`))).toEqual([])
  })

  test("a floating version is resolved to what ran", async () => {
    const reading = await read(["-y", "@modelcontextprotocol/server-memory@2026.1"])
    expect(reading.resolved.version).toMatch(/^2026\.1\.[0-9]+$/)
  })

  test.each([
    { name: "@modelcontextprotocol/server-slack@2025.4.25", variable: "SLACK_BOT_TOKEN" },
    { name: "tavily-mcp@0.2.10", variable: "TAVILY_API_KEY" },
    { name: "@perplexity-ai/mcp-server@1.2.1", variable: "PERPLEXITY_API_KEY" },
  ])("$name wants $variable", async ({ name, variable }) => {
    await expect(read(["-y", name])).rejects.toMatchObject({
      code: "SERVER_AUTH",
      message: `missing: ${variable}`,
      evidence: { wants: expect.stringContaining(variable) },
    })
  })

  test("a package that is not there is unreachable, with npm's words", async () => {
    await expect(read(["-y", "@modelcontextprotocol/server-memory@0.0.99"])).rejects.toMatchObject({
      code: "SERVER_UNREACHABLE",
      evidence: { stderr: expect.stringContaining("npm") },
    })
  })
})
