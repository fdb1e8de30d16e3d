// Says in one sentence what a server asks for that has refused a request (field-notes B, C36, C41): from its challenge, its RFC 9728 metadata
// and its own words. For people: everything is quoted and clipped, and nothing of it is followed.

import { quote, ToolsumError } from "../core/errors.js"
import { isObject, parseJson } from "../core/json.js"
import { createDeadline } from "../deadline.js"
import type { HttpClient } from "./mcp-http-client.js"
import type { Refusal } from "./mcp-http-refusals.js"
import { readMember } from "./mcp-messages.js"
import { fetchResourceMetadata, type ResourceMetadata } from "./oauth-metadata.js"
import type { Redact } from "./redact-values.js"

/** For all documents together: the request that was refused is still waiting. */
const WANTS_TIMEOUT_MS = 5000
/** Authorization servers and scopes that are named. */
const MAX_SERVERS = 3
const MAX_SCOPES = 12
const MAX_CHARS = 120

/** Who refused what. */
export interface WantsOptions {
  readonly client: HttpClient
  readonly url: URL
  readonly redact: Redact
  readonly refusal: Refusal
}

/** What the server at `url` asks for, or null when it does not tell. Sends at most a few GETs, without credentials, to the server itself. */
export async function fetchWants(p: WantsOptions): Promise<string | null> {
  const { client, url, redact, refusal } = p
  const options = { client, redact, timeoutMs: WANTS_TIMEOUT_MS, signal: createDeadline(WANTS_TIMEOUT_MS) }
  try {
    return formatWants(refusal, await fetchResourceMetadata(url, refusal.challenge, options))
  } catch (error) {
    if (error instanceof ToolsumError) return formatWants(refusal, null)
    throw error
  }
}

/** The sentence, or null when nothing is told. Pure. */
export function formatWants(refusal: Refusal, metadata: ResourceMetadata | null): string | null {
  const { challenge } = refusal
  const scopes = challenge?.scope?.split(" ").filter((scope) => scope !== "") ?? metadata?.scopes ?? []
  const servers = metadata?.authorizationServers ?? []
  const words = challenge?.description ?? readWords(refusal)
  if (challenge === null && metadata === null) return words === null ? null : `it says ${quote(words, 200)}`
  const parts = [
    challenge?.scheme === "basic" ? "a user name and a password" : "an access token",
    metadata === null ? null : `for ${quote(metadata.resource, MAX_CHARS)}`,
    servers.length === 0 ? null : `from ${listQuoted(servers, MAX_SERVERS)}`,
    scopes.length === 0 ? null : `with the scopes ${listQuoted(scopes, MAX_SCOPES)}`,
  ]
  const sentence = parts.filter((part) => part !== null).join(" ")
  return words === null ? sentence : `${sentence}; it says ${quote(words, 200)}`
}

function listQuoted(texts: readonly string[], max: number): string {
  const shown = texts.slice(0, max).map((text) => quote(text, MAX_CHARS))
  const rest = texts.length - shown.length
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ")
}

/** The words for people in a body: of a JSON error, or plain text. */
function readWords({ contentType, text }: Refusal): string | null {
  const words = text.trim()
  if (contentType === "text/plain" && words !== "") return words
  return /[/+]json$/.test(contentType) ? readJsonWords(words) : null
}

function readJsonWords(text: string): string | null {
  try {
    const value = parseJson(text)
    if (!isObject(value)) return null
    const error = readMember(value, "error")
    const places = [isObject(error) ? readMember(error, "message") : null, readMember(value, "error_description")]
    const words = [...places, readMember(value, "message"), error, readMember(value, "detail")]
    return words.filter((word) => typeof word === "string").find((word) => word !== "") ?? null
  } catch (error) {
    if (error instanceof ToolsumError) return null
    throw error
  }
}
