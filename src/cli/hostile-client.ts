// The client that a hostile log is told to, as files: a home with the pinned root and what was remembered of the log, a lockfile, and for
// other clients the root, the keys and older heads. All that a lie needs to be noticed by.
import { mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"
import { replaceFile } from "../adapters/durable-file.js"
import { quotePath } from "../adapters/regular-file.js"
import { createFileState } from "../adapters/state-fs.js"
import { createFileTrustStore } from "../adapters/trust-fs.js"
import { findUserDirs } from "../adapters/user-dirs.js"
import { encodeUtf8 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { LOG_KEYS, ORIGIN, POLICY_TEXT, verifierOf } from "../features/hostile/keys.js"
import type { Draft } from "../features/hostile/lie.js"

/** Folder of the client's home below the one that was asked for. */
export const HOME_FOLDER = "home"
/** Its lockfile there. */
export const LOCKFILE = "toolsum.lock.json"

/** Where a client's files go. */
export interface ClientPlace {
  /** Home as TOOLSUM_HOME names it, and folder of the project. */
  readonly home: string
  readonly project: string
  /** Where the log is served. */
  readonly url: string
  readonly platform: NodeJS.Platform
}

/** Write home and lockfile: the root is trusted, the log is remembered, one server is pinned. */
export async function writeClient({ world, state, lockfile }: Draft, place: ClientPlace): Promise<void> {
  const dirs = findUserDirs({ TOOLSUM_HOME: place.home }, place.platform)
  const root = { dialect: "tlog-tiles", name: ORIGIN, fingerprint: world.fingerprint, floor: null } as const
  const trust = createFileTrustStore(join(dirs.config, "trust.json"), () => Number(world.nowSec))
  await trust.add({ root, log: place.url, from: "the hostile log: test keys" })
  const identity = { origin: ORIGIN, root: world.fingerprint }
  if (state !== null) await createFileState(dirs.state).compareAndSwap(identity, null, state)
  await mkdir(place.project, { recursive: true })
  await replaceFile(join(place.project, LOCKFILE), encodeUtf8(lockfile))
}

/** Write all of it into a new folder. Throws FILE_EXISTS where something is in it. */
export async function writeReproduction(draft: Draft, folder: string, place: Omit<ClientPlace, "home" | "project">) {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0)
    throw new ToolsumError("FILE_EXISTS", `--out: expected a new or an empty folder at ${quotePath(folder)}`)
  await writeClient(draft, { ...place, home: join(folder, HOME_FOLDER), project: folder })
  const { heads, fingerprint, keyrings } = draft.world
  const logs = [LOG_KEYS.first, LOG_KEYS.second].map((key) => `log ${verifierOf(key).vkey}\n`)
  const files: Readonly<Record<string, string>> = {
    "root.txt": `${ORIGIN}=${fingerprint}\n`,
    "log.policy": `${logs.join("")}${POLICY_TEXT}`,
    "early.checkpoint": heads.early.note,
    "seen.checkpoint": heads.seen.note,
    ...Object.fromEntries(keyrings.map((note, i) => [`keyring-${i + 1}`, note])),
  }
  for (const [name, text] of Object.entries(files)) await replaceFile(join(folder, name), encodeUtf8(text))
}
