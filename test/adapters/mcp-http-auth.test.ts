// Servers behind URLs that want a credential: told from unreachable ones, in the words of their challenge and their metadata; tokens by the
// client-credentials grant; and no value of a variable in anything that comes out.
import type { ServerResponse } from "node:http"
import { inspect } from "node:util"
import { describe, expect, test } from "vitest"
import { ToolsumError } from "../../src/core/errors.js"
import { sdkV2Handler } from "../fixtures/servers/http-sdk.js"
import { type Handler, type Hit, route, say, sayJson } from "../fixtures/servers/http-server.js"
import { type ReadOptions, read, serve } from "./http-reading.js"

const RESOURCE_METADATA = "/.well-known/oauth-protected-resource/mcp"
const ISSUER_METADATA = "/.well-known/oauth-authorization-server"
const JSON_TYPE = { "content-type": "application/json" }

/** The error of a reading. */
async function refusal(handler: Handler, options: ReadOptions = {}): Promise<ToolsumError> {
  const error = await read(await serve(handler), options).then(
    () => null,
    (thrown) => thrown,
  )
  if (error instanceof ToolsumError) return error
  throw new Error(`expected a ToolsumError, got ${inspect(error)}`)
}

const bearer = (parameters: string) => ({ "www-authenticate": `Bearer ${parameters}` })
const rpcError =
  (code: number, message: string): Handler =>
  (hit, ...rest) =>
    sayJson({ jsonrpc: "2.0", id: hit.rpc?.id, error: { code, message } })(hit, ...rest)

describe("a server that wants a credential", () => {
  test.each([
    { name: "401 without a header", handler: say(401), message: "refused" },
    { name: "403 without a header", handler: say(403), message: "refused" },
    { name: "401 with a header", handler: say(401, "", bearer('error="invalid_token"')), message: "refused" },
    {
      name: "403 insufficient_scope",
      handler: say(403, "", bearer('error="insufficient_scope", scope="a b"')),
      message: "insufficient_scope",
    },
    {
      name: "401 insufficient_scope",
      handler: say(401, "", bearer('error="insufficient_scope"')),
      message: "insufficient_scope",
    },
    {
      name: "403 insufficient_scope in the body",
      handler: sayJson({ error: "insufficient_scope" }, 403),
      message: "insufficient_scope",
    },
    {
      name: "a login page",
      handler: say(200, '<form><input type="password"></form>', { "content-type": "text/html; charset=utf-8" }),
      message: "refused",
    },
    { name: "a JSON-RPC error", handler: rpcError(-32001, "Unauthorized: missing API key"), message: "refused" },
    {
      name: "a JSON-RPC error under 400",
      handler: sayJson({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "Unauthorized" } }, 400),
      message: "refused",
    },
    {
      name: "401 with a body in a coding that was not asked for",
      handler: say(401, "x", { ...bearer(""), "content-encoding": "zstd" }),
      message: "refused",
    },
    {
      name: "403 with a body that breaks off",
      handler: (_: Hit, response: ServerResponse) => {
        response.writeHead(403, { ...bearer('error="insufficient_scope"'), "content-length": "100" }).write("x")
        setImmediate(() => response.destroy())
      },
      message: "insufficient_scope",
    },
  ])("$name", async ({ handler, message }) => {
    expect(await refusal(handler)).toMatchObject({ code: "SERVER_AUTH", message })
  })

  test("one that refuses lists says so of each, and is read as far as it goes", async () => {
    const listing = (handlers: Readonly<Record<string, Handler>>): Handler =>
      route({
        initialize: (hit, response) => {
          const result = { protocolVersion: "2025-11-25", capabilities: { tools: {}, prompts: {} }, serverInfo: {} }
          response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: "2.0", id: hit.rpc?.id, result }))
        },
        "notifications/initialized": say(202),
        ...handlers,
      })
    const refused = say(403, "", bearer('error="insufficient_scope", scope="lists"'))
    const all = listing({ "tools/list": refused, "prompts/list": refused })
    const wants = { wants: expect.stringContaining("lists") }
    const refusedList = { code: "SERVER_AUTH", message: "insufficient_scope", evidence: wants }
    expect(await read(await serve(all))).toMatchObject({ failures: { tools: refusedList, prompts: refusedList } })
    const tools: Handler = (hit, ...rest) =>
      sayJson({ jsonrpc: "2.0", id: hit.rpc?.id, result: { tools: [] } })(hit, ...rest)
    const some = await read(await serve(listing({ "tools/list": tools, "prompts/list": refused })))
    expect(some.surface.tools).toEqual([])
    expect(some.failures).toMatchObject({ prompts: { code: "SERVER_AUTH", message: "insufficient_scope" } })
  })
})

