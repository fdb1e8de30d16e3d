// A list that repeats what a client proved itself with: the secret, the token that was issued for it. No variable of the target has that
// value, so that nobody behind the reader could keep it out of a file.
import { expect, test } from "vitest"
import { type Handler, route, say, sayJson } from "../fixtures/servers/http-server.js"
import { read, serve } from "./http-reading.js"

const ISSUED = "sentinel-issued-0a91"
const SECRET = "sentinel secret/c4d2"
const BASIC = Buffer.from("job:sentinel+secret%2Fc4d2").toString("base64")

test.each([
  { what: "the token", echo: ISSUED, name: "JOB" },
  { what: "the secret", echo: SECRET, name: "JOB_CLIENT_SECRET" },
  { what: "the secret as in a URL", echo: encodeURIComponent(SECRET), name: "JOB_CLIENT_SECRET" },
  { what: "the header of the token request", echo: BASIC, name: "JOB_CLIENT_SECRET" },
  { what: "nothing", echo: "sentinel", name: null },
])("$what in a schema", async ({ echo, name }) => {
  const tool = { name: "a", inputSchema: { type: "object", properties: { [`x ${echo} y`]: {} } } }
  const server = await serve((hit, ...rest) => {
    const result = (value: object): Handler => sayJson({ jsonrpc: "2.0", id: hit.rpc?.id, result: value })
    return route({
      "/.well-known/oauth-protected-resource/mcp": sayJson({
        resource: server.url,
        authorization_servers: [server.origin],
      }),
      "/.well-known/oauth-authorization-server": sayJson({
        issuer: server.origin,
        token_endpoint: `${server.origin}/token`,
      }),
      "/token": sayJson({ access_token: ISSUED, token_type: "Bearer" }),
      initialize: result({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "x" } }),
      "tools/list": result({ tools: [tool] }),
      "notifications/initialized": say(202),
      POST: say(hit.headers.authorization === undefined ? 401 : 404),
    })(hit, ...rest)
  })
  const reading = read(server, {
    headers: { Authorization: "Bearer ${JOB}" },
    environment: { JOB_CLIENT_ID: "job", JOB_CLIENT_SECRET: SECRET },
    clientCredentials: ["JOB"],
    sections: ["tools"],
  })
  if (name === null) expect((await reading).surface.tools).toEqual([tool])
  else
    await expect(reading).rejects.toMatchObject({
      code: "SURFACE_MALFORMED",
      message: `neither compared nor kept: tool "a" has the value of ${name} in it`,
    })
})
