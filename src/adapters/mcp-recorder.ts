// Stands between a transport and the official SDK client, in both directions. Out: only what a reading needs may pass. In: the raw
// answer is kept for us, and the SDK gets a bare envelope of it, so that its schemas can neither drop nor refuse anything (DESIGN 3.1).
import { quote } from "../core/errors.js"
import { isObject, type JsonObject, type JsonValue } from "../core/json.js"
import { SECTION_NAMES, type SectionName } from "../core/section.js"
import type { ReadFinding } from "../ports.js"
import { type Answer, type Incoming, readIncoming } from "./mcp-messages.js"

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
const REQUESTS: ReadonlySet<string> = new Set(["initialize", ...Object.values(LIST_METHODS)])
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

/** Records one session. */
export interface Recorder {
  /** True if the SDK's message may be sent, which is noted. False: drop it silently. Throws for a request that is none of ours. */
  readonly admit: (message: object) => boolean
  /** Take a message of the server; returns what the SDK is to see of it. */
  readonly receive: (bytes: Uint8Array) => readonly Envelope[]
  /** Text of the server that was no message. */
  readonly addNoise: (start: Uint8Array) => void
  /** The raw answer to the newest request, once; null while there is none. */
  readonly takeAnswer: () => Answer | null
  /** True when something came that seems to be a damaged message. */
  readonly sawBrokenMessage: () => boolean
  /** How often the server has said that the list of this section changed. */
  readonly listChanges: (section: SectionName) => number
  /** What is worth telling about this session. */
  readonly findings: () => readonly ReadFinding[]
}

/** A recorder of one session. `maxBytes`: size of one message. `redact`: takes secrets out of text of the server before it is
 *  clipped into a message for people; what is read is never touched. */
export function createRecorder(maxBytes: number, redact: (text: string) => string): Recorder {
  let pending: { readonly id: number; readonly method: string } | null = null
  let answer: Answer | null = null
  let broken = false
  const notes = createNotes()
  const take = (message: Incoming): readonly Envelope[] => {
    switch (message.kind) {
      case "noise":
        broken ||= message.broken
        return []
      case "notification":
        notes.addNotification(message.method)
        return []
      case "request":
        // The SDK answers ping, and everything else with -32601: a server must not hang on us.
        notes.count("server_request", message.method)
        return [{ jsonrpc: "2.0", id: message.id, method: message.method }]
      case "answer": {
        if (message.id !== pending?.id) {
          notes.count("unexpected_answer", String(message.id))
          return []
        }
        answer = redactAnswer(message.answer, redact)
        const envelope = envelopeOf(pending.method, message.answer)
        const id = pending.id
        pending = null
        return [{ jsonrpc: "2.0", id, ...envelope }]
      }
    }
  }
  return {
    admit(message) {
      const request = admitMessage(message)
      if (request === null) return false
      if (request !== "other") [pending, answer] = [request, null]
      return true
    },
    receive(bytes) {
      const messages = readIncoming(bytes, maxBytes)
      if (messages.some(({ kind }) => kind === "noise")) notes.count("stdout_noise", redact(decodeStart(bytes)))
      return messages.flatMap(take)
    },
    addNoise: (start) => notes.count("stdout_noise", redact(decodeStart(start))),
    takeAnswer() {
      const taken = answer
      answer = null
      return taken
    },
    sawBrokenMessage: () => broken,
    listChanges: notes.listChanges,
    findings: notes.findings,
  }
}

/** The request to wait for, "other" for a notification or answer that may be sent, null for one that is dropped. */
function admitMessage(message: object): { readonly id: number; readonly method: string } | "other" | null {
  if (!("method" in message)) return "other" // an answer to a request of the server
  const { method } = message
  if (!("id" in message)) return NOTIFICATIONS.has(String(method)) ? "other" : null
  if (typeof method !== "string" || !REQUESTS.has(method) || typeof message.id !== "number")
    throw new Error(`a reading never sends ${String(method)}`)
  return { id: message.id, method }
}

/** What the SDK sees of an answer: enough to go on, nothing that its schemas could judge. */
function envelopeOf(method: string, answer: Answer): Readonly<Record<string, unknown>> {
  if ("malformed" in answer) return { error: { code: -32700, message: answer.malformed.message } }
  if ("error" in answer) {
    const { code, message } = answer.error
    return { error: { code: Number.isSafeInteger(code) ? code : -32603, message } }
  }
  if (method !== "initialize") return { result: {} }
  const protocolVersion = isObject(answer.result) ? textMember(answer.result, "protocolVersion") : ""
  return { result: { protocolVersion, capabilities: {}, serverInfo: { name: "server", version: "-" } } }
}

function textMember(object: JsonObject, name: string): string {
  const value: JsonValue | undefined = Object.hasOwn(object, name) ? object[name] : undefined
  return typeof value === "string" ? value : ""
}

function redactAnswer(answer: Answer, redact: (text: string) => string): Answer {
  if (!("error" in answer)) return answer
  return { error: { code: answer.error.code, message: redact(answer.error.message) } }
}

const decodeStart = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(0, 4000))

type CountedCode = "stdout_noise" | "unexpected_answer" | "server_request"

const EXPLANATIONS: Readonly<Record<CountedCode, string>> = {
  stdout_noise: "text on stdout that is no JSON-RPC message",
  unexpected_answer: "answer to nothing that was asked",
  server_request: "request of the server that was declined",
}

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
        return { code, section: null, message: `${EXPLANATIONS[code]}, ${times} times, first: ${quote(first)}` }
      })
      const changed = SECTION_NAMES.filter((section) => listChanges(section) > 0).map((section): ReadFinding => {
        const message = `the server said ${listChanges(section)} times that this list has changed`
        return { code: "list_changed", section, message }
      })
      return [...counted, ...changed]
    },
  }
}
