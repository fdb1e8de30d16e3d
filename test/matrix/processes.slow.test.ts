// What only real processes can show of the matrix: servers that answer and do not go, helpers that outlive them, commands that end or are
// not there, and words that have to reach a process as they are (field-notes C28, C29).
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeEach, expect, test, vi } from "vitest"
import { createStdioToolSource } from "../../src/adapters/mcp-stdio.js"
import { checkPin } from "../../src/features/check.js"
import { DEFAULT_READ_LIMITS } from "../../src/ports.js"
import { observedOf, pinOf, readingOf } from "../fakes/readings.js"
import { OFFLINE } from "./run-cell.js"

const SERVER = fileURLToPath(new URL("./stubborn-server.mjs", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "toolsum-matrix-"))
const temporary = join(folder, "tmp")
const pidFile = join(folder, "pids")
const SECTIONS = ["tools"] as const
const LIMITS = { ...DEFAULT_READ_LIMITS, startTimeoutMs: 20_000, requestTimeoutMs: 20_000 }
/** How long a reading may take with all that it has to end. */
const MAX_MS = 30_000

mkdirSync(temporary)
vi.stubEnv("TMPDIR", temporary)
beforeEach(() => rmSync(pidFile, { force: true }))
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** Check a command against a pin that has these tools. */
async function check(command: string, args: readonly string[], { tools = ["a"], protocol = "2025-11-25" } = {}) {
  const source = createStdioToolSource({
    target: { command, args, env: [] },
    cwd: folder,
    environment: { PATH: process.env.PATH },
    placeholders: [],
    clientVersion: "0.0.0",
  })
  const list = tools.map((name) => ({ name, inputSchema: { type: "object" } }))
  const reading = readingOf({ tools: list, serverInfo: { name: "stubborn", version: "1.0.0" } })
  const { verdict, reason, detail } = await checkPin({
    name: "notes",
    pin: pinOf(observedOf(reading, { sections: SECTIONS })),
    offline: OFFLINE,
    log: null,
    needsLog: false,
    exhaustive: false,
    readLive: () => source.read({ sections: SECTIONS, limits: LIMITS, protocol }),
    approved: async () => reading.surface,
  })
  return { answer: reason === null ? verdict : `${verdict}(${reason})`, detail }
}

const pids = (): readonly number[] =>
  existsSync(pidFile) ? readFileSync(pidFile, "utf8").trim().split("\n").map(Number) : []

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // A zombie waits for its parent, which may be gone: nothing of it runs.
  return !existsSync(`/proc/${pid}/stat`) || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
}

test.each(
  ["2025-11-25", "2026-07-28"].flatMap((protocol) =>
    [
      ["helper"],
      ["helper", "session-helper", "ignoring-helper"],
      ["stays", "ignores-term"],
      ["leaves", "helper"],
      ["leaves", "session-helper"],
    ].map((flags) => ({ protocol, flags })),
  ),
)(
  "a server that does not want to go is read, and nothing of it is left: $protocol $flags",
  async ({ protocol, flags }) => {
    const started = performance.now()
    const { answer } = await check(process.execPath, [SERVER, pidFile, flags.join(","), "a"], { protocol })
    expect(answer).toBe("UNCHANGED")
    expect(pids()).toHaveLength(1 + flags.filter((flag) => flag.endsWith("helper")).length)
    expect(pids().filter(isAlive)).toEqual([])
    expect(performance.now() - started).toBeLessThan(MAX_MS)
  },
)

test("a change is told, and nothing is left", async () => {
  const { answer } = await check(process.execPath, [SERVER, pidFile, "helper,stays", "a", "b"])
  expect(answer).toBe("CHANGED(surface)")
  expect(pids().filter(isAlive)).toEqual([])
})

test.each([
  { name: "one that ends at once", command: process.execPath, args: ["-e", "process.exit(3)"], says: "code 3" },
  {
    name: "one that a signal ends",
    command: process.execPath,
    args: ["-e", "process.kill(process.pid)"],
    says: "SIGTERM",
  },
  {
    name: "a path as on Windows",
    command: "C:\\Program Files\\nodejs\\npx.cmd",
    args: ["-y", "x"],
    says: "no such command",
  },
  { name: "a shell as on Windows", command: "cmd.exe", args: ["/c", "npx", "-y", "x"], says: "no such command" },
  { name: "a line for a shell", command: "npx -y x && echo", args: [], says: "no such command" },
  { name: "a folder", command: "/", args: [], says: "may not be executed" },
])("$name is UNKNOWN(server_unreachable), and is told", async ({ command, args, says }) => {
  const { answer, detail } = await check(command, args)
  expect(answer).toBe("UNKNOWN(server_unreachable)")
  expect(detail).toContain(says)
})

test("words reach a process as they are", async () => {
  const words = [
    ...["C:\\Users\\x y\\server.js", "\\\\host\\share\\", "%PATH%", "!PATH!", "^&|<>()", "/c"],
    ...['a "quoted" word', "it's", "two  spaces", "", "*", "$(id)", "`id`", "a\\", "é😀"],
  ].map((word, i) => `${i}${word}`)
  // In a launch line `$$` stands for `$`.
  const args = words.map((word) => word.replaceAll("$", "$$$$"))
  const { answer } = await check(process.execPath, [SERVER, pidFile, "", ...args], { tools: words })
  expect(answer).toBe("UNCHANGED")
})

test("no file is left", () => {
  expect(readdirSync(temporary)).toEqual([])
  expect(readdirSync(folder).filter((name) => name !== "pids")).toEqual(["tmp"])
})
