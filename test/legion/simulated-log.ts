// The published Python client of LEGION and its simulated log, for tests that hold ours beside them: installed into a temporary folder, started
// on 127.0.0.1 and ended by process id.
import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { hasShared, sharedPath } from "../shared.js"

const PACKAGES = ["legion-lock==0.1.1", "cryptography"]
/** For an environment and its packages. */
export const INSTALL_TIMEOUT_MS = 300_000
const RUN_TIMEOUT_MS = 120_000

function findPython(): string | null {
  try {
    const code = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"
    execFileSync("python3", ["-c", code], { stdio: "ignore" })
    return "python3"
  } catch {
    return null
  }
}

const python = hasShared ? findPython() : null

/** True where the shared data and a Python that can make environments are there. */
export const canRunLegion: boolean = python !== null

/** The interpreter of an environment with LEGION's client. */
export interface LegionInstallation {
  readonly python: string
  remove(): void
}

/** Install LEGION's client. */
export function installLegion(): LegionInstallation {
  if (python === null) throw new Error("expected python3")
  const folder = mkdtempSync(join(tmpdir(), "toolsum-legion-"))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    execFileSync(python, ["-m", "venv", folder], { timeout: INSTALL_TIMEOUT_MS })
    const installed = join(folder, "bin", "python")
    const line = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", ...PACKAGES]
    execFileSync(installed, line, { timeout: INSTALL_TIMEOUT_MS })
    return { python: installed, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** A simulated log that runs; see sim-server.py for its URLs and switches. */
export interface SimulatedLog {
  readonly base: string
  readonly registry: string
  readonly mcp: string
  readonly rootPin: string
  readonly servers: readonly string[]
  stop(): Promise<void>
}

/** Start the log with switches of its misbehaviour. */
export async function startLog(installed: LegionInstallation, switches: readonly string[]): Promise<SimulatedLog> {
  const line = ["-B", sharedPath("legion/sim-server.py"), ...switches]
  const child = spawn(installed.python, line, { stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(child, "exit")
  const stop = async () => {
    child.kill()
    await ended
  }
  const lines = createInterface({ input: child.stdout })
  const [ready] = (await Promise.race([once(lines, "line"), ended])) as [unknown]
  if (typeof ready !== "string") throw new Error("the simulated log ended before it was ready")
  const { base, registry, mcp, root_pin: rootPin, servers } = JSON.parse(ready)
  return { base, registry, mcp, rootPin, servers, stop }
}

/** What a run of LEGION's client ended in. */
export interface LegionRun {
  readonly code: number
  readonly output: string
}

/** Run LEGION's own tool against a log. */
export function runLegion(
  installed: LegionInstallation,
  log: SimulatedLog,
  { tool, args, cwd }: { tool: "lock" | "verify"; args: readonly string[]; cwd: string },
): Promise<LegionRun> {
  const { base, registry, rootPin } = log
  const how = ["--pin", rootPin, "--base", base, "--registry", registry, tool, ...args]
  return new Promise((resolve, reject) => {
    const options = { cwd, timeout: RUN_TIMEOUT_MS }
    execFile(installed.python, ["-B", sharedPath("legion/run-legion.py"), ...how], options, (error, stdout, stderr) => {
      const code = error ? error.code : 0
      if (typeof code === "number") resolve({ code, output: stdout + stderr })
      else reject(error)
    })
  })
}
