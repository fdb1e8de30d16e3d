// Takes the values of the variables that a target names out of text of its server, which is shown to people: servers do print their
// keys. What is read and hashed is never touched.
import { listSpellings, redactSpellings } from "../core/secret-values.js"
import { isCommandTarget, type Target } from "../core/target.js"
import { listTemplateNames } from "../core/template.js"

/** Puts `${NAME}` in the place of each value. */
export type Redact = (text: string) => string

/** Shorter values are ordinary words more often than secrets. */
const MIN_SECRET_CHARS = 4

/** The redactor of a target: knows the variables that are handed over, those in templates of arguments, URL and headers, and those in
 *  `more`. `environment`: their values. Throws TARGET_MALFORMED. */
export function createRedactor(
  target: Target,
  environment: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): Redact {
  const spellings = listSpellings([...listTargetNames(target), ...more], environment, MIN_SECRET_CHARS)
  return (text) => redactSpellings(text, spellings)
}

/** Names of all variables whose values go into a start or a request, each once. */
function listTargetNames(target: Target): readonly string[] {
  const templates = isCommandTarget(target) ? target.args : [target.url, ...Object.values(target.headers)]
  const handed = isCommandTarget(target) ? target.env : []
  return [...new Set([...handed, ...templates.flatMap(listTemplateNames)])]
}
