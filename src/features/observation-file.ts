// The file between `observe`, which starts servers and holds no key, and `log append`, which holds the key and starts nothing (DESIGN 6):
// observations with the texts behind their digests. FORMAT.md, "Observations file".
import { ToolsumError } from "../core/errors.js"
import { isArray, isObject, type JsonValue, parseJson } from "../core/json.js"
import { formatPrettyJson } from "../core/pretty-json.js"
import { formatObservation, parseObservation } from "../core/record.js"
import type { Submission } from "../writer/submission.js"

/** The `format` of the file. */
export const OBSERVATIONS_FORMAT = "toolsum-observations/v1"
/** Largest file. */
export const MAX_OBSERVATIONS_BYTES = 128 * 1024 * 1024

/** Text of the file. */
export function formatObservations(submissions: readonly Submission[]): string {
  const observations = submissions.map(({ observation, objects }) => ({
    observation: formatObservation(observation),
    objects: [...objects],
  }))
  return `${formatPrettyJson({ format: OBSERVATIONS_FORMAT, observations })}\n`
}

const bad = (why: string) => new ToolsumError("RECORD_MALFORMED", `observations file: ${why}`)

/** Read the file. Whether the texts are those of the digests is for the log to find out. Throws RECORD_MALFORMED, JSON_MALFORMED. */
export function parseObservations(bytes: Uint8Array): readonly Submission[] {
  const document = parseJson(bytes, { maxBytes: MAX_OBSERVATIONS_BYTES })
  if (!isObject(document) || document.format !== OBSERVATIONS_FORMAT)
    throw bad(`expected the format ${OBSERVATIONS_FORMAT}`)
  const { observations } = document
  if (!isArray(observations) || Object.keys(document).length !== 2)
    throw bad("expected format and observations, nothing else")
  return observations.map(parseSubmission)
}

function parseSubmission(value: JsonValue): Submission {
  if (!isObject(value) || Object.keys(value).length !== 2) throw bad("expected observation and objects, nothing else")
  const { observation, objects } = value
  if (typeof observation !== "string" || !isArray(objects))
    throw bad("expected observation to be text and objects a list")
  return { observation: parseObservation(observation), objects: objects.map(readObject) }
}

function readObject(value: JsonValue): string {
  if (typeof value !== "string") throw bad("expected every object to be text")
  return value
}
