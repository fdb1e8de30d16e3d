// Masks on the command line: read from it, and offered in a form that can be pasted back.
import { resolve } from "node:path"
import { quotePath, readRegularFile } from "../adapters/regular-file.js"
import { encodeUtf8 } from "../core/bytes.js"
import { escapeUnits, ToolsumError } from "../core/errors.js"
import { isArray, type JsonValue, parseJson } from "../core/json.js"
import { type Mask, parseMasks } from "../core/mask.js"
import type { Io } from "./io.js"
import type { OptionSpec, Options } from "./options.js"

/** Options of commands that read a server for good. */
export const MASK_OPTIONS: readonly OptionSpec[] = [
  [
    "--mask <json>",
    "Text that moves by itself, left out of the hash; as offered where two readings differ; repeatable",
  ],
  ["--masks <file>", "The same from a file: a JSON list of masks"],
]

/** Largest file of masks. */
const MAX_MASKS_BYTES = 1024 * 1024

/** The masks that were typed, in that order, then those of the file. Throws MASK_MALFORMED, and as reading a file does. */
export async function readMasks(options: Options, io: Io): Promise<readonly Mask[]> {
  const typed = options.values("mask").map((text) => parseMaskJson(encodeUtf8(text), "--mask"))
  const path = options.value("masks")
  if (path === null) return parseMasks(typed)
  const bytes = readRegularFile(resolve(io.cwd, path), { maxBytes: MAX_MASKS_BYTES, code: "MASK_MALFORMED" })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `--masks: there is no file ${quotePath(path)}`)
  const listed = parseMaskJson(bytes, `--masks ${quotePath(path)}`)
  if (!isArray(listed)) throw new ToolsumError("MASK_MALFORMED", `--masks ${quotePath(path)}: expected a list of masks`)
  return parseMasks([...typed, ...listed])
}

function parseMaskJson(bytes: Uint8Array, from: string): JsonValue {
  try {
    return parseJson(bytes)
  } catch (cause) {
    if (!(cause instanceof ToolsumError)) throw cause
    throw new ToolsumError("MASK_MALFORMED", `${from}: expected JSON: ${cause.message}`, { cause })
  }
}

/** A mask as the word after `--mask`, quoted for sh. Text of a server is in it: whatever any shell may read something into is a `\u`
 *  escape of JSON, so that a word in quotes is all it can ever be. */
export function formatMaskWord(mask: Mask): string {
  const { section, item, pointer, prefix, suffix, max } = mask
  const members = Object.entries({ section, item, pointer, prefix, suffix, class: mask.class, max })
  const text = members.map(([name, value]) => `"${name}":${typeof value === "string" ? spell(value) : String(value)}`)
  return `'{${text.join(",")}}'`
}

const spell = (text: string): string => `"${text.replace(/[^A-Za-z0-9 .,:/_@+=#()-]/g, escapeUnits)}"`
