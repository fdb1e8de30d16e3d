// What a protected server and an authorization server publish of themselves (RFC 9728, RFC 8414, OpenID Connect Discovery 1.0): bounded,
// read strictly, taken only from where it must be. It is data: nothing in it is opened, started or believed beyond its own origin.
import { decodeUtf8 } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { isArray, isObject, type JsonObject, parseJson } from "../core/json.js"
import { collectBody, dumpBody } from "./mcp-http-body.js"
import type { HttpClient } from "./mcp-http-client.js"
import { mediaType } from "./mcp-http-refusals.js"
import { readMember } from "./mcp-messages.js"
import type { Challenge } from "./oauth-challenge.js"
import type { Redact } from "./redact-values.js"

/** How documents are fetched. */
export interface MetadataOptions {
  readonly client: HttpClient
  /** Takes values of variables out of a document before anything in it is looked at. */
  readonly redact: Redact
  /** For each document. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** What a server says of the tokens it takes; untrusted. */
export interface ResourceMetadata {
  readonly resource: string
  readonly authorizationServers: readonly string[]
  readonly scopes: readonly string[]
}

/** What is needed of an authorization server to ask it for a token. */
export interface IssuerMetadata {
  readonly issuer: string
  readonly tokenEndpoint: URL
  /** Empty when it does not say. */
  readonly authMethods: readonly string[]
}

const MAX_METADATA_BYTES = 65_536
/** Texts of a list that are kept. */
const MAX_TEXTS = 50
const MAX_TEXT_CHARS = 2048

/** RFC 9728 metadata of the server at `url`: where its challenge says, if that is of the same origin, else at the well-known addresses for
 *  its path and for its host; null where none is. Throws PROTOCOL_MALFORMED for metadata of another resource, and what exchanges throw. */
export async function fetchResourceMetadata(
  url: URL,
  challenge: Challenge | null,
  options: MetadataOptions,
): Promise<ResourceMetadata | null> {
  for (const address of listResourceAddresses(url, challenge)) {
    const document = await fetchDocument(address, options)
    if (document === null) continue
    const resource = readMember(document, "resource")
    if (typeof resource !== "string" || !covers(resource, url))
      throw new ToolsumError(
        "PROTOCOL_MALFORMED",
        `the server's metadata is for another resource: ${quote(String(resource))}`,
      )
    return {
      resource,
      authorizationServers: readTexts(document, "authorization_servers"),
      scopes: readTexts(document, "scopes_supported"),
    }
  }
  return null
}

/** A resource identifier covers a URL of its origin on or below its path (RFC 9728 §3.3, RFC 8707 §2). */
function covers(identity: string, url: URL): boolean {
  if (!URL.canParse(identity)) return false
  const { origin, pathname } = new URL(identity)
  const folder = pathname.endsWith("/") ? pathname : `${pathname}/`
  return origin === url.origin && `${url.pathname}/`.startsWith(folder)
}

function listResourceAddresses(url: URL, challenge: Challenge | null): readonly URL[] {
  const told = challenge?.resourceMetadata ?? null
  const named = told !== null && URL.canParse(told) ? new URL(told) : null
  const path = url.pathname.replace(/\/$/, "")
  const known = [...new Set([path, ""])].map(
    (end) => new URL(`/.well-known/oauth-protected-resource${end}`, url.origin),
  )
  return named !== null && named.origin === url.origin ? [named, ...known] : known
}

/** Metadata of the authorization server `issuer` (RFC 8414 §3, then OpenID Connect). Throws SERVER_UNREACHABLE where none is found,
 *  PROTOCOL_MALFORMED for a document that is another issuer's or has no token endpoint, and what exchanges throw. */
export async function fetchIssuerMetadata(issuer: string, options: MetadataOptions): Promise<IssuerMetadata> {
  for (const address of listIssuerAddresses(issuer)) {
    const document = await fetchDocument(address, options)
    if (document !== null) return readIssuer(issuer, document)
  }
  throw new ToolsumError("SERVER_UNREACHABLE", `the authorization server ${quote(issuer)} publishes no metadata`)
}

function listIssuerAddresses(issuer: string): readonly URL[] {
  const url = URL.canParse(issuer) ? new URL(issuer) : null
  if (url === null || url.search !== "" || url.hash !== "")
    throw new ToolsumError("PROTOCOL_MALFORMED", `expected the URL of an authorization server, got ${quote(issuer)}`)
  const path = url.pathname.replace(/\/$/, "")
  const addresses = [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`]
  if (path !== "") addresses.push(`${path}/.well-known/openid-configuration`)
  return addresses.map((address) => new URL(address, url.origin))
}

function readIssuer(issuer: string, document: JsonObject): IssuerMetadata {
  const told = readMember(document, "issuer")
  const bad = (why: string) => new ToolsumError("PROTOCOL_MALFORMED", `metadata of ${quote(issuer)}: ${why}`)
  // A slash at the end is often written in one place and left out in the other.
  if (typeof told !== "string" || told.replace(/\/$/, "") !== issuer.replace(/\/$/, ""))
    throw bad(`expected it to name itself as issuer, got ${typeof told === "string" ? quote(told) : "no text"}`)
  const endpoint = readMember(document, "token_endpoint")
  if (typeof endpoint !== "string" || !URL.canParse(endpoint)) throw bad("expected the URL of a token endpoint")
  const authMethods = readTexts(document, "token_endpoint_auth_methods_supported")
  return { issuer: told, tokenEndpoint: new URL(endpoint), authMethods }
}

/** A JSON object, or null where an address has none. */
async function fetchDocument(url: URL, options: MetadataOptions): Promise<JsonObject | null> {
  const { client, redact, ...bounds } = options
  const headers = { "user-agent": "toolsum", accept: "application/json" }
  const response = await client.send({ method: "GET", url, headers, ...bounds })
  const type = mediaType(response.header("content-type"))
  if (response.status !== 200 || !/[/+]json$/.test(type)) {
    await dumpBody(response.body)
    return null
  }
  const bytes = await collectBody(response.body, MAX_METADATA_BYTES)
  try {
    const document = parseJson(redact(decodeUtf8(bytes, (why) => new ToolsumError("JSON_MALFORMED", why))))
    return isObject(document) ? document : null
  } catch (error) {
    if (error instanceof ToolsumError) return null
    throw error
  }
}

function readTexts(document: JsonObject, name: string): readonly string[] {
  const value = readMember(document, name)
  const texts = isArray(value) ? value.filter((text) => typeof text === "string") : []
  return texts.filter((text) => text.length <= MAX_TEXT_CHARS).slice(0, MAX_TEXTS)
}
