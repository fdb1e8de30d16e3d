// What `add --all` does: every configured server that is not pinned yet, after one question; read side by side, pinned one after the other.
// One that fails hides no other.
import { dirname } from "node:path"
import { ToolsumError } from "../core/errors.js"
import { type Added, pinServer, readServer } from "../features/add.js"
import { type Candidate, listUnpinned, type Unpinned } from "../features/choose-server.js"
import { takeInventory } from "../features/inventory.js"
import { runInLanes, SERVERS_AT_ONCE } from "../features/lanes.js"
import { packageOf } from "../features/targets.js"
import type { LockfileStore } from "../ports.js"
import { type AddPlace, type AddRequest, buildAddInput, openAddPlace } from "./adding.js"
import { describePlaces, readConfigurations, readConfigurationsOf } from "./configurations.js"
import { checkCandidate, noteLiterals, placeholdersFor } from "./configured-target.js"
import { dryRunMember } from "./dry-run.js"
import { type ExitCode, exitCodeOfError, worstExitCode } from "./exit-codes.js"
import { type FailedPin, failureLine, failureMember } from "./failures.js"
import type { Io } from "./io.js"
import type { CommandLine, Options } from "./options.js"
import { startProgress } from "./progress.js"
import { findProjectLockfile, isUserLockfile, witnessPolicyMembers } from "./project.js"
import { addedMember, describeMade, summariseAdded } from "./render-added.js"
import { showUnstable, type TypedCommand } from "./render-unstable.js"
import { printDocument } from "./report-json.js"
import { notAccepted, openGate } from "./servers.js"

/** How it went with one server. */
type Outcome = { readonly name: string; readonly ok: true; readonly added: Added } | FailedPin

/** Options that say how one server is started. */
const OF_ONE_SERVER = ["env", "cwd", "header", "from", "as", "mask", "masks", "profile"] as const

/** Pin every configured server that is not pinned yet. */
export async function addAll(line: CommandLine, io: Io): Promise<ExitCode> {
  const { words, launch, options } = line
  if (words.length > 0 || launch !== null) throw new ToolsumError("USAGE", "expected no name and no command with --all")
  for (const option of OF_ONE_SERVER)
    if (options.values(option).length > 0)
      throw new ToolsumError("USAGE", `--${option} is for one server, not for --all`)
  const lockfile = await findProjectLockfile(options, io)
  const unpinned = await findUnpinned(lockfile, options, io)
  const unfit = unpinned.unfit.map(({ name, error }): Outcome => ({ name, ok: false, error }))
  const report = createReport(options, io)
  for (const outcome of unfit) report.say(outcome)
  const { requests, refused } = await admitAll(unpinned.candidates, lockfile, options, io)
  for (const outcome of refused) report.say(outcome)
  const place =
    requests.length === 0
      ? null
      : await openAddPlace(
          requests.map(({ name }) => name),
          { lockfile, options, io },
        )
  const done = place === null ? [] : await addEach(requests, { ...place, line }, report.say)
  return report.end([...unfit, ...refused, ...done], unpinned, place)
}

async function findUnpinned(lockfile: LockfileStore, options: Options, io: Io): Promise<Unpinned> {
  const isUser = isUserLockfile(options)
  const configs = await readConfigurationsOf(lockfile, options, io)
  const locked = await lockfile.read()
  const scope = isUser ? "user" : "project"
  const inventory = takeInventory(configs, { project: isUser ? null : locked, user: isUser ? locked : null })
  const unpinned = listUnpinned(inventory, scope, new Set(Object.keys(locked?.servers ?? {})))
  const { candidates, unfit, pinned, skipped } = unpinned
  if (candidates.length + unfit.length + pinned + skipped > 0) return unpinned
  throw await nothingConfigured(lockfile, isUser, io)
}

/** Nothing to look at is no clean result. */
async function nothingConfigured(lockfile: LockfileStore, isUser: boolean, io: Io): Promise<ToolsumError> {
  const folder = dirname(lockfile.path)
  const places = describePlaces(folder, io)
  const looked = `no client configuration has a server; looked at ${isUser ? (places.user ?? "nothing: no home is set") : places.project}`
  const own = isUser
    ? []
    : (await readConfigurations(folder, io)).flatMap(({ scope, servers }) => (scope === "user" ? servers : []))
  const hint = own.length === 0 ? "" : `; toolsum add --all --user takes this user's ${own.length}`
  return new ToolsumError("FILE_MISSING", `${looked}${hint}`)
}

