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
    ask: p.stdin.isTTY && p.stderr.isTTY && !p.env.CI ? ask : null,
    nowSec: () => Math.floor(Date.now() / 1000),
    signal: abort.signal,
  }
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises")
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}
