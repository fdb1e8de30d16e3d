// Shared data lies beside the repository where it is developed. Tests on it skip visibly elsewhere.
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe } from "vitest"

const root = new URL("../../shared/", import.meta.url)

/** True where the shared data is present. */
export const hasShared = existsSync(root)

/** Path of a shared file or folder. */
export const sharedPath = (path: string): string => fileURLToPath(new URL(path, root))

/** Text of a shared file. */
export const readShared = (path: string): string => readFileSync(sharedPath(path), "utf8")

/** `describe`, skipped where there is no shared data. */
export const describeShared = hasShared ? describe : describe.skip
