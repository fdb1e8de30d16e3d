// `toolsum.json` on disk, beside the lockfile. Its format is core/settings.ts's; what of it counts is for the caller to say.
import { dirname, join } from "node:path"
import {
  MAX_SETTINGS_BYTES,
  NO_SETTINGS_FILE,
  parseSettings,
  SETTINGS_NAME,
  type SettingsFile,
} from "../core/settings.js"
import { readRegularFile } from "./regular-file.js"

/** The settings beside a lockfile, as the working tree has them. Throws CONFIG_INVALID, IO_FAILED. */
export function readProjectSettings(lockfilePath: string): SettingsFile {
  const path = join(dirname(lockfilePath), SETTINGS_NAME)
  const bytes = readRegularFile(path, { maxBytes: MAX_SETTINGS_BYTES, code: "CONFIG_INVALID" })
  return bytes === null ? NO_SETTINGS_FILE : parseSettings(bytes, SETTINGS_NAME)
}
