// What `update` starts: the launch line that was typed, or that the client configurations have now, or the pinned one; with the variables
// and the folder that were typed. And the consent for it: what a person typed is accepted, what only a file says must have been.
import type { AddressRule } from "../adapters/network-address.js"
import type { Lockfile, Pin } from "../core/lockfile.js"
import { requireTarget } from "../core/lockfile-pin.js"
import { computeTargetDigest, isCommandTarget, listVariables, parseTarget, type Target } from "../core/target.js"
import { observationOf } from "../features/pins.js"
import { placeholdersOf } from "../features/profile.js"
import { findUpdateLine } from "./configured-target.js"
import type { Io } from "./io.js"
import type { CommandLine, Options } from "./options.js"
import { acceptTarget, notAccepted, openGate, type StartPlace } from "./servers.js"
import { readTypedTarget, readVariables, withTypedHeaders } from "./typed-target.js"

/** A target, the variables of it that get a dummy text, and where a URL may lead. */
export interface UpdateTarget {
  readonly target: Target
  readonly placeholders: readonly string[]
  readonly reach: AddressRule
}

/** The target to read for the pin `name`, accepted: what was typed, else what the client configurations start now, else the pinned one.
 *  Throws USAGE for what cannot be a target, TARGET_NOT_ACCEPTED. */
export async function acceptUpdateTarget(
  name: string,
  { lockfile, pin }: { readonly lockfile: Lockfile; readonly pin: Pin },
  line: CommandLine,
  place: StartPlace,
): Promise<UpdateTarget> {
  const { options, io } = place
  const pinned = requireTarget(pin)
  const typed = readTypedTarget(line, io)
  const base = typed === null ? await findUpdateLine(name, lockfile, place) : null
  const target = typed === null ? withTypedParts(base ?? pinned, options, io) : withPinnedParts(typed, pinned)
  const gate = await openGate(place)
  // Words and variables that only the lockfile or a client's file names were not typed: the pin must have been accepted with them.
  const isTyped = typed === target
  const isExtended = base === null && !isSame(target, pinned) && (await gate.accepts(pinned))
  if (!isTyped && !isExtended && !(await gate.mayStart(name, target))) throw notAccepted(target)
  const isRemembered = isTyped || (isExtended && (await gate.remembers(pinned)))
  if (isRemembered && !options.flag("dry-run")) await acceptTarget(target, `toolsum update ${name}`, place)
  const reach = isTyped ? "any" : await gate.reachOf(isExtended ? pinned : target)
  return { target, placeholders: placeholdersFor(target, pin, options), reach }
}

/** A new launch line keeps the variables of the old one unless it names its own, a new URL the headers. */
function withPinnedParts(target: Target, pinned: Target): Target {
  if (isCommandTarget(target) && isCommandTarget(pinned))
    return target.env.length > 0 || pinned.env.length === 0 ? target : { ...target, env: pinned.env }
  if (isCommandTarget(target) || isCommandTarget(pinned)) return target
  return Object.keys(target.headers).length > 0 ? target : { ...target, headers: pinned.headers }
}

/** The pinned launch line or URL with the variables, the folder and the headers that were typed. */
function withTypedParts(pinned: Target, options: Options, io: Io): Target {
  const { env, placeholders } = readVariables(options)
  if (!isCommandTarget(pinned)) return withTypedHeaders(pinned, options, io)
  const cwd = options.value("cwd") ?? pinned.cwd
  const names = [...new Set([...pinned.env, ...env, ...placeholders])].sort()
  return parseTarget({ command: pinned.command, args: pinned.args, env: names, ...(cwd === undefined ? {} : { cwd }) })
}

const isSame = (a: Target, b: Target): boolean => computeTargetDigest(a) === computeTargetDigest(b)

/** The placeholders of the pin and the typed ones, without variables that get their real value now, or that the target no longer has. */
function placeholdersFor(target: Target, pin: Pin, options: Options): readonly string[] {
  const { env, placeholders } = readVariables(options)
  const real = [...env, ...options.values("client-credentials")]
  const has = new Set(listVariables(target))
  const pinned = placeholdersOf(observationOf(pin).profile).filter((name) => !real.includes(name) && has.has(name))
  return [...new Set([...pinned, ...placeholders])]
}
