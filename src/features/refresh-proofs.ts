// `update --proofs`: the newest head and keyring of each log, and under that head a fresh proof of every pin's record. Starts nothing and
// asks no server; what is pinned, and what somebody approved, stays as it is.
import type { LogClient } from "../client/open-log.js"
import { encodeUtf8, equalBytes } from "../core/bytes.js"
import { headKey } from "../core/checkpoint.js"
import { ToolsumError } from "../core/errors.js"
import type { Hash } from "../core/hash.js"
import { formatLockfile, type Lockfile, type Pin } from "../core/lockfile.js"
import { verifyLockfile } from "../core/verify-lockfile.js"
import type { LockfileStore } from "../ports.js"
import { addHead, linkHeads } from "./link-heads.js"
import { findPin, requirePin, withPin } from "./pins.js"
import { proverOf } from "./record-pin.js"

/** How it went with one log: its head now, or why its pins stay as they were. */
export type RefreshedLog = {
  readonly origin: string
  /** Names of its pins. */
  readonly pins: readonly string[]
} & (
  | {
      readonly ok: true
      readonly size: bigint
      /** False when the lockfile had just this. */
      readonly changed: boolean
    }
  | { readonly ok: false; readonly error: ToolsumError }
)

/** What to refresh. */
export interface RefreshInput {
  readonly lockfile: LockfileStore
  /** Names of pins; none: all. Pins that no log has taken yet are left out. */
  readonly names: readonly string[]
  /** The log of that origin, verified and held to what the lockfile has of it. */
  readonly openLog: (origin: string) => Promise<LogClient>
  /** True: find out what would change, write nothing. */
  readonly dryRun: boolean
}

/** Refresh log by log; one that cannot be opened, or proves something else, leaves its pins as they are. Throws NOT_PINNED for an unknown
 *  name, and what reading and writing the lockfile throw. */
export async function refreshProofs(input: RefreshInput): Promise<readonly RefreshedLog[]> {
  const lockfile = await input.lockfile.read()
  for (const name of input.names) requirePin(lockfile, name)
  const logged = Object.entries(lockfile?.servers ?? {})
    .map(([name, pin]) => ({ name, pin }))
    .filter(({ name, pin }) => pin.record !== null && (input.names.length === 0 || input.names.includes(name)))
  const done: RefreshedLog[] = []
  for (const origin of new Set(logged.map(({ pin }) => pin.log)))
    done.push(
      await refreshLog(
        origin,
        logged.filter(({ pin }) => pin.log === origin),
        input,
      ),
    )
  return done
}

interface NamedPin {
  readonly name: string
  readonly pin: Pin
}

async function refreshLog(origin: string, pins: readonly NamedPin[], input: RefreshInput): Promise<RefreshedLog> {
  const { lockfile: store, openLog, dryRun } = input
  const row = { origin, pins: pins.map(({ name }) => name) }
  try {
    const client = await openLog(origin)
    const proven = await Promise.all(pins.map((one) => provePin(one, client)))
    const refresh = (current: Lockfile | null) => placeProofs(current, proven, client)
    const changed = dryRun
      ? await isOther(await store.read(), refresh)
      : await store.update(async (current) => ({ lockfile: await refresh(current) }))
    return { ...row, ok: true, size: client.head.size, changed }
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    return { ...row, ok: false, error }
  }
}

async function isOther(
  current: Lockfile | null,
  refresh: (current: Lockfile | null) => Promise<Lockfile>,
): Promise<boolean> {
  return current !== null && formatLockfile(await refresh(current)) !== formatLockfile(current)
}

interface ProvenPin extends NamedPin {
  readonly proof: readonly Hash[]
}

/** The proof of a pin's record under the head of `client`. Throws INCLUSION_INVALID when the log has something else in its place. */
async function provePin({ name, pin }: NamedPin, client: LogClient): Promise<ProvenPin> {
  const index = pin.index ?? 0n // a record has one
  const { entry, proof } = await client.proveInclusion(index)
  if (equalBytes(entry, encodeUtf8(pin.record ?? ""))) return { name, pin, proof }
  throw new ToolsumError("INCLUSION_INVALID", `leaf ${index} of the log is not the record of ${name}`)
}

/** The lockfile with the client's head and keyring, and with the proofs of the pins that still have the record that was proven. */
async function placeProofs(
  current: Lockfile | null,
  proven: readonly ProvenPin[],
  client: LogClient,
): Promise<Lockfile> {
  if (current === null) throw new ToolsumError("NOT_PINNED", "the lockfile is gone")
  const { origin, keyringNotes: keyring, headNote: checkpoint } = client
  const head = headKey(client.head)
  const still = proven.filter(({ name, pin }) => isSameRecord(findPin(current, name), pin))
  const next = still.reduce((lockfile, { name, proof }) => {
    return withPin(lockfile, name, { ...requirePin(lockfile, name).pin, head, proof })
  }, current)
  const added = addHead(next, { origin, url: null, keyring, checkpoint })
  const linked = await linkHeads(added, origin, proverOf(client))
  requireUnrefuted(
    linked,
    still.map(({ name }) => name),
    client,
  )
  return linked
}

const isSameRecord = (now: Pin | null, then: Pin): boolean =>
  now !== null && now.log === then.log && now.record === then.record && now.index === then.index

/** Never write proofs that `verify` would reject. Throws RECORD_INVALID. */
function requireUnrefuted(lockfile: Lockfile, names: readonly string[], client: LogClient): void {
  const { servers } = verifyLockfile({
    lockfile,
    roots: [client.root],
    nowSec: 0n,
    witnessPolicy: client.witnessPolicy,
  })
  const refuted = servers.find(({ name, verdict }) => verdict === "REJECTED" && names.includes(name))
  if (refuted) throw new ToolsumError("RECORD_INVALID", `${refuted.name} does not verify: ${refuted.detail}`)
}
