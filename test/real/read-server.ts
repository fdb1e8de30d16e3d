// Starts one installed server the way its capture was made, reads all of it, and tells which of its processes are left.
import { mkdirSync, mkdtempSync, readlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { createStdioToolSource } from "../../src/adapters/mcp-stdio.js"
import { listProcesses, readCommandLine } from "../../src/adapters/process-tree.js"
import { SECTION_NAMES } from "../../src/core/section.js"
import { DEFAULT_READ_LIMITS, type ServerReading } from "../../src/ports.js"
import { type Capture, commandScript, type InstalledServer } from "./sets.js"

/** Variables whose value a server reads before it lists. The others are keys, for which a placeholder does. */
const MEANINGFUL = ["OPENAPI_MCP_HEADERS", "MDB_MCP_TELEMETRY"]

/** How to start a server, and the protocol revision to ask for. */
export interface Start extends Pick<Capture, "command" | "env"> {
  readonly protocol: string
}

/** Read a server in empty folders of its own, with placeholders for keys. `left`: what still runs of it afterwards. */
export async function readServer(
  server: InstalledServer,
  start: Start,
): Promise<{ reading: ServerReading; left: readonly string[] }> {
  const work = mkdtempSync(join(tmpdir(), "server-"))
  const [home, allowed] = [join(work, "home"), join(work, "allowed")]
  for (const folder of [home, allowed]) mkdirSync(folder)
  const script = commandScript(join(inject("installed"), server.set, "node_modules", server.alias))
  const args = start.command.split(" ").slice(3) // npx -y name@version
  const names = Object.keys(start.env)
  const reading = await createStdioToolSource({
    target: {
      command: process.execPath,
      args: [script, ...args.map((arg) => (arg === "DIR" ? allowed : arg))],
      env: names,
    },
    cwd: work,
    environment: { ...process.env, ...start.env, HOME: home },
    placeholders: names.filter((name) => !MEANINGFUL.includes(name)),
    clientVersion: "0.0.0",
  }).read({ sections: SECTION_NAMES, limits: DEFAULT_READ_LIMITS, protocol: start.protocol })
  return { reading, left: processesOf(work) }
}

/** Processes that run in a folder or have it on their command line. */
export const processesOf = (folder: string): readonly string[] =>
  listProcesses()
    .map(({ pid }) => `${workingFolder(pid)} ${readCommandLine(pid).join(" ")}`)
    .filter((line) => line.includes(folder))

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ""
  }
}
