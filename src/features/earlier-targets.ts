// A lockfile keeps only the newest target of a pin, and an approval only a digest. The target of then is guessed from the record of then:
// today's with another version, other variables or no folder. A guess counts only when it hashes to what was approved.
import { compareUtf8 } from "../core/bytes.js"
import type { Pin } from "../core/lockfile.js"
import type { Observation } from "../core/record.js"
import { type CommandTarget, isCommandTarget, type Target } from "../core/target.js"
import { listTemplateNames } from "../core/template.js"
import { observationOf } from "./pins.js"

/** The target that `pin` may have had when `record` was made, if `isIt` knows it; null when none of the guesses is it. */
export function findEarlierTarget(pin: Pin, record: Observation, isIt: (target: Target) => boolean): Target | null {
  for (const target of guessTargets(pin, record)) if (isIt(target)) return target
  return null
}

function* guessTargets(pin: Pin, record: Observation): Generator<Target> {
  const { target } = pin
  if (target === null) return
  yield target
  if (!isCommandTarget(target)) return
  const { cwd, ...withoutFolder } = target
  const folders: readonly CommandTarget[] = cwd === undefined ? [target] : [target, withoutFolder]
  for (const args of guessArgs(target, observationOf(pin).version, record.version))
    for (const env of guessEnv(target, record.profile)) for (const one of folders) yield { ...one, args, env }
}

/** Today's words, and those with the version of then in place of today's. */
function guessArgs({ args }: CommandTarget, now: string, then: string): readonly (readonly string[])[] {
  return now === then || now === "-" || then === "-" ? [args] : [args, args.map((arg) => arg.replaceAll(now, then))]
}

/** Today's variables, and those that the profile of then names, with and without the ones that templates ask for. */
function guessEnv({ args, env }: CommandTarget, profile: string): readonly (readonly string[])[] {
  const named = profile
    .split("+")
    .flatMap((part) => /^(?:env|placeholder):(.*)$/.exec(part)?.[1] ?? [])
    .sort(compareUtf8)
  const asked = new Set(args.flatMap((arg) => listTemplateNames(arg)))
  return [env, named, named.filter((name) => !asked.has(name))]
}
