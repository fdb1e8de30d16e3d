// The values behind the variables of a URL target (DESIGN 5, 9): those that are set, dummies, and access tokens that are asked for with an
// id and a secret. Everything is looked up before the first request, so that a variable that is not set costs none.
import { ToolsumError } from "../core/errors.js"
import { listSpellings } from "../core/secret-values.js"
import type { Surface } from "../core/section.js"
import { findSurfaceEcho } from "../core/surface-echoes.js"
import type { UrlTarget } from "../core/target.js"
import { listTemplateNames } from "../core/template.js"
import { MODERN_REVISION, OPENING_METHODS } from "./mcp-eras.js"
import { dumpBody } from "./mcp-http-body.js"
import type { HttpClient } from "./mcp-http-client.js"
import { type Values, variableValue } from "./mcp-stdio-environment.js"
import { type Challenge, parseChallenge } from "./oauth-challenge.js"
import { type ClientCredentials, fetchAccessToken, formatBasic } from "./oauth-client-credentials.js"
import type { Redact } from "./redact-values.js"

/** Where values come from. `clientCredentials`: names whose value is an access token. */
export interface CredentialValues extends Values {
  readonly clientCredentials: readonly string[]
}

/** The variables that hold what proves who the client NAME is. */
const variablesOf = (name: string) => ({
  id: `${name}_CLIENT_ID`,
  secret: `${name}_CLIENT_SECRET`,
  issuer: `${name}_ISSUER`,
})

/** Names of variables beside those in templates whose values must not be shown. */
export const listSecretNames = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [variablesOf(name).id, variablesOf(name).secret])

/** The clients whose tokens the headers of a target want, by the name of the variable. Throws SERVER_AUTH `missing: NAME` for any variable
 *  of its headers that is not set. */
export function readClients({ headers }: UrlTarget, values: CredentialValues): ReadonlyMap<string, ClientCredentials> {
  const clients = new Map<string, ClientCredentials>()
  for (const name of Object.values(headers).flatMap(listTemplateNames)) {
    if (!values.clientCredentials.includes(name)) variableValue(name, values)
    else clients.set(name, readClient(name, values))
  }
  return clients
}

function readClient(name: string, values: Values): ClientCredentials {
  const names = variablesOf(name)
  const { environment } = values
  const issuer = Object.hasOwn(environment, names.issuer) ? environment[names.issuer] : undefined
  return {
    id: variableValue(names.id, values),
    secret: variableValue(names.secret, values),
    issuer: issuer || null,
    issuerVariable: names.issuer,
  }
}

/** `text` without what is sent to prove who those clients are: a server may show the headers that it got. */
export const hideProofs = (text: string, clients: ReadonlyMap<string, ClientCredentials>): string =>
  [...clients.values()].reduce((rest, client) => rest.replaceAll(formatBasic(client), "…"), text)

/** Shorter ones are words like any other. */
const MIN_PROOF_CHARS = 8

/** Refuse a list that repeats a secret of those clients, or a token that one of them got: no variable of the target has it, so that whoever
 *  compares, records or keeps the list could not take it out. Throws SURFACE_MALFORMED. */
export function refuseProofs(
  surface: Surface,
  clients: ReadonlyMap<string, ClientCredentials>,
  tokens: Readonly<Record<string, string>>,
): void {
  const secrets = [...clients].flatMap(([name, client]) => {
    const variable = variablesOf(name).secret
    const basic = { name: variable, text: formatBasic(client) }
    return [basic, ...listSpellings([variable], { [variable]: client.secret }, MIN_PROOF_CHARS)]
  })
  const given = [...secrets, ...listSpellings([...clients.keys()], tokens, MIN_PROOF_CHARS)]
  const echo = findSurfaceEcho(surface, given)
  if (echo === null) return
  throw new ToolsumError(
    "SURFACE_MALFORMED",
    `neither compared nor kept: ${echo.place} has the value of ${echo.name} in it`,
  )
}

/** How tokens are asked for. */
export interface TokenRequest {
  readonly client: HttpClient
  readonly url: URL
  readonly redact: Redact
  readonly timeoutMs: number
}

/** An access token for each client, by the name of the variable. Throws as `fetchAccessToken`. */
export async function fetchTokens(
  clients: ReadonlyMap<string, ClientCredentials>,
  request: TokenRequest,
): Promise<Readonly<Record<string, string>>> {
  const tokens: Record<string, string> = Object.create(null)
  if (clients.size === 0) return tokens
  const challenge = await fetchChallenge(request)
  for (const [name, credentials] of clients)
    tokens[name] = await fetchAccessToken({ ...request, challenge, credentials })
  return tokens
}

/** What the server says to a request without a credential: one that opens no session anywhere. */
async function fetchChallenge({ client, url, redact, timeoutMs }: TokenRequest): Promise<Challenge | null> {
  const method = OPENING_METHODS.modern
  const headers = {
    "user-agent": "toolsum",
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": MODERN_REVISION,
    "mcp-method": method,
  }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method })
  const response = await client.send({ method: "POST", url, headers, body, timeoutMs })
  await dumpBody(response.body)
  return parseChallenge(redact(response.header("www-authenticate") ?? ""))
}
