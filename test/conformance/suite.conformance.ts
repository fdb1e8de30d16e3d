// The official conformance suite against `toolsum verify-server`: every client scenario, in every revision it is for. The suite judges its
// checks against expected-failures.yml, where each failure has its reason; what is not listed must pass, what passes must not be listed. Here
// it is added which verdict a user gets each time.
import { execFile, execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import { expect, inject, test } from "vitest"

const FOLDER = fileURLToPath(new URL(".", import.meta.url))
const EXPECTED = join(FOLDER, "expected-failures.yml")
const BINARY = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`
const NODE = join(inject("suite"), BINARY, "bin", process.platform === "win32" ? "node.exe" : "node")
const SUITE = join(inject("suite"), "@modelcontextprotocol/conformance/dist/index.js")
/** A client may take this long on a busy machine. */
const CLIENT_TIMEOUT_MS = 120_000

/** What scenarios end with that are not read to the end, by name; `auth/` is for all others under it. */
const VERDICTS: Readonly<Record<string, string>> = {
  "auth/": "AUTH refused",
  "auth/2025-03-26-oauth-endpoint-fallback": "UNKNOWN server_unreachable",
  "auth/client-credentials-basic": "UNKNOWN not_in_log",
  "auth/metadata-issuer-mismatch": "UNKNOWN malformed",
  "auth/pre-registration": "UNKNOWN not_in_log",
  "auth/resource-mismatch": "UNKNOWN malformed",
  "auth/token-endpoint-auth-basic": "UNKNOWN not_in_log",
  "auth/token-endpoint-auth-post": "UNKNOWN not_in_log",
}

const verdictOf = (scenario: string): string =>
  VERDICTS[scenario] ?? VERDICTS[scenario.replace(/[^/]*$/, "")] ?? "UNKNOWN not_in_log"

/** Scenario and revision, from lines such as `  - initialize [2025-06-18,2025-11-25]`. */
const RUNS = execFileSync(NODE, [SUITE, "list", "--client"], { encoding: "utf8" })
  .split("\n")
  .flatMap((line) => {
    const [, scenario = "", revisions] = /^ {2}- (\S+) \[(.*)\]$/.exec(line) ?? []
    return (revisions?.split(",") ?? []).map((revision) => [scenario, revision] as const)
  })

/** Run one scenario. `passes`: by the suite's judgement; `verdict`: what toolsum said. */
async function run(scenario: string, revision: string): Promise<{ passes: boolean; verdict: string; output: string }> {
  const result = join(inject("results"), `${scenario.replaceAll("/", "-")}-${revision}.json`)
  const version = revision === "extension" ? [] : ["--spec-version", revision]
  const expected = ["--expected-failures", EXPECTED, "--timeout", String(CLIENT_TIMEOUT_MS)]
  const client = `${process.execPath} client.mjs`
  const line = [SUITE, "client", "--command", client, "--scenario", scenario, ...version, ...expected]
  const env = { ...process.env, CONFORMANCE_RESULT: result }
  const ended = await new Promise<{ code: unknown; output: string }>((resolve) =>
    execFile(NODE, line, { cwd: FOLDER, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, output: stripVTControlCharacters(`${stdout}${stderr}`) }),
    ),
  )
  return { passes: ended.code === 0, verdict: readVerdict(result), output: ended.output }
}

function readVerdict(result: string): string {
  try {
    const { verdict, reason } = JSON.parse(readFileSync(result, "utf8"))
    return `${verdict} ${reason}`
  } catch (error) {
    return `none: ${error}`
  }
}

test("the suite has scenarios of both eras", () => {
  expect(RUNS.length).toBeGreaterThan(60)
  expect(RUNS).toEqual(
    expect.arrayContaining([["initialize", "2025-11-25"] as const, ["request-metadata", "2026-07-28"] as const]),
  )
})

test("every expected failure is of a scenario that is run, and has its reason", () => {
  const entries = readFileSync(EXPECTED, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("  - "))
  const scenarios = new Set(RUNS.map(([scenario]) => scenario))
  expect(entries.length).toBeGreaterThan(0)
  for (const entry of entries) {
    const [, scenario = "", reason = ""] = /^ {2}- ([^:]+):\S+ +# (.+)$/.exec(entry) ?? []
    expect(scenarios.has(scenario) && reason.length > 10, entry).toBe(true)
  }
})

test.concurrent.each(RUNS)("%s, %s", async (scenario, revision) => {
  const { passes, verdict, output } = await run(scenario, revision)
  expect(passes, output).toBe(true)
  expect(verdict, output).toBe(verdictOf(scenario))
})
