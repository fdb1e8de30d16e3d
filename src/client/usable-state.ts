// The user's state where it can be used: one that cannot be read or written at all is a warning, and no reason to answer nothing (DESIGN 8).
// One that is damaged is neither: nothing is answered, nothing is deleted, and the error says where it is.
import { quote, ToolsumError } from "../core/errors.js"
import type { LogIdentity, State } from "../ports.js"

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

/** What is remembered of one log: its bytes, which the next ones replace, and what they say. Both null where nothing is. */
export interface Recalled<T> {
  readonly bytes: Uint8Array | null
  readonly memory: T | null
}

const MAX_PLACE_CHARS = 400

/** Read what is remembered of `log`. Throws STATE_CORRUPT, naming the place and what to do: the program never does that itself, since a log
 *  that forked would be forgotten with it. */
export async function recall<T>(
  state: State,
  log: LogIdentity,
  parse: (bytes: Uint8Array, log: LogIdentity) => T,
): Promise<Recalled<T> | typeof UNAVAILABLE> {
  const bytes = await unlessUnavailable(state.newest(log))
  if (bytes === UNAVAILABLE) return UNAVAILABLE
  if (bytes === null) return { bytes, memory: null }
  try {
    return { bytes, memory: parse(bytes, log) }
  } catch (error) {
    if (!(error instanceof ToolsumError) || error.code !== "STATE_CORRUPT") throw error
    throw new ToolsumError("STATE_CORRUPT", `${error.message}; ${howToForget(state, log)}`, { cause: error })
  }
}

/** Where the memory of a log is, and what a person does about one that is of no more use. */
export const howToForget = (state: State, log: LogIdentity): string =>
  `it is kept in ${quote(state.placeOf(log), MAX_PLACE_CHARS)}: compare the log with others first (toolsum log compare), then move that file away to begin anew`
