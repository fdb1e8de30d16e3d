// Who reads a server: the observer in a record. `local` in a personal log; a team's job gives its own name.
import { quote, ToolsumError } from "../core/errors.js"
import { isObserver } from "../core/record.js"
import type { OptionSpec, Options } from "./options.js"

/** Option of every command that makes a record. */
export const OBSERVER_OPTIONS: readonly OptionSpec[] = [
  ["--observer <name>", "Who reads, in the record of a team's log; local unless given"],
]

/** The observer to record. Throws USAGE for what is no observer's name. */
export function readObserver(options: Options): string {
  const observer = options.value("observer") ?? "local"
  if (isObserver(observer)) return observer
  throw new ToolsumError("USAGE", `--observer: expected a name such as ci.example.com, got ${quote(observer)}`)
}
