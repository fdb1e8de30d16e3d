// A small JSON document of the user's own, such as the consent or the trust store: read whole, changed under a process lock,
// replaced durably, private to the user. Damaged is STATE_CORRUPT, and then nothing is written over it.
import { dirname } from "node:path"
import { encodeUtf8 } from "../core/bytes.js"
import { type Bad, quote, ToolsumError } from "../core/errors.js"
import { isObject, type JsonObject, type JsonValue, parseJson } from "../core/json.js"
import { quotePath, readRegularFile } from "./regular-file.js"

/** How one kind of document is read and written. */
export interface StoreFormat<T> {
  /** Value of its `format` member. */
  readonly format: string
  /** What an absent file means. */
  readonly empty: T
  /** Value of a parsed document. Throws through `bad`. */
  parse(document: JsonObject, bad: Bad): T
  /** Members of the document after `format`. */
  members(value: T): Readonly<Record<string, unknown>>
}

const MAX_STORE_BYTES = 4 * 1024 * 1024

/** The stored value. Throws STATE_CORRUPT, IO_FAILED. */
export function readStore<T>(path: string, kind: StoreFormat<T>): T {
  const bytes = readRegularFile(path, { maxBytes: MAX_STORE_BYTES, code: "STATE_CORRUPT" })
  if (bytes === null) return kind.empty
  const bad: Bad = (why) => new ToolsumError("STATE_CORRUPT", `${quotePath(path)} is damaged: ${why}`)
  const document = parseDocument(bytes, bad)
  if (!isObject(document)) throw bad("expected an object")
  if (document.format !== kind.format) throw bad(`expected format ${kind.format}`)
  return kind.parse(document, bad)
}

function parseDocument(bytes: Uint8Array, bad: Bad): JsonValue {
  try {
    return parseJson(bytes)
  } catch (error) {
    throw bad(error instanceof Error ? error.message : String(error))
  }
}

/** Change the stored value; `change` returns the same value to leave the file alone. Returns what is stored then. */
export async function reviseStore<T>(path: string, kind: StoreFormat<T>, change: (value: T) => T): Promise<T> {
  // What writes is loaded only now: `verify` reads a store on every run.
  const [{ withProcessLock }, { makePrivateDirectory, PRIVATE_FILE_MODE, replaceFile }] = await Promise.all([
    import("./process-lock.js"),
    import("./durable-file.js"),
  ])
  await makePrivateDirectory(dirname(path))
  return withProcessLock(`${path}.writing`, async (lock) => {
    const before = readStore(path, kind)
    const after = change(before)
    if (after === before) return before
    const text = `${JSON.stringify({ format: kind.format, ...kind.members(after) }, null, 2)}\n`
    await lock.assertHeld()
    await replaceFile(path, encodeUtf8(text), { mode: PRIVATE_FILE_MODE, tempPath: `${path}.tmp` })
    return after
  })
}

/** Check that `value` is an object with exactly these members. */
export function expectMembers(value: JsonValue | undefined, names: readonly string[], bad: Bad): JsonObject {
  if (!isObject(value)) throw bad(`expected an object with ${names.join(", ")}`)
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown !== undefined) throw bad(`expected only ${names.join(", ")}, got ${quote(unknown)}`)
  const missing = names.find((name) => !(name in value))
  if (missing !== undefined) throw bad(`expected a member ${missing}`)
  return value
}

/** Check that `value` is text. */
export function expectText(value: JsonValue | undefined, name: string, bad: Bad): string {
  if (typeof value !== "string") throw bad(`expected ${name} to be text`)
  return value
}
