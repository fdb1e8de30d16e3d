// Reports in which every text that somebody else can write is hostile: markup of every format that we write, commands of every reader.
import fc from "fast-check"
import type { ServerVerdict } from "../../../src/core/verdict.js"
import type { Report, ReportBase, ReportServer } from "../../../src/features/report/model.js"
import { changedServer, reportOf, surfaceOf, verdictOf } from "./world.js"

const TEXTS = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "</style><base href=//evil.example>",
  "</pre></code></details></td></tr></table><h1>owned</h1>",
  "<!-- --><iframe srcdoc='x'>",
  "]]><![CDATA[x]]>",
  "&lt;b&gt; &#60;b&#62; &amp",
  "@everyone @octocat please look, cc @org/team",
  "see #1, GH-2, org/repo#3 and fixes #4",
  "[click](javascript:alert(1)) ![x](https://evil.example/x.png)",
  "https://evil.example www.evil.example mailto:a@evil.example a@evil.example",
  "<https://evil.example>",
  "`` `code` ``` ```` `",
  "```\n@octocat\n```",
  "~~~\n<b>x</b>\n~~~",
  "a | b | c \\| d \\\\| e",
  "\n\n# heading\n\n- item\n\n> quote\n\n---\n\n| a |\n| - |\n",
  "*bold* _it_ ~~no~~ **x** $x^2$ :tada:",
  "[ref]: https://evil.example\n[ref]",
  "::set-output name=x::y",
  "x\n::error file=a,line=1::owned\r\n::stop-commands::t",
  " ::add-mask::a ##[error]owned ##[group]x",
  "\u001b[2J\u001b]8;;https://evil.example\u0007x\u001b]8;;\u0007",
  "\u202eevil\u202c \u200b\u2060\ufeff\u{e0041}\u{e0042}\u00ad",
  "\u0000\u0001\u0008\u007f\u0085\u2028\u2029",
  "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
  "../../etc/passwd",
  "/etc/passwd",
  "C:\\secrets",
  "{0} {1} [x](1) {{0}}",
  "%0A::error::x %25 ,a=b:c",
  "constructor",
  "__proto__",
  "",
  " ",
  "\\",
]

/** One hostile text, several of them joined, any characters at all, or a long one. */
export const arbHostile: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: "binary", maxLength: 12 })), { maxLength: 5 })
      .map((parts) => parts.join("")),
  },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom(...TEXTS).map((text) => text.repeat(400)) },
)

/** A report of three servers in which each text is one of these, in turn. */
export function hostileReport(texts: readonly string[]): Report {
  let at = 0
  const next = (): string => texts[at++ % texts.length] ?? ""
  const tool = (name: string) => ({
    name,
    title: next(),
    description: next(),
    inputSchema: { type: "object", properties: { [next()]: { type: "string", description: next(), enum: [next()] } } },
    annotations: { title: next() },
    [next()]: next(),
  })
  const surface = (names: readonly string[]) =>
    surfaceOf({
      instructions: next(),
      tools: names.map(tool),
      prompts: [{ name: next(), description: next(), arguments: [{ name: next() }] }],
      resources: [{ uri: next(), name: next() }],
      resourceTemplates: [{ uriTemplate: next(), name: next() }],
      serverInfo: { name: next(), title: next() },
    })
  const shared = [next(), next(), next()]
  const verdict = (word: ServerVerdict["verdict"]): ServerVerdict =>
    verdictOf({
      ...{ name: next(), subject: next(), version: next(), verdict: word, reason: next(), detail: next() },
      notCovered: [next()],
      lowered: { failOn: "high", gravest: "low", source: "toolsum.json" },
    })
  const known = (): Partial<ReportServer> => ({
    name: next(),
    subject: next(),
    version: next(),
    problem: next(),
    approve: next(),
    definitions: { path: next(), text: next() },
    lockfile: { path: next(), line: 3 },
    proof: { origin: next(), size: 3n, rootHash: next(), index: 1n, leafHash: next(), cosigners: 1 },
    history: [{ index: 1n, observed: next(), version: next(), digest: `sha256:${next()}`, tools: 2 }],
  })
  const changed = changedServer(surface([...shared, next()]), surface([...shared, next(), next()]), known())
  const ungraded = { ...changed, ...known(), changes: null, analysis: null, problem: null }
  return reportOf(
    [
      { ...changed, verdict: verdict("CHANGED"), problem: null },
      { ...changed, ...known(), verdict: verdict("UNKNOWN"), changes: null },
      { ...ungraded, verdict: { ...verdict("REJECTED"), changes: changed.verdict?.changes ?? [] } },
      { ...ungraded, ...known(), verdict: { ...verdict("CHANGED"), changes: changed.verdict?.changes ?? [] } },
    ],
    {
      ...{ command: next(), toolVersion: next(), ruleset: next(), generatedAt: next() },
      roots: [{ log: next(), fingerprint: next(), source: next() }],
      bases: [baseOf(next)],
    },
  )
}

/** A lockfile beside its base, of these texts. */
function baseOf(next: () => string): ReportBase {
  const finding = { kind: "pin", name: next(), detail: next(), claimedBy: next() } as const
  return {
    ...{ lockfile: next(), ref: next(), commit: next(), mergeBase: next(), acceptLine: next() },
    findings: [
      { ...finding, status: "open", accept: `sha256:${next()}` },
      { ...finding, status: "passed", accept: null },
    ],
  }
}

/** Reports of hostile texts. What stands in a server's answer comes from JSON, which has no lone surrogate. */
export const arbReport: fc.Arbitrary<Report> = fc
  .array(arbHostile, { minLength: 5, maxLength: 40 })
  .map((texts) => hostileReport(texts.map((text) => text.replace(/[\ud800-\udfff]/gu, "\ufffd"))))

/** Every hostile text once, so that none depends on luck. */
export const wholeReport = (): Report => hostileReport(TEXTS)
