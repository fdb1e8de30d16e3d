// The servers in one configuration file: its document (documents.ts), where the client keeps them (shapes.ts), each entry for itself
// (entries.ts). Loaded when there is a file to read: most projects have one or two, and `verify` starts without these modules.
import { ToolsumError } from "../../core/errors.js"
import type { ClientConfig } from "../../ports.js"
import { formatOf, readDocument } from "./documents.js"
import { isMembers, type Members, readEntry } from "./entries.js"
import type { ConfigPlace, ConfigPlaces } from "./places.js"
import { SHAPES, type Shape } from "./shapes.js"

const bad = (why: string): ToolsumError => new ToolsumError("CONFIG_INVALID", why)

/** The servers that the text of a configuration starts, in its order. Throws CONFIG_INVALID where the file itself cannot be read. */
export async function readServers(
  bytes: Uint8Array,
  file: Pick<ConfigPlace, "path" | "scope" | "shape">,
  { project, platform }: ConfigPlaces,
): Promise<ClientConfig["servers"]> {
  const document = await readObject(bytes, file.path)
  const { dialect, list }: Shape = SHAPES[file.shape]
  const isOfProject = file.scope === "project" || file.shape === "claudeProject"
  const place = { dialect, platform, project: isOfProject ? project : null }
  return list(document, { project, platform, bad }).map((entry) => readEntry(entry, place))
}

async function readObject(bytes: Uint8Array, path: string): Promise<Members> {
  const document = await readDocument(bytes, formatOf(path), bad)
  if (!isMembers(document)) throw bad("expected an object")
  return document
}
