// Reads one JSON-RPC message of a server from its bytes (MCP base protocol). Answers come from the strict reader (DESIGN 3.1); a
// lenient look only tells which request an unreadable answer was meant for, so that it is malformed and not a timeout.
import { ToolsumError } from "../core/errors.js"
import { isArray, isObject, type JsonObject, type JsonValue, parseJson } from "../core/json.js"

/** An error as a server answered it; `null` and no text where it had none. */
export interface RpcError {
  readonly code: number | null
  readonly message: string
  readonly data: JsonValue
}

/** What a server answered: a result as received, an error, or bytes that the strict reader refuses (PROTOCOL_MALFORMED). */
export type Answer =
  | { readonly result: JsonValue }
  | { readonly error: RpcError }
  | { readonly malformed: ToolsumError }

/** Id of a request. */
export type MessageId = string | number

/** A message of a server, or `noise`: text that is no JSON-RPC. `broken`: noise that seems to be a damaged message. The id of an
 *  answer is null when the server could not tell what it was asked. */
export type Incoming =
  | { readonly kind: "answer"; readonly id: MessageId | null; readonly answer: Answer }
  | { readonly kind: "request"; readonly id: MessageId; readonly method: string }
  | { readonly kind: "notification"; readonly method: string }
  | { readonly kind: "noise"; readonly broken: boolean }

/** Error code of JSON-RPC: there is no such method. */
export const METHOD_NOT_FOUND = -32601
/** Error code of JSON-RPC: the parameters are wrong. */
export const INVALID_PARAMS = -32602

/** The messages in `bytes`, more than one in a JSON-RPC batch, none in a blank line. */
export function readIncoming(bytes: Uint8Array, maxBytes: number): readonly Incoming[] {
  if (isBlank(bytes)) return []
  try {
    return batch(parseJson(bytes, { maxBytes })).map((message) => classify(message, answerOf))
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    const malformed = new ToolsumError("PROTOCOL_MALFORMED", `unreadable answer: ${error.message}`, { cause: error })
    const text = new TextDecoder().decode(bytes)
    const loose = parseLoosely(text)
    if (loose === undefined) return [{ kind: "noise", broken: /^\s*[[{].{0,400}"jsonrpc"/s.test(text) }]
    return batch(loose).map((message) => classify(message, () => ({ malformed })))
  }
}

/** At least as many as the JSON values in `bytes`, whatever they are: what a message costs when it is read depends on that more than on its
 *  size. */
export function countValues(bytes: Uint8Array): number {
  let count = 1
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) inString = !inString
    else if (byte === BACKSLASH && inString) at++
    else if (!inString && (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE)) count++
  }
  return count
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b

const isBlank = (bytes: Uint8Array) => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

const batch = (value: JsonValue): readonly JsonValue[] => (isArray(value) && value.length > 0 ? value : [value])

/** JSON by the platform's own reader, undefined for anything else. For classification only: nothing in it is kept. */
function parseLoosely(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue // what JSON.parse returns has this shape
  } catch {
    return undefined
  }
}

function classify(message: JsonValue, readAnswer: (message: JsonObject) => Answer): Incoming {
  if (!isObject(message) || member(message, "jsonrpc") !== "2.0") return { kind: "noise", broken: false }
  const id = member(message, "id")
  const method = member(message, "method")
  if (typeof method === "string") {
    if (typeof id !== "string" && typeof id !== "number") return { kind: "notification", method }
    return { kind: "request", id, method }
  }
  if (typeof id === "string" || typeof id === "number") return { kind: "answer", id, answer: readAnswer(message) }
  const isBlind = (id === undefined || id === null) && member(message, "error") !== undefined
  return isBlind ? { kind: "answer", id: null, answer: readAnswer(message) } : { kind: "noise", broken: false }
}

function answerOf(message: JsonObject): Answer {
  const result = member(message, "result")
  const error = member(message, "error")
  if ((result === undefined) === (error === undefined))
    return { malformed: new ToolsumError("PROTOCOL_MALFORMED", "expected an answer with either a result or an error") }
  if (result !== undefined) return { result }
  const code = isObject(error) ? readMember(error, "code") : null
  const text = isObject(error) ? readMember(error, "message") : null
  const data = isObject(error) ? readMember(error, "data") : null
  return {
    error: { code: typeof code === "number" ? code : null, message: typeof text === "string" ? text : "", data },
  }
}

const member = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** A member of an object of the server; null for none, as for null. */
export const readMember = (object: JsonObject, name: string): JsonValue => member(object, name) ?? null
