// Under which identity a list is read (DESIGN 2): what is given to the server, or a name that its user chose for that. Reads of two
// profiles are never compared.
import { quote, ToolsumError } from "../core/errors.js"
import { isPinName } from "../core/pin.js"
import { isCommandTarget, listVariables, type Target } from "../core/target.js"

/** The profile of a read to which nothing is given. */
const ANONYMOUS = "anonymous"

/** Every variable and header that a target is given, or `anonymous`. `placeholders`: variables that get a dummy text. */
export function profileOf(target: Target, placeholders: readonly string[]): string {
  const dummies = new Set(placeholders)
  const headers = isCommandTarget(target)
    ? []
    : Object.keys(target.headers).map((header) => `header:${header.toLowerCase()}`)
  const parts = listVariables(target).map((name) => `${dummies.has(name) ? "placeholder" : "env"}:${name}`)
  const all = [...new Set([...parts, ...headers])].sort()
  return all.length === 0 ? ANONYMOUS : all.join("+")
}

/** The placeholders that a profile names. */
export const placeholdersOf = (profile: string): readonly string[] =>
  profile.split("+").flatMap((part) => (part.startsWith("placeholder:") ? [part.slice("placeholder:".length)] : []))

/** The name that somebody chose for a profile; null for one that says what is given. */
export const chosenNameOf = (profile: string): string | null =>
  profile !== ANONYMOUS && isPinName(profile) ? profile : null

/** Refuse what cannot be a chosen name, and one where it would hide which variables are dummies: a later read would give their values.
 *  Throws USAGE. */
export function requireProfileName(name: string, placeholders: readonly string[]): void {
  if (chosenNameOf(name) === null)
    throw new ToolsumError(
      "USAGE",
      `expected a profile name of a-z, 0-9 and . _ - other than ${ANONYMOUS}, got ${quote(name)}`,
    )
  const [dummy] = placeholders
  if (dummy !== undefined)
    throw new ToolsumError(
      "USAGE",
      `the profile ${name} would not say that ${dummy} is a placeholder; leave --profile or --placeholder out`,
    )
}

/** Refuse to read a target under another profile than the one that a list was read under. Throws PROFILE_MISMATCH. */
export function requireProfile(profile: string, target: Target): void {
  if (chosenNameOf(profile) !== null) return
  const now = profileOf(target, placeholdersOf(profile))
  if (now !== profile)
    throw new ToolsumError(
      "PROFILE_MISMATCH",
      `it was read as ${profile}, this launch line would read it as ${now}: two profiles are never compared`,
    )
}
