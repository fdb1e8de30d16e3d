// The sets of real servers that are installed together (package.json and package-lock.json in a folder each), and which package and
// version hides behind each alias there.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sharedPath } from "../shared.js"

/** `servers`: shared captures, with dependencies as npm resolves them. `zod3`: a few of them beside an older zod. */
export const CAPTURED_SETS = ["servers", "zod3"] as const
/** `eras`: a server of revision 2026-07-28, of which there is no capture. */
export const SETS = [...CAPTURED_SETS, "eras"] as const
export type SetName = (typeof SETS)[number]

/** Folder of a set in the repository. */
export const setFolder = (set: SetName): string => fileURLToPath(new URL(set, import.meta.url))

/** One installed server. `alias`: its folder in node_modules. `id`: `name@version`. */
export interface InstalledServer {
  readonly set: SetName
  readonly alias: string
  readonly id: string
}

/** The servers of a set, in the order of its package.json. */
export function listServers(set: SetName): readonly InstalledServer[] {
  const { dependencies }: { dependencies: Record<string, string> } = readJson(join(setFolder(set), "package.json"))
  return Object.entries(dependencies).map(([alias, spec]) => ({ set, alias, id: spec.replace(/^npm:/, "") }))
}

/** What a capture tells beside the lists themselves (../shared/captures/README.md). */
export interface Capture {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly requestedProtocolVersion: string
  readonly protocolVersion: string
}

/** Path of the shared capture of `name@version`. */
export const capturePath = (id: string): string => sharedPath(`captures/${id.replaceAll("/", "__")}.json`)

/** The script that a package's command starts; of several commands the first. `folder`: where the package is installed. */
export function commandScript(folder: string): string {
  const { bin }: { bin: string | Record<string, string> } = readJson(join(folder, "package.json"))
  const [script] = typeof bin === "string" ? [bin] : Object.values(bin)
  if (script === undefined) throw new Error(`expected a command in ${folder}`)
  return join(folder, script)
}

/** A JSON file of ours or of a pinned package, in the form the caller says. */
export const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8"))