describe("what a server wants", () => {
  const metadata = { authorization_servers: ["https://login.example"], scopes_supported: ["tools:read", "\u202eevil"] }
  /** A server whose metadata, at `path`, is for what it is itself, or for `resource`. */
  const serveMetadata = async (path: string, challenge: (origin: string) => string, resource?: string) => {
    const server = await serve((hit, ...rest) =>
      route({
        [path]: sayJson({ ...metadata, resource: resource ?? server.url }),
        POST: say(401, "", { "www-authenticate": challenge(server.origin) }),
      })(hit, ...rest),
    )
    return server
  }

  test("is told from its metadata and its challenge, quoted", async () => {
    const server = await serveMetadata(RESOURCE_METADATA, () => "Bearer")
    await expect(read(server)).rejects.toMatchObject({
      message: "refused",
      evidence: {
        wants: `an access token for "${server.url}" from "https://login.example" with the scopes "tools:read", "\\u202eevil"`,
      },
    })
    expect(server.lines()).toEqual(["POST /mcp server/discover", `GET ${RESOURCE_METADATA}`])
  })

  test("is looked for where its challenge says, without credentials", async () => {
    const server = await serveMetadata(
      "/elsewhere",
      (origin) => `Bearer error_description="token expired", resource_metadata="${origin}/elsewhere"`,
    )
    await expect(read(server, { headers: { Authorization: "Bearer t" } })).rejects.toMatchObject({
      evidence: {
        wants: expect.stringMatching(/^an access token for ".*\/mcp" from .*; it says "token expired"$/),
      },
    })
    const { headers } = server.hits.find(({ path }) => path === "/elsewhere") ?? {}
    expect(headers).not.toHaveProperty("authorization")
  })

  test("is never looked for at another origin", async () => {
    const other = await serve(sayJson({ ...metadata, resource: "https://127.0.0.1/mcp" }))
    const challenge = bearer(`resource_metadata="${other.origin}/metadata"`)
    expect(await refusal(say(401, "", challenge))).toMatchObject({ evidence: { wants: "an access token" } })
    expect(other.hits).toEqual([])
  })

  test.each(["https://other.example/mcp", "https://127.0.0.1/mcp", "mcp"])(
    "is not told from metadata for %s",
    async (resource) => {
      const server = await serveMetadata(RESOURCE_METADATA, () => "Bearer", resource)
      await expect(read(server)).rejects.toMatchObject({ evidence: { wants: "an access token" } })
    },
  )

  test.each([
    { name: "nothing", handler: say(401), evidence: undefined },
    {
      name: "words",
      handler: say(401, "sign up first", { "content-type": "text/plain" }),
      evidence: { wants: 'it says "sign up first"' },
    },
    {
      name: "words in JSON",
      handler: sayJson({ error: { message: "no key" } }, 401),
      evidence: { wants: 'it says "no key"' },
    },
    {
      name: "a password",
      handler: say(401, "", { "www-authenticate": 'Basic realm="x"' }),
      evidence: { wants: "a user name and a password" },
    },
  ])("$name", async ({ handler, evidence }) => {
    const only = route({ POST: handler })
    expect((await refusal(only)).evidence).toEqual(evidence)
  })

  test.each([
    { name: "too large", handler: sayJson({ ...metadata, more: "x".repeat(100_000) }) },
    { name: "no JSON", handler: say(200, "<html>", JSON_TYPE) },
    { name: "a redirect", handler: say(302, "", { location: "https://other.example" }) },
  ])("metadata that is $name is left out", async ({ handler }) => {
    const server = route({ [RESOURCE_METADATA]: handler, POST: say(401) })
    expect(await refusal(server)).toMatchObject({ code: "SERVER_AUTH", evidence: undefined })
  })
})

