// `toolsum update`: reads pinned servers again, records what they say now, shows the difference, leaves approving to a person.
import { ToolsumError } from "../../core/errors.js"
import type { Pin } from "../../core/lockfile.js"
import { isCommandTarget, type Target } from "../../core/target.js"
import { approvePin } from "../../features/approve.js"
import { loadApproved } from "../../features/approved-surface.js"
import { placeholdersOf } from "../../features/observe.js"
import { observationOf, requirePin } from "../../features/pins.js"
import { type Updated, updateServer } from "../../features/update.js"
import type { LockfileStore } from "../../ports.js"
import { ACTOR_OPTIONS, findActor } from "../actor.js"
import type { CommandSpec } from "../commands.js"
import type { ExitCode } from "../exit-codes.js"
import type { Io } from "../io.js"
import { findLogSource, LOG_OPTIONS } from "../logs.js"
import type { CommandLine } from "../options.js"
import { loadPaint } from "../paint.js"
import { showProgress } from "../progress.js"
import { findProjectLockfile, LOCKFILE_OPTIONS, ROOT_OPTIONS } from "../project.js"
import { showPackage } from "../render.js"
import { renderDiff } from "../render-diff.js"
import { changeMember, printDocument } from "../report-json.js"
import {
  acceptTarget,
  CONSENT_OPTIONS,
  LAUNCH_OPTIONS,
  notAccepted,
  openGate,
  openServer,
  readTarget,
} from "../servers.js"
import { openTargetLog } from "../target-log.js"

export const updateCommand: CommandSpec = {
  usage: "update [name] [--] [command…]",
  words: [0, 1],
  launchAfter: 1,
  options: [
    ...LAUNCH_OPTIONS,
    ...LOG_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...ROOT_OPTIONS,
    ...CONSENT_OPTIONS,
    ...ACTOR_OPTIONS,
    ["--proofs", "Only refresh heads, keyrings and proofs from the logs; starts no server"],
    ["--no-definitions", "Do not write .mcp-tools/<name>.json"],
    ["--dry-run", "Read and show, write nothing"],
  ],
  examples: ["toolsum update memory", "toolsum update memory -- npx -y @modelcontextprotocol/server-memory@2026.7.4"],
  run: async (line, io) => {
    if (line.options.flag("proofs")) return (await import("../refresh-proofs.js")).refreshProject(line, io)
    const store = await findProjectLockfile(line.options, io)
    const lockfile = await store.read()
    const [given] = line.words
    if (given === undefined && line.launch !== null)
      throw new ToolsumError("USAGE", "expected the pin's name before its new command")
    const names = given === undefined ? Object.keys(lockfile?.servers ?? {}) : [given]
    if (names.length === 0) throw new ToolsumError("NO_PINS", "there is nothing to update: no pins yet")
    const done: { name: string; updated: Updated }[] = []
    for (const name of names)
      done.push({ name, updated: await updateOne(name, requirePin(await store.read(), name).pin, store, line, io) })
    return report(done, line, io)
  },
}

async function updateOne(name: string, pin: Pin, lockfile: LockfileStore, line: CommandLine, io: Io): Promise<Updated> {
  const { options } = line
  const dryRun = options.flag("dry-run")
  if (!dryRun) await lockfile.requireWritable([name]) // before a consent is given and a server started
  const target = await acceptTargetOf(name, pin, lockfile, line, io)
  const placeholders = [...new Set([...placeholdersOf(observationOf(pin).profile), ...options.values("placeholder")])]
  const log = await openTargetLog({ options, lockfile, origin: pin.log, io })
  if (log === null) throw new ToolsumError("LOG_UNAVAILABLE", "there is no log to record to; toolsum init makes one")
  const work = updateServer({
    name,
    target,
    source: await openServer({ target, placeholders, lockfilePath: lockfile.path, options, io }),
    placeholders,
    lockfile,
    log,
    approved: await loadApproved({
      store: lockfile,
      name,
      pin,
      log: await findLogSource(pin.log, await lockfile.read(), options, io),
    }),
    definitions: !options.flag("no-definitions"),
    dryRun,
    nowSec: io.nowSec(),
    signal: io.signal,
  })
  const updated = await showProgress(io, `reading ${name}`, work)
  return dryRun ? updated : askForApproval(name, updated, lockfile, line, io)
}

