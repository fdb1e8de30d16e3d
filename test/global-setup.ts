// Builds dist/ once before tests that run the command itself; TOOLSUM_NO_BUILD uses what is there.
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export default function setup() {
  if (!process.env.TOOLSUM_BUILD) return
  execFileSync("npm", ["run", "--silent", "build"], { cwd: fileURLToPath(new URL("..", import.meta.url)), stdio: "inherit" })
}
