// Client configurations of a project and of its user: which servers they start. Looks at every place (places.ts) and reads the files that
// are there (read-servers.ts). Starts and contacts nothing.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { ToolsumError } from "../../core/errors.js"
import { MAX_JSON_BYTES } from "../../core/json.js"
import type { ClientConfig } from "../../ports.js"
import { errnoOf, ioFailed, mayExist, readRegularFile } from "../regular-file.js"
import { type ConfigPlace, type ConfigPlaces, listConfigPlaces } from "./places.js"

/** Files of one folder that are read. */
const MAX_FOLDER_FILES = 1000

const bad = (why: string): ToolsumError => new ToolsumError("CONFIG_INVALID", why)

/** The client configurations that are there, the project's first. A file that cannot be read has `problem` and no servers, a server that
 *  cannot be read has `problem` and no target; neither hides the others. Values of variables and headers are dropped on the way. */
export async function readClientConfigs(places: ConfigPlaces): Promise<readonly ClientConfig[]> {
  const configs: ClientConfig[] = []
  for (const place of listConfigPlaces(places)) {
    for (const file of filesAt(place)) {
      const config = await readConfig(file, places)
      if (config !== null) configs.push(config)
    }
  }
  return configs
}

type ConfigFile = Pick<ConfigPlace, "client" | "scope" | "path" | "file" | "shape"> & { readonly problem?: string }

/** The place itself, or the files in its folder, sorted. */
function filesAt(place: ConfigPlace): readonly ConfigFile[] {
  const { extensions } = place
  if (extensions === undefined) return [place]
  if (!mayExist(place.path)) return []
  try {
    const names = readdirSync(place.path).filter((name) => extensions.some((ending) => name.endsWith(`.${ending}`)))
    if (names.length > MAX_FOLDER_FILES) throw bad(`expected at most ${MAX_FOLDER_FILES} files`)
    return names.sort().map((name) => ({ ...place, path: join(place.path, name), file: `${place.file}/${name}` }))
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return []
    const { message } = error instanceof ToolsumError ? error : ioFailed("list", place.path, error)
    return [{ ...place, problem: message }]
  }
}

async function readConfig({ problem, ...file }: ConfigFile, places: ConfigPlaces): Promise<ClientConfig | null> {
  const { shape, ...named } = file
  const config = (servers: ClientConfig["servers"], why: string | null) => ({ ...named, servers, problem: why })
  if (problem !== undefined) return config([], problem)
  try {
    const bytes = readRegularFile(file.path, { maxBytes: MAX_JSON_BYTES, code: "CONFIG_INVALID" })
    if (bytes === null) return null
    const { readServers } = await import("./read-servers.js")
    const servers = await readServers(bytes, file, places)
    return shape === "claudeProject" && servers.length === 0 ? null : config(servers, null)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    // The same file is read once more for the servers of every project.
    return shape === "claudeProject" ? null : config([], error.message)
  }
}
