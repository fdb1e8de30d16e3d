// `toolsum show`: what is pinned, from the lockfile alone.
import { ToolsumError } from "../../core/errors.js"
import type { Pin } from "../../core/lockfile.js"
import { SECTION_NAMES } from "../../core/section.js"
import { legionRecordOf, observationOf, pinDigestOf, requirePin } from "../../features/pins.js"
import { showName, showText } from "../../surface/shown-text.js"
import type { CommandSpec } from "../commands.js"
import { findProjectLockfile, LOCKFILE_OPTIONS } from "../project.js"
import { formatSec } from "../render.js"
import { printDocument } from "../report-json.js"
import { describeTarget } from "../typed-target.js"

export const showCommand: CommandSpec = {
  usage: "show [name…]",
  words: [0, 1000],
  options: [...LOCKFILE_OPTIONS],
  run: async ({ words, options }, io) => {
    const store = await findProjectLockfile(options, io)
    const lockfile = await store.read()
    if (lockfile === null)
      throw new ToolsumError("FILE_MISSING", `expected a lockfile at ${store.path}; toolsum add makes one`)
    const names = words.length > 0 ? words : Object.keys(lockfile.servers)
    if (names.length === 0) throw new ToolsumError("NO_PINS", "the lockfile has no pins")
    const pins = names.map((name) => ({ name, pin: requirePin(lockfile, name).pin }))
    if (options.flag("json"))
      printDocument(io, { command: "show", exitCode: 0, servers: pins.map(({ name, pin }) => summaryOf(name, pin)) })
    else io.stdout(pins.map(({ name, pin }) => describePin(name, pin)).join("\n"))
    return 0
  },
}

/** What the record of a pin says, whichever dialect it is of. `version` is "-" where there is none. */
function factsOf(pin: Pin) {
  const record = legionRecordOf(pin)
  if (record === null) return { ...observationOf(pin), index: pin.index }
  const { serverId: subject, leafIndex: index, observedSec: observed } = record
  return { subject, index, observed, version: "-", profile: "anonymous" }
}

function summaryOf(name: string, pin: Pin) {
  const { subject, version, profile, index } = factsOf(pin)
  const lists = Object.fromEntries(SECTION_NAMES.map((section) => [section, Object.keys(pin[section] ?? {})]))
  return {
    name,
    subject,
    version,
    profile,
    log: pin.log,
    index: index === null ? null : String(index),
    pin: pinDigestOf(pin),
    approved: pin.approved === null ? null : { ...pin.approved },
    ...lists,
  }
}

function describePin(name: string, pin: Pin): string {
  const { subject, version, profile, observed, index } = factsOf(pin)
  const { approved } = pin
  const lists = SECTION_NAMES.flatMap((section) => {
    const keys = Object.keys(pin[section] ?? {})
    return keys.length === 0
      ? []
      : [[section, `${keys.length}: ${keys.map((key) => showName(key, 60)).join(", ")}`] as const]
  })
  const digest = pinDigestOf(pin)
  const rows: readonly (readonly [string, string])[] = [
    ["subject", `${subject}${version === "-" ? "" : ` ${version}`}`],
    ["command", pin.target === null ? "not known" : describeTarget(pin.target)],
    ["profile", profile],
    ...lists,
    ["record", `${index === null ? "not logged yet" : `leaf ${index} of ${pin.log}`}, observed ${formatSec(observed)}`],
    ["pin", digest],
    [
      "approved",
      approved?.pin === digest
        ? `${approved.at} by ${approved.by}${approved.reason === null ? "" : `: ${approved.reason}`}`
        : "no",
    ],
  ]
  return `${name}\n${rows.map(([label, value]) => `  ${label.padEnd(9)} ${showText(value).replaceAll("\n", " ")}\n`).join("")}`
}
