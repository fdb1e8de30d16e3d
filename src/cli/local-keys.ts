// Where the private keys of a log are on this account (DESIGN 6). The key that a log was made with is `<id>.log.key`; one that a change
// of keys brought is `<id>.log-<key ID>.key`, so that several lie side by side and none is ever written over.
import { createHash } from "node:crypto"
import { join } from "node:path"
import { listKeyFiles, readKeyFile } from "../adapters/key-files.js"
import { findUserDirs } from "../adapters/user-dirs.js"
import { quote, ToolsumError } from "../core/errors.js"
import { computeVerifierKey, ED25519_NOTE, formatKeyId, type SigningKey, type VerifierKey } from "../core/vkey.js"
import type { Io } from "./io.js"

/** A signing key of a log and its file. */
export interface LocalKey {
  readonly path: string
  readonly key: SigningKey
}

/** The verifier key of a signing key. */
export const verifierOf = ({ name, publicKey }: SigningKey): VerifierKey =>
  computeVerifierKey({ name, type: ED25519_NOTE, publicKey })

const keyFolder = (io: Io): string => join(findUserDirs(io.env, io.platform).config, "keys")

const idOf = (origin: string): string => createHash("sha256").update(origin).digest("hex").slice(0, 16)

/** Where the first log key is, or the root key until its owner moves it away. */
export const keyPath = (origin: string, kind: "log" | "root", io: Io): string =>
  join(keyFolder(io), `${idOf(origin)}.${kind}.key`)

/** Where a further log key goes. */
export const nextKeyPath = (key: SigningKey, io: Io): string =>
  join(keyFolder(io), `${idOf(key.name)}.log-${formatKeyId(key.id)}.key`)

const logKeyPaths = (origin: string, io: Io): readonly string[] => {
  const name = new RegExp(`^${idOf(origin)}\\.log(?:-[0-9a-f]{8})?\\.key$`)
  return listKeyFiles(keyFolder(io))
    .filter((file) => name.test(file))
    .map((file) => join(keyFolder(io), file))
}

/** True when a signing key of that log is on this account. */
export const hasLogKey = (origin: string, io: Io): boolean => logKeyPaths(origin, io).length > 0

/** Every signing key of that log on this account, the first one first. Throws KEY_MALFORMED, IO_FAILED. */
export async function findLogKeys(origin: string, io: Io): Promise<readonly LocalKey[]> {
  const keys = logKeyPaths(origin, io).map(async (path) => ({ path, key: await readKeyFile(path, async () => null) }))
  return Promise.all(keys)
}

/** The same, at least one. Throws FILE_MISSING. */
export async function requireLogKeys(origin: string, io: Io): Promise<readonly LocalKey[]> {
  const keys = await findLogKeys(origin, io)
  if (keys.length > 0) return keys
  throw new ToolsumError("FILE_MISSING", `expected the log's key at ${quote(keyPath(origin, "log", io), 400)}`)
}
