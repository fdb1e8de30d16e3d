// Cases of the shared vectors of our own formats; none where there is no shared data, so that collecting a skipped suite reads nothing.
import { hasShared, readShared } from "../shared.js"

/** The `cases` of vectors/toolsum/<name>.json. `T` is what the README beside it says of a case. */
export const vectorCases = <T>(name: string): readonly T[] =>
  hasShared ? (JSON.parse(readShared(`vectors/toolsum/${name}.json`)) as { cases: T[] }).cases : []
