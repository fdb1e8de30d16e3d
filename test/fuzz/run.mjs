// Fuzzes every parser: node test/fuzz/run.mjs [--short] [--seconds N] [--seed N [--path P]] [--only NAME] [--save] [--compare] [--replay FILE]
// Half of the time goes to properties with random documents, half to the search that coverage guides. --short: about a minute for all.
// --seed and --path replay a property that failed, --replay FILE one input; --only takes one parser; --save writes what the search found to
// the corpus; --compare repeats each search without guidance.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const SHORT_SECONDS = 36
/** A short run belongs to a commit and should say the same of it twice; long ones look elsewhere each time. */
const SHORT_SEED = 20_261_201
const LONG_SECONDS = 1200

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    seconds: { type: "string" },
    seed: { type: "string" },
    path: { type: "string" },
    only: { type: "string" },
    save: { type: "boolean", default: false },
    compare: { type: "boolean", default: false },
    replay: { type: "string" },
  },
})
const seconds = Number(values.seconds ?? (values.short ? SHORT_SECONDS : LONG_SECONDS))
const env = {
  ...process.env,
  TOOLSUM_FUZZ_SECONDS: `${seconds / 2}`,
  TOOLSUM_FUZZ_SEED: values.seed ?? `${values.short ? SHORT_SEED : Date.now() % 2 ** 31}`,
  TOOLSUM_FUZZ_PATH: values.path ?? "",
  TOOLSUM_FUZZ_ONLY: values.only ?? "",
  TOOLSUM_FUZZ_SAVE: values.save ? "1" : "",
  TOOLSUM_FUZZ_COMPARE: values.compare ? "1" : "",
  TOOLSUM_FUZZ_REPLAY: values.replay ?? "",
}
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))
const { status } = spawnSync(process.execPath, [vitest, "run", "--config", "vitest.fuzz.config.ts"], {
  cwd: fileURLToPath(new URL("../..", import.meta.url)),
  env,
  stdio: "inherit",
})
process.exitCode = status ?? 1
