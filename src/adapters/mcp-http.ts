// Reads a server behind a URL (DESIGN 4, 9; field-notes B, C32-41): one client with its own sockets per reading, closed afterwards whatever
// happens. Revisions and transports are tried in the order of field-notes B; the first real error is the one that is told (C35).
import { ToolsumError } from "../core/errors.js"
import type { UrlTarget } from "../core/target.js"
import type { ReadRequest, ServerReading, ToolSource } from "../ports.js"
import { createHttpClient, type HttpClient } from "./mcp-http-client.js"
import { fetchTokens, hideProofs, listSecretNames, readClients, refuseProofs } from "./mcp-http-credentials.js"
import type { HttpLink } from "./mcp-http-link.js"
import { openHttpSession } from "./mcp-http-probe.js"
import { expandHeaders, expandUrl } from "./mcp-http-target.js"
import { readSurface } from "./mcp-reading.js"
import { Recorder } from "./mcp-recorder.js"
import { type Values, variableValue } from "./mcp-stdio-environment.js"
import type { AddressRule } from "./network-address.js"
import { createRedactor, type Redact, redactError, redactReading } from "./redact-values.js"

/** What to contact. `environment`: values of variables, usually those of this process, and where proxy variables are. `placeholders`: names
 *  that get a dummy text. `addresses`: where the URL, and what the server names, may lead. `clientCredentials`: names whose value is an access
 *  token that is asked for with NAME_CLIENT_ID and NAME_CLIENT_SECRET. */
export interface HttpSourceOptions extends Values {
  readonly target: UrlTarget
  readonly clientVersion: string
  readonly addresses: AddressRule
  readonly clientCredentials: readonly string[]
}

/** A server behind a URL. `read` throws SERVER_AUTH, SERVER_UNREACHABLE, SERVER_REDIRECTED, TARGET_NOT_ACCEPTED, TARGET_MALFORMED, TIMEOUT,
 *  PROTOCOL_MALFORMED, READING_INCOMPLETE, or SURFACE_MALFORMED as `refuseProofs`. */
export const createHttpToolSource = (options: HttpSourceOptions): ToolSource => ({
  read: (request) => readHttp(options, request),
})

async function readHttp(options: HttpSourceOptions, request: ReadRequest): Promise<ServerReading> {
  const { target, environment, addresses, clientVersion, clientCredentials } = options
  const clients = readClients(target, options)
  const url = expandUrl(target, (name) => variableValue(name, options))
  const client = createHttpClient({ environment, addresses, signal: request.signal })
  const redactWith = (tokens: Readonly<Record<string, string>>): Redact => {
    const redact = createRedactor(target, { ...environment, ...tokens }, listSecretNames(clientCredentials))
    return (text) => redact(hideProofs(text, clients))
  }
  let redact = redactWith({})
  try {
    const tokens = await fetchTokens(clients, {
      client,
      url,
      redact,
      timeoutMs: request.limits.requestTimeoutMs,
    })
    redact = redactWith(tokens)
    const headers = expandHeaders(target, (name) => tokens[name] ?? variableValue(name, options))
    const reading = await readTwice({ client, url, headers, redact, clientVersion }, request)
    refuseProofs(reading.surface, clients, tokens)
    return reading
  } catch (error) {
    throw error instanceof ToolsumError ? redactError(error, redact) : error
  } finally {
    await client.close()
  }
}

/** What one reading goes by. */
interface Contact {
  readonly client: HttpClient
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly redact: Redact
  readonly clientVersion: string
}

/** Read, and once more from the start when the server loses the session meanwhile (C39). When it loses that one too, what came before counts:
 *  it may differ already. */
async function readTwice(contact: Contact, request: ReadRequest): Promise<ServerReading> {
  const { isSessionLost, reading } = await readOnce(contact, request)
  return isSessionLost ? (await readOnce(contact, request)).reading : reading
}

/** One session, and whether the server lost it. */
async function readOnce(
  contact: Contact,
  request: ReadRequest,
): Promise<{ readonly reading: ServerReading; readonly isSessionLost: boolean }> {
  const { client, url, headers, redact, clientVersion } = contact
  const { maxMessageBytes, startTimeoutMs, requestTimeoutMs } = request.limits
  const limits = { maxMessageBytes, startTimeoutMs, requestTimeoutMs }
  const createLink = (): HttpLink => ({
    ...limits,
    client,
    url,
    headers,
    redact,
    recorder: new Recorder(maxMessageBytes, redact, "stream_noise"),
  })
  const opened = await openHttpSession({ createLink, clientVersion, request })
  try {
    const reading = await readSurface(opened.session, request)
    const read = { platform: process.platform, node: process.versions.node, protocol: reading.protocol }
    const whole = { ...reading, read, resolved: { version: null, integrity: null } }
    return { reading: redactReading(whole, redact), isSessionLost: opened.isSessionLost() }
  } finally {
    await opened.end()
  }
}
