// Stands between a transport and the official SDK client, in both directions. Out: only what a reading needs may pass. In: the raw
// answer is kept for us, and the SDK gets a bare envelope of it, so that its schemas can neither drop nor refuse anything (DESIGN 3.1).
import { quote, ToolsumError } from "../core/errors.js"
import { isArray, isObject, type JsonValue } from "../core/json.js"
import { SECTION_NAMES, type SectionName, surfaceMember } from "../core/section.js"
import type { ReadFinding } from "../ports.js"
import { OPENING_METHODS } from "./mcp-eras.js"
import { type Answer, countValues, type Incoming, type MessageId, readIncoming, readMember } from "./mcp-messages.js"

/** List request of each section. */
export const LIST_METHODS = {
  tools: "tools/list",
  prompts: "prompts/list",
  templates: "resources/templates/list",
  resources: "resources/list",
} as const satisfies Record<SectionName, string>

/** A list request. */
export type ListMethod = (typeof LIST_METHODS)[SectionName]

/** All requests that are ever sent. */
const REQUESTS: ReadonlySet<string> = new Set([...Object.values(OPENING_METHODS), ...Object.values(LIST_METHODS)])
/** All notifications that are ever sent. */
const NOTIFICATIONS: ReadonlySet<string> = new Set(["notifications/initialized"])

/** Sections whose list a notification says has changed. */
const LIST_CHANGED: Readonly<Record<string, readonly SectionName[]>> = {
  "notifications/tools/list_changed": ["tools"],
  "notifications/prompts/list_changed": ["prompts"],
  "notifications/resources/list_changed": ["templates", "resources"],
}

/** A JSON-RPC message for the SDK; it validates the shape itself. */
export type Envelope = { readonly jsonrpc: "2.0" } & Readonly<Record<string, unknown>>

/** Everything one server may send during one session: transports count it, messages or not. */
export const MAX_SESSION_BYTES = 32 * 1024 * 1024

/** JSON values in all messages of one session. A list of 90 tools, the longest known, has some thousand; millions of empty ones would fit into
 *  a message of the allowed size, and take gigabytes. */
export const MAX_SESSION_VALUES = 500_000

/** Requests of the server that are answered in one session. Each answer may be an exchange of its own, and a server can ask far faster than
 *  anybody answers; those of real servers ask a few times. */
export const MAX_ANSWERED_REQUESTS = 100

/** A request that waits for its answer. */
interface Sent {
  readonly id: MessageId
  readonly method: string
}

/** Records one session. `maxBytes`: size of one message. `redact`: takes secrets out of text of the server before it is clipped into
 *  a message for people; what is read is never touched. */
export class Recorder {
  private readonly maxBytes: number
  private readonly redact: (text: string) => string
  private readonly noise: NoiseCode
  private readonly notes = createNotes()
  private pending: Sent | null = null
  private answer: Answer | null = null
  private broken = false
  private values = 0
  private requests = 0

  constructor(maxBytes: number, redact: (text: string) => string, noise: NoiseCode = "stdout_noise") {
    this.maxBytes = maxBytes
    this.redact = redact
    this.noise = noise
  }

  /** True if the SDK's message may be sent, which is noted. False: drop it silently. Throws for a request that is none of ours. */
  admit(message: object): boolean {
    const request = admitMessage(message)
    if (request === null) return false
    if (request !== "other") {
      this.pending = request
      this.answer = null
    }
    return true
  }

  /** Take a message of the server; returns what the SDK is to see of it. `isReply`: it came as the reply to the pending request, so that
   *  an error without an id can only mean that one. */
  receive(bytes: Uint8Array, isReply = false): readonly Envelope[] {
    const messages = this.read(bytes)
    if (messages.some(({ kind }) => kind === "noise")) this.addNoise(bytes)
    return messages.flatMap((message) => this.take(message, isReply))
  }

  /** Text of the server that was no message. */
  addNoise(start: Uint8Array): void {
    this.notes.count(this.noise, this.redact(new TextDecoder().decode(start.subarray(0, NOISE_BYTES))))
  }

  /** The raw answer to the newest request, once; null while there is none. */
  takeAnswer(): Answer | null {
    const taken = this.answer
    this.answer = null
    return taken
  }

  /** True when something came that seems to be a damaged message. */
  sawBrokenMessage(): boolean {
    return this.broken
  }

  /** How often the server has said that the list of this section changed. */
  listChanges(section: SectionName): number {
    return this.notes.listChanges(section)
  }

  /** What is worth telling about this session. */
  findings(): readonly ReadFinding[] {
    return this.notes.findings()
  }

  /** The messages in `bytes`. Too many values are an unreadable answer to what was asked, and are not looked at. */
  private read(bytes: Uint8Array): readonly Incoming[] {
    this.values += countValues(bytes)
    if (this.values <= MAX_SESSION_VALUES) return readIncoming(bytes, this.maxBytes)
    const why = `unreadable answer: expected at most ${MAX_SESSION_VALUES} JSON values in one session`
    const malformed = new ToolsumError("PROTOCOL_MALFORMED", why)
    return [{ kind: "answer", id: this.pending?.id ?? null, answer: { malformed } }]
  }

