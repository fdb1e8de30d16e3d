// Takes the values of the variables that a target names out of text of its server, which is shown to people: servers do print their
// keys. What is read and hashed is never touched.
import { inspect } from "node:util"
import { ToolsumError } from "../core/errors.js"
import { listSpellings, redactSpellings } from "../core/secret-values.js"
import { isCommandTarget, type Target } from "../core/target.js"
import { listTemplateNames } from "../core/template.js"
import type { ServerReading } from "../ports.js"

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

/** The same error without values of variables, down to its causes. */
export function redactError(error: ToolsumError, redact: Redact): ToolsumError {
  const { code, evidence, message } = error
  const texts = Object.entries(evidence ?? {}).map(([name, text]) => [name, redact(text)] as const)
  const rest = evidence === undefined ? {} : { evidence: Object.fromEntries(texts) }
  return new ToolsumError(code, redact(message), { ...rest, cause: redactCause(error.cause, redact) })
}

/** An error of somebody else that has a value anywhere in it is left out: it cannot be written again. */
function redactCause(cause: unknown, redact: Redact): unknown {
  if (cause instanceof ToolsumError) return redactError(cause, redact)
  const text = inspect(cause)
  return redact(text) === text ? cause : undefined
}

/** The same reading without values of variables in what it tells people. What was read stays as it came. */
export const redactReading = (reading: ServerReading, redact: Redact): ServerReading => ({
  ...reading,
  failures: Object.fromEntries(
    Object.entries(reading.failures).map(([section, error]) => [section, redactError(error, redact)]),
  ),
  findings: reading.findings.map((finding) => ({ ...finding, message: redact(finding.message) })),
})

/** Names of all variables whose values go into a start or a request, each once. */
function listTargetNames(target: Target): readonly string[] {
  const templates = isCommandTarget(target) ? target.args : [target.url, ...Object.values(target.headers)]
  const handed = isCommandTarget(target) ? target.env : []
  return [...new Set([...handed, ...templates.flatMap(listTemplateNames)])]
}
