// `--witness-policy FILE`: the file, and what its quorum survives, in words. What it does to a head is core's (witness-policy.ts there). Loaded
// only where the option was given.
import { resolve } from "node:path"
import { readRegularFile } from "../adapters/regular-file.js"
import { escapeInvisible, quote, ToolsumError } from "../core/errors.js"
import type { JsonObject } from "../core/json.js"
import { MAX_POLICY_BYTES, type Policy, parsePolicy, type QuorumTolerance, quorumTolerance } from "../core/policy.js"
import type { Io } from "./io.js"

/** Read a policy file. Throws FILE_MISSING, and as `parsePolicy` with the file's name in the message. */
export function readWitnessPolicy(file: string, io: Io): Policy {
  const bytes = readRegularFile(resolve(io.cwd, file), { maxBytes: MAX_POLICY_BYTES, code: "POLICY_MALFORMED" })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected a witness policy at ${quote(file, 400)}`)
  try {
    return parsePolicy(bytes)
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    throw new ToolsumError(error.code, `witness policy ${quote(file, 400)}: ${error.message}`, { cause: error })
  }
}

/** A line for people: how many dishonest witnesses the quorum tolerates. One that tolerates none at all is a warning. */
export function describeWitnessPolicy(file: string, policy: Policy): string {
  const { warns, says } = judgeTolerance(policy, quorumTolerance(policy))
  return `${warns ? "warning: " : ""}witness policy ${escapeInvisible(file)}: ${says}\n`
}

/** What the quorum of a policy survives, in words; `warns` where it survives nothing. */
export function judgeTolerance(policy: Policy, tolerance: QuorumTolerance | null): { warns: boolean; says: string } {
  if (policy.quorum === null) return { warns: true, says: "demands no cosignature (quorum none)" }
  if (tolerance === null)
    return { warns: false, says: "too many witnesses to say how many dishonest ones it tolerates" }
  const { witnesses, dishonest, down } = tolerance
  if (down === null) return { warns: true, says: "no checkpoint can ever meet its quorum" }
  if (dishonest === null)
    return { warns: true, says: "two checkpoints need not share a witness, so that it shows no split view" }
  const alive = `${down} of ${witnesses} may be away`
  return dishonest === 0
    ? {
        warns: false,
        says: `tolerates 0 dishonest witnesses: one that signs two trees can hide a split view; ${alive}`,
      }
    : { warns: false, says: `tolerates ${dishonest} dishonest ${dishonest === 1 ? "witness" : "witnesses"}; ${alive}` }
}

/** The same for a document. `tolerates` is null where there are too many witnesses to try; `dishonest` where two checkpoints need not share one. */
export function witnessPolicyMember(file: string, policy: Policy): JsonObject {
  const tolerance = quorumTolerance(policy)
  const tolerates = tolerance && {
    dishonest: tolerance.dishonest,
    away: tolerance.down,
    witnesses: tolerance.witnesses,
  }
  return { file, quorum: policy.quorum !== null, tolerates }
}
