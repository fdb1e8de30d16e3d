// `toolsum log succeed`: a new log for one that cannot go on, because its root key is lost or its files contradict what was seen of it. The
// pins of lockfiles are recorded again there; lockfiles from before go on proving what they proved. Each step can be found done: run again,
// it goes on where it ended.
import { rename } from "node:fs/promises"
import { relative } from "node:path"
import { escapeInvisible, ToolsumError } from "../../core/errors.js"
import { type MovedPin, movePins } from "../../features/ceremony/move-pins.js"
import { formatSuccession } from "../../features/ceremony/succession.js"
import { ACTOR_OPTIONS, findActor } from "../actor.js"
import type { CommandSpec } from "../commands.js"
import { DRY_RUN_OPTIONS, dryRunMember } from "../dry-run.js"
import { type ExitCode, exitCodeOfError, worstExitCode } from "../exit-codes.js"
import { failureLine, failureMember } from "../failures.js"
import type { Io } from "../io.js"
import { openLogForWriting } from "../logs.js"
import type { CommandLine, Options } from "../options.js"
import { planSuccession, type SuccessionPlan } from "../plan-succession.js"
import { collectRoots, LOCKFILES_OPTIONS, openTrustStore, ROOT_OPTIONS } from "../project.js"
import { printDocument } from "../report-json.js"
import { pasteLine, showWord } from "../shell-words.js"
import { openTargetLog } from "../target-log.js"
import { type MadeLog, makeLog } from "./init.js"

export const logSucceedCommand: CommandSpec = {
  usage: "log succeed [log] [--log-dir folder] [--lock file]",
  words: [0, 1],
  options: [
    [
      "--log-dir <folder>",
      "Where the new log goes; without it your personal log's place, and the old one is put aside",
    ],
    ["--origin <name>", "Name of the new log; without it a random one"],
    ["--root-key <file>", "Where the new root key goes; without it beside the log key"],
    ["--passphrase-env <name>", "Variable with a passphrase for the new root key"],
    ...LOCKFILES_OPTIONS,
    ...ROOT_OPTIONS,
    ["--approve", "Approve in the new log, in your name, what is approved in the old one"],
    ...ACTOR_OPTIONS,
    ["--yes", "Do not ask"],
    ...DRY_RUN_OPTIONS,
  ],
  examples: ["toolsum log succeed --dry-run", 'toolsum log succeed --approve --reason "root key lost"'],
  run: succeed,
}

async function succeed({ words, options }: CommandLine, io: Io): Promise<ExitCode> {
  if (io.env.CI && options.value("log-dir") === null)
    throw new ToolsumError("USAGE", "CI is set: a personal log is not made there; give --log-dir")
  const plan = await planSuccession(words[0] ?? null, options, io)
  const isPerson = !options.flag("json") && !options.flag("quiet")
  if (isPerson) io.stdout(toText(describePlan(plan, options)))
  if (options.flag("dry-run")) return finish({ plan, made: null, moved: plan.stuck }, options, io)
  await confirm(options, io)
  const approver = options.flag("approve") ? await findActor(options, io) : null
  const made = await makeSuccessor(plan, options, io)
  const moved: MovedPin[] = []
  for (const lockfile of plan.stores) {
    const log = await openTargetLog({ options, lockfile, origin: made.origin, io })
    if (log?.kind !== "own") throw new ToolsumError("LOG_UNAVAILABLE", "the new log cannot be opened")
    const roots = await collectRoots(options, io)
    moved.push(
      ...(await movePins({
        lockfile,
        origin: plan.origin,
        roots,
        nowSec: BigInt(Math.floor(io.nowSec())),
        log,
        approver,
      })),
    )
  }
  return finish({ plan, made, moved }, options, io)
}

const toText = (lines: readonly string[]): string => lines.map((line) => `${escapeInvisible(line)}\n`).join("")

function describePlan(plan: SuccessionPlan, options: Options): readonly string[] {
  const approvals = options.flag("approve")
    ? "what is approved there is approved in the new log, in your name"
    : "an approval names the log: each pin must be approved again (--approve does that in your name)"
  return [
    `${showWord(plan.origin)} cannot go on: ${plan.why}`,
    `A new log takes its place. The old one is proven up to size ${plan.size}.`,
    `  ${plan.movable} ${plan.movable === 1 ? "pin goes" : "pins go"} over: what was observed is recorded again, nothing is read again`,
    ...plan.stuck.flatMap((one) => (one.ok ? [] : [`  ${one.name} stays: ${one.error.message}`])),
    `  ${approvals}`,
    `  the new log has a new root: everybody who proves these pins must pin that one`,
    ...(plan.isWitnessed
      ? ["  no witness has to cosign the new log until toolsum log policy says so: the old one's policy ends with it"]
      : []),
    `  lockfiles from before still verify, under the old root`,
    ...(plan.aside === null ? [] : [`  the old log's folder goes to ${plan.aside}`]),
  ]
}

