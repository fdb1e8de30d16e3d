// Files of results under a name that a person typed. Only an older file of the same kind, or an empty one, makes room for a new one: a slip
// must not cost a lockfile, and a device or what a link leads to is never replaced.
import { replaceFile } from "../adapters/durable-file.js"
import { quotePath, readRegularFile } from "../adapters/regular-file.js"
import { encodeUtf8 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"

/** A kind of file that commands write. */
export interface OutputKind {
  readonly name: string
  /** What the text of every such file matches. */
  readonly pattern: RegExp
  readonly maxBytes: number
}

/** Refuse a place where something else is. Throws FILE_EXISTS, IO_FAILED. */
export function requireOutputPlace(path: string, { name, pattern, maxBytes }: OutputKind): void {
  const before = readRegularFile(path, { maxBytes, code: "FILE_EXISTS" })
  if (before === null || before.length === 0 || pattern.test(new TextDecoder().decode(before))) return
  throw new ToolsumError("FILE_EXISTS", `expected nothing or an older ${name} at ${quotePath(path)}, got another file`)
}

/** Write such a file. Throws as `requireOutputPlace`, and then what was there is still there. */
export async function writeOutput(path: string, text: string, kind: OutputKind): Promise<void> {
  requireOutputPlace(path, kind)
  await replaceFile(path, encodeUtf8(text))
}
