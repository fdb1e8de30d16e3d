// Under which keyrings the views of one log are compared (FORMAT.md, section 12), and which keyrings of a view contradict them.
import { createLogView } from "../client/heads.js"
import { holdKeyring } from "../client/track.js"
import { attempt, ToolsumError } from "../core/errors.js"
import { parseKeyring, type VerifiedKeyring, verifyKeyring } from "../core/keyring.js"
import { matchRoot, type PinnedRoot } from "../core/root.js"
import type { LogSource } from "../ports.js"

/** The keyrings of one view. */
export interface KeyringsSeen {
  readonly log: {
    /** Notes, all from version 1 or only a newest one. */
    readonly keyrings: readonly string[]
  }
  /** What does not hold is added here. */
  readonly problems: ToolsumError[]
}

/** The chain that was chosen, and the pinned root that it is under, or why it is under none. */
export interface Chosen {
  readonly keyring: VerifiedKeyring
  readonly root: PinnedRoot | ToolsumError
}

/** The longest chain of keyrings under a pinned root; without one, the longest that is in order. What does not hold is its view's problem.
 *  RESOURCE_MISSING where no view has a chain. `nowSec`: POSIX seconds. */
export function chooseKeyring(
  origin: string,
  seen: readonly KeyringsSeen[],
  { roots, nowSec }: { roots: readonly PinnedRoot[]; nowSec: bigint },
): Chosen | ToolsumError {
  const chains = seen.flatMap(({ log, problems }) => {
    if (!isChain(log.keyrings)) return []
    const keyring = attempt(() => verifyKeyring({ notes: log.keyrings, origin, nowSec }))
    if (keyring instanceof ToolsumError) {
      problems.push(keyring)
      return []
    }
    const root = attempt(() => matchRoot(keyring, roots))
    if (root instanceof ToolsumError && root.kind === "rejected") problems.push(root)
    return [{ keyring, root }]
  })
  const longest = (some: readonly Chosen[]) =>
    some.reduce<Chosen | null>(
      (best, one) => (best && best.keyring.chain.length >= one.keyring.chain.length ? best : one),
      null,
    )
  const best = longest(chains.filter(({ root }) => !(root instanceof ToolsumError))) ?? longest(chains)
  return (
    best ??
    new ToolsumError("RESOURCE_MISSING", "no view has the keyrings of this log: give its folder, its URL or a lockfile")
  )
}

const isChain = ([first]: readonly string[]): boolean => {
  const keyring = first === undefined ? null : attempt(() => parseKeyring(first))
  return keyring !== null && (keyring instanceof ToolsumError || keyring.version === 1n)
}

/** Keyrings of a view, in order by themselves, that are not those of the chain: LOG_INCONSISTENT goes to `forks`, the rest to its problems. */
export function holdKeyringsOf(
  { log, problems }: KeyringsSeen,
  { keyring, nowSec, forks }: { keyring: VerifiedKeyring; nowSec: bigint; forks: ToolsumError[] },
): void {
  const view = createLogView(NO_SOURCE, keyring)
  const keys = { log: { origin: keyring.origin, root: keyring.fingerprint }, view, local: false, nowSec }
  for (const note of problems.length > 0 ? [] : log.keyrings) {
    const refusal = attempt(() => holdKeyring(note, keys, null))
    if (!(refusal instanceof ToolsumError)) continue
    if (refusal.code === "LOG_INCONSISTENT") forks.push(refusal)
    else problems.push(refusal)
    return
  }
}

/** A log of which only signed statements are known: proofs come from views with tiles. */
export const NO_SOURCE: LogSource = { location: "nowhere", local: false, read: async () => null }
