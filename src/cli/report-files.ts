// Where a reader of a report finds a pin: its line in the lockfile, and the definitions file beside it, with paths as the repository has them.
import { dirname, relative, sep } from "node:path"
import { definitionsPath } from "../adapters/definitions-fs.js"
import { findLockfile } from "../adapters/lockfile-fs.js"
import { readRegularFile } from "../adapters/regular-file.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import type { ReportServer } from "../features/report/model.js"
import type { LockfileStore } from "../ports.js"

/** The places of one pin. What cannot be read is null: a report says what it can. */
export function findReportFiles(store: LockfileStore, name: string): Pick<ReportServer, "definitions" | "lockfile"> {
  const root = findLockfile(dirname(store.path)).gitRoot ?? dirname(store.path)
  const pathOf = (path: string) => relative(root, path).split(sep).join("/")
  const definitions = readText(definitionsPath(store.path, name))
  const line = lineOf(readText(store.path) ?? "", name)
  return {
    definitions: definitions === null ? null : { path: pathOf(definitionsPath(store.path, name)), text: definitions },
    lockfile: line === null ? null : { path: pathOf(store.path), line },
  }
}

function readText(path: string): string | null {
  const bytes = readRegularFile(path, { maxBytes: MAX_JSON_BYTES, code: "LOCKFILE_MALFORMED" })
  return bytes === null ? null : new TextDecoder().decode(bytes)
}

/** The 1-based line of a pin in a lockfile as it is written: the only member of that name at that depth behind "servers". */
function lineOf(text: string, name: string): number | null {
  const lines = text.split("\n")
  const servers = lines.indexOf('  "servers": {')
  const line = lines.findIndex((one, i) => i > servers && one.startsWith(`    ${JSON.stringify(name)}: {`))
  return servers < 0 || line < 0 ? null : line + 1
}