describe("variables", () => {
  test.each([{ environment: {} }, { environment: { TOKEN: "" } }])(
    "one that is not set costs no request (%#)",
    async ({ environment }) => {
      const server = await serve(say(200))
      const reading = read(server, { headers: { Authorization: "Bearer ${TOKEN}" }, environment })
      await expect(reading).rejects.toMatchObject({ code: "SERVER_AUTH", message: "missing: TOKEN" })
      await expect(read(server, { path: "/mcp?key=${TOKEN}", environment })).rejects.toMatchObject({
        message: "missing: TOKEN",
      })
      expect(server.hits).toEqual([])
    },
  )

  test("values and dummies are put into headers and URL", async () => {
    const server = await serve(sdkV2Handler())
    const headers = { Authorization: "Bearer ${TOKEN}", "X-Other": "${OTHER}-$$" }
    await read(server, {
      headers,
      path: "/mcp?key=${KEY}",
      environment: { TOKEN: "t-1", KEY: "k-1" },
      placeholders: ["OTHER"],
    })
    expect(server.hits.length).toBe(3)
    for (const hit of server.hits) {
      expect(hit).toMatchObject({
        path: "/mcp?key=k-1",
        headers: { authorization: "Bearer t-1", "x-other": "toolsum-placeholder-$" },
      })
    }
  })

  test("a value that no header can hold is refused without being shown", async () => {
    const error = await refusal(say(200), { headers: { A: "${TOKEN}" }, environment: { TOKEN: "secret\nvalue" } })
    expect(error).toMatchObject({ code: "TARGET_MALFORMED", message: expect.not.stringContaining("secret") })
  })
})

