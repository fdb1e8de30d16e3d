// Opens a session with the official SDK client over a recorded transport, and asks for lists with it. The SDK runs the protocol of the
// era that the caller chose (mcp-eras.ts); what a server said is taken from the recorder. Loads the SDK lazily.
import type { Client, Transport } from "@modelcontextprotocol/client"
import { quote, ToolsumError } from "../core/errors.js"
import type { ReadRequest } from "../ports.js"
import { type Era, MODERN_REVISION, OPENING_METHODS, type Opened, orderRevisions, readOpening } from "./mcp-eras.js"
import type { McpSession } from "./mcp-reading.js"
import type { Recorder } from "./mcp-recorder.js"

/** The name by which a reading introduces itself: lists may depend on it, so it is part of `how` (DESIGN 4). */
const CLIENT_NAME = "toolsum"

/** What a session needs. `request.protocol`: the revision that a handshake asks for, when it is one of those. */
export interface SessionOptions {
  readonly era: Era
  readonly transport: Transport
  readonly recorder: Recorder
  /** Why the transport ended, if it did. */
  readonly failure: () => ToolsumError | null
  /** Version of this package, told to the server. */
  readonly clientVersion: string
  readonly request: ReadRequest
}

/** An open session, or why there is none. `otherEra`: going by the answer, the server may speak the other era; always false when none came. */
export type Opening = { readonly session: McpSession } | { readonly error: ToolsumError; readonly otherEra: boolean }

/** Open a session with empty client capabilities: `initialize` and `notifications/initialized`, or `server/discover` alone. Errors: TIMEOUT,
 *  SERVER_AUTH, SERVER_UNREACHABLE, PROTOCOL_MALFORMED, READING_INCOMPLETE and those of the transport. */
export async function openSession(options: SessionOptions): Promise<Opening> {
  const { transport, recorder, request, era } = options
  const client = await createClient(options)
  const timeout = request.limits.startTimeoutMs
  const unanswered = (thrown: Error | null) => ({
    error: explain(thrown, options, OPENING_METHODS[era], timeout),
    otherEra: false,
  })
  const thrown = await caught(connect(client, transport, timeout, request.signal))
  const answer = recorder.takeAnswer()
  if (answer === null) return unanswered(thrown)
  const opened: Opened = readOpening(era, answer)
  if ("error" in opened) return opened
  // The SDK sends `notifications/initialized` after the answer: if that failed, the session is not open.
  if (thrown !== null) return unanswered(thrown)
  return {
    session: {
      ...opened.introduction,
      isModern: era === "modern",
      ask: createAsk(client, options),
      listChanges: (section) => recorder.listChanges(section),
      findings: () => recorder.findings(),
    },
  }
}

async function createClient({ era, clientVersion, request }: SessionOptions): Promise<Client> {
  const { Client } = await import("@modelcontextprotocol/client")
  const modern = {
    supportedProtocolVersions: [MODERN_REVISION],
    versionNegotiation: { mode: { pin: MODERN_REVISION } },
  }
  const handshake = { supportedProtocolVersions: [...orderRevisions(request.protocol)] }
  return new Client(
    { name: CLIENT_NAME, version: clientVersion },
    { capabilities: {}, ...(era === "modern" ? modern : handshake) },
  )
}

/** Connect, and end the transport at once when the reading is interrupted: the SDK does not look at the signal while it discovers. */
async function connect(client: Client, transport: Transport, timeout: number, signal?: AbortSignal): Promise<void> {
  const close = () => void transport.close()
  signal?.throwIfAborted()
  signal?.addEventListener("abort", close, { once: true })
  try {
    await client.connect(transport, { timeout, ...signalOption(signal) })
  } finally {
    signal?.removeEventListener("abort", close)
  }
}

function createAsk(client: Client, options: SessionOptions): McpSession["ask"] {
  const { recorder, request } = options
  return async (method, params) => {
    const { z } = await import("zod")
    const timeout = request.limits.requestTimeoutMs
    const asked = params === undefined ? { method } : { method, params }
    const sent = client.request(asked, z.looseObject({}), { timeout, ...signalOption(request.signal) })
    const thrown = await caught(sent)
    const answer = recorder.takeAnswer()
    if (answer === null) throw explain(thrown, options, method, timeout)
    return answer
  }
}

const signalOption = (signal: AbortSignal | undefined) => (signal ? { signal } : {})

async function caught(promise: Promise<unknown>): Promise<Error | null> {
  try {
    await promise
    return null
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Our error for a request that got no answer. */
function explain(thrown: Error | null, options: SessionOptions, method: string, timeoutMs: number): ToolsumError {
  if (options.request.signal?.aborted) return new ToolsumError("READING_INCOMPLETE", "the reading was interrupted")
  const failure = options.failure()
  if (failure) return failure
  if (thrown instanceof ToolsumError) return thrown
  if (thrown && "code" in thrown && thrown.code === REQUEST_TIMEOUT) {
    if (options.recorder.sawBrokenMessage())
      return new ToolsumError("PROTOCOL_MALFORMED", `the answer to ${method} came as damaged text`)
    return new ToolsumError("TIMEOUT", `no answer to ${method} within ${timeoutMs / 1000} s`)
  }
  const why = thrown ? quote(thrown.message, 200) : "no answer"
  return new ToolsumError("SERVER_UNREACHABLE", `${method} failed: ${why}`, { cause: thrown })
}

/** `SdkErrorCode.RequestTimeout`. */
const REQUEST_TIMEOUT = "REQUEST_TIMEOUT"
