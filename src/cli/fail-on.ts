// The gate: from which severity on a command ends with 1, what it is where nobody says, and the words for what it let pass. The defaults of
// all commands stand here.
import { quote, ToolsumError } from "../core/errors.js"
import { SEVERITIES, type Severity } from "../core/severity.js"
import type { ServerVerdict } from "../core/verdict.js"
import type { FailOn } from "../features/gate.js"
import type { OptionSpec, Options } from "./options.js"
import { showWord } from "./shell-words.js"

const WORDS = SEVERITIES.join("|")

/** `check`, `diff`: without it every change ends with 1. */
export const FAIL_ON_CHANGE: OptionSpec = [
  "--fail-on <severity>",
  `Let changes pass that are all less grave: ${WORDS}; without it every change is a finding`,
]

/** `scan`: without it nothing that is seen ends with 1. */
export const FAIL_ON_FINDING: OptionSpec = [
  "--fail-on <severity>",
  `Exit code 1 from this severity on: ${WORDS}; without it what is seen is only told`,
]

/** Show less of what is told. */
export const MIN_OPTION: OptionSpec = ["--min <severity>", "Leave out what is less grave, and say how much that is"]

/** A severity that was typed; null without the option. Throws USAGE. */
export function readSeverity(name: string, options: Options): Severity | null {
  const text = options.value(name)
  if (text === null) return null
  const severity = SEVERITIES.find((word) => word === text)
  if (severity === undefined)
    throw new ToolsumError("USAGE", `--${name}: expected ${SEVERITIES.join(", ")}, got ${quote(text)}`)
  return severity
}

/** The gate of the command line; null without one. Throws USAGE. */
export function readFailOn(options: Options): FailOn | null {
  const failOn = readSeverity("fail-on", options)
  return failOn && { failOn, source: "--fail-on" }
}

/** What the gate and `allow` let pass, a line for each server. Escaped. */
export const describeLowered = (servers: readonly ServerVerdict[]): readonly string[] =>
  servers.flatMap(({ name, lowered, allowed, verdict }) => [
    ...(lowered === undefined
      ? []
      : [
          `let pass: ${showWord(name)} changed, at most ${lowered.gravest}; ${describeGate(lowered)} asks for ${lowered.failOn} or graver`,
        ]),
    ...(allowed === undefined
      ? []
      : [`let pass: ${showWord(name)} is ${verdict}; allow in ${allowed.source} has ${allowed.reason}`]),
  ])

const describeGate = ({ source }: FailOn): string => (source === "toolsum.json" ? "failOn in toolsum.json" : source)