describe("client credentials", () => {
  const environment = { JOB_CLIENT_ID: "id:1", JOB_CLIENT_SECRET: "s e/cret" }
  const options: ReadOptions = {
    headers: { Authorization: "Bearer ${JOB}" },
    environment,
    clientCredentials: ["JOB"],
    sections: ["tools"],
  }

  /** A server and its authorization server in one; `parts` by path. */
  async function serveBoth(parts: (origin: string) => Readonly<Record<string, Handler>> = () => ({})) {
    const mcp = sdkV2Handler()
    const server = await serve((hit, ...rest) =>
      route({
        [RESOURCE_METADATA]: sayJson({
          resource: server.url,
          authorization_servers: [server.origin],
          scopes_supported: ["read"],
        }),
        [ISSUER_METADATA]: sayJson({ issuer: server.origin, token_endpoint: `${server.origin}/token` }),
        "/token": sayJson({ access_token: "access-1", token_type: "Bearer", expires_in: 60 }),
        ...parts(server.origin),
        POST: hit.headers.authorization === "Bearer access-1" ? mcp : say(401),
      })(hit, ...rest),
    )
    return server
  }
  const tokenHit = (hits: readonly Hit[]) => hits.find(({ path }) => path === "/token")

  test("a token is asked for and used", async () => {
    const server = await serveBoth()
    expect(await read(server, options)).toMatchObject({ failures: {}, protocol: "2026-07-28" })
    const hit = tokenHit(server.hits)
    expect(hit?.headers.authorization).toBe(`Basic ${Buffer.from("id%3A1:s+e%2Fcret").toString("base64")}`)
    expect(Object.fromEntries(new URLSearchParams(hit?.body))).toEqual({
      grant_type: "client_credentials",
      resource: server.url,
      scope: "read",
    })
    expect(server.hits[0]?.headers).not.toHaveProperty("authorization")
  })

  test("id and secret go into the form where only that is taken, and the scope of the challenge is asked for", async () => {
    const server = await serveBoth((origin) => ({
      [ISSUER_METADATA]: sayJson({
        issuer: `${origin}/`,
        token_endpoint: `${origin}/token`,
        token_endpoint_auth_methods_supported: ["client_secret_post"],
      }),
    }))
    await read(server, options)
    expect(tokenHit(server.hits)?.headers).not.toHaveProperty("authorization")
    expect(Object.fromEntries(new URLSearchParams(tokenHit(server.hits)?.body))).toMatchObject({
      client_id: "id:1",
      client_secret: "s e/cret",
    })
  })

  test("OpenID metadata does too, of an issuer with a path", async () => {
    const server = await serveBoth((origin) => ({
      [RESOURCE_METADATA]: sayJson({ resource: origin, authorization_servers: [`${origin}/tenant`] }),
      "/tenant/.well-known/openid-configuration": sayJson({
        issuer: `${origin}/tenant`,
        token_endpoint: `${origin}/token`,
      }),
    }))
    await read(server, options)
    expect(Object.fromEntries(new URLSearchParams(tokenHit(server.hits)?.body))).toMatchObject({
      resource: server.origin,
    })
  })

  test("only the issuer that the user names gets them", async () => {
    const server = await serveBoth((origin) => ({
      [RESOURCE_METADATA]: sayJson({ resource: `${origin}/mcp`, authorization_servers: ["https://thief.example"] }),
    }))
    const named = { ...environment, JOB_ISSUER: server.origin }
    expect(await read(server, { ...options, environment: named })).toMatchObject({ failures: {} })
    const other = { ...environment, JOB_ISSUER: `${server.origin}/other` }
    await expect(read(server, { ...options, environment: other })).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" })
    expect(server.hits.filter(({ path }) => path === "/token").length).toBe(1)
  })

  test.each(["JOB_CLIENT_ID", "JOB_CLIENT_SECRET"])("%s that is not set costs no request", async (name) => {
    const server = await serveBoth()
    const reading = read(server, { ...options, environment: { ...environment, [name]: "" } })
    await expect(reading).rejects.toMatchObject({ code: "SERVER_AUTH", message: `missing: ${name}` })
    expect(server.hits).toEqual([])
  })

  test.each([
    {
      name: "the metadata of another issuer",
      parts: { [ISSUER_METADATA]: { issuer: "https://other.example", token_endpoint: "/token" } },
      code: "PROTOCOL_MALFORMED",
    },
    { name: "no metadata", parts: { [ISSUER_METADATA]: [] }, code: "SERVER_UNREACHABLE" },
    {
      name: "metadata for another resource",
      parts: { [RESOURCE_METADATA]: { resource: "https://other.example/mcp" } },
      code: "PROTOCOL_MALFORMED",
    },
    {
      name: "metadata for a path beside",
      parts: { [RESOURCE_METADATA]: { resource: "ORIGIN/mc" } },
      code: "PROTOCOL_MALFORMED",
    },
    {
      name: "an issuer on another host that the user did not name",
      parts: { [RESOURCE_METADATA]: { resource: "ORIGIN", authorization_servers: ["https://thief.example"] } },
      code: "SERVER_AUTH",
    },
    {
      name: "a token endpoint on another host that the user did not name",
      parts: { [ISSUER_METADATA]: { issuer: "ORIGIN", token_endpoint: "https://thief.example/token" } },
      code: "SERVER_AUTH",
    },
    {
      name: "a token endpoint over plain http",
      parts: { [ISSUER_METADATA]: { issuer: "ORIGIN", token_endpoint: "http://example.com/token" } },
      code: "TARGET_NOT_ACCEPTED",
    },
    {
      name: "another way to prove who it is",
      parts: {
        [ISSUER_METADATA]: {
          issuer: "ORIGIN",
          token_endpoint: "ORIGIN/token",
          token_endpoint_auth_methods_supported: ["private_key_jwt"],
        },
      },
      code: "SERVER_AUTH",
    },
    {
      name: "a token of another type",
      parts: { "/token": { access_token: "a", token_type: "DPoP" } },
      code: "PROTOCOL_MALFORMED",
    },
    {
      name: "a token that no header can hold",
      parts: { "/token": { access_token: "a\nb", token_type: "Bearer" } },
      code: "PROTOCOL_MALFORMED",
    },
    { name: "an error under 200", parts: { "/token": { error: "invalid_client" } }, code: "SERVER_AUTH" },
  ])("$name gets no further ($code)", async ({ parts, code }) => {
    const server = await serveBoth((origin) =>
      Object.fromEntries(
        Object.entries(parts).map(([path, value]) => [
          path,
          sayJson(JSON.parse(JSON.stringify(value).replaceAll("ORIGIN", origin))),
        ]),
      ),
    )
    await expect(read(server, options)).rejects.toMatchObject({ code })
  })

  test("what the user must set to let another host have the secret is told", async () => {
    const server = await serveBoth((origin) => ({
      [RESOURCE_METADATA]: sayJson({ resource: `${origin}/mcp`, authorization_servers: ["https://login.example"] }),
    }))
    await expect(read(server, options)).rejects.toMatchObject({
      message: "missing: JOB_ISSUER",
      evidence: { wants: expect.stringContaining('"https://login.example"') },
    })
    expect(server.hits.filter(({ method }) => method === "POST").length).toBe(1)
  })

  test.each(["http://example.com", "http://10.0.0.1", "ftp://example.com"])(
    "no secret goes to %s, whatever the user consented to",
    async (issuer) => {
      const server = await serveBoth()
      const named = { ...environment, JOB_ISSUER: issuer }
      const reading = read(server, { ...options, environment: named, addresses: "any" })
      await expect(reading).rejects.toMatchObject({ code: "TARGET_NOT_ACCEPTED" })
    },
  )

  test("a refused grant is told in the server's words", async () => {
    const words = { error: "invalid_client", error_description: "no s e/cret here" }
    const server = await serveBoth(() => ({ "/token": sayJson(words, 401) }))
    await expect(read(server, options)).rejects.toMatchObject({
      code: "SERVER_AUTH",
      message: "refused",
      evidence: {
        wants: `the authorization server "${server.origin}" refused the client-credentials grant: "invalid_client", "no \${JOB_CLIENT_SECRET} here"`,
      },
    })
  })

  test("a token that the server does not take is refused, once", async () => {
    const server = await serveBoth(() => ({ "/token": sayJson({ access_token: "other", token_type: "bearer" }) }))
    await expect(read(server, options)).rejects.toMatchObject({ code: "SERVER_AUTH", message: "refused" })
    expect(server.hits.filter(({ path }) => path === "/token").length).toBe(1)
  })
})