  private take(message: Incoming, isReply: boolean): readonly Envelope[] {
    switch (message.kind) {
      case "noise":
        this.broken ||= message.broken
        return []
      case "notification":
        this.notes.addNotification(message.method)
        return []
      case "request":
        // The SDK answers ping, and everything else with -32601: a server must not hang on us.
        this.notes.count("server_request", this.redact(message.method))
        if (++this.requests > MAX_ANSWERED_REQUESTS) return []
        return [{ jsonrpc: "2.0", id: message.id, method: message.method }]
      case "answer":
        return this.takeAnswerOf(message.id ?? (isReply ? this.pending?.id : null) ?? null, message.answer)
    }
  }

  private takeAnswerOf(answered: MessageId | null, answer: Answer): readonly Envelope[] {
    // Some servers return a number as text: the official SDKs take it, so it cannot hide anything.
    if (this.pending === null || String(answered) !== String(this.pending.id)) {
      this.notes.count("unexpected_answer", this.redact(String(answered)))
      return []
    }
    const { id, method } = this.pending
    this.pending = null
    this.answer = redactAnswer(answer, this.redact)
    return [{ jsonrpc: "2.0", id, ...envelopeOf(method, answer) }]
  }
}

/** How much of a line of noise is looked at. */
const NOISE_BYTES = 4000

/** The request to wait for, "other" for a notification or answer that may be sent, null for one that is dropped. */
function admitMessage(message: object): Sent | "other" | null {
  if (!("method" in message)) return "other" // an answer to a request of the server
  const { method } = message
  if (!("id" in message)) return NOTIFICATIONS.has(String(method)) ? "other" : null
  const { id } = message
  if (typeof method !== "string" || !REQUESTS.has(method) || (typeof id !== "number" && typeof id !== "string"))
    throw new Error(`a reading never sends ${String(method)}`)
  return { id, method }
}

/** What the SDK sees of an answer: enough to go on, nothing that its schemas could judge. */
function envelopeOf(method: string, answer: Answer): Readonly<Record<string, unknown>> {
  if ("malformed" in answer) return { error: { code: -32700, message: answer.malformed.message } }
  if ("error" in answer) {
    const { code, message, data } = answer.error
    const supported = isObject(data) ? listTexts(readMember(data, "supported")) : []
    const known = supported.length === 0 ? {} : { data: { supported } } // the SDK asks again in a revision that is offered
    return { error: { code: Number.isSafeInteger(code) ? code : -32603, message, ...known } }
  }
  return { result: { ...COMPLETE, ...outlineOf(method, answer.result) } }
}

/** What every result of 2026-07-28 must have; earlier revisions know nothing of it. */
const COMPLETE = { resultType: "complete", ttlMs: 0, cacheScope: "private" } as const

function outlineOf(method: string, result: JsonValue): Readonly<Record<string, unknown>> {
  const section = SECTION_NAMES.find((name) => LIST_METHODS[name] === method)
  if (section !== undefined) return { [surfaceMember(section)]: [] }
  const version = isObject(result) ? readMember(result, "protocolVersion") : null
  const versions = isObject(result) ? readMember(result, "supportedVersions") : null
  if (method === OPENING_METHODS.modern) return { supportedVersions: listTexts(versions), capabilities: {} }
  const protocolVersion = typeof version === "string" ? version : ""
  return { protocolVersion, capabilities: {}, serverInfo: { name: "server", version: "-" } }
}

const listTexts = (value: JsonValue): readonly string[] =>
  isArray(value) ? value.filter((text) => typeof text === "string") : []

function redactAnswer(answer: Answer, redact: (text: string) => string): Answer {
  if (!("error" in answer)) return answer
  return { error: { ...answer.error, message: redact(answer.error.message) } }
}

/** Where there is text that is no message. */
export type NoiseCode = "stdout_noise" | "stream_noise"

type CountedCode = NoiseCode | "unexpected_answer" | "server_request"

const EXPLANATIONS: Readonly<Record<CountedCode, string>> = {
  stdout_noise: "text on stdout that is no JSON-RPC message",
  stream_noise: "event that is no JSON-RPC message",
  unexpected_answer: "answer to nothing that was asked",
  server_request: "request of the server that was declined",
}

const count = (times: number) => (times === 1 ? "once" : `${times} times`)

/** Counts what happens in a session and remembers the first of each kind. */
function createNotes() {
  const counts = new Map<CountedCode, { first: string; times: number }>()
  const changes = new Map<SectionName, number>()
  const listChanges = (section: SectionName) => changes.get(section) ?? 0
  return {
    count(code: CountedCode, text: string) {
      const seen = counts.get(code)
      if (seen) seen.times++
      else counts.set(code, { first: text, times: 1 })
    },
    addNotification(method: string) {
      const sections = Object.hasOwn(LIST_CHANGED, method) ? (LIST_CHANGED[method] ?? []) : []
      for (const section of sections) changes.set(section, listChanges(section) + 1)
    },
    listChanges,
    findings(): readonly ReadFinding[] {
      const counted = [...counts].map(([code, { first, times }]): ReadFinding => {
        return { code, section: null, message: `${EXPLANATIONS[code]}, ${count(times)}, first: ${quote(first)}` }
      })
      const changed = SECTION_NAMES.filter((section) => listChanges(section) > 0).map((section): ReadFinding => {
        const message = `the server announced a change of this list, ${count(listChanges(section))}`
        return { code: "list_changed", section, message }
      })
      return [...counted, ...changed]
    },
  }
}
