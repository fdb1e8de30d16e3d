// Starts a server's process and ends it with everything it started, on every path (DESIGN 9: Ctrl-C leaves no child). The child
// leads a process group of its own; ending it means: close its input, wait, SIGTERM, wait, SIGKILL. Whoever reads a server stops it, also
// when a signal ends the reading; `killAllChildren` runs by itself when this process exits.
import type { ChildProcess } from "node:child_process"
import { spawnSync } from "node:child_process"
import { statSync } from "node:fs"
import crossSpawn from "cross-spawn"
import { quote, ToolsumError } from "../core/errors.js"
import { findTree, listProcesses, type ProcessEntry, readCommandLine, sendSignal } from "./process-tree.js"

/** How long a child may take to end by itself once its input is closed. */
const INPUT_GRACE_MS = 500
/** How long after SIGTERM. */
const TERM_GRACE_MS = 2000
/** How long to wait for processes to vanish after SIGKILL. */
const KILL_WAIT_MS = 2000
/** How long output may still come after the child has exited: a helper may hold the pipes open for ever. */
const DRAIN_MS = 250

/** How a child ended: an exit code or the name of a signal. */
export interface ChildExit {
  readonly code: number | null
  readonly signal: string | null
}

/** What to start. No shell is involved; on Windows a `.cmd` shim is resolved and quoted by cross-spawn. */
export interface ChildOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly onStdout: (chunk: Uint8Array) => void
  readonly onStderr: (chunk: Uint8Array) => void
  /** Called once, after the last output. */
  readonly onEnd: (exit: ChildExit) => void
}

/** A running child. */
export interface Child {
  /** Write to its standard input. Resolves when the text is handed over, or cannot be since the child is gone. */
  write(text: string): Promise<void>
  /** The words each process of its tree was started with, as far as the system tells. */
  commandLines(): readonly (readonly string[])[]
  /** End it and all that it started. Resolves when they are gone; may be called again. */
  stop(): Promise<void>
  /** The same at once: SIGKILL, without waiting. */
  kill(): void
}

const running = new Set<Child>()

/** Start a child. Throws SERVER_UNREACHABLE when it cannot be started. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const child = createChild(await spawnChild(options), options)
  if (running.size === 0) process.on("exit", killAllChildren)
  running.add(child)
  return child
}

/** Kill every child of this process at once: for the moment of exit, when nothing can be awaited. */
export function killAllChildren(): void {
  for (const child of running) child.kill()
}

function spawnChild(options: ChildOptions): Promise<ChildProcess> {
  const { command } = options
  const fail = (why: string, cause?: unknown) =>
    new ToolsumError("SERVER_UNREACHABLE", `cannot start ${quote(command)}: ${why}`, { cause })
  if (!isFolder(options.cwd)) throw fail(`the working folder ${quote(options.cwd)} is not there`)
  return new Promise((resolve, reject) => {
    const child = crossSpawn(command, [...options.args], {
      cwd: options.cwd,
      env: options.env,
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      detached: process.platform !== "win32",
      windowsHide: true,
    })
    child.once("error", (error) => reject(fail(explainSpawnError(error), error)))
    child.once("spawn", () => resolve(child))
  })
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function explainSpawnError(error: Error): string {
  const code = "code" in error ? error.code : undefined
  if (code === "ENOENT") return "there is no such command"
  if (code === "EACCES") return "it may not be executed"
  return error.message
}

function createChild(handle: ChildProcess, options: ChildOptions): Child {
  const tree = createTree(handle)
  const end = watchEnd(handle, options)
  // An input that is closed early is no error of ours: the end or a timeout will tell.
  handle.stdin?.on("error", () => {})
  handle.on("error", () => {})
  // A helper in a session of its own is known by its parent, which may end by itself as soon as it has answered.
  handle.stdout?.once("data", () => tree.entries())
  let stopping: Promise<void> | null = null
  const child: Child = {
    write: (text) => new Promise((resolve) => (handle.stdin ? handle.stdin.write(text, () => resolve()) : resolve())),
    commandLines: () => tree.entries().map(({ pid }) => readCommandLine(pid)),
    stop() {
      stopping ??= stopTree(handle, tree, end).finally(() => forget(child))
      return stopping
    },
    kill: () => tree.signal("SIGKILL"),
  }
  return child
}

function forget(child: Child): void {
  running.delete(child)
  if (running.size === 0) process.off("exit", killAllChildren)
}

/** Passes output on, and the end when the child has exited and its output is read, or `DRAIN_MS` after the exit. */
function watchEnd(handle: ChildProcess, options: ChildOptions): { readonly over: boolean } {
  handle.stdout?.on("data", options.onStdout)
  handle.stderr?.on("data", options.onStderr)
  const state = { over: false }
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    clearTimeout(timer)
    if (state.over) return
    state.over = true
    handle.stdout?.destroy()
    handle.stderr?.destroy()
    options.onEnd({ code: handle.exitCode, signal: handle.signalCode })
  }
  handle.once("close", end)
  handle.once("exit", () => {
    timer = setTimeout(end, DRAIN_MS)
  })
  return state
}

