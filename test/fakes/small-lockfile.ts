// Small well-formed lockfiles for tests of what handles files: pins that no log has yet, nothing to verify.
import { computeTextDigest } from "../../src/core/hash.js"
import type { Lockfile, Pin } from "../../src/core/lockfile.js"
import { formatObservation } from "../../src/core/record.js"
import { computeSurfaceDigest } from "../../src/core/section.js"

const ORIGIN = "log.example"
const LINES = {
  tools: "none",
  prompts: "none",
  templates: "none",
  resources: "-",
  instructions: "none",
  server: "none",
}

const OBSERVATION = formatObservation({
  subject: "pkg:npm/x",
  version: "1.0.0",
  profile: "anonymous",
  how: computeTextDigest("how"),
  observer: "local",
  mask: "-",
  state: "listed",
  lines: LINES,
  surface: computeSurfaceDigest("listed", LINES),
  observed: 1796083200n,
})

const PIN: Pin = {
  from: [],
  target: { command: "npx", args: ["-y", "x@1.0.0"], env: [] },
  log: ORIGIN,
  record: null,
  index: null,
  head: null,
  proof: null,
  observation: OBSERVATION,
  tools: {},
  prompts: {},
  templates: {},
  masks: [],
  read: {},
  approved: null,
}

/** `lockfile`, or an empty one, with one more pin. */
export const withPin = (lockfile: Lockfile | null, name: string): Lockfile => ({
  format: "toolsum-lock/v1",
  logs: { [ORIGIN]: { dialect: "tlog-tiles", url: null, keyring: ["a keyring"], heads: {}, links: {} } },
  removed: lockfile?.removed ?? {},
  servers: { ...lockfile?.servers, [name]: PIN },
})
