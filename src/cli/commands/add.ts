// `toolsum add`: reads a server that was typed, or that a client configuration starts, records it, pins it, prints what it pinned.
import { ToolsumError } from "../../core/errors.js"
import { addServer, requireNewName } from "../../features/add.js"
import type { LockfileStore } from "../../ports.js"
import { ACTOR_OPTIONS } from "../actor.js"
import { type AddRequest, buildAddInput, openAddPlace, writtenFiles } from "../adding.js"
import type { CommandSpec } from "../commands.js"
import type { Io } from "../io.js"
import { LEGION_LOG_OPTION } from "../legion-logs.js"
import { LOG_OPTIONS } from "../logs.js"
import { MASK_OPTIONS } from "../masks.js"
import { OBSERVER_OPTIONS } from "../observer.js"
import type { CommandLine } from "../options.js"
import { PROFILE_OPTIONS } from "../profile.js"
import { showProgress } from "../progress.js"
import {
  announceWitnessPolicy,
  findProjectLockfile,
  LOCKFILE_OPTIONS,
  ROOT_OPTIONS,
  WITNESS_POLICY_OPTIONS,
  witnessPolicyMembers,
} from "../project.js"
import { addedMember, describeAdded, describeMade } from "../render-added.js"
import { showUnstable } from "../render-unstable.js"
import { printDocument } from "../report-json.js"
import { acceptTarget, notAccepted, openGate } from "../servers.js"
import { LAUNCH_OPTIONS, readTypedTarget } from "../typed-target.js"

export const addCommand: CommandSpec = {
  usage: "add <name> [--] <command…> | add <name> <url> | add <name> [--from file] | add <id> --log legion | add --all",
  words: [0, 2],
  launchAfter: 1,
  options: [
    ["--all", "Every server of the project's client configurations that is not pinned yet; with --user the user's"],
    ["--from <file>", "Client configuration to take the launch line from, where several have that name"],
    ["--as <name>", "Another name for the pin of a configured server, or of one in a LEGION log"],
    ["--accept-targets", "Start what client configurations name without a question"],
    LEGION_LOG_OPTION,
    ["--at-leaf <index>", "With --log: the record at this leaf, not the newest of the server"],
    ["--at-head <size>", "With --log: proven under the head of this size, not the newest"],
    ["--format <legion>", "With --log: into LEGION's own .mcp-tools.lock.json, as its own tools write it"],
    ...LAUNCH_OPTIONS,
    ...MASK_OPTIONS,
    ...PROFILE_OPTIONS,
    ...LOG_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...ROOT_OPTIONS,
    ...WITNESS_POLICY_OPTIONS,
    ...ACTOR_OPTIONS,
    ...OBSERVER_OPTIONS,
    ["--no-definitions", "Do not write .mcp-tools/<name>.json"],
    ["--dry-run", "Read and show, write nothing"],
  ],
  examples: [
    "toolsum add memory -- npx -y @modelcontextprotocol/server-memory@2026.1.26",
    "toolsum add docs https://example.com/mcp --header 'Authorization: Bearer ${TOKEN}'",
    "toolsum add memory                 the launch line from .mcp.json or another client's file",
    "toolsum add --all",
    "toolsum add io.example/files --log legion",
  ],
  run: async (line, io) => {
    await announceWitnessPolicy(line.options, io)
    if (line.options.flag("all")) return (await import("../add-all.js")).addAll(line, io)
    if (line.words.length === 0) throw new ToolsumError("USAGE", `too few words; usage: toolsum ${addCommand.usage}`)
    if (line.options.flag("log")) return (await import("../add-legion.js")).addFromLegion(line, io)
    for (const option of ["at-leaf", "at-head", "format"])
      if (line.options.flag(option)) throw new ToolsumError("USAGE", `--${option} goes with --log`)
    return addOne(line, io)
  },
}

async function addOne(line: CommandLine, io: Io): Promise<0> {
  const { options } = line
  const lockfile = await findProjectLockfile(options, io)
  const { request, isTyped } = await readRequest(line, lockfile, io)
  const { name, target } = request
  const place = await openAddPlace([name], { lockfile, options, io })
  // Typed by the user: that is the consent to start it, now and for later checks.
  if (isTyped && !options.flag("dry-run")) await acceptTarget(target, `toolsum add ${name}`, place)
  const work = buildAddInput(request, place).then(addServer)
  const typed = { command: "add", name: line.words[0] ?? name, line, io } as const
  const added = await showUnstable(showProgress(io, `reading ${name}`, work), typed)
  if (options.flag("json")) {
    const members = { ...addedMember(name, added), ...(await witnessPolicyMembers(options, io)) }
    printDocument(io, { command: "add", exitCode: 0, ...members })
  } else if (!options.flag("quiet")) {
    io.stdout(await describeAdded(name, added, writtenFiles(name, lockfile, options), io))
    if (place.made?.created) io.stdout(describeMade(place.made))
  }
  return 0
}

/** What to pin: what was typed, else what a client configuration has under that name, which the user is asked about. A name that is taken
 *  is refused before that. */
async function readRequest(
  line: CommandLine,
  lockfile: LockfileStore,
  io: Io,
): Promise<{ request: AddRequest; isTyped: boolean }> {
  const { options } = line
  const [name = ""] = line.words
  const typed = readTypedTarget(line, io)
  if (typed === null) return { request: await takeConfigured(line, lockfile, io), isTyped: false }
  for (const option of ["from", "as"])
    if (options.value(option) !== null)
      throw new ToolsumError("USAGE", `--${option} is for launch lines from client configurations; this one was typed`)
  requireNewName(await lockfile.read(), name)
  const request = { name, target: typed, from: [], placeholders: options.values("placeholder"), reach: "any" } as const
  return { request, isTyped: true }
}

/** Throws TARGET_NOT_ACCEPTED where nobody accepts the line, and as `chooseConfigured`. */
async function takeConfigured(line: CommandLine, lockfile: LockfileStore, io: Io): Promise<AddRequest> {
  const { chooseConfigured, noteLiterals, placeholdersFor } = await import("../configured-target.js")
  const { options } = line
  const chosen = await chooseConfigured(line, lockfile, io)
  const { pinName: name, target, from } = chosen
  requireNewName(await lockfile.read(), name)
  const gate = await openGate({ lockfilePath: lockfile.path, options, io })
  if (!(await gate.mayStart(name, target))) throw notAccepted(target)
  for (const note of noteLiterals(chosen, options, io)) io.stderr(note)
  return { name, target, from, placeholders: placeholdersFor(chosen, options), reach: await gate.reachOf(target) }
}