describe("no value of a variable comes out", () => {
  const SECRETS = {
    TOKEN: "sentinel-token-7f3a",
    KEY: "sentinel key/9b1c",
    JOB_CLIENT_ID: "sentinel-id-55e0",
    JOB_CLIENT_SECRET: "sentinel-secret-c4d2",
  }
  const ISSUED = "sentinel-issued-0a91"
  const ALL = [...Object.values(SECRETS), ISSUED, encodeURIComponent(SECRETS.KEY)]
  const basic = Buffer.from(`${SECRETS.JOB_CLIENT_ID}:${SECRETS.JOB_CLIENT_SECRET}`).toString("base64")
  const echo = [...ALL, basic].join(" ")
  const options: ReadOptions = {
    headers: { Authorization: "Bearer ${TOKEN}", "X-Job": "${JOB}" },
    path: "/mcp?key=${KEY}",
    environment: SECRETS,
    clientCredentials: ["JOB"],
  }
  const rpc = (hit: Hit, rest: object) => JSON.stringify({ jsonrpc: "2.0", id: hit.rpc?.id, ...rest })

  test.each([
    { name: "a 400 in words", answer: say(400, echo, { "content-type": "text/plain" }) },
    { name: "a 500 in JSON", answer: sayJson({ error: echo }, 500) },
    { name: "a 401 with words", answer: sayJson({ error: { message: echo } }, 401) },
    { name: "a 401 with a challenge", answer: say(401, "", bearer(`error_description="${echo}", scope="${echo}"`)) },
    {
      name: "a JSON-RPC error",
      answer: ((hit, response) =>
        response.writeHead(200, JSON_TYPE).end(rpc(hit, { error: { code: 1, message: echo } }))) as Handler,
    },
    {
      name: "an unauthorized error",
      answer: ((hit, response) =>
        response.writeHead(200, JSON_TYPE).end(rpc(hit, { error: { code: 401, message: echo } }))) as Handler,
    },
    { name: "a content type", answer: say(200, "x", { "content-type": echo }) },
    { name: "a redirect", answer: say(302, "", { location: `https://other.example/${encodeURIComponent(echo)}` }) },
    {
      name: "noise and a revision",
      answer: ((hit, response) =>
        response
          .writeHead(200, { "content-type": "text/event-stream" })
          .end(
            `data: ${echo}\n\ndata: ${rpc(hit, { result: { protocolVersion: echo, supportedVersions: [echo] } })}\n\n`,
          )) as Handler,
    },
  ])("$name", async ({ answer }) => {
    const server = await serve((hit, ...rest) =>
      route({
        [RESOURCE_METADATA]: sayJson({
          resource: server.url,
          authorization_servers: [server.origin],
          scopes_supported: hit.headers.authorization ? [] : [echo],
        }),
        [ISSUER_METADATA]: sayJson({ issuer: server.origin, token_endpoint: `${server.origin}/token` }),
        "/token": sayJson({ access_token: ISSUED, token_type: "Bearer" }),
        POST: hit.headers.authorization === undefined ? say(401) : answer,
      })(hit, ...rest),
    )
    const outcome = await read(server, options).catch((error) => error)
    expect(server.hits.some(({ headers }) => headers["x-job"] === ISSUED)).toBe(true)
    expect(outcome).toBeInstanceOf(ToolsumError)
    const shown = inspect(outcome, { depth: 10, showHidden: true })
    for (const secret of [...ALL, basic]) expect(shown).not.toContain(secret)
  })

  test("a reading that tells of odd things", async () => {
    const result = { protocolVersion: "2025-11-25", capabilities: { tools: {}, prompts: {} }, serverInfo: {} }
    const send = (hit: Hit, rest: object, before = ""): Handler =>
      say(200, `${before}data: ${rpc(hit, rest)}\n\n`, { "content-type": "text/event-stream" })
    const odd = [
      echo,
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: echo }),
      JSON.stringify({ jsonrpc: "2.0", id: echo, result: {} }),
    ]
    const before = odd.map((text) => `data: ${text}\n\n`).join("")
    const server = await serve((hit, ...rest) =>
      route({
        [RESOURCE_METADATA]: sayJson({ resource: server.url, authorization_servers: [server.origin] }),
        [ISSUER_METADATA]: sayJson({ issuer: server.origin, token_endpoint: `${server.origin}/token` }),
        "/token": sayJson({ access_token: ISSUED, token_type: "Bearer" }),
        initialize: send(hit, { result }),
        "tools/list": send(hit, { result: { tools: [] } }, before),
        "prompts/list": send(hit, { error: { code: 1, message: echo } }),
        POST: hit.headers.authorization === undefined || hit.rpc?.method ? say(404) : say(202),
        "notifications/initialized": say(202),
      })(hit, ...rest),
    )
    const reading = await read(server, options)
    expect(reading.findings.map(({ code }) => code)).toEqual(["stream_noise", "server_request", "unexpected_answer"])
    expect(Object.keys(reading.failures)).toEqual(["prompts"])
    const shown = inspect(reading, { depth: 10, showHidden: true })
    for (const secret of [...ALL, basic]) expect(shown).not.toContain(secret)
  })
})
