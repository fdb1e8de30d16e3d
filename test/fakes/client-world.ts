// A reader of a log in memory, with a state and a clock that a test moves, and the check of fork evidence.
import { expect } from "vitest"
import { openLogClient } from "../../src/client/open-log.js"
import { parseMemory } from "../../src/client/remember.js"
import { parseBase64 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { verifyKeyring } from "../../src/core/keyring.js"
import { splitHashes, verifyConsistency } from "../../src/core/merkle.js"
import { verifyHead } from "../../src/core/tree-heads.js"
import { HostileLog } from "./hostile-log.js"
import { MemoryState } from "./memory-state.js"

/** Seconds. */
export const DAY = 86_400
export const START = 1_796_083_200

/** A reader of a log with its own state and clock. */
export function makeWorld(log: HostileLog) {
  const state = new MemoryState()
  const time = { nowSec: START }
  const open = (over: Partial<Parameters<typeof openLogClient>[0]> = {}) =>
    openLogClient({ source: log, roots: [log.root], state, clock: () => time.nowSec, ...over })
  const remembered = () => {
    const [bytes] = state.stored.values()
    return bytes === undefined ? null : parseMemory(bytes, { origin: log.origin, root: log.root.fingerprint })
  }
  return { state, time, open, remembered }
}

/** Entries by number, `to` excluded. */
export const entries = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `entry ${from + i}`)
/** A log with that many entries. */
export const logOf = (size: number) => new HostileLog().append(...entries(0, size))

/** A reader that has seen the log at each of these sizes. */
export async function seen(log: HostileLog, ...sizes: readonly bigint[]) {
  const world = makeWorld(log)
  for (const size of sizes) {
    log.servedSize = size
    await world.open()
  }
  log.servedSize = null
  return world
}

/** The error that an attempt ends in. */
export const failureOf = async (attempt: Promise<unknown>): Promise<ToolsumError> => {
  const error = await attempt.then(
    () => null,
    (e: unknown) => e,
  )
  if (!(error instanceof ToolsumError)) throw new Error(`expected a ToolsumError, got ${error}`)
  return error
}

/** Check fork evidence from its own bytes, as anybody with the root could. */
export function verifyForkEvidence({ evidence }: ToolsumError): void {
  const { a = "", b = "", prefixRoot = "", proof = "", keyrings = "" } = evidence ?? {}
  const bad = (why: string) => new ToolsumError("PROOF_MALFORMED", why)
  const keyring = verifyKeyring({ notes: JSON.parse(keyrings) })
  const [smaller, larger] = [verifyHead({ keyring, note: a }), verifyHead({ keyring, note: b })]
  expect(smaller.size).toBeLessThan(larger.size)
  const older = { size: smaller.size, rootHash: parseBase64(prefixRoot, bad) }
  verifyConsistency({ older, newer: larger, proof: splitHashes(parseBase64(proof, bad), bad) })
  expect(older.rootHash).not.toEqual(smaller.rootHash)
}
