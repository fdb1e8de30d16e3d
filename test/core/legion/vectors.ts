// Cases of the shared LEGION vectors (SOURCE.md beside them); none where there is no shared data. `@main` in them stands for the log's keyring.
import { expect } from "vitest"
import { hasShared, readShared } from "../../shared.js"

/** What every case has. `either`: refusing more or less than `expect` is right too. */
export interface LegionCase<Input> {
  readonly id: string
  readonly desc: string
  readonly input: Input
  readonly root_pin: string
  readonly expect: "accept" | "reject"
  readonly check: string | null
  readonly either?: boolean
}

/** All cases of vectors/legion/<kind>.json. `T` is what a case of this kind has besides. */
export function legionCases<Input, T = object>(kind: string): readonly (LegionCase<Input> & T)[] {
  if (!hasShared) return []
  const text = readShared(`vectors/legion/${kind}.json`)
  const { main } = (JSON.parse(text) as { texts: { main: string } }).texts
  const { cases } = JSON.parse(text, (_, value: unknown) => (value === "@main" ? main : value)) as {
    cases: (LegionCase<Input> & T)[]
  }
  return cases
}

/** The case `id`, which must be there. */
export function legionCase<Input, T = object>(kind: string, id: string): LegionCase<Input> & T {
  const found = legionCases<Input, T>(kind).find((one) => one.id === `${kind}/${id}`)
  if (!found) throw new Error(`expected the case ${kind}/${id}`)
  return found
}

/** Codes that say that a check failed, by the name that the vectors give it. */
const CODES: Readonly<Record<string, readonly string[]>> = {
  json: ["JSON_MALFORMED", "KEYRING_MALFORMED", "LOCKFILE_MALFORMED", "PROOF_MALFORMED"],
  encoding: ["KEYRING_MALFORMED", "PROOF_MALFORMED", "CHECKPOINT_MALFORMED"],
  "keyring-root": ["ROOT_MISMATCH", "KEYRING_INVALID", "KEYRING_MALFORMED"],
  "keyring-chain": ["KEYRING_INVALID"],
  "keyring-endorsement": ["KEYRING_INVALID"],
  "keyring-possession": ["KEYRING_INVALID"],
  "keyring-key-id": ["KEYRING_INVALID"],
  "keyring-type": ["KEYRING_MALFORMED"],
  "keyring-limit": ["KEYRING_MALFORMED"],
  "keyring-rollback": ["LOG_ROLLBACK"],
  "key-weak": ["KEY_LOW_ORDER"],
  "record-integrity": ["RECORD_INVALID", "RECORD_MALFORMED"],
  "record-signature": ["SIGNATURE_INVALID"],
  "record-key": ["SIGNATURE_INVALID", "KEY_NOT_VALID_AT_SIZE"],
  "head-signature": ["SIGNATURE_INVALID", "CHECKPOINT_MALFORMED"],
  "head-key": ["SIGNATURE_INVALID", "KEY_NOT_VALID_AT_SIZE"],
  inclusion: ["INCLUSION_INVALID", "PROOF_MALFORMED"],
  "server-id": ["RECORD_INVALID"],
  consistency: ["CONSISTENCY_INVALID", "PROOF_MALFORMED"],
  fork: ["LOG_INCONSISTENT"],
  rollback: ["LOG_ROLLBACK"],
  unavailable: ["LOG_UNAVAILABLE"],
  "fingerprint-names": ["SURFACE_MALFORMED"],
  "fingerprint-algo": ["RECORD_MALFORMED"],
  "fingerprint-number": ["JSON_MALFORMED"],
  archive: ["HASH_MISMATCH", "EVIDENCE_INVALID"],
  "lock-format": ["LOCKFILE_MALFORMED", "NO_PINS", "RESOURCE_MISSING"],
  "lock-root-pin": ["ROOT_MISMATCH"],
  "lock-approved": ["RECORD_INVALID", "LOCKFILE_MALFORMED"],
  "lock-pinned-from": ["RECORD_INVALID"],
  "evidence-schema": ["EVIDENCE_MALFORMED"],
  "evidence-history": ["EVIDENCE_INVALID"],
  "evidence-tools": ["EVIDENCE_INVALID"],
}

/** The codes of the check that the case names. */
export const codesOf = ({ check }: LegionCase<unknown>): string[] => [...(CODES[check ?? ""] ?? [])]

/** Expect `work` to fail by the check that the case names. */
export function expectRefusal(work: () => unknown, one: LegionCase<unknown>): void {
  expect(work).toThrow(expect.objectContaining({ code: expect.toBeOneOf(codesOf(one)) }))
}