async function confirm(options: Options, io: Io): Promise<void> {
  if (options.flag("yes")) return
  if (io.ask === null || options.flag("json"))
    throw new ToolsumError("USAGE", "nobody can be asked whether a new log takes over: give --yes")
  const answer = await io.ask("Make the new log and move these pins? Answer yes: ")
  if (answer.trim().toLowerCase() !== "yes") throw new ToolsumError("USAGE", "nothing was made and nothing moved")
}

type NamedLog = MadeLog & { readonly origin: string }

/** The new log, made and marked as the successor unless it is that already. */
async function makeSuccessor(plan: SuccessionPlan, options: Options, io: Io): Promise<NamedLog> {
  if (plan.aside !== null) {
    await rename(plan.folder, plan.aside)
    const root = { dialect: "tlog-tiles", name: plan.origin, fingerprint: plan.root, floor: null } as const
    await openTrustStore(io).add({ root, log: plan.aside, from: "log succeed" })
  }
  const made = await makeLog(plan.folder, options, io)
  if (made.origin === null) throw new ToolsumError("LOG_UNAVAILABLE", "the new log has no name")
  const writer = await openLogForWriting(plan.folder, null, io)
  try {
    if (writer.head().size === 1n) await writer.appendEntries([formatSuccession(plan)])
  } finally {
    await writer.close()
  }
  return { ...made, origin: made.origin }
}

interface Done {
  readonly plan: SuccessionPlan
  /** Null on a dry run. */
  readonly made: NamedLog | null
  readonly moved: readonly MovedPin[]
}

function finish({ plan, made, moved }: Done, options: Options, io: Io): ExitCode {
  const exitCode = worstExitCode(moved.map((one) => (one.ok ? 0 : exitCodeOfError(one.error))))
  if (options.flag("json")) {
    printDocument(io, {
      command: "log succeed",
      exitCode,
      before: { log: plan.origin, root: plan.root, size: String(plan.size), why: plan.why, folder: plan.aside },
      log: made && { log: made.origin, root: made.fingerprint, rootKey: made.rootKey, folder: plan.folder },
      pins: moved.map(rowOf),
      ...dryRunMember(options),
    })
    return exitCode
  }
  for (const one of moved) if (!one.ok && made !== null) io.stderr(failureLine(one))
  if (!options.flag("quiet"))
    io.stdout(toText(made === null ? ["nothing written (--dry-run)"] : describeDone(made, plan, moved, io)))
  return exitCode
}

const rowOf = (one: MovedPin) =>
  one.ok
    ? { name: one.name, ok: true, index: String(one.index), pin: one.pin, approved: one.approved }
    : failureMember(one)

function describeDone(made: NamedLog, plan: SuccessionPlan, moved: readonly MovedPin[], io: Io): readonly string[] {
  const root = `${made.origin}=${made.fingerprint}`
  return [
    "",
    `${made.created ? "Created a log" : "There was already its successor"} in ${plan.folder}`,
    `  origin  ${made.origin}`,
    `  root    ${made.fingerprint}`,
    ...(made.rootKey === null
      ? []
      : [`The new root key is in ${made.rootKey}. Move it off this machine, and keep a copy.`]),
    ...moved.flatMap((one) => (one.ok ? describeMoved(one) : [])),
    `Others pin the new root with: ${pasteLine("toolsum", "trust", "add", root) ?? root}`,
    `Commit ${plan.stores.map((store) => relative(io.cwd, store.path)).join(", ")}.`,
  ]
}

function describeMoved({ name, index, pin, approved }: Extract<MovedPin, { ok: true }>): readonly string[] {
  if (approved) return [`${name}: recorded as leaf ${index}, approved`]
  const line = pasteLine("toolsum", "approve", name, "--to", pin)
  return [`${name}: recorded as leaf ${index}, not approved there yet`, ...(line ? [`  ${line} --reason "…"`] : [])]
}
