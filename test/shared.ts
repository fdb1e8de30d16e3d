// Shared data lies beside the repository where it is developed. Tests on it skip visibly elsewhere.
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, test } from "vitest"

const root = new URL("../../shared/", import.meta.url)

/** True where the shared data is present. */
export const hasShared: boolean = existsSync(root)

// Where somebody says that the data is there, a run that does not see it must not pass by skipping.
if (process.env.TOOLSUM_SHARED === "required" && !hasShared) throw new Error(`expected shared data at ${root.pathname}`)

/** Path of a shared file or folder. */
export const sharedPath = (path: string): string => fileURLToPath(new URL(path, root))

/** Text of a shared file. */
export const readShared = (path: string): string => readFileSync(sharedPath(path), "utf8")

/** `describe` for tests on shared data. Where there is none, its body is not even called: one test says that it was skipped. */
export function describeShared(name: string, body: () => void): void {
  if (hasShared) describe(name, body)
  else describe(name, () => test.skip("needs the shared data beside the repository", () => {}))
}
