// What machines are told of a report, one result for each observation: rule, severity, place, words, and a fingerprint that stays when
// lines move. SARIF and annotations are written from these.
import { canonicalize } from "../../core/canonical.js"
import { quote } from "../../core/errors.js"
import { computeTextDigest } from "../../core/hash.js"
import type { JsonValue } from "../../core/json.js"
import type { Severity } from "../../core/severity.js"
import type { Change } from "../../core/verdict.js"
import type { ChangeFinding, Finding, Place, Rule } from "../../surface/finding.js"
import { RULES } from "../../surface/rules.js"
import { showFinding } from "../../surface/shown-finding.js"
import { showItem, showLine, showName, showText } from "../../surface/shown-text.js"
import { describeBaseFinding } from "../base-text.js"
import { sortByGravity } from "./entries.js"
import { changesOf, findingsOf, openFindingsOf, type Report, type ReportBase, type ReportServer } from "./model.js"
import { createLocator, DEFAULT_PLACE, type FilePlace, isRelative } from "./places.js"

/** One observation about one server. */
export interface Result {
  readonly server: string
  /** A key of RULES, or of VERDICT_RULES. */
  readonly rule: string
  readonly severity: Severity
  /** One line; server text in it is quoted, and nothing in it is invisible. */
  readonly message: string
  readonly place: Place
  readonly file: FilePlace
  /** 64 hex digits; equal for the same observation whatever else changes in the file. */
  readonly fingerprint: string
}

/** What an answer itself says where no finding says more. */
const VERDICT_RULES: Readonly<Record<string, Rule>> = {
  "verdict.changed": {
    title: "Changed, and not graded",
    help: "The list differs from what was pinned, and not all texts of both sides are at hand, so that nobody can say how much it means. Read the difference before you approve it.",
    severity: "high",
  },
  "verdict.rejected": {
    title: "Evidence fails",
    help: "A signature, a proof or a hash does not hold. That says nothing about the server: the log, the lockfile or the way between them is not what it should be.",
    severity: "critical",
  },
  "base.open": {
    title: "Differs from its base",
    help: "The lockfile or its settings differ from the revision that they are held to, in a way that does not prove itself. It passes when somebody accepts exactly that difference from outside the tree.",
    severity: "high",
  },
}

/** The rule of a result. */
export const ruleOf = (id: string): Rule =>
  RULES[id] ?? VERDICT_RULES[id] ?? { title: id, help: `Observation ${id}.`, severity: "medium" }

/** All results of a report, gravest first. */
export const resultsOf = ({ servers, bases }: Report): readonly Result[] =>
  sortByGravity([...bases.flatMap(resultsOfBase), ...servers.flatMap(resultsOfServer)])

/** Open differences from a base, at the lockfile. */
function resultsOfBase(base: ReportBase): readonly Result[] {
  const identify = createIdentifier(base.lockfile)
  const place: Place = { section: "server", item: null, pointer: "" }
  const file = isRelative(base.lockfile) ? { path: base.lockfile, line: 1 } : DEFAULT_PLACE
  return openFindingsOf(base).map((finding) => ({
    ...{ server: finding.name || base.lockfile, rule: BASE_RULE, severity: ruleOf(BASE_RULE).severity, place, file },
    message: showLine(`held to ${quote(base.ref)}: ${describeBaseFinding(finding, quote)}`, MAX_DETAIL_CHARS),
    fingerprint: identify(BASE_RULE, place, [finding.kind, finding.name, finding.accept ?? finding.detail]),
  }))
}

const BASE_RULE = "base.open"

function resultsOfServer(server: ReportServer): readonly Result[] {
  const locate = createLocator(server)
  const changes = changesOf(server)
  const identify = createIdentifier(server.name)
  const results = findingsOf(server).map((finding): Result => {
    const was = "was" in finding ? finding.was : undefined
    return {
      server: server.name,
      rule: finding.rule,
      severity: finding.severity,
      message: `${describePlace(server.name, finding)}: ${showFinding(finding)}`,
      place: finding,
      file: locate(finding, was),
      fingerprint: identify(finding.rule, finding, substanceOf(finding, changes)),
    }
  })
  return [...resultsOfAnswer(server, locate, identify), ...results]
}

/** A refuted answer, and a change that no finding explains. */
function resultsOfAnswer(
  server: ReportServer,
  locate: (place: Place) => FilePlace,
  identify: (rule: string, place: Place, substance: JsonValue) => string,
): readonly Result[] {
  const { verdict, name } = server
  const rule =
    verdict?.verdict === "REJECTED"
      ? "verdict.rejected"
      : verdict?.verdict === "CHANGED" && server.changes === null
        ? "verdict.changed"
        : null
  if (verdict === null || rule === null) return []
  const place: Place = { section: "server", item: null, pointer: "" }
  const detail = showLine(verdict.detail ?? verdict.reason ?? "no detail", MAX_DETAIL_CHARS)
  return [
    {
      ...{ server: name, rule, severity: ruleOf(rule).severity, place },
      message: `${showName(name)}: ${verdict.verdict}: ${detail}`,
      file: server.lockfile ? locate({ section: "version", item: null, pointer: "" }) : locate(place),
      fingerprint: identify(rule, place, [verdict.reason, verdict.pin]),
    },
  ]
}

/** Characters of a detail. */
const MAX_DETAIL_CHARS = 1000

/** `memory read_file /description`. */
export const describePlace = (server: string, { section, item, pointer }: Place): string =>
  [
    showName(server),
    ...(section === "tools" ? [] : [section]),
    ...(item === null ? [] : [showItem(item)]),
    ...(pointer === "" ? [] : [showName(pointer, 200)]),
  ].join(" ")

/** What an observation is about: the values of the changes it explains, else its own words. */
function substanceOf(finding: Finding | ChangeFinding, changes: readonly Change[]): JsonValue {
  const { message, decoded = null, like = null, other = null, target = null } = finding
  if (!("covers" in finding)) return [message, decoded, like, other, target]
  const covered = changes.filter(
    ({ section, item, pointer }) =>
      section === finding.section && item === finding.item && finding.covers.includes(pointer),
  )
  return [finding.member ?? null, ...covered.map(({ before = null, after = null }): JsonValue => [before, after])]
}

/** Fingerprints of one server. Array indexes move when something is put before them, so they do not count; what is the same in all
 *  else is numbered. */
function createIdentifier(server: string): (rule: string, place: Place, substance: JsonValue) => string {
  const seen = new Map<string, number>()
  return (rule, { section, item, pointer }, substance) => {
    const stable = pointer.replace(/\/(?:0|[1-9]\d*)(?=\/|$)/g, "/*")
    const identity = canonicalize([server, section, item, rule, stable, digestOf(substance)].map(visible))
    const count = seen.get(identity) ?? 0
    seen.set(identity, count + 1)
    return hexOf(count === 0 ? identity : `${identity} ${count}`)
  }
}

/** Canonical JSON takes no lone surrogate. */
const visible = (text: string | null): string | null => text && showText(text)

const digestOf = (value: JsonValue): string => hexOf(canonicalize(value))

const hexOf = (text: string): string => computeTextDigest(text).slice("sha256:".length)
