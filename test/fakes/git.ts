// Git in a temporary folder, without the machine's own settings.
import { execFileSync } from "node:child_process"

const ENVIRONMENT = {
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "test",
  GIT_AUTHOR_EMAIL: "test@example.com",
  GIT_COMMITTER_NAME: "test",
  GIT_COMMITTER_EMAIL: "test@example.com",
}

/** Run git in `folder`. */
export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: folder, env: ENVIRONMENT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

/** Make `folder` a repository if it is none, and commit everything in it. */
export async function commitAll(folder: string): Promise<void> {
  git(folder, "init", "--quiet")
  git(folder, "add", "--all")
  git(folder, "commit", "--quiet", "--allow-empty", "--message", "all")
}
