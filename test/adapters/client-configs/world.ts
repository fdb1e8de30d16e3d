// A project and a home for tests of client configurations: files by name, read as a client's would be.
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { readClientConfigs } from "../../../src/adapters/client-configs/read-client-configs.js"
import type { ClientConfig, ConfiguredServer } from "../../../src/ports.js"
import { makeTempFolder } from "../../fakes/temp-folder.js"

export interface ConfigWorld {
  readonly project: string
  readonly home: string
  /** Write files by the name that pins have for them. */
  readonly write: (files: Readonly<Record<string, string | Uint8Array>>) => Promise<void>
  /** Every configuration in the two folders; `user`: those of the home too. */
  readonly read: (options?: { readonly user?: boolean }) => Promise<readonly ClientConfig[]>
}

export async function makeConfigWorld(): Promise<ConfigWorld> {
  const folder = await makeTempFolder()
  const [project, home] = [join(folder, "app"), join(folder, "ada")]
  await Promise.all([mkdir(project), mkdir(home)])
  const pathOf = (file: string) => (file.startsWith("~/") ? join(home, file.slice(2)) : join(project, file))
  return {
    project,
    home,
    write: async (files) => {
      for (const [file, content] of Object.entries(files)) {
        await mkdir(dirname(pathOf(file)), { recursive: true })
        await writeFile(pathOf(file), content)
      }
    },
    read: async ({ user = true } = {}) => {
      const places = { project, home: user ? home : null, platform: "linux", env: {} } as const
      // What an administrator set on this machine is no part of the test.
      return (await readClientConfigs(places)).filter(({ path }) => path.startsWith(folder))
    },
  }
}

/** The only configuration of a world that has this one file. */
export async function readFileAs(file: string, content: string | Uint8Array): Promise<ClientConfig> {
  const world = await makeConfigWorld()
  await world.write({ [file]: content })
  const [config, ...others] = await world.read()
  if (config === undefined || others.length > 0) throw new Error(`expected one configuration, got ${others.length}`)
  return config
}

/** The only server of a file. */
export async function readServerAs(file: string, content: string): Promise<ConfiguredServer> {
  const { servers, problem } = await readFileAs(file, content)
  const [server, ...others] = servers
  if (server === undefined || others.length > 0)
    throw new Error(`expected one server, got ${servers.length}: ${problem}`)
  return server
}

/** The only server of `.mcp.json`, by its entry. */
export const readEntryAs = (entry: unknown): Promise<ConfiguredServer> =>
  readServerAs(".mcp.json", JSON.stringify({ mcpServers: { notes: entry } }))
