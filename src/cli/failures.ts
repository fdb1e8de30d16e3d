// A batch of pins goes on when one of them fails: how such a failure is said, and how it stands in the document (DESIGN 9).
import type { ToolsumError } from "../core/errors.js"
import type { JsonValue } from "../core/json.js"
import { showName } from "../surface/shown-text.js"
import { sayError } from "./error-text.js"
import { errorMember } from "./report-json.js"

/** A pin that a command could not do its work on. */
export interface FailedPin {
  readonly name: string
  readonly ok: false
  readonly error: ToolsumError
}

/** One line for stderr. The name may be one from a client configuration. */
export const failureLine = ({ name, error }: FailedPin): string => `${showName(name)}: ${sayError(error)}\n`

/** The failure as a member of a document. */
export const failureMember = ({ name, error }: FailedPin): JsonValue => ({ name, ok: false, error: errorMember(error) })
