// The lockfile vectors: bases, and cases that splice one edit into a base. See README.md beside them.
import { readShared } from "../shared.js"

type Splice = readonly [at: number, remove: number, insert: string]

/** One case as it stands in lockfiles.json. */
export interface LockfileCase {
  readonly desc: string
  readonly of: string
  readonly splice: Splice
  readonly roots: readonly string[]
  readonly definitions?: Readonly<Record<string, Splice | null>>
  readonly underBase?: boolean
  readonly configs?: Readonly<Record<string, string>>
  readonly expect: {
    readonly exitCode: number
    readonly error: string | null
    readonly warnings: readonly string[]
    readonly servers: Readonly<Record<string, { readonly verdict: string; readonly reason: string | null }>>
  }
}

interface LockfileVectors {
  readonly bases: Readonly<Record<string, string>>
  readonly definitions: Readonly<Record<string, string>>
  readonly cases: readonly LockfileCase[]
}

/** All cases. */
export const readLockfileVectors = (): LockfileVectors => JSON.parse(readShared("vectors/toolsum/lockfiles.json"))

const splice = (text: string, [at, remove, insert]: Splice): string =>
  text.slice(0, at) + insert + text.slice(at + remove)

/** The lockfile of a case. */
export const lockfileText = (vectors: LockfileVectors, { of, splice: edit }: LockfileCase): string =>
  splice(vectors.bases[of] ?? "", edit)

/** The definitions files of a case, null where one is missing; undefined when they are not to be checked. */
export function definitionTexts(vectors: LockfileVectors, { definitions }: LockfileCase) {
  if (!definitions) return undefined
  return Object.fromEntries(
    Object.entries(definitions).map(([name, edit]) => [name, edit && splice(vectors.definitions[name] ?? "", edit)]),
  )
}

/** Reasons bind for these verdicts only; that of a REJECTED is a hint. */
export const bindingReason = (verdict: string, reason: string | null): string | null =>
  verdict === "REJECTED" ? null : reason
