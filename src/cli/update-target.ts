// What `update` starts: the pinned launch line, or the one that was typed; with the variables and the folder that were typed. And the
// consent for it: what a person typed is accepted, what only the lockfile says must have been.
import type { AddressRule } from "../adapters/network-address.js"
import type { Pin } from "../core/lockfile.js"
import { computeTargetDigest, isCommandTarget, parseTarget, type Target, type UrlTarget } from "../core/target.js"
import { observationOf } from "../features/pins.js"
import { placeholdersOf } from "../features/profile.js"
import { buildUrlTarget, listVariables } from "../features/targets.js"
import type { Io } from "./io.js"
import type { CommandLine, Options } from "./options.js"
import { acceptTarget, notAccepted, openGate, type StartPlace } from "./servers.js"
import { readTypedTarget, readVariables } from "./typed-target.js"

/** A target, the variables of it that get a dummy text, and where a URL may lead. */
export interface UpdateTarget {
  readonly target: Target
  readonly placeholders: readonly string[]
  readonly reach: AddressRule
}

/** The target to read for the pin `name`, accepted. Throws USAGE for what cannot be a target, TARGET_NOT_ACCEPTED. */
export async function acceptUpdateTarget(
  name: string,
  pin: Pin,
  line: CommandLine,
  place: StartPlace,
): Promise<UpdateTarget> {
  const { options, io } = place
  const typed = readTypedTarget(line, io)
  const target = typed === null ? withTypedParts(pin.target, options, io) : withPinnedParts(typed, pin.target)
  const gate = await openGate(place)
  // Words and variables that only the lockfile names were not typed: the pin must have been accepted with them.
  const isTyped = typed === target
  const isExtended = !isSame(target, pin.target) && (await gate.accepts(pin.target))
  if (!isTyped && !isExtended && !(await gate.mayStart(name, target))) throw notAccepted(target)
  const isRemembered = isTyped || (isExtended && (await gate.remembers(pin.target)))
  if (isRemembered && !options.flag("dry-run")) await acceptTarget(target, `toolsum update ${name}`, place)
  const reach = isTyped ? "any" : await gate.reachOf(isExtended ? pin.target : target)
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

/** A typed header takes the place of the one of that name. */
export function withTypedHeaders(pinned: UrlTarget, options: Options, io: Io): Target {
  const headers = options.values("header")
  if (headers.length === 0) return pinned
  const typed = buildUrlTarget({ url: pinned.url, headers, environment: io.env }).headers
  const names = new Set(Object.keys(typed).map((name) => name.toLowerCase()))
  const kept = Object.entries(pinned.headers).filter(([name]) => !names.has(name.toLowerCase()))
  return { url: pinned.url, headers: { ...Object.fromEntries(kept), ...typed } }
}

const isSame = (a: Target, b: Target): boolean => computeTargetDigest(a) === computeTargetDigest(b)

/** The placeholders of the pin and the typed ones, without variables that get their real value now, or that the target no longer has. */
function placeholdersFor(target: Target, pin: Pin, options: Options): readonly string[] {
  const { env, placeholders } = readVariables(options)
  const has = new Set(listVariables(target))
  const pinned = placeholdersOf(observationOf(pin).profile).filter((name) => !env.includes(name) && has.has(name))
  return [...new Set([...pinned, ...placeholders])]
}
