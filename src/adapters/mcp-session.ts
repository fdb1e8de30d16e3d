// Opens a session with the official SDK client over a recorded transport, and asks for lists with it. The SDK runs the protocol;
// what a server said is taken from the recorder. Starts with `initialize` (2024-11-05 to 2025-11-25); loads the SDK lazily.
import type { Client, Transport } from "@modelcontextprotocol/client"
import { quote, ToolsumError } from "../core/errors.js"
import { isObject, type JsonObject, type JsonValue } from "../core/json.js"
import type { ReadRequest } from "../ports.js"
import type { Answer } from "./mcp-messages.js"
import type { McpSession } from "./mcp-reading.js"
import type { Recorder } from "./mcp-recorder.js"

/** Protocol revisions that begin with `initialize`; the first is the one that is asked for. */
export const HANDSHAKE_REVISIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

/** The name by which a reading introduces itself: lists may depend on it, so it is part of `how` (DESIGN 4). */
const CLIENT_NAME = "toolsum"

/** What a session needs. */
export interface SessionOptions {
  readonly transport: Transport
  readonly recorder: Recorder
  /** Why the transport ended, if it did. */
  readonly failure: () => ToolsumError | null
  /** Version of this package, told to the server. */
  readonly clientVersion: string
  readonly request: ReadRequest
}

/** Open a session: `initialize` and `notifications/initialized`, with empty client capabilities. Throws TIMEOUT,
 *  SERVER_UNREACHABLE, PROTOCOL_MALFORMED or READING_INCOMPLETE. */
export async function openSession(options: SessionOptions): Promise<McpSession> {
  const { Client } = await import("@modelcontextprotocol/client")
  const { transport, recorder, request } = options
  const client = new Client(
    { name: CLIENT_NAME, version: options.clientVersion },
    { capabilities: {}, supportedProtocolVersions: [...HANDSHAKE_REVISIONS] },
  )
  const timeout = request.limits.startTimeoutMs
  const thrown = await caught(client.connect(transport, { timeout, ...signalOption(request) }))
  const result = resultOf(recorder.takeAnswer(), thrown, options)
  // The SDK sends `notifications/initialized` after the answer: if that failed, the session is not open.
  if (thrown !== null) throw explain(thrown, options, "initialize", timeout)
  return {
    protocol: String(result.protocolVersion),
    capabilities: member(result, "capabilities"),
    instructions: member(result, "instructions"),
    serverInfo: member(result, "serverInfo"),
    emptyCursorContinues: false,
    ask: createAsk(client, options),
    listChanges: (section) => recorder.listChanges(section),
    findings: () => recorder.findings(),
  }
}

/** The result of `initialize` in a revision that we speak. */
function resultOf(answer: Answer | null, thrown: Error | null, options: SessionOptions): JsonObject {
  if (answer === null) throw explain(thrown, options, "initialize", options.request.limits.startTimeoutMs)
  if ("malformed" in answer) throw answer.malformed
  if ("error" in answer) {
    const { code, message } = answer.error
    const text = `the server answered initialize with error ${code ?? "without code"}: ${quote(message, 200)}`
    throw new ToolsumError("SERVER_UNREACHABLE", text)
  }
  if (!isObject(answer.result))
    throw new ToolsumError("PROTOCOL_MALFORMED", "unreadable answer to initialize: expected an object as result")
  const revision = member(answer.result, "protocolVersion")
  if (typeof revision === "string" && HANDSHAKE_REVISIONS.includes(revision)) return answer.result
  const got = typeof revision === "string" ? quote(revision, 40) : "no text"
  throw new ToolsumError(
    "PROTOCOL_MALFORMED",
    `expected a protocol version of ${HANDSHAKE_REVISIONS.join(", ")}, got ${got}`,
  )
}

function createAsk(client: Client, options: SessionOptions): McpSession["ask"] {
  const { recorder, request } = options
  return async (method, params) => {
    const { z } = await import("zod")
    const timeout = request.limits.requestTimeoutMs
    const asked = params === undefined ? { method } : { method, params }
    const sent = client.request(asked, z.looseObject({}), { timeout, ...signalOption(request) })
    const thrown = await caught(sent)
    const answer = recorder.takeAnswer()
    if (answer === null) throw explain(thrown, options, method, timeout)
    return answer
  }
}

const signalOption = ({ signal }: ReadRequest) => (signal ? { signal } : {})

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

const member = (object: JsonObject, name: string): JsonValue =>
  Object.hasOwn(object, name) ? (object[name] ?? null) : null
