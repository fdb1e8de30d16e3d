// The name that a user chose for the identity under which a server is read.
import type { OptionSpec, Options } from "./options.js"

/** Options of commands that read a server for good. */
export const PROFILE_OPTIONS: readonly OptionSpec[] = [
  ["--profile <name>", "Name of the identity that the list is read under, such as work, instead of what is given"],
]

/** The chosen name, or null. */
export const readProfile = (options: Options): string | null => options.value("profile")
