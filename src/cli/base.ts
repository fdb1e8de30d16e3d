// The options of commands that hold a project to an earlier revision of it. What they do is open-base.ts's, which loads only with them.
import { ToolsumError } from "../core/errors.js"
import { type Digest, parseDigest } from "../core/hash.js"
import type { OptionSpec, Options } from "./options.js"

/** Options of commands that hold a project to an earlier revision of it. */
export const BASE_OPTIONS: readonly OptionSpec[] = [
  [
    "--base <ref>",
    "Git revision to hold the lockfile to, such as origin/main: its toolsum.json counts, and what differs from the merge base must prove itself",
  ],
  ["--accept <digest>", "With --base: a change that was looked at, sha256:… as a report prints it; repeatable"],
]

/** What `--accept` accepts. Throws USAGE for what is no digest, and without `--base`. */
export function readAccepted(options: Options): ReadonlySet<Digest> {
  const digests = options
    .values("accept")
    .map((text) => parseDigest(text, (why) => new ToolsumError("USAGE", `--accept: ${why}`)))
  if (digests.length > 0 && options.value("base") === null)
    throw new ToolsumError("USAGE", "--accept: expected --base, whose differences are accepted")
  return new Set(digests)
}
