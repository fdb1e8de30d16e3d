// Which client configurations a command looks at: those of the project beside its lockfile, those of the user's home beside the user's own.
// How they are read is the adapter's; nothing is started.
import { dirname, isAbsolute } from "node:path"
import { listConfigPlaces } from "../adapters/client-configs/places.js"
import { readClientConfigs } from "../adapters/client-configs/read-client-configs.js"
import { quote } from "../core/errors.js"
import type { ClientConfig, LockfileStore } from "../ports.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { isUserLockfile } from "./project.js"

/** All configurations: of the project in `folder`, and of the user. */
export const readConfigurations = (folder: string, io: Io): Promise<readonly ClientConfig[]> =>
  readClientConfigs({ project: folder, home: findHome(io), platform: io.platform, env: io.env })

/** The configurations that the pins of a lockfile are compared with: the project's, or with `--user` the user's own. */
export async function readConfigurationsOf(
  { path }: Pick<LockfileStore, "path">,
  options: Options,
  io: Io,
): Promise<readonly ClientConfig[]> {
  if (isUserLockfile(options))
    return (await readConfigurations(dirname(path), io)).filter(({ scope }) => scope === "user")
  return readClientConfigs({ project: dirname(path), home: null, platform: io.platform, env: io.env })
}

/** Where was looked, for people and as a list of files: of the project, and of the user where the environment names a home. */
export function describePlaces(
  folder: string,
  io: Io,
): { readonly project: string; readonly user: string | null; readonly files: readonly string[] } {
  const home = findHome(io)
  const places = listConfigPlaces({ project: folder, home, platform: io.platform, env: io.env })
  const of = (scope: ClientConfig["scope"]) => places.filter((place) => place.scope === scope)
  const describe = (own: ReturnType<typeof of>, where: string) =>
    `${where}, ${own.length} places of ${new Set(own.map(({ client }) => client)).size} clients, such as ${own
      .slice(0, SHOWN_PLACES)
      .map(({ file }) => file)
      .join(", ")}`
  return {
    project: describe(of("project"), quote(folder, MAX_PATH_CHARS)),
    user: home === null ? null : describe(of("user"), quote(home, MAX_PATH_CHARS)),
    files: places.map(({ file }) => file),
  }
}

const SHOWN_PLACES = 3
const MAX_PATH_CHARS = 400

/** The user's home, where clients keep their own files; null where the environment names none. */
function findHome({ env, platform }: Io): string | null {
  const home = platform === "win32" ? env.USERPROFILE : env.HOME
  return home !== undefined && isAbsolute(home) ? home : null
}
