// The real Io. Signals abort `signal` once; a second Ctrl-C ends the process as usual.
import type { ProcessIo } from "./io.js"

/** Io of a running Node process. */
export function createProcessIo(p: NodeJS.Process): ProcessIo {
  const abort = new AbortController()
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) p.once(name, () => abort.abort(name))
  const wantsColour = !p.env.NO_COLOR && p.env.TERM !== "dumb"
  // A reader that goes away (`| head`) is no fault of ours.
  p.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error
  })
  return {
    stdout: (text) => void p.stdout.write(text),
    stderr: (text) => void p.stderr.write(text),
    env: p.env,
    cwd: p.cwd(),
    platform: p.platform,
    colour: wantsColour && p.stdout.isTTY === true,
    progress: p.stderr.isTTY === true && !p.env.CI,
    ask:
      p.stdin.isTTY && p.stderr.isTTY && !p.env.CI
        ? createAsk({
            input: p.stdin,
            output: p.stderr,
            signal: abort.signal,
            interrupt: () => p.kill(p.pid, "SIGINT"),
          })
        : null,
    nowSec: () => Math.floor(Date.now() / 1000),
    signal: abort.signal,
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
    } finally {
      lines.close()
    }
  }
}