/** What may be started, after at most one question; the others are refused, each for its own reason. */
async function admitAll(
  candidates: readonly Candidate[],
  lockfile: LockfileStore,
  options: Options,
  io: Io,
): Promise<{ requests: readonly AddRequest[]; refused: readonly Outcome[] }> {
  const refused: Outcome[] = []
  const good: Candidate[] = []
  for (const candidate of candidates) {
    try {
      good.push(checkCandidate(candidate, options, io))
    } catch (error) {
      if (!(error instanceof ToolsumError)) throw error
      refused.push({ name: candidate.pinName, ok: false, error })
    }
  }
  const gate = await openGate({ lockfilePath: lockfile.path, options, io })
  const isAccepted = await gate.mayStartAll(good.map(({ pinName: name, target }) => ({ name, target })))
  const requests: AddRequest[] = []
  for (const candidate of good) {
    const { pinName: name, target, from } = candidate
    if (isAccepted || (await gate.accepts(target))) {
      for (const note of noteLiterals(candidate, options, io)) io.stderr(note)
      requests.push({
        name,
        target,
        from,
        placeholders: placeholdersFor(candidate, options),
        reach: await gate.reachOf(target),
      })
    } else refused.push({ name, ok: false, error: notAccepted(target) })
  }
  return { requests, refused }
}

/** Read side by side, starts of one package one after the other: two at once collide in npx's folder for it. Pins are written in turn. */
async function addEach(
  requests: readonly AddRequest[],
  place: AddPlace & { readonly line: CommandLine },
  say: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  const { io } = place
  const progress = startProgress(io, "reading", requests.length)
  let writing: Promise<unknown> = Promise.resolve()
  const laneOf = ({ name, target }: AddRequest) => packageOf(target) ?? `pin ${name}`
  const work = async (request: AddRequest): Promise<Outcome> => {
    progress.begin(request.name)
    const outcome = await attempt(request.name, io, async () => {
      const input = await buildAddInput(request, place)
      const observed = await showUnstable(readServer(input), typedFor(request, place))
      const written = writing.then(() => pinServer(input, observed))
      writing = written.catch(() => {}) // told of where it is awaited
      return written
    })
    progress.end()
    say(outcome)
    progress.finish(request.name)
    return outcome
  }
  try {
    return await runInLanes(requests, { atOnce: SERVERS_AT_ONCE, laneOf }, work)
  } finally {
    progress.end()
  }
}

/** The command that adds this server alone. */
function typedFor({ name, from }: AddRequest, { line, io }: AddPlace & { readonly line: CommandLine }): TypedCommand {
  const configured = from[0]?.name ?? name
  const typed = configured === name ? line.typed : [...line.typed, "--as", name]
  return { command: "add", name: configured, line: { ...line, typed }, io }
}

async function attempt(name: string, io: Io, add: () => Promise<Added>): Promise<Outcome> {
  try {
    if (io.signal.aborted) throw new ToolsumError("READING_INCOMPLETE", "interrupted")
    return { name, ok: true, added: await add() }
  } catch (error) {
    if (error instanceof ToolsumError) return { name, ok: false, error }
    throw error
  }
}

/** What is said: each outcome at once, the counts at the end. */
function createReport(options: Options, io: Io) {
  const [json, quiet] = [options.flag("json"), options.flag("quiet")]
  return {
    say: (outcome: Outcome): void => {
      if (json) return
      if (!outcome.ok) io.stderr(failureLine(outcome))
      else if (!quiet) io.stdout(`${summariseAdded(outcome.name, outcome.added)}\n`)
    },
    end: async (
      outcomes: readonly Outcome[],
      { pinned, skipped }: Unpinned,
      place: AddPlace | null,
    ): Promise<ExitCode> => {
      const exitCode = worstExitCode(outcomes.map((one) => (one.ok ? 0 : exitCodeOfError(one.error))))
      if (json) {
        const servers = outcomes.map((one) =>
          one.ok ? { ok: true, ...addedMember(one.name, one.added) } : failureMember(one),
        )
        const members = { ...dryRunMember(options), ...(await witnessPolicyMembers(options, io)) }
        printDocument(io, { command: "add", exitCode, servers, pinned, skipped, ...members })
      } else if (!quiet) {
        io.stdout(`${footerOf(outcomes, { pinned, skipped }, options)}\n`)
        if (place?.made?.created) io.stdout(describeMade(place.made))
      }
      return exitCode
    },
  }
}

/** `2 pinned, 1 failed, 1 pinned before`. */
function footerOf(outcomes: readonly Outcome[], before: { pinned: number; skipped: number }, options: Options): string {
  const good = outcomes.filter(({ ok }) => ok).length
  const bad = outcomes.length - good
  const parts = [
    ...(good > 0 ? [`${good} ${options.flag("dry-run") ? "read, nothing written" : "pinned"}`] : []),
    ...(bad > 0 ? [`${bad} failed`] : []),
    ...(before.pinned > 0 ? [`${before.pinned} pinned before`] : []),
    ...(before.skipped > 0 ? [`${before.skipped} switched off`] : []),
  ]
  return outcomes.length === 0 ? `nothing to add: ${parts.join(", ")}` : parts.join(", ")
}
