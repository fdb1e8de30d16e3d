// The log's own settings, private/log: written with the first commit and never changed. Line-based text, one spelling:
//
//   toolsum-log/v1 / origin O / archive on|off
import { decodeUtf8, encodeUtf8 } from "../core/bytes.js"
import { isOrigin } from "../core/checkpoint.js"
import { ToolsumError } from "../core/errors.js"
import type { ReadFile } from "./edge.js"

/** Storage key of the settings. */
export const SETTINGS_KEY = "private/log"

const MAX_SETTINGS_BYTES = 1024
const SETTINGS = /^toolsum-log\/v1\norigin ([^\n]+)\narchive (on|off)\n$/

/** What was decided when the log was made. */
export interface LogSettings {
  readonly origin: string
  /** Whether canonical items are kept among the objects (DESIGN 6); section texts always are. */
  readonly archive: boolean
}

const bad = (why: string): ToolsumError => new ToolsumError("STATE_CORRUPT", `${SETTINGS_KEY}: ${why}`)

/** Write the settings; the exact inverse of `parseSettings`. */
export const formatSettings = ({ origin, archive }: LogSettings): Uint8Array =>
  encodeUtf8(`toolsum-log/v1\norigin ${origin}\narchive ${archive ? "on" : "off"}\n`)

/** Read the settings. Throws STATE_CORRUPT. */
export function parseSettings(bytes: Uint8Array): LogSettings {
  const [, origin = "", archive] = SETTINGS.exec(decodeUtf8(bytes, bad)) ?? []
  if (!isOrigin(origin)) throw bad("expected origin and archive")
  return { origin, archive: archive === "on" }
}

/** Load the settings. Throws STATE_CORRUPT when they are missing or malformed. */
export async function loadSettings(read: ReadFile): Promise<LogSettings> {
  const bytes = await read(SETTINGS_KEY, MAX_SETTINGS_BYTES)
  if (bytes === null) throw bad("missing")
  return parseSettings(bytes)
}
