// The official registry of MCP servers, or another with its API, read over HTTP (McpRegistry): a search by name, all pages of it. What it
// says is a hint for finding a server in a log, and never evidence. Which URLs may be a registry's is http-base.ts's.
import { quote, ToolsumError } from "../core/errors.js"
import { isArray, isObject, type JsonValue, parseJson } from "../core/json.js"
import type { McpRegistry, RegistryServer } from "../ports.js"
import { baseGetOptions, type HttpBaseOptions, openHttpBase } from "./http-base.js"
import { httpGet } from "./http-get.js"

/** The official registry. */
export const OFFICIAL_REGISTRY = "https://registry.modelcontextprotocol.io/v0"

/** A registry over HTTP; it keeps sockets open until it is closed. */
export interface HttpRegistry extends McpRegistry {
  close(): Promise<void>
}

const MAX_PAGE_BYTES = 8 * 1024 * 1024
const PAGE_ITEMS = 100
/** More pages than that of one search are not read. */
const MAX_PAGES = 10
/** Kinds of remotes that speak streamable HTTP. */
const HTTP_REMOTES: readonly JsonValue[] = ["streamable-http", "http"]

/** The registry whose API is at `url`. Opens nothing yet. Throws as `openHttpBase`. */
export function createHttpRegistry(url: string, options: HttpBaseOptions): HttpRegistry {
  const { url: base, connection } = openHttpBase(url, "a registry", options)
  const getPage = async (text: string, cursor: string | null): Promise<Page> => {
    const page = new URL("servers", base)
    page.searchParams.set("search", text)
    page.searchParams.set("limit", `${PAGE_ITEMS}`)
    if (cursor !== null) page.searchParams.set("cursor", cursor)
    const how = baseGetOptions(await connection.open(), options)
    const answer = await httpGet({ url: page, maxBytes: MAX_PAGE_BYTES, headers: {} }, how)
    if (answer.status === 200) return parsePage(answer.body)
    throw new ToolsumError("LOG_UNAVAILABLE", `${quote(page.href, 200)}: HTTP status ${answer.status}`)
  }
  return {
    location: base.href,
    search: async (text) => {
      const found: RegistryServer[] = []
      let cursor: string | null = null
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const page = await getPage(text, cursor)
        found.push(...page.servers)
        cursor = page.next
        if (cursor === null) break
      }
      return mergeVersions(found)
    },
    close: connection.close,
  }
}

interface Page {
  readonly servers: readonly RegistryServer[]
  readonly next: string | null
}

/** One page of `{servers: [{server: {name, remotes}}], metadata: {nextCursor}}`; an entry may also stand without its wrapper. */
function parsePage(bytes: Uint8Array): Page {
  const document = readDocument(bytes)
  const { servers, metadata } = isObject(document) ? document : {}
  if (!isArray(servers)) throw new ToolsumError("PROTOCOL_MALFORMED", "expected a list of servers from the registry")
  const { nextCursor, next_cursor: older } = isObject(metadata) ? metadata : {}
  const next = nextCursor ?? older
  return { servers: servers.flatMap(parseServer), next: typeof next === "string" && next !== "" ? next : null }
}

function readDocument(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(bytes, { maxBytes: MAX_PAGE_BYTES })
  } catch (cause) {
    if (!(cause instanceof ToolsumError)) throw cause
    throw new ToolsumError("PROTOCOL_MALFORMED", `registry: ${cause.message}`, { cause })
  }
}

/** An entry that is not understood is none: it can only have been a hint. */
function parseServer(entry: JsonValue): readonly RegistryServer[] {
  const wrapped = isObject(entry) ? entry.server : undefined
  const server = isObject(wrapped) ? wrapped : entry
  if (!isObject(server) || typeof server.name !== "string") return []
  const remotes = isArray(server.remotes) ? server.remotes : []
  const urls = remotes.flatMap((remote) =>
    isObject(remote) && HTTP_REMOTES.includes(remote.type ?? null) && typeof remote.url === "string"
      ? [remote.url]
      : [],
  )
  return [{ id: server.name, urls }]
}

/** A registry lists each version of a server; all its URLs are its own. */
function mergeVersions(found: readonly RegistryServer[]): readonly RegistryServer[] {
  const urls = new Map<string, Set<string>>()
  for (const server of found) {
    const known = urls.get(server.id) ?? new Set()
    for (const url of server.urls) known.add(url)
    urls.set(server.id, known)
  }
  return [...urls].map(([id, all]) => ({ id, urls: [...all] }))
}
