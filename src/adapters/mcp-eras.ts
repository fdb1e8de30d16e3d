// The two eras of the protocol and what opens a session in each: `initialize` (2024-11-05 to 2025-11-25), or `server/discover`, which
// tells the same without a handshake (2026-07-28). Pure: reads the raw answers; asking is mcp-session.ts's.
import { quote, ToolsumError } from "../core/errors.js"
import { isArray, isObject, type JsonObject, type JsonValue } from "../core/json.js"
import { authErrorOf } from "./auth-signs.js"
import { type Answer, INVALID_PARAMS, METHOD_NOT_FOUND, type RpcError, readMember } from "./mcp-messages.js"

/** How a session begins: with the `initialize` handshake, or without one. */
export type Era = "handshake" | "modern"

/** Protocol revisions that begin with `initialize`; the first is the one that is asked for. */
export const HANDSHAKE_REVISIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

/** The protocol revision without a handshake. */
export const MODERN_REVISION = "2026-07-28"

/** The request that opens a session in each era. */
export const OPENING_METHODS = { handshake: "initialize", modern: "server/discover" } as const satisfies Record<
  Era,
  string
>

/** The era of a revision; null for one that is not spoken here, and for none. */
export function eraOf(revision: string | undefined): Era | null {
  if (revision === MODERN_REVISION) return "modern"
  return revision !== undefined && HANDSHAKE_REVISIONS.includes(revision) ? "handshake" : null
}

/** The revisions to offer in a handshake: `wanted` first when it is one of them, then the newest first. */
export const orderRevisions = (wanted: string | undefined): readonly string[] =>
  HANDSHAKE_REVISIONS.toSorted((a, b) => Number(b === wanted) - Number(a === wanted))

/** What a server tells of itself when a session opens, as received. */
export interface Introduction {
  readonly protocol: string
  readonly capabilities: JsonValue
  readonly instructions: JsonValue
  readonly serverInfo: JsonValue
  /** The server marks this as meant for this reader alone. Always false before 2026-07-28. */
  readonly isPrivate: boolean
}

/** An introduction, or why there is none. `otherEra`: going by the answer, the server may speak the other era. */
export type Opened =
  | { readonly introduction: Introduction }
  | { readonly error: ToolsumError; readonly otherEra: boolean }

/** Read the answer to the opening request of `era`. Errors: SERVER_AUTH, SERVER_UNREACHABLE, PROTOCOL_MALFORMED. */
export function readOpening(era: Era, answer: Answer): Opened {
  const method = OPENING_METHODS[era]
  if ("malformed" in answer) return { error: answer.malformed, otherEra: false }
  if ("error" in answer) return readRefusal(era, answer.error)
  if (!isObject(answer.result))
    return {
      error: malformed(`unreadable answer to ${method}: expected an object as result`),
      otherEra: era === "modern",
    }
  const opened = era === "modern" ? readDiscovery(answer.result) : readHandshake(answer.result)
  // Without them nothing would be declared, nothing asked for, and every list be told to be none.
  if ("introduction" in opened && !isObject(opened.introduction.capabilities))
    return { error: malformed(`unreadable answer to ${method}: expected an object as capabilities`), otherEra: false }
  return opened
}

function readHandshake(result: JsonObject): Opened {
  const protocol = readMember(result, "protocolVersion")
  if (typeof protocol === "string" && HANDSHAKE_REVISIONS.includes(protocol))
    return {
      introduction: { ...introduce(result, protocol), serverInfo: readMember(result, "serverInfo"), isPrivate: false },
    }
  const got = typeof protocol === "string" ? quote(protocol, 40) : "no text"
  const why = `expected a protocol version of ${HANDSHAKE_REVISIONS.join(", ")}, got ${got}`
  return { error: malformed(why), otherEra: protocol === MODERN_REVISION }
}

function readDiscovery(result: JsonObject): Opened {
  const versions = readMember(result, "supportedVersions")
  if (!isArray(versions) || !versions.includes(MODERN_REVISION)) {
    const got = isArray(versions)
      ? versions
          .slice(0, SHOWN_VERSIONS)
          .map((version) => quote(String(version), 40))
          .join(", ")
      : "no list"
    return { error: malformed(`expected ${MODERN_REVISION} among the supported versions, got ${got}`), otherEra: true }
  }
  const serverInfo = readServerInfo(result)
  return { introduction: { ...introduce(result, MODERN_REVISION), serverInfo, isPrivate: isPrivateResult(result) } }
}

const introduce = (result: JsonObject, protocol: string) => ({
  protocol,
  capabilities: readMember(result, "capabilities"),
  instructions: readMember(result, "instructions"),
})

const malformed = (why: string) => new ToolsumError("PROTOCOL_MALFORMED", why)

/** How many versions of a server are shown. */
const SHOWN_VERSIONS = 5

/** Member of a result's `_meta` that names the server (2026-07-28; DESIGN 3.3). */
const SERVER_INFO = "io.modelcontextprotocol/serverInfo"

/** Name and title of the server in a result of 2026-07-28: in `_meta`, and from servers of its drafts as a member of its own. */
export function readServerInfo(result: JsonObject): JsonValue {
  const meta = readMember(result, "_meta")
  const named = isObject(meta) ? readMember(meta, SERVER_INFO) : null
  return named ?? readMember(result, "serverInfo")
}

/** True for a result of 2026-07-28 that is meant for this reader alone. Only `public` lets others see what came. */
export function isPrivateResult(result: JsonObject): boolean {
  const scope = readMember(result, "cacheScope")
  return scope !== null && scope !== "public"
}

/** Error code of MCP: the server does not speak the revision that was named. */
const UNSUPPORTED_VERSION = -32022
/** Error code of JSON-RPC: the message is no request that the server takes. */
const INVALID_REQUEST = -32600

/** What servers answer to the opening request of an era that they do not speak. */
const ERA_CODES: ReadonlySet<number | null> = new Set([
  METHOD_NOT_FOUND,
  INVALID_PARAMS,
  INVALID_REQUEST,
  UNSUPPORTED_VERSION,
])

/** An error in place of an introduction. Without a handshake any error may come from a server that has never heard of `server/discover`. */
function readRefusal(era: Era, refusal: RpcError): Opened {
  const auth = authErrorOf(refusal)
  if (auth) return { error: auth, otherEra: false }
  const { code, message } = refusal
  const text = `the server answered ${OPENING_METHODS[era]} with error ${code ?? "without code"}: ${quote(message, 200)}`
  const otherEra = era === "modern" || ERA_CODES.has(code) || /protocol ?version/i.test(message)
  return { error: new ToolsumError("SERVER_UNREACHABLE", text), otherEra }
}
