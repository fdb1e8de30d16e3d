// SARIF 2.1.0 (OASIS Standard, 27 March 2020): one log with one run, since code scanning refuses a second of the same tool. Results point at
// the definitions file or the lockfile, relative to the repository; what could not be checked is a notification, not a result (§3.20.21).
import type { JsonObject } from "../../core/json.js"
import { formatPrettyJson } from "../../core/pretty-json.js"
import type { Severity } from "../../core/severity.js"
import { showLine, showName, showText } from "../../surface/shown-text.js"
import type { Report, ReportServer } from "./model.js"
import { type Result, resultsOf, ruleOf } from "./results.js"
import { LEVELS, SCORES } from "./sarif-levels.js"

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
const BASE = "%SRCROOT%"
/** Results in one run; code scanning takes no more than this. */
const MAX_RESULTS = 25_000

/** The report as one SARIF log, with a final line feed. The same report gives the same bytes. */
export function renderSarif(report: Report): string {
  const all = resultsOf(report)
  const results = all.slice(0, MAX_RESULTS)
  const rules = describedRules(results)
  return `${formatPrettyJson({
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "toolsum", version: plain(report.toolVersion), rules: rules.map(ruleMember) } },
        automationDetails: { id: `toolsum/${plain(report.command)}/` },
        originalUriBaseIds: { [BASE]: { description: { text: "root of the repository" } } },
        columnKind: "utf16CodeUnits",
        invocations: [invocationMember(report, all.length - results.length)],
        results: results.map((result) => resultMember(result, rules)),
        properties: { ruleset: plain(report.ruleset), failOn: report.failOn },
      },
    ],
  })}\n`
}

/** A rule at one severity. Code scanning shows the score of the rule, whatever a result says, so that each severity needs a rule of its own:
 *  that of the rule itself keeps its id, others add theirs (§3.5.4). */
interface DescribedRule {
  readonly id: string
  readonly rule: string
  readonly severity: Severity
}

const idOf = ({ rule, severity }: Pick<Result, "rule" | "severity">): string =>
  ruleOf(rule).severity === severity ? rule : `${rule}/${severity}`

const describedRules = (results: readonly Result[]): readonly DescribedRule[] => {
  const rules = new Map(results.map(({ rule, severity }) => [idOf({ rule, severity }), { rule, severity }]))
  return [...rules].map(([id, rule]) => ({ id, ...rule })).sort((a, b) => (a.id < b.id ? -1 : 1))
}

function ruleMember({ id, rule, severity }: DescribedRule): JsonObject {
  const { title, help } = ruleOf(rule)
  const score = SCORES[severity]
  return {
    id: plain(id),
    shortDescription: { text: message(title) },
    fullDescription: { text: message(help) },
    help: { text: message(help) },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { tags: ["security", "mcp"], ...(score === null ? {} : { "security-severity": score }) },
  }
}

function resultMember(result: Result, rules: readonly DescribedRule[]): JsonObject {
  const { server, place, file, severity } = result
  const names = [server, place.section, ...(place.item === null ? [] : [place.item])].map(plain)
  return {
    ruleId: plain(idOf(result)),
    ruleIndex: rules.findIndex(({ id }) => id === idOf(result)),
    level: LEVELS[severity],
    message: { text: message(result.message) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: formatUri(file.path), uriBaseId: BASE },
          region: { startLine: file.line },
        },
        logicalLocations: [
          {
            name: plain(place.item ?? place.section),
            fullyQualifiedName: `${names.join("/")}${place.pointer === "" ? "" : `#${plain(place.pointer)}`}`,
            kind: place.pointer === "" ? "object" : "property",
          },
        ],
      },
    ],
    partialFingerprints: { "toolsumObservation/v1": result.fingerprint },
    properties: { severity },
  }
}

/** `executionSuccessful` is about the tool: what it found does not matter, what it could not check does. */
function invocationMember({ exitCode, servers, generatedAt }: Report, left: number): JsonObject {
  const notifications = [...servers.flatMap(notificationsOf), ...(left === 0 ? [] : [leftOut(left)])]
  return {
    executionSuccessful: exitCode !== 2,
    exitCode,
    ...(generatedAt === null || !UTC.test(generatedAt) ? {} : { endTimeUtc: generatedAt }),
    ...(notifications.length === 0 ? {} : { toolExecutionNotifications: notifications }),
  }
}

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

function notificationsOf({ name, verdict, problem }: ReportServer): readonly JsonObject[] {
  const unanswered = verdict?.verdict === "UNKNOWN" || verdict?.verdict === "AUTH" ? verdict : null
  const why = problem ?? (unanswered && [unanswered.verdict, unanswered.reason, unanswered.detail].join(" "))
  return why === null ? [] : [{ level: "error", message: { text: message(`${showName(name)}: ${why}`) } }]
}

const leftOut = (count: number): JsonObject => ({
  level: "warning",
  message: { text: `${count} results left out, the least grave ones: a run holds ${MAX_RESULTS}` },
})

/** Untrusted text, visible and on one line. */
const plain = (text: string): string => showLine(text, MAX_TEXT_CHARS)

/** Characters of one text. */
const MAX_TEXT_CHARS = 4000

/** Text of a message: what SARIF takes for placeholders (§3.11.5) and links (§3.11.6) in it is broken up. */
const message = (text: string): string =>
  plain(text)
    .replace(/\{(?=\d)/g, "\\u007b")
    .replace(/\](?=\()/g, "\\u005d")

/** A relative path as a relative URI (RFC 3986 §4.2). */
export const formatUri = (path: string): string =>
  showText(path)
    .split(/[/\\]/)
    .filter((segment) => segment !== "" && segment !== ".")
    .map((segment) => encodeURIComponent(segment))
    .join("/")
