// What a server says of itself that is not hashed (DESIGN 3.3): its version, the protocol version, its capabilities. They move
// with every release without changing what a model reads, so they are notes beside the changes, never changes.
import { isObject, type JsonValue } from "../core/json.js"
import { diffValues } from "./values.js"

/** What is known of one reading; absent: not known, so nothing is said about it. */
export interface ServerFacts {
  /** `serverInfo.version` as claimed, null for none. */
  readonly version?: JsonValue
  /** Protocol version of the answer. */
  readonly protocol?: JsonValue
  /** Capabilities the server declared. */
  readonly capabilities?: JsonValue
}

/** One difference that no digest covers. `before` or `after` is absent where nothing was. */
export interface Note {
  readonly fact: keyof ServerFacts
  /** RFC 6901 pointer inside the fact; "" is the whole. */
  readonly pointer: string
  readonly before?: JsonValue
  readonly after?: JsonValue
}

const FACTS = ["version", "protocol", "capabilities"] as const

/** Differences of the facts that both sides know. */
export function diffNotes({ before, after }: { before: ServerFacts; after: ServerFacts }): readonly Note[] {
  return FACTS.flatMap((fact) => {
    const [a, b] = [before[fact], after[fact]]
    if (a === undefined || b === undefined) return []
    return diffValues(a, b).map(({ note: _, ...change }): Note => ({ fact, ...change }))
  })
}

/** The version a server claims in `serverInfo`, null for none. */
export const claimedVersion = (serverInfo: JsonValue): JsonValue =>
  isObject(serverInfo) && Object.hasOwn(serverInfo, "version") ? (serverInfo.version ?? null) : null
