// The committed run of demo/run.sh shows what it is meant to show: these steps with these exit codes, these answers, and the differences
// that the captured lists of the same servers have.
import { describe, expect, test } from "vitest"
import { loadPaint } from "../../src/cli/paint.js"
import { renderDiff } from "../../src/cli/render-diff.js"
import { itemKey } from "../../src/core/item.js"
import { isArray } from "../../src/core/json.js"
import { analyseChanges } from "../../src/surface/analysis.js"
import { withRules } from "../../src/surface/meanings.js"
import { describeShared } from "../shared.js"
import { PAIRS, readCapture } from "../surface/captures.js"
import { normalise, parseRun, readTranscript, type Step, verdictsOf } from "./transcript.js"

const SERVERS = {
  slack: "@modelcontextprotocol/server-slack 2025.1.17 2025.4.25",
  memory: "@modelcontextprotocol/server-memory 2026.1.26 2026.7.4",
  tavily: "tavily-mcp 0.2.15 0.2.16",
  playwright: "@playwright/mcp 0.0.71 0.0.76",
  thinking: "@modelcontextprotocol/server-sequential-thinking 2026.7.4 2026.8.31",
} as const
const NAMES = Object.keys(SERVERS)
const SORTED = [...NAMES].sort()

const { parts, end } = parseRun(readTranscript())

/** Steps of a part, without those of the shell. */
const stepsOf = (title: string): readonly Step[] =>
  parts.find((part) => part.title === title)?.steps.filter(({ command }) => command.includes("toolsum ")) ?? []

/** `1 update slack`: exit code, command and name. */
const outline = (steps: readonly Step[]): readonly string[] =>
  steps.map(({ command, exit }) => `${exit} ${/toolsum ((?:[a-z]+ ?)+)/.exec(command)?.[1]?.trim()}`)

/** The pinned package of a step: `-- npx -y package@version`. */
const launched = ({ command }: Step): string | undefined => / -- npx -y (\S+)$/.exec(command)?.[1]

const all = (verdict: string): readonly string[] => SORTED.map((name) => `${name} ${verdict}`)

