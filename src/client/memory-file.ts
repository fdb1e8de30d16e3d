// What is remembered of one log, as a file of the user's state: JSON in one line, its members in one order, the digest of all before it as
// the last. What stands in it is remember.ts's and legion-memory.ts's.
import { encodeUtf8, equalBytes } from "../core/bytes.js"
import { type Bad, ToolsumError } from "../core/errors.js"
import { computeTextDigest } from "../core/hash.js"
import { isObject, type JsonObject, type JsonValue } from "../core/json.js"
import type { LogIdentity } from "../ports.js"

/** One format of such a file. `members`: all names in their order, `sum` included. */
export interface MemoryFormat<T> {
  readonly format: string
  readonly members: readonly string[]
  readonly parse: (bytes: Uint8Array) => JsonValue
  readonly read: (document: JsonObject, log: LogIdentity, bad: Bad) => T
  readonly write: (memory: T, log: LogIdentity) => Uint8Array
}

/** Read what was remembered of `log`. Throws STATE_CORRUPT for anything else than what `write` gives for it. */
export function parseMemoryFile<T>(bytes: Uint8Array, log: LogIdentity, file: MemoryFormat<T>): T {
  const { format, members } = file
  const bad: Bad = (why) => new ToolsumError("STATE_CORRUPT", `what was remembered of this log is damaged: ${why}`)
  try {
    const document = file.parse(bytes)
    if (!isObject(document) || document.format !== format) throw bad(`expected format ${format}`)
    if (Object.keys(document).join() !== members.join()) throw bad(`expected the members ${members.join(", ")}`)
    if (document.origin !== log.origin || document.root !== log.root) throw bad("expected another log")
    const memory = file.read(document, log, bad)
    if (!equalBytes(file.write(memory, log), bytes)) throw bad("expected its own checksum and spelling")
    return memory
  } catch (error) {
    if (error instanceof ToolsumError && error.code !== "STATE_CORRUPT") throw bad(error.message)
    throw error
  }
}

/** The file of these members, in this order, with their digest. */
export function formatMemoryFile(members: Readonly<Record<string, string | readonly string[]>>): Uint8Array {
  const body = JSON.stringify(members).slice(0, -1)
  return encodeUtf8(`${body},"sum":"${computeTextDigest(body)}"}\n`)
}

/** A member that is text. Throws `bad`. */
export function textMember(document: JsonObject, name: string, bad: Bad): string {
  const value = document[name]
  if (typeof value !== "string") throw bad(`expected ${name} to be text`)
  return value
}
