// What is asked of git: a file as it was at a revision. Git is started without a shell; a revision that looks like an option is refused.
import { execFile } from "node:child_process"
import { basename, dirname } from "node:path"
import { promisify } from "node:util"
import { quote, ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES } from "../core/json.js"

const run = promisify(execFile)

/** Bytes of the file at `path` at a git revision; null when it was not there. Throws USAGE for a revision that git does not know. */
export async function readAtRevision(revision: string, path: string): Promise<Uint8Array | null> {
  if (!/^[A-Za-z0-9_][\w./@{}^~-]*$/.test(revision))
    throw new ToolsumError("USAGE", `expected a git revision, got ${quote(revision)}`)
  const cwd = dirname(path)
  try {
    await run("git", ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`], { cwd })
  } catch (cause) {
    throw new ToolsumError("USAGE", `git knows no revision ${quote(revision)} here`, { cause })
  }
  try {
    const { stdout } = await run("git", ["show", `${revision}:./${basename(path)}`], {
      cwd,
      encoding: "buffer",
      maxBuffer: MAX_JSON_BYTES,
    })
    return new Uint8Array(stdout)
  } catch {
    return null
  }
}