describe("the transcript of the demo", () => {
  test("installs the project and both sets of servers", () => {
    const installs = parts.slice(0, 2).flatMap(({ steps }) => steps)
    expect(installs.map(({ folder, command, exit }) => [folder, command, exit])).toEqual([
      ["..", "npm ci --loglevel=error", 0],
      ["old", "npm ci --ignore-scripts", 0],
      ["new", "npm ci --ignore-scripts", 0],
    ])
  })

  test("pins five servers, proves them, finds them unchanged", () => {
    const steps = stepsOf("Pin five servers as they were")
    expect(outline(steps)).toEqual(["0 init", ...NAMES.map((name) => `0 add ${name}`), "0 verify", "0 check"])
    expect(steps.flatMap((step) => launched(step) ?? [])).toEqual(
      Object.values(SERVERS).map((line) => line.split(" ").slice(0, 2).join("@")),
    )
    expect(steps.map(verdictsOf).filter((verdicts) => verdicts.length > 0)).toEqual([all("PROVEN"), all("UNCHANGED")])
  })

  test("takes in the next version of each, with exit 1 and the line that approves it", () => {
    const steps = stepsOf("Take in their next versions")
    expect(outline(steps)).toEqual(NAMES.map((name) => `1 update ${name}`))
    for (const [i, [name, line]] of Object.entries(SERVERS).entries()) {
      const [pkg, before, after] = line.split(" ")
      const { output, folder } = steps[i] as Step
      expect(launched(steps[i] as Step)).toBe(`${pkg}@${after}`)
      expect(folder).toBe("new")
      expect(output[0]).toBe(`${name}: ${pkg} ${before} → ${after}`)
      expect(output.at(-3)).toMatch(/^ {2}was approved: sha256:[0-9a-f]{64}$/)
      expect(output.at(-1)).toMatch(new RegExp(`^ {4}toolsum approve ${name} --to sha256:[0-9a-f]{64} --reason "…"$`))
    }
  })

  test("approves what was printed, and proves all five offline, here and where there is only the lockfile", () => {
    const steps = stepsOf("Approve what was read, prove it offline")
    expect(outline(steps)).toEqual([
      "1 verify",
      ...NAMES.map((name) => `0 approve ${name}`),
      "0 verify",
      "0 verify",
      "0 check",
    ])
    const printed = stepsOf("Take in their next versions").map(
      ({ output }) => /sha256:\w+/.exec(output.at(-1) ?? "")?.[0],
    )
    expect(steps.slice(1, 6).map(({ command }) => / --to (\S+)$/.exec(command)?.[1])).toEqual(printed)
    expect(steps.map(verdictsOf).filter((verdicts) => verdicts.length > 0)).toEqual([
      all("CHANGED"),
      all("PROVEN"),
      all("PROVEN"),
      all("UNCHANGED"),
    ])
  })

  test("refuses an edited lockfile, naming the two pins that were edited", () => {
    const [step] = stepsOf("A lockfile edited by hand")
    expect(step?.exit).toBe(3)
    expect(step && verdictsOf(step)).toEqual(
      SORTED.map((name) => `${name} ${["playwright", "slack"].includes(name) ? "REJECTED" : "PROVEN"}`),
    )
  })

  test("refuses a log that went back, does not sign on it, refuses one that was rewritten, with the evidence", () => {
    const steps = stepsOf("A rewritten log")
    expect(outline(steps)).toEqual(["3 check", "2 update slack", "0 add thinking", "3 check", "3 check", "0 check"])
    const [back, writer, , fork, colleague, truth] = steps as [Step, Step, Step, Step, Step, Step]
    expect([back, fork, colleague, truth].map(verdictsOf)).toEqual([
      all("REJECTED"),
      all("REJECTED"),
      all("REJECTED"),
      all("UNCHANGED"),
    ])
    expect(back.output.at(-1)).toMatch(/rollback: .*; evidence: \S+-6-11\.tlog-fork$/)
    for (const step of [fork, colleague])
      expect(step.output.at(-1)).toMatch(/fork: the log signed two trees of size 7; evidence: \S+-7-7\.tlog-fork$/)
    expect(writer.output).toEqual([expect.stringMatching(/\(LOG_REFUSED\)$/)])
  })

  test("ends with the times of its parts and what was shown", () => {
    expect(end.slice(2, -3).map((line) => line.replace(/^ *\d+\.\d {2}/, ""))).toEqual([
      ...parts.map(({ title }) => title),
      "all",
    ])
    expect(end.slice(-2).join(" ")).toMatch(/^Shown: .* an edited lockfile and a rewritten log refused\.$/)
  })

  test("has nothing of the machine it ran on but the temporary folder", () => {
    expect(normalise(readTranscript())).not.toMatch(
      /(?<![\w$])\/(?:home|root|Users|var|opt|tmp|usr|private)\b|https?:\/\/registry/,
    )
  })
})

describeShared("the transcript and the captured lists", () => {
  const steps = stepsOf("Take in their next versions")

  test.each(Object.entries(SERVERS))("%s: the same difference", async (name, line) => {
    const [pkg = "", before = "", after = ""] = line.split(" ")
    const pair = PAIRS.find((one) => one.package === pkg && one.before.includes(before) && one.after.includes(after))
    if (!pair) throw new Error(`expected a pair of captures of ${pkg}`)
    const sides = { before: readCapture(pair.before), after: readCapture(pair.after) }
    const analysis = analyseChanges(sides, { sections: ["tools", "prompts", "templates"], masks: [] })
    const shown = steps[NAMES.indexOf(name)]?.output.slice(1, -3)
    expect(shown).toEqual(
      renderDiff({ ...analysis.diff, changes: withRules(analysis), analysis }, { paint: await loadPaint(false) }).map(
        (text) => `  ${text}`,
      ),
    )
  })

  test.each(Object.entries(SERVERS))("%s: the same tools were pinned", (name, line) => {
    const [pkg = "", before = ""] = line.split(" ")
    const { tools } = readCapture(`${pkg.replace("/", "__")}@${before}.json`)
    const names = isArray(tools) ? tools.map((tool) => itemKey("tools", tool)).sort() : []
    const { output = [] } = stepsOf("Pin five servers as they were")[1 + NAMES.indexOf(name)] ?? {}
    const listed = output.join(" ").replaceAll(/ +/g, " ")
    expect(listed).toContain(` ${names.length} tool${names.length === 1 ? "" : "s"}: ${names.join(", ")} record: `)
  })
})
