// `toolsum update`: reads pinned servers again, records what they say now, shows the difference to what was approved, leaves approving
// to a person. One that fails does not keep the others from it.
import { ToolsumError } from "../../core/errors.js"
import type { JsonValue } from "../../core/json.js"
import type { Lockfile, Pin } from "../../core/lockfile.js"
import { approvePin } from "../../features/approve.js"
import { loadApproved, loadPinned, type ReadableLog } from "../../features/approved-surface.js"
import { observationOf, requirePin } from "../../features/pins.js"
import { chosenNameOf } from "../../features/profile.js"
import { type Updated, updateServer } from "../../features/update.js"
import type { LockfileStore, LogSource } from "../../ports.js"
import { ACTOR_OPTIONS, findActor } from "../actor.js"
import { besides, loadOthers } from "../analysis-context.js"
import type { CommandSpec } from "../commands.js"
import { readCommitted } from "../committed.js"
import { type ExitCode, exitCodeOfError, worstExitCode } from "../exit-codes.js"
import { type FailedPin, failureLine, failureMember } from "../failures.js"
import type { Io } from "../io.js"
import { LEGION_LOG_OPTION } from "../legion-logs.js"
import { findLocalNames } from "../local-names.js"
import { findLogSource, LOG_OPTIONS, openLogForReading } from "../logs.js"
import { MASK_OPTIONS, readMasks } from "../masks.js"
import type { CommandLine } from "../options.js"
import { PROFILE_OPTIONS, readProfile } from "../profile.js"
import { showProgress } from "../progress.js"
import {
  announceWitnessPolicy,
  findProjectLockfile,
  LOCKFILE_OPTIONS,
  ROOT_OPTIONS,
  WITNESS_POLICY_OPTIONS,
  witnessPolicyMembers,
} from "../project.js"
import { showUnstable } from "../render-unstable.js"
import { describeUpdate, updatedMember } from "../render-update.js"
import { printDocument } from "../report-json.js"
import { CONSENT_OPTIONS, openServer } from "../servers.js"
import { openTargetLog } from "../target-log.js"
import { isUrl, LAUNCH_OPTIONS, readLimits } from "../typed-target.js"
import type { LegionOutcome } from "../update-legion.js"
import { acceptUpdateTarget } from "../update-target.js"

export const updateCommand: CommandSpec = {
  usage: "update [name…] | update <name> -- <command…> | update <name> <url>",
  words: [0, 1000],
  launchAfter: Number.POSITIVE_INFINITY, // words are names of pins: nothing but what follows `--` is ever started
  options: [
    ...LAUNCH_OPTIONS,
    ...MASK_OPTIONS,
    ["--no-masks", "Drop the masks that the pin has"],
    ...PROFILE_OPTIONS,
    ["--no-profile", "Drop the name that was chosen for the pin's profile"],
    LEGION_LOG_OPTION,
    ...LOG_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...ROOT_OPTIONS,
    ...WITNESS_POLICY_OPTIONS,
    ...CONSENT_OPTIONS,
    ...ACTOR_OPTIONS,
    ["--proofs", "Only refresh heads, keyrings and proofs from the logs; starts no server"],
    ["--no-definitions", "Do not write .mcp-tools/<name>.json"],
    ["--dry-run", "Read and show, write nothing"],
  ],
  examples: ["toolsum update memory", "toolsum update memory -- npx -y @modelcontextprotocol/server-memory@2026.7.4"],
  run: async (line, io) => {
    await announceWitnessPolicy(line.options, io)
    if (line.options.flag("proofs")) return (await import("../refresh-proofs.js")).refreshProject(line, io)
    const store = await findProjectLockfile(line.options, io)
    const updating = { store, line, io }
    const done: Outcome[] = []
    for (const name of namesToUpdate(line, await store.read())) done.push(await attempt(name, updating))
    const exitCode = worstExitCode(done.map(exitCodeOf))
    if (line.options.flag("json")) {
      const policy = await witnessPolicyMembers(line.options, io)
      printDocument(io, { command: "update", exitCode, servers: done.map(memberOf), ...policy })
    }
    return exitCode
  },
}

interface Updating {
  readonly store: LockfileStore
  readonly line: CommandLine
  readonly io: Io
}

/** Options that change one pin. */
const OF_ONE_PIN = ["env", "placeholder", "header", "cwd", "mask", "masks", "profile"] as const
const FLAGS_OF_ONE_PIN = ["resources", "no-masks", "no-profile"] as const

function namesToUpdate({ words, launch, options }: CommandLine, lockfile: Lockfile | null): readonly string[] {
  const typed = words.filter((word) => !isUrl(word))
  const isOfOne =
    launch !== null ||
    typed.length < words.length ||
    FLAGS_OF_ONE_PIN.some((flag) => options.flag(flag)) ||
    OF_ONE_PIN.some((option) => options.values(option).length > 0)
  if (isOfOne && typed.length !== 1)
    throw new ToolsumError(
      "USAGE",
      `expected the name of one pin with a new command or URL, or with --${[...OF_ONE_PIN, ...FLAGS_OF_ONE_PIN].join(", --")}`,
    )
  for (const word of typed) requireName(lockfile, word, typed.length > 1)
  const names = typed.length > 0 ? [...new Set(typed)] : Object.keys(lockfile?.servers ?? {})
  if (names.length === 0) throw new ToolsumError("NO_PINS", "there is nothing to update: no pins yet")
  return names
}

