// `toolsum observe`: reads a server and writes what it said to a file, for somebody else to append to a log. Holds no key.
import { resolve } from "node:path"
import { ToolsumError } from "../../core/errors.js"
import { SECTION_NAMES } from "../../core/section.js"
import { formatObservations, MAX_OBSERVATIONS_BYTES } from "../../features/observation-file.js"
import {
  archivedTexts,
  DEFAULT_SECTIONS,
  type Observed,
  type ObserveInput,
  observeServer,
} from "../../features/observe.js"
import { requirePinName } from "../../features/pins.js"
import type { CommandSpec } from "../commands.js"
import type { Io } from "../io.js"
import { findLocalNames } from "../local-names.js"
import { MASK_OPTIONS, readMasks } from "../masks.js"
import { OBSERVER_OPTIONS, readObserver } from "../observer.js"
import type { CommandLine } from "../options.js"
import { requireOutputPlace, writeOutput } from "../output-file.js"
import { PROFILE_OPTIONS, readProfile } from "../profile.js"
import { showProgress } from "../progress.js"
import { findProjectLockfile, LOCKFILE_OPTIONS } from "../project.js"
import { describeNotes, findingsMember, localTextsMember, showUnstable } from "../render-unstable.js"
import { printDocument } from "../report-json.js"
import { openServer } from "../servers.js"
import { showWord } from "../shell-words.js"
import { LAUNCH_OPTIONS, readLimits, readTarget } from "../typed-target.js"

const OBSERVATIONS = {
  name: "observations file",
  pattern: /"format"\s*:\s*"toolsum-observations\//,
  maxBytes: MAX_OBSERVATIONS_BYTES,
}

export const observeCommand: CommandSpec = {
  usage: "observe <name> --out file [--] <command…>",
  words: [1, 2],
  launchAfter: 1,
  options: [
    ["--out <file>", "Where the observation goes"],
    ...LAUNCH_OPTIONS,
    ...MASK_OPTIONS,
    ...PROFILE_OPTIONS,
    ...OBSERVER_OPTIONS,
    ...LOCKFILE_OPTIONS,
  ],
  examples: ["toolsum observe memory --out memory.observation -- npx -y @modelcontextprotocol/server-memory@2026.1.26"],
  run: observe,
}

async function observe(line: CommandLine, io: Io): Promise<0> {
  const { options } = line
  const [name = ""] = line.words
  requirePinName(name)
  const out = options.value("out")
  if (out === null) throw new ToolsumError("USAGE", "expected --out with the file to write")
  const path = resolve(io.cwd, out)
  requireOutputPlace(path, OBSERVATIONS) // before a server is started
  const work = buildInput(name, line, io).then(observeServer)
  const observed = await showUnstable(showProgress(io, `reading ${name}`, work), { command: "observe", name, line, io })
  const { observation } = observed
  await writeOutput(path, formatObservations([{ observation, objects: archivedTexts(observed) }]), OBSERVATIONS)
  if (options.flag("json")) printObserved(name, out, observed, io)
  else if (!options.flag("quiet")) {
    const { subject, version } = observation
    const what = `${showWord(out)}: ${subject}${version === "-" ? "" : ` ${version}`}, for toolsum log append`
    io.stdout([what, ...describeNotes(observed).map((note) => `  ${note}`)].map((text) => `${text}\n`).join(""))
  }
  return 0
}

async function buildInput(name: string, line: CommandLine, io: Io): Promise<ObserveInput> {
  const { options } = line
  const target = readTarget(line, io)
  const placeholders = options.values("placeholder")
  const place = { lockfilePath: (await findProjectLockfile(options, io)).path, options, io }
  return {
    name,
    target,
    placeholders,
    environment: io.env,
    limits: readLimits(options),
    sections: options.flag("resources") ? SECTION_NAMES : DEFAULT_SECTIONS,
    masks: await readMasks(options, io),
    profile: readProfile(options),
    names: findLocalNames(target, place),
    observer: readObserver(options),
    nowSec: io.nowSec(),
    signal: io.signal,
    source: await openServer({ ...place, target, placeholders, reach: "any" }),
  }
}

function printObserved(name: string, file: string, { observation, reading, localTexts }: Observed, io: Io): void {
  const { subject, version } = observation
  const said = { findings: findingsMember(reading.findings), localTexts: localTextsMember(localTexts) }
  printDocument(io, { command: "observe", exitCode: 0, name, subject, version, file, ...said })
}
