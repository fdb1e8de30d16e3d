// Reads servers behind URLs for tests: a server on this machine for each test, and what a reading of it gives.
import { expect, onTestFinished } from "vitest"
import { createHttpToolSource, type HttpSourceOptions } from "../../src/adapters/mcp-http.js"
import { DEFAULT_READ_LIMITS, type ReadLimits, type ReadRequest, type ServerReading } from "../../src/ports.js"
import { type Handler, type HttpFixture, serveHttp } from "../fixtures/servers/http-server.js"

/** What one reading is given besides what most have. */
export interface ReadOptions extends Partial<HttpSourceOptions> {
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
  readonly sections?: ReadRequest["sections"]
  readonly limits?: Partial<ReadLimits>
  readonly protocol?: string
  readonly signal?: AbortSignal
}

/** A server until the test ends. */
export async function serve(handler: Handler, port?: number): Promise<HttpFixture> {
  const server = await serveHttp(handler, port)
  onTestFinished(() => server.close())
  return server
}

/** Read a server, and see that no socket to it is left. */
export async function read(server: HttpFixture, options: ReadOptions = {}): Promise<ServerReading> {
  const { headers = {}, path = "/mcp", sections = ["tools", "prompts"], limits = {}, protocol, signal } = options
  const source = createHttpToolSource({
    target: { url: `${server.origin}${path}`, headers },
    environment: {},
    placeholders: [],
    clientVersion: "0.0.0",
    addresses: "loopback",
    clientCredentials: [],
    ...options,
  })
  try {
    return await source.read({
      sections,
      limits: { ...DEFAULT_READ_LIMITS, ...limits },
      ...(protocol === undefined ? {} : { protocol }),
      ...(signal ? { signal } : {}),
    })
  } finally {
    await expect.poll(() => server.sockets(), { interval: 5 }).toBe(0)
  }
}
