// Fuzzes every parser: node test/fuzz/run.mjs [--short] [--seconds N] [--seed N [--path P]] [--only NAME]
// --short: about a minute for all. --seed and --path replay what a failure printed, --only takes one parser.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const SHORT_SECONDS = 50
const LONG_SECONDS = 1200

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    seconds: { type: "string" },
    seed: { type: "string" },
    path: { type: "string" },
    only: { type: "string" },
  },
})
const env = {
  ...process.env,
  TOOLSUM_FUZZ_SECONDS: values.seconds ?? `${values.short ? SHORT_SECONDS : LONG_SECONDS}`,
  TOOLSUM_FUZZ_SEED: values.seed ?? `${Date.now() % 2 ** 31}`,
  TOOLSUM_FUZZ_PATH: values.path ?? "",
  TOOLSUM_FUZZ_ONLY: values.only ?? "",
}
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))
const { status } = spawnSync(process.execPath, [vitest, "run", "--config", "vitest.fuzz.config.ts"], {
  cwd: fileURLToPath(new URL("../..", import.meta.url)),
  env,
  stdio: "inherit",
})
process.exitCode = status ?? 1
