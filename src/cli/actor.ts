// Who acts: the name that goes into approvals. Git's user.email where there is one, else the account name; never a prompt.
import { execFile } from "node:child_process"
import { userInfo } from "node:os"
import { promisify } from "node:util"
import { ToolsumError } from "../core/errors.js"
import type { Actor } from "../features/pins.js"
import type { Io } from "./io.js"
import type { OptionSpec, Options } from "./options.js"

/** Options of every command that leaves a name in the lockfile. */
export const ACTOR_OPTIONS: readonly OptionSpec[] = [
  ["--reason <text>", "Why; kept in the lockfile"],
  ["--by <name>", "Who; without it git's user.email or the account name"],
]

/** The person or job that runs this command. Throws USAGE where nothing names them, as in a container under a number. */
export async function findActor(options: Options, io: Io): Promise<Actor> {
  const by = options.value("by") ?? (await gitEmail(io)) ?? accountName()
  return { by, reason: options.value("reason"), nowSec: io.nowSec() }
}

async function gitEmail({ cwd, env }: Io): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["config", "user.email"], { cwd, env, timeout: 5000 })
    return stdout.trim() || null
  } catch {
    return null // no git, or no address set: the account name will do
  }
}

function accountName(): string {
  try {
    return userInfo().username
  } catch (cause) {
    throw new ToolsumError("USAGE", "this account has no name: say with --by who acts, or set git's user.email", {
      cause,
    })
  }
}
