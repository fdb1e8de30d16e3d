// The transport under the SDK client for a server that is a child process: lines of stdout go through the recorder, the end of stderr
// is kept for error messages. Bytes are bounded here; time is bounded by the session.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { ToolsumError } from "../core/errors.js"
import { type Child, type ChildExit, type ChildOptions, startChild } from "./child-process.js"
import { MAX_SESSION_BYTES, type Recorder } from "./mcp-recorder.js"
import { createLineSplitter, type LineSplitter } from "./mcp-stdio-lines.js"

/** How much of the end of stderr is kept. */
const STDERR_BYTES = 8192

/** How a process is started: `startChild`, or something that behaves like a process. */
export type StartChild = (options: ChildOptions) => Promise<Child>

/** What to start and how to speak with it. */
export interface StdioLaunch {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly recorder: Recorder
  /** Bytes of one message. */
  readonly maxMessageBytes: number
}

/** One server process as a transport. `failure` says why it ended, if not because we closed it; `exitedAfterMs`, how long after its start
 *  it ended by itself. */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  failure: ToolsumError | null = null
  exitedAfterMs: number | null = null

  private readonly launch: StdioLaunch
  private readonly startChild: StartChild
  private readonly lines: LineSplitter
  private child: Child | null = null
  private starting: Promise<void> | null = null
  private stderr: Uint8Array = new Uint8Array(0)
  private received = 0
  private startedAtMs = 0
  private closed = false

  constructor(launch: StdioLaunch, start: StartChild = startChild) {
    this.launch = launch
    this.startChild = start
    this.lines = createLineSplitter(launch.maxMessageBytes, {
      line: (bytes) => this.deliver(bytes),
      overlong: (start) => this.refuseOverlong(start),
    })
  }

  /** Start the process before the SDK, which takes as long to load as a server does to start, asks for it. `start` says how it went. */
  startAhead(): void {
    this.start().catch(() => undefined)
  }

  /** Start the process, once. Throws SERVER_UNREACHABLE, and what ended a process that was started ahead. */
  async start(): Promise<void> {
    this.starting ??= this.startProcess()
    await this.starting
    if (this.failure) throw this.failure
  }

  private async startProcess(): Promise<void> {
    const { command, args, cwd, env } = this.launch
    this.startedAtMs = performance.now()
    try {
      this.child = await this.startChild({
        command,
        args,
        cwd,
        env,
        onStdout: (chunk) => this.takeStdout(chunk),
        onStderr: (chunk) => this.takeStderr(chunk),
        onEnd: (exit) => this.end(exit),
      })
    } catch (error) {
      if (error instanceof ToolsumError) this.failure ??= error
      throw error
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.launch.recorder.admit(message)) return
    await this.child?.write(`${JSON.stringify(message)}\n`)
  }

  /** End the process and all that it started; resolves when they are gone. */
  async close(): Promise<void> {
    this.finish()
    await this.starting?.catch(() => undefined) // what is being started must be ended too
    await this.child?.stop()
  }

  /** The last whole lines that the server wrote to stderr. */
  get stderrTail(): string {
    const text = new TextDecoder().decode(this.stderr)
    if (this.stderr.length < STDERR_BYTES) return text
    const end = text.indexOf("\n")
    return end < 0 ? "" : text.slice(end + 1) // half a line may be half a secret, which nobody would recognise
  }

  /** The words each process of the server was started with, as far as the system tells. */
  commandLines(): readonly (readonly string[])[] {
    return this.child?.commandLines() ?? []
  }

  private takeStdout(chunk: Uint8Array): void {
    if (this.closed) return
    this.received += chunk.length
    if (this.received > MAX_SESSION_BYTES)
      this.fail(new ToolsumError("READING_INCOMPLETE", `the server sent more than ${MAX_SESSION_BYTES} bytes`))
    else this.lines.push(chunk)
  }

  private takeStderr(chunk: Uint8Array): void {
    const all = new Uint8Array(this.stderr.length + chunk.length)
    all.set(this.stderr)
    all.set(chunk, this.stderr.length)
    this.stderr = all.slice(-STDERR_BYTES)
  }

  private deliver(line: Uint8Array): void {
    if (this.closed) return
    // The envelopes are JSON-RPC messages by construction; the SDK checks each again.
    for (const message of this.launch.recorder.receive(line)) this.onmessage?.(message as unknown as JSONRPCMessage)
  }

  private refuseOverlong(start: Uint8Array): void {
    const isMessage = start[0] === 0x7b || start[0] === 0x5b
    const why = `expected messages of at most ${this.launch.maxMessageBytes} bytes`
    if (isMessage) this.fail(new ToolsumError("PROTOCOL_MALFORMED", why))
    else this.launch.recorder.addNoise(start)
  }

  private end(exit: ChildExit): void {
    if (!this.closed) this.exitedAfterMs = performance.now() - this.startedAtMs
    this.lines.end()
    const how = exit.signal === null ? `with code ${exit.code}` : `by ${exit.signal}`
    this.fail(new ToolsumError("SERVER_UNREACHABLE", `the server ended ${how} before it had answered`))
  }

  private fail(error: ToolsumError): void {
    if (!this.closed) this.failure ??= error
    this.finish()
  }

  private finish(): void {
    if (this.closed) return
    this.closed = true
    this.onclose?.()
  }
}