/** The processes of one child, remembered from look to look: a helper is found by its parent, who may be gone the next time. */
interface Tree {
  entries(): readonly ProcessEntry[]
  signal(signal: "SIGTERM" | "SIGKILL"): void
}

function createTree(handle: ChildProcess): Tree {
  const root = handle.pid ?? 0 // it was spawned, so it has one
  let known: readonly ProcessEntry[] = []
  let rootStarted: string | null = null
  const entries = () => {
    const all = listProcesses()
    rootStarted ??= all.find(({ pid }) => pid === root)?.started ?? null
    known = findTree({ root, rootStarted, known, all })
    return known
  }
  entries()
  return {
    entries,
    signal(signal) {
      const found = entries()
      const alive = handle.exitCode === null && handle.signalCode === null
      if (process.platform === "win32") {
        if (alive) spawnSync("taskkill", ["/PID", String(root), "/T", "/F"], { stdio: "ignore", windowsHide: true })
        return
      }
      // The group at once, so that no member can start another in between; then whoever left it.
      if (alive || found.some(({ group }) => group === root)) sendSignal(-root, signal)
      for (const { pid } of found) sendSignal(pid, signal)
    },
  }
}

async function stopTree(handle: ChildProcess, tree: Tree, end: { readonly over: boolean }): Promise<void> {
  const isGone = () => (handle.exitCode !== null || handle.signalCode !== null) && tree.entries().length === 0
  tree.entries()
  handle.stdin?.end()
  const endedAt = Date.now()
  await waitForExit(handle, INPUT_GRACE_MS)
  if (!(await waitUntil(isGone, INPUT_GRACE_MS - (Date.now() - endedAt)))) {
    tree.signal("SIGTERM")
    if (!(await waitUntil(isGone, TERM_GRACE_MS))) {
      for (const until = Date.now() + KILL_WAIT_MS; Date.now() < until; ) {
        tree.signal("SIGKILL")
        if (await waitUntil(isGone, KILL_WAIT_MS / 10)) break
      }
    }
  }
  handle.stdin?.destroy()
  await waitUntil(() => end.over, 2 * DRAIN_MS)
}

/** Wait for the child's own exit, most often all there is to wait for. */
function waitForExit(handle: ChildProcess, timeoutMs: number): Promise<void> {
  if (handle.exitCode !== null || handle.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs)
    handle.once("exit", () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Ask again and again, more and more rarely, until it holds or the time is over. */
async function waitUntil(holds: () => boolean, timeoutMs: number): Promise<boolean> {
  const until = Date.now() + timeoutMs
  for (let pauseMs = 5; !holds(); pauseMs = Math.min(2 * pauseMs, 100)) {
    if (Date.now() >= until) return false
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return true
}
