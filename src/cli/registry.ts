// Which registry of MCP servers is asked what an id or a URL is: the official one, or one that the user names, which may be private or on this
// machine.
import type { McpRegistry } from "../ports.js"
import type { Io } from "./io.js"
import type { OptionSpec, Options } from "./options.js"

/** Option of commands that ask it. */
export const REGISTRY_OPTION: OptionSpec = [
  "--registry <url>",
  "MCP registry to ask for ids and URLs, in place of the official one; also TOOLSUM_REGISTRY",
]

/** The registry; it is asked only when something is looked up. Throws CONFIG_INVALID. */
export async function openRegistry(options: Options, io: Io): Promise<McpRegistry> {
  const { createHttpRegistry, OFFICIAL_REGISTRY } = await import("../adapters/mcp-registry-http.js")
  const typed = options.value("registry") ?? (io.env.TOOLSUM_REGISTRY || null)
  const isNamed = typed !== null
  const registry = createHttpRegistry(typed ?? OFFICIAL_REGISTRY, {
    ...{ env: io.env, signal: io.signal },
    ...{ allowPrivate: isNamed, allowLoopbackHttp: isNamed },
  })
  io.atEnd(() => registry.close())
  return registry
}
