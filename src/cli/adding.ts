// What `add` and `add --all` have in common: the lockfile, the log and the person a pin is made with, and how a server is read for it.
import { definitionsPath } from "../adapters/definitions-fs.js"
import type { AddressRule } from "../adapters/network-address.js"
import type { PinOrigin } from "../core/lockfile.js"
import type { Mask } from "../core/mask.js"
import { SECTION_NAMES } from "../core/section.js"
import type { Target } from "../core/target.js"
import type { AddInput } from "../features/add.js"
import { DEFAULT_SECTIONS } from "../features/observe.js"
import type { Actor } from "../features/pins.js"
import { requireProfileName } from "../features/profile.js"
import type { TargetLog } from "../features/record-pin.js"
import type { LockfileStore, ReadLimits } from "../ports.js"
import { findActor } from "./actor.js"
import { type MadeLog, makeLog } from "./commands/init.js"
import type { Io } from "./io.js"
import { findLocalNames } from "./local-names.js"
import { findLogFolder } from "./logs.js"
import { readMasks } from "./masks.js"
import { readObserver } from "./observer.js"
import type { Options } from "./options.js"
import { readProfile } from "./profile.js"
import { openServer, type StartPlace } from "./servers.js"
import { openTargetLog } from "./target-log.js"
import { readLimits } from "./typed-target.js"

/** A server to pin. `reach`: which addresses its URL may lead to. */
export interface AddRequest {
  readonly name: string
  readonly target: Target
  readonly from: readonly PinOrigin[]
  readonly placeholders: readonly string[]
  readonly reach: AddressRule
}

/** Where pins are made. `made`: the log, where it had to be looked for or made; null on a dry run. */
export interface AddPlace extends StartPlace {
  readonly lockfile: LockfileStore
  readonly log: TargetLog
  readonly made: MadeLog | null
  readonly actor: Actor
  readonly observer: string
  readonly limits: ReadLimits
  readonly masks: readonly Mask[]
  readonly profile: string | null
}

/** Get ready to pin these names: nothing is started before it is clear that the pins could be written, and a first one makes the log.
 *  Throws what stands in the way. */
export async function openAddPlace(
  names: readonly string[],
  { lockfile, options, io }: { lockfile: LockfileStore; options: Options; io: Io },
): Promise<AddPlace> {
  const dryRun = options.flag("dry-run")
  const typed = { observer: readObserver(options), limits: readLimits(options) }
  const profile = readProfile(options)
  if (profile !== null) requireProfileName(profile, options.values("placeholder"))
  const masks = await readMasks(options, io)
  if (!dryRun) await lockfile.requireWritable(names)
  const made = dryRun ? null : await makeLog(findLogFolder(options, io), options, io)
  const log = (await openTargetLog({ options, lockfile, origin: null, io })) ?? NO_LOG
  const actor = await findActor(options, io)
  return { lockfilePath: lockfile.path, lockfile, options, io, log, made, actor, ...typed, masks, profile }
}

/** On a dry run there may be none. */
const NO_LOG: TargetLog = { kind: "elsewhere", origin: "a log that is not made yet" }

/** What the feature needs to pin one server. */
export async function buildAddInput(request: AddRequest, place: AddPlace): Promise<AddInput> {
  const { lockfile, log, actor, observer, limits, masks, profile, options, io } = place
  const { reach, ...server } = request
  return {
    ...server,
    source: await openServer({ ...place, target: request.target, placeholders: request.placeholders, reach }),
    environment: io.env,
    sections: options.flag("resources") ? SECTION_NAMES : DEFAULT_SECTIONS,
    limits,
    masks,
    profile,
    names: findLocalNames(request.target, place),
    observer,
    nowSec: io.nowSec(),
    signal: io.signal,
    lockfile,
    log,
    actor,
    definitions: !options.flag("no-definitions"),
    dryRun: options.flag("dry-run"),
  }
}

/** What an `add` writes into the project. */
export const writtenFiles = (name: string, { path }: LockfileStore, options: Options): readonly string[] =>
  options.flag("no-definitions") ? [path] : [path, definitionsPath(path, name)]
