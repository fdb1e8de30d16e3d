// Recomputes the examples of FORMAT.md, section 26: settings, what they answer, and what `--accept` takes.
import { canonicalize } from "../../src/core/canonical.js"
import { computeTextDigest } from "../../src/core/hash.js"
import { parseJson } from "../../src/core/json.js"
import { parseLockfile } from "../../src/core/lockfile.js"
import { formatPrettyJson } from "../../src/core/pretty-json.js"
import { failOnOf, isPrivateSubject, overridesOf, parseSettings, type Settings } from "../../src/core/settings.js"
import { CHANGE_FORMAT, computeChangeDigest, createFindingMaker } from "../../src/features/base-change.js"
import { compareGone } from "../../src/features/base-gate-pins.js"
import { EMPTY_LOCKFILE, pinDigestOf } from "../../src/features/pins.js"
import { ORIGIN, outcome, PIN_NAME } from "./example-log.js"
import { type Checks, cases, type FormatDocument } from "./format-document.js"

const settingsOf = (doc: FormatDocument): Settings =>
  parseSettings(doc.text("project-settings"), "toolsum.json").settings

function answer(question: string, doc: FormatDocument): string {
  const settings = settingsOf(doc)
  const [what, first = "", second = "", day = ""] = question.split(" ")
  if (what === "failOn") return failOnOf(settings, first) ?? "none"
  if (what === "override") return overridesOf(settings, first, day).find(({ tool }) => tool === second)?.tier ?? "none"
  if (what === "subject")
    return isPrivateSubject(settings, first, { origin: ORIGIN, isPersonal: false }) ? "private" : "may be asked about"
  return outcome(() => {
    parseSettings(question, "toolsum.json")
    return "settings"
  })
}

/** The pin of the example's lockfile is gone, and nothing says why. */
function removal(doc: FormatDocument) {
  const base = parseLockfile(doc.text("lockfile"))
  const tree = { ...EMPTY_LOCKFILE, logs: base.logs }
  const [finding] = compareGone(
    { base, atRef: base, tree },
    () => true,
    createFindingMaker("toolsum.lock.json", new Set()),
  )
  const before = base.servers[PIN_NAME] ? pinDigestOf(base.servers[PIN_NAME]) : null
  return { finding, change: { kind: "removed", name: PIN_NAME, before, after: null } as const }
}

export const SETTINGS_CHECKS: Checks = {
  "project-settings": (doc) => `${formatPrettyJson(parseJson(doc.text("project-settings")))}\n`,
  "settings-answers": cases("settings-answers", answer),
  change: (doc) =>
    `${canonicalize({ ...removal(doc).change, format: CHANGE_FORMAT, lockfile: "toolsum.lock.json" })}\n`,
  "change-digest": (doc) => {
    const { finding, change } = removal(doc)
    const digests = new Set([
      computeTextDigest(doc.line("change")),
      computeChangeDigest("toolsum.lock.json", change),
      finding?.accept,
    ])
    return [...digests].map((digest) => `${digest}\n`).join("")
  },
}
