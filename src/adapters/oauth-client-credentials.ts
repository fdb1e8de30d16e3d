// The client-credentials grant (RFC 6749 §4.4, RFC 8707): an access token for one server, from the authorization server that the user names
// or, without that, one on the server's own host, with an id and a secret that nobody else gets. Own code over our own exchanges: the SDK's would follow
// its own discovery and fall back to addresses that nobody named. Tokens are kept nowhere.
import { encodeUtf8, formatBase64 } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { isObject, type JsonObject, parseJson } from "../core/json.js"
import { collectBody } from "./mcp-http-body.js"
import type { HttpClient } from "./mcp-http-client.js"
import { readMember } from "./mcp-messages.js"
import { isLoopbackHost } from "./network-address.js"
import type { Challenge } from "./oauth-challenge.js"
import { fetchIssuerMetadata, fetchResourceMetadata, type IssuerMetadata } from "./oauth-metadata.js"
import type { Redact } from "./redact-values.js"

/** How one client proves who it is. */
export interface ClientCredentials {
  readonly id: string
  readonly secret: string
  /** The only authorization server that gets them; null: the one that the server names, if it is on the server's own host. */
  readonly issuer: string | null
  /** The variable that names the issuer. */
  readonly issuerVariable: string
}

/** What a token is asked for. */
export interface TokenOptions {
  readonly client: HttpClient
  /** Of the server that the token is for. */
  readonly url: URL
  /** How that server answers a request without a token. */
  readonly challenge: Challenge | null
  readonly credentials: ClientCredentials
  readonly redact: Redact
  /** For each exchange. */
  readonly timeoutMs: number
}

const MAX_TOKEN_BYTES = 65_536
/** Characters of a token that can stand in a header. */
const TOKEN = /^[!-~]{1,16384}$/

/** Ask for an access token. Throws SERVER_AUTH `missing: NAME_ISSUER` where only the server vouches for another host, `refused` when the grant is refused, SERVER_UNREACHABLE, PROTOCOL_MALFORMED for metadata or
 *  an answer that cannot be used, and what exchanges throw. */
export async function fetchAccessToken(options: TokenOptions): Promise<string> {
  const { client, url, challenge, credentials, redact, timeoutMs } = options
  const documents = { client, redact, timeoutMs }
  const resource = await fetchResourceMetadata(url, challenge, documents)
  const identity = resource?.resource ?? null
  const issuer = credentials.issuer ?? resource?.authorizationServers[0] ?? url.origin
  requireSecure(issuer)
  requireKnown(issuer, options)
  const metadata = await fetchIssuerMetadata(issuer, documents)
  requireSecure(metadata.tokenEndpoint.href)
  requireKnown(metadata.tokenEndpoint.href, options)
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    resource: identity ?? `${url.origin}${url.pathname}`,
  })
  const scope = challenge?.scope ?? resource?.scopes.join(" ") ?? ""
  if (scope !== "") form.set("scope", scope)
  return requestToken(options, metadata, form)
}

/** A server could name whom it likes, and that one would get id and secret: without an issuer of the user's only the server's own host may.
 *  Throws SERVER_AUTH. */
function requireKnown(address: string, { url, credentials }: TokenOptions): void {
  if (credentials.issuer !== null || (URL.canParse(address) && new URL(address).hostname === url.hostname)) return
  const { issuerVariable } = credentials
  const wants = `a token from ${quote(address)}, which is on another host than the server: set ${issuerVariable} to the issuer that may have the secret`
  throw new ToolsumError("SERVER_AUTH", `missing: ${issuerVariable}`, { evidence: { wants } })
}

/** A secret travels over https, or within this machine. Throws TARGET_NOT_ACCEPTED. */
function requireSecure(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname))) return
  const why = `expected an authorization server behind https, got ${quote(url?.origin ?? address)}`
  throw new ToolsumError("TARGET_NOT_ACCEPTED", why)
}

async function requestToken(options: TokenOptions, metadata: IssuerMetadata, form: URLSearchParams): Promise<string> {
  const { client, credentials, redact, timeoutMs } = options
  const headers = {
    "user-agent": "toolsum",
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
    ...authenticate(metadata, credentials, form),
  }
  const url = metadata.tokenEndpoint
  const response = await client.send({ method: "POST", url, headers, body: form.toString(), timeoutMs })
  const answer = readAnswer(await collectBody(response.body, MAX_TOKEN_BYTES))
  const error = readMember(answer, "error")
  const isRefused = response.status === 400 || response.status === 401 || response.status === 403
  if (isRefused || typeof error === "string") throw refused(metadata, answer, redact)
  if (response.status !== 200)
    throw new ToolsumError(
      "SERVER_UNREACHABLE",
      `no token from ${quote(metadata.issuer)}: HTTP status ${response.status}`,
    )
  return readToken(metadata, answer)
}

/** Puts id and secret into the header, or into `form` where only that is taken (RFC 6749 §2.3.1). */
function authenticate(
  { issuer, authMethods }: IssuerMetadata,
  { id, secret }: ClientCredentials,
  form: URLSearchParams,
): Readonly<Record<string, string>> {
  if (authMethods.length === 0 || authMethods.includes("client_secret_basic"))
    return { authorization: `Basic ${formatBasic({ id, secret })}` }
  if (!authMethods.includes("client_secret_post")) {
    const wants = `the authorization server ${quote(issuer)} takes neither client_secret_basic nor client_secret_post`
    throw new ToolsumError("SERVER_AUTH", "refused", { evidence: { wants } })
  }
  form.set("client_id", id)
  form.set("client_secret", secret)
  return {}
}

/** Id and secret as the Authorization header has them. */
export const formatBasic = ({ id, secret }: Pick<ClientCredentials, "id" | "secret">): string =>
  formatBase64(encodeUtf8(`${encodeForm(id)}:${encodeForm(secret)}`))

const encodeForm = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

/** The members of an answer; none for one that is no JSON object. */
function readAnswer(bytes: Uint8Array): JsonObject {
  try {
    const answer = parseJson(bytes)
    return isObject(answer) ? answer : {}
  } catch (error) {
    if (error instanceof ToolsumError) return {}
    throw error
  }
}

function refused({ issuer }: IssuerMetadata, answer: JsonObject, redact: Redact): ToolsumError {
  const texts = [readMember(answer, "error"), readMember(answer, "error_description")]
  const words = texts.filter((text) => typeof text === "string").map((text) => quote(redact(text), 120))
  const wants = `the authorization server ${quote(issuer)} refused the client-credentials grant`
  return new ToolsumError("SERVER_AUTH", "refused", {
    evidence: { wants: words.length === 0 ? wants : `${wants}: ${words.join(", ")}` },
  })
}

function readToken({ issuer }: IssuerMetadata, answer: JsonObject): string {
  const token = readMember(answer, "access_token")
  const type = readMember(answer, "token_type")
  const isBearer = typeof type === "string" && type.toLowerCase() === "bearer"
  if (typeof token === "string" && TOKEN.test(token) && isBearer) return token
  throw new ToolsumError("PROTOCOL_MALFORMED", `expected a bearer token from ${quote(issuer)}, got another answer`)
}
