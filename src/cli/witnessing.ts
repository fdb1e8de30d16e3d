// The witnesses of a log on this machine: how they are asked for cosignatures, and what they remember of it (DESIGN 6; brief 4.3, 5.4).
import { createFsStore } from "../adapters/store-fs.js"
import type { Keyring } from "../core/keyring-text.js"
import type { PolicyWitness } from "../core/policy.js"
import type { WitnessService } from "../ports.js"
import { createCosign } from "../writer/cosign.js"
import { loadNewestKeyring } from "../writer/keyrings.js"
import type { Cosign } from "../writer/quorum.js"
import type { KnownHead } from "../writer/state.js"
import { fetchWitnessedHeads } from "../writer/witness-memory.js"
import type { Io } from "./io.js"

/** What a writer of the log needs of its witnesses. */
export interface Witnessing {
  readonly cosign: Cosign
  /** What they have seen of the log. */
  readonly knownHeads: readonly KnownHead[]
}

/** Ask the witnesses of the newest keyring of the log in `folder` what they have seen. `next`: the keyring that is published next. Throws
 *  STATE_CORRUPT for a keyring that cannot be read. */
export async function openWitnessing(folder: string, io: Io, next: Keyring | undefined): Promise<Witnessing> {
  const { createHttpWitness } = await import("../adapters/witness-http.js")
  const services = new Map<string, WitnessService>()
  const connect = ({ url }: PolicyWitness): WitnessService | null => {
    if (url === null) return null
    const known = services.get(url)
    if (known !== undefined) return known
    const service = createHttpWitness(url, { env: io.env, signal: io.signal })
    io.atEnd(() => service.close())
    services.set(url, service)
    return service
  }
  const keyring = await loadNewestKeyring(createFsStore(folder))
  return {
    cosign: createCosign({ connect, clock: io.nowSec, next }),
    knownHeads: await fetchWitnessedHeads({ keyring, connect }),
  }
}
