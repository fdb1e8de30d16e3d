// Which server of a LEGION log a URL is, when nobody says its id: the official registry of MCP servers knows URLs, and the log itself knows
// who is said to have had a list. Both are hints; the record of whatever they name is proven like any other.
import type { LegionClient } from "../client/legion-log.js"
import { ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { computeFingerprint } from "../core/legion/fingerprint.js"
import type { FingerprintVersion } from "../core/legion/record.js"
import type { McpRegistry } from "../ports.js"

/** Ids of servers that a hint names, sorted. `why`: what is wrong with the hint, where it could not be had. */
export interface LegionHint {
  readonly ids: readonly string[]
  readonly why: string | null
}

/** Find servers of the registry that are reached at `url`. */
export async function findByUrl(registry: McpRegistry, url: string): Promise<LegionHint> {
  const wanted = comparableUrl(url)
  if (wanted === null) return { ids: [], why: null }
  const ids = new Set<string>()
  try {
    for (const text of searchTexts(new URL(wanted))) {
      const found = await registry.search(text)
      for (const server of found) if (server.urls.some((one) => comparableUrl(one) === wanted)) ids.add(server.id)
      if (ids.size > 0) break
    }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    return { ids: [], why: error.message }
  }
  return { ids: [...ids].sort(), why: null }
}

/** Find where the server `id` of the registry is reached. Throws as `McpRegistry.search`; RESOURCE_MISSING where it has no URL. */
export async function findUrlOf(registry: McpRegistry, id: string): Promise<string> {
  const found = (await registry.search(id)).find((server) => server.id === id)
  const [url] = found?.urls ?? []
  if (url !== undefined) return url
  const why = found ? "has no URL there: it is not one that can be reached by HTTP" : "is not there"
  throw new ToolsumError("RESOURCE_MISSING", `registry ${registry.location}: ${id} ${why}`)
}

/** A URL as it is compared: without user info, query and fragment, and without a slash at its end. */
function comparableUrl(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { protocol, host, pathname } = new URL(text)
  return /^https?:$/.test(protocol) ? `${protocol}//${host}${pathname.replace(/\/+$/, "")}` : null
}

/** Names begin with a domain backwards, or have its main label as somebody's account: `com.example/…`, `io.github.example/…`. */
function searchTexts({ hostname }: URL): readonly string[] {
  const labels = hostname.split(".")
  const [main = hostname] = labels.slice(-2)
  const isName = labels.length > 1 && !/^[0-9.]+$/.test(hostname) && !hostname.startsWith("[")
  return isName ? [labels.slice(-2).reverse().join("."), main] : [hostname]
}

/** Ask the log who is said to have had this list. Its digest depends on the fingerprint's version: two are tried. Throws SURFACE_MALFORMED, and
 *  what asking throws. */
export async function findByList(log: LegionClient, tools: readonly JsonValue[]): Promise<readonly string[]> {
  const digestOf = (version: FingerprintVersion) => computeFingerprint({ tools, version, rule: "observe" }).sha256
  // 2 and 3 have one digest wherever both have one.
  for (const sha256 of new Set([digestOf("v3"), digestOf("v1")])) {
    const ids = await log.lookup(sha256)
    if (ids.length > 0) return [...new Set(ids)].sort()
  }
  return []
}
