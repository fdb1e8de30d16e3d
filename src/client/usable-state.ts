// The user's state where it can be used: one that cannot be read or written at all is a warning, and no reason to answer nothing (DESIGN 8).
import { ToolsumError } from "../core/errors.js"

/** In place of what the state would have said. */
export const UNAVAILABLE = "state_unavailable"

/** What `work` on the state gives, or UNAVAILABLE where it cannot be used; damaged state is another matter and thrown. */
export async function unlessUnavailable<T>(work: Promise<T>): Promise<T | typeof UNAVAILABLE> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ToolsumError && (error.code === "IO_FAILED" || error.code === "TIMEOUT")) return UNAVAILABLE
    throw error
  }
}
