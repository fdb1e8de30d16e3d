// What demo/run.sh prints, as data: its steps with their exit codes, and what every run has of its own replaced by words.
import { readFileSync } from "node:fs"

/** One command that the demo ran. */
export interface Step {
  /** Folder of demo/ it ran in. */
  readonly folder: string
  /** The command as printed, on one line. */
  readonly command: string
  readonly output: readonly string[]
  readonly exit: number
}

/** A run of the demo. */
export interface Run {
  readonly parts: readonly { readonly title: string; readonly steps: readonly Step[] }[]
  /** Lines after the last part. */
  readonly end: readonly string[]
}

/** The committed transcript. */
export const readTranscript = (): string => readFileSync(new URL("../../demo/transcript.txt", import.meta.url), "utf8")

const STEP = /^(\.\.|old|new)\$ (.*)$/
const BETWEEN = /^(?:$|# )/

/** Read what a run printed. */
export function parseRun(text: string): Run {
  const [, ...sections] = text.split(/^== /m)
  const end = sections.pop() ?? ""
  const parts = sections.map((section) => {
    const [title = "", ...lines] = section.split("\n")
    return { title, steps: parseSteps(lines) }
  })
  return { parts, end: end.trimEnd().split("\n") }
}

function parseSteps(lines: readonly string[]): readonly Step[] {
  const steps: { folder: string; command: string; output: string[]; exit: number }[] = []
  let open = false
  for (const line of lines) {
    const start = STEP.exec(line)
    const step = steps.at(-1)
    if (start) steps.push({ folder: start[1] ?? "", command: start[2] ?? "", output: [], exit: 0 })
    else if (step && open) step.command = `${step.command.slice(0, -1)}${line.trimStart()}`
    else if (step && /^\[exit \d\]$/.test(line)) step.exit = Number(line.slice("[exit ".length, -1))
    else if (step && !BETWEEN.test(line)) step.output.push(line)
    open = (start !== null || open) && line.endsWith("\\")
  }
  return steps
}

const OF_ONE_RUN: readonly (readonly [RegExp, string])[] = [
  [/[^\s"=]*\/toolsum-demo\.\w+/g, "$WORK"],
  [/toolsum\.local\/[0-9a-f]{32}/g, "toolsum.local/<origin>"],
  [/SHA256:[A-Za-z0-9+/]{43}/g, "SHA256:<root>"],
  [/sha256:[0-9a-f]{64}/g, "sha256:<digest>"],
  [/\d{4}-\d\d-\d\dT[\d:]{8}Z/g, "<time>"],
  [/\b[0-9a-f]{16}(?=[.-])/g, "<id>"],
]

/** Text without the temporary folder, the log's name and keys, digests and times. */
export const normalise = (text: string): string =>
  OF_ONE_RUN.reduce((out, [pattern, word]) => out.replace(pattern, word), text)

/** Answers in a report: `slack PROVEN`. */
export const verdictsOf = ({ output }: Step): readonly string[] =>
  output.flatMap((line) => {
    const [, name, verdict] = /^(\w+) +(PROVEN|UNCHANGED|CHANGED|UNKNOWN|AUTH|REJECTED) /.exec(line) ?? []
    return name === undefined ? [] : [`${name} ${verdict}`]
  })
