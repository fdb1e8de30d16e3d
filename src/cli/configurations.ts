// Which client configurations a command looks at: those of the project beside its lockfile, those of the user's home beside the user's own.
// How they are read is the adapter's; nothing is started.
import { dirname, isAbsolute } from "node:path"
import { readClientConfigs } from "../adapters/client-configs/read-client-configs.js"
import type { ClientConfig, LockfileStore } from "../ports.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { isUserLockfile } from "./project.js"

/** All configurations: of the project in `folder`, and of the user. */
export const readConfigurations = (folder: string, io: Io): Promise<readonly ClientConfig[]> =>
  readClientConfigs({ project: folder, home: findHome(io), platform: io.platform, env: io.env })

/** The configurations that the pins of a lockfile are compared with: the project's, or with `--user` the user's own. */
export async function readConfigurationsOf(
  { path }: LockfileStore,
  options: Options,
  io: Io,
): Promise<readonly ClientConfig[]> {
  if (isUserLockfile(options))
    return (await readConfigurations(dirname(path), io)).filter(({ scope }) => scope === "user")
  return readClientConfigs({ project: dirname(path), home: null, platform: io.platform, env: io.env })
}

/** The user's home, where clients keep their own files; null where the environment names none. */
function findHome({ env, platform }: Io): string | null {
  const home = platform === "win32" ? env.USERPROFILE : env.HOME
  return home !== undefined && isAbsolute(home) ? home : null
}
