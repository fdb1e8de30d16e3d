// Recomputes the examples of FORMAT.md, sections 5 to 9: targets, templates, subjects, how, records, pin digest.

import { type Members, readEntry } from "../../src/adapters/client-configs/entries.js"
import { encodeUtf8 } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { computeTextDigest } from "../../src/core/hash.js"
import { parseJson } from "../../src/core/json.js"
import { computePinDigest } from "../../src/core/pin.js"
import { entryType, formatObservation, parseObservation, parseRecord, RECORD_TYPE } from "../../src/core/record.js"
import { computeHow, deriveSubject } from "../../src/core/subject.js"
import { computeTargetDigest, formatTarget, isCommandTarget, parseTarget, type Target } from "../../src/core/target.js"
import { parseTemplate } from "../../src/core/template.js"
import { computeConsentDigest } from "../../src/features/targets.js"
import { ASKED, exampleLogOf, ORIGIN, observationsOf, outcome, targetOf } from "./example-log.js"
import { type Checks, cases, type FormatDocument } from "./format-document.js"

/** The example as it stands, when it reads as a target. */
const shownTarget = (name: string) => (doc: FormatDocument) => {
  parseTarget(parseJson(doc.text(name)))
  return doc.text(name)
}

function describeSubject(target: Target): string {
  const { subject, version, floating, argsAfter } = deriveSubject(target)
  return `${subject ?? "local"} ${version ?? (floating ? "floating" : "-")} ${JSON.stringify(argsAfter)}`
}

const commandOf = (line: string): Target => {
  const [command = "", ...args] = line.split(" ")
  return { command, args, env: [] }
}

const showTemplate = (template: string): string =>
  parseTemplate(template)
    .map((part) => ("name" in part ? part.name : JSON.stringify(part.text)))
    .join(" ")

/** What an entry of a project's file becomes. */
function describeEntry(entry: Members): string {
  const place = { dialect: "braces", project: "/home/ada/notes", platform: "linux" } as const
  const { target, problem, pin, literals } = readEntry({ name: "x", isDisabled: false, read: () => entry }, place)
  if (problem !== null) return `refused: ${problem}`
  if (target === null) return `pin ${pin}`
  const open = isCommandTarget(target) || literals.length === 0 ? "" : ` but any ${literals.join(", ")}`
  return `${canonicalize(formatTarget(target))}${open}`
}

const pinOf = (doc: FormatDocument) => {
  const { subject, version, profile, mask, surface } = parseRecord(doc.text("record"))
  return { log: ORIGIN, subject, version, target: targetOf(doc), profile, mask, surface }
}

export const TARGET_CHECKS: Checks = {
  "target-command": shownTarget("target-command"),
  "target-url": shownTarget("target-url"),
  "target-digests": cases("target-digests", (name, doc) =>
    computeTargetDigest(parseTarget(parseJson(doc.text(name.trim())))),
  ),
  "consent-digests": cases("consent-digests", (line) => {
    const [target = "", folder = ""] = line.split(" in ")
    return computeConsentDigest(parseTarget(parseJson(target)), folder)
  }),
  templates: cases("templates", (template) => outcome(() => showTemplate(template))),
  "configured-servers": cases("configured-servers", (entry) => describeEntry(JSON.parse(entry))),
  subjects: cases("subjects", (line) => describeSubject(commandOf(line))),
  urls: cases("urls", (url) => {
    const { subject, query } = deriveSubject({ url, headers: {} })
    return query === null ? (subject ?? "local") : `${subject ?? "local"} query ${query}`
  }),
  how: (doc) => `${computeHow(targetOf(doc), { sections: ASKED }).text}\n`,
  "how-digest": (doc) => `${computeTextDigest(doc.line("how"))}\n`,
  record: async (doc) => (await exampleLogOf(doc)).first.record,
  observation: (doc) => formatObservation(parseRecord(doc.text("record"))),
  "record-next": async (doc) => (await exampleLogOf(doc)).second.record,
  "entry-types": cases("entry-types", (line) => {
    const type = entryType(encodeUtf8(`${line}\n…`)) ?? "no type"
    return type === RECORD_TYPE
      ? "record"
      : type.startsWith("toolsum-record/")
        ? "record of a newer format"
        : "no record"
  }),
  pin: (doc) => {
    const { target, ...rest } = pinOf(doc)
    return `${canonicalize({ ...rest, target: formatTarget(target) })}\n`
  },
  "pin-digest": (doc) => {
    const digest = computePinDigest(pinOf(doc))
    if (digest !== computeTextDigest(doc.line("pin"))) throw new Error("the digest shown is not that of the text shown")
    const { first } = observationsOf(doc)
    if (parseObservation(doc.text("observation")).surface !== first.surface) throw new Error("another surface is shown")
    return `${digest}\n`
  },
}
