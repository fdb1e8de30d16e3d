// Roots and places of public logs that this package brings along (DESIGN 8): vendor-keys/<name>.json, each value with its source and with
// how a user checks it elsewhere. Read only when such a log is dealt with; what a user pins takes the place of what is here.
import { fileURLToPath } from "node:url"
import { quote, ToolsumError } from "../core/errors.js"
import { isObject, type JsonObject, type JsonValue, parseJson } from "../core/json.js"
import { type PinnedRoot, parseRootArgument } from "../core/root.js"
import { readRegularFile } from "./regular-file.js"

/** Format of such a file. */
export const VENDOR_KEYS_FORMAT = "toolsum-vendor-keys/v1"
const MAX_VENDOR_KEYS_BYTES = 64 * 1024

/** Logs that this package knows, by the names that `--log` takes. */
export const VENDOR_LOGS = ["legion"] as const
/** One of them. */
export type VendorLogName = (typeof VENDOR_LOGS)[number]

/** A value, where it is from, and how to check it without this package. */
export interface VendorValue {
  readonly value: string
  readonly source: string
  readonly check: string
}

/** A public log. `base`: https URL without a final slash. `pinned`: its root, named for its origin. */
export interface VendorLog {
  readonly name: VendorLogName
  readonly origin: VendorValue
  readonly base: VendorValue
  readonly root: VendorValue
  readonly pinned: PinnedRoot
}

/** True for the name of a log that this package knows. */
export const isVendorLogName = (text: string): text is VendorLogName => VENDOR_LOGS.some((name) => name === text)

/** What this package knows of a public log. Throws CONFIG_INVALID where the installed file is damaged or gone. */
export function readVendorLog(name: VendorLogName): VendorLog {
  const path = fileURLToPath(new URL(`../../vendor-keys/${name}.json`, import.meta.url))
  const bytes = readRegularFile(path, { maxBytes: MAX_VENDOR_KEYS_BYTES, code: "CONFIG_INVALID" })
  return parseVendorLog(bytes ?? "", name)
}

/** Read such a file. Throws CONFIG_INVALID. */
export function parseVendorLog(input: Uint8Array | string, name: VendorLogName): VendorLog {
  try {
    return readLog(parseJson(input), name)
  } catch (cause) {
    if (!(cause instanceof ToolsumError)) throw cause
    const why = `vendor-keys/${name}.json of this package is damaged (${cause.message}): install it again`
    throw new ToolsumError("CONFIG_INVALID", why, { cause })
  }
}

const bad = (why: string) => new ToolsumError("CONFIG_INVALID", why)

function readLog(document: JsonValue, name: VendorLogName): VendorLog {
  if (!isObject(document)) throw bad("expected an object")
  if (document.format !== VENDOR_KEYS_FORMAT) throw bad(`expected the format ${VENDOR_KEYS_FORMAT}`)
  if (document.name !== name) throw bad(`expected the name ${name}`)
  const [origin, base, root] = [readValue(document, "origin"), readValue(document, "base"), readValue(document, "root")]
  if (!/^https:\/\/[!-~]+[^/]$/.test(base.value)) throw bad(`expected an https URL as base, got ${quote(base.value)}`)
  const argument = parseRootArgument(`${origin.value}=${root.value}`)
  if (argument.dialect !== document.dialect) throw bad("expected a root of the log's dialect")
  return { name, origin, base, root, pinned: { ...argument, source: "vendor-keys" } }
}

function readValue(document: JsonObject, name: string): VendorValue {
  const member = document[name]
  if (!isObject(member)) throw bad(`expected ${name}`)
  const { value, source, check } = member
  if (typeof value !== "string" || typeof source !== "string" || typeof check !== "string")
    throw bad(`expected value, source and check of ${name}`)
  return { value, source, check }
}
