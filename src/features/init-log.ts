// Makes a log: keyring 1 under a fresh root key, first checkpoint of size 1. Where keys and files lie is the caller's business.
import { computeRootFingerprint } from "../core/root.js"
import { computeVerifierKey, ED25519_NOTE, type SigningKey } from "../core/vkey.js"
import type { Clock, TileStore } from "../ports.js"
import { createLog } from "../writer/create.js"

/** Create a log in `store` and return the fingerprint of its root. Archives items, since nobody else reads a personal log.
 *  Throws FILE_EXISTS, IO_FAILED and what `createLog` throws. */
export async function initLog(p: {
  store: TileStore
  origin: string
  logKey: SigningKey
  rootKey: SigningKey
  clock: Clock
}): Promise<string> {
  const { store, origin, logKey, rootKey, clock } = p
  const log = await createLog({
    store,
    origin,
    archive: true,
    signers: [logKey],
    rootSigners: [rootKey],
    clock,
    waitMs: 0,
  })
  await log.close()
  const { name, publicKey } = rootKey
  return computeRootFingerprint({
    origin,
    threshold: 1,
    roots: [computeVerifierKey({ name, type: ED25519_NOTE, publicKey })],
  })
}
