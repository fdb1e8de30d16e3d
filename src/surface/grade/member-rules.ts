// Rules for what differs inside an item, in instructions, serverInfo and what no digest covers. Those on schemas are in schema-rules.ts.
import type { Rule } from "../finding.js"

const rule = (severity: Rule["severity"], title: string, help: string): Rule => ({ title, help, severity })

const READ = "Models act on it: read both texts side by side."

/** Rules by id. */
export const MEMBER_RULES: Readonly<Record<string, Rule>> = {
  "description.added": rule("medium", "description added", `A text for the model appeared. ${READ}`),
  "description.removed": rule(
    "medium",
    "description removed",
    "A description is gone: the model has only the name and the schema left.",
  ),
  "description.changed": rule(
    "medium",
    "description changed",
    `A description says something else. Low where only spelling, punctuation or what moves by itself (a time, a version, a path) is another. ${READ}`,
  ),
  "description.taken-over": rule(
    "high",
    "description of another tool",
    "A description is, to the letter, the one that another tool of this server had: tools may have changed places. What was allowed under this name is something else now.",
  ),
  "description.whitespace": rule(
    "info",
    "white space of a description",
    "Only spaces and line ends moved; no-break spaces count as spaces, invisible characters do not.",
  ),
  "title.added": rule("low", "title added", "A display name appeared."),
  "title.removed": rule("low", "title removed", "A display name is gone."),
  "title.changed": rule("low", "title changed", "A display name is another."),
  "annotations.made-explicit": rule(
    "info",
    "hints made explicit",
    "Hints are written down with the values that the specification gives to absent ones, or such values are left out. Nothing changes.",
  ),
  "annotations.hint-changed": rule(
    "critical",
    "hint changed",
    "A hint has another effective value. Critical where a claim to be harmless is contradicted by the tool itself, high where a tool admits a risk that it denied, else medium: clients ask less, or more, before a call.",
  ),
  "annotations.title-changed": rule(
    "low",
    "title in annotations changed",
    "The display name inside the annotations is another. No hint moved.",
  ),
  "annotations.other-changed": rule(
    "medium",
    "annotation changed",
    "An annotation that is no hint of the specification differs, or annotations are no object.",
  ),
  "icons.changed": rule(
    "low",
    "icon changed",
    "An icon or its address differs. What the address shows is not covered by a pin.",
  ),
  "meta.added": rule(
    "low",
    "metadata added",
    "Metadata for clients appeared. Some clients hand it to the model: prose in it is worth a look.",
  ),
  "meta.removed": rule("low", "metadata removed", "Metadata for clients is gone."),
  "meta.changed": rule("low", "metadata changed", "Metadata for clients differs. Some clients hand it to the model."),
  "execution.added": rule("info", "execution added", "How a tool may be run appeared: SDKs add it to every tool."),
  "execution.removed": rule("info", "execution removed", "How a tool may be run is said no longer."),
  "execution.changed": rule("info", "execution changed", "How a tool may be run differs."),
  "unknown-field.added": rule(
    "medium",
    "unknown member added",
    "A member outside the specification appeared. Some clients hand it to the model, others never see it.",
  ),
  "unknown-field.removed": rule("medium", "unknown member removed", "A member outside the specification is gone."),
  "unknown-field.changed": rule(
    "medium",
    "unknown member changed",
    "A member outside the specification differs. Some clients hand it to the model, others never see it.",
  ),
  "prompt.text-changed": rule("medium", "text of a prompt changed", `The description of a prompt differs. ${READ}`),
  "prompt.argument-text-changed": rule(
    "medium",
    "text of an argument changed",
    "The description of a prompt's argument differs: it says what a person or model fills in.",
  ),
  "prompt.argument-added": rule(
    "medium",
    "argument added",
    "A prompt takes another argument. Medium where it is required, low where it is not.",
  ),
  "prompt.argument-removed": rule(
    "medium",
    "argument removed",
    "An argument of a prompt is gone: callers that give it may break.",
  ),
  "prompt.argument-required": rule(
    "medium",
    "argument required",
    "An argument of a prompt became required (medium) or optional (low).",
  ),
  "prompt.arguments-changed": rule(
    "medium",
    "arguments changed",
    "The arguments of a prompt differ as a whole: in order only (info), or since they do not each have a name of their own.",
  ),
  "resource-template.text-changed": rule(
    "medium",
    "text of a resource template changed",
    `The name or description of a resource template differs. ${READ}`,
  ),
  "resource.text-changed": rule(
    "medium",
    "text of a resource changed",
    `The name or description of a resource differs. ${READ}`,
  ),
  "instructions.added": rule(
    "medium",
    "instructions added",
    `The server has instructions now; many clients put them before every conversation. ${READ}`,
  ),
  "instructions.removed": rule("medium", "instructions removed", "The server has no instructions any more."),
  "instructions.changed": rule(
    "medium",
    "instructions changed",
    `The instructions differ; many clients put them before every conversation. ${READ}`,
  ),
  "instructions.whitespace": rule(
    "info",
    "white space of the instructions",
    "Only spaces and line ends of the instructions moved.",
  ),
  "server-info.changed": rule(
    "medium",
    "server info changed",
    "What the server says it is differs: its name or description (medium), title, icon or website (low), version (info).",
  ),
  "protocol.changed": rule(
    "info",
    "protocol version changed",
    "The server answered in another version of the protocol. No digest covers it.",
  ),
  "capabilities.changed": rule(
    "info",
    "capabilities changed",
    "The server declares other capabilities. No digest covers them: SDKs change them with every release.",
  ),
}
