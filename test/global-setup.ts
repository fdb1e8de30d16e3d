// Builds dist/ once before any test that runs the command itself.
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export default function setup() {
  execFileSync("npm", ["run", "--silent", "build"], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
  })
}
