// `toolsum add`: reads the server that was typed, records it, pins it, prints what it pinned.
import { relative } from "node:path"
import { definitionsPath } from "../../adapters/definitions-fs.js"
import { escapeInvisible } from "../../core/errors.js"
import { SECTION_NAMES, type SectionName } from "../../core/section.js"
import { type Added, addServer, requireNewName } from "../../features/add.js"
import { DEFAULT_SECTIONS } from "../../features/observe.js"
import type { Pinned, TargetLog } from "../../features/record-pin.js"
import type { LockfileStore } from "../../ports.js"
import { ACTOR_OPTIONS, findActor } from "../actor.js"
import type { CommandSpec } from "../commands.js"
import type { Io } from "../io.js"
import { findLogFolder, LOG_OPTIONS } from "../logs.js"
import { OBSERVER_OPTIONS, readObserver } from "../observer.js"
import type { CommandLine, Options } from "../options.js"
import { loadPaint } from "../paint.js"
import { showProgress } from "../progress.js"
import { findProjectLockfile, LOCKFILE_OPTIONS, ROOT_OPTIONS } from "../project.js"
import { countItems, showPackage } from "../render.js"
import { createPage } from "../render-page.js"
import { printDocument } from "../report-json.js"
import { acceptTarget, openServer } from "../servers.js"
import { openTargetLog } from "../target-log.js"
import { showName, showText } from "../terminal-text.js"
import { LAUNCH_OPTIONS, readLimits, readTarget } from "../typed-target.js"
import { type MadeLog, makeLog } from "./init.js"

export const addCommand: CommandSpec = {
  usage: "add <name> [--] <command…> | add <name> <url>",
  words: [1, 2],
  launchAfter: 1,
  options: [
    ...LAUNCH_OPTIONS,
    ...LOG_OPTIONS,
    ...LOCKFILE_OPTIONS,
    ...ROOT_OPTIONS,
    ...ACTOR_OPTIONS,
    ...OBSERVER_OPTIONS,
    ["--no-definitions", "Do not write .mcp-tools/<name>.json"],
    ["--dry-run", "Read and show, write nothing"],
  ],
  examples: [
    "toolsum add memory -- npx -y @modelcontextprotocol/server-memory@2026.1.26",
    "toolsum add docs https://example.com/mcp --header 'Authorization: Bearer ${TOKEN}'",
  ],
  run: addFromCommandLine,
}

async function addFromCommandLine(line: CommandLine, io: Io): Promise<0> {
  const { options } = line
  const [name = ""] = line.words
  const target = readTarget(line, io)
  const lockfile = await findProjectLockfile(options, io)
  requireNewName(await lockfile.read(), name) // before a log is made and consent given
  const dryRun = options.flag("dry-run")
  if (!dryRun) await lockfile.requireWritable([name])
  const made = dryRun ? null : await makeLog(findLogFolder(options, io), options, io)
  const log = await findLog(options, lockfile, io)
  const placeholders = options.values("placeholder")
  // Typed by the user: that is the consent to start it, now and for later checks.
  const place = { lockfilePath: lockfile.path, options, io }
  if (!dryRun) await acceptTarget(target, `toolsum add ${name}`, place)
  const source = await openServer({ ...place, target, placeholders, reach: "any" })
  const sections: readonly SectionName[] = options.flag("resources") ? SECTION_NAMES : DEFAULT_SECTIONS
  const work = addServer({
    name,
    target,
    source,
    placeholders,
    environment: io.env,
    sections,
    limits: readLimits(options),
    masks: [],
    observer: readObserver(options),
    nowSec: io.nowSec(),
    signal: io.signal,
    lockfile,
    log,
    actor: await findActor(options, io),
    definitions: !options.flag("no-definitions"),
    dryRun,
  })
  const added = await showProgress(io, `reading ${name}`, work)
  if (options.flag("json")) printAdded(name, added, io)
  else if (!options.flag("quiet")) {
    io.stdout(await describeAdded(name, added, writtenFiles(name, lockfile, options), io))
    if (made?.created) io.stdout(describeMade(made))
  }
  return 0
}

/** What an `add` writes into the project. */
const writtenFiles = (name: string, { path }: LockfileStore, options: Options): readonly string[] =>
  options.flag("no-definitions") ? [path] : [path, definitionsPath(path, name)]

/** The log to append to: `--log-dir` or the personal log. */
async function findLog(options: Options, lockfile: LockfileStore, io: Io): Promise<TargetLog> {
  const log = await openTargetLog({ options, lockfile, origin: null, io })
  return log ?? { kind: "elsewhere", origin: "a log that is not made yet" }
}

/** A first `add` makes a log: its root is what others need, and its root key should not stay here. */
function describeMade({ origin, fingerprint, rootKey }: MadeLog): string {
  const key = rootKey === null ? [] : [`  its root key is ${rootKey}: move it off this machine`]
  const lines = [`  made your log, root ${origin}=${fingerprint}`, ...key]
  return lines.map((line) => `${escapeInvisible(line)}\n`).join("")
}

function printAdded(name: string, { observed, pinned }: Added, io: Io): void {
  const { subject, version, profile, lines } = observed.observation
  printDocument(io, {
    command: "add",
    exitCode: 0,
    name,
    subject,
    version,
    profile,
    sections: { ...lines },
    pin: pinned?.digest ?? null,
    log: pinned?.pin.log ?? null,
    index: pinned?.index === undefined || pinned.index === null ? null : String(pinned.index),
    findings: observed.reading.findings.map((finding) => ({ ...finding })),
  })
}

async function describeAdded(
  name: string,
  { observed, pinned }: Added,
  files: readonly string[],
  io: Io,
): Promise<string> {
  const { subject, version } = observed.observation
  const page = createPage({ paint: await loadPaint(io.colour) })
  const plain = (indent: number, text: string) => page.words(indent, [{ text, look: "plain" }])
  plain(0, `${name} ${pinned ? "pinned" : "read, nothing written"}: ${showPackage(subject, version)}`)
  for (const section of SECTION_NAMES) {
    const items = observed.surface.sections[section]?.items ?? []
    const names = items.map(({ key }) => showName(key ?? "", 60)).join(", ")
    if (items.length > 0) plain(1, `${countItems(items.length, section)}: ${names}`)
  }
  for (const finding of observed.reading.findings) plain(1, `note: ${showText(finding.message)}`)
  const lines = [...page.end(), ...(pinned ? describePinned(pinned, files, io) : [])]
  return `${lines.join("\n")}\n`
}

/** Not wrapped: paths are there to be copied. */
function describePinned(pinned: Pinned, files: readonly string[], io: Io): readonly string[] {
  const { index, pin, appended } = pinned
  const where = index === null ? "not logged yet" : `leaf ${index} of ${pin.log}`
  return [
    `  record: ${where}${appended ? "" : " (was there already)"}`,
    `  approved as first baseline by ${pin.approved?.by ?? "nobody"}`,
    `  written: ${files.map((path) => showPath(path, io)).join(", ")}`,
  ].map(escapeInvisible)
}

/** From here or from the root, whichever is shorter. */
function showPath(path: string, io: Io): string {
  const fromHere = relative(io.cwd, path)
  return fromHere.length < path.length ? fromHere : path
}
