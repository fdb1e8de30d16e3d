// The build fails if anything outside the guard could call a tool: no source names the method, and everything that is really sent to
// a server that offers all sections is recorded and compared with the short list of what may be sent.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { createStdioToolSource } from "../../src/adapters/mcp-stdio.js"
import { SECTION_NAMES } from "../../src/core/section.js"
import { DEFAULT_READ_LIMITS } from "../../src/ports.js"

const src = fileURLToPath(new URL("../../src", import.meta.url))
const sources = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && /\.[cm]?[jt]s$/.test(file.name))
  .map((file) => join(file.parentPath, file.name))
  .filter((path) => !relative(src, path).startsWith("guard"))

/** Ways to name a request that does more than list: the method, however it is put together, and the SDK's own verbs. */
const ACTS =
  /tools\s*(?:\/|\\u002f|\\x2f)\s*call|["'`]\/call["'`]|tools\/["'`]\s*\+|prompts\/get|resources\/(?:read|subscribe)|completion\/complete|\.\s*(?:callTool|getPrompt|readResource|subscribeResource|complete)\s*\(|\bcallTool\b/i

test("the pattern finds what it is for", () => {
  for (const text of [
    '"tools/call"',
    "`tools/` + verb",
    'join("tools", "/call")',
    "client.callTool({})",
    '"tools\\u002fcall"',
  ])
    expect(text).toMatch(ACTS)
  for (const text of ['"tools/list"', "callToAction()", "resources/list"]) expect(text).not.toMatch(ACTS)
})

test("no source outside the guard names a request that acts", () => {
  expect(sources.length).toBeGreaterThan(20)
  const found = sources.filter((path) => ACTS.test(readFileSync(path, "utf8")))
  expect(found.map((path) => relative(src, path))).toEqual([])
})

const HANDSHAKE = ["initialize", "notifications/initialized"]
const LISTS = ["tools/list", "prompts/list", "resources/templates/list", "resources/list"]

test.each([
  { name: "raw-server", words: ["full"], protocol: "2025-11-25", sends: [...HANDSHAKE, ...LISTS] },
  { name: "raw-server", words: ["modern:full"], protocol: "2026-07-28", sends: ["server/discover", ...LISTS] },
  { name: "sdk-v1", words: [], protocol: "2025-11-25", sends: [...HANDSHAKE, ...LISTS] },
  { name: "sdk-v2", words: [], protocol: "2025-11-25", sends: [...HANDSHAKE, ...LISTS] },
  { name: "sdk-v2", words: [], protocol: "2026-07-28", sends: ["server/discover", ...LISTS] },
  {
    name: "sdk-v2",
    words: ["modern-only"],
    protocol: "2025-11-25",
    sends: ["initialize", "server/discover", ...LISTS],
  },
])("$name $words in $protocol gets nothing but $sends", async ({ name, words, protocol, sends }) => {
  const folder = mkdtempSync(join(tmpdir(), "toolsum-sent-"))
  const record = join(folder, "sent")
  try {
    const servers = fileURLToPath(new URL("../fixtures/servers/", import.meta.url))
    const source = createStdioToolSource({
      target: {
        command: process.execPath,
        args: [join(servers, "tap.mjs"), record, join(servers, `${name}.mjs`), ...words],
        env: [],
      },
      cwd: folder,
      environment: { PATH: process.env.PATH },
      placeholders: [],
      clientVersion: "0.0.0",
    })
    const reading = await source.read({ sections: SECTION_NAMES, limits: DEFAULT_READ_LIMITS, protocol })
    expect(reading.failures).toEqual({})
    const sent = readFileSync(record, "utf8").trim().split("\n")
    expect(sent.map((line) => JSON.parse(line).method)).toEqual(sends)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
