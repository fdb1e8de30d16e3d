// The error of a log that contradicts itself or the outside world (brief 5.4). There is no way to force such a log open: signing on top
// of a restored backup forks it for everybody who has seen more.
import { ToolsumError } from "../core/errors.js"

/** LOG_REFUSED, and what its owner should think of. `advice`: where it may be something else, what to do then. */
export const refused = (why: string, cause?: unknown, advice = ""): ToolsumError =>
  new ToolsumError("LOG_REFUSED", `${why}: this is a restored backup, or the log has a second writer${advice}`, {
    cause,
  })
