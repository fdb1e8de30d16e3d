// What the witnesses of a log have seen of it: an outside memory that it is held to before it signs anything more (brief 5.4). Only what a key
// of the log has signed counts, so that no witness can stop a log by inventing a tree.

import { verifyCheckpoint } from "../core/checkpoint.js"
import { quote, ToolsumError } from "../core/errors.js"
import type { KeyringNote } from "../core/keyring.js"
import type { PolicyWitness } from "../core/policy.js"
import { createDeadline } from "../deadline.js"
import type { WitnessService } from "../ports.js"
import type { KnownHead } from "./state.js"

const TIMEOUT_MS = 3_000

/** The heads that the witnesses in the policy of `keyring` cosigned last, as far as they tell. Who does not answer in time, or serves nothing
 *  that the log has signed, is left out. */
export async function fetchWitnessedHeads(p: {
  readonly keyring: KeyringNote
  readonly connect: (witness: PolicyWitness) => WitnessService | null
  readonly timeoutMs?: number
}): Promise<readonly KnownHead[]> {
  const { keyring, connect, timeoutMs = TIMEOUT_MS } = p
  const witnesses = [...(keyring.policy?.witnesses.values() ?? [])]
  const keys = keyring.logs.filter(({ revoked }) => !revoked).map(({ key }) => key)
  const ask = async (witness: PolicyWitness): Promise<KnownHead | null> => {
    try {
      const note = await connect(witness)?.latest(keyring.origin, createDeadline(timeoutMs))
      if (!note) return null
      const { checkpoint } = verifyCheckpoint({ note, origin: keyring.origin, keys })
      return { size: checkpoint.size, rootHash: checkpoint.rootHash, from: `witness ${quote(witness.name)}` }
    } catch (error) {
      if (error instanceof ToolsumError) return null
      throw error
    }
  }
  return (await Promise.all(witnesses.map(ask))).filter((head) => head !== null)
}