/** What to start, accepted: the pinned launch line, or the one that was typed. */
async function acceptTargetOf(
  name: string,
  pin: Pin,
  { path }: LockfileStore,
  line: CommandLine,
  io: Io,
): Promise<Target> {
  const place = { lockfilePath: path, options: line.options, io }
  const gate = await openGate(place)
  const typed = line.launch === null ? null : readTarget(line, io)
  const target = typed === null ? pin.target : withPinnedEnv(typed, pin)
  // Typed by the user is accepted. Variables that only the lockfile names are not typed: the pin must have been accepted with them.
  if (typed !== null && (typed === target || (await gate.accepts(pin.target)))) {
    if (!line.options.flag("dry-run")) await acceptTarget(target, `toolsum update ${name}`, place)
  } else if (!(await gate.mayStart(name, target))) throw notAccepted(target)
  return target
}

/** A new launch line keeps the variables of the old one unless it names its own. */
function withPinnedEnv(target: Target, { target: pinned }: Pin): Target {
  if (!isCommandTarget(target) || !isCommandTarget(pinned) || target.env.length > 0 || pinned.env.length === 0)
    return target
  return { ...target, env: pinned.env }
}

async function askForApproval(
  name: string,
  updated: Updated,
  lockfile: LockfileStore,
  line: CommandLine,
  io: Io,
): Promise<Updated> {
  const { pinned, approved } = updated
  if (approved || pinned === null || io.ask === null || line.options.flag("json")) return updated
  io.stdout(await describe(name, updated, io))
  const answer = await io.ask("Approve this now? Answer yes to approve: ")
  if (answer.trim().toLowerCase() !== "yes") return updated
  const actor = await findActor(line.options, io)
  await approvePin({
    lockfile,
    name,
    to: pinned.digest,
    actor: { ...actor, reason: actor.reason ?? "approved at update" },
  })
  return { ...updated, approved: true }
}

async function report(
  done: readonly { name: string; updated: Updated }[],
  { options }: CommandLine,
  io: Io,
): Promise<ExitCode> {
  const exitCode = done.some(({ updated }) => isFinding(updated)) ? 1 : 0
  if (options.flag("json")) {
    const servers = done.map(({ name, updated }) => ({
      name,
      subject: updated.observed.observation.subject,
      pin: updated.pinned?.digest ?? null,
      approved: updated.approved,
      changes: (updated.diff?.changes ?? []).map(changeMember),
    }))
    printDocument(io, { command: "update", exitCode, servers })
  } else if (!options.flag("quiet")) {
    for (const { name, updated } of done) io.stdout(await describe(name, updated, io))
  }
  return exitCode
}

/** A change that waits for approval; on a dry run any change. */
const isFinding = ({ pinned, approved, diff }: Updated): boolean =>
  pinned === null ? (diff?.changes.length ?? 0) > 0 : !approved

async function describe(name: string, updated: Updated, io: Io): Promise<string> {
  const { diff, pinned, approved } = updated
  const head = `${name}: ${describeVersions(updated)}`
  if (pinned !== null && approved) return `${head}\n  approved${pinned.written ? "" : ", nothing changed"}\n`
  const lines =
    diff === null
      ? ["changed; the approved texts are not at hand"]
      : renderDiff(diff, { paint: await loadPaint(io.colour) })
  const body = (lines.length === 0 ? ["the same list, another launch line or version"] : lines)
    .map((line) => `  ${line}\n`)
    .join("")
  const next =
    pinned === null
      ? "  nothing written (--dry-run)\n"
      : `  not approved yet. Approve exactly this with:\n    toolsum approve ${name} --to ${pinned.digest} --reason "…"\n`
  return `${head}\n${body}${next}`
}

/** `@scope/server 1.2.3 → 1.2.4`; both in full where it is another package. */
function describeVersions({ before, observed }: Updated): string {
  const [old, now] = [observationOf(before), observed.observation]
  const earlier = showPackage(old.subject, old.version)
  if (old.subject !== now.subject) return `${earlier} → ${showPackage(now.subject, now.version)}`
  return old.version === now.version ? earlier : `${earlier} → ${now.version}`
}
