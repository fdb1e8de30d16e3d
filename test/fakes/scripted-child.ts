// A process in memory that runs a hand-written server (fixtures/servers/raw-dialogue.mjs): what the stdio reader sees of it is what a real
// one would give, byte by byte, without the time that starting one takes.
import type { ChildExit, ChildOptions } from "../../src/adapters/child-process.js"
import type { StartChild } from "../../src/adapters/mcp-stdio-transport.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { createDialogue, type Dialogue, type DialogueIo } from "../fixtures/servers/raw-dialogue.mjs"

/** Starts of one scripted server, and the lines that each of its processes got. */
export interface ScriptedServer {
  readonly start: StartChild
  readonly starts: readonly (readonly string[])[]
  /** How many of its processes have not ended. */
  running(): number
}

/** A server that runs `scenario`, by name or made for each start; each start is a process of its own. */
export function createScriptedServer(scenario: string | ((io: DialogueIo) => Dialogue)): ScriptedServer {
  const starts: string[][] = []
  let running = 0
  const start: StartChild = async (options) => {
    const lines: string[] = []
    starts.push(lines)
    running++
    const create = typeof scenario === "string" ? (io: DialogueIo) => createDialogue(scenario, io) : scenario
    return runProcess(create, options, lines, () => {
      running--
    })
  }
  return { start, starts, running: () => running }
}

function runProcess(create: (io: DialogueIo) => Dialogue, options: ChildOptions, lines: string[], ended: () => void) {
  let exit: ChildExit | null = null
  const end = (code: number) => {
    if (exit) return
    exit = { code, signal: null }
    ended()
    setImmediate(() => options.onEnd({ code, signal: null }))
  }
  const whileAlive = (act: () => void) => {
    if (!exit) setImmediate(act)
  }
  const dialogue = create({
    write: (bytes) => whileAlive(() => options.onStdout(typeof bytes === "string" ? encodeUtf8(bytes) : bytes)),
    stderr: (text) => whileAlive(() => options.onStderr(encodeUtf8(text))),
    exit: end,
    env: options.env,
    cwd: options.cwd,
  })
  setImmediate(() => dialogue.start())
  return {
    async write(text: string) {
      if (exit) return
      lines.push(text)
      setImmediate(() => exit === null && dialogue.receive(text))
    },
    commandLines: () => [],
    async stop() {
      end(0)
    },
    kill: () => end(1),
  }
}

/** What was sent in those lines: the methods, in order. */
export const methodsOf = (lines: readonly string[] | undefined): readonly unknown[] =>
  (lines ?? []).map((line) => JSON.parse(line).method)