/** A word that is no pin's name may be the start of a command. */
function requireName(lockfile: Lockfile | null, word: string, mayBeCommand: boolean): void {
  try {
    requirePin(lockfile, word)
  } catch (error) {
    if (!(error instanceof ToolsumError) || !mayBeCommand) throw error
    throw new ToolsumError(error.code, `${error.message}; a new command for a pin goes after --`, { cause: error })
  }
}

/** How it went with one pin. */
type Outcome =
  | { readonly name: string; readonly ok: true; readonly updated: Updated }
  | { readonly name: string; readonly ok: true; readonly legion: LegionOutcome }
  | FailedPin

/** Update one pin and say so at once. A failure is thrown only when this pin alone was asked for. */
async function attempt(name: string, updating: Updating): Promise<Outcome> {
  const { line, io } = updating
  try {
    if (io.signal.aborted) throw new ToolsumError("READING_INCOMPLETE", "interrupted")
    if (requirePin(await updating.store.read(), name).pin.evidence !== undefined)
      return { name, ok: true, legion: await (await import("../update-legion.js")).updateFromLegion(name, updating) }
    return { name, ok: true, updated: await present(name, await updateOne(name, updating), updating) }
  } catch (error) {
    if (!(error instanceof ToolsumError) || line.words.filter((word) => !isUrl(word)).length === 1) throw error
    const failed = { name, ok: false, error } as const
    if (!line.options.flag("json")) io.stderr(failureLine(failed))
    return failed
  }
}

async function updateOne(name: string, updating: Updating): Promise<Updated> {
  const { store, line, io } = updating
  const { options } = line
  const dryRun = options.flag("dry-run")
  const limits = readLimits(options)
  if (!dryRun) await store.requireWritable([name]) // before a consent is given and a server started
  const { lockfile, pin } = requirePin(await store.read(), name)
  const place = { lockfilePath: store.path, options, io }
  const newMasks = await readMasks(options, io)
  const launch = await acceptUpdateTarget(name, { lockfile, pin }, line, place)
  const log = await openTargetLog({ options, lockfile: store, origin: pin.log, io })
  if (log === null) throw new ToolsumError("LOG_UNAVAILABLE", "there is no log to record to; toolsum init makes one")
  const texts = { store, name, pin, log: await findLogSource(pin.log, lockfile, options, io) }
  const work = updateServer({
    ...launch,
    environment: io.env,
    name,
    source: await openServer({ ...place, ...launch }),
    lockfile: store,
    log,
    limits,
    more: options.flag("resources") ? ["resources"] : [],
    keptMasks: options.flag("no-masks") ? [] : pin.masks,
    newMasks,
    profile: readProfile(options) ?? (options.flag("no-profile") ? null : chosenNameOf(observationOf(pin).profile)),
    names: findLocalNames(launch.target, place),
    approved: await loadApproved({
      ...texts,
      committed: () => readCommitted(store.path, name, io),
      records: () => openRecords(pin, texts.log, lockfile, updating),
    }),
    last: await loadPinned(texts),
    others: besides(name, await loadOthers(store, lockfile)),
    definitions: !options.flag("no-definitions"),
    dryRun,
    nowSec: io.nowSec(),
    signal: io.signal,
  })
  return showUnstable(showProgress(io, `reading ${name}`, work), { command: "update", name, line, io })
}

/** The pin's log, for what was approved. One that is out of reach costs the words of the diff; one that lies stops everything. */
async function openRecords(
  pin: Pin,
  source: LogSource | null,
  lockfile: Lockfile,
  { line: { options }, io }: Updating,
): Promise<ReadableLog | null> {
  if (source === null) return null
  try {
    return await openLogForReading({ source, origin: pin.log, lockfile, options, io })
  } catch (error) {
    if (error instanceof ToolsumError && error.kind !== "rejected") return null
    throw error
  }
}

/** Show it, and ask a person at the terminal to approve what waits for it. */
async function present(name: string, updated: Updated, { store, line, io }: Updating): Promise<Updated> {
  const { options } = line
  const { pinned, approved } = updated
  if (options.flag("json")) return updated
  const say = (text: string) => !options.flag("quiet") && io.stdout(text)
  say(await describeUpdate(name, updated, io.colour))
  if (approved || pinned === null || io.ask === null) return updated
  const answer = await io.ask(`Approve ${name} at ${pinned.digest} now? Answer yes to approve: `)
  if (answer.trim().toLowerCase() !== "yes") return updated
  const actor = await findActor(options, io)
  const reason = actor.reason ?? "approved at update"
  await approvePin({ lockfile: store, name, to: pinned.digest, actor: { ...actor, reason } })
  say("  approved\n")
  return { ...updated, approved: true }
}

/** A change that waits for approval is a finding; on a dry run one that would. */
function exitCodeOf(one: Outcome): ExitCode {
  if (!one.ok) return exitCodeOfError(one.error)
  return ("legion" in one ? one.legion : one.updated).approved ? 0 : 1
}

function memberOf(one: Outcome): JsonValue {
  if (!one.ok) return failureMember(one)
  return "legion" in one ? one.legion.member : updatedMember(one.name, one.updated)
}
