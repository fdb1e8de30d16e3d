// An error as one line for people: its message, what helps where that is known, its code.
import { escapeInvisible, type ToolsumError } from "../core/errors.js"

/** `message (CODE)`. What somebody else wrote into a message starts no line of its own. */
export const sayError = (error: ToolsumError): string =>
  `${escapeInvisible(`${error.message}${adviceOn(error)}`.replaceAll("\n", " "))} (${error.code})`

/** What a server wants before it can be read, and how it gets that. */
function adviceOn({ code, message, evidence }: ToolsumError): string {
  if (code !== "SERVER_AUTH") return ""
  const [, name] = /^missing: ([A-Za-z_][A-Za-z0-9_]{0,127})$/.exec(message) ?? []
  const wants = evidence?.wants ? `; it wants ${evidence.wants}` : ""
  return name === undefined ? wants : `${wants}; set ${name}, or give --placeholder ${name} if a dummy text will do`
}
