// The real Io. Terminals and signals are looked at when a command asks for them: `verify` hardly does, and each takes a millisecond.
import { fstatSync, statSync } from "node:fs"
import { ToolsumError } from "../core/errors.js"
import type { ExitCode } from "./exit-codes.js"
import type { ProcessIo } from "./io.js"
import { createOutput } from "./output.js"

const COULD_NOT_CHECK: ExitCode = 2

/** Io of a running Node process. `wroteAll`: whether all output has left, none waits in a stream. */
export function createProcessIo(p: NodeJS.Process): ProcessIo & { readonly wroteAll: () => boolean } {
  let signal: AbortSignal | null = null
  let streams = false
  const direct = p.platform !== "win32"
  const open = (name: "stdout" | "stderr") => {
    streams = true
    return p[name]
  }
  return {
    stdout: createOutput(1, () => open("stdout"), { direct }),
    // Where nobody can be told that something went wrong, the exit code still says it.
    stderr: createOutput(2, () => open("stderr"), { direct, onError: () => {} }),
    wroteAll: () => !streams,
    env: p.env,
    get cwd() {
      return findFolder(p)
    },
    platform: p.platform,
    get colour() {
      return !p.env.NO_COLOR && p.env.TERM !== "dumb" && isTerminal(1)
    },
    get progress() {
      return !p.env.CI && isTerminal(2)
    },
    get ask() {
      if (p.env.CI || !isTerminal(0) || !isTerminal(2)) return null
      const interrupt = () => p.kill(p.pid, "SIGINT")
      return createAsk({ input: p.stdin, output: p.stderr, signal: this.signal, interrupt })
    },
    nowSec: () => Math.floor(Date.now() / 1000),
    get signal() {
      signal ??= catchSignals(p)
      return signal
    },
  }
}

/** The working folder. Throws CONFIG_INVALID when it was removed. */
function findFolder(p: NodeJS.Process): string {
  try {
    return p.cwd()
  } catch (cause) {
    throw new ToolsumError("CONFIG_INVALID", "the working folder is not there any more", { cause })
  }
}

/** Aborted by the first signal. The second ends the process at once, by an exit: then whatever was started is killed. */
function catchSignals(p: NodeJS.Process): AbortSignal {
  const abort = new AbortController()
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)
    p.on(name, () => (abort.signal.aborted ? p.exit(COULD_NOT_CHECK) : abort.abort(name)))
  return abort.signal
}

/** True for a terminal. */
const isTerminal = (fd: number): boolean => mayBeTerminal(fd) && process.getBuiltinModule("node:tty").isatty(fd)

/** Files, pipes and the null device are told apart without loading node:tty, and with it node:net. */
function mayBeTerminal(fd: number): boolean {
  if (process.platform === "win32") return true
  try {
    const status = fstatSync(fd)
    return status.isCharacterDevice() && status.rdev !== statSync("/dev/null").rdev
  } catch {
    return false // closed
  }
}

/** Asks on a terminal. No answer, by Ctrl-C, Ctrl-D or `signal`, is the empty answer: a question never hangs. */
export function createAsk(p: {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
  signal: AbortSignal
  /** Ctrl-C: while a question is open, the terminal gives it to us as a key. */
  interrupt: () => void
}): (question: string) => Promise<string> {
  return async (question) => {
    const { createInterface } = await import("node:readline/promises")
    const lines = createInterface({ input: p.input, output: p.output })
    const nothing = new Promise<string>((resolve) => {
      const end = () => resolve("")
      lines.once("close", end)
      p.signal.addEventListener("abort", end, { once: true })
      if (p.signal.aborted) end()
    })
    lines.once("SIGINT", p.interrupt)
    try {
      return await Promise.race([lines.question(question), nothing])
    } catch (error) {
      if (error instanceof Error && error.name === "AbortError") return "" // Ctrl-D
      throw error
    } finally {
      lines.close()
    }
  }
}
